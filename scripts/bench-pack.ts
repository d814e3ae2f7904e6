/**
 * `npm run bench:pack`: packs the benchmark, with this machine's binaries, into a folder in dist/bench-pack/ and an
 * archive beside that folder. Runs only on Linux on x86-64. `--xz` makes a smaller archive, but takes minutes.
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
import { buildModules } from './build';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACK = join(ROOT, 'dist/bench-pack');
const PACK_NAME = 'cellstorm-bench';

const MOST_BYTES = 60 * 2 ** 20;

const DAWN_FOLDER = 'dist/linux-x64';

/** Libraries of this machine. Another machine uses a group only if it lacks one of the group's files. */
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

/** run.sh compiles these if it finds a CUDA compiler. */
export const NATIVE_SOURCES = ['grid.cu', 'grid.cuh'] as const;

/** Benchmarks that `cellstorm bench` does not run. They are packed as modules of their own. */
const SCRIPTS = { step: join(ROOT, 'bench/gpu-step.ts'), liquid: join(ROOT, 'bench/fluid.ts') };

/** Files that are not needed to run a package. */
const LEFT_OUT = /(\.map|\.ts|\.mts|\.cts)$|\/(tests?|examples?|demos?|docs?|bench|\.github)(\/|$)/;

export function isNeededOfDawn(path: string): boolean {
  if (LEFT_OUT.test(`/${path}`) || path.startsWith('build')) return false;
  return !path.startsWith('dist/') || path === DAWN_FOLDER || path.startsWith(`${DAWN_FOLDER}/`);
}

/** Returns the names with the names of all their dependencies. node_modules must be flat. */
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

/** Removes symbols, which are half of some binaries. */
function strip(path: string): void {
  try {
    execFileSync('strip', ['--strip-unneeded', path], { stdio: 'ignore' });
  } catch {
    process.stderr.write(
      `The command strip is missing or failed, so ${basename(path)} keeps its full size.\n`,
    );
  }
}

export async function pack(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const app = join(folder, 'app');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  await buildModules(app, SCRIPTS);
  // Node needs this type to run the .js files of the app as ES modules.
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
    const paths = names.map((name) =>
      LIBRARY_FOLDERS.map((searched) => join(searched, name)).find(existsSync),
    );
    if (!paths.every((path) => path !== undefined)) {
      process.stderr.write(
        `Not packed: ${names.join(', ')}. This machine lacks at least one of these libraries.\n`,
      );
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
      `This machine is ${process.platform} on ${process.arch}, but the pack runs on linux on x64 and must be made there.\n`,
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
