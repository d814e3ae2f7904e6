/** Checks the direction of every import, and that the imports of src form no circle; part of `npm run lint`. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE_FOLDERS = ['src', 'bench', 'scripts', 'tests', 'shaders'];

/** Lists the folders that each folder may import besides itself. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'src/core': [],
  'src/gpu': ['src/core', 'shaders'],
  'src/node': ['src/core', 'src/gpu'],
  'src/scenes': ['src/core'],
  'src/reference': ['src/core'],
  'src/cpu': ['src/core'],
  'src/passes': ['src/core', 'src/gpu', 'shaders'],
  'src/engine': ['src/core', 'src/gpu', 'src/passes', 'shaders'],
  'src/index.ts': ['src/core', 'src/gpu', 'src/engine', 'src/scenes'],
  'src/methods': ['src/core', 'src/gpu', 'src/engine', 'src/cpu', 'shaders'],
  'src/testing': ['src/core', 'src/gpu', 'src/node'],
  'src/verify': [
    'src/core',
    'src/gpu',
    'src/scenes',
    'src/reference',
    'src/cpu',
    'src/engine',
    'src/index.ts',
    'src/methods',
  ],
  'src/page': [
    'src/core',
    'src/gpu',
    'src/scenes',
    'src/reference',
    'src/cpu',
    'src/passes',
    'src/engine',
    'src/index.ts',
    'src/methods',
    'shaders',
  ],
  'src/cli': [
    'src/core',
    'src/gpu',
    'src/node',
    'src/scenes',
    'src/cpu',
    'src/engine',
    'src/index.ts',
    'src/verify',
  ],
  shaders: [],
  bench: ['src', 'shaders', 'scripts'],
  scripts: ['src', 'bench'],
  tests: ['src', 'shaders', 'bench', 'scripts'],
};

/**
 * Subfolders, lowest first. Of these, a file may import only its own subfolder and those listed before it. Files
 * directly in the folder may import all subfolders.
 */
const SUBFOLDERS: Readonly<Record<string, readonly string[]>> = {
  'src/core': ['base', 'world', 'particles', 'obstacles', 'contact', 'ccd', 'simulation', 'state'],
  'src/cpu': ['shared', 'equal', 'levels', 'live', 'boxes', 'grid', 'solver'],
  'src/page': ['support', 'model', 'view', 'tools', 'engines', 'session', 'panel'],
};

/** `import`, `export … from` and `import()` of a relative path. */
const SPECIFIER = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)['"](\.{1,2}(?:\/[^'"]*)?)['"]/g;

function sourceFiles(): string[] {
  return SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|mjs)$/.test(file))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  );
}

/** Returns the path of the imported file, relative to the root. */
function resolveImport(file: string, specifier: string): string {
  const path = join(ROOT, dirname(file), specifier.replace(/\?.*$/, ''));
  const found = [path, `${path}.ts`, join(path, 'index.ts'), `${path}.d.ts`].find(
    (candidate) => existsSync(candidate) && statSync(candidate).isFile(),
  );
  return relative(ROOT, found ?? path).replaceAll('\\', '/');
}

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** Says why `file` may not import `target`; undefined if it may. Both paths are relative to the root. */
export function importObjection(file: string, target: string): string | undefined {
  const folder = Object.keys(FOLDERS).find((known) => isBelow(file, known));
  if (folder === undefined) return `${file} is in no folder that scripts/check-imports.ts lists`;
  if (!SOURCE_FOLDERS.some((known) => isBelow(target, known))) return undefined;
  if (!isBelow(target, folder)) {
    const allowed = FOLDERS[folder] ?? [];
    if (allowed.some((known) => isBelow(target, known))) return undefined;
    return `${folder} may import ${allowed.join(', ') || 'nothing else'}`;
  }
  const parts = SUBFOLDERS[folder];
  if (!parts) return undefined;
  const partOf = (path: string) => parts.findIndex((part) => isBelow(path, `${folder}/${part}`));
  const [from, to] = [partOf(file), partOf(target)];
  // A subfolder that is not listed is treated like the files directly in the folder.
  if (from < 0 || (to >= 0 && to <= from)) return undefined;
  return `${folder}/${parts[from]} may import only ${parts.slice(0, from).join(', ') || 'itself'}`;
}

function importsOf(file: string): string[] {
  return [...readFileSync(join(ROOT, file), 'utf8').matchAll(SPECIFIER)].map(([, specifier = '']) =>
    resolveImport(file, specifier),
  );
}

/** Returns one sentence per import in the wrong direction. */
export function findWrongImports(): string[] {
  return sourceFiles().flatMap((file) =>
    importsOf(file).flatMap((target) => {
      const reason = importObjection(file, target);
      return reason === undefined ? [] : [`${file} imports ${target}, but ${reason}.`];
    }),
  );
}

/**
 * Returns sentences that name circles among the imports of src, type imports included; none only if there is no circle.
 */
export function findCircles(): string[] {
  return circlesIn(
    new Map(sourceFiles().flatMap((file) => (isBelow(file, 'src') ? [[file, importsOf(file)]] : []))),
  );
}

export function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const walk = (file: string): void => {
    const first = path.indexOf(file);
    if (first >= 0) circles.push(`${[...path.slice(first), file].join(' imports ')}: that is a circle.`);
    if (first >= 0 || done.has(file)) return;
    path.push(file);
    for (const target of imports.get(file) ?? []) walk(target);
    path.pop();
    done.add(file);
  };
  for (const file of imports.keys()) walk(file);
  return circles;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wrong = [...findWrongImports(), ...findCircles()];
  if (wrong.length > 0) {
    process.stderr.write(`${wrong.join('\n')}\n`);
    process.exitCode = 1;
  }
}
