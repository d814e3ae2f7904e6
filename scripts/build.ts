/**
 * Builds everything that ships: `npm run build`. Must be quick, because npm also runs it after `npm ci` (script
 * `dependencies`) and before it packs. The script is not `prepare`, because npm would then print a warning to users.
 * Outputs, in dist/:
 *   - index.js, cpu.js, fluid.js, flock.js, pbf.js, node.js and testing.js: the library
 *   - cli.js: the command, for Node
 *   - cpu/thread.js: the script of the CPU engine's workers
 *   - a file per module that these import
 *   - types/: the library's declarations
 *   - THIRD_PARTY.md: licences of bundled packages
 *   - page/: the pages, and in docs/ the documentation
 *   - verify-page/: the page verify.html alone, which `cellstorm verify --browser` serves
 */
import { spawn } from 'node:child_process';
import { chmod, cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type InlineConfig, minify, type Plugin } from 'vite';
import { PEER_PACKAGES } from '../bench/peers/packages';
import { stripDeclarations } from './strip-declarations';
import { stripShaders } from './strip-shaders';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TARGET = 'es2022';

async function buildAll(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  await Promise.all([
    buildModules(outDir),
    buildDeclarations(join(outDir, 'types')),
    buildPages(outDir),
    buildDocs(join(outDir, 'page/docs')),
  ]);
}

/** The entries that package.json exports. */
export const LIBRARY = {
  index: 'src/index.ts',
  cpu: 'src/cpu/index.ts',
  fluid: 'src/methods/fluid/index.ts',
  flock: 'src/methods/flock/index.ts',
  pbf: 'src/methods/pbf/index.ts',
  // For Node only. Built together with the other entries, so that all entries share the same error classes.
  node: 'src/node/index.ts',
  testing: 'src/testing/index.ts',
} as const;
const COMMAND = join(ROOT, 'bench/cli/main.ts');

const OF_COMMAND = ['bench/', 'src/cli/', 'src/verify/'].map((folder) => join(ROOT, folder));

/**
 * Shortens the modules of the command, to keep the package small. Users do not import them. Expressions stay as they
 * are, so that the benchmark's engines run the code that was written.
 */
const minifyCommand: Plugin = {
  name: 'minify-command',
  // Use this hook, because Vite adds white space after the earlier hooks.
  async generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk' || chunk.facadeModuleId === COMMAND) continue;
      if (!OF_COMMAND.some((folder) => chunk.facadeModuleId?.startsWith(folder))) continue;
      const { code, errors } = await minify(chunk.fileName, chunk.code, { compress: false, mangle: true });
      const [error] = errors;
      if (error) throw new Error(`${chunk.fileName} could not be minified: ${error.message}`);
      chunk.code = code;
    }
  },
};

/**
 * Writes the addresses of workers as users' bundlers expect them, so that these bundle the worker's file. In the
 * sources, the comment `@vite-ignore` keeps Vite from bundling that file here.
 */
const addressWorkers: Plugin = {
  name: 'address-workers',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code.replace(
        /new URL\(\s*\/\* @vite-ignore \*\/\s*("[^"]+"),\s*import\.meta\.url\s*\)/g,
        'new URL($1, import.meta.url)',
      );
    }
  },
};

/**
 * Builds the library and the command, as one file per source module. So bundlers can leave out every module that a
 * program does not use, and the command shares its modules with the library. `scripts` are further entries.
 */
