/** Makes a folder once per test run, in whichever process needs it first. The others wait for it. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that run-folder.mjs creates. */
    readonly runFolder: string;
  }
}

const POLL_MS = 50;

/** Returns the folder that `make` fills. Its users must not change it. `name` identifies what it holds. */
export async function oncePerRun(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('runFolder'), name);
  const [made, failed] = [`${folder}.made`, `${folder}.failed`];
  try {
    await mkdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    while (!existsSync(made)) {
      if (existsSync(failed)) throw new Error(`${name} was not made: ${await readFile(failed, 'utf8')}`);
      await sleep(POLL_MS);
    }
    return folder;
  }
  try {
    await make(folder);
    await writeFile(made, '');
  } catch (error) {
    await writeFile(failed, String(error));
    throw error;
  }
  return folder;
}
