/** Serves the pages (`npm start`) and builds them into dist/page, a static folder that works from any sub-path. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { serveDocs } from './scripts/serve-docs.ts';
import { stripShaders } from './scripts/strip-shaders.ts';
import { commitOf } from './src/cli/commit.ts';

const PAGES = ['index.html', 'explainer.html', 'bench.html', 'verify.html', 'lockstep.html'];

const PACKAGE = new URL('package.json', import.meta.url);

/**
 * The benchmark's worker is an entry of its own, so that it shares the engine's chunks with the pages. If Vite bundled
 * it as a worker, it would contain the whole engine again.
 */
const BENCH_WORKER = 'bench/page/worker.ts';
const BUILT_BENCH_WORKER = 'assets/bench-worker.js';

/**
 * The CPU engine's worker is an entry, too. The page also imports it, to learn its address and to run it in the page if
 * the browser cannot start workers.
 */
const CPU_WORKER = 'src/page/engines/cpu-worker.ts';
/**
 * Only the page's own chunk preloads the imports of parts that it loads later. Preloading needs a document, which
 * workers lack, and a worker may load any other chunk.
 */
const PRELOADS = /\/index-/;

/** Folders that builds, tests and benchmarks write to. An open page must not reload when they change. */
const NO_SOURCE = ['**/dist/**', '**/bench/results/**', '**/tests/**', '**/coverage/**'];

/** Removes the indentation of the pages' markup, 330 compressed bytes. */
const stripIndents: Plugin = {
  name: 'strip-indents',
  apply: 'build',
  transformIndexHtml: { order: 'post', handler: (html) => html.replace(/^ +/gm, '') },
};

export default defineConfig(({ command }) => ({
  plugins: [stripShaders, stripIndents, serveDocs],
  base: './',
  // Examples import the package by its name.
  resolve: {
    alias: [
      { find: /^cellstorm$/, replacement: '/src/index.ts' },
      { find: /^cellstorm\/(cpu|node|testing)$/, replacement: '/src/$1/index.ts' },
      { find: /^cellstorm\/(fluid|flock|pbf)$/, replacement: '/src/methods/$1/index.ts' },
    ],
  },
  // The version and commit, for records, and the worker's path relative to the page.
  define: {
    BUILT_VERSION: JSON.stringify(JSON.parse(readFileSync(PACKAGE, 'utf8')).version),
    BUILT_COMMIT: JSON.stringify(commitOf() ?? ''),
    BENCH_WORKER: JSON.stringify(`./${command === 'serve' ? BENCH_WORKER : BUILT_BENCH_WORKER}`),
  },
  // For a path without a file, return an error and not the page.
  appType: 'mpa',
  // The workers of verify.html and lockstep.html are one file each, so that the other pages load nothing of them.
  worker: {
    format: 'es',
    plugins: () => [stripShaders],
    rolldownOptions: {
      output: {
        codeSplitting: false,
        topLevelVar: false,
        entryFileNames: ({ facadeModuleId }) =>
          `assets/${facadeModuleId?.includes('/src/page/') ? 'lockstep' : 'verify'}-worker-[hash:6].js`,
      },
    },
  },
  server: { host: '127.0.0.1', watch: { ignored: NO_SOURCE } },
  preview: { host: '127.0.0.1' },
  // All dependencies of the page are plain modules, so Vite need not discover any. A late discovery would reload the
  // page.
  optimizeDeps: { noDiscovery: true, include: [] },
  build: {
    outDir: 'dist/page',
    target: 'es2022',
    // Browsers without module preloading load the page without it.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, parts, { hostId, hostType }) =>
        hostType === 'html' || PRELOADS.test(hostId) ? parts : [],
    },
    rolldownOptions: {
      // Do not warn about slow plugins: the one that builds the worker takes long.
      checks: { pluginTimings: false },
      // Replace each constant by its value, also long ones: 300 compressed bytes less.
      optimization: { inlineConst: { mode: 'all' } },
      input: [...PAGES, BENCH_WORKER, CPU_WORKER].map((file) =>
        fileURLToPath(new URL(file, import.meta.url)),
      ),
      output: {
        // Keep `const`: V8 inlines constants, and src/cpu/equal/plane-window.ts depends on that for its speed.
        topLevelVar: false,
        // Two chunks: the modules that all pages share, and the modules with which the playground draws. Each
        // compresses better than several small files.
        codeSplitting: {
          groups: [
            {
              name: 'draw',
              // The modules that these modules import stay in other chunks, from which other pages load them.
              // fields.ts and choices.ts use constants of method-fields.ts and limits.ts while they load. If these
              // constants were in another chunk that imports this one, they would be undefined when the worker starts.
              includeDependenciesRecursively: false,
              test: /src\/page\/(model\/(colour|overlays|fluid-colours|fields|method-fields|choices|checks|limits|scenes)|view\/(camera|frame))\.ts$/,
            },
            {
              name: 'shared',
              test: /src\/(core\/(base\/(errors|checks|constants)|world\/(world|limits|cells|grid-cells)|contact\/(settings|law)|particles\/(shapes|sizes)|obstacles\/(obstacles|tree))|scenes\/random|page\/support\/(dom|appearance|character-keys|hints|format|save|waiting|later))\.ts$/,
            },
          ],
        },
        // The page loads the worker by this name.
        entryFileNames: ({ facadeModuleId }) =>
          facadeModuleId?.endsWith(BENCH_WORKER) ? BUILT_BENCH_WORKER : 'assets/[name]-[hash:7].js',
        // Hashes appear in many files and do not compress; seven characters are enough to tell builds apart.
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
      },
    },
  },
}));
