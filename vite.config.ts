/** The page: `npm start` serves it, the build puts it in dist/page, where it works from any sub-path. */
import { defineConfig } from 'vite';

/** Written by builds, tests and benchmarks: nothing that an open page should reload for. */
const NO_SOURCE = ['**/dist/**', '**/bench/results/**', '**/tests/**', '**/coverage/**'];

export default defineConfig({
  base: './',
  // A path without a file is an error, not the page.
  appType: 'mpa',
  server: { host: '127.0.0.1', watch: { ignored: NO_SOURCE } },
  preview: { host: '127.0.0.1' },
  // All dependencies of the page are plain modules; a late discovery would reload it.
  optimizeDeps: { noDiscovery: true, include: [] },
  build: { outDir: 'dist/page', target: 'es2022' },
});
