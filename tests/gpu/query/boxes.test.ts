import { describe, expect } from 'vitest';
import { ArgumentError, DestroyedError } from '../../../src/core/base/errors';
import { type Dimensions, defineWorld, type WorldOptions } from '../../../src/core/world/world';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { particlesInBox } from '../../../src/reference/query/boxes';
import { createNoise } from '../../../src/testing/noise';
import { ASKED_SIZES, type AskedSizes, createAskedGrid, uploadPacked } from '../../helpers/inputs/queries';
import { stored } from '../../helpers/inputs/unusual-worlds';
import { cornersIn } from '../../helpers/inputs/vectors';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, uploadVectors, withDirectDispatches } from '../../helpers/passes';

const EDGE = 8;
const PARTICLES = 1200;
/** A unit is a length of 1 / UNITS. Whole numbers of units keep corners in another period exact. */
const UNITS = 1024;

function worldsOf(dimensions: Dimensions): Readonly<Record<string, WorldOptions>> {
  const corner = cornersIn(dimensions);
  const box = { dimensions, min: corner(0), max: corner(EDGE) };
  return {
    bounded: box,
    'bounded and negative': { dimensions, min: corner(-3), max: corner(EDGE - 3) },
    periodic: { ...box, periodic: true },
    'periodic except along y': {
      ...box,
      min: corner(-1),
      max: corner(EDGE),
      periodic: corner(0).map((_, axis) => axis !== 1),
    },
    unbounded: { dimensions, unbounded: true },
  };
}

interface Boxes {
  readonly corners: Float32Array;
  readonly count: number;
}

/** Returns points, flat, small, huge and inverted boxes, boxes outside the world, and boxes that are not finite. */
function boxesFor(dimensions: Dimensions, positions: Float32Array): Boxes {
  const noise = createNoise(17);
  const unit = (value: number) => Math.round(value * UNITS) / UNITS;
  const corners: number[][] = [];
  const add = (middle: readonly number[], extent: readonly number[]) => {
    corners.push(
      middle.map((value, axis) => value - (extent[axis] as number)),
      middle.map((value, axis) => value + (extent[axis] as number)),
    );
  };
  const all = (make: () => number) => Array.from({ length: dimensions }, make);
  for (const size of [0.25, 1, 3, 5, 11, 40]) {
    for (let index = 0; index < 40; index++) {
      add(
        all(() => unit(-6 + 20 * noise())),
        all(() => unit(size * noise())),
      );
    }
  }
  for (let id = 0; id < 20; id++) {
    const position = Array.from(positions.subarray(dimensions * id, dimensions * (id + 1)));
    add(
      position,
      all(() => 0),
    );
    corners.push(
      position.map((value, axis) => (axis === 0 ? value : -1000)),
      position.map((value, axis) => (axis === 0 ? value : 1000)),
    );
  }
  const corner = (value: number) => all(() => value);
  corners.push(corner(-1e6), corner(1e6));
  corners.push(corner(-3e38), corner(3e38));
  corners.push(corner(-3e38), corner(3));
  corners.push(corner(4), corner(3));
  corners.push(corner(0).with(0, 4), corner(EDGE).with(0, 3));
  corners.push(corner(0), corner(Number.NaN));
  corners.push(corner(Number.NEGATIVE_INFINITY), corner(EDGE));
  corners.push(corner(0), corner(EDGE));
  corners.push(corner(100), corner(200));
  corners.push(corner(100.5), corner(101.25));
  corners.push(corner(-40), corner(-35));
  return { corners: Float32Array.from(corners.flat()), count: corners.length / 2 };
}

