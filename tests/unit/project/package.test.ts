import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installInto } from '../../helpers/built/packed';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Folders of compilers in node_modules. attw depends on version 5. */
const COMPILERS = {
  5: '@arethetypeswrong/core/node_modules/typescript',
  6: 'typescript',
  7: 'typescript-7',
} as const;
const run = promisify(execFile);
const PACKING_LIMIT_MS = 120_000;

const USER_CODE = `
import { ArgumentError, requestGpu } from 'cellstorm';
import type { FoundPairs, Gpu, GpuRequest } from 'cellstorm';
import type { FoundPairs as FoundOnCpu } from 'cellstorm/cpu';
import * as cpu from 'cellstorm/cpu';
import { createFlock, type FlockOptions } from 'cellstorm/flock';
import { createCpuFluid, createFluid } from 'cellstorm/fluid';
import type { Fluid } from 'cellstorm/fluid';
import { openGpu, type OpenGpuOptions, openWebGpu } from 'cellstorm/node';
import { createPositionFluid, type PositionFluidOptions } from 'cellstorm/pbf';
import { createGpuTest, launchChrome, type Picture, runInDeno } from 'cellstorm/testing';

type IsAny<T> = 0 extends 1 & T ? true : false;
export const typed: [IsAny<typeof requestGpu>, IsAny<Gpu>, IsAny<GpuRequest>, IsAny<typeof ArgumentError>] = [
  false, false, false, false,
];
export const request: (request: GpuRequest) => Promise<Gpu> = requestGpu;
export const found = (pairs: FoundPairs): FoundOnCpu => pairs;
export const fly = async (gpu: Gpu, options: FlockOptions) => (await createFlock(gpu, options)).step(0.01);
export const pour = async (gpu: Gpu, options: PositionFluidOptions) =>
  (await createPositionFluid(gpu, options)).step(0.01);
export const poured: (gpu: Gpu) => Promise<Fluid> = (gpu) =>
  createFluid(gpu, { dimensions: 2, cells: [4, 4], cellSize: 1 });
export const open: (options: OpenGpuOptions) => Promise<Gpu> = openGpu;
export const launched = async (library: { launch(options?: object): Promise<'browser'> }): Promise<'browser'> =>
  launchChrome(library, { canvas: true });
export const picture: Picture = { width: 1, height: 1, data: new Uint8Array(4) };
export { cpu, createCpuFluid, createGpuTest, openWebGpu, runInDeno };
`;

let folder = '';
let tarball = '';
let warnings = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cellstorm-user-'));
  ({ tarball, warnings } = await installInto(folder));
  await writeFile(join(folder, 'user.ts'), USER_CODE);
}, PACKING_LIMIT_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

async function compile(
  version: keyof typeof COMPILERS,
  module: string,
  moduleResolution: string,
  extra: object = {},
): Promise<string> {
  const compilerOptions = {
    module,
    moduleResolution,
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    ...extra,
  };
  const path = join(folder, 'tsconfig.json');
  await writeFile(path, JSON.stringify({ compilerOptions, files: ['user.ts'] }));
  const tsc = join(ROOT, 'node_modules', COMPILERS[version], 'bin/tsc');
  return run(process.execPath, [tsc, '-p', path], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout || String(error),
  );
}

/** Reads a module and everything that it imports. Expects that every import is a file of the package. */
async function readModules(path: string, texts: Map<string, string>): Promise<void> {
  if (texts.has(path)) return;
  const code = await readFile(path, 'utf8');
  texts.set(path, code);
  for (const [, specifier = ''] of code.matchAll(/^(?:import|export)\b.*?\bfrom "([^"]+)"/gm)) {
    expect(specifier, path).toMatch(/^\.\.?\//);
  }
  for (const [, specifier = ''] of code.matchAll(/\b(?:from |import\()"(\.[^"]+)"/g)) {
    await readModules(join(dirname(path), specifier), texts);
  }
}

