import { describe, expect, vi } from 'vitest';
import { ArgumentError, DestroyedError, LimitError } from '../../../src/core/base/errors';
import { type Dimensions, defineWorld, type WorldOptions } from '../../../src/core/world/world';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { findNear } from '../../../src/reference/query/near';
import { loadVector, minimumImageInDoubles } from '../../../src/reference/solve/contact';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import {
  ASKED_SIZES,
  type AskedSizes,
  askedCrowd,
  askedWorlds,
  createAskedGrid,
  uploadPacked,
} from '../../helpers/inputs/queries';
import { cornersIn } from '../../helpers/inputs/vectors';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, uploadVectors } from '../../helpers/passes';

const EDGE = 8;
const PARTICLES = 400;
const POINTS = 300;
const WIDE_POINTS = 130;

function worldsOf(dimensions: Dimensions): Readonly<Record<string, WorldOptions>> {
  const corner = cornersIn(dimensions);
  const box = { dimensions, min: corner(0), max: corner(EDGE) };
  return {
    bounded: box,
    periodic: { ...box, periodic: true },
    unbounded: { dimensions, unbounded: true },
  };
}

interface Question {
  readonly grid: HashGrid;
  readonly positions: Float32Array;
  readonly points: Float32Array;
  near(point: number, radius: number): number[];
}

/** Some points coincide with particles, some lie outside the box, and one is not finite. */
async function ask(
  tools: GpuTools,
  options: WorldOptions,
  sizes: AskedSizes = 'one size',
): Promise<Question> {
  const { dimensions } = options;
  const world = defineWorld(options, 1, PARTICLES);
  const corner = cornersIn(dimensions);
  const noise = createNoise(dimensions);
  const positions = scatterIn(noise, corner(0), corner(EDGE), PARTICLES);
  const points = scatterIn(noise, corner(0), corner(EDGE), POINTS, 0.2);
  points.set(positions.subarray(0, 40 * dimensions));
  points[dimensions * 50] = Number.NaN;
  positions[dimensions * 60 + 1] = Number.NaN;
  const grid = await createAskedGrid(tools, options, PARTICLES, sizes);
  return {
    grid,
    positions,
    points,
    near(point, radius) {
      const found: number[] = [];
      for (let id = 0; id < PARTICLES; id++) {
        let squared = 0;
        for (let axis = 0; axis < dimensions; axis++) {
          const apart =
            (points[point * dimensions + axis] as number) - (positions[id * dimensions + axis] as number);
          squared += minimumImageInDoubles(apart, world.period[axis] as number) ** 2;
        }
        if (squared < radius * radius) found.push(id);
      }
      return found;
    },
  };
}