export async function buildModules(
  outDir: string,
  scripts: Readonly<Record<string, string>> = {},
): Promise<void> {
  await build({
    ...quiet(outDir),
    plugins: [stripShaders, minifyCommand, addressWorkers],
    build: {
      ...quiet(outDir).build,
      target: TARGET,
      license: { fileName: 'THIRD_PARTY.md' },
      lib: {
        entry: {
          ...Object.fromEntries(Object.entries(LIBRARY).map(([name, file]) => [name, join(ROOT, file)])),
          cli: COMMAND,
          // The script of the CPU engine's workers, which no module imports.
          'cpu/thread': join(ROOT, 'src/cpu/thread.ts'),
          'verify-page/worker': join(ROOT, 'src/verify-page/worker.ts'),
          ...scripts,
        },
        formats: ['es'],
      },
      rolldownOptions: {
        // Do not warn that the plugin which strips shaders takes long.
        checks: { pluginTimings: false },
        // The benchmark's packages are not bundled: users install those that they want.
        external: ['webgpu', 'vite', 'puppeteer', ...PEER_PACKAGES, /^node:/],
        output: {
          preserveModules: true,
          // Leave out TSDoc, which the declarations have.
          comments: { jsdoc: false, legal: true, annotation: true },
          preserveModulesRoot: join(ROOT, 'src'),
          // npm packs no folder named node_modules.
          entryFileNames: ({ name }) => `${name.replaceAll('node_modules', 'packages')}.js`,
          // Constants stay `const`, so that V8 inlines them; src/cpu/equal/plane-window.ts depends on that.
          topLevelVar: false,
          banner: ({ facadeModuleId }) => (facadeModuleId === COMMAND ? '#!/usr/bin/env node' : ''),
        },
      },
    },
  });
  await chmod(join(outDir, 'cli.js'), 0o755);
}

export async function buildPages(outDir: string): Promise<void> {
  const page = join(outDir, 'page');
  await build({
    root: ROOT,
    configFile: join(ROOT, 'vite.config.ts'),
    logLevel: 'warn',
    // Do not empty the folder: the documentation is written into it at the same time.
    build: { outDir: page, emptyOutDir: false },
  });
  await copyVerifyPage(page, join(outDir, 'verify-page'));
}

/** Copies verify.html and what it loads. The worker of the copy loads the modules of the package. */
export async function copyVerifyPage(from: string, to: string): Promise<void> {
  const page = 'verify.html';
  const linked = [...(await readFile(join(from, page), 'utf8')).matchAll(/"\.\/(assets\/[^"]+)"/g)];
  const assets = await readdir(join(from, 'assets'));
  for (const file of [page, ...linked.map(([, name = '']) => name)])
    await cp(join(from, file), join(to, file));
  const worker = assets.find((name) => name.startsWith('verify-worker-'));
  await writeFile(join(to, `assets/${worker}`), "import '../worker.js';\n");
}

/** Runs in its own process, to not block the other builds for seconds. `npm run docs` checks the documentation. */
async function buildDocs(outDir: string): Promise<void> {
  await run(process.execPath, [
    join(ROOT, 'scripts/run.mjs'),
    join(ROOT, 'scripts/docs.ts'),
    outDir,
    '--unchecked',
  ]);
}

/** Builds the declarations. "moduleResolution": "nodenext" needs relative imports that end in `.js`. */
export async function buildDeclarations(outDir: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  await run(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', outDir]);
  const files = (await readdir(outDir, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
  await Promise.all(files.map((file) => completeImports(join(outDir, file))));
  const entries = Object.values(LIBRARY).map((file) => file.replace(/^src\/|\.ts$/g, ''));
  await stripDeclarations(outDir, entries);
}

/** The compiler writes `from './x'`, `import('./x')` or `import './x'`. */
const RELATIVE_IMPORT = /(\bfrom |\bimport\(|^import )(['"])(\.{1,2}(?:\/[^'"]*)?)\2/gm;

async function completeImports(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  const complete = new Map<string, string>();
  for (const [, , , specifier] of text.matchAll(RELATIVE_IMPORT)) {
    if (specifier === undefined || specifier.endsWith('.js')) continue;
    const target = resolve(dirname(file), specifier);
    const isModule = (await stat(`${target}.d.ts`).catch(() => undefined))?.isFile() ?? false;
    complete.set(specifier, isModule ? `${specifier}.js` : `${specifier}/index.js`);
  }
  await writeFile(
    file,
    text.replace(
      RELATIVE_IMPORT,
      (_, before: string, quote: string, specifier: string) =>
        `${before}${quote}${complete.get(specifier) ?? specifier}${quote}`,
    ),
  );
}

function quiet(outDir: string): InlineConfig & { build: NonNullable<InlineConfig['build']> } {
  return {
    root: ROOT,
    configFile: false,
    plugins: [stripShaders],
    publicDir: false,
    logLevel: 'warn',
    build: { outDir, emptyOutDir: false, minify: false },
  };
}

function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', fail);
    child.once('exit', (code) => (code === 0 ? done() : fail(new Error(`${command} exited with ${code}.`))));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll(join(ROOT, 'dist'));
