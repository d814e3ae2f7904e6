import { describe, expect } from 'vitest';
import { ArgumentError, CellstormError, DestroyedError } from '../../../src/core/base/errors';
import { pairEvents } from '../../../src/core/simulation/pair-events';
import type { PairList } from '../../../src/core/simulation/simulation';
import { type Dimensions, defineWorld, type WorldOptions } from '../../../src/core/world/world';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import type { GridEvents } from '../../../src/engine/queries/events';
import type { GridPairs } from '../../../src/engine/queries/pairs';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { bruteForcePairs } from '../../../src/reference/query/brute-force';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, uploadVectors } from '../../helpers/passes';

const EDGE = 8;
const PARTICLES = 300;
const NOTHING: PairList = { count: 0, pairs: new Uint32Array(0) };
const KINDS = ['begun', 'stayed', 'ended'] as const;

function worldsOf(dimensions: Dimensions): Readonly<Record<string, WorldOptions>> {
  const corner = (value: number) => new Array<number>(dimensions).fill(value);
  const box = { dimensions, min: corner(0), max: corner(dimensions === 2 ? 2 * EDGE : EDGE) };
  return {
    bounded: box,
    periodic: { ...box, periodic: true },
    unbounded: { dimensions, unbounded: true },
  };
}

/** Coordinates are multiples of 1/256, so distances are exact: the lists equal those of brute force. */
class Crowd {
  private readonly noise: () => number;
  readonly positions: Float32Array;

  constructor(
    private readonly options: WorldOptions,
    particles = PARTICLES,
  ) {
    const { dimensions } = options;
    const { max } = worldsOf(dimensions).bounded as { max: readonly number[] };
    this.noise = createNoise(dimensions);
    const low = new Array<number>(dimensions).fill(0);
    this.positions = scatterIn(this.noise, low, max, particles);
    this.wander(0);
  }

  wander(most: number): void {
    this.positions.forEach((value, index) => {
      this.positions[index] = Math.round(256 * (value + most * (2 * this.noise() - 1))) / 256;
    });
  }

  pairs(count: number): PairList {
    const { dimensions } = this.options;
    const world = defineWorld(this.options, 1, PARTICLES);
    const some = this.positions.slice(0, dimensions * count);
    return bruteForcePairs(dimensions, some, 1, undefined, world.period).overlapping;
  }
}

interface Following {
  readonly grid: HashGrid;
  readonly contacts: GridPairs;
  readonly events: GridEvents;
  record(positions: Float32Array, count: number): GPUCommandBuffer;
}

async function follow(
  device: GPUDevice,
  tools: GpuTools,
  options: WorldOptions,
  capacities: { readonly pairs?: number; readonly events?: number } = {},
): Promise<Following> {
  const grid = await HashGrid.create(tools.wrap(), { ...options, diameter: 1, capacity: PARTICLES });
  const contacts = await grid.pairs({ capacity: capacities.pairs ?? 4000 });
  const events = await contacts.events(
    capacities.events === undefined ? {} : { capacity: capacities.events },
  );
  return {
    grid,
    contacts,
    events,
    record(positions, count) {
      const encoder = device.createCommandEncoder();
      const buffer = uploadVectors(tools, options.dimensions, 'positions', positions);
      grid.encode(encoder, { positions: buffer, count });
      contacts.encode(encoder);
      events.encode(encoder);
      return encoder.finish();
    },
  };
}

async function expectEvents(events: GridEvents, before: PairList, after: PairList): Promise<void> {
  const read = await events.read();
  const expected = pairEvents(before, after);
  expect([read.valid, read.found]).toEqual([true, after.count]);
  for (const kind of KINDS) {
    expect([read[kind].found, read[kind].count], kind).toEqual([expected[kind].count, expected[kind].count]);
    expectArraysEqual(read[kind].pairs, expected[kind].pairs, kind);
  }
}

