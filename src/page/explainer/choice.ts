/** Keeps the visitor's choice in the query of the URL: `?method=hashed&particles=12&moved=7.40.33`. */
import { METHOD_NAMES } from './methods';
import { type Choice, DEFAULT_CHOICE, FEWEST, MOST } from './scene';

/** Reads a choice from a query. Ignores what it cannot read, and clamps the number of particles. */
export function readChoice(search: string): Choice {
  const query = new URLSearchParams(search);
  const method = METHOD_NAMES.find((name) => name === query.get('method')) ?? DEFAULT_CHOICE.method;
  const asked = Number.parseInt(query.get('particles') ?? '', 10);
  const count = Number.isNaN(asked) ? DEFAULT_CHOICE.count : Math.min(Math.max(asked, FEWEST), MOST);
  const moved = new Map<number, [number, number]>();
  for (const [, id, x, y] of (query.get('moved') ?? '').matchAll(/(\d+)\.(-?\d+)\.(-?\d+)/g)) {
    if (Number(id) < MOST) moved.set(Number(id), [Number(x), Number(y)]);
  }
  return { method, count, moved };
}

/** Returns the query with the choice. Leaves out defaults, and keeps other parameters of `search`. */
export function writeChoice({ method, count, moved }: Choice, search: string): string {
  const query = new URLSearchParams(search);
  const put = (name: string, value: string, isDefault: boolean) =>
    isDefault ? query.delete(name) : query.set(name, value);
  put('method', method, method === DEFAULT_CHOICE.method);
  put('particles', String(count), count === DEFAULT_CHOICE.count);
  put('moved', [...moved].map(([id, [x, y]]) => `${id}.${x}.${y}`).join('_'), moved.size === 0);
  const text = query.toString();
  return text ? `?${text}` : '';
}
