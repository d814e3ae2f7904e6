import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildDeclarations, buildModules, buildPages } from '../../scripts/build';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

function npm(folder: string, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return run('npm', args, { cwd: folder });
}

export interface Installed {
  readonly tarball: string;
  readonly warnings: string;
}

/** Packs the package and installs it into an empty project in `folder`. */
export async function installInto(folder: string): Promise<Installed> {
  const tarball = await packInto(folder);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const { stderr } = await npm(folder, 'install', '--offline', '--no-audit', '--no-fund', tarball);
  return { tarball, warnings: stderr };
}

async function packInto(folder: string): Promise<string> {
  const staged = join(folder, 'staged');
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  const copied = files.filter((file) => !file.startsWith('!') && !file.startsWith('dist'));
  for (const file of ['package.json', 'README.md', 'LICENSE', ...copied]) {
    await mkdir(dirname(join(staged, file)), { recursive: true });
    await cp(join(ROOT, file), join(staged, file), { recursive: true });
  }
  const dist = join(staged, 'dist');
  await Promise.all([buildModules(dist), buildDeclarations(join(dist, 'types')), buildPages(dist)]);
  const { stdout } = await npm(staged, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder);
  const [tarball] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  if (tarball === undefined) throw new Error('npm pack wrote no tarball.');
  return join(folder, tarball.filename);
}
