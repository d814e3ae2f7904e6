/**
 * Compares exact simulations of up to 5,000 steps with their recorded hashes, which every device must give.
 * scripts/record-exact.ts records them.
 */
import type { ParticleSimulation } from '../core/simulation/simulation';
import type { Dimensions } from '../core/world/world';
import { createScene, sceneOptions } from '../scenes';
import { caseOf, hashesAfter } from './golden';
import { LONG_HASHES } from './golden-hashes';
import { type OnCheckStep, SILENT } from './progress';
import type { Subject } from './simulations';
import type { VerifyCase } from './verify';

/** `script` is a pile in which particles come and go. */
export const LONG_SCENES = ['pile', 'gas', 'clustered', 'periodic', 'obstacles', 'script'] as const;
export const LONG_COUNTS = [1000, 20_000] as const;
export const LONG_MARKS = [1, 100, 5000] as const;

export type LongScene = (typeof LONG_SCENES)[number];

const REPLACED = 8;
const REPLACING = 20;

/** Every REPLACING steps, replaces the REPLACED lowest ids by particles at the top, and changes the friction. */
function replaceSome(simulation: ParticleSimulation, step: number): void {
  if (step % REPLACING !== 0) return;
  const { dimensions, radius, world } = simulation;
  const ids = Array.from({ length: REPLACED }, (_, id) => id);
  simulation.remove(ids);
  const positions = Float32Array.from({ length: REPLACED * dimensions }, (_, word) => {
    const axis = word % dimensions;
    const high = world.max[axis] as number;
    return axis === 1 ? high - radius : radius * (1 + 3 * ((word - axis) / dimensions));
  });
  simulation.add({ positions });
  simulation.set({ friction: step % (2 * REPLACING) < REPLACING ? 0.7 : 0.2 });
}

/** Returns the hashes after `marks[0]`, `marks[1]`, … steps. `marks` must ascend. */
export function longHashes(
  subject: Subject,
  name: LongScene,
  dimensions: Dimensions,
  count: number,
  marks: readonly number[] = LONG_MARKS,
  onCheckStep: OnCheckStep = SILENT,
): Promise<string[]> {
  const scene = createScene(name === 'script' ? 'pile' : name, { dimensions, count });
  return hashesAfter(
    subject,
    sceneOptions(scene, { exact: true }),
    marks,
    name === 'script' ? replaceSome : undefined,
    (done, total) => onCheckStep(longName(name, dimensions, count), done, total),
  );
}

export const longName = (scene: string, dimensions: Dimensions, count: number) =>
  `${scene} ${dimensions}D, ${count} particles`;

export async function* verifyExactLong(
  subject: Subject,
  dimensions: readonly Dimensions[],
  onCheckStep: OnCheckStep = SILENT,
): AsyncGenerator<VerifyCase> {
  for (const count of LONG_COUNTS) {
    for (const scene of LONG_SCENES) {
      for (const dimension of dimensions) {
        const expected = LONG_HASHES[longName(scene, dimension, count)] ?? [];
        const marks = LONG_MARKS.slice(0, expected.length);
        const hashes = await longHashes(subject, scene, dimension, count, marks, onCheckStep);
        for (const [index, mark] of marks.entries()) {
          const [hash, recorded] = [hashes[index] as string, expected[index] as string];
          yield caseOf(`${scene} after ${mark}`, dimension, count, hash, recorded);
        }
      }
    }
  }
}
