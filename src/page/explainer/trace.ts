/**
 * Traces one substep of the engine on thirty particles, as a list of explainer steps (`Step`). The arrays contain the
 * outputs of the reference passes (src/reference). In the middle of a pass, they contain only the entries written so
 * far. All randomness comes from a seed.
 */
import { defaultSettings, deriveSubstep } from '../../core/contact/settings';
import { defineWorld } from '../../core/world/world';
import { Random } from '../../scenes';
import { traceProbe, tracePush } from './trace-contacts';
import { COLUMNS, PARTICLES, Recorder, ROWS, type Scene, type Trace } from './trace-recorder';
import { traceCount, traceHash, traceOrder, traceScatter, traceSum } from './trace-sort';

const CELL_SIZE = 1;
/** Smaller than a cell, so that ids are legible and not all particles overlap. */
export const PARTICLE_DIAMETER = 0.6875;
/** Coordinates are multiples of 1/16, so that numbers are short and exact. */
const PARTS_PER_UNIT = 16;
/** The least distance between two particles at the start. */
const NEAREST = 0.4375;
/** With this seed, cells have zero to four particles, and particles arrive out of order. */
const SEED = 555;
/**
 * Here a push removes the whole overlap, half on each side, so that the movement is visible. By default, the engine
 * removes only a part of the overlap per pass.
 */
const RELAXATION = 1;

export function createScene(seed = SEED): Scene {
  const world = defineWorld(
    { dimensions: 2, min: [0, 0], max: [COLUMNS * CELL_SIZE, ROWS * CELL_SIZE], cellSize: CELL_SIZE },
    PARTICLE_DIAMETER,
  );
  const random = new Random(seed);
  const positions = placeApart(random, PARTICLES, [COLUMNS, ROWS]);
  const arrivals = Uint32Array.from({ length: PARTICLES }, (_, index) => index);
  for (let last = PARTICLES - 1; last > 0; last--) {
    const other = random.below(last + 1);
    const moved = arrivals[last] as number;
    arrivals[last] = arrivals[other] as number;
    arrivals[other] = moved;
  }
  const settings = { ...defaultSettings(2), relaxation: RELAXATION };
  return {
    world,
    diameter: PARTICLE_DIAMETER,
    positions,
    arrivals,
    substep: deriveSubstep(world, PARTICLE_DIAMETER, settings, 0),
  };
}

/**
 * Places particles at random in a box with the low corner `low`. The distance between any two is at least `nearest`.
 */
export function placeApart(
  random: Random,
  count: number,
  extent: readonly [number, number],
  { low = [0, 0], nearest = NEAREST }: { low?: readonly [number, number]; nearest?: number } = {},
): Float32Array {
  const positions: number[] = [];
  const inset = Math.ceil((PARTICLE_DIAMETER / 2) * PARTS_PER_UNIT);
  while (positions.length < 2 * count) {
    const position = extent.map(
      (length, axis) =>
        (low[axis] as number) + random.between(inset, length * PARTS_PER_UNIT - inset) / PARTS_PER_UNIT,
    );
    const isNear = positions.some(
      (x, index) =>
        index % 2 === 0 &&
        Math.hypot(x - (position[0] as number), (positions[index + 1] as number) - (position[1] as number)) <
          nearest,
    );
    if (!isNear) positions.push(...position);
  }
  return Float32Array.from(positions);
}

export function createTrace(scene = createScene()): Trace {
  const recorder = new Recorder(scene);
  traceHash(recorder);
  traceCount(recorder);
  traceSum(recorder);
  traceScatter(recorder);
  const grid = traceOrder(recorder);
  traceProbe(recorder, grid);
  tracePush(recorder, grid);
  return { scene, steps: recorder.steps };
}

/**
 * Finds a step by its stage and its index in the stage, and returns its index in `steps`. If the stage has fewer steps,
 * returns the index of its last step. For an unknown stage, returns 0.
 */
export function findStep({ steps }: Trace, stage: string, index: number): number {
  const first = steps.findIndex((step) => step.stage === stage);
  if (first < 0) return 0;
  const last = steps.findLastIndex((step) => step.stage === stage);
  return Math.min(last, first + Math.max(0, Number.isFinite(index) ? Math.floor(index) : 0));
}
