/** Part of `npm run lint`: checks import directions, circles in src, what src/page imports, and paths into tests. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE_FOLDERS = ['src', 'bench', 'scripts', 'tests', 'shaders', 'examples'];

const ENTRIES = [
  'src/index.ts',
  'src/cpu/index.ts',
  'src/methods/fluid/index.ts',
  'src/methods/flock/index.ts',
  'src/methods/pbf/index.ts',
];

/** Files inside the library that src/page may import besides the entries, with the reason. */
export const PAGE_TAKES_FROM_INSIDE: Readonly<Record<string, string>> = {
  'src/core/base/constants.ts': 'threads per workgroup in WGSL; the size of a crowd',
  'src/core/base/curves.ts': 'the sheet Scale fits the same curves as the benchmark',
  'src/core/base/errors.ts': 'words messages as the library does',
  'src/core/contact/settings.ts': 'defaults and limits for the panel; the substep that kernels are given',
  'src/core/obstacles/obstacles.ts': 'engines keep obstacles in the checked form, to draw them',
  'src/core/obstacles/tree.ts': 'the type of obstacles in the checked form',
  'src/core/particles/shapes.ts': 'picking and overlays measure discs, balls and boxes as the engines do',
  'src/core/simulation/checkpoint.ts': 'a file that a visitor opens is checked before anything is created',
  'src/core/simulation/plan.ts': 'the number of cells that options need, before a run starts',
  'src/core/state/hash.ts': 'the state hash of methods that have none of their own',
  'src/core/state/particle-table.ts': 'reads and writes tables',
  'src/core/state/state-file.ts': 'reads and writes state files',
  'src/core/world/cells.ts': 'the inspector, overlays and explainer show cells',
  'src/core/world/levels.ts': 'the inspector and overlays show cells of levels',
  'src/core/world/merged-levels.ts': 'the inspector and overlays show cells of levels in unbounded worlds',
  'src/core/world/limits.ts': 'how many cells a periodic axis needs',
  'src/core/world/world.ts': 'worlds without a simulation: for the explainer, fluids and counting neighbours',
  'src/cpu/grid/grid.ts': 'loaded late; the entry would bring the code for several threads',
  'src/cpu/solver/simulation.ts': 'loaded late; the whole entry would be larger',
  'src/engine/grid/cell-sort.ts': 'overlays and counts of neighbours sort the drawn positions',
  'src/engine/simulation/stages.ts': 'what each stage of a step does',
  'src/gpu/adapter-name.ts': 'names the graphics adapter as verify.html does',
  'src/gpu/bindings.ts': 'layouts for drawing, whose WGSL declarations are generated',
  'src/gpu/buffers.ts': 'buffers that report a lack of memory',
  'src/gpu/device.ts': 'whether an adapter is software, which gets fewer particles and plainer pictures',
  'src/gpu/dispatch.ts': 'folds dispatches over the particles of a fluid',
  'src/gpu/explain.ts': 'explains a missing GPU as verify.html does',
  'src/gpu/kernel.ts': 'kernels of overlays and counts of neighbours, which probe the grid',
  'src/gpu/layout.ts': 'uniforms and obstacles in the layout of WGSL',
  'src/gpu/link.ts': 'the type of shader sources',
  'src/gpu/params.ts': 'the parameters that all kernels share',
  'src/gpu/readback.ts': 'reads the numbers of drawn pairs and occupied cells',
  'src/gpu/shader-module.ts': 'links the shaders of the page with modules of the library',
  'src/methods/flock/cpu-flock.ts': 'loaded late; the whole entry would be larger',
  'src/methods/flock/cpu-life.ts': 'loaded late; the whole entry would be larger',
  'src/methods/fluid/cpu-fluid.ts': 'loaded late; the whole entry would be larger',
  'src/methods/fluid/lattice.ts': 'the numbers of the kinds of cells, for the shaders that draw fluids',
  'src/methods/fluid/options.ts': 'the particles that fill a fluid scene, before a fluid is created',
  'src/methods/pbf/cpu-fluid.ts': 'loaded late; the whole entry would be larger',
  'src/passes/grid/scan.ts': 'the overlay of pairs turns counts into offsets',
  'src/passes/modules.ts': 'modules and flags with which a kernel probes any world',
  'src/passes/particle-pass.ts': 'the kernel that counts neighbours',
  'src/reference/grid/count.ts': 'the inspector and explainer show counts',
  'src/reference/grid/gather.ts': 'the explainer shows the gather',
  'src/reference/grid/grid.ts': 'the explainer and the CPU overlays sort into cells',
  'src/reference/grid/offsets.ts': 'the inspector and explainer show the cells around a cell',
  'src/reference/grid/scan.ts': 'the inspector and explainer show cell starts',
  'src/reference/grid/scatter.ts': 'the explainer shows the scatter',
  'src/reference/measure/finite.ts': 'CPU overlays and the query tool leave out the quarantine',
  'src/reference/query/probe.ts': 'the explainer and the CPU overlays show candidates',
  'src/reference/solve/contact.ts': 'the inspector, explainer and overlays show verdicts on pairs',
  'src/reference/solve/resolve.ts': 'the explainer shows how contacts are pushed apart',
  'src/scenes/definition.ts': 'the types of the content of scenes of methods',
  'src/scenes/fluid-scene.ts': 'creates the content of fluid scenes',
  'src/scenes/index.ts': 'scenes of all methods, by name; seeded random numbers',
  'src/scenes/method-scene.ts':
    'creates the content of scenes of flocks, particle life and the position-based fluid',
};

