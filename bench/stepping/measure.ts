/**
 * Times each step of a falling pile and measures its last state. An engine gets no timing if bodies are missing or
 * outside the box, or numbers are not finite.
 */
import type { Dimensions } from '../../src/core/world/world';
import { createScene, type Scene } from '../../src/scenes';
import { measureOverlaps } from '../physics/overlaps';
import { STEPPING_ENGINES, type Stepper, type SteppingEngine } from './engines';

export const DT = 1 / 60;

const WARM_UP = 10;

/** Bodies may reach this far into a wall, in diameters, because of rounding and soft contacts. */
const TOLERANCE = 0.5;

export interface SteppingRequest {
  readonly engine: SteppingEngine;
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly steps: number;
  /** Threads of cellstorm. Default: 1. */
  readonly threads?: number;
  /** After this many milliseconds, warm-up included, no further step begins. At least one step is timed anyway. */
  readonly limit: number;
}

export interface SteppingRecord {
  readonly engine: string;
  readonly kind: SteppingEngine['kind'];
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly steps: number;
  readonly median?: number | undefined;
  readonly p95?: number | undefined;
  readonly wrong?: string | undefined;
  readonly overlaps: number;
  /** Overlaps are in diameters. */
  readonly meanOverlap: number;
  readonly greatestOverlap: number;
  /** Energy per body of mass 1. */
  readonly kineticEnergy: number;
}

export async function measureStepping(request: SteppingRequest): Promise<SteppingRecord> {
  const { engine, dimensions, count, steps, limit, threads = 1 } = request;
  const scene = createScene('pile', { dimensions, count });
  const stepper = await engine.open(scene, threads);
  try {
    const begin = performance.now();
    for (let step = 0; step < WARM_UP && performance.now() - begin < limit; step++) stepper.step(DT);
    const times: number[] = [];
    while (times.length < steps && (times.length === 0 || performance.now() - begin < limit)) {
      const before = performance.now();
      stepper.step(DT);
      times.push(performance.now() - before);
    }
    return describe(request, scene, stepper, times);
  } finally {
    stepper.destroy();
  }
}

export function steppingEngines(
  dimensions: Dimensions,
  names?: readonly string[],
): readonly SteppingEngine[] {
  return STEPPING_ENGINES.filter(
    (engine) => engine.dimensions.includes(dimensions) && (names?.includes(engine.name) ?? true),
  );
}

function describe(
  { engine, dimensions, count }: SteppingRequest,
  scene: Scene,
  stepper: Stepper,
  times: readonly number[],
): SteppingRecord {
  const positions = stepper.positions();
  const velocities = stepper.velocities();
  const wrong = whatIsWrong(scene, positions, velocities);
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const energy = velocities.reduce((sum, speed) => sum + (speed * speed) / 2, 0);
  return {
    engine: engine.name,
    kind: engine.kind,
    dimensions,
    count,
    steps: times.length,
    ...(wrong === undefined ? { median: quantile(0.5), p95: quantile(0.95) } : { wrong }),
    ...overlapsOf(scene, positions),
    kineticEnergy: energy / Math.max(1, count),
  };
}

/** Says what is wrong; undefined if the state is right. */
export function whatIsWrong(
  { dimensions, count, min, max, radius }: Scene,
  positions: Float32Array,
  velocities: Float32Array,
): string | undefined {
  const left = positions.length / dimensions;
  if (left !== count) return `The engine has ${left} of ${count} bodies left.`;
  if (![...positions, ...velocities].every(Number.isFinite)) return 'Some numbers are not finite.';
  const slack = 2 * radius * TOLERANCE;
  const outside = positions.findIndex((coordinate, index) => {
    const axis = index % dimensions;
    const low = (min[axis] as number) + radius - slack;
    const high = (max[axis] as number) - radius + slack;
    // The box has no lid.
    return coordinate < low || (axis !== 1 && coordinate > high);
  });
  if (outside < 0) return undefined;
  const body = Math.floor(outside / dimensions);
  return `Body ${body} is outside the box, at ${positions[outside]} along ${'xyz'[outside % dimensions]}.`;
}

function overlapsOf({ dimensions, radius }: Scene, positions: Float32Array) {
  const { pairs, mean, deepest } = measureOverlaps(dimensions, positions, 2 * radius);
  return { overlaps: pairs, meanOverlap: mean, greatestOverlap: deepest };
}
