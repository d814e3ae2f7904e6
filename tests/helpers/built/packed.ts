/** Builds the modules and the pages, and installs the package in a project, once per test run. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildDeclarations, buildModules, buildPages } from '../../../scripts/build';
import { oncePerRun } from './once-per-run';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const WARNINGS = 'warnings.txt';
const TARBALL = 'cellstorm.tgz';
const run = promisify(execFile);

function npm(folder: string, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return run('npm', args, { cwd: folder });
}

/** Returns the folder of the built library and command. */
export const builtModules = (): Promise<string> => oncePerRun('modules', buildModules);

/** Returns a folder with the built pages in page/ and verify-page/. */
export const builtPages = (): Promise<string> => oncePerRun('pages', buildPages);

export interface Installed {
  readonly tarball: string;
  /** Warnings of `npm install`. */
  readonly warnings: string;
}

/** Copies into `folder` a project that has installed the packed package and nothing else. */
export async function installInto(folder: string): Promise<Installed> {
  const installed = await oncePerRun('installed', install);
  for (const part of ['package.json', 'node_modules']) {
    await cp(join(installed, part), join(folder, part), { recursive: true, verbatimSymlinks: true });
  }
  return {
    tarball: join(installed, TARBALL),
    warnings: await readFile(join(installed, WARNINGS), 'utf8'),
  };
}

async function install(folder: string): Promise<void> {
  const tarball = await pack(join(folder, 'staged'));
  await cp(tarball, join(folder, TARBALL));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const { stderr } = await npm(folder, 'install', '--offline', '--no-audit', '--no-fund', tarball);
  await writeFile(join(folder, WARNINGS), stderr);
}

/** Returns the path of the tarball. */
async function pack(staged: string): Promise<string> {
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  const copied = files.filter((file) => !file.startsWith('!') && !file.startsWith('dist'));
  for (const file of ['package.json', 'README.md', 'LICENSE', ...copied]) {
    await mkdir(dirname(join(staged, file)), { recursive: true });
    await cp(join(ROOT, file), join(staged, file), { recursive: true });
  }
  const dist = join(staged, 'dist');
  const [modules, pages] = await Promise.all([
    builtModules(),
    builtPages(),
    buildDeclarations(join(dist, 'types')),
  ]);
  for (const built of [modules, pages]) await cp(built, dist, { recursive: true });
  const { stdout } = await npm(staged, 'pack', '--ignore-scripts', '--json');
  const [tarball] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  if (tarball === undefined) throw new Error('npm pack wrote no tarball.');
  return join(staged, tarball.filename);
}
