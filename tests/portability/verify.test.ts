/** The engine under wgpu and naga, Firefox's: every kernel accepted, and correct against the reference. */
import { describe, expect, test } from 'vitest';
import { describeKernels } from '../../src/passes';
import { ALL_SCENE_NAMES } from '../../src/scenes';
import type { VerifyOptions } from '../../src/verify/verify';
import { denoDriver, runInDeno, skipsDeno } from '../helpers/deno';
import { THOROUGH } from '../helpers/thorough';
import type { PortabilityReport } from './entries/verify';

const COUNTS = [257];
const SCENES = ['clustered', 'channel', 'colliding-cells', 'crowds'];
const CHECKS = 18;
const MIXED_SCENES = ['mixed', 'one-large'];
const MIXED_CHECKS = 17;
const BOX_SCENES = ['boxes-periodic'];
const BOX_CHECKS = 9;
// tests/gpu/verify.test.ts has them too; here all kernels of theirs are compiled.
const FAST_SCENES = THOROUGH ? ['bullets'] : [];
const FAST_CHECKS = 19;
const ALL = [...SCENES, ...MIXED_SCENES, ...BOX_SCENES, ...FAST_SCENES];

describe.skipIf(skipsDeno)(`the engine under wgpu on ${denoDriver}`, () => {
  test('compiles every kernel, agrees with the reference, and repeats itself', async () => {
    const input: VerifyOptions = { scenes: ALL, counts: COUNTS };
    const report = await runInDeno<PortabilityReport>('tests/portability/entries/verify.ts', { input });
    expect(report.refused).toEqual([]);
    expect(report.complaints).toEqual([]);
    const kernels = [2, 3].flatMap((dimensions) =>
      describeKernels(dimensions as 2 | 3, false).map(({ label }) => `${label} ${dimensions}D`),
    );
    expect(report.compiled).toEqual(kernels);
    const failed = report.cases.filter(({ pass }) => !pass);
    expect(
      failed.map((one) => `${one.scene} ${one.dimensions}D ${one.count} ${one.check}: ${one.detail}`),
    ).toEqual([]);
    const sized = MIXED_SCENES.length * MIXED_CHECKS + BOX_SCENES.length * BOX_CHECKS;
    const checks = SCENES.length * CHECKS + sized + FAST_SCENES.length * FAST_CHECKS;
    expect(report.cases).toHaveLength(2 * COUNTS.length * checks);
    expect(ALL_SCENE_NAMES).toEqual(expect.arrayContaining(ALL));
    const [plane, planeAgain, planeRestored, space, spaceAgain, spaceRestored] = report.hashes;
    expect([planeAgain, planeRestored]).toEqual([plane, plane]);
    expect([spaceAgain, spaceRestored]).toEqual([space, space]);
    expect(plane).toMatch(/^[0-9a-f]{16}$/);
    expect(space).not.toBe(plane);
  });
});
