/** One stem in four places: what headers say of files is there, and a shader of the liquid and its twin know of each other. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NAMED = /(?<![\w/.-])(?:src|shaders|tests|bench|docs|scripts)\/[\w/-]+\.(?:ts|wgsl|md|mjs)\b/g;

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

function filesIn(folder: string, ending: RegExp): string[] {
  const found = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return found.filter((path) => ending.test(path)).map((path) => `${folder}/${path.replaceAll('\\', '/')}`);
}

/** The comment that a file begins with, as one line. */
function headerOf(path: string): string {
  const [lines] = /^(?:\/\/.*\n)+|^\/\*[\s\S]*?\*\//.exec(read(path)) ?? [''];
  return lines.replace(/\s*\n[ /*]*/g, ' ');
}

describe('files that are named', () => {
  it('are there', () => {
    const sources = ['src', 'shaders', 'bench', 'docs'].flatMap((folder) =>
      filesIn(folder, /\.(?:ts|wgsl|md)$/),
    );
    const texts = [...sources, 'README.md', 'ARCHITECTURE.md'];
    expect(texts.length).toBeGreaterThan(300);
    const missing = texts.flatMap((path) =>
      [...read(path).matchAll(NAMED)]
        .map(([named]) => named)
        .filter((named) => !existsSync(join(ROOT, named)))
        .map((named) => `${path} names ${named}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('shaders of the liquid', () => {
  const shaders = filesIn('shaders/fluid', /\.wgsl$/);
  const twins = filesIn('src/methods/fluid/reference', /\.ts$/);
  const twinOf = (path: string) => /Twin: (\S+?)\.(?: |$)/.exec(headerOf(path))?.[1];
  /** Of a twin: the shaders that its header says it is one of. */
  const shadersOf = (path: string) => {
    const [, named = ''] = /Twin of (.*?\.wgsl)[.;]/.exec(headerOf(path)) ?? [];
    return [...named.matchAll(/(\w+\.wgsl)/g)].map(
      ([, name]) => shaders.find((path) => path.endsWith(`/${name}`)) ?? `no ${name}`,
    );
  };

  it('say what their twin is, or whose part or business they are', () => {
    const silent = shaders.filter((path) => !/Twin: |Host: |^\/\/ Linked with/.test(headerOf(path)));
    expect(silent).toEqual([]);
  });

  it('have the twins that they name, and these know of them', () => {
    const said = shaders.flatMap((path) => (twinOf(path) ? [`${path} ~ ${twinOf(path)}`] : []));
    const known = twins.flatMap((path) => shadersOf(path).map((shader) => `${shader} ~ ${path}`));
    expect(said.length).toBeGreaterThan(15);
    expect(known.filter((pair) => !shaders.some((path) => pair.startsWith(`${path} ~`)))).toEqual([]);
    expect(said.filter((pair) => !known.includes(pair))).toEqual([]);
  });
});
