import { describe, expect } from 'vitest';
import { BLANK_PAGE } from '../../scripts/browser';
import { screenshotCanvas } from '../../src/testing/pictures';
import type { VerifyCase, VerifyOptions } from '../../src/verify/verify';
import { browserTest, useBrowser } from '../helpers/browser';
import { withDevice } from '../helpers/node-gpu';
import { colourDistance, pixelAt } from './playground';

const ENGINE = 'tests/browser/pages/engine.ts';
const DRAW = 'tests/browser/pages/draw.ts';
const SIZE = 240;

/** tests/gpu/device and tests/portability verify the other scenes. */
const KINDS = {
  'equal radii': 'pile',
  'empty cells': 'clustered',
  'a crowd in one cell': 'one-cell',
  'a periodic world': 'periodic',
  'an unbounded world': 'colliding-cells',
  obstacles: 'obstacles',
  'many radii': 'mixed-pile',
  boxes: 'crates',
  'fast particles': 'bullets',
} as const;

describe('the engine in the browser', () => {
  const browser = useBrowser();
  const open = browser.share((opener) => opener.openPage(BLANK_PAGE));

  async function expectVerified(
    options: VerifyOptions & { readonly counts: readonly number[] },
  ): Promise<void> {
    const { call } = await open();
    const cases = await call<VerifyCase[]>(ENGINE, 'runVerify', [options]);
    expect(new Set(cases.map(({ count }) => count))).toEqual(new Set(options.counts));
    expect(cases.length).toBeGreaterThan(5 * options.counts.length);
    expect(cases.filter((one) => !one.pass)).toEqual([]);
  }

  browserTest('equals the reference in 2D', async () => {
    await expectVerified({ scenes: ['clustered'], dimensions: [2], counts: [0, 500] });
  });

  for (const [kind, scene] of Object.entries(KINDS)) {
    browserTest(`equals the reference in 3D: ${kind}`, { tags: 'full' }, async () => {
      // A software GPU follows fast particles slowly, so verify few of them.
      await expectVerified({ scenes: [scene], dimensions: [3], counts: [scene === 'bullets' ? 40 : 257] });
    });
  }

  browserTest('gives the recorded hashes of exact simulations on the CPU', async () => {
    const { call } = await open();
    const cases = await call<VerifyCase[]>(ENGINE, 'verifyExactly');
    expect(cases).toHaveLength(16);
    expect(cases.filter(({ pass }) => !pass)).toEqual([]);
  });

  browserTest('ends with the same hash in every run', async () => {
    const { call } = await open();
    const run = ['pile', 2, 1000, 60] as const;
    const first = await call<string>(ENGINE, 'hashAfter', ...run);
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(await call<string>(ENGINE, 'hashAfter', ...run)).toBe(first);
  });

  browserTest(
    'ends with the same hash in every run in 3D, and prints whether Node gives the same',
    { tags: 'full' },
    async () => {
      const { call } = await open();
      const run = ['pile', 3, 1000, 60] as const;
      const inChrome = await call<string>(ENGINE, 'hashAfter', ...run);
      expect(await call<string>(ENGINE, 'hashAfter', ...run)).toBe(inChrome);
      const inNode = await hashInNode(...run);
      expect(inNode).toMatch(/^[0-9a-f]{16}$/);
      // Another build of Dawn or of the driver may compile a shader differently.
      const verdict = inNode === inChrome ? 'the same in Node' : `in Node ${inNode}`;
      console.info(`hash in Chrome ${inChrome}: ${verdict}`);
    },
  );

  browserTest('draws spheres with four samples per pixel', { tags: 'full' }, async () => {
    const { page, call, expectNoProblems } = await browser.openPage(BLANK_PAGE);
    await call(DRAW, 'drawSpheres', SIZE, 1000);
    const image = await screenshotCanvas(page);
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
