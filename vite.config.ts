/** The pages: `npm start` serves them, the build puts them in dist/page, where they work from any sub-path. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { commitOf } from './src/cli/commit.ts';

const PAGES = ['index.html', 'explainer.html', 'bench.html'];

/**
 * An entry of its own, which shares the engine with the other pages: as a worker of Vite's it would be bundled apart, with
 * all of the engine once more.
 */
const BENCH_WORKER = 'bench/page/worker.ts';
const BUILT_BENCH_WORKER = 'assets/bench-worker.js';

/** Written by builds, tests and benchmarks: nothing that an open page should reload for. */
const NO_SOURCE = ['**/dist/**', '**/bench/results/**', '**/tests/**', '**/coverage/**'];

/**
 * Shaders of the built page without comments and indentation, which are 40% of their compressed size. Lines stay where they
 * are, so that messages name the right ones.
 */
const stripShaders: Plugin = {
  name: 'strip-shaders',
  apply: 'build',
  enforce: 'pre',
  async load(id) {
    const [file = '', query] = id.split('?');
    if (query !== 'raw' || !file.endsWith('.wgsl')) return undefined;
    const text = await readFile(file, 'utf8');
    const code = text.replace(/\/\/.*$/gm, '').replace(/^[ \t]+|[ \t]+$/gm, '');
    return `export default ${JSON.stringify(code)};`;
  },
};

/** Indents of the pages' markup, none of which is seen: 330 bytes of what visitors load, compressed. */
const stripIndents: Plugin = {
  name: 'strip-indents',
  apply: 'build',
  transformIndexHtml: { order: 'post', handler: (html) => html.replace(/^ +/gm, '') },
};

export default defineConfig(({ command }) => ({
  plugins: [stripShaders, stripIndents],
  base: './',
  // Where the page finds its worker, from itself; what its records are of.
  define: {
    BUILT_COMMIT: JSON.stringify(commitOf() ?? ''),
    BENCH_WORKER: JSON.stringify(`./${command === 'serve' ? BENCH_WORKER : BUILT_BENCH_WORKER}`),
  },
  // A path without a file is an error, not the page.
  appType: 'mpa',
  server: { host: '127.0.0.1', watch: { ignored: NO_SOURCE } },
  preview: { host: '127.0.0.1' },
  // All dependencies of the page are plain modules; a late discovery would reload it.
  optimizeDeps: { noDiscovery: true, include: [] },
  build: {
    outDir: 'dist/page',
    target: 'es2022',
    // Where browsers know no preloading, the page loads without.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: [...PAGES, BENCH_WORKER].map((file) => fileURLToPath(new URL(file, import.meta.url))),
      output: {
        // Constants stay constants, which V8 takes into its code: src/cpu/equal/plane-window.ts is written for that.
        topLevelVar: false,
        // What all pages share as one file: compressed, small ones are larger together than one.
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              test: /src\/(core\/base\/errors|page\/support\/(dom|appearance|character-keys|hints|format|save))\.ts$/,
            },
          ],
        },
        // A page must know it by name.
        entryFileNames: ({ facadeModuleId }) =>
          facadeModuleId?.endsWith(BENCH_WORKER) ? BUILT_BENCH_WORKER : 'assets/[name]-[hash:6].js',
        // Names are said in many files and are not to be compressed: six characters tell two builds apart as well as eight.
        chunkFileNames: 'assets/[name]-[hash:6].js',
        assetFileNames: 'assets/[name]-[hash:6][extname]',
      },
    },
  },
}));
