/**
 * `followPaths` cuts each path into pieces of a few cells. It first follows all paths up to an early tick, the horizon.
 * While some paths go on, it follows them to a later horizon. Beyond the first horizon the work is limited: paths that
 * would need more are held at the last horizon. A substep has CCD_TICKS ticks.
 */
import { describe, expect, it } from 'vitest';
import type { CcdSearch, CcdState, ContinuousCounts } from '../../../../src/core/ccd/law';
import { followPaths } from '../../../../src/core/ccd/paths';
import { deriveSubstep } from '../../../../src/core/contact/settings';
import { planSimulation } from '../../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../../src/cpu';
import { CpuBoxPairs } from '../../../../src/cpu/boxes/pairs';
import { createNoise } from '../../../../src/testing/noise';
import { cornersIn } from '../../../helpers/inputs/vectors';
import { DIMENSIONS } from '../../../helpers/passes';

const DT = 1 / 64;

interface Work {
  boxes: number;
  pairs: number;
}

/** Follows paths, and counts the boxes and pairs that the search handles. `more` replaces parts of the search. */
function follow(options: SimulationOptions, piecesAtOnce?: number, more?: Partial<CcdSearch>) {
  const plan = planSimulation({ ...options, continuous: true, substeps: 1, friction: 0 });
  const { world, dimensions, count } = plan;
  const substep = deriveSubstep(world, plan.diameter, plan.settings, DT);
  const state: CcdState = {
    ids: Uint32Array.from({ length: count }, (_, id) => id),
    positions: plan.positions.slice(),
    velocities: plan.velocities.slice(),
    activeCount: count,
  };
  const pairs = new CpuBoxPairs(dimensions, world.period);
  const work: Work = { boxes: 0, pairs: 0 };
  const search: CcdSearch = {
    particles: (_low, _high, visit) => state.ids.forEach(visit),
    obstacles: undefined,
    visitObstacles: () => undefined,
    meetings(boxes, visit) {
      pairs.build(boxes);
      work.boxes += pairs.count;
      let isComplete = true;
      pairs.forEachPair((first, second) => {
        if (!isComplete) return;
        work.pairs++;
        isComplete = visit(first, second);
      });
      return isComplete;
    },
    ...more,
  };
  const counts: ContinuousCounts = followPaths(world, substep, state, search, piecesAtOnce);
  return { state, counts, work };
}

/** Discs or balls in a small periodic box. Each moves `ways` diameters. */
function crowd(dimensions: 2 | 3, seed: number, ways: number, areParallel = false): SimulationOptions {
  const corner = cornersIn(dimensions);
  const noise = createNoise(seed);
  const count = dimensions === 2 ? 20 : 40;
  const edge = dimensions === 2 ? 6 : 5;
  const positions = Float32Array.from({ length: dimensions * count }, () => edge * noise());
  const velocities = new Float32Array(dimensions * count);
  for (let id = 0; id < count; id++) {
    const way = corner(0).map((_, axis) => (areParallel ? 1 + axis / 8 : noise() - 0.5));
    const share = ways / DT / Math.hypot(...way);
    velocities.set(
      way.map((along) => share * along),
      dimensions * id,
    );
  }
  const walls = { min: corner(0), max: corner(edge), periodic: true };
  return { dimensions, radius: 0.5, ...walls, gravity: corner(0), positions, velocities };
}

describe.each(DIMENSIONS)('long paths in a small periodic box, %dD', (dimensions) => {
  it('end at the same positions as if they were followed at once', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const options = crowd(dimensions, seed, 60);
      const staged = follow(options);
      const atOnce = follow(options, Number.POSITIVE_INFINITY);
      expect(staged.counts).toEqual(atOnce.counts);
      expect(staged.state).toEqual(atOnce.state);
      expect(staged.counts.hits).toBeGreaterThan(15);
      expect(staged.work.pairs).toBeLessThan(atOnce.work.pairs / 4);
    }
  });

  it('take little work if they soon end at a hit, however far they would lead', () => {
    for (const ways of [1000, 1e5]) {
      const { counts, work } = follow(crowd(dimensions, 5, ways));
      expect(counts.held).toBe(0);
      expect(work.boxes).toBeLessThan(8000);
      expect(work.pairs).toBeLessThan(2 ** 20);
    }
  });

  it('are held if they meet nothing, and go on in the next substep', () => {
    const options = crowd(dimensions, 6, 1000, true);
    const { counts, work, state } = follow(options);
    expect(counts).toMatchObject({ swept: counts.paths, hits: 0, held: counts.paths });
    expect(work.pairs).toBeLessThan(2 ** 20);
    expect(state.velocities).toEqual(options.velocities);
    const simulation = createCpuSimulation({ ...options, continuous: true, substeps: 1, friction: 0 });
    const before = simulation.read();
    simulation.step(DT);
    const after = simulation.read();
    expect(simulation.continuousCounts().held).toBe(counts.paths);
    expect(after.positions).not.toEqual(before.positions);
    expect(after.velocities).toEqual(before.velocities);
  });

  it('have a single piece if they would need more than 16 per tick, so the particles stay at their start', () => {
    const { counts, work } = follow(crowd(dimensions, 7, 1e7));
    expect(counts.hits + counts.held).toBe(counts.paths);
    expect(work.boxes).toBe(counts.paths);
  });
});

it.each([
  ['followed to the end', 2 ** 18, 0],
  ['held', 2 ** 18 + 1, 2],
])(
  'two long paths are %s if the search beyond the first horizon finds %d pairs of pieces',
  (_, found, held) => {
    // Two discs move 100 diameters side by side and do not meet.
    const options: SimulationOptions = {
      dimensions: 2,
      radius: 0.5,
      min: [0, 0],
      max: [64, 8],
      periodic: true,
      positions: Float32Array.of(2, 2, 2, 6),
      velocities: Float32Array.of(100 / DT, 0, 100 / DT, 0),
    };
    const { counts } = follow(options, undefined, {
      meetings(boxes, visit) {
        // Report one pair `found` times: the first piece of one path and the last of the other.
        const last = boxes.length / 4 - 1;
        for (let pair = 0; pair < found; pair++) if (!visit(0, last)) return false;
        return true;
      },
    });
    expect(counts).toEqual({ substepped: 0, swept: 2, paths: 2, hits: 0, held });
  },
);

describe('extreme gravity in an unbounded world of variable radii', () => {
  it.each([1e6, 1e8, 1e12])('takes bounded work: gravity %d', { tags: 'full' }, (gravity) => {
    const noise = createNoise(3);
    const count = 60;
    const simulation = createCpuSimulation({
      dimensions: 2,
      unbounded: true,
      positions: Float32Array.from({ length: 2 * count }, () => 24 * noise()),
      radii: Float32Array.from({ length: count }, () => 2 ** (-5 * noise())),
      gravity: [0, -gravity],
      continuous: true,
    });
    for (let step = 0; step < 2; step++) simulation.step(1 / 60);
    const { positions, velocities } = simulation.read();
    expect([...positions, ...velocities].every(Number.isFinite)).toBe(true);
    const { paths, held } = simulation.continuousCounts();
    expect(paths).toBe(8 * count);
    if (gravity >= 1e8) expect(held).toBeGreaterThan(0);
  });
});