describe.each(DIMENSIONS)('events in %dD', (dimensions) => {
  for (const [kind, options] of Object.entries(worldsOf(dimensions))) {
    gpuTest(
      `equal those that the host computes, in every search of a world that is ${kind}`,
      async (device, tools) => {
        const { grid, events, contacts, record } = await follow(device, tools, options);
        const crowd = new Crowd(options);
        // All pairs begin in the first search. Later searches include an unchanged state, fewer particles and none.
        let before = NOTHING;
        let changes = 0;
        for (const [count, move] of [
          [PARTICLES, 0],
          [PARTICLES, 0.2],
          [PARTICLES, 0.2],
          [PARTICLES, 0],
          [PARTICLES - 77, 0.1],
          [0, 0],
          [0, 0],
          [256, 0.1],
          [257, 0.1],
          [PARTICLES, 0.3],
        ] as const) {
          crowd.wander(move);
          device.queue.submit([record(crowd.positions, count)]);
          const after = crowd.pairs(count);
          expectArraysEqual((await contacts.read()).pairs, after.pairs, 'pairs');
          await expectEvents(events, before, after);
          const { begun, ended, stayed } = pairEvents(before, after);
          changes += Math.min(begun.count, ended.count, stayed.count);
          before = after;
        }
        expect(changes).toBeGreaterThan(100);
        grid.destroy();
      },
      dimensions === 2 ? SHARED : SHARED_CASE,
    );
  }

  gpuTest(
    'are counted, and each count comes with the arguments of a dispatch',
    async (device, tools) => {
      const options = worldsOf(dimensions).periodic as WorldOptions;
      const { grid, events, record } = await follow(device, tools, options);
      const crowd = new Crowd(options);
      const before = crowd.pairs(PARTICLES);
      device.queue.submit([record(crowd.positions, PARTICLES)]);
      crowd.wander(0.2);
      device.queue.submit([record(crowd.positions, PARTICLES)]);
      const after = crowd.pairs(PARTICLES);
      const expected = pairEvents(before, after);
      for (const kind of KINDS) {
        const { count, pairs } = expected[kind];
        const workgroups = Math.ceil(count / 256);
        expect([...(await readWords(tools, events[kind].count, 5))]).toEqual([
          count,
          count,
          workgroups,
          1,
          1,
        ]);
        expect(events[kind].dispatchOffset).toBe(8);
        expectArraysEqual(await readWords(tools, events[kind].pairs, 2 * count), pairs, kind);
      }
      expect([...(await readWords(tools, events.compared, 2))]).toEqual([after.count, after.count]);
      grid.destroy();
    },
    SHARED,
  );
});

