/** Serves the built documentation on the development server, so that the pages' links to it work. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const FOLDER = fileURLToPath(new URL('../dist/page/docs/', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};
const MISSING = 'The documentation has no such page, or is not built. Run `npm run docs`, then reload.\n';

export const serveDocs: Plugin = {
  name: 'serve-docs',
  apply: 'serve',
  configureServer: ({ middlewares }) => void middlewares.use('/docs', answerFrom(FOLDER)),
};

/** Returns a function that answers with files of this folder, or says how to build them. */
export function answerFrom(folder: string) {
  return async ({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const found = await readAddress(folder, url).catch(() => undefined);
    response.statusCode = found ? 200 : 404;
    response.setHeader('Content-Type', (found && TYPES[extname(found.path)]) ?? 'text/plain');
    response.end(found?.content ?? MISSING);
  };
}

/** Rejects if there is no such file, or if the address has broken escapes such as %ff. */
async function readAddress(folder: string, url: string) {
  // `normalize` keeps a path that begins with a slash from leaving the folder.
  const path = normalize(decodeURIComponent(new URL(url, 'http://page').pathname));
  return { path, content: await readFile(join(folder, path)) };
}
