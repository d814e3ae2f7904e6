/** The elements of a page by their ids, and the text in them. */

/** Returns an element of the page's HTML. Throws if there is none of this kind. */
export function find<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}.`);
  return element;
}

/** Writes only a text that differs, because most texts are set in every frame. */
export function setText(id: string, text: string): void {
  const element = find(id, HTMLElement);
  if (element.textContent !== text) element.textContent = text;
}