describe.each(DIMENSIONS)('points in %dD', (dimensions) => {
  for (const sizes of ASKED_SIZES) {
    for (const [kind, options] of Object.entries(worldsOf(dimensions))) {
      gpuTest(
        `have the neighbours that brute force finds among particles of ${sizes}, in a world that is ${kind}`,
        async (device, tools) => {
          const { grid, positions, points, near } = await ask(tools, options, sizes);
          const search = await grid.near({ points: POINTS, capacity: 8000 });
          const buffers = {
            positions: uploadPacked(tools, dimensions, 'positions', positions, sizes),
            points: uploadPacked(tools, dimensions, 'points', points, sizes),
          };
          for (const [radius, count] of [
            [undefined, POINTS],
            [0.55, POINTS],
            [1, 7],
            [1, 0],
          ] as const) {
            const encoder = device.createCommandEncoder();
            grid.encode(encoder, { positions: buffers.positions, count: PARTICLES });
            search.encode(encoder, { points: buffers.points, count, radius });
            device.queue.submit([encoder.finish()]);
            const { found, offsets, ids } = await search.read();
            const expected = Array.from({ length: count }, (_, point) => near(point, radius ?? 1));
            expect(offsets.length).toBe(count + 1);
            expect([found, ids.length]).toEqual([expected.flat().length, expected.flat().length]);
            expectArraysEqual(ids, Uint32Array.from(expected.flat()), 'ids');
            expected.forEach((list, point) => {
              expect((offsets[point + 1] as number) - (offsets[point] as number)).toBe(list.length);
            });
            if (count === POINTS && radius === undefined) expect(found).toBeGreaterThan(POINTS);
          }
          grid.destroy();
        },
        SHARED_CASE,
      );
    }

    for (const [name, { options, radii }] of Object.entries(askedWorlds(dimensions))) {
      gpuTest(
        `have the neighbours beyond adjacent cells that brute force finds, world: ${name}, particles of ${sizes}`,
        async (device, tools) => {
          const { world, positions, points } = askedCrowd(options, PARTICLES, WIDE_POINTS);
          const grid = await createAskedGrid(tools, options, PARTICLES, sizes);
          const buffers = {
            positions: uploadPacked(tools, dimensions, 'positions', positions, sizes),
            points: uploadPacked(tools, dimensions, 'points', points, sizes),
          };
          const reach = radii.at(-1) as number;
          const search = await grid.near({ points: WIDE_POINTS, capacity: PARTICLES * WIDE_POINTS, reach });
          expect(search.reach).toBe(reach);
          for (const radius of [0.5, 1, ...radii, undefined]) {
            const encoder = device.createCommandEncoder();
            grid.encode(encoder, { positions: buffers.positions, count: PARTICLES });
            search.encode(encoder, { points: buffers.points, count: WIDE_POINTS, radius });
            device.queue.submit([encoder.finish()]);
            const { found, offsets, ids } = await search.read();
            const expected = Array.from({ length: WIDE_POINTS }, (_, point) =>
              findNear(world, positions, loadVector(dimensions, points, point), radius ?? reach),
            );
            expect(found).toBe(expected.flat().length);
            expectArraysEqual(
              ids,
              Uint32Array.from(expected.flat(), ({ id }) => id),
              `ids within ${radius}`,
            );
            let end = 0;
            const ends = expected.map((list) => (end += list.length));
            expectArraysEqual(offsets, Uint32Array.from([0, ...ends]), 'offsets');
            expect(found).toBeGreaterThan(WIDE_POINTS / 4);
          }
          grid.destroy();
        },
        SHARED_CASE,
      );
    }
  }

  gpuTest(
    'get the first neighbours if the list is too short, and the search reports the needed capacity',
    async (device, tools) => {
      const { grid, positions, points, near } = await ask(
        tools,
        worldsOf(dimensions).bounded as WorldOptions,
      );
      const search = await grid.near({ points: POINTS, capacity: 97 });
      expect(search.capacity).toBe(100);
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, { positions: uploadVectors(tools, dimensions, 'p', positions), count: PARTICLES });
      search.encode(encoder, { points: uploadVectors(tools, dimensions, 'q', points), count: POINTS });
      device.queue.submit([encoder.finish()]);
      const { found, offsets, ids } = await search.read();
      const all = Array.from({ length: POINTS }, (_, point) => near(point, 1));
      const ends = all.map((_, point) => all.slice(0, point + 1).flat().length);
      const most = ends.filter((end) => end <= 100).at(-1) as number;
      expect(most).toBeGreaterThan(80);
      expect(found).toBe(ends.at(-1));
      expect([...ids]).toEqual(all.flat().slice(0, most));
      expect([...offsets]).toEqual([0, ...ends.map((end) => Math.min(end, most))]);
      grid.destroy();
      await expect(search.read()).rejects.toThrow(DestroyedError);
    },
    SHARED,
  );

  for (const sizes of ASKED_SIZES) {
    gpuTest(
      `can be the points over which a user’s kernel runs, among particles of ${sizes}`,
      async (device, tools) => {
        const { grid, positions, points, near } = await ask(
          tools,
          worldsOf(dimensions).periodic as WorldOptions,
          sizes,
        );
        const kernel = await grid.kernel({
          over: 'points',
          label: 'nearest',
          code: `
          struct Own { squared: f32, id: u32 }
          fn begin(point: Particle) -> Own { return Own(parameters.farthest, 0xffffffffu); }
          fn visit(own: ptr<function, Own>, point: Particle, other: Neighbour) {
            if (other.distance_squared < (*own).squared) {
              *own = Own(other.distance_squared, id_of(other.slot));
            }
          }
          fn finish(own: Own, point: Particle) { nearest[point.slot] = own.id; }
          fn skip(number: u32) { nearest[number] = 77u; }`,
          buffers: { nearest: { type: 'array<u32>', access: 'write' } },
          parameters: { farthest: 'f32' },
        });
        const nearest = tools.allocate('nearest', 4 * POINTS);
        const encoder = device.createCommandEncoder();
        grid.encode(encoder, {
          positions: uploadPacked(tools, dimensions, 'p', positions, sizes),
          count: PARTICLES,
        });
        const buffer = uploadPacked(tools, dimensions, 'q', points, sizes);
        const input = { points: buffer, count: POINTS, buffers: { nearest }, parameters: { farthest: 1e9 } };
        kernel.encode(encoder, input);
        device.queue.submit([encoder.finish()]);
        const got = await readWords(tools, nearest, POINTS);
        got.forEach((id, point) => {
          if (point === 50) expect(id).toBe(77);
          else if (point < 40) expect(id).toBe(point);
          else if (id === 0xffff_ffff) expect(near(point, 1)).toEqual([]);
          else expect(near(point, 1)).toContain(id);
        });
        expect(() => kernel.encode(encoder, { ...input, points: undefined })).toThrow(
          /^points is undefined, /,
        );
        expect(() => kernel.encode(encoder, { ...input, points: nearest, count: 1 })).toThrow(
          /^buffers\.nearest is the same buffer as points, /,
        );
        expect(() => kernel.encode(encoder, { ...input, count: 9999 })).toThrow(
          /at least .* bytes for 9999 points\.$/,
        );
        grid.destroy();
      },
      SHARED,
    );
  }
});

