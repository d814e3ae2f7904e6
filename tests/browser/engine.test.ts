/** Checks in a real browser that the engine equals the reference. */
import { decode } from 'fast-png';
import { describe, expect } from 'vitest';
import type { Dimensions } from '../../src/core/world/world';
import type { VerifyCase, VerifyOptions } from '../../src/verify/verify';
import { BLANK_PAGE, browserTest, useBrowser } from '../helpers/browser';
import { withDevice } from '../helpers/node-gpu';
import { isAsked, THOROUGH } from '../helpers/thorough';
import { colourDistance, pixelAt } from './playground';

const ENGINE = 'tests/browser/pages/engine.ts';
const DRAW = 'tests/browser/pages/draw.ts';
const SIZE = 240;

describe('the engine in the browser', () => {
  const browser = useBrowser();

  for (const [dimensions, runs] of [
    [
      2,
      [
        { scenes: ['clustered'], dimensions: [2], counts: [0, 500] },
        ...(THOROUGH ? [{ scenes: ['one-cell'], dimensions: [2 as const], counts: [300] }] : []),
      ],
    ],
    [3, [{ scenes: ['pile'], dimensions: [3], counts: [500] }]],
  ] satisfies [Dimensions, VerifyOptions[]][]) {
    // The tests in Node run the same Dawn, in 3D too.
    if (!isAsked(dimensions)) continue;
    browserTest(`equals the reference in ${dimensions}D`, async () => {
      const { call, expectNoProblems } = await browser.openPage(BLANK_PAGE);
      const cases = await call<VerifyCase[]>(ENGINE, 'runVerify', runs);
      for (const { scenes, counts } of runs) {
        for (const scene of scenes) {
          const seen = cases.filter((one) => one.scene === scene);
          expect(new Set(seen.map(({ count }) => count)), scene).toEqual(new Set(counts));
          expect(seen.length, scene).toBeGreaterThan(5 * counts.length);
        }
      }
      expect(cases.filter((one) => !one.pass)).toEqual([]);
      expectNoProblems();
    });
  }

  browserTest('ends with the same hash in every run', async () => {
    const { call, expectNoProblems } = await browser.openPage(BLANK_PAGE);
    const run = ['pile', 2, 1000, 60] as const;
    const inChrome = await call<string>(ENGINE, 'hashAfter', ...run);
    expect(inChrome).toMatch(/^[0-9a-f]{16}$/);
    expect(await call<string>(ENGINE, 'hashAfter', ...run)).toBe(inChrome);
    if (THOROUGH) {
      const inNode = await hashInNode(...run);
      // Two builds of Dawn and of the driver may compile a shader differently. That is worth printing, but no failure.
      const verdict = inNode === inChrome ? 'the same in Node' : `in Node ${inNode}`;
      console.info(`hash in Chrome ${inChrome}: ${verdict}`);
    }
    expectNoProblems();
  });

  browserTest('draws spheres with smooth edges', async () => {
    const { page, call, expectNoProblems } = await browser.openPage(BLANK_PAGE);
    await call(DRAW, 'drawSpheres', SIZE, 1000);
    const image = decode(await page.screenshot({ clip: { x: 0, y: 0, width: SIZE, height: SIZE } }));
    expect(colourDistance(pixelAt(image, SIZE / 2, SIZE / 2), [0, 0, 0])).toBeGreaterThan(40);
    expect(colourDistance(pixelAt(image, 2, 2), [0, 0, 0])).toBe(0);
    expectNoProblems();
  });
});

async function hashInNode(scene: string, dimensions: 2 | 3, count: number, steps: number): Promise<string> {
  const { createSimulation } = await import('../../src/engine/simulation/simulation');
  const { createScene, sceneOptions } = await import('../../src/scenes');
  let hash = '';
  await withDevice(async (_, tools) => {
    const options = sceneOptions(createScene(scene, { dimensions, count }));
    const simulation = await createSimulation(tools.wrap(), options);
    for (let step = 0; step < steps; step++) simulation.step(1 / 60);
    hash = (await simulation.measure()).hash;
    simulation.destroy();
  });
  return hash;
}