/** The folders and files that each folder may import from, besides itself. */
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
  'src/page': [...ENTRIES, ...Object.keys(PAGE_TAKES_FROM_INSIDE), 'shaders'],
  'src/verify-page': ['src/core', 'src/gpu', 'src/scenes', 'src/verify', 'src/page'],
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
  // Examples import the package by its name.
  examples: [],
  tests: ['src', 'shaders', 'bench', 'scripts', 'examples'],
};

/**
 * The subfolders of some folders, lowest first. A file may import from its own subfolder and from lower ones. A file
 * directly in the folder may import from all.
 */
const SUBFOLDERS: Readonly<Record<string, readonly string[]>> = {
  'src/core': ['base', 'world', 'particles', 'obstacles', 'contact', 'exact', 'ccd', 'simulation', 'state'],
  'src/cpu': ['shared', 'threads', 'equal', 'levels', 'live', 'boxes', 'grid', 'solver'],
  'src/page': ['support', 'model', 'view', 'tools', 'engines', 'session', 'panel'],
};

const SPECIFIER = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)['"](\.{1,2}(?:\/[^'"]*)?)['"]/g;

const ALLOWED_TEST_PATHS: readonly string[] = [
  // Records of scripts/mutants.ts, soak.ts and faults.ts.
  'tests/mutants',
  'tests/trust',
  // fuzz.ts and mutants/coverage.ts choose tests from these.
  'tests/unit',
  'tests/gpu',
];

/** Matches a path into tests at the start of a string, or after other parts of a path. */
const TEST_PATH = /['"`](?:[\w.${}-]*\/)*(tests\/\w[\w./-]*)/g;
const COMMENT = /^\s*\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

function sourceFiles(): string[] {
  return SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|mjs)$/.test(file))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  );
}

function resolveImport(file: string, specifier: string): string {
  const path = join(ROOT, dirname(file), specifier.replace(/\?.*$/, ''));
  const found = [path, `${path}.ts`, join(path, 'index.ts'), `${path}.d.ts`].find(
    (candidate) => existsSync(candidate) && statSync(candidate).isFile(),
  );
  return relative(ROOT, found ?? path).replaceAll('\\', '/');
}

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** Says why `file` may not import `target`; undefined if it may. Paths are relative to the root. */
export function importObjection(file: string, target: string): string | undefined {
  const folder = Object.keys(FOLDERS).find((known) => isBelow(file, known));
  if (folder === undefined) return `${file} is in no folder that scripts/check-imports.ts lists`;
  if (!SOURCE_FOLDERS.some((known) => isBelow(target, known))) return undefined;
  if (!isBelow(target, folder)) {
    const allowed = FOLDERS[folder] ?? [];
    if (allowed.some((known) => isBelow(target, known))) return undefined;
    if (folder === 'src/page') {
      return 'src/page may import only entries, shaders and what PAGE_TAKES_FROM_INSIDE lists';
    }
    return `${folder} may import ${allowed.join(', ') || 'nothing else'}`;
  }
  const parts = SUBFOLDERS[folder];
  if (!parts) return undefined;
  const partOf = (path: string) => parts.findIndex((part) => isBelow(path, `${folder}/${part}`));
  const [from, to] = [partOf(file), partOf(target)];
  // Unlisted subfolders count as files directly in the folder.
  if (from < 0 || (to >= 0 && to <= from)) return undefined;
  return `${folder}/${parts[from]} may import only ${parts.slice(0, from).join(', ') || 'itself'}`;
}

function importsOf(file: string): string[] {
  return [...readFileSync(join(ROOT, file), 'utf8').matchAll(SPECIFIER)].map(([, specifier = '']) =>
    resolveImport(file, specifier),
  );
}

export function findWrongImports(): string[] {
  return sourceFiles().flatMap((file) =>
    importsOf(file).flatMap((target) => {
      const reason = importObjection(file, target);
      return reason === undefined ? [] : [`${file} imports ${target}, but ${reason}.`];
    }),
  );
}

export function findUnused(
  listed = Object.keys(PAGE_TAKES_FROM_INSIDE),
  files = sourceFiles().filter((file) => isBelow(file, 'src/page')),
): string[] {
  const imported = new Set(files.flatMap(importsOf));
  return listed
    .filter((file) => !imported.has(file))
    .map((file) => `PAGE_TAKES_FROM_INSIDE lists ${file}, which src/page does not import.`);
}

/** Returns the paths into tests, except ALLOWED_TEST_PATHS. */
export function testPathsIn(text: string): string[] {
  return [...text.replace(COMMENT, '').matchAll(TEST_PATH)]
    .map(([, path = '']) => path)
    .filter((path) => !ALLOWED_TEST_PATHS.some((allowed) => isBelow(path, allowed)));
}

export function findTestPaths(): string[] {
  return sourceFiles()
    .filter((file) => !isBelow(file, 'tests'))
    .flatMap((file) =>
      testPathsIn(readFileSync(join(ROOT, file), 'utf8')).map(
        (path) => `${file} names ${path}, but only tests may use files of tests.`,
      ),
    );
}

/** Names at least one circle if src has any. Type imports count, too. */
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
  const wrong = [...findWrongImports(), ...findUnused(), ...findTestPaths(), ...findCircles()];
  if (wrong.length > 0) {
    process.stderr.write(`${wrong.join('\n')}\n`);
    process.exitCode = 1;
  }
}
