/** Tests the engine under wgpu and naga, which Firefox uses: its kernels compile, and it agrees with the reference. */
import { describe, expect, test } from 'vitest';
import { describeKernels } from '../../src/passes';
import { sceneNames } from '../../src/scenes';
import type { VerifyOptions } from '../../src/verify/verify';
import { denoDriver, runInDeno, skipsDeno } from '../helpers/deno';
import { DIMENSIONS } from '../helpers/passes';
import { fewerInSpace, inTurns, THOROUGH } from '../helpers/thorough';
import type { PortabilityInput, PortabilityReport } from './entries/verify';

const COUNTS = [257];
const WORLD_SCENES = ['clustered', 'channel', 'colliding-cells', 'crowds'];
const WORLD_CHECKS = 18;
const MIXED_SCENES = ['mixed', 'one-large'];
const MIXED_CHECKS = 17;
const BOX_SCENES = ['boxes-periodic'];
const BOX_CHECKS = 9;
// By default tests/gpu/device/verify.test.ts covers fast scenes: here all their kernels would have to compile.
const FAST_SCENES = THOROUGH ? ['bullets'] : [];
const FAST_CHECKS = 19;
/** The number of checks of each scene. */
const CHECKS = new Map(
  (
    [
      [WORLD_SCENES, WORLD_CHECKS],
      [MIXED_SCENES, MIXED_CHECKS],
      [BOX_SCENES, BOX_CHECKS],
      [FAST_SCENES, FAST_CHECKS],
    ] as const
  ).flatMap(([scenes, checks]) => scenes.map((scene) => [scene, checks] as const)),
);
const ALL = [...CHECKS.keys()];
/** 3D runs every fourth scene: one in a periodic world, and one of many sizes. */
const RUNS = [
  { scenes: ALL, counts: COUNTS, dimensions: [2] },
  { scenes: fewerInSpace(3, ALL), counts: COUNTS, dimensions: [3] },
] as const satisfies VerifyOptions[];

/** All variants as shaders, and every tenth as a pipeline. Scenes make pipelines of the kernels that they need. */
const KERNELS = DIMENSIONS.map((dimensions) => {
  const shaders = describeKernels(dimensions, false).map((_, index) => index);
  const pipelines = THOROUGH ? shaders : inTurns(dimensions, shaders).filter((_, index) => index % 5 === 0);
  return { dimensions, shaders, pipelines };
});

describe.skipIf(skipsDeno)(`the engine under wgpu on ${denoDriver}`, () => {
  test('accepts the kernels, agrees with the reference, and repeats itself', async () => {
    const input: PortabilityInput = { kernels: KERNELS, runs: RUNS };
    const timeoutMs = THOROUGH ? 400_000 : undefined;
    const report = await runInDeno<PortabilityReport>('tests/portability/entries/verify.ts', {
      input,
      timeoutMs,
    });
    expect(report.refused).toEqual([]);
    expect(report.complaints).toEqual([]);
    const asked = KERNELS.map(({ dimensions, shaders, pipelines }) => {
      const labels = describeKernels(dimensions, false).map(({ label }) => `${label} ${dimensions}D`);
      const compiled = pipelines.map((index) => labels[index]);
      return {
        compiled,
        accepted: shaders.map((index) => labels[index]).filter((label) => !compiled.includes(label)),
      };
    });
    expect(report.accepted).toEqual(asked.flatMap(({ accepted }) => accepted));
    expect(report.compiled).toEqual(asked.flatMap(({ compiled }) => compiled));
    expect(report.compiled.length).toBeGreaterThan(100);
    const failed = report.cases.filter(({ pass }) => !pass);
    expect(
      failed.map((one) => `${one.scene} ${one.dimensions}D ${one.count} ${one.check}: ${one.detail}`),
    ).toEqual([]);
    for (const { scenes, dimensions } of RUNS) {
      for (const scene of scenes) {
        const found = report.cases.filter((one) => one.scene === scene && one.dimensions === dimensions[0]);
        expect(found, `${scene} ${dimensions[0]}D`).toHaveLength(COUNTS.length * (CHECKS.get(scene) ?? 0));
      }
    }
    expect(sceneNames()).toEqual(expect.arrayContaining(ALL));
  });
});