gpuTest(
  'a point in a crowd has thousands of neighbours, which are listed by ascending id',
  async (device, tools) => {
    const count = 6000;
    const middle = EDGE / 2;
    // Each of the four cells around the middle holds ids from the whole range.
    const positions = scatterIn(
      createNoise(7),
      [middle - 0.2, middle - 0.2],
      [middle + 0.2, middle + 0.2],
      count,
    );
    const world = { dimensions: 2, min: [0, 0], max: [EDGE, EDGE] } as const;
    const grid = await createAskedGrid(tools, world, count, 'one size');
    const [particles, points] = [positions, Float32Array.of(middle, middle)].map((vectors) =>
      uploadVectors(tools, 2, 'vectors', vectors),
    ) as [GPUBuffer, GPUBuffer];
    for (const reach of [1, 1.5]) {
      const search = await grid.near({ points: 1, capacity: count, reach });
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, { positions: particles, count });
      search.encode(encoder, { points, count: 1, radius: 1 });
      device.queue.submit([encoder.finish()]);
      const { found, ids } = await search.read();
      expect(found).toBe(count);
      const all = Uint32Array.from({ length: count }, (_, id) => id);
      expectArraysEqual(ids, all, `ids within ${reach}`);
    }
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'a particle more than a period outside a periodic world is near no point and in no box',
  async (device, tools) => {
    const world = { dimensions: 2, min: [0, 0], max: [EDGE, EDGE], periodic: true } as const;
    for (const count of [1, PARTICLES]) {
      const grid = await createAskedGrid(tools, world, count, 'many sizes');
      const positions = scatterIn(createNoise(3), [0, 6], [EDGE, EDGE], count);
      positions.set([100.5, 4]);
      const points = Float32Array.of(4.5, 4, 100.5, 4, 4.5, 7);
      const near = await grid.near({ points: 3, capacity: 3 * count });
      const boxes = await grid.inBoxes({ boxes: 1, capacity: count });
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, {
        positions: uploadPacked(tools, 2, 'positions', positions, 'many sizes'),
        count,
      });
      near.encode(encoder, {
        points: uploadPacked(tools, 2, 'points', points, 'many sizes'),
        count: 3,
        radius: 0.75,
      });
      boxes.encode(encoder, { boxes: tools.upload('box', Float32Array.of(6, 3, 9, 5)), count: 1 });
      device.queue.submit([encoder.finish()]);
      const { ids, offsets } = await near.read();
      expect([...offsets.subarray(0, 3)]).toEqual([0, 0, 0]);
      expect(ids.length > 0).toBe(count > 1);
      expect((await boxes.read()).ids.length).toBe(0);
      grid.destroy();
    }
  },
  SHARED,
);

