/** Serves the pages (`npm start`) and builds them into dist/page, a static folder that works from any sub-path. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { commitOf } from './src/cli/commit.ts';

const PAGES = ['index.html', 'explainer.html', 'bench.html'];

/**
 * The benchmark's worker is an entry of its own and shares the engine's chunks with the pages. A worker bundled by Vite would
 * contain the whole engine again.
 */
const BENCH_WORKER = 'bench/page/worker.ts';
const BUILT_BENCH_WORKER = 'assets/bench-worker.js';

/** Folders that builds, tests and benchmarks write to. An open page must not reload when they change. */
const NO_SOURCE = ['**/dist/**', '**/bench/results/**', '**/tests/**', '**/coverage/**'];

/**
 * Removes comments, indentation and spaces beside punctuation from the shaders of the built page, 40% of their compressed
 * size. Line numbers stay, so that compiler messages name the right lines.
 */
const stripShaders: Plugin = {
  name: 'strip-shaders',
  apply: 'build',
  enforce: 'pre',
  async load(id) {
    const [file = '', query] = id.split('?');
    if (query !== 'raw' || !file.endsWith('.wgsl')) return undefined;
    const text = await readFile(file, 'utf8');
    const code = text
      .replace(/\/\/.*$/gm, '')
      .replace(/^[ \t]+|[ \t]+$/gm, '')
      .replace(/ ?([{}(),;:]) ?/g, '$1');
    return `export default ${JSON.stringify(code)};`;
  },
};

/** Removes the indentation of the pages' markup, 330 compressed bytes. */
const stripIndents: Plugin = {
  name: 'strip-indents',
  apply: 'build',
  transformIndexHtml: { order: 'post', handler: (html) => html.replace(/^ +/gm, '') },
};

export default defineConfig(({ command }) => ({
  plugins: [stripShaders, stripIndents],
  base: './',
  // The commit that benchmark records name, and the worker's path relative to the page.
  define: {
    BUILT_COMMIT: JSON.stringify(commitOf() ?? ''),
    BENCH_WORKER: JSON.stringify(`./${command === 'serve' ? BENCH_WORKER : BUILT_BENCH_WORKER}`),
  },
  // A path without a file is an error, not the page.
  appType: 'mpa',
  server: { host: '127.0.0.1', watch: { ignored: NO_SOURCE } },
  preview: { host: '127.0.0.1' },
  // All dependencies of the page are plain modules. Discovering one late would reload the page.
  optimizeDeps: { noDiscovery: true, include: [] },
  build: {
    outDir: 'dist/page',
    target: 'es2022',
    // Browsers without module preloading load the page without it.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: [...PAGES, BENCH_WORKER].map((file) => fileURLToPath(new URL(file, import.meta.url))),
      output: {
        // Keep `const`: V8 inlines constants, and src/cpu/equal/plane-window.ts depends on that for its speed.
        topLevelVar: false,
        // One file each for the modules that all pages share and for what the playground draws with: they compress
        // better than several small files.
        codeSplitting: {
          groups: [
            {
              name: 'look',
              // Their imports stay where other pages find them.
              includeDependenciesRecursively: false,
              test: /src\/page\/(model\/(colour|overlays|fluid-look|fields|choices|checks)|view\/camera)\.ts$/,
            },
            {
              name: 'shared',
              test: /src\/(core\/base\/errors|page\/support\/(dom|appearance|character-keys|hints|format|save))\.ts$/,
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
