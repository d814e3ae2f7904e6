/** Creates DOM nodes from Markup. Text is never parsed as markup. */
import type { Markup } from '../report/markup';

const SVG = 'http://www.w3.org/2000/svg';

export function render(node: Markup | string, isInSvg = false): Node {
  if (typeof node === 'string') return document.createTextNode(node);
  const isSvg = isInSvg || node.tag === 'svg';
  const made = isSvg ? document.createElementNS(SVG, node.tag) : document.createElement(node.tag);
  for (const [name, value] of Object.entries(node.attributes)) made.setAttribute(name, String(value));
  made.append(...node.children.map((child) => render(child, isSvg)));
  return made;
}
