import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NAMED = /(?<![\w/.-])(?:src|shaders|tests|bench|docs|scripts)\/[\w/.-]+\.(?:ts|wgsl|md|mjs)\b/g;

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

function filesIn(folder: string, ending: RegExp): string[] {
  const found = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return found.filter((path) => ending.test(path)).map((path) => `${folder}/${path.replaceAll('\\', '/')}`);
}

function headerOf(path: string): string {
  const [lines] = /^(?:\/\/.*\n)+|^\/\*[\s\S]*?\*\//.exec(read(path)) ?? [''];
  return lines.replace(/\s*\n[ /*]*/g, ' ');
}

describe('files that comments and documents name', () => {
  it('exist', () => {
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

describe('shaders of the fluid', () => {
  const shaders = filesIn('shaders/fluid', /\.wgsl$/);
  const twins = filesIn('src/methods/fluid/reference', /\.ts$/);
  const twinOf = (path: string) => /Twin: (\S+?)\.(?: |$)/.exec(headerOf(path))?.[1];
  const shadersOf = (path: string) => {
    const [, named = ''] = /Twin of (.*?\.wgsl)[.;]/.exec(headerOf(path)) ?? [];
    return [...named.matchAll(/(\w+\.wgsl)/g)].map(
      ([, name]) => shaders.find((path) => path.endsWith(`/${name}`)) ?? `no ${name}`,
    );
  };

  it('name their twin, their host or the kernels that link them', () => {
    const silent = shaders.filter((path) => !/Twin: |Host: |Linked with/.test(headerOf(path)));
    expect(silent).toEqual([]);
  });

  it('name twins that exist and that name them in return', () => {
    const named = shaders.flatMap((path) => (twinOf(path) ? [`${path} ~ ${twinOf(path)}`] : []));
    const known = twins.flatMap((path) => shadersOf(path).map((shader) => `${shader} ~ ${path}`));
    expect(named.length).toBeGreaterThan(15);
    expect(known.filter((pair) => !shaders.some((path) => pair.startsWith(`${path} ~`)))).toEqual([]);
    expect(named.filter((pair) => !known.includes(pair))).toEqual([]);
  });
});
