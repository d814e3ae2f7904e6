/** The package as users install it: its declarations resolve, its modules load, and it contains nothing else. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDeclarations, buildLibrary } from '../../../scripts/build';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript-7/bin/tsc');
const run = promisify(execFile);

const USER_CODE = `
import { ArgumentError, requestGpu } from 'cellstorm';
import type { FoundPairs, Gpu, GpuRequest } from 'cellstorm';
import type { FoundPairs as FoundOnCpu } from 'cellstorm/cpu';
import * as cpu from 'cellstorm/cpu';
import { createFlock, type FlockOptions } from 'cellstorm/flock';
import { createCpuFluid, createFluid } from 'cellstorm/fluid';
import type { Fluid } from 'cellstorm/fluid';
import { createPositionFluid, type PositionFluidOptions } from 'cellstorm/pbf';

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
export { cpu, createCpuFluid };
`;

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cellstorm-user-'));
  const installed = join(folder, 'node_modules/cellstorm');
  await mkdir(installed, { recursive: true });
  await cp(join(ROOT, 'package.json'), join(installed, 'package.json'));
  await buildLibrary(join(installed, 'dist'));
  await buildDeclarations(join(installed, 'dist/types'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'user.ts'), USER_CODE);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function compile(module: string, moduleResolution: string, extra: object = {}): Promise<string> {
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
  return run(process.execPath, [TSC, '-p', path], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout || String(error),
  );
}

describe('the package', () => {
  test.each([
    ['esnext', 'bundler'],
    ['nodenext', 'nodenext'],
  ])('has declarations for "module": "%s", "moduleResolution": "%s"', async (module, moduleResolution) => {
    expect(await compile(module, moduleResolution)).toBe('');
  });

  test('has declarations that are compatible with @webgpu/types', async () => {
    await mkdir(join(folder, 'node_modules/@webgpu'), { recursive: true });
    await symlink(join(ROOT, 'node_modules/@webgpu/types'), join(folder, 'node_modules/@webgpu/types'));
    expect(await compile('esnext', 'bundler', { types: ['@webgpu/types'], skipLibCheck: true })).toBe('');
  });

  test('loads in plain Node, without a GPU', async () => {
    const code = `
      const [gpu, cpu] = await Promise.all([import('cellstorm'), import('cellstorm/cpu')]);
      const [flock, pbf] = await Promise.all([import('cellstorm/flock'), import('cellstorm/pbf')]);
      const { createCpuFluid } = await import('cellstorm/fluid');
      const { count } = createCpuFluid({ dimensions: 2, cells: [4, 4], cellSize: 1 });
      console.log(typeof gpu.requestGpu, typeof cpu, typeof flock.createFlock, typeof pbf.createPositionFluid, count);
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder });
    expect(stdout.trim()).toBe('function object function function 0');
  });

  test('imports no other package, nothing of Node and no page', async () => {
    const dist = join(folder, 'node_modules/cellstorm/dist');
    const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.js'));
    expect(files).toEqual(expect.arrayContaining(['index.js', 'cpu.js', 'fluid.js', 'flock.js', 'pbf.js']));
    // Bundlers may turn constants into `var`, which V8 would look up at every test of a pair.
    const texts = await Promise.all(files.map((file) => readFile(join(dist, file), 'utf8')));
    expect(texts.filter((text) => /^const windowKeys = /m.test(text))).toHaveLength(1);
    for (const file of files) {
      const code = await readFile(join(dist, file), 'utf8');
      const imported = [...code.matchAll(/^(?:import|export)\b.*?\bfrom ["']([^"']+)["']/gm)];
      for (const [, specifier] of imported) expect(specifier, file).toMatch(/^\.\.?\//);
      // Comments may name files and parts of the engine.
      const instructions = code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      expect(instructions, file).not.toMatch(/\b(?:require\(|process\.|document\.|window\.)/);
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