function scatter(dimensions: Dimensions, world: string): Float32Array {
  const noise = createNoise(dimensions);
  const positions = Float32Array.from(
    { length: PARTICLES * dimensions },
    () => Math.round(UNITS * (-1 + 10 * noise())) / UNITS,
  );
  positions[dimensions * 60 + 1] = Number.NaN;
  // Moves one or two particles farther outside the box, but along periodic axes at most a period.
  if (world === 'unbounded' || world.startsWith('bounded')) positions[dimensions * 70] = 1e30;
  positions[dimensions * 71 + 1] = world === 'periodic except along y' ? 150 : 14;
  return positions;
}

interface Question {
  readonly grid: HashGrid;
  readonly positions: Float32Array;
  readonly boxes: Boxes;
  readonly expected: readonly number[][];
}

async function ask(
  tools: GpuTools,
  options: WorldOptions,
  name = 'bounded',
  sizes: AskedSizes = 'one size',
): Promise<Question> {
  const { dimensions } = options;
  const world = defineWorld(options, 1, PARTICLES);
  const positions = scatter(dimensions, name);
  const boxes = boxesFor(dimensions, positions);
  const inside = stored({ world, positions });
  const cornerOf = (index: number) =>
    Array.from(boxes.corners.subarray(dimensions * index, dimensions * (index + 1)));
  return {
    grid: await createAskedGrid(tools, options, PARTICLES, sizes),
    positions,
    boxes,
    expected: Array.from({ length: boxes.count }, (_, box) =>
      particlesInBox(inside, world.period, cornerOf(2 * box), cornerOf(2 * box + 1)),
    ),
  };
}

