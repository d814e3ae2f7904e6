import { describe, expect } from 'vitest';
import { CROWDED, FINER_BUCKETS, FINER_HEADER, HEAVY_ROW } from '../../../src/core/base/constants';
import { finerBuckets, startLength, wrapOnce } from '../../../src/core/world/cells';
import type { Dimensions, WorldOptions } from '../../../src/core/world/world';
import { HashGrid, type HashGridOptions } from '../../../src/engine/grid/hash-grid';
import { toBodies } from '../../../src/gpu/layout';
import { bruteForceLevelPairs, buildLevelGrid } from '../../../src/reference/grid/levels';
import { createNoise } from '../../../src/testing/noise';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, shuffled } from '../../helpers/passes';
import { fc, runs } from '../../helpers/properties';

/**
 * A unit is a length of 1 / UNITS. Positions and radii are whole numbers of units. Squares of sums of two radii are at
 * most 2^24 units², so they are exact.
 */
const UNITS = 32;

const WORLDS: Readonly<Record<string, (dimensions: Dimensions, edge: number) => WorldOptions>> = {
  bounded: (dimensions, edge) => box(dimensions, edge),
  periodic: (dimensions, edge) => ({ ...box(dimensions, edge), periodic: true }),
  'periodic along x': (dimensions, edge) => ({
    ...box(dimensions, edge),
    periodic: [true, false, false].slice(0, dimensions),
  }),
  'periodic along y': (dimensions, edge) => ({
    ...box(dimensions, edge),
    periodic: [false, true, false].slice(0, dimensions),
  }),
  unbounded: (dimensions) => ({ dimensions, unbounded: true }),
};

function box(dimensions: Dimensions, edge: number): WorldOptions {
  const corner = (value: number) => new Array<number>(dimensions).fill(value);
  return { dimensions, min: corner(0), max: corner(edge) };
}

interface Crowd {
  readonly positions: Float32Array;
  readonly radii: Float32Array;
}

/** Returns particles in a box that begins at `low`. Their radii are log-uniform from 1 to `ratio`. */
function scatter(
  dimensions: Dimensions,
  count: number,
  seed: number,
  { ratio = 64, low = 0, edge = 400 }: { ratio?: number; low?: number; edge?: number } = {},
): Crowd {
  const noise = createNoise(seed);
  const whole = (value: number) => Math.floor(value * UNITS) / UNITS;
  return {
    positions: Float32Array.from({ length: dimensions * count }, () => whole(low + noise() * edge)),
    radii: Float32Array.from({ length: count }, () => whole(ratio ** noise())),
  };
}

async function createGrid(
  tools: GpuTools,
  options: WorldOptions,
  capacity: number,
  largest = 64,
  cellSize = 2,
) {
  return HashGrid.create(tools.wrap(), { ...options, radii: { smallest: 1, largest }, capacity, cellSize });
}

/** Reads `count` finer entries, without the header of their buffer. */
async function readFiner(tools: GpuTools, grid: HashGrid, count: number): Promise<Uint32Array> {
  const { finerList } = grid.sort;
  return (await readWords(tools, finerList as GPUBuffer, FINER_HEADER + count)).subarray(FINER_HEADER);
}

async function findPairs(device: GPUDevice, tools: GpuTools, grid: HashGrid, crowd: Crowd, most = 60_000) {
  const { dimensions } = grid.world;
  const pairs = await grid.pairs({ capacity: most });
  const encoder = device.createCommandEncoder();
  const positions = tools.upload('bodies', toBodies(dimensions, crowd.positions, crowd));
  // Build with fewer particles first: nothing of the first build may remain.
  grid.encode(encoder, { positions, count: Math.floor(crowd.radii.length / 2) });
  grid.encode(encoder, { positions, count: crowd.radii.length });
  pairs.encode(encoder);
  device.queue.submit([encoder.finish()]);
  const listed = await pairs.read();
  pairs.destroy();
  positions.destroy();
  return listed;
}

