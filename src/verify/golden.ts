/**
 * Compares exact simulations with their recorded hashes, which every device must give. A change of the contact law
 * changes these hashes; the failing test in tests/unit/verify/golden.test.ts then shows the new ones.
 */
import type { ParticleSimulation, SimulationOptions } from '../core/simulation/simulation';
import type { Dimensions } from '../core/world/world';
import { createScene, sceneOptions } from '../scenes';
import { EXACT_CHECK } from './answers';
import type { OnStep } from './progress';
import { open, type Subject } from './simulations';
import type { VerifyCase } from './verify';

const COUNT = 300;
const STEPS = 60;

interface ExactCase {
  readonly scene: string;
  readonly changes?: Partial<SimulationOptions>;
  readonly hashes: Readonly<Record<Dimensions, string>>;
}

export const EXACT_CASES: Readonly<Record<string, ExactCase>> = {
  pile: { scene: 'pile', hashes: { 2: '3fbbac6df3d8034c', 3: '874868c7406ecf83' } },
  'bouncing pile': {
    scene: 'pile',
    changes: { restitution: 0.5, friction: 1 },
    hashes: { 2: 'd09aae961a2b1462', 3: 'b6e67e21fa61b13a' },
  },
  gas: { scene: 'gas', hashes: { 2: 'cf15e7417646db8a', 3: 'ad97fa310af1905d' } },
  clustered: { scene: 'clustered', hashes: { 2: 'e2fc13958af76f7e', 3: '77d7ad39ecebbb45' } },
  periodic: { scene: 'periodic', hashes: { 2: '0a917d75c3897f9b', 3: '68d652137e30f19f' } },
  obstacles: { scene: 'obstacles', hashes: { 2: '568d56b842f533c3', 3: '2d541ec5da65030e' } },
  'bouncing obstacles': {
    scene: 'obstacles',
    changes: { restitution: 0.5, friction: 1, periodic: true },
    hashes: { 2: 'bc0a252add0a039c', 3: 'f07d7f2809250cbe' },
  },
  'all pairs': {
    scene: 'clustered',
    changes: { broadPhase: 'naive', substeps: 3 },
    hashes: { 2: '91674fb262f5ef3e', 3: '1b8dc82a911077cc' },
  },
};

/** Returns the hash of the state that a case ends in. */
export async function exactHash(subject: Subject, name: string, dimensions: Dimensions): Promise<string> {
  const { scene, changes } = EXACT_CASES[name] as ExactCase;
  const options = sceneOptions(createScene(scene, { dimensions, count: COUNT }), { ...changes, exact: true });
  const [hash] = await hashesAfter(subject, options, [STEPS]);
  return hash as string;
}

/** Returns the hashes after `marks[0]`, `marks[1]`, … steps. `marks` must ascend. `play` runs before each step. */
export async function hashesAfter(
  subject: Subject,
  options: SimulationOptions,
  marks: readonly number[],
  play?: (simulation: ParticleSimulation, step: number) => void,
  onStep?: OnStep,
): Promise<string[]> {
  const simulation = await open(subject, options);
  const hashes: string[] = [];
  try {
    let step = 0;
    for (const mark of marks) {
      for (; step < mark; step++) {
        // Waits for the GPU now and then, because a long queue can hang a device.
        if (step > 0 && step % STEPS === 0) await simulation.measure();
        onStep?.(step, marks.at(-1) as number);
        play?.(simulation, step);
        simulation.step(1 / 60);
      }
      hashes.push((await simulation.measure()).hash);
    }
    return hashes;
  } finally {
    simulation.destroy();
  }
}

export async function* verifyExact(
  subject: Subject,
  dimensions: readonly Dimensions[],
): AsyncGenerator<VerifyCase> {
  for (const [name, { hashes }] of Object.entries(EXACT_CASES)) {
    for (const dimension of dimensions) {
      const hash = await exactHash(subject, name, dimension);
      yield caseOf(name, dimension, COUNT, hash, hashes[dimension]);
    }
  }
}

export function caseOf(
  scene: string,
  dimensions: Dimensions,
  count: number,
  hash: string,
  expected: string,
): VerifyCase {
  const pass = hash === expected;
  const detail = pass ? hash : `${hash}, not ${expected}`;
  return { scene, dimensions, count, check: EXACT_CHECK, pass, detail, hash };
}
