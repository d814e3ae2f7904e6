import { describe, expect } from 'vitest';
import {
  CROWD_HEADER,
  CROWD_RUN,
  CROWD_TILE,
  CROWDED,
  HEAVY_DISPATCH,
  HEAVY_ROW,
  LOOPING_WORKGROUPS,
} from '../../../src/core/base/constants';
import { deriveSubstep } from '../../../src/core/contact/settings';
import { bucketOfLattice, wrapPositions } from '../../../src/core/world/cells';
import { type Dimensions, defineWorld, type World, type WorldOptions } from '../../../src/core/world/world';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { wrapDevice } from '../../../src/gpu/device';
import { Crowd } from '../../../src/passes/grid/crowd';
import { buildGrid, type Grid } from '../../../src/reference/grid/grid';
import { resolveBound } from '../../../src/reference/solve/bound';
import { minimumImageInDoubles } from '../../../src/reference/solve/contact';
import { createScene, sceneOptions } from '../../../src/scenes';
import { createNoise } from '../../../src/testing/noise';
import { expectArraysEqual, gpuTest, HARDWARE, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import {
  DIMENSIONS,
  FOLD,
  readWords,
  runPass,
  share,
  shuffled,
  uploadGrid,
  uploadVectors,
  withDirectDispatches,
} from '../../helpers/passes';

const EDGE = 6;

const WORLDS: Readonly<Record<string, (dimensions: Dimensions) => WorldOptions>> = {
  bounded: (dimensions) => box(dimensions),
  periodic: (dimensions) => ({ ...box(dimensions), periodic: true }),
  unbounded: (dimensions) => ({ dimensions, unbounded: true }),
};

function box(dimensions: Dimensions): WorldOptions {
  const corner = (value: number) => new Array<number>(dimensions).fill(value);
  return { dimensions, min: corner(0), max: corner(EDGE) };
}

/** Returns `crowd` positions in the first cell and `others` anywhere, shuffled and dyadic. */
function crowdIn(dimensions: Dimensions, crowd: number, others: number): Float32Array {
  const noise = createNoise(crowd);
  const order = shuffled(
    Array.from({ length: crowd + others }, (_, index) => index),
    noise,
  );
  const positions = new Float32Array(dimensions * order.length);
  order.forEach((rank, id) => {
    const span = rank < crowd ? 1 : EDGE;
    for (let axis = 0; axis < dimensions; axis++) {
      positions[dimensions * id + axis] = Math.floor(noise() * span * 1024) / 1024;
    }
  });
  return positions;
}

/**
 * Returns the slots of heavy particles. In a bounded world, a particle is heavy if three rows of three cells, side by
 * side around it, together hold more than 3 * HEAVY_ROW particles. In other worlds, one row must hold more than
 * HEAVY_ROW.
 */
function heavyOf(world: World, { lattices, start, ids }: Grid): number[] {
  const { dimensions, kind, cells, cellCount } = world;
  const inCells = start[cellCount] as number;
  const cellOf = (slot: number) => [...lattices.subarray(dimensions * slot, dimensions * (slot + 1))];
  const wrap = (value: number, axis: number) =>
    kind === 'periodic' ? (value + (cells[axis] as number)) % (cells[axis] as number) : value;
  const held = (cell: readonly number[]) => {
    const bucket = bucketOfLattice(world, cell);
    return (start[bucket + 1] as number) - (start[bucket] as number);
  };
  const steps = [-1, 0, 1];
  return Array.from(ids.subarray(0, inCells).keys()).filter((slot) => {
    const cell = cellOf(slot);
    const layers = (dimensions === 3 ? steps : [0]).map((dz) =>
      steps.map((dy) =>
        steps.reduce((sum, dx) => {
          const offset = [dx, dy, dz].slice(0, dimensions);
          return sum + held(cell.map((value, axis) => wrap(value + (offset[axis] as number), axis)));
        }, 0),
      ),
    );
    if (kind !== 'bounded') return layers.flat().some((row) => row > HEAVY_ROW);
    return layers.some((rows) => rows.reduce((sum, row) => sum + row, 0) > 3 * HEAVY_ROW);
  });
}

gpuTest(
  'the passes of Crowd sort only crowded buckets, whatever the order of their entries and tiles',
  async (_, tools) => {
    const noise = createNoise(8);
    const world = defineWorld({ ...box(2), crowds: true }, 1);
    for (const [lengths, fold] of [
      [[CROWDED, CROWDED + 1, 3, CROWD_TILE, CROWD_TILE + 1, 2 * CROWD_TILE - 1], undefined],
      [[700, 5, 300], FOLD],
      [[7, CROWD_RUN + 1, 300], undefined],
    ] as const) {
      const count = lengths.reduce((sum, length) => sum + length, 0);
      const start = new Uint32Array(world.cellCount + 2).fill(count);
      const entries = new Uint32Array(2 * count);
      const expected = new Uint32Array(2 * count);
      const tiles: [number, number][] = [];
      let first = 0;
      lengths.forEach((length, index) => {
        const bucket = 3 * index + 1;
        start.fill(first, index === 0 ? 0 : bucket - 2, bucket + 1);
        const ids = shuffled(
          Uint32Array.from({ length }, (_value, offset) => 5 * offset + index),
          noise,
        );
        const sorted = length > CROWDED ? ids.slice().sort() : ids;
        ids.forEach((id, offset) => {
          entries.set([id + 1, id], 2 * (first + offset));
        });
        sorted.forEach((id, offset) => {
          expected.set([id + 1, id], 2 * (first + offset));
        });
        for (let tile = 0; length > CROWDED && tile * CROWD_TILE < length; tile++) tiles.push([bucket, tile]);
        first += length;
        start.fill(first, bucket + 1);
      });
      const gpu = tools.wrap(fold);
      const crowd = await Crowd.create(gpu, world, count);
      const listed = shuffled(
        tiles.map((_tile, index) => index),
        noise,
      ).flatMap((index) => tiles[index] as [number, number]);
      gpu.device.queue.writeBuffer(
        crowd.list,
        0,
        Uint32Array.of(tiles.length, 0, Math.min(tiles.length, 3), 1, 1, 0, 1, 1, ...listed),
      );
      const buffers = {
        start: tools.upload('start', start),
        entries: tools.upload('entries', entries),
        scratch: tools.allocate('scratch', 8 * count),
        position_in: tools.allocate('position', 8 * count),
        cell_of_slot: tools.allocate('cell', 4 * count),
      };
      const binding = crowd.bind(buffers);
      const shared = await share(gpu, world, count);
      runPass(gpu, (pass) => {
        const record = () => crowd.encodeSort(pass, shared, binding, 'entries');
        if (fold === undefined) record();
        else withDirectDispatches(FOLD + 1, record);
      });
      expectArraysEqual(await readWords(tools, buffers.entries, 2 * count), expected, 'entries');
      runPass(gpu, (pass) => crowd.encodeClear(pass, shared, binding));
      expect([...(await readWords(tools, crowd.list, CROWD_HEADER))]).toEqual([0, 0, 0, 1, 1, 0, 1, 1]);
      crowd.destroy();
    }
  },
  SHARED,
);

describe.each(DIMENSIONS)('crowds in %dD', (dimensions) => {
  for (const [name, options] of Object.entries(WORLDS)) {
    gpuTest(
      `have a list of exactly the heavy particles, in a world that is ${name}`,
      async (_, tools) => {
        let heavy = 0;
        for (const crowd of [CROWDED, HEAVY_ROW, HEAVY_ROW + 1, 3 * HEAVY_ROW + 1]) {
          const positions = crowdIn(dimensions, crowd, 150);
          const count = crowd + 150;
          const world = defineWorld({ ...options(dimensions), crowds: true }, 1, count);
          const grid = buildGrid(world, positions);
          const gpu = tools.wrap();
          const lister = await Crowd.create(gpu, world, count);
          gpu.device.queue.writeBuffer(
            lister.list,
            0,
            Uint32Array.of(crowd > CROWDED ? 1 : 0, 0, 0, 1, 1, 0, 1, 1),
          );
          const sorted = uploadGrid(tools, world, grid);
          const binding = lister.bind({
            start: sorted.start,
            entries: tools.allocate('entries', 8 * count),
            scratch: tools.allocate('scratch', 8 * count),
            position_in: sorted.position,
            cell_of_slot: sorted.cell_of_slot,
          });
          const shared = await share(gpu, world, count);
          runPass(gpu, (pass) => lister.encodeHeavy(pass, shared, binding, count));
          const words = await readWords(tools, lister.list, CROWD_HEADER + count);
          const expected = crowd > CROWDED ? heavyOf(world, grid) : [];
          const listed = words.subarray(CROWD_HEADER, CROWD_HEADER + (words[1] as number));
          expectArraysEqual(listed.slice().sort(), Uint32Array.from(expected), 'heavy');
          expect([...words.subarray(HEAVY_DISPATCH, CROWD_HEADER)]).toEqual([
            Math.min(expected.length, LOOPING_WORKGROUPS),
            1,
            1,
          ]);
          heavy += expected.length;
          lister.destroy();
        }
        expect(heavy).toBeGreaterThan(3 * HEAVY_ROW);
      },
      dimensions === 2 ? SHARED : SHARED_CASE,
    );

    gpuTest(
      `are sorted by id within each cell, in a world that is ${name}`,
      async (device, tools) => {
        for (const crowd of [CROWDED + 1, CROWD_TILE + 1]) {
          const positions = crowdIn(dimensions, crowd, 300);
          const count = crowd + 300;
          const grid = await HashGrid.create(tools.wrap(), {
            ...options(dimensions),
            crowds: true,
            diameter: 1,
            capacity: count,
          });
          const input = uploadVectors(tools, dimensions, 'positions', positions);
          const encoder = device.createCommandEncoder();
          grid.encode(encoder, { positions: input, count });
          device.queue.submit([encoder.finish()]);
          const expected = buildGrid(grid.world, positions);
          expectArraysEqual(await readWords(tools, grid.ids, count), expected.ids, 'ids');
          grid.destroy();
        }
      },
      dimensions === 2 ? SHARED : SHARED_CASE,
    );

    gpuTest(
      `stay within the bound, and step to the same bits with direct dispatches, in a world that is ${name}`,
      async (_, tools) => {
        // Use only as many particles as make some heavy, because deriving the bound visits every pair.
        const crowd = (name === 'bounded' ? 3 : 1) * HEAVY_ROW + 40;
        const positions = crowdIn(dimensions, crowd, 100);
        const radius = 0.5;
        const settings = { substeps: 1, restitution: 0.5, friction: 0.25, walls: false };
        const hashes: string[] = [];
        for (let run = 0; run < 2; run++) {
          const simulation = await createSimulation(tools.wrap(), {
            ...options(dimensions),
            ...settings,
            crowds: true,
            radius,
            positions,
          });
          const { world } = simulation;
          expect((await simulation.measure()).crowded).toBeGreaterThanOrEqual(crowd);
          const few = (record: () => void) => (run === 0 ? record() : withDirectDispatches(3, record));
          few(() => simulation.separate(1));
          const substep = deriveSubstep(world, 1, simulation.settings, 0);
          const grid = buildGrid(world, positions, new Float32Array(positions.length));
          if (run === 0) {
            expect(heavyOf(world, grid).length).toBeGreaterThanOrEqual(crowd);
            expectWithin(await simulation.read(), grid, world, substep, 'pushApart');
          }
          few(() => simulation.step(1 / 64));
          hashes.push((await simulation.measure()).hash);
          simulation.destroy();
        }
        expect(hashes[1]).toBe(hashes[0]);
      },
      SHARED_CASE,
    );
  }

  gpuTest(
    'give the same bits with the kernels for hardware, in a world with levels',
    async (device, tools) => {
      const crowd = 2 * HEAVY_ROW;
      const positions = crowdIn(dimensions, crowd, 100);
      const radii = Float32Array.from({ length: crowd + 100 }, (_value, id) => (id % 50 === 0 ? 0.5 : 0.01));
      const hashes = new Set<string>();
      for (const gpu of [tools.wrap(), wrapDevice(device, HARDWARE)]) {
        const simulation = await createSimulation(gpu, {
          ...box(dimensions),
          positions,
          radii,
          restitution: 0.5,
          substeps: 2,
        });
        simulation.step(1 / 64);
        hashes.add((await simulation.measure()).hash);
        simulation.destroy();
      }
      expect(hashes.size).toBe(1);
    },
    { ...SHARED, tags: 'full' },
  );

  gpuTest(
    'bounce as in the reference, although several threads look for their partners',
    async (_, tools) => {
      // One crowded row is enough, since the world is periodic.
      const positions = crowdIn(dimensions, HEAVY_ROW + 120, 50);
      const velocities = positions.map((_value, index) => (((index * 7919) % 65) - 32) / 16);
      const simulation = await createSimulation(tools.wrap(), {
        ...box(dimensions),
        periodic: true,
        crowds: true,
        radius: 0.5,
        positions,
        velocities,
        restitution: 0.5,
        friction: 0.25,
        substeps: 1,
      });
      const { world, settings } = simulation;
      simulation.step(1 / 64);
      const substep = deriveSubstep(world, 1, settings, 1 / 64);
      const moved = wrapPositions(
        world,
        positions.map((value, index) => value + (velocities[index] as number) / 64),
      );
      const grid = buildGrid(world, moved, velocities);
      expect(heavyOf(world, grid).length).toBeGreaterThan(200);
      expectWithin(await simulation.read(), grid, world, substep, 'resolve');
      simulation.destroy();
    },
    // Deriving the bound takes seconds in 3D.
    dimensions === 2 ? SHARED : { ...SHARED, tags: 'full' },
  );

  gpuTest(
    'are shared among threads by a kernel that defines merge, with the same result',
    async (device, tools) => {
      const crowd = 3 * HEAVY_ROW + 1;
      const positions = crowdIn(dimensions, crowd, 100);
      const count = crowd + 100;
      const code = (merge: string) => `
struct Own { near: u32, threads: u32 }
fn begin(particle: Particle) -> Own { return Own(0u, 1u); }
fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) { (*own).near += 1u; }
${merge}
fn finish(own: Own, particle: Particle) { found[id_of(particle.slot)] = vec2u(own.near, own.threads); }
`;
      const merge = `fn merge(own: ptr<function, Own>, other: Own) {
  (*own).near += other.near;
  (*own).threads += other.threads;
}`;
      const grid = await HashGrid.create(tools.wrap(), {
        ...box(dimensions),
        crowds: true,
        diameter: 1,
        capacity: count,
      });
      const input = uploadVectors(tools, dimensions, 'positions', positions);
      const results: Uint32Array[] = [];
      for (const text of ['', merge]) {
        const kernel = await grid.kernel({
          code: code(text),
          buffers: { found: { type: 'array<vec2u>', access: 'write' } },
        });
        const found = tools.allocate('found', 8 * count);
        const encoder = device.createCommandEncoder();
        grid.encode(encoder, { positions: input, count });
        kernel.encode(encoder, { buffers: { found } });
        device.queue.submit([encoder.finish()]);
        results.push(await readWords(tools, found, 2 * count));
        kernel.destroy();
      }
      const [alone, shared] = results as [Uint32Array, Uint32Array];
      const near = (words: Uint32Array) => words.filter((_value, index) => index % 2 === 0);
      const threads = (words: Uint32Array) => words.filter((_value, index) => index % 2 === 1);
      expectArraysEqual(near(shared), near(alone), 'neighbours');
      expect(new Set(threads(alone))).toEqual(new Set([1]));
      const expected = heavyOf(grid.world, buildGrid(grid.world, positions));
      expect(threads(shared).filter((value) => value === 64)).toHaveLength(expected.length);
      expect(new Set(threads(shared))).toEqual(new Set([1, 64]));
      const wrong = merge.replace('other: Own', 'other: u32');
      await expect(
        grid.kernel({
          code: code(wrong),
          buffers: { found: { type: 'array<vec2u>', access: 'write' } },
        }),
      ).rejects.toThrow(
        'code is WGSL whose `fn merge` has another signature, but it must be `fn merge(own: ptr<function, Own>, other: Own)`, without a result.',
      );
      grid.destroy();
    },
    SHARED,
  );

  gpuTest(
    'cost four bytes per particle and additional passes only with the option `crowds`',
    async (_, tools) => {
      const gpu = tools.wrap();
      const scene = createScene('uniform', { dimensions, count: 1000 });
      const sizes: number[] = [];
      const names: string[][] = [];
      for (const crowds of [false, true]) {
        const simulation = await createSimulation(gpu, sceneOptions(scene, { crowds }));
        sizes.push(simulation.memoryBytes);
        names.push(Object.keys((await simulation.profile(1 / 60)).stages));
        simulation.destroy();
      }
      const [plain, made] = sizes as [number, number];
      expect(made - plain).toBe(16 * Math.ceil((4 * (CROWD_HEADER + 1000)) / 16));
      expect(names).toEqual([
        ['integrate', 'scan', 'scatter', 'gather', 'resolve'],
        ['integrate', 'scan', 'crowd', 'scatter', 'gather', 'heavy', 'resolve'],
      ]);
    },
    // Nothing depends on what the passes compute.
    { driverless: true },
  );
});

function expectWithin(
  got: { readonly ids: Uint32Array; readonly positions: Float32Array; readonly velocities: Float32Array },
  grid: Grid,
  world: World,
  substep: ReturnType<typeof deriveSubstep>,
  pass: 'resolve' | 'pushApart',
): void {
  const { dimensions } = world;
  const bound = resolveBound(world, substep, grid, pass);
  let moved = 0;
  for (let slot = 0; slot < grid.ids.length; slot++) {
    const id = grid.ids[slot] as number;
    for (let axis = 0; axis < dimensions; axis++) {
      const exact = bound.exactPositions[slot * dimensions + axis] as number;
      const value = got.positions[id * dimensions + axis] as number;
      const apart = Math.abs(minimumImageInDoubles(value - exact, world.period[axis] as number));
      const limit = (bound.positions[slot] as number) / 2;
      if (!(apart <= limit))
        throw new Error(`position ${axis} of ${id} is ${value}, not ${exact} ± ${limit}`);
      if (value !== grid.positions[slot * dimensions + axis]) moved++;
      const velocity = got.velocities[id * dimensions + axis] as number;
      const wanted = bound.exactVelocities[slot * dimensions + axis] as number;
      if (!(Math.abs(velocity - wanted) <= (bound.velocities[slot] as number) / 2)) {
        throw new Error(`velocity ${axis} of ${id} is ${velocity}, not ${wanted}`);
      }
    }
  }
  expect(moved).toBeGreaterThan(grid.ids.length);
}
