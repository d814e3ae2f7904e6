import type { PhysicsEngine, PhysicsState } from '../../../../bench/physics/engine';
import { CELLSTORM_CPU } from '../../../../bench/physics/engines/cellstorm';
import { type Case, DEFAULT_SIZES, type GroupName, type Sizes } from '../../../../bench/physics/measure';
import { casesOf } from '../../../../bench/physics/measures';
import type { Dimensions } from '../../../../src/core/world/world';

/** Sizes that run within a second or two. */
export const SMALL: Sizes = { standing: 3, pile: 60, gas: 30, gasSteps: 200 };

export function findCase(
  group: GroupName,
  dimensions: Dimensions,
  scene: string,
  sizes = DEFAULT_SIZES,
): Case {
  const cases = casesOf(group, [dimensions], sizes);
  const found = cases.find((one) => one.scene === scene);
  if (!found) throw new Error(`"${scene}" is not among ${cases.map((one) => one.scene).join(', ')}.`);
  return found;
}

export function scriptedEngine(stateAt: (steps: number) => PhysicsState): PhysicsEngine {
  return {
    name: 'scripted',
    about: '',
    dimensions: [2, 3],
    open() {
      let steps = 0;
      return { step: () => void steps++, read: () => stateAt(steps), destroy: () => undefined };
    },
  };
}

export async function figuresOf(
  one: Case,
  engine: PhysicsEngine = CELLSTORM_CPU,
): Promise<Readonly<Record<string, number>>> {
  const numbers = await one.run(engine);
  return Object.fromEntries(one.figures.map(({ name }, index) => [name, numbers[index] as number]));
}
