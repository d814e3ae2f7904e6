/** Elements as plain data, for HTML and DOM nodes. `toHtml` escapes text. */

export interface Markup {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Markup | string)[];
}

export function element(
  tag: string,
  attributes: Markup['attributes'] = {},
  ...children: readonly (Markup | string)[]
): Markup {
  return { tag, attributes, children };
}

const VOID = ['meta', 'link', 'br'];
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

export function toHtml(node: Markup | string): string {
  if (typeof node === 'string') return escapeText(node);
  const { tag, attributes, children } = node;
  const given = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeText(String(value))}"`);
  const open = `<${tag}${given.join('')}>`;
  return VOID.includes(tag) ? open : `${open}${children.map(toHtml).join('')}</${tag}>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
