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
    // `normalize` keeps a path that begins with a slash from leaving the folder.
    const path = normalize(decodeURIComponent(new URL(url, 'http://page').pathname));
    const content = await readFile(join(folder, path)).catch(() => undefined);
    response.statusCode = content ? 200 : 404;
    response.setHeader('Content-Type', (content && TYPES[extname(path)]) ?? 'text/plain');
    response.end(content ?? MISSING);
  };
}
