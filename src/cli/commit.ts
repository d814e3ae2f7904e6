/**
 * Purpose: the commit of the checkout that a benchmark is run in, that its page was built from (vite.config.ts), or that it
 * was packed in (scripts/bench-pack.ts). With a + where files that belong to it were changed since.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Undefined of an installed package, whatever checkout it is installed in, and of a folder without history. */
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
