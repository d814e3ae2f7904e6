/** `npm run example NAME` opens the page of an example, or runs the example in Node. `npm run example` lists all. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'examples');

export function exampleNames(): string[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

export const isPage = (name: string) => existsSync(join(FOLDER, name, 'index.html'));

async function run(name: string | undefined): Promise<number> {
  const names = exampleNames();
  if (name === undefined || !names.includes(name)) {
    const wrong = name === undefined ? '' : `There is no example "${name}". `;
    process.stdout.write(`${wrong}Examples: ${names.join(', ')}. Run one with: npm run example NAME\n`);
    return name === undefined ? 0 : 1;
  }
  if (!isPage(name)) {
    const { status } = spawnSync(
      process.execPath,
      [...(name.endsWith('-test') ? ['--test'] : []), join(FOLDER, name, 'main.js')],
      { stdio: 'inherit' },
    );
    return status ?? 1;
  }
  const server = await createServer({
    root: ROOT,
    configFile: join(ROOT, 'vite.config.ts'),
    server: { open: process.stdout.isTTY ? `/examples/${name}/` : false },
  });
  await server.listen();
  process.stdout.write(`${server.resolvedUrls?.local[0]}examples/${name}/\n`);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await run(process.argv[2]);
