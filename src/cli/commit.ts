/** Finds the commit of a checkout. A trailing + in the result means that tracked files differ from this commit. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Reads the file COMMIT of a benchmark pack. Without that file, asks git. Returns undefined if git does not track the
 * package, for example because it is installed.
 */
export function commitOf(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  const packed = join(folder, 'COMMIT');
  if (existsSync(packed)) return readFileSync(packed, 'utf8').trim() || undefined;
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    git('ls-files', '--error-unmatch', 'package.json');
    const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
  } catch {
    return undefined;
  }
}
