/** Finds dead links in a folder of HTML pages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const LINK = /<(?:a|img|link|script)\b[^>]* (?:href|src)="([^"]*)"/g;
const ELSEWHERE = /^[a-z]+:/;

/** Returns one sentence per dead link. Links to the paths in `outside`, relative to the folder, are not dead. */
export function findDeadLinks(folder: string, outside: readonly string[]): string[] {
  const outer = new Set(outside.map((name) => resolve(folder, name)));
  const texts = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.html'))
      .map((name) => [join(folder, name), readFileSync(join(folder, name), 'utf8')]),
  );
  const isDead = (page: string, link: string): boolean => {
    if (ELSEWHERE.test(link)) return false;
    const [path = '', anchor = ''] = decodeURI(link).split('#');
    const target = path === '' ? page : resolve(dirname(page), path);
    if (!outer.has(target) && !existsSync(target)) return true;
    return anchor !== '' && texts.get(target)?.includes(` id="${anchor}"`) !== true;
  };
  return [...texts].flatMap(([page, text]) =>
    [...new Set([...text.matchAll(LINK)].map(([, link = '']) => link))]
      .filter((link) => isDead(page, link))
      .map((link) => `${relative(folder, page)} links to ${link}, which does not exist.`),
  );
}
