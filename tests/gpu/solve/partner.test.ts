import { describe, expect } from 'vitest';
import { NO_PARTNER } from '../../../src/core/base/constants';
import type { BroadPhase, Substep } from '../../../src/core/contact/settings';
import { defineWorld, type World } from '../../../src/core/world/world';
import { Partner } from '../../../src/passes/solve/partner';
import { buildGrid, type Grid } from '../../../src/reference/grid/grid';
import { findPartners } from '../../../src/reference/solve/partner';
import { createScene, worldOptions } from '../../../src/scenes';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import {
  DIMENSIONS,
  FOLD,
  MOST_FOLDED,
  readWords,
  runPass,
  SMALL_COUNTS,
  share,
  substepOf,
  uploadGrid,
} from '../../helpers/passes';

const BROAD_PHASES: readonly BroadPhase[] = ['grid', 'naive'];

async function partnersOf(
  tools: GpuTools,
  world: World,
  substep: Substep,
  grid: Grid,
  broadPhase: BroadPhase,
  fold?: number,
): Promise<Uint32Array> {
  const gpu = tools.wrap(fold);
  const count = grid.ids.length;
  const pass = await Partner.create(gpu, world, broadPhase);
  const buffers = uploadGrid(tools, world, grid);
  const partners = tools.upload('partner', new Uint32Array(count).fill(7));
  const group = pass.bind({
    position_in: buffers.position,
    velocity_in: buffers.velocity,
    start: buffers.start,
    cell_of_slot: buffers.cell_of_slot,
    partner_out: partners,
  });
  const shared = await share(gpu, world, count, substep);
  runPass(gpu, (encoder) => pass.encode(encoder, shared, group, count));
  return readWords(tools, partners, count);
}

function packed(dimensions: number, ...vectors: readonly (readonly number[])[]): Float32Array {
  return Float32Array.from(vectors.flatMap((vector) => [...vector, 0, 0].slice(0, dimensions)));
}

describe.each(DIMENSIONS)('partners in %dD', (dimensions) => {
  const box = (edge: number) =>
    defineWorld(
      {
        dimensions,
        min: new Array<number>(dimensions).fill(0),
        max: new Array<number>(dimensions).fill(edge),
      },
      1,
    );

  gpuTest(
    'equal those of the reference in crowds, with the grid in folded dispatches and with the naive broad phase',
    async (_, tools) => {
      for (const count of [...SMALL_COUNTS, MOST_FOLDED]) {
        const scene = createScene('clustered', { dimensions, count });
        const world = defineWorld(worldOptions(scene), 2 * scene.radius, scene.count);
        const velocities = scatterIn(createNoise(count), scene.min, scene.max, count);
        const grid = buildGrid(world, scene.positions, velocities);
        const substep = substepOf(world, { gravity: scene.min.map(() => 2), restitution: 1 }, 1 / 60);
        const expected = findPartners(world, substep, grid);
        if (count >= 255)
          expect(expected.filter((partner) => partner !== NO_PARTNER).length).toBeGreaterThan(50);
        for (const broadPhase of BROAD_PHASES) {
          const fold = broadPhase === 'grid' ? FOLD : undefined;
          const got = await partnersOf(tools, world, substep, grid, broadPhase, fold);
          expectArraysEqual(got, expected, `partners by ${broadPhase}`);
        }
      }
    },
    SHARED,
  );

  gpuTest(
    'do not exist for particles that separate, rest, or approach no faster than the rest speed',
    async (_, tools) => {
      const world = box(40);
      const gravity = [0, -1, 0].slice(0, dimensions);
      const substep = substepOf(world, { gravity, restitution: 1, substeps: 1 }, 1 / 16);
      expect(substep.restSpeed).toBe(0.5);
      // Pairs along x, half a unit apart, which approach each other at 2·speed.
      const speeds = [-1, 0, 0.25, 0.250001, 0.5, 3];
      const positions = packed(
        dimensions,
        ...speeds.flatMap((_speed, k) => [
          [2 + 4 * k, 3],
          [2.5 + 4 * k, 3],
        ]),
      );
      const velocities = packed(dimensions, ...speeds.flatMap((speed) => [[speed], [-speed]]));
      const grid = buildGrid(world, positions, velocities);
      const slots = (id: number) => grid.slots[id] as number;
      for (const broadPhase of BROAD_PHASES) {
        const got = await partnersOf(tools, world, substep, grid, broadPhase);
        const found = speeds.map((_speed, k) => {
          const [a, b] = [slots(2 * k), slots(2 * k + 1)];
          return got[a] === b && got[b] === a ? 'each other' : [got[a], got[b]];
        });
        const alone = [NO_PARTNER, NO_PARTNER];
        expect(found).toEqual([alone, alone, alone, 'each other', 'each other', 'each other']);
      }
    },
    SHARED,
  );

  gpuTest(
    'are the fastest of several contacts, and of equally fast contacts the one with the lowest slot',
    async (_, tools) => {
      const world = box(12);
      const substep = substepOf(world, { restitution: 1 }, 1 / 60);
      const positions = packed(dimensions, [5, 6.5], [6.5, 5], [3.5, 5], [5, 3.5], [5, 5]).map(
        (coordinate) => 5 + (coordinate - 5) / 2,
      );
      for (const [speeds, wanted] of [
        [[1, 1, 1, 1], 'lowest'],
        [[1, 3, 2, 1], 1],
        [[1, 1, 1, 1.5], 3],
        [[2, 1, 2, 1], 'lowest of 0 and 2'],
      ] as const) {
        const velocities = packed(
          dimensions,
          [0, -speeds[0]],
          [-speeds[1], 0],
          [speeds[2], 0],
          [0, speeds[3]],
          [0, 0],
        );
        const grid = buildGrid(world, positions, velocities);
        const slots = (id: number) => grid.slots[id] as number;
        const expected =
          wanted === 'lowest'
            ? Math.min(...[0, 1, 2, 3].map(slots))
            : wanted === 'lowest of 0 and 2'
              ? Math.min(slots(0), slots(2))
              : slots(wanted);
        for (const broadPhase of BROAD_PHASES) {
          const got = await partnersOf(tools, world, substep, grid, broadPhase);
          expect(got[slots(4)]).toBe(expected);
          expectArraysEqual(got, findPartners(world, substep, grid), `partners by ${broadPhase}`);
        }
      }
    },
    SHARED,
  );

  gpuTest(
    'are never quarantined particles',
    async (_, tools) => {
      const world = box(12);
      const substep = substepOf(world, { restitution: 1 }, 1 / 60);
      const positions = packed(dimensions, [5, 5], [5.5, 5], [Number.NaN, 5], [9, 9]);
      const velocities = packed(dimensions, [0], [-1], [-9], [-5]);
      const grid = buildGrid(world, positions, velocities);
      const [a, b] = [grid.slots[0] as number, grid.slots[1] as number];
      for (const broadPhase of BROAD_PHASES) {
        const got = await partnersOf(tools, world, substep, grid, broadPhase);
        expect([got[a], got[b], got[grid.slots[2] as number], got[grid.slots[3] as number]]).toEqual([
          b,
          a,
          NO_PARTNER,
          NO_PARTNER,
        ]);
      }
    },
    SHARED,
  );
});
