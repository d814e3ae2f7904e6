// @ts-check
/** Runs a TypeScript file, also on a Node without type stripping: `node scripts/run.mjs FILE [argument…]`. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import './register.mjs';

const [file, ...rest] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('FILE is missing. Usage: node scripts/run.mjs FILE [argument…]\n');
  process.exit(2);
}
const path = resolve(file);
process.argv = [process.argv[0] ?? 'node', path, ...rest];
await import(pathToFileURL(path).href);