describe('the package', () => {
  test('installs without a warning about itself, and has no script that npm runs when it installs', async () => {
    expect(warnings).not.toContain('cellstorm');
    const manifest = await readFile(join(folder, 'node_modules/cellstorm/package.json'), 'utf8');
    const { scripts } = JSON.parse(manifest) as { scripts: object };
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) {
      expect(scripts).not.toHaveProperty(name);
    }
  });

  test.each([
    [6, 'esnext', 'bundler'],
    [7, 'esnext', 'bundler'],
    [7, 'nodenext', 'nodenext'],
  ] as const)(
    'has declarations for TypeScript %i, "module": "%s", "moduleResolution": "%s"',
    { tags: 'case' },
    async (version, module, resolution) => {
      expect(await compile(version, module, resolution)).toBe('');
    },
  );

  describe('with @webgpu/types and skipLibCheck', () => {
    beforeAll(async () => {
      await mkdir(join(folder, 'node_modules/@webgpu'), { recursive: true });
      await symlink(join(ROOT, 'node_modules/@webgpu/types'), join(folder, 'node_modules/@webgpu/types'));
      await writeFile(
        join(folder, 'user.ts'),
        `${USER_CODE}export const bit: number = GPUBufferUsage.VERTEX;\n`,
      );
    });

    test.each([5, 6, 7] as const)('has declarations for TypeScript %i', { tags: 'case' }, async (version) => {
      const extra = { types: ['@webgpu/types'], skipLibCheck: true };
      expect(await compile(version, 'esnext', 'bundler', extra)).toBe('');
    });
  });

  test('loads in plain Node, without a GPU', async () => {
    const code = `
      const [gpu, cpu] = await Promise.all([import('cellstorm'), import('cellstorm/cpu')]);
      const [flock, pbf] = await Promise.all([import('cellstorm/flock'), import('cellstorm/pbf')]);
      const [node, testing] = await Promise.all([import('cellstorm/node'), import('cellstorm/testing')]);
      console.log(typeof node.openGpu, typeof testing.createGpuTest, node.GpuError === gpu.GpuError);
      const { createCpuFluid } = await import('cellstorm/fluid');
      const { count } = createCpuFluid({ dimensions: 2, cells: [4, 4], cellSize: 1 });
      console.log(typeof gpu.requestGpu, typeof cpu, typeof flock.createFlock, typeof pbf.createPositionFluid, count);
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder });
    expect(stdout.trim()).toBe('function function true\nfunction object function function 0');
  });

  test('imports no other package and uses neither Node nor the DOM, except in the entries for Node', async () => {
    const dist = join(folder, 'node_modules/cellstorm/dist');
    const texts = new Map<string, string>();
    await readModules(join(dist, 'index.js'), texts);
    for (const entry of ['cpu', 'fluid', 'flock', 'pbf']) await readModules(join(dist, `${entry}.js`), texts);
    expect(texts.size).toBeGreaterThan(100);
    // Bundlers may turn constants into `var`, which V8 would look up at every test of a pair.
    expect([...texts.values()].filter((text) => /^const windowKeys = /m.test(text))).toHaveLength(2);
    for (const [file, code] of texts) {
      // Comments and imports may contain the words below.
      const instructions = code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import .*$/gm, '');
      expect(instructions, file).not.toMatch(/\b(?:require\(|process\.|document\.|window\.)/);
    }
  });

  test('contains every module that its files import', async () => {
    const dist = join(folder, 'node_modules/cellstorm/dist');
    const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.js'));
    for (const file of files) {
      const code = await readFile(join(dist, file), 'utf8');
      for (const [, specifier = ''] of code.matchAll(/(?:\bfrom |\bimport\(|^import )["'](\.[^"']+)["']/gm)) {
        expect(existsSync(join(dist, dirname(file), specifier)), `${file} imports ${specifier}`).toBe(true);
      }
    }
  });

  test('runs its command', async () => {
    const command = join(folder, 'node_modules/.bin/cellstorm');
    const flags = ['--scene', 'pile', '--count', '100', '--steps', '10', '--backend', 'cpu', '--json'];
    const { stdout } = await run(command, ['simulate', ...flags], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ scene: 'pile' });
  });

  test('has correct exports and types, according to publint and attw', async () => {
    const { buffer } = new Uint8Array(await readFile(tarball));
    const { messages } = await publint({ pack: { tarball: buffer } });
    expect(messages).toEqual([]);
    const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    // attw exits with 1 if it finds a problem.
    const checked = await run(process.execPath, [attw, tarball, '--profile', 'esm-only', '--no-color']);
    expect(checked.stdout).toContain('"cellstorm/cpu"');
  });

  test('takes at most 860 kB when packed, and includes the page of the command verify', async () => {
    const page = 'node_modules/cellstorm/dist/verify-page/verify.html';
    expect(existsSync(join(folder, page)), page).toBe(true);
    expect((await stat(tarball)).size).toBeLessThanOrEqual(860_000);
  });

  test('documents what its entries export and inherit, and nothing else', async () => {
    const types = join(folder, 'node_modules/cellstorm/dist/types');
    const declared = (file: string) => readFile(join(types, `${file}.d.ts`), 'utf8');
    expect(await declared('engine/radix-sort')).toContain('/** Records the sort.');
    expect(await declared('cpu/boxes/finder')).toContain('/** Returns the number of overlapping pairs. */');
    expect(await declared('engine/queries/list-search')).toContain('/** Bytes of GPU memory. */');
    expect(await declared('core/base/constants')).not.toContain('/**');
  });

  test('contains every file that its documents link to', async () => {
    const installed = join(folder, 'node_modules/cellstorm');
    const documents = (await readdir(installed, { recursive: true })).filter((file) => file.endsWith('.md'));
    expect(documents).toContain('README.md');
    for (const document of documents) {
      const text = await readFile(join(installed, document), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
        if (/^https?:/.test(target)) continue;
        const path = join(installed, dirname(document), target);
        expect(existsSync(path), `${document} links to ${target}`).toBe(true);
      }
    }
  });

  test('has no runtime dependencies', async () => {
    const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.peerDependenciesMeta).toEqual({ webgpu: { optional: true } });
  });
});

/** Returns the bytes that a page loads, after gzip, without chunks that it imports later. */
async function bundle(entry: string, name: string): Promise<number> {
  const input = join(folder, `${name}.js`);
  await writeFile(input, `import { ${name} } from '${entry}'; globalThis.used = ${name};`);
  const built = (await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: { write: false, modulePreload: false, rolldownOptions: { input } },
  })) as Rolldown.RolldownOutput;
  const chunks = built.output.filter((file) => file.type === 'chunk');
  const loaded = new Set<string>();
  const load = (fileName: string) => {
    if (loaded.has(fileName)) return;
    loaded.add(fileName);
    for (const imported of chunks.find((chunk) => chunk.fileName === fileName)?.imports ?? []) load(imported);
  };
  load(chunks.find((chunk) => chunk.isEntry)?.fileName ?? '');
  const loadedChunks = chunks.filter((chunk) => loaded.has(chunk.fileName));
  return loadedChunks.reduce((bytes, { code }) => bytes + gzipSync(code, { level: 9 }).length, 0);
}

describe('a page that imports', () => {
  test.each([
    ['cellstorm', 'createSimulation', 65_000],
    ['cellstorm', 'HashGrid', 58_000],
    ['cellstorm', 'requestGpu', 6_000],
    // 4 kB of this limit are for several threads.
    ['cellstorm/cpu', 'createCpuGrid', 24_000],
    ['cellstorm/cpu', 'createCpuLevelGrid', 20_000],
    ['cellstorm/fluid', 'createFluid', 98_000],
  ])('from %s only %s loads at most %i bytes', async (entry, name, most) => {
    const bytes = await bundle(entry, name);
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThanOrEqual(most);
  });
});