describe.each(DIMENSIONS)('boxes in %dD', (dimensions) => {
  for (const sizes of ASKED_SIZES) {
    for (const [kind, options] of Object.entries(worldsOf(dimensions))) {
      gpuTest(
        `contain the particles that brute force finds among particles of ${sizes}, in a world that is ${kind}`,
        async (device, tools) => {
          const { grid, positions, boxes, expected } = await ask(tools, options, kind, sizes);
          const search = await grid.inBoxes({ boxes: boxes.count, capacity: 400_000 });
          const buffers = {
            positions: uploadPacked(tools, dimensions, 'positions', positions, sizes),
            boxes: uploadVectors(tools, dimensions, 'boxes', boxes.corners),
          };
          for (const count of sizes === 'one size' ? [boxes.count, 255, 0, boxes.count] : [boxes.count]) {
            const encoder = device.createCommandEncoder();
            grid.encode(encoder, { positions: buffers.positions, count: PARTICLES });
            const record = () => search.encode(encoder, { boxes: buffers.boxes, count });
            if (count === 255) withDirectDispatches(3, record);
            else record();
            device.queue.submit([encoder.finish()]);
            const { found, offsets, ids } = await search.read();
            const lists = expected.slice(0, count);
            expect([found, ids.length]).toEqual([lists.flat().length, lists.flat().length]);
            expect(offsets.length).toBe(count + 1);
            lists.forEach((list, box) => {
              expectArraysEqual(
                ids.subarray(offsets[box], offsets[box + 1]),
                Uint32Array.from(list),
                `box ${box}`,
              );
            });
          }
          // Some boxes hold nearly all particles, some a few, and some none.
          const lengths = expected.map((list) => list.length);
          expect(Math.max(...lengths)).toBeGreaterThan(PARTICLES - 10);
          expect(lengths.filter((size) => size === 0).length).toBeGreaterThan(5);
          expect(lengths.filter((size) => size > 9).length).toBeGreaterThan(20);
          grid.destroy();
          await expect(search.read()).rejects.toThrow(DestroyedError);
        },
        SHARED_CASE,
      );
    }
  }

  gpuTest(
    'leave holes if their lists do not fit, and report the needed capacity',
    async (device, tools) => {
      const { grid, positions, boxes, expected } = await ask(
        tools,
        worldsOf(dimensions).bounded as WorldOptions,
      );
      const position = uploadVectors(tools, dimensions, 'positions', positions);
      const corners = uploadVectors(tools, dimensions, 'boxes', boxes.corners);
      // The list ends within one of the first boxes, then within a later one.
      for (const capacity of [40, 8000]) {
        const search = await grid.inBoxes({ boxes: boxes.count, capacity });
        const encoder = device.createCommandEncoder();
        grid.encode(encoder, { positions: position, count: PARTICLES });
        search.encode(encoder, { boxes: corners, count: boxes.count });
        device.queue.submit([encoder.finish()]);
        const { found, offsets, ids } = await search.read();
        expect(found).toBe(expected.flat().length);
        let first = 0;
        const listed = expected.map((list) => {
          first += list.length;
          return first <= capacity ? list : [];
        });
        expectArraysEqual(ids, Uint32Array.from(listed.flat()), 'ids');
        expect(offsets[boxes.count]).toBe(listed.flat().length);
        const words = await readWords(tools, search.ids, capacity);
        expectArraysEqual(
          words.slice(ids.length),
          new Uint32Array(capacity - ids.length).fill(0xffff_ffff),
          'holes',
        );
        expect(ids.length).toBeLessThan(capacity);
        const [total, valid, columns, rows, layers] = await readWords(tools, search.count, 5);
        expect([total, valid, columns, rows, layers]).toEqual([
          found,
          capacity,
          Math.ceil(capacity / 256),
          1,
          1,
        ]);
        search.destroy();
      }
      grid.destroy();
    },
    SHARED,
  );

  gpuTest(
    'leave holes if the list ends in a box over many cells, which a workgroup searches',
    async (device, tools) => {
      const corner = cornersIn(dimensions);
      const options = { dimensions, min: corner(0), max: corner(dimensions === 2 ? 32 : 8) };
      const positions = [1, 2, 3, 4, 5, 6].flatMap(corner);
      const grid = await HashGrid.create(tools.wrap(), { ...options, diameter: 1, capacity: 6 });
      // The first box holds particles 0 to 3. Of the six ids of the second one, four fit.
      const boxes = [0.5, 4.5, 0, 32].flatMap(corner);
      const search = await grid.inBoxes({ boxes: 2, capacity: 8 });
      device.queue.writeBuffer(search.ids, 0, new Uint32Array(8).fill(5));
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, {
        positions: uploadVectors(tools, dimensions, 'positions', Float32Array.from(positions)),
        count: 6,
      });
      search.encode(encoder, {
        boxes: uploadVectors(tools, dimensions, 'boxes', Float32Array.from(boxes)),
        count: 2,
      });
      device.queue.submit([encoder.finish()]);
      const { found, ids } = await search.read();
      expect([found, ...ids]).toEqual([10, 0, 1, 2, 3]);
      const hole = 0xffff_ffff;
      const words = await readWords(tools, search.ids, 8);
      expect([...words]).toEqual([0, 1, 2, 3, hole, hole, hole, hole]);
      grid.destroy();
    },
    SHARED,
  );

  gpuTest(
    'contain the particles that brute force finds if they span many cells and hold more particles than one workgroup sorts at once',
    async (device, tools) => {
      const count = 3000;
      const corner = cornersIn(dimensions);
      const options = { dimensions, min: corner(0), max: corner(dimensions === 2 ? 64 : 16) };
      const noise = createNoise(5);
      const positions = Float32Array.from(
        { length: count * dimensions },
        () => (options.max[0] as number) * noise(),
      );
      const grid = await HashGrid.create(tools.wrap(4), { ...options, diameter: 1, capacity: count });
      const boxes = [0, 1, 2, 3, 4].flatMap((inset) => [corner(inset), corner(63 - inset)]);
      const expected = boxes.flatMap((min, index) =>
        index % 2 === 0 ? particlesInBox(positions, corner(0), min, boxes[index + 1] as number[]) : [],
      );
      const search = await grid.inBoxes({ boxes: 5, capacity: 5 * count });
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, {
        positions: uploadVectors(tools, dimensions, 'positions', positions),
        count,
      });
      search.encode(encoder, {
        boxes: uploadVectors(tools, dimensions, 'boxes', Float32Array.from(boxes.flat())),
        count: 5,
      });
      device.queue.submit([encoder.finish()]);
      const { ids } = await search.read();
      expectArraysEqual(ids, Uint32Array.from(expected), 'ids');
      expect(expected.length).toBeGreaterThan(4 * 2000);
      grid.destroy();
    },
    SHARED,
  );

  gpuTest(
    'across the ends of a periodic world contain the particles on an end, but no particle more than a period outside',
    async (device, tools) => {
      const corner = cornersIn(dimensions);
      const options = { dimensions, min: corner(0), max: corner(EDGE), periodic: true };
      const positions = [0, EDGE, 1.5, 6, 4, -3 * EDGE, 4 * EDGE, 1.75, -EDGE, 2 * EDGE].flatMap(corner);
      const count = positions.length / dimensions;
      const grid = await HashGrid.create(tools.wrap(), { ...options, diameter: 1, capacity: count });
      const search = await grid.inBoxes({ boxes: 2, capacity: 2 * count });
      const boxes = [6, EDGE + 1.5, -2, 1.5].flatMap(corner);
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, {
        positions: uploadVectors(tools, dimensions, 'positions', Float32Array.from(positions)),
        count,
      });
      search.encode(encoder, {
        boxes: uploadVectors(tools, dimensions, 'boxes', Float32Array.from(boxes)),
        count: 2,
      });
      device.queue.submit([encoder.finish()]);
      const { ids } = await search.read();
      expect([...ids]).toEqual([0, 1, 2, 3, 8, 9, 0, 1, 2, 3, 8, 9]);
      grid.destroy();
    },
    dimensions === 2 ? SHARED : { ...SHARED, tags: 'full' },
  );
});

