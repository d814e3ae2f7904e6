import { describe, expect } from 'vitest';
import type { BroadPhase, SettingsOptions, Substep } from '../../../src/core/contact/settings';
import { defineWorld, type World } from '../../../src/core/world/world';
import { Partner } from '../../../src/passes/solve/partner';
import { Resolve, type ResolveMode } from '../../../src/passes/solve/resolve';
import { buildGrid, type Grid } from '../../../src/reference/grid/grid';
import { resolveBound } from '../../../src/reference/solve/bound';
import { minimumImageInDoubles } from '../../../src/reference/solve/contact';
import { createScene, worldOptions } from '../../../src/scenes';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import {
  allocateVectors,
  bitsOf,
  DIMENSIONS,
  FOLD,
  MOST_FOLDED,
  readVectors,
  runPass,
  SMALL_COUNTS,
  share,
  substepOf,
  uploadGrid,
} from '../../helpers/passes';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';

interface State {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

/** Returns the state by slot. Velocities that the pass does not write are NaN. */
async function resolveGrid(
  tools: GpuTools,
  world: World,
  substep: Substep,
  grid: Grid,
  mode: ResolveMode,
  broadPhase: BroadPhase = 'grid',
  fold?: number,
): Promise<State> {
  const { dimensions } = world;
  const gpu = tools.wrap(fold);
  const count = grid.ids.length;
  const partner = await Partner.create(gpu, world, broadPhase);
  const resolve = await Resolve.create(gpu, world, broadPhase, mode);
  const { position, velocity, start, cell_of_slot } = uploadGrid(tools, world, grid);
  const partners = tools.allocate('partner', 4 * count);
  const output = {
    position_out: allocateVectors(tools, dimensions, 'position', count),
    velocity_out: allocateVectors(tools, dimensions, 'velocity', count),
  };
  const state = { position_in: position, velocity_in: velocity, start, cell_of_slot };
  const before = partner.bind({ ...state, partner_out: partners });
  const group = resolve.bind({ ...state, ...output, partner_in: partners });
  const shared = await share(gpu, world, count, substep);
  runPass(gpu, (pass) => {
    if (substep.restitution > 0) partner.encode(pass, shared, before, count);
    resolve.encode(pass, shared, group, count);
  });
  return {
    positions: await readVectors(tools, dimensions, output.position_out, count),
    velocities: await readVectors(tools, dimensions, output.velocity_out, count),
  };
}

/** Scenes without contacts at the start. */
const APART: readonly string[] = ['gas', 'lattice', 'pile'];

/** Expects that each slot is within its bound of exact arithmetic, and that bounds are far below the changes. */
function expectBounded(
  got: State,
  world: World,
  substep: Substep,
  grid: Grid,
  mode: ResolveMode,
  touches = true,
): void {
  const { dimensions } = world;
  const bound = resolveBound(world, substep, grid, mode === 'respond' ? 'resolve' : 'pushApart');
  let unsettled = 0;
  let moved = 0;
  for (let slot = 0; slot < grid.ids.length; slot++) {
    const pairs = [[got.positions, bound.exactPositions, bound.positions, grid.positions] as const];
    if (mode === 'respond') {
      pairs.push([got.velocities, bound.exactVelocities, bound.velocities, grid.velocities]);
    }
    for (const [values, exact, limits, before] of pairs) {
      // The bound covers the difference of two rounded results. Here one is exact, so half of the bound must suffice.
      const limit = (limits[slot] as number) / 2;
      if (!Number.isFinite(limit)) unsettled++;
      for (let axis = 0; axis < dimensions; axis++) {
        const index = slot * dimensions + axis;
        const [value, wanted] = [values[index] as number, exact[index] as number];
        if (Number.isNaN(wanted) && Number.isNaN(value)) continue;
        const period = values === got.positions ? (world.period[axis] as number) : 0;
        const difference = value === wanted ? 0 : Math.abs(minimumImageInDoubles(value - wanted, period));
        if (!(difference <= limit)) {
          expect.fail(`slot ${slot}, axis ${axis}: ${value} is ${difference} from ${wanted}, over ${limit}`);
        }
        if (Math.abs(wanted - (before[index] as number)) > 100 * limit) moved++;
      }
    }
  }
  // The bound is infinite only at the threshold of coincidence.
  expect(unsettled).toBe(0);
  if (touches && grid.ids.length >= 200) expect(moved).toBeGreaterThan(grid.ids.length / 10);
}

/** Returns particles that are not dyadic. Some are outside the box, and some coincide. */
function crowd(dimensions: 2 | 3, count: number, seed = count): { world: World; grid: Grid } {
  const noise = createNoise(seed);
  const edge = 0.73 * (count / (dimensions === 2 ? 1.5 : 2.5)) ** (1 / dimensions) + 1.1;
  const min = [-3.1, 2.7, -0.9].slice(0, dimensions);
  const max = min.map((low) => low + edge);
  const world = defineWorld({ dimensions, min, max }, 0.73);
  const positions = scatterIn(noise, min, max, count, 0.05);
  for (let particle = 10; particle < count; particle += 10) {
    positions.copyWithin(particle * dimensions, (particle / 2) * dimensions, (particle / 2 + 1) * dimensions);
  }
  const velocities = scatterIn(noise, min.fill(-2), max.fill(2), count);
  return { world, grid: buildGrid(world, positions, velocities) };
}

const CASES: readonly (readonly [string, SettingsOptions])[] = [
  ['with the default settings', {}],
  ['with friction', { friction: 0.6 }],
  ['without walls', { walls: false, friction: 0.3 }],
  ['with elastic contacts', { restitution: 1, friction: 0 }],
  ['with restitution and friction', { restitution: 0.4, friction: 0.7 }],
  ['at full relaxation in one substep', { relaxation: 1, substeps: 1 }],
];

describe.each(DIMENSIONS)('a resolve pass in %dD', (dimensions) => {
  const gravity = [1, -9.81, 0.5].slice(0, dimensions);

  for (const [name, settings] of CASES) {
    gpuTest(
      `stays within the bound ${name}, with the same bits for both broad phases`,
      async (_, tools) => {
        const { world, grid } = crowd(dimensions, 400);
        const substep = substepOf(world, { gravity, substeps: 4, ...settings }, 1 / 60);
        const got = await resolveGrid(tools, world, substep, grid, 'respond');
        expectBounded(got, world, substep, grid, 'respond');
        const naive = await resolveGrid(tools, world, substep, grid, 'respond', 'naive');
        expectArraysEqual(bitsOf(naive.positions), bitsOf(got.positions), 'naive positions');
        expectArraysEqual(bitsOf(naive.velocities), bitsOf(got.velocities), 'naive velocities');
      },
      SHARED,
    );
  }

  gpuTest(
    'that only pushes apart stays within the bound, with the same bits for both broad phases',
    async (_, tools) => {
      for (const settings of [{}, { walls: false, relaxation: 0.9 }]) {
        const { world, grid } = crowd(dimensions, 400);
        const substep = substepOf(world, settings);
        const got = await resolveGrid(tools, world, substep, grid, 'pushApart');
        expectBounded(got, world, substep, grid, 'pushApart');
        const naive = await resolveGrid(tools, world, substep, grid, 'pushApart', 'naive');
        expectArraysEqual(bitsOf(naive.positions), bitsOf(got.positions), 'naive positions');
      }
    },
    SHARED,
  );

  async function expectSceneBounded(tools: GpuTools, name: string, count: number, fold?: number) {
    const scene = createScene(name, { dimensions, count });
    const world = defineWorld(worldOptions(scene), 2 * scene.radius, scene.count);
    const velocities = scatterIn(createNoise(count), scene.min, scene.max, count);
    const grid = buildGrid(world, scene.positions, velocities);
    const substep = substepOf(world, { gravity, restitution: 0.3 }, 1 / 60);
    const got = await resolveGrid(tools, world, substep, grid, 'respond', 'grid', fold);
    expectBounded(got, world, substep, grid, 'respond', !APART.includes(name));
  }

  for (const name of EQUAL_RADIUS_SCENES) {
    gpuTest(
      `stays within the bound in the scene ${name}`,
      (_, tools) => expectSceneBounded(tools, name, 200),
      SHARED_CASE,
    );
  }

  for (const fold of [undefined, FOLD]) {
    gpuTest(
      `stays within the bound for counts around the size of a workgroup, in ${fold ? 'folded' : 'plain'} dispatches`,
      async (_, tools) => {
        for (const count of [...SMALL_COUNTS, MOST_FOLDED]) {
          await expectSceneBounded(tools, 'uniform', count, fold);
        }
      },
      SHARED,
    );
  }

  gpuTest(
    'keeps the momentum of contacts without static friction: both sides compute the same bits',
    async (_, tools) => {
      const { world } = crowd(dimensions, 300);
      const noise = createNoise(11);
      const pairs = 40;
      const positions = new Float32Array(2 * pairs * dimensions);
      const velocities = new Float32Array(2 * pairs * dimensions);
      const wide = defineWorld(
        { dimensions, min: world.min.map(() => 0), max: world.min.map(() => 200) },
        0.73,
      );
      for (let pair = 0; pair < pairs; pair++) {
        for (let axis = 0; axis < dimensions; axis++) {
          const centre = axis === 0 ? 3 + 4 * pair : 50;
          for (const side of [0, 1]) {
            positions[(2 * pair + side) * dimensions + axis] = centre + 0.3 * noise();
            velocities[(2 * pair + side) * dimensions + axis] = 4 * noise() - 2;
          }
        }
      }
      const grid = buildGrid(wide, positions, velocities);
      // With gravity, static friction would hold only the upper particle of a pair.
      for (const settings of [
        { restitution: 1, friction: 0.5 },
        { restitution: 0.5 },
        { friction: 1 },
        { restitution: 0.5, friction: 0, gravity },
        { friction: 0, gravity },
      ]) {
        // With strain, `taken` (core/contact/law.ts) would change the momentum.
        const substep = { ...substepOf(wide, { ...settings, walls: false }, 1 / 60), strainRate: 0 };
        const got = await resolveGrid(tools, wide, substep, grid, 'respond');
        for (let pair = 0; pair < pairs; pair++) {
          const [a, b] = [grid.slots[2 * pair] as number, grid.slots[2 * pair + 1] as number];
          for (let axis = 0; axis < dimensions; axis++) {
            const at = (slot: number) => slot * dimensions + axis;
            const change = (slot: number) =>
              (got.velocities[at(slot)] as number) - (grid.velocities[at(slot)] as number);
            // Each side rounds its own sum once.
            const rounding =
              2 ** -24 *
              (Math.abs(got.velocities[at(a)] as number) + Math.abs(got.velocities[at(b)] as number));
            expect(Math.abs(change(a) + change(b))).toBeLessThanOrEqual(rounding);
          }
        }
      }
    },
    SHARED,
  );

  gpuTest(
    'copies quarantined particles unchanged, and they do not affect other particles',
    async (_, tools) => {
      const { world, grid } = crowd(dimensions, 300);
      const positions = new Float32Array(grid.positions.length);
      const velocities = new Float32Array(grid.positions.length);
      grid.ids.forEach((id, slot) => {
        for (let axis = 0; axis < dimensions; axis++) {
          positions[id * dimensions + axis] = grid.positions[slot * dimensions + axis] as number;
          velocities[id * dimensions + axis] = grid.velocities[slot * dimensions + axis] as number;
        }
      });
      const alone = buildGrid(world, positions, velocities);
      const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      const extra = Float32Array.from({ length: 9 * dimensions }, (_value, index) =>
        index % dimensions === 0 ? (odd[(index / dimensions) % 3] as number) : 3,
      );
      const together = buildGrid(
        world,
        Float32Array.of(...positions, ...extra),
        Float32Array.of(...velocities, ...extra),
      );
      for (const broadPhase of ['grid', 'naive'] as const) {
        const substep = substepOf(world, { gravity, restitution: 0.5, friction: 0.5 }, 1 / 60);
        const without = await resolveGrid(tools, world, substep, alone, 'respond', broadPhase);
        const got = await resolveGrid(tools, world, substep, together, 'respond', broadPhase);
        const here = 300 * dimensions;
        for (const name of ['positions', 'velocities'] as const) {
          expectArraysEqual(bitsOf(got[name].slice(0, here)), bitsOf(without[name]), name);
          expectArraysEqual(got[name].slice(here), together[name].slice(here), `${name} in quarantine`);
        }
      }
    },
    SHARED,
  );

  gpuTest(
    'pushes coincident particles apart along an axis, in opposite directions',
    async (_, tools) => {
      const world = defineWorld({ dimensions, min: gravity.map(() => 0), max: gravity.map(() => 9) }, 1);
      const grid = buildGrid(world, new Float32Array(2 * dimensions).fill(4.25));
      const substep = substepOf(world, { relaxation: 0.5 });
      for (const broadPhase of ['grid', 'naive'] as const) {
        const { positions } = await resolveGrid(tools, world, substep, grid, 'pushApart', broadPhase);
        // The sum of the slots, 0 and 1, selects the axis: y.
        const moves = [...positions].map((coordinate) => coordinate - 4.25);
        expect(moves.filter((move) => move !== 0)).toEqual([-0.25, 0.25]);
        expect([moves[1], moves[dimensions + 1]]).toEqual([-0.25, 0.25]);
      }
    },
    SHARED,
  );
});
