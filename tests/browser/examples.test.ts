import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { exampleNames, isPage } from '../../scripts/example';
import { screenshotCanvas } from '../../src/testing/pictures';
import { browserTest, useBrowser } from '../helpers/browser';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const LIMIT_MS = 120_000;
/** The processor draws, so fewer pixels are quicker. */
const SMALL = { width: 320, height: 240 };

const PRINTED: Readonly<Record<string, RegExp>> = {
  lockstep:
    /^player 2 joined .* tick 1\d\d\n.*\n( {2}player \d has (\d+ discs, hash [0-9a-f]{16})\n)( {2}player \d has \2\n){2}no desync\n.*\n {2}desync at tick 210\n/,
  'node-gpu': /contacts after 2 seconds\ndeepest overlap 0\.0\d+, state hash [0-9a-f]{16}/,
  'node-pairs': /^1[45]\d{4} pairs of 100000 discs/,
  'shader-test': /pass 1\n.*fail 0\n/,
};

/** Returns the share of pixels that differ from the picture's upper left pixel. */
function shareDrawn(data: Uint8Array): number {
  const pixels = new Uint32Array(data.buffer, data.byteOffset, data.length / 4);
  return pixels.filter((pixel) => pixel !== pixels[0]).length / pixels.length;
}

describe('the example', () => {
  const browser = useBrowser();

  test('list has the known pages, and each page has a screenshot', () => {
    expect(exampleNames()).toEqual(
      expect.arrayContaining(['canvas', 'dam', 'density', 'game', 'three', 'worker']),
    );
    for (const name of exampleNames().filter(isPage)) {
      expect(existsSync(join(ROOT, 'examples', name, 'screenshot.webp')), name).toBe(true);
    }
  });

  for (const name of exampleNames()) {
    if (isPage(name)) {
      browserTest(`${name} draws on its canvas`, { tags: 'full' }, async () => {
        const { page, expectNoProblems } = await browser.openPage(`examples/${name}/`, SMALL);
        const drawn = async () => shareDrawn((await screenshotCanvas(page)).data);
        await expect.poll(drawn, { timeout: LIMIT_MS }).toBeGreaterThan(0.02);
        expectNoProblems();
      });
    } else {
      test(`${name} runs in Node`, { tags: 'full' }, async () => {
        const { stdout } = await run('npm', ['run', '--silent', 'example', name], { cwd: ROOT });
        expect(stdout).toMatch(PRINTED[name] ?? /never/);
      });
    }
  }
});
