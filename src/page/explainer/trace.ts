/**
 * Records one substep on thirty particles as steps of the explainer. The arrays of a step hold outputs of
 * src/reference, but only the entries that have been written so far.
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
/** Positions are multiples of 1/16, which are short as text and exact as numbers. */
const PARTS_PER_UNIT = 16;
/** Least distance between two particles at the start. */
const NEAREST = 0.4375;
/** With this seed, a cell has zero to four particles, and they arrive out of order. */
const SEED = 555;
/** One push removes the whole overlap, so that the push is visible. The engine's default removes less. */
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

/** `low` is the lowest corner of the box, `nearest` the least distance between two particles. */
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
 * Returns the index in `steps` of step `index` of a stage. If the stage has fewer steps, returns that of its last step;
 * for an unknown stage, returns 0.
 */
export function findStep({ steps }: Trace, stage: string, index: number): number {
  const first = steps.findIndex((step) => step.stage === stage);
  if (first < 0) return 0;
  const last = steps.findLastIndex((step) => step.stage === stage);
  return Math.min(last, first + Math.max(0, Number.isFinite(index) ? Math.floor(index) : 0));
}
