import { describe, expect } from 'vitest';
import {
  CCD_FOLLOWED,
  CCD_HEADER,
  CCD_HELD,
  CCD_HITS,
  FILE_DISPATCH,
  PATH_DISPATCH,
  ROUND_DISPATCH,
  STILL_DISPATCH,
  WORKGROUP_SIZE,
} from '../../../src/core/base/constants';
import type { SettingsOptions } from '../../../src/core/contact/settings';
import { defineWorld, type World } from '../../../src/core/world/world';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { CCD_DISPATCHES, CcdPass } from '../../../src/passes/solve/ccd';
import { buildGrid, type Grid } from '../../../src/reference/grid/grid';
import { fly } from '../../../src/reference/solve/ccd';
import { integrate } from '../../../src/reference/solve/integrate';
import { ReferenceSimulation } from '../../../src/reference/solve/simulation';
import { createNoise } from '../../../src/testing/noise';
import { DT } from '../../helpers/inputs/bullets';
import { expectArraysWithin, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import {
  readVectors,
  readWords,
  runPass,
  share,
  substepOf,
  uploadGrid,
  uploadVectors,
  withDirectDispatches,
} from '../../helpers/passes';

/** Tolerance of positions: far above rounding in 32 bits, far below the change that a hit on another body makes. */
const OFF = 1e-3;

interface Flown {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly hits: number;
  readonly held: number;
  /** Words that are not zero in the lists of cells and in the claims. A pass must leave none. */
  readonly left: number;
  /** Paths that another round would follow. */
  readonly followed: number;
  /** Workgroups along the third dimension, per indirect dispatch. */
  readonly depths: readonly number[];
}

/**
 * Ends the paths of a substep. `grid` holds the state after the motion. If `most` is given, dispatches are direct, and
 * those over lists have at most `most` workgroups.
 */
async function flyOnGpu(
  tools: GpuTools,
  world: World,
  settings: SettingsOptions,
  grid: Grid,
  { nodes = 2 ** 16, most }: { readonly nodes?: number; readonly most?: number } = {},
): Promise<Flown> {
  const gpu = tools.wrap();
  const count = grid.ids.length;
  const pass = await CcdPass.create(gpu, world);
  const { position, velocity, id } = uploadGrid(tools, world, grid);
  const perParticle = (name: string) => tools.allocate(name, 8 * count);
  const heads = 2 * world.cellCount;
  const buffers = {
    position_in: position,
    velocity_in: velocity,
    id_in: id,
    struck: uploadVectors(tools, world.dimensions, 'struck', grid.velocities),
    counters: tools.allocate('counters', 4 * (CCD_HEADER + count)),
    dispatches: tools.allocate(
      'dispatches',
      4 * CCD_DISPATCHES,
      GPUBufferUsage.STORAGE | GPUBufferUsage.INDIRECT | GPUBufferUsage.COPY_SRC,
    ),
    links: tools.allocate('links', 4 * (heads + count + 2 * nodes)),
    first: perParticle('first'),
    even: perParticle('even'),
    odd: perParticle('odd'),
    claims: perParticle('claims'),
  };
  const binding = pass.bind(buffers);
  const shared = await share(gpu, world, count, substepOf(world, settings, DT));
  runPass(gpu, (encoder) => {
    pass.encodeBegin(encoder, shared, binding);
    const record = () => pass.encode(encoder, shared, binding, count);
    if (most === undefined) record();
    else withDirectDispatches(most, record);
  });
  const counters = await readWords(tools, buffers.counters, CCD_HEADER);
  const links = await readWords(tools, buffers.links, heads);
  const claims = await readWords(tools, buffers.claims, 2 * count);
  const dispatches = await readWords(tools, buffers.dispatches, CCD_DISPATCHES);
  return {
    positions: await readVectors(tools, world.dimensions, position, count),
    velocities: await readVectors(tools, world.dimensions, velocity, count),
    hits: counters[CCD_HITS] as number,
    held: counters[CCD_HELD] as number,
    left: [...links, ...claims].filter((word) => word !== 0).length,
    followed: counters[CCD_FOLLOWED] as number,
    depths: [PATH_DISPATCH, STILL_DISPATCH, ROUND_DISPATCH, FILE_DISPATCH].map(
      (word) => dispatches[word + 2] as number,
    ),
  };
}

function box(edge: number): World {
  return defineWorld({ dimensions: 2, min: [0, 0], max: [edge, edge] }, 1);
}

function movedBy(world: World, begins: readonly number[], ways: readonly number[]): Grid {
  const positions = Float32Array.from(begins, (begin, index) => begin + (ways[index] as number));
  return buildGrid(
    world,
    positions,
    Float32Array.from(ways, (way) => way / DT),
  );
}

describe('paths of fast particles', () => {
  gpuTest(
    'end at slow particles and bounce off them as in the reference, with several workgroups of particles',
    async (_, tools) => {
      const edge = 40;
      const world = box(edge);
      const random = createNoise(5);
      const around = (value: number, width: number) => value + width * (random() - 0.5);
      // The particles lie on a jittered lattice. Every ninth one is fast.
      const positions: number[] = [];
      const velocities: number[] = [];
      for (let y = 1; y < edge; y += 1.5) {
        for (let x = 1; x < edge; x += 1.5) {
          const isFast = positions.length % 18 === 0;
          positions.push(around(x, 0.25), around(y, 0.25));
          velocities.push(around(0, isFast ? 400 : 1), around(0, isFast ? 400 : 1));
        }
      }
      expect(positions.length / 2).toBeGreaterThan(2 * WORKGROUP_SIZE);
      // Gravity changes velocities by 1, so slow particles stay slow.
      const settings = { gravity: [0, -1 / DT], restitution: 0.5, substeps: 1 };
      const substep = substepOf(world, settings, DT);
      const moved = integrate(world, substep, {
        positions: Float32Array.from(positions),
        velocities: Float32Array.from(velocities),
      });
      const grid = buildGrid(world, moved.positions, moved.velocities);
      const expected = fly(world, substep, grid);
      const got = await flyOnGpu(tools, world, settings, grid);
      expect(expected.hits).toBeGreaterThan(50);
      // The last rounds follow no path, because the ends are settled before.
      expect([got.hits, got.held, got.left, got.followed]).toEqual([expected.hits, expected.held, 0, 0]);
      // If `most` is 1, a single workgroup loops over each list.
      for (const most of [1, 1000]) {
        expect(await flyOnGpu(tools, world, settings, grid, { most }), `${most} workgroups`).toEqual(got);
      }
      // Values above 1 would mean that two indirect dispatches share a word of their arguments.
      expect(got.depths).toEqual([1, 1, 1, 1]);
      expectArraysWithin(got.positions, expected.positions, OFF, 'positions');
      // If the time of a hit differs by one tick, the normal turns by less than 0.0005. Speeds are up to 300.
      expectArraysWithin(got.velocities, expected.velocities, 0.2, 'velocities');
    },
    SHARED,
  );

  gpuTest(
    'end at a wall that they cross, but not at one that they move along, even if they lie beyond it',
    async (_, tools) => {
      const world = box(16);
      const ways = [1, 0, 2, 0, 0, -3];
      const grid = movedBy(world, [14.75, 8, 4, 0.25, 0.125, 14], ways);
      const settings = { substeps: 1 };
      const got = await flyOnGpu(tools, world, settings, grid);
      const place = (id: number) => {
        const slot = grid.slots[id] as number;
        return [...got.positions.subarray(2 * slot, 2 * slot + 2)];
      };
      expect([0, 1, 2].map(place)).toEqual([
        [15.5, 8],
        [6, 0.25],
        [0.125, 11],
      ]);
      expect([got.hits, got.held, got.left]).toEqual([1, 0, 0]);
      const expected = fly(world, substepOf(world, settings, DT), grid);
      expect(expected.hits).toBe(1);
      expectArraysWithin(got.positions, expected.positions, 0, 'positions');
    },
    SHARED,
  );

  gpuTest(
    'are held only if the lists have fewer nodes than the paths need',
    async (_, tools) => {
      const world = box(16);
      // The path has eight pieces, each from the middle of a cell to the middle of the next one.
      const grid = movedBy(world, [2.5, 8.5], [8, 0]);
      for (const [nodes, held, end] of [
        [16, 0, 10.5],
        [15, 1, 9.5],
      ] as const) {
        const got = await flyOnGpu(tools, world, { substeps: 1 }, grid, { nodes });
        expect([got.held, got.hits, got.left], `${nodes} nodes`).toEqual([held, 0, 0]);
        expectArraysWithin(got.positions, [end, 8.5], OFF, `position with ${nodes} nodes`);
      }
    },
    SHARED,
  );

  gpuTest(
    'end at an obstacle, not at a wall that they reach in the same tick at the same speed',
    async (_, tools) => {
      // With these values, rounding of the time or the speed does not change the keys that order hits.
      const way = 4.098;
      const time = 0.5 + 2 ** -15;
      const [wall, height] = [7.5, 4];
      const options = {
        dimensions: 2,
        radius: 0.5,
        min: [0, 0],
        max: [8, 8],
        positions: Float32Array.of(wall - time * way, height - time * way),
        velocities: Float32Array.of(way / DT, way / DT),
        // The path ends where the overlap is a sixteenth of the diameter.
        obstacles: Float32Array.of(wall, height + 15 / 16),
        restitution: 0,
        friction: 0,
        continuous: true,
        substeps: 1,
      } as const;
      const simulation = await createSimulation(tools.wrap(), options);
      const reference = new ReferenceSimulation(options);
      simulation.step(DT);
      reference.step(DT);
      const { velocities } = await simulation.read();
      expect(await simulation.continuousCounts()).toMatchObject({ swept: 1, hits: 1, held: 0 });
      expectArraysWithin(velocities, reference.read().velocities, 1, 'velocities');
      expect(velocities[0]).toBeGreaterThan(0.9 * (way / DT));
      expect(velocities[1]).toBeLessThan(0.1 * (way / DT));
      simulation.destroy();
    },
    SHARED,
  );
});
