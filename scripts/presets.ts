/**
 * Takes the presets' pictures: src/page/presets/NAME.webp for the page, and docs/presets/NAME.webp for the leading
 * presets in README.md.
 *
 * Usage: node scripts/run.mjs scripts/presets.ts [NAME …]
 */
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page, ScreenshotClip } from 'puppeteer';
import { LEADING_PRESETS, LOCKSTEP, PRESETS } from '../src/page/model/presets';
import { startBrowser } from './browser';
import { withoutProfile } from './webp';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Size of a picture on the page, in pixels. */
const SIZE = { width: 240, height: 150 };
/**
 * `ofOne` limits the bytes of a picture, `ofAll` those of all pictures. If none of QUALITIES makes a picture small
 * enough, `save` uses the last one.
 */
const ON_PAGE = { folder: join(ROOT, 'src/page/presets'), pixelRatio: 1, ofOne: 1750, ofAll: 30_000 };
const IN_README = { folder: join(ROOT, 'docs/presets'), pixelRatio: 5 / 3, ofOne: 5000, ofAll: 24_000 };
const QUALITIES = [70, 60, 50, 40, 30, 25, 20, 15, 10, 5, 1];
/** Steps between two waits for the GPU. */
const BATCH = 8;
const LIMIT_MS = 600_000;
/** Changes to presets' links. They choose the CPU engine or fewer particles, because a software GPU is slow. */
const CHANGES: Readonly<Record<string, string>> = {
  million: '&engine=cpu&count=50000',
  sizes: '&engine=cpu',
  // The camera looks from the bullets' side.
  bullets: '&engine=cpu&camera=0.1_0.25_1.4_0_0_0',
  hourglass: '&engine=cpu',
  splash: '&engine=cpu&count=8000',
  life: '&engine=cpu&count=4000',
  'wave-tank': '&count=15000',
};
/** `middle` is in fractions of the world's edges. */
const VIEWS: Readonly<Record<string, readonly [steps: number, zoom: number, ...middle: number[]]>> = {
  million: [330, 1.35, 0.37, 0.42],
  sizes: [330, 2.4, 0.4, 0.15],
  bullets: [2, 1, 0.5, 0.5, 0.5],
  hourglass: [700, 1.6, 0.5, 0.5],
  'wave-tank': [75, 1.5, 0.45, 0.3, 0.5],
  murmuration: [130, 1.5, 0.5, 0.5, 0.5],
  collapse: [230, 1.35, 0.37, 0.42],
  'dam-break': [52, 1.2, 0.5, 0.4],
  fountain: [70, 1, 0.5, 0.5],
  splash: [300, 1.3, 0.62, 0.35],
  life: [300, 2, 0.5, 0.5],
  gas: [60, 8, 0.5, 0.5],
  space: [130, 1.7, 0.42, 0.3, 0.5],
  terraces: [120, 4.5, 0.75, 0.12],
  pegs: [150, 8, 0.3, 0.2],
  drum: [900, 1.1, 0.5, 0.5],
  'brazil-nut': [2400, 2, 0.4, 0.2],
  naive: [3, 8, 0.5, 0.5],
};

/** The picture of LOCKSTEP is taken after this many comparisons of hashes. */
const LOCKSTEP_HASHES = 3;

