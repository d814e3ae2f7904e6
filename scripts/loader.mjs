// @ts-check
/**
 * Module hooks with which Node imports this project's TypeScript. They remove types and resolve imports as the bundler
 * does: paths without an extension, index files, `?raw` text, and JSON as named exports. Tests use these hooks instead
 * of Vite's module runner, which is slower because it replaces every import by a getter.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const CACHE = new URL('../node_modules/.cache/cellstorm/', import.meta.url);
const ENDINGS = ['.ts', '/index.ts'];
const PROJECT = new URL('../', import.meta.url).href;
const PACKAGES = `${PROJECT}node_modules/`;

/** The compiler's name and version, which are part of cache keys. */
let compiler = '';

/** @type {import('node:module').InitializeHook<{ compiler: string }>} */
export async function initialize(data) {
  compiler = data.compiler;
  await mkdir(CACHE, { recursive: true }).catch(() => undefined);
}

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, next) {
  // The address of a worker names the `.js` file of the package. Load its source instead.
  if (specifier.endsWith('.js') && isProjectFile(specifier) && !existsSync(fileURLToPath(specifier))) {
    const source = specifier.replace(/\.js$/, '.ts');
    if (existsSync(fileURLToPath(source))) return { url: source, shortCircuit: true };
  }
  if (specifier.startsWith('.') && isProjectFile(context.parentURL)) {
    const url = new URL(specifier, context.parentURL);
    if (!url.search && !/\.\w+$/.test(url.pathname)) {
      for (const ending of ENDINGS) {
        const candidate = `${url.href}${ending}`;
        if (existsSync(fileURLToPath(candidate))) return { url: candidate, shortCircuit: true };
      }
    }
    if (url.search === '?raw') return { url: url.href, shortCircuit: true };
  }
  return next(specifier, context);
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!isProjectFile(url)) return next(url, context);
  const { pathname, search } = new URL(url);
  const path = decodeURIComponent(pathname);
  if (search === '?raw') return asModule(`export default ${JSON.stringify(await readFile(path, 'utf8'))};`);
  if (path.endsWith('.json')) return asModule(nameAll(JSON.parse(await readFile(path, 'utf8'))));
  if (path.endsWith('.ts')) return asModule(await compile(path));
  return next(url, context);
}

/** @param {string} source */
function asModule(source) {
  return { format: /** @type {const} */ ('module'), source, shortCircuit: true };
}

/** @param {Record<string, unknown>} values */
function nameAll(values) {
  const constants = Object.values(values).map(
    (value, index) => `const value${index} = ${JSON.stringify(value)};`,
  );
  const names = Object.keys(values).map((name, index) => `value${index} as ${JSON.stringify(name)}`);
  return `${constants.join('\n')}\nexport { ${names.join(', ')} };`;
}

/** @param {string | undefined} url */
function isProjectFile(url) {
  return url?.startsWith(PROJECT) === true && !url.startsWith(PACKAGES);
}

/**
 * Compiles a file. Caches the result, which ends with a hash of the compiler's version and the source.
 * @param {string} path
 */
async function compile(path) {
  const text = await readFile(path, 'utf8');
  const key = `//# ${hash(`${compiler}\0${text}`)}`;
  const cached = new URL(`${hash(path)}.mjs`, CACHE);
  const known = await readFile(cached, 'utf8').catch(() => '');
  if (known.endsWith(key)) return known;
  const { transformWithOxc } = await import('vite');
  const { code, map } = await transformWithOxc(text, path, { lang: 'ts', sourcemap: true, target: 'es2022' });
  const comment = Buffer.from(JSON.stringify(map)).toString('base64');
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${comment}\n${key}`;
  // Write under another name first: another process may be reading the file. If writing fails, cache nothing.
  const draft = new URL(`${hash(path)}.${process.pid}.tmp`, CACHE);
  await writeFile(draft, source)
    .then(() => rename(draft, cached))
    .catch(() => undefined);
  return source;
}

/** @param {string} text */
function hash(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