describe.each(DIMENSIONS)('particles of many sizes in %dD', (dimensions) => {
  for (const [name, options] of Object.entries(WORLDS)) {
    gpuTest(
      `have the levels of the reference and the pairs of brute force in a world that is ${name}`,
      async (device, tools) => {
        let pairs = 0;
        // Cases with many levels, and with too few for finer entries.
        const smallest = dimensions === 3 ? 8 : 2;
        for (const [count, edge, low, cellSize] of [
          [0, 400, 0, smallest],
          [1, 400, 0, smallest],
          [600, 400, 0, smallest],
          [600, 390, 0, smallest],
          [500, 1000, name === 'unbounded' ? -100_000 : 0, 8],
          [500, 500, 0, 32],
          [500, 500, 0, 64],
          [500, 500, 0, 128],
        ] as const) {
          const crowd = scatter(dimensions, count, count + edge, { edge, low });
          const grid = await createGrid(tools, options(dimensions, edge), Math.max(count, 1), 64, cellSize);
          const { world } = grid;
          expect(world.levels).toBe(8 - Math.log2(cellSize));
          const expected = buildLevelGrid(world, crowd.positions, crowd.radii);
          const found = await findPairs(device, tools, grid, crowd);
          expectArraysEqual(await readWords(tools, grid.ids, count), expected.ids, 'ids');
          const first = world.cellCount + FINER_BUCKETS;
          const words = await readWords(tools, grid.start, startLength(world));
          expectArraysEqual(words.subarray(0, world.cellCount + 1), expected.start, 'start');
          const finerStart = words.subarray(first).map((entry) => entry - count);
          expectArraysEqual(finerStart, expected.finerStart, 'start of finer');
          const slots = await readFiner(tools, grid, expected.finer.length);
          expectArraysEqual(slots, expected.finer, 'finer');
          expectArraysEqual(
            found.pairs,
            bruteForceLevelPairs(world, crowd.positions, crowd.radii),
            `pairs of ${count}`,
          );
          pairs += found.count;
          grid.destroy();
        }
        expect(pairs).toBeGreaterThan(500);
      },
      SHARED_CASE,
    );
  }

  gpuTest(
    'have the pairs of brute force across the ends of a world with the fewest cells per row',
    async (device, tools) => {
      // Extents in units of 128, the width of the highest level's cells in most of these worlds; 2D uses the first two.
      // Axes that are not periodic may have fewer than three cells.
      const narrow: readonly (readonly [extents: readonly number[], periodic: readonly boolean[]])[] = [
        [
          [3, 3, 3],
          [true, true, true],
        ],
        [
          [3.75, 4.25, 3.5],
          [true, true, true],
        ],
        [
          [5.5, 3.25, 4],
          [true, true, true],
        ],
        [
          [3, 1, 2],
          [true, false, false],
        ],
        [
          [2, 3.5, 1],
          [false, true, false],
        ],
        [
          [1, 3, 3.25],
          [false, true, true],
        ],
        [
          [4, 0.5, 2.5],
          [true, false, false],
        ],
      ];
      let across = 0;
      // Cell sizes for many levels, for few, and for one.
      const cases = [dimensions === 2 ? 2 : 8, 64, 128].flatMap((cellSize) =>
        narrow.map(([cells, wraps]) => ({ cells, wraps, cellSize })),
      );
      for (const [seed, { cells, wraps, cellSize }] of cases.entries()) {
        const max = cells.slice(0, dimensions).map((extent) => 128 * extent);
        const periodic = wraps.slice(0, dimensions);
        const count = 240;
        const noise = createNoise(seed);
        // Positions at both ends of each axis and on borders of cells, up to a period outside along periodic axes.
        const positions = Float32Array.from({ length: dimensions * count }, (_, index) => {
          const length = max[index % dimensions] as number;
          const end = Math.round(noise()) * length;
          const beside = Math.floor((noise() - 0.5) * 40 * UNITS) / UNITS;
          const border = 2 * Math.floor((noise() * length) / 2);
          const coordinate = noise() < 0.7 ? end + beside : border;
          const moved = periodic[index % dimensions] ? Math.round(2 * noise() - 1) * length : 0;
          return Math.min(Math.max(coordinate + moved, -length), 2 * length - 1 / UNITS);
        });
        const largest = Math.min(128, ...max) / 2;
        const radii = Float32Array.from(
          { length: count },
          () => Math.floor(largest ** noise() * UNITS) / UNITS,
        );
        const options = { dimensions, min: new Array<number>(dimensions).fill(0), max, periodic };
        const grid = await createGrid(tools, options, count, largest, cellSize);
        const { world } = grid;
        const expected = buildLevelGrid(world, positions, radii);
        const found = await findPairs(device, tools, grid, { positions, radii });
        expectArraysEqual(await readWords(tools, grid.ids, count), expected.ids, 'ids');
        expectArraysEqual(
          await readWords(tools, grid.start, world.cellCount + 1),
          expected.start,
          `start in ${max} with cells of ${cellSize}`,
        );
        expectArraysEqual(
          found.pairs,
          bruteForceLevelPairs(world, positions, radii),
          `pairs in ${max} with cells of ${cellSize}`,
        );
        const straight = { ...world, period: world.period.map(() => 0) };
        const inside = positions.map((coordinate, index) => wrapOnce(world, coordinate, index % dimensions));
        across += found.count - bruteForceLevelPairs(straight, inside, radii).length / 2;
        grid.destroy();
      }
      expect(across).toBeGreaterThan(1000);
      // Particles more than a period outside belong to an outermost cell, where they still find each other.
      const far = [100 - 5 * 400, 100 - 5 * 400, 250 + 5 * 400, 250 + 5 * 400];
      const crowd = {
        positions: Float32Array.from(
          far.flatMap((coordinate) => new Array<number>(dimensions).fill(coordinate)),
        ),
        radii: new Float32Array(far.length).fill(10),
      };
      const grid = await createGrid(tools, { ...box(dimensions, 400), periodic: true }, far.length, 64, 8);
      expect([...(await findPairs(device, tools, grid, crowd)).pairs]).toEqual([0, 1, 2, 3]);
      grid.destroy();
    },
    { ...SHARED, tags: 'case' },
  );

  gpuTest(
    'have the pairs of brute force at arbitrary sizes and positions',
    async (device, tools) => {
      const unit = fc.integer({ min: -40 * UNITS, max: 40 * UNITS });
      const size = fc.oneof(
        fc.integer({ min: 0, max: 4 * UNITS }),
        fc.constantFrom(UNITS / 2, UNITS, 2 * UNITS, 4 * UNITS, 8 * UNITS, 16 * UNITS),
        fc.integer({ min: 0, max: 16 * UNITS }),
      );
      const body = fc.tuple(fc.array(unit, { minLength: dimensions, maxLength: dimensions }), size);
      const kinds = fc.constantFrom('bounded', 'periodic', 'unbounded');
      const edges = fc.integer({ min: 3 * 32, max: 5 * 32 });
      const widths = fc.constantFrom(2, 8, 16, 32);
      await fc.assert(
        fc.asyncProperty(
          kinds,
          edges,
          widths,
          fc.array(body, { maxLength: 60 }),
          async (kind, edge, width, bodies) => {
            const make = WORLDS[kind] as (dimensions: Dimensions, edge: number) => WorldOptions;
            const shift = kind === 'periodic' ? 40 : 0;
            const crowd = {
              positions: Float32Array.from(
                bodies.flatMap(([position]) => position.map((x) => x / UNITS + shift)),
              ),
              radii: Float32Array.from(bodies.map(([, radius]) => radius / UNITS)),
            };
            const grid = await createGrid(tools, make(dimensions, edge), 60, 16, width);
            const found = await findPairs(device, tools, grid, crowd);
            const expected = bruteForceLevelPairs(grid.world, crowd.positions, crowd.radii);
            expectArraysEqual(found.pairs, expected, 'pairs');
            grid.destroy();
          },
        ),
        runs(60),
      );
    },
    { ...SHARED, tags: 'full' },
  );

  gpuTest(
    'lead to an error if options are invalid, or if a call needs another kind of grid',
    async (_, tools) => {
      const gpu = tools.wrap();
      const base = { ...box(dimensions, 64), capacity: 10 };
      const radii = { smallest: 1, largest: 8 };
      const refused: [object, string | RegExp][] = [
        [{ radii, diameter: 2 }, 'diameter is 2, but it must be left out, because `radii` replaces it.'],
        [
          { radii: { smallest: 2, largest: 1 } },
          'radii.smallest is 2, but it must be at most radii.largest, 1.',
        ],
        [
          { radii: { smallest: 0, largest: 1 } },
          /^2 · radii\.smallest is 0, but it must be a number from 2\^-40/,
        ],
        [{ radii: { largest: 1 } }, /^radii\.smallest is undefined, but it must be a number/],
        [{ radii: { ...radii, middle: 3 } }, /^radii/],
        [{ radii, periodic: true, max: new Array(dimensions).fill(40) }, /^world\.max\[0\] is 40.*periodic/],
        [
          { radii, crowds: false },
          'world.crowds is false, but it must be left out or true if radii are given.',
        ],
      ];
      for (const [options, message] of refused) {
        await expect(HashGrid.create(gpu, { ...base, ...options } as HashGridOptions)).rejects.toThrow(
          message,
        );
      }
      const fine = { ...base, max: new Array(dimensions).fill(2 ** 14), cellSize: 2, radii };
      await expect(HashGrid.create(gpu, fine)).rejects.toThrow(
        dimensions === 2
          ? /^10 particles on 4 levels with \d+ cells in all are more than this device was requested for: its max\w+ is \d+; request it with particles: 10, cells: \d+, dimensions: 3\.$/
          : /^the number of cells on all levels is \d+, but it must be at most 1073741822; use a larger cellSize/,
      );
      const grid = await HashGrid.create(gpu, { ...base, radii });
      const code = `alias Own = u32;
fn begin(particle: Particle) -> Own { return 0u; }
fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {}
fn finish(own: Own, particle: Particle) {}`;
      await expect(grid.kernel({ code, radius: 1 })).rejects.toThrow(/^radius is 1, but it must be left out/);
      expect(() =>
        grid.encode(gpu.device.createCommandEncoder(), {
          positions: tools.allocate('short', 16 * 9),
          count: 10,
        }),
      ).toThrow(/^positions is the buffer "short" of 144 bytes .* at least 160 bytes/);
      grid.destroy();
    },
    SHARED,
  );

  gpuTest(
    'are quarantined if their position or radius is not finite, or their radius negative or too large',
    async (device, tools) => {
      const grid = await createGrid(tools, WORLDS.unbounded?.(dimensions, 0) as WorldOptions, 16);
      const crowd = {
        positions: new Float32Array(7 * dimensions).fill(3),
        radii: Float32Array.of(1, Number.NaN, 65, -1, 64, Number.POSITIVE_INFINITY, 2),
      };
      crowd.positions[6 * dimensions] = Number.NaN;
      const found = await findPairs(device, tools, grid, crowd);
      expect([...found.pairs]).toEqual([0, 4]);
      const { cellCount } = grid.world;
      const start = await readWords(tools, grid.start, cellCount + 2);
      expect([start[cellCount], start[cellCount + 1]]).toEqual([2, 7]);
      grid.destroy();
    },
    SHARED,
  );

  gpuTest(
    'are each passed to `finish` once, even if a workgroup handles them',
    async (device, tools) => {
      // Large particles in a crowd. Their slots are consecutive, so they share a word of heavy bits.
      const large = 5;
      const count = 3 * HEAVY_ROW + 1 + large;
      const noise = createNoise(1);
      const positions = Float32Array.from({ length: dimensions * count }, () => 4 + Math.floor(56 * noise()));
      const radii = Float32Array.from({ length: count }, (_value, id) => (id < large ? 32 : 1));
      const grid = await createGrid(tools, box(dimensions, 256), count);
      const kernel = await grid.kernel({
        code: `
struct Own { threads: u32 }
fn begin(particle: Particle) -> Own { return Own(1u); }
fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {}
fn merge(own: ptr<function, Own>, other: Own) { (*own).threads += other.threads; }
fn finish(own: Own, particle: Particle) { found[id_of(particle.slot)] += vec2u(1u, own.threads); }
`,
        buffers: { found: { type: 'array<vec2u>', access: 'write' } },
      });
      const found = tools.allocate('found', 8 * count);
      const encoder = device.createCommandEncoder();
      const bodies = tools.upload('bodies', toBodies(dimensions, positions, { radii }));
      grid.encode(encoder, { positions: bodies, count });
      kernel.encode(encoder, { buffers: { found } });
      device.queue.submit([encoder.finish()]);
      const words = await readWords(tools, found, 2 * count);
      const expected = Uint32Array.from({ length: 2 * count }, (_value, index) =>
        index % 2 === 1 && index < 2 * large ? 64 : 1,
      );
      expectArraysEqual(words, expected, 'calls of finish, and threads');
      grid.destroy();
    },
    dimensions === 2 ? SHARED : { ...SHARED, tags: 'full' },
  );

  for (const [name, cellSize] of [
    ['bounded', 2],
    ['bounded', 64],
    ['periodic', 2],
  ] as const) {
    gpuTest(
      `have all pairs if many threads handle a large particle, with cells of ${cellSize} in a world that is ${name}`,
      async (device, tools) => {
        const small = 4000;
        const noise = createNoise(5);
        const edge = 390;
        const order = shuffled([...Array(small + 2).keys()], noise);
        const positions = new Float32Array(dimensions * (small + 2));
        const radii = new Float32Array(small + 2);
        order.forEach((id, index) => {
          // Two particles are large. One lies across a corner, the other one amid the small particles.
          radii[id] = index < 2 ? 64 : 1;
          for (let axis = 0; axis < dimensions; axis++) {
            const coordinate = index === 0 ? 120 : index === 1 ? 380 : 55 + noise() * 130;
            positions[dimensions * id + axis] = Math.floor(coordinate * UNITS) / UNITS;
          }
        });
        const make = WORLDS[name] as (dimensions: Dimensions, edge: number) => WorldOptions;
        const grid = await createGrid(tools, make(dimensions, edge), small + 2, 64, cellSize);
        const kernel = await grid.kernel({
          code: `
struct Own { near: u32, threads: u32 }
fn begin(particle: Particle) -> Own { return Own(0u, 1u); }
fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  if (radius_at(other.slot) > 0.0 && particle.radius > 0.0) { (*own).near += 1u; }
}
fn merge(own: ptr<function, Own>, other: Own) {
  (*own).near += other.near;
  (*own).threads += other.threads;
}
fn finish(own: Own, particle: Particle) { found[id_of(particle.slot)] = vec2u(own.near, own.threads); }
`,
          buffers: { found: { type: 'array<vec2u>', access: 'write' } },
        });
        const found = tools.allocate('found', 8 * (small + 2));
        const encoder = device.createCommandEncoder();
        const bodies = tools.upload('bodies', toBodies(dimensions, positions, { radii }));
        grid.encode(encoder, { positions: bodies, count: small + 2 });
        kernel.encode(encoder, { buffers: { found } });
        device.queue.submit([encoder.finish()]);
        const words = await readWords(tools, found, 2 * (small + 2));
        const expected = new Uint32Array(small + 2);
        bruteForceLevelPairs(grid.world, positions, radii).forEach((id) => {
          expected[id] = (expected[id] as number) + 1;
        });
        expectArraysEqual(
          words.filter((_value, index) => index % 2 === 0),
          expected,
          'neighbours',
        );
        const [large = 0] = order;
        expect(words[2 * large]).toBeGreaterThan(HEAVY_ROW);
        expect(words[2 * large + 1]).toBe(64);
        expect(finerBuckets(grid.world) > 0).toBe(cellSize === 2);
        // A bounded grid of two levels has no finer entries.
        if (cellSize > 2) return grid.destroy();
        const first = grid.world.cellCount + FINER_BUCKETS;
        const starts = await readWords(tools, grid.start, startLength(grid.world));
        const total = (starts.at(-1) as number) - (small + 2);
        const finer = await readFiner(tools, grid, total);
        let longest = 0;
        for (let bucket = first; bucket < first + finerBuckets(grid.world); bucket++) {
          const list = finer.subarray(
            ...[0, 1].map((step) => (starts[bucket + step] as number) - (small + 2)),
          );
          longest = Math.max(longest, list.length);
          expectArraysEqual(list, list.slice().sort(), 'finer');
        }
        expect(longest).toBeGreaterThan(CROWDED);
        expect(words.filter((value, index) => index % 2 === 1 && value === 1).length).toBeGreaterThan(
          small / 2,
        );
        grid.destroy();
      },
      SHARED_CASE,
    );
  }
});
