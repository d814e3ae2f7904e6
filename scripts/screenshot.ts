/**
 * Makes docs/picture.webp, the picture at the top of README.md: a screenshot of the page.
 * Usage: node scripts/run.mjs scripts/screenshot.ts [FILE [scene dimensions count steps theme]]
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { titleOf } from '../src/page/support/format';
import { startBrowser } from './browser';
import { withoutProfile } from './webp';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SIZE = { width: 1280, height: 720 };
/** The greatest size of the picture, which the package contains. */
const MOST_BYTES = 27_000;
/** Quality of a WebP picture, from 0 to 100. */
const QUALITY = 18;
/** Number of steps between two waits for the GPU. */
const BATCH = 8;
/** The page itself takes the last steps, because it draws and times only its own steps. */
const SHOWN_STEPS = 40;
const SHOWN_EVERY_MS = 550;
const LIMIT_MS = 300_000;

const [
  file = 'docs/picture.webp',
  scene = 'pile',
  dimensions = '2',
  count = '3000',
  steps = '240',
  theme = 'dark',
] = process.argv.slice(2);

const { browser, url, close } = await startBrowser({ serve: 'build', limitMs: LIMIT_MS });
try {
  const page = await browser.newPage();
  await page.setViewport(SIZE);
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: theme },
    // The page then starts paused, so this script decides when time passes.
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.goto(`${url}?v=1&engine=gpu`);
  await page.waitForFunction(() => window.cellstorm !== undefined);
  const settle = () => page.evaluate(() => window.cellstorm?.settled());
  await page.evaluate(() => window.cellstorm?.ready);
  await page.select('#scene', titleOf(scene));
  await page.select('#dimensions', `${dimensions}D`);
  await page.click('#count', { count: 3 });
  await page.keyboard.type(count);
  await page.keyboard.press('Tab');
  await settle();
  await page.evaluate(
    async (total, batch) => {
      const simulation = window.cellstorm?.simulation;
      for (let step = 1; step <= total; step++) {
        simulation?.step(1 / 60);
        if (step % batch === 0) await simulation?.measure();
      }
    },
    Number(steps) - SHOWN_STEPS,
    BATCH,
  );
  for (let step = 0; step < SHOWN_STEPS; step++) {
    await page.click('#step');
    await new Promise((done) => setTimeout(done, SHOWN_EVERY_MS));
  }
  await settle();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.mouse.move(SIZE.width - 1, 1);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  const picture = file.endsWith('.webp')
    ? withoutProfile(await page.screenshot({ type: 'webp', quality: QUALITY }))
    : await page.screenshot();
  const path = resolve(ROOT, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, picture);
  process.stdout.write(`${file}: ${picture.length} bytes\n`);
  if (picture.length > MOST_BYTES) {
    process.stderr.write(`That is more than ${MOST_BYTES} bytes: choose fewer particles.\n`);
    process.exitCode = 1;
  }
} finally {
  await close();
}