gpuTest(
  'events follow the order of submission, not of recording',
  async (device, tools) => {
    const options = worldsOf(2).bounded as WorldOptions;
    const { grid, contacts, events, record } = await follow(device, tools, options);
    const crowd = new Crowd(options);
    const recorded = [0, 1, 2, 3].map(() => {
      crowd.wander(0.2);
      return { commands: record(crowd.positions, PARTICLES), pairs: crowd.pairs(PARTICLES) };
    });
    const [first, dropped, last, middle] = recorded as [
      (typeof recorded)[0],
      (typeof recorded)[0],
      (typeof recorded)[0],
      (typeof recorded)[0],
    ];
    expect(dropped.pairs.count).toBeGreaterThan(0);
    device.queue.submit([first.commands]);
    await expectEvents(events, NOTHING, first.pairs);
    device.queue.submit([middle.commands]);
    await expectEvents(events, first.pairs, middle.pairs);
    device.queue.submit([last.commands]);
    await expectEvents(events, middle.pairs, last.pairs);
    // Record two comparisons into one encoder. The search between them is never compared, so it has no effect.
    const encoder = device.createCommandEncoder();
    const search = () => {
      crowd.wander(0.2);
      const positions = uploadVectors(tools, 2, 'positions', crowd.positions);
      grid.encode(encoder, { positions, count: PARTICLES });
      contacts.encode(encoder);
      return crowd.pairs(PARTICLES);
    };
    const penultimate = search();
    events.encode(encoder);
    search();
    const end = search();
    events.encode(encoder);
    device.queue.submit([encoder.finish()]);
    await expectEvents(events, penultimate, end);
    const again = device.createCommandEncoder();
    events.encode(again);
    device.queue.submit([again.finish()]);
    await expectEvents(events, end, end);
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'several event lists can follow the same pairs',
  async (device, tools) => {
    const options = worldsOf(2).bounded as WorldOptions;
    const { grid, contacts, events, record } = await follow(device, tools, options);
    const crowd = new Crowd(options);
    const before = crowd.pairs(PARTICLES);
    device.queue.submit([record(crowd.positions, PARTICLES)]);
    const others = await contacts.events();
    const encoder = device.createCommandEncoder();
    others.encode(encoder);
    device.queue.submit([encoder.finish()]);
    await expectEvents(others, NOTHING, before);
    await expectEvents(events, NOTHING, before);
    others.destroy();
    await expect(others.read()).rejects.toThrow(DestroyedError);
    await expectEvents(events, NOTHING, before);
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'a list that was cut short has no events; the next complete list is compared with the last complete one',
  async (device, tools) => {
    const options = worldsOf(2).bounded as WorldOptions;
    const crowd = new Crowd(options);
    const few = 200;
    const room = crowd.pairs(few).count + 20;
    expect(crowd.pairs(PARTICLES).count).toBeGreaterThan(room + 2);
    const { grid, events, record } = await follow(device, tools, options, { pairs: room });
    const before = crowd.pairs(few);
    device.queue.submit([record(crowd.positions, few)]);
    await expectEvents(events, NOTHING, before);
    for (let round = 0; round < 2; round++) {
      device.queue.submit([record(crowd.positions, PARTICLES)]);
      const empty = { found: 0, ...NOTHING };
      expect(await events.read()).toEqual({
        begun: empty,
        stayed: empty,
        ended: empty,
        valid: false,
        found: crowd.pairs(PARTICLES).count,
      });
      for (const kind of KINDS)
        expect([...(await readWords(tools, events[kind].count, 5))]).toEqual([0, 0, 0, 1, 1]);
      const [found, listed] = await readWords(tools, events.compared, 2);
      expect(found).toBe(crowd.pairs(PARTICLES).count);
      expect(listed).toBeLessThanOrEqual(room + 1);
    }
    crowd.wander(0.1);
    device.queue.submit([record(crowd.positions, few - 10)]);
    await expectEvents(events, before, crowd.pairs(few - 10));
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'a list of events that is too short holds the first ones and reports the needed capacity',
  async (device, tools) => {
    const options = worldsOf(3).periodic as WorldOptions;
    const { grid, events, record } = await follow(device, tools, options, { events: 11 });
    expect(events.capacity).toBe(12);
    const crowd = new Crowd(options);
    const lists = [NOTHING];
    for (let round = 0; round < 3; round++) {
      crowd.wander(0.2);
      device.queue.submit([record(crowd.positions, PARTICLES)]);
      lists.push(crowd.pairs(PARTICLES));
      const expected = pairEvents(...(lists.slice(-2) as [PairList, PairList]));
      const read = await events.read();
      expect(read.valid).toBe(true);
      for (const kind of KINDS) {
        const count = Math.min(12, expected[kind].count);
        expect([read[kind].found, read[kind].count]).toEqual([expected[kind].count, count]);
        const { pairs } = read[kind];
        // A full list may end anywhere, also between two pairs of the same particle.
        expectArraysEqual(pairs, expected[kind].pairs.subarray(0, 2 * count), kind);
      }
    }
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'events reject invalid options, and are destroyed with their pairs',
  async (device, tools) => {
    const already = tools.liveBuffers().length;
    const options = worldsOf(2).bounded as WorldOptions;
    const { grid, contacts, events, record } = await follow(device, tools, options);
    await expect(contacts.events({ capacity: 0 })).rejects.toThrow(ArgumentError);
    await expect(contacts.events({ capacity: 0 })).rejects.toThrow(/^capacity is 0, /);
    await expect(contacts.events({ room: 2 } as never)).rejects.toThrow(/^options\.room is 2, /);
    await expect(contacts.events(null as never)).rejects.toThrow(/^options is null, /);
    const encoder = device.createCommandEncoder();
    expect(() => events.encode(encoder)).toThrow(CellstormError);
    expect(() => events.encode(encoder)).toThrow(
      /^The pairs have not been encoded yet, so there is nothing to compare; encode them first\.$/,
    );
    const crowd = new Crowd(options);
    device.queue.submit([record(crowd.positions, PARTICLES)]);
    expect(() => events.encode(undefined as never)).toThrow(ArgumentError);
    const own = tools.liveBuffers().filter((label) => label.startsWith('grid.events')).length;
    expect(own).toBe(3 * 4 + 3);
    const sum = 3 * (2 * 4 * (PARTICLES + 4) + 8 * 4000) + 4 * (PARTICLES + 4) + 8 * 4000;
    expect(events.memoryBytes).toBeGreaterThanOrEqual(sum);
    expect(events.memoryBytes).toBeLessThan(sum + 1024);
    contacts.destroy();
    expect(() => events.encode(encoder)).toThrow(DestroyedError);
    await expect(events.read()).rejects.toThrow(DestroyedError);
    await expect(contacts.events()).rejects.toThrow(DestroyedError);
    grid.destroy();
    const left = tools.liveBuffers().filter((label) => label !== 'positions').length;
    expect(left).toBe(already);
  },
  SHARED,
);

gpuTest(
  'a grid without particles has no events',
  async (device, tools) => {
    const options = worldsOf(2).bounded as WorldOptions;
    const grid = await HashGrid.create(tools.wrap(), { ...options, diameter: 1, capacity: 0 });
    const contacts = await grid.pairs({ capacity: 2 });
    const events = await contacts.events();
    const encoder = device.createCommandEncoder();
    grid.encode(encoder, { positions: tools.allocate('positions', 16), count: 0 });
    contacts.encode(encoder);
    events.encode(encoder);
    device.queue.submit([encoder.finish()]);
    await expectEvents(events, NOTHING, NOTHING);
    grid.destroy();
  },
  SHARED,
);

describe.each(DIMENSIONS)('a grid over the buffers of a simulation in %dD', (dimensions) => {
  for (const sizes of ['two radii', 'one radius'] as const) {
    gpuTest(
      `lists particles by the simulation’s ids, with ${sizes}`,
      async (device, tools) => {
        const isMixed = sizes === 'two radii';
        const positions = new Crowd(worldsOf(dimensions).bounded as WorldOptions).positions;
        const velocities = positions.map((_, index) => ((index * 37) % 17) / 4 - 2);
        // Two radii, because a software device compiles kernels for many levels slowly.
        const radii = Float32Array.from({ length: PARTICLES }, (_, index) => 0.25 * (1 + (index % 2)));
        const options = { ...worldsOf(dimensions).bounded, dimensions, positions, velocities };
        const simulation = await createSimulation(tools.wrap(), {
          ...options,
          ...(isMixed ? { radii } : { radius: 0.5 }),
        });
        const { radiusRange, world } = simulation;
        const grid = await HashGrid.create(tools.wrap(), {
          dimensions,
          min: world.min,
          max: world.max,
          capacity: PARTICLES,
          ids: true,
          ...(radiusRange ? { radii: radiusRange } : { diameter: 1 }),
        });
        const contacts = await grid.pairs({ capacity: 8 * PARTICLES });
        const events = await contacts.events();
        let before = NOTHING;
        let moved = 0;
        for (let step = 0; step < 4; step++) {
          const encoder = device.createCommandEncoder();
          simulation.encodeStep(encoder, 1 / 64);
          const state = simulation.buffers;
          const { count } = simulation;
          grid.encode(encoder, { positions: state.positions, ids: state.ids, count });
          contacts.encode(encoder);
          events.encode(encoder);
          device.queue.submit([encoder.finish()]);
          const after = await simulation.findPairs();
          expectArraysEqual((await contacts.read()).pairs, after.pairs, 'pairs');
          const expected = pairEvents(before, after);
          const got = await events.read();
          for (const kind of KINDS) expectArraysEqual(got[kind].pairs, expected[kind].pairs, kind);
          if (step > 0) moved += expected.begun.count;
          before = after;
          if (step === 1) simulation.remove([0, 7, PARTICLES - 1]);
        }
        expect(moved).toBeGreaterThan(0);
        simulation.destroy();
        grid.destroy();
      },
      SHARED_CASE,
    );
  }
});

gpuTest(
  'a grid with ids accepts ids in any order, and rejects invalid buffers of ids',
  async (device, tools) => {
    const options = { dimensions: 2, min: [0, 0], max: [8, 8], diameter: 1, capacity: 4 } as const;
    const grid = await HashGrid.create(tools.wrap(), { ...options, ids: true });
    const contacts = await grid.pairs({ capacity: 8 });
    const positions = uploadVectors(tools, 2, 'positions', Float32Array.of(1, 1, 1.5, 1, 1, 1.5, 1.5, 1.5));
    const ids = tools.upload('ids', Uint32Array.of(3, 2, 1, 0));
    const encoder = device.createCommandEncoder();
    for (const [wrong, message] of [
      [undefined, /^ids is undefined, but it must be a GPUBuffer/],
      [positions, /^ids is the same buffer as positions/],
      [grid.ids, /^ids is the grid's own buffer `ids`/],
      [
        tools.upload('uniforms', new Uint32Array(4), GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST),
        /with usage STORAGE/,
      ],
    ] as const) {
      expect(() => grid.encode(encoder, { positions, ids: wrong, count: 4 })).toThrow(message);
    }
    grid.encode(encoder, { positions, ids, count: 4 });
    contacts.encode(encoder);
    device.queue.submit([encoder.finish()]);
    expect([...(await contacts.read()).pairs]).toEqual([0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3]);
    const without = await HashGrid.create(tools.wrap(), options);
    expect(() => without.encode(encoder, { positions, ids, count: 4 })).toThrow(
      /^ids is .*, but it must be left out, because this grid was created without `ids`\.$/,
    );
    await expect(HashGrid.create(tools.wrap(), { ...options, ids: 1 as never })).rejects.toThrow(
      /^ids is 1, but it must be true or false\.$/,
    );
    grid.destroy();
    without.destroy();
  },
  SHARED,
);
