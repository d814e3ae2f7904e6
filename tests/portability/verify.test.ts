import { afterAll, describe, expect, test } from 'vitest';
import type { VerifyOptions } from '../../src/verify/verify';
import { DenoEntry, denoDriver, skipsDeno } from '../helpers/deno';
import { DIMENSIONS } from '../helpers/passes';
import { countIn, expectAllPass, VERIFIED_SCENES } from '../helpers/verified-scenes';
import type { VerifyReport } from './entries/verify';

/**
 * The scenes that both tiers test. Together they have every kind of world; their particles are balls of one size, balls
 * of many sizes, or boxes. tests/gpu/device/verify.test.ts tests another scene in both tiers.
 */
const IN_BOTH_TIERS = ['colliding-cells 2D', 'boxes-periodic 2D', 'channel 3D', 'mixed 3D'];

const deno = new DenoEntry<VerifyOptions, VerifyReport>('tests/portability/entries/verify.ts');
afterAll(() => deno.close());

describe.skipIf(skipsDeno)(`the engine under wgpu on ${denoDriver}`, () => {
  for (const dimensions of DIMENSIONS) {
    for (const [scene, checks] of VERIFIED_SCENES) {
      const tags = IN_BOTH_TIERS.includes(`${scene} ${dimensions}D`) ? [] : 'full';
      test(`agrees with the reference in the scene ${scene} in ${dimensions}D`, { tags }, async () => {
        const options = { scenes: [scene], dimensions: [dimensions], counts: [countIn(scene)] };
        const { cases, complaints } = await deno.ask(options);
        expect(complaints).toEqual([]);
        expectAllPass(cases);
        expect(cases.map(({ check }) => check)).toEqual(checks);
      });
    }
  }
});
