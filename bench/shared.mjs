import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Bundles the current sources and imports the bundle, because a development server's modules run slower. `entries` maps
 * names to files relative to the root.
 */
export async function bundle(entries) {
  const outDir = await mkdtemp(join(tmpdir(), 'cellstorm-bench-'));
  // Deletes the bundle only at the exit, because it loads some of its parts late.
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  await build({
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: false,
      minify: false,
      target: 'es2022',
      lib: {
        entry: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(ROOT, file)])),
        formats: ['es'],
      },
      rolldownOptions: {
        output: {
          entryFileNames: '[name].mjs',
          chunkFileNames: '[name].mjs',
          // Constants stay `const` as in the published build, so that V8 inlines them.
          topLevelVar: false,
        },
      },
    },
  });
  const load = async (name) => [
    name,
    await import(/* @vite-ignore */ pathToFileURL(join(outDir, `${name}.mjs`)).href),
  ];
  return Object.fromEntries(await Promise.all(Object.keys(entries).map(load)));
}

export function median(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half] + sorted[half - 1]) / 2;
}

export function round(value) {
  return Number(value.toPrecision(3));
}

/** Returns the commit; undefined if there is no git or no repository. */
export function commitOf() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}
