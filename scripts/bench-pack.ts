/**
 * Purpose: `npm run bench:pack`: the benchmark as one folder that runs by one command on a machine with a GPU driver and
 * nothing else, and an archive of it. Outputs: dist/bench-pack/cellstorm-bench/ and dist/bench-pack/cellstorm-bench.tar.gz.
 * `--xz`: a smaller .tar.xz instead, which takes minutes. Linux on x86-64 only: what is packed is what runs this.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PEER_PACKAGES } from '../bench/peers/packages';
import { commitOf } from '../src/cli/commit';
import { buildCli } from './build';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACK = join(ROOT, 'dist/bench-pack');
export const PACK_NAME = 'cellstorm-bench';

const MOST_BYTES = 60 * 2 ** 20;

/** The only system that is packed for, as Dawn's package calls it. */
const DAWN_FOLDER = 'dist/linux-x64';

/** Looked for on this machine, and used on the other only where it has none: a folder for those that belong together. */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  vulkan: ['libvulkan.so.1'],
  cxx: ['libstdc++.so.6', 'libgcc_s.so.1'],
};
const LIBRARY_FOLDERS = [
  '/usr/lib/x86_64-linux-gnu',
  '/lib/x86_64-linux-gnu',
  '/usr/lib64',
  '/usr/lib',
  '/lib64',
];

/** What run.sh compiles where there is a compiler for it. */
export const NATIVE_SOURCES = ['grid.cu', 'grid.cuh'] as const;

/** Of a package nothing that only its authors or a compiler need. */
const LEFT_OUT = /(\.map|\.ts|\.mts|\.cts)$|\/(tests?|examples?|demos?|docs?|bench|\.github)(\/|$)/;

/** Whether a file of the package `webgpu` is needed: the binaries of one system are, and what loads them. */
export function isNeededOfDawn(path: string): boolean {
  if (LEFT_OUT.test(`/${path}`) || path.startsWith('build')) return false;
  return !path.startsWith('dist/') || path === DAWN_FOLDER || path.startsWith(`${DAWN_FOLDER}/`);
}

/** Packages and all that they depend on, as they lie flat in node_modules. */
export function withDependencies(
  names: readonly string[],
  dependenciesOf: (name: string) => readonly string[],
): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const dependency of dependenciesOf(name)) visit(dependency);
  };
  for (const name of names) visit(name);
  return [...found].sort();
}

function dependenciesOf(name: string): string[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  return Object.keys(manifest.dependencies ?? {});
}

function copyPackage(name: string, target: string, isNeeded: (path: string) => boolean): void {
  const from = join(ROOT, 'node_modules', name);
  cpSync(from, join(target, name), {
    recursive: true,
    dereference: true,
    filter: (source) => source === from || isNeeded(source.slice(from.length + 1)),
  });
}

/** Symbols are half of some binaries, and nobody debugs here. */
function strip(path: string): void {
  try {
    execFileSync('strip', ['--strip-unneeded', path], { stdio: 'ignore' });
  } catch {
    process.stderr.write(`There is no strip: ${basename(path)} stays as large as it is.\n`);
  }
}

export async function pack(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const app = join(folder, 'app');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  await buildCli(app, false);
  // Dynamic imports of it are relative, and it is no package of anybody's.
  writeFileSync(join(app, 'package.json'), '{ "type": "module", "private": true }\n');
  writeFileSync(join(app, 'COMMIT'), `${commitOf() ?? ''}\n`);
  const modules = join(app, 'node_modules');
  copyPackage('webgpu', modules, isNeededOfDawn);
  strip(join(modules, 'webgpu', DAWN_FOLDER, 'dawn.node'));
  for (const name of withDependencies(PEER_PACKAGES, dependenciesOf)) {
    copyPackage(name, modules, (path) => !LEFT_OUT.test(`/${path}`));
  }
  const node = join(folder, 'bin/node');
  copyFileSync(realpathSync(process.execPath), node);
  chmodSync(node, 0o755);
  strip(node);
  for (const [group, names] of Object.entries(LIBRARIES)) {
    const paths = names.map((name) => LIBRARY_FOLDERS.map((place) => join(place, name)).find(existsSync));
    if (!paths.every((path) => path !== undefined)) {
      process.stderr.write(`Not packed, since this machine has it not: ${names.join(', ')}.\n`);
      continue;
    }
    mkdirSync(join(folder, 'lib', group), { recursive: true });
    for (const path of paths) copyFileSync(realpathSync(path), join(folder, 'lib', group, basename(path)));
  }
  mkdirSync(join(folder, 'native'));
  for (const name of NATIVE_SOURCES) {
    copyFileSync(join(ROOT, 'bench/native', name), join(folder, 'native', name));
  }
  for (const name of ['run.sh', 'README.txt']) {
    copyFileSync(join(ROOT, 'scripts/bench-pack', name), join(folder, name));
  }
  chmodSync(join(folder, 'run.sh'), 0o755);
}

function sizeOf(path: string): number {
  const about = lstatSync(path);
  if (!about.isDirectory()) return about.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    process.stderr.write(
      `This machine is ${process.platform} on ${process.arch}, but what is packed runs on linux on x64 and must be packed there.\n`,
    );
    process.exit(1);
  }
  const folder = join(PACK, PACK_NAME);
  await pack(folder);
  for (const name of readdirSync(folder)) {
    process.stdout.write(`${name.padEnd(12)} ${mebibytes(sizeOf(join(folder, name))).padStart(10)}\n`);
  }
  const isSmaller = process.argv.includes('--xz');
  const archive = `${folder}.tar.${isSmaller ? 'xz' : 'gz'}`;
  rmSync(archive, { force: true });
  execFileSync('tar', [isSmaller ? '-cJf' : '-czf', archive, '-C', dirname(folder), PACK_NAME], {
    stdio: 'inherit',
    env: { ...process.env, XZ_OPT: '-T0' },
  });
  const bytes = statSync(archive).size;
  process.stdout.write(`${archive}: ${mebibytes(bytes)} of at most ${mebibytes(MOST_BYTES)}\n`);
  if (bytes > MOST_BYTES) process.exit(1);
}
