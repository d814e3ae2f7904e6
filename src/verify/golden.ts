/**
 * Compares exact simulations with their recorded hashes, which every device must give. A change of the law changes
 * these hashes; the failing test in tests/unit/verify/golden.test.ts then shows the new ones.
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
  /** The hashes in 2D and 3D. */
  readonly hashes: Readonly<Record<Dimensions, string>>;
}

export const EXACT_CASES: Readonly<Record<string, ExactCase>> = {
  pile: { scene: 'pile', hashes: { 2: 'e563250ed63c9904', 3: 'f8db56c9d5f7ee8b' } },
  'bouncing pile': {
    scene: 'pile',
    changes: { restitution: 0.5, friction: 1 },
    hashes: { 2: 'c2ee7c942821078e', 3: '9b190544c5941911' },
  },
  gas: { scene: 'gas', hashes: { 2: 'a71ff7c9b8c65a1b', 3: '6903f06f04cfdc6b' } },
  clustered: { scene: 'clustered', hashes: { 2: 'c30fe2ee9c86da96', 3: '54795c663f58d9aa' } },
  periodic: { scene: 'periodic', hashes: { 2: '59c243f950171983', 3: 'c45c0449abc225b4' } },
  obstacles: { scene: 'obstacles', hashes: { 2: 'c27a9612135c4f1b', 3: '0c9c2d60542a8cff' } },
  'bouncing obstacles': {
    scene: 'obstacles',
    changes: { restitution: 0.5, friction: 1, periodic: true },
    hashes: { 2: 'b144d9dc834ffdf2', 3: 'ff717484e71cd694' },
  },
  'all pairs': {
    scene: 'clustered',
    changes: { broadPhase: 'naive', substeps: 3 },
    hashes: { 2: '601adb34d62d991d', 3: 'f364e6f3ef69f506' },
  },
};

/** Returns the hash of the state that a case ends in. */
export async function exactHash(subject: Subject, name: string, dimensions: Dimensions): Promise<string> {
  const { scene, changes } = EXACT_CASES[name] as ExactCase;
  const options = sceneOptions(createScene(scene, { dimensions, count: COUNT }), { ...changes, exact: true });
  const [hash] = await hashesAfter(subject, options, [STEPS]);
  return hash as string;
}

/** Returns the hashes of the states after these numbers of steps, which ascend. `play` acts before each step. */
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
