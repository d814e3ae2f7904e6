/**
 * Takes the presets' pictures, src/page/presets/NAME.webp.
 *
 * Usage: node scripts/run.mjs scripts/presets.ts [NAME …]
 */
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PRESETS } from '../src/page/model/presets';
import { startBrowser } from './browser';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'src/page/presets');
/** Size of a picture, in pixels. */
const SIZE = { width: 240, height: 150 };
/** Limit for all pictures, which the page loads together. */
const MOST_BYTES = 26_000;
/** Limit for one picture. The script uses the first of QUALITIES that stays below it, or else the lowest. */
const MOST_OF_ONE = 1750;
const QUALITIES = [70, 60, 50, 40, 30, 25, 20, 15, 10, 5, 1];
/** Steps between two waits for the GPU. */
const BATCH = 8;
const LIMIT_MS = 600_000;
/**
 * After how many steps each picture is taken, and which part of the world it shows. `middle` is in fractions of the
 * world's edges.
 */
const VIEWS: Readonly<Record<string, readonly [steps: number, zoom: number, ...middle: number[]]>> = {
  collapse: [230, 1.35, 0.37, 0.42],
  'dam-break': [52, 1.2, 0.5, 0.4],
  fountain: [70, 1, 0.5, 0.5],
  murmuration: [130, 1.5, 0.55, 0.5],
  gas: [60, 8, 0.5, 0.5],
  space: [130, 1.7, 0.42, 0.3, 0.5],
  sizes: [260, 5, 0.25, 0.2],
  terraces: [120, 4.5, 0.75, 0.12],
  pegs: [150, 8, 0.3, 0.2],
  bullets: [14, 2.2, 0.42, 0.5],
  hourglass: [400, 1.1, 0.5, 0.5],
  drum: [900, 1.1, 0.5, 0.5],
  'brazil-nut': [2400, 2, 0.4, 0.2],
  naive: [3, 8, 0.5, 0.5],
  million: [3, 1.35, 0.37, 0.42],
};

const { browser, url, close } = await startBrowser({ limitMs: LIMIT_MS });
try {
  await mkdir(FOLDER, { recursive: true });
  const page = await browser.newPage();
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: 'dark' },
    // The page then starts paused, so this script decides when time passes.
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  const wanted = process.argv.slice(2);
  for (const { name, link } of PRESETS) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const [steps, zoom, ...middle] = VIEWS[name] ?? [60, 1, 0.5, 0.5, 0.5];
    await page.setViewport({ width: Math.round(zoom * SIZE.width), height: Math.round(zoom * SIZE.height) });
    await page.goto(`${url}?${link}&engine=gpu`);
    await page.waitForFunction(() => window.cellstorm !== undefined);
    await page.evaluate(() => window.cellstorm?.ready);
    await page.evaluate(
      async (total, batch) => {
        for (const element of document.querySelectorAll<HTMLElement>('.panel, .free > *')) {
          element.style.visibility = 'hidden';
        }
        const [panel, free] = [document.querySelector('.panel'), document.querySelector('.free')];
        if (panel instanceof HTMLElement) panel.style.display = 'none';
        if (free instanceof HTMLElement) free.style.margin = free.style.padding = '0';
        const simulation = window.cellstorm?.simulation;
        // With more substeps, a software GPU would take too long.
        if ((simulation?.count ?? 0) > 1e5) simulation?.set({ substeps: 1 });
        for (let step = 1; step <= total; step++) {
          // The page takes the step, because it also applies a driven scene's gravity and obstacles.
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '.', bubbles: true }));
          if (step % batch === 0) await simulation?.measure();
        }
      },
      steps,
      BATCH,
    );
    await page.evaluate(() => window.cellstorm?.settled());
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    const [across = 0, down = 0] =
      (await page.evaluate((shares) => {
        const { min, max } = window.cellstorm?.simulation?.world ?? { min: [], max: [] };
        return window.cellstorm?.toScreen(
          min.map((low, axis) => low + (shares[axis] ?? 0.5) * ((max[axis] ?? 0) - low)),
        );
      }, middle)) ?? [];
    const within = (centre: number, size: number) =>
      Math.round(Math.min(Math.max(0, centre - size / 2), size * (zoom - 1)));
    const clip = { x: within(across, SIZE.width), y: within(down, SIZE.height), ...SIZE };
    for (const quality of QUALITIES) {
      const picture = await page.screenshot({ type: 'webp', quality, clip });
      if (picture.length > MOST_OF_ONE && quality !== QUALITIES.at(-1)) continue;
      await writeFile(join(FOLDER, `${name}.webp`), picture);
      process.stdout.write(`${name}: ${picture.length} bytes at quality ${quality}\n`);
      break;
    }
  }
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.webp'));
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(FOLDER, file))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  process.stdout.write(`together: ${total} bytes\n`);
  if (total > MOST_BYTES) {
    process.stderr.write(`That is more than ${MOST_BYTES} bytes: choose a lower quality or other moments.\n`);
    process.exitCode = 1;
  }
} finally {
  await close();
}