gpuTest(
  'searches near points reject invalid options and inputs',
  async (device, tools) => {
    const { grid, points, positions } = await ask(tools, worldsOf(2).bounded as WorldOptions);
    const unsure = { ...(worldsOf(2).bounded as WorldOptions), diameter: 1, capacity: 1, velocities: 'yes' };
    await expect(HashGrid.create(tools.wrap(), unsure as never)).rejects.toThrow(
      'velocities is "yes", but it must be true or false.',
    );
    await expect(grid.near({ points: 0, capacity: 1 })).rejects.toThrow(/^points is 0, /);
    await expect(grid.near({ points: 1, capacity: 0 })).rejects.toThrow(/^capacity is 0, /);
    await expect(grid.kernel({ code: '', over: 'rays' } as never)).rejects.toThrow(/^over is "rays", /);
    const reaches: readonly [object, RegExp][] = [
      [{ reach: 2 ** 61 }, /^reach is .*, but it must be at least 2\^-40 and at most 2\^60\.$/],
      [{ reach: 2 ** -41 }, /^reach is .*, but it must be at least 2\^-40 /],
      [{ reach: '2' }, /^reach is "2", /],
      [{ radius: 2 }, /^options\.radius is 2, /],
    ];
    for (const [options, message] of reaches) {
      await expect(grid.near({ points: 1, capacity: 1, ...options } as never)).rejects.toThrow(message);
    }
    const around = await HashGrid.create(tools.wrap(), {
      ...(worldsOf(2).bounded as WorldOptions),
      periodic: [false, true],
      diameter: 1,
      capacity: 1,
    });
    await expect(around.near({ points: 1, capacity: 1, reach: 4.0625 })).rejects.toThrow(
      'reach is 4.0625, but it must be at least 2^-40 and at most 4, half the shortest period of the world.',
    );
    await expect(around.kernel({ code: ' ', radius: 4.0625 })).rejects.toThrow(/^radius is 4\.0625, /);
    around.destroy();
    const code =
      'struct Own { a: u32 } fn begin(p: Particle) -> Own { return Own(); } fn visit(o: ptr<function, Own>, p: Particle, n: Neighbour) {} fn finish(o: Own, p: Particle) {}';
    const taken = grid.kernel({ code, over: 'points', parameters: { point_count: 'u32' } });
    await expect(taken).rejects.toThrow(/^parameters is "point_count", /);
    const search = await grid.near({ points: 10, capacity: 10 });
    const encoder = device.createCommandEncoder();
    const buffer = uploadVectors(tools, 2, 'points', points);
    const wrong: readonly [object, RegExp][] = [
      [{ points: buffer, count: 11 }, /^count is 11, but it must be at most 10 points\.$/],
      [
        { points: buffer, count: 1, radius: 1.5 },
        /^radius is 1\.5, .*at most 1, the reach that the search was created with/,
      ],
      [{ points: buffer, count: 1, radius: Number.NaN }, /^radius is NaN, /],
      [{ points: buffer, count: 1, radius: 2 ** -41 }, /^radius is .*, but it must be at least 2\^-40 /],
      [{ count: 1 }, /^points is undefined, /],
      [{ points: buffer, count: 1, reach: 2 }, /^input\.reach is 2, /],
    ];
    for (const [input, message] of wrong) {
      expect(() => search.encode(encoder, input as never)).toThrow(ArgumentError);
      expect(() => search.encode(encoder, input as never)).toThrow(message);
    }
    expect(() => search.encode(encoder, { points: buffer, count: 1 })).toThrow(/has not been encoded yet/);
    grid.encode(encoder, { positions: uploadVectors(tools, 2, 'p', positions), count: 3 });
    search.encode(encoder, { points: buffer, count: 1 });
    device.queue.submit([encoder.finish()]);
    expect((await search.read()).found).toBe(1);
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'reading returns the lists of one search, even if other searches are submitted meanwhile',
  async (device, tools) => {
    const { grid, points, positions, near } = await ask(tools, worldsOf(2).bounded as WorldOptions);
    const search = await grid.near({ points: POINTS, capacity: 8000 });
    const buffers = {
      positions: uploadVectors(tools, 2, 'p', positions),
      points: uploadVectors(tools, 2, 'q', points),
    };
    const record = (count: number, radius: number) => {
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, { positions: buffers.positions, count: PARTICLES });
      search.encode(encoder, { points: buffers.points, count, radius });
      return encoder.finish();
    };
    const expected = (count: number, radius: number) =>
      Array.from({ length: count }, (_, point) => near(point, radius));
    for (const [first, second] of [
      [POINTS, 7],
      [7, POINTS],
    ] as const) {
      device.queue.submit([record(first, 1)]);
      const reading = search.read();
      device.queue.submit([record(second, 0.5)]);
      const { offsets, ids } = await reading;
      expect(offsets.length).toBe(first + 1);
      expectArraysEqual(ids, Uint32Array.from(expected(first, 1).flat()), 'ids');
      const later = record(first, 1);
      const unchanged = await search.read();
      expect(unchanged.offsets.length).toBe(second + 1);
      expectArraysEqual(unchanged.ids, Uint32Array.from(expected(second, 0.5).flat()), 'ids');
      device.queue.submit([later]);
    }
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'searches reject lists that the device cannot bind, before they compile a kernel or reserve memory',
  async (device, tools) => {
    const { grid } = await ask(tools, worldsOf(2).bounded as WorldOptions);
    const before = tools.liveBuffers();
    const [modules, buffers] = [vi.spyOn(device, 'createShaderModule'), vi.spyOn(device, 'createBuffer')];
    for (const [attempt, message] of [
      [
        () => grid.near({ points: 1, capacity: 1e9 }),
        /^A list of 1000000000 neighbours takes 4000000000 bytes, /,
      ],
      [
        () => grid.near({ points: 1e9, capacity: 1 }),
        /^A search with 1000000000 points takes 40000000\d\d bytes, /,
      ],
      [() => grid.inBoxes({ boxes: 1, capacity: 1e9 }), /^A list of 1000000000 particles in boxes takes /],
      [() => grid.inBoxes({ boxes: 1e9, capacity: 1 }), /^A search with 1000000000 boxes takes /],
      [() => grid.alongRays({ rays: 1, capacity: 1e9 }), /^A list of 1000000000 balls on rays takes /],
      [() => grid.alongRays({ rays: 1e9, capacity: 1 }), /^A search with 1000000000 rays takes /],
      [() => grid.alongRays({ rays: 1e9, firstOnly: true }), /^A search with 1000000000 rays takes /],
      [() => grid.pairs({ capacity: 1e9 }), /^A list of 1000000000 pairs takes 8000000000 bytes, /],
    ] as const) {
      const refused = attempt();
      await expect(refused).rejects.toThrow(LimitError);
      await expect(refused).rejects.toThrow(message);
    }
    expect([modules.mock.calls, buffers.mock.calls]).toEqual([[], []]);
    expect(tools.liveBuffers()).toEqual(before);
    vi.restoreAllMocks();
    grid.destroy();
  },
  { driverless: true },
);