const { browser, url, close } = await startBrowser({ limitMs: LIMIT_MS });
try {
  const page = await browser.newPage();
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: 'dark' },
    // The page then starts paused, so this script decides when time passes.
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  const wanted = process.argv.slice(2);
  for (const preset of PRESETS) {
    const { name, link } = preset;
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const [steps, zoom, ...middle] = VIEWS[name] ?? [60, 1, 0.5, 0.5, 0.5];
    const width = Math.round(zoom * SIZE.width);
    const height = Math.round(zoom * SIZE.height);
    await page.setViewport({ width, height });
    const query = new URLSearchParams(`${link}&engine=gpu`);
    for (const [field, value] of new URLSearchParams(CHANGES[name])) query.set(field, value);
    await page.goto(`${url}?${query}`);
    await page.waitForFunction(() => window.cellstorm !== undefined);
    await page.evaluate(() => window.cellstorm?.ready);
    await takeSteps(page, steps);
    for (const use of LEADING_PRESETS.includes(preset) ? [ON_PAGE, IN_README] : [ON_PAGE]) {
      await page.setViewport({ width, height, deviceScaleFactor: use.pixelRatio });
      await page.evaluate(() => window.cellstorm?.settled());
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      await save(page, name, use, await clipAround(page, middle, zoom));
    }
  }
  if (wanted.length === 0 || wanted.includes(LOCKSTEP.name)) await takeLockstep(page);
  for (const { folder, ofAll } of [ON_PAGE, IN_README]) {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.webp'));
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    process.stdout.write(`${folder}: ${total} bytes\n`);
    if (total > ofAll) {
      process.stderr.write(`That is more than ${ofAll} bytes: choose a lower quality or other moments.\n`);
      process.exitCode = 1;
    }
  }
} finally {
  await close();
}

/** Takes the picture of the lockstep page, reduced to its verdict and its discs. */
async function takeLockstep(page: Page): Promise<void> {
  await page.setBypassCSP(true);
  await page.setViewport({ ...SIZE, deviceScaleFactor: 1 });
  await page.goto(new URL(LOCKSTEP.page, url).href);
  await page.addStyleTag({
    content: `.top, h1, .lead, .act, .hint, figcaption, .hash, #verdict-text { display: none !important }
      main { padding: 6px } .pictures { grid-template-columns: 1fr 1fr; gap: 6px } canvas { aspect-ratio: 7/6 }
      .verdict { min-height: 0; padding: 2px 10px; margin: 0 0 6px } figure, .verdict { border-radius: 8px }`,
  });
  await page.waitForSelector('#left-stage:not([disabled])');
  await page.$eval('#play', (play) => (play as HTMLElement).click());
  await page.mouse.move(0.35 * SIZE.width, 0.55 * SIZE.height);
  await page.mouse.down();
  await page.waitForFunction(
    (count) => (window.lockstep?.compared.length ?? 0) >= count,
    {},
    LOCKSTEP_HASHES,
  );
  await page.mouse.up();
  await page.$eval('#play', (play) => (play as HTMLElement).click());
  await page.evaluate(() => new Promise((done) => setTimeout(done, 1000)));
  await save(page, LOCKSTEP.name, { ...ON_PAGE, ofOne: 1450 }, { x: 0, y: 0, ...SIZE });
}

/** Hides the panel, then takes the steps. */
async function takeSteps(page: Page, steps: number): Promise<void> {
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
}

/** Returns the part of the page around the middle of the view. */
async function clipAround(page: Page, middle: readonly number[], zoom: number) {
  const [across = 0, down = 0] =
    (await page.evaluate((shares) => {
      const { min, max } = window.cellstorm?.simulation?.world ?? { min: [], max: [] };
      return window.cellstorm?.toScreen(
        min.map((low, axis) => low + (shares[axis] ?? 0.5) * ((max[axis] ?? 0) - low)),
      );
    }, middle)) ?? [];
  const within = (centre: number, size: number) =>
    Math.round(Math.min(Math.max(0, centre - size / 2), size * (zoom - 1)));
  return { x: within(across, SIZE.width), y: within(down, SIZE.height), ...SIZE };
}

async function save(page: Page, name: string, use: typeof ON_PAGE, clip: ScreenshotClip): Promise<void> {
  await mkdir(use.folder, { recursive: true });
  for (const quality of QUALITIES) {
    const picture = withoutProfile(await page.screenshot({ type: 'webp', quality, clip }));
    if (picture.length > use.ofOne && quality !== QUALITIES.at(-1)) continue;
    await writeFile(join(use.folder, `${name}.webp`), picture);
    process.stdout.write(`${name}: ${picture.length} bytes at quality ${quality}\n`);
    return;
  }
}
