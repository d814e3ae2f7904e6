/**
 * One step of the engine on thirty particles, one entry at a time. Every number is an output of the reference passes
 * (src/reference): a state in the middle of a pass shows the entries of its output that are written by then. Pure: no DOM,
 * no time; chance comes from the seed alone.
 * Output: `createTrace()`, a list of steps with the state of all arrays, the entries read and written, the focus in the
 * world, and a sentence. The last step of a stage has the whole output of its reference pass.
 */
import { defaultSettings, deriveSubstep } from '../../core/contact/settings';
import { defineWorld } from '../../core/world/world';
import { Random } from '../../scenes/random';
import { traceProbe, tracePush } from './trace-contacts';
import { COLUMNS, PARTICLES, Recorder, ROWS, type Scene, type Trace } from './trace-recorder';
import { traceCount, traceHash, traceOrder, traceScatter, traceSum } from './trace-sort';

const CELL_SIZE = 1;
/** Less than a cell, so that ids can be read and the picture is not one heap. */
export const PARTICLE_DIAMETER = 0.6875;
/** Particles lie on a lattice of so many places a unit: short, exact numbers. */
const PLACES = 16;
/** No two are nearer than this at first. */
const NEAREST = 0.4375;
/** Chosen for cells of none to four particles and arrivals out of order. */
const SEED = 555;
/** Pushes take all of an overlap at once, half on each side, so that they are seen. The engine takes a share of it. */
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

/** Particles at random in a box whose low corner is `low`, none nearer to another than `nearest`. */
export function placeApart(
  random: Random,
  count: number,
  extent: readonly [number, number],
  { low = [0, 0], nearest = NEAREST }: { low?: readonly [number, number]; nearest?: number } = {},
): Float32Array {
  const positions: number[] = [];
  const inset = Math.ceil((PARTICLE_DIAMETER / 2) * PLACES);
  while (positions.length < 2 * count) {
    const place = extent.map(
      (length, axis) => (low[axis] as number) + random.between(inset, length * PLACES - inset) / PLACES,
    );
    const isNear = positions.some(
      (x, index) =>
        index % 2 === 0 &&
        Math.hypot(x - (place[0] as number), (positions[index + 1] as number) - (place[1] as number)) <
          nearest,
    );
    if (!isNear) positions.push(...place);
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

/** The step that is so far into a stage, or the stage's last; the first one where there is no such stage. */
export function findStep({ steps }: Trace, stage: string, place: number): number {
  const first = steps.findIndex((step) => step.stage === stage);
  if (first < 0) return 0;
  const last = steps.findLastIndex((step) => step.stage === stage);
  return Math.min(last, first + Math.max(0, Number.isFinite(place) ? Math.floor(place) : 0));
}
