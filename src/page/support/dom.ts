/** The elements of a page by their ids, and the text in them. */

/** An element that the page's HTML has. */
export function find<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}.`);
  return element;
}

/** Only where it is another one: most are asked for every frame. */
export function setText(id: string, text: string): void {
  const element = find(id, HTMLElement);
  if (element.textContent !== text) element.textContent = text;
}
