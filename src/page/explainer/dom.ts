/** Creates elements. Strings become text, never markup. */

const SVG = 'http://www.w3.org/2000/svg';

/** Hides a text from screen readers, which read the picture's label, the step's text and the arrays instead. */
export const UNREAD = { 'aria-hidden': 'true' } as const;

type Attributes = Readonly<Record<string, string | number>>;

export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  return fill(document.createElement(tag), attributes, children);
}

export function draw<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[Tag] {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill<Kind extends Element>(
  element: Kind,
  attributes: Attributes,
  children: readonly (Node | string)[],
): Kind {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