gpuTest(
  'box searches reject invalid options and inputs',
  async (device, tools) => {
    const { grid, boxes, positions, expected } = await ask(tools, worldsOf(2).bounded as WorldOptions);
    await expect(grid.inBoxes({ boxes: 0, capacity: 1 })).rejects.toThrow(/^boxes is 0, /);
    await expect(grid.inBoxes({ boxes: 1, capacity: 0 })).rejects.toThrow(/^capacity is 0, /);
    await expect(grid.inBoxes({ boxes: 1, capacity: 1, points: 1 } as never)).rejects.toThrow(
      /^options\.points /,
    );
    const search = await grid.inBoxes({ boxes: 10, capacity: 4000 });
    const encoder = device.createCommandEncoder();
    const buffer = uploadVectors(tools, 2, 'boxes', boxes.corners);
    const wrong: readonly [object, RegExp][] = [
      [{ boxes: buffer, count: 11 }, /^count is 11, but it must be a whole number from 0 to 10\.$/],
      [{ count: 1 }, /^boxes is undefined, .* at least 16 bytes for 1 boxes\.$/],
      [{ boxes: tools.allocate('short', 16), count: 2 }, /^boxes is .* at least 32 bytes for 2 boxes\.$/],
      [{ boxes: buffer, count: 1, radius: 2 }, /^input\.radius is 2, /],
    ];
    for (const [input, message] of wrong) {
      expect(() => search.encode(encoder, input as never)).toThrow(ArgumentError);
      expect(() => search.encode(encoder, input as never)).toThrow(message);
    }
    expect(() => search.encode(encoder, { boxes: buffer, count: 1 })).toThrow(/has not been encoded yet/);
    grid.encode(encoder, { positions: uploadVectors(tools, 2, 'p', positions), count: PARTICLES });
    search.encode(encoder, { boxes: buffer, count: 10 });
    device.queue.submit([encoder.finish()]);
    expect((await search.read()).found).toBe(expected.slice(0, 10).flat().length);
    grid.destroy();
  },
  SHARED,
);
