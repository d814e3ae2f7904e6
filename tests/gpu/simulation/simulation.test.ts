/**
 * Tests simulations on the GPU: their particles, settings, recordings and errors. Runs must give the same bits with
 * both broad phases, in any order in memory, and after continuing from a checkpoint.
 */
import { describe, expect, onTestFinished, vi } from 'vitest';
import type { StageTimes } from '../../../src/core/base/stage-times';
import type { Checkpoint, SimulationOptions } from '../../../src/core/simulation/simulation';
import { defineWorld, GREATEST_SPEED } from '../../../src/core/world/world';
import { createSimulation, type Simulation } from '../../../src/engine/simulation/simulation';
import { STEP_STAGES } from '../../../src/engine/simulation/stages';
import type { Gpu } from '../../../src/gpu/device';
import { SharedParameters } from '../../../src/gpu/params';
import { bruteForcePairs } from '../../../src/reference/query/brute-force';
import { createScene, sceneNames, sceneOptions } from '../../../src/scenes';
import { expectArraysEqual, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import {
  bitsOf,
  DIMENSIONS,
  FOLD,
  MOST_FOLDED,
  readVectors,
  readWords,
  substepOf,
} from '../../helpers/passes';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';

const DT = 1 / 60;

function create(
  gpu: Gpu,
  name: string,
  dimensions: 2 | 3,
  count: number,
  changes: Partial<SimulationOptions> = {},
): Promise<Simulation> {
  return createSimulation(gpu, sceneOptions(createScene(name, { dimensions, count, seed: 5 }), changes));
}

function advance(simulation: Simulation, steps: number): Simulation {
  for (let step = 0; step < steps; step++) simulation.step(DT);
  return simulation;
}

const hashOf = async (simulation: Simulation) => (await simulation.measure()).hash;

/** Expects stages of STEP_STAGES, in the order of that table, from `first` to `last`. */
function expectInOrder({ stages }: StageTimes, first: string, last: string): void {
  const names = Object.keys(stages);
  expect(names).toEqual(Object.keys(STEP_STAGES).filter((name) => name in stages));
  expect([names[0], names.at(-1)]).toEqual([first, last]);
}

const LIVELY = { restitution: 0.5, friction: 0.3, substeps: 2 } as const;

describe.each(DIMENSIONS)('a run in %dD', (dimensions) => {
  gpuTest(
    'gives the same bits with both broad phases if particles bounce',
    async (_, tools) => {
      for (const [name, count] of [
        ['pile', 200],
        ['one-cell', 60],
        ['clustered', 300],
      ] as const) {
        const hashes = [];
        for (const broadPhase of ['grid', 'naive'] as const) {
          const simulation = await create(tools.wrap(), name, dimensions, count, { ...LIVELY, broadPhase });
          hashes.push(await hashOf(advance(simulation, 6)));
          simulation.destroy();
        }
        expect(hashes[1], name).toBe(hashes[0]);
      }
    },
    SHARED,
  );

  gpuTest(
    'gives the same bits in every run, whatever the order in memory, in folded dispatches or not',
    async (_, tools) => {
      const scene = createScene('uniform', { dimensions, count: MOST_FOLDED, seed: 5 });
      const hashes = [];
      for (const fold of [undefined, undefined, FOLD]) {
        const simulation = await createSimulation(tools.wrap(fold), sceneOptions(scene, LIVELY));
        hashes.push(await hashOf(advance(simulation, 10)));
        simulation.destroy();
      }
      // Particles that are removed and added again get the same ids in other slots.
      const simulation = await createSimulation(tools.wrap(), sceneOptions(scene, LIVELY));
      const ids = Uint32Array.from({ length: MOST_FOLDED / 2 }, (_value, index) => 2 * index);
      const pick = (vectors: Float32Array) =>
        vectors.filter((_value, index) => Math.floor(index / dimensions) % 2 === 0);
      simulation.remove(ids);
      const back = simulation.add({ positions: pick(scene.positions), velocities: pick(scene.velocities) });
      expectArraysEqual(back, ids, 'ids');
      hashes.push(await hashOf(advance(simulation, 10)));
      simulation.destroy();
      expect(new Set(hashes).size).toBe(1);
      expect(hashes[0]).not.toBe('0000000000000000');
    },
    SHARED,
  );

  gpuTest(
    'continues from a checkpoint with the same bits, in the same and in another simulation',
    async (_, tools) => {
      const gpu = tools.wrap();
      const whole = advance(await create(gpu, 'pile', dimensions, 500, LIVELY), 6);
      whole.remove([3, 100, 499]);
      const checkpoint = structuredClone(await whole.checkpoint());
      const { time } = whole;
      const hash = await hashOf(advance(whole, 6));
      whole.restore(checkpoint);
      expect([whole.time, whole.count]).toEqual([time, 497]);
      expect(await hashOf(advance(whole, 6))).toBe(hash);
      const other = advance(
        await create(gpu, 'pile', dimensions, 300, { capacity: 500, ...boxOf(whole) }),
        3,
      );
      other.remove([0, 7]);
      other.restore(checkpoint);
      expect(other.settings).toEqual(whole.settings);
      expect([...(await other.read()).ids]).toEqual([...checkpoint.ids]);
      expect([...other.add({ positions: new Float32Array(dimensions).fill(1) })]).toEqual([3]);
      other.remove([3]);
      expect(await hashOf(advance(other, 6))).toBe(hash);
    },
    SHARED,
  );

  gpuTest(
    'is not changed by queries between steps',
    async (_, tools) => {
      const gpu = tools.wrap();
      const quiet = await create(gpu, 'pile', dimensions, 400, LIVELY);
      const asked = await create(gpu, 'pile', dimensions, 400, LIVELY);
      for (let step = 0; step < 6; step++) {
        quiet.step(DT);
        asked.step(DT);
        const pending = [asked.measure(), asked.findPairs(), asked.read(), asked.checkpoint()];
        if (step % 2 === 0) await Promise.all(pending);
        else pending.map((promise) => promise.catch(() => undefined));
      }
      expect(await hashOf(asked)).toBe(await hashOf(quiet));
    },
    SHARED,
  );

  gpuTest(
    'gives the same bits if its steps are recorded into the caller’s encoder',
    async (device, tools) => {
      const gpu = tools.wrap();
      const stepped = advance(await create(gpu, 'pile', dimensions, 300, LIVELY), 4);
      stepped.separate(3);
      const recorded = await create(gpu, 'pile', dimensions, 300, LIVELY);
      const encoder = device.createCommandEncoder();
      for (let step = 0; step < 4; step++) recorded.encodeStep(encoder, DT);
      recorded.encodeSeparate(encoder, 3);
      expect(recorded.time).toBe(stepped.time);
      device.queue.submit([encoder.finish()]);
      expect(await hashOf(recorded)).toBe(await hashOf(stepped));
    },
    SHARED,
  );

  gpuTest(
    'quarantines a particle that stops being finite, and does not change the other particles',
    async (_, tools) => {
      const gpu = tools.wrap();
      const count = 200;
      const alone = await create(gpu, 'pile', dimensions, count, { ...LIVELY, capacity: count + 3 });
      const other = await create(gpu, 'pile', dimensions, count, { ...LIVELY, capacity: count + 3 });
      const odd = [GREATEST_SPEED, -1e38, -GREATEST_SPEED];
      const checkpoint = await other.checkpoint();
      // Add three particles with velocities that `add` would reject.
      const extra = odd.flatMap(() => [...checkpoint.positions.slice(50 * dimensions, 51 * dimensions)]);
      const velocities = odd.flatMap((speed) => [speed, 1, 2].slice(0, dimensions));
      other.restore({
        ...checkpoint,
        ids: Uint32Array.of(...checkpoint.ids, count, count + 1, count + 2),
        positions: Float32Array.of(...checkpoint.positions, ...extra),
        velocities: Float32Array.of(...checkpoint.velocities, ...velocities),
      });
      advance(alone, 10);
      advance(other, 10);
      const measures = await other.measure();
      expect(measures).toMatchObject({ count: count + 3, nonFinite: 3 });
      const { count: _count, nonFinite: _nonFinite, hash, ...rest } = measures;
      expect(await alone.measure()).toMatchObject(rest);
      expect(await hashOf(alone)).not.toBe(hash);
      const [expected, got] = [await alone.read(), await other.read()];
      const here = count * dimensions;
      expectArraysEqual(bitsOf(got.positions.slice(0, here)), bitsOf(expected.positions), 'positions');
      expectArraysEqual(bitsOf(got.velocities.slice(0, here)), bitsOf(expected.velocities), 'velocities');
      expect(got.positions.slice(here).every(Number.isNaN)).toBe(true);
      // Quarantined particles stay when others are removed, and can be read and removed by their ids.
      other.remove([0, 1]);
      alone.remove([0, 1]);
      const left = await other.read();
      expect([...left.ids.slice(-4)]).toEqual([count - 1, count, count + 1, count + 2]);
      expect(left.positions.slice(-3 * dimensions).every(Number.isNaN)).toBe(true);
      other.remove([count, count + 1, count + 2]);
      expect(await hashOf(advance(other, 3))).toBe(await hashOf(advance(alone, 3)));
    },
    SHARED,
  );

  gpuTest(
    'conserves energy and momentum of a dilute gas',
    async (_, tools) => {
      const gpu = tools.wrap();
      const box = await create(gpu, 'gas', dimensions, 300, { substeps: 4 });
      const before = await box.measure();
      const after = await advance(box, 80).measure();
      expect(before.kineticEnergy).toBeGreaterThan(0);
      expect(Math.abs(after.kineticEnergy / before.kineticEnergy - 1)).toBeLessThan(0.02);
      expect(after).toMatchObject({ count: 300, outside: 0, nonFinite: 0 });
      expect(after.hash).not.toBe(before.hash);
      const free = await create(gpu, 'gas', dimensions, 300, { substeps: 4, walls: false });
      const start = await free.measure();
      const end = await advance(free, 80).measure();
      const change = end.momentum.map((along, axis) => along - (start.momentum[axis] as number));
      expect(Math.hypot(...change) / Math.hypot(...start.momentum)).toBeLessThan(1e-4);
      expect(Math.abs(end.kineticEnergy / start.kineticEnergy - 1)).toBeLessThan(0.02);
    },
    SHARED,
  );

  gpuTest(
    'pushes apart in rounds without changing velocities or time',
    async (_, tools) => {
      const simulation = await create(tools.wrap(), 'packing', dimensions, 300, { velocities: undefined });
      const before = await simulation.measure();
      const { velocities } = await simulation.read();
      simulation.separate(10);
      const after = await simulation.measure();
      expect(after.meanOverlap * after.contacts).toBeLessThan(0.95 * before.meanOverlap * before.contacts);
      expectArraysEqual(bitsOf((await simulation.read()).velocities), bitsOf(velocities), 'velocities');
      expect(simulation.time).toBe(0);
      const other = await create(tools.wrap(), 'packing', dimensions, 300, { velocities: undefined });
      for (let round = 0; round < 10; round++) other.separate();
      expect(await hashOf(other)).toBe(after.hash);
    },
    SHARED,
  );
});

function watch(device: GPUDevice, methods: readonly (keyof GPUDevice)[]) {
  const names: string[] = [];
  const originals = methods.map((name) => [name, device[name]] as const);
  for (const [name, original] of originals) {
    const watched = (...values: unknown[]) => {
      names.push(name);
      return Reflect.apply(original as () => unknown, device, values);
    };
    Object.assign(device, { [name]: watched });
  }
  const stop = () => void Object.assign(device, Object.fromEntries(originals));
  // Restore the device even if this test fails, because other tests share it.
  onTestFinished(stop);
  return { names, stop };
}

function boxOf({ world }: Simulation) {
  return { min: world.min, max: world.max, cellSize: world.cellSize };
}

describe('particles of a simulation', () => {
  gpuTest(
    'get the lowest free ids up to the capacity, and are removed by id',
    async (_, tools) => {
      const simulation = await create(tools.wrap(), 'gas', 3, 300, { capacity: 303 });
      const { positions, velocities } = await simulation.read();
      const removed = [0, 31, 32, 255, 256, 299];
      simulation.remove(removed);
      expect(simulation.count).toBe(294);
      const left = await simulation.read();
      expect([...left.ids]).toEqual(
        Array.from({ length: 300 }, (_value, id) => id).filter((id) => !removed.includes(id)),
      );
      left.ids.forEach((id, index) => {
        expect([...left.positions.subarray(3 * index, 3 * index + 3)]).toEqual([
          ...positions.subarray(3 * id, 3 * id + 3),
        ]);
        expect([...left.velocities.subarray(3 * index, 3 * index + 3)]).toEqual([
          ...velocities.subarray(3 * id, 3 * id + 3),
        ]);
      });
      const added = Float32Array.from({ length: 27 }, (_value, index) => 1 + index / 4);
      expect([...simulation.add({ positions: added })]).toEqual([...removed, 300, 301, 302]);
      expect(simulation.count).toBe(303);
      const full = await simulation.read();
      expect([...full.ids]).toEqual(Array.from({ length: 303 }, (_value, id) => id));
      expect([...full.positions.subarray(0, 3), ...full.positions.subarray(93, 96)]).toEqual([
        ...added.subarray(0, 6),
      ]);
      expect([...full.velocities.subarray(906, 909)]).toEqual([0, 0, 0]);
      advance(simulation, 3);
      expect(await simulation.measure()).toMatchObject({ count: 303, nonFinite: 0, outside: 0 });
      expect([...(await simulation.read()).ids]).toEqual([...full.ids]);
    },
    SHARED,
  );

  gpuTest(
    'can all be removed and added again, and a simulation can start empty',
    async (_, tools) => {
      const simulation = await create(tools.wrap(), 'pile', 2, 257);
      simulation.remove(Uint32Array.from({ length: 257 }, (_value, id) => id));
      advance(simulation, 2);
      simulation.separate();
      expect(await simulation.measure()).toMatchObject({
        count: 0,
        candidates: 0,
        contacts: 0,
        hash: '0'.repeat(16),
      });
      expect(await simulation.findPairs()).toEqual({ count: 0, pairs: new Uint32Array(0), borderline: 0 });
      expect((await simulation.read()).ids).toHaveLength(0);
      const empty = await simulation.checkpoint();
      expect([...simulation.add({ positions: Float32Array.of(1, 1, 1.5, 1) })]).toEqual([0, 1]);
      expect(await simulation.measure()).toMatchObject({ count: 2, contacts: 1 });
      advance(simulation, 1);
      expect(await simulation.measure()).toMatchObject({ count: 2, nonFinite: 0 });
      simulation.restore(empty);
      expect(simulation.count).toBe(0);
      const unpopulated = await createSimulation(tools.wrap(), { dimensions: 3, radius: 1 });
      advance(unpopulated, 1);
      expect(await unpopulated.measure()).toMatchObject({ count: 0 });
      expect((await unpopulated.profile(DT)).total).toBeGreaterThanOrEqual(0);
      expect([
        unpopulated.capacity,
        unpopulated.count,
        [...unpopulated.add({ positions: new Float32Array(0) })],
      ]).toEqual([0, 0, []]);
    },
    SHARED,
  );

  gpuTest(
    'are in the public buffers, with position, velocity and id in the same slot',
    async (_, tools) => {
      const simulation = await create(tools.wrap(), 'clustered', 2, 300);
      for (let step = 0; step < 3; step++) {
        const { positions, velocities, ids } = simulation.buffers;
        const state = await simulation.read();
        const slots = await readWords(tools, ids, 300);
        const [places, speeds] = [
          await readVectors(tools, 2, positions, 300),
          await readVectors(tools, 2, velocities, 300),
        ];
        expect(slots.toSorted()).toEqual(state.ids);
        slots.forEach((id, slot) => {
          expect(places.subarray(2 * slot, 2 * slot + 2)).toEqual(
            state.positions.subarray(2 * id, 2 * id + 2),
          );
          expect(speeds.subarray(2 * slot, 2 * slot + 2)).toEqual(
            state.velocities.subarray(2 * id, 2 * id + 2),
          );
        });
        simulation.step(DT);
      }
    },
    SHARED,
  );

  gpuTest(
    'stay in the same public buffers, whatever changes the state',
    async (device, tools) => {
      const simulation = await create(tools.wrap(), 'clustered', 2, 300, { capacity: 301 });
      const { positions, velocities, ids } = simulation.buffers;
      const usage =
        GPUBufferUsage.STORAGE | GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
      expect([positions.usage, velocities.usage, ids.usage]).toEqual([usage, usage, usage]);
      const checkpoint = await simulation.checkpoint();
      const changes: Record<string, () => unknown> = {
        'a step': () => simulation.step(DT),
        'a step with an odd number of substeps': () => {
          simulation.set({ substeps: 3 });
          simulation.step(DT);
        },
        'a recorded step': () => {
          const encoder = device.createCommandEncoder();
          simulation.encodeStep(encoder, DT);
          device.queue.submit([encoder.finish()]);
        },
        'a timed step': () => simulation.profile(DT),
        'one round of separate': () => simulation.separate(1),
        'two rounds of separate': () => simulation.separate(2),
        'a timed separate': () => simulation.profileSeparate(1),
        measure: () => simulation.measure(),
        findPairs: () => simulation.findPairs(),
        add: () => simulation.add({ positions: Float32Array.of(4, 4) }),
        remove: () => simulation.remove([17, 3]),
        restore: () => simulation.restore(checkpoint),
      };
      for (const [name, change] of Object.entries(changes)) {
        await change();
        const { count } = simulation;
        const now = simulation.buffers;
        const kept = [now.positions === positions, now.velocities === velocities, now.ids === ids];
        expect(kept, name).toEqual([true, true, true]);
        const state = await simulation.read();
        const slots = await readWords(tools, ids, count);
        const places = await readVectors(tools, 2, positions, count);
        const speeds = await readVectors(tools, 2, velocities, count);
        expect(slots.toSorted(), name).toEqual(state.ids);
        slots.forEach((id, slot) => {
          const index = state.ids.indexOf(id);
          const range = [2 * slot, 2 * slot + 2] as const;
          expect(places.slice(...range), name).toEqual(state.positions.slice(2 * index, 2 * index + 2));
          expect(speeds.slice(...range), name).toEqual(state.velocities.slice(2 * index, 2 * index + 2));
        });
      }
    },
    SHARED,
  );

  gpuTest(
    'may be written by the caller between two calls: the next call uses what was written',
    async (device, tools) => {
      const simulation = await createSimulation(tools.wrap(), {
        dimensions: 2,
        radius: 0.5,
        positions: Float32Array.of(1, 1, 5, 5),
        min: [0, 0],
        max: [8, 8],
      });
      simulation.separate(1);
      const slot = new Uint32Array(await tools.read(simulation.buffers.ids)).indexOf(1);
      device.queue.writeBuffer(simulation.buffers.positions, 8 * slot, Float32Array.of(1.25, 1));
      expect((await simulation.findPairs()).count).toBe(1);
      simulation.separate(1);
      const { positions } = await simulation.read();
      expect(positions[0]).toBeLessThan(1);
      expect(positions[2]).toBeGreaterThan(1.25);
    },
    SHARED,
  );
});

describe('the initial particles of a simulation', () => {
  gpuTest(
    'are copied at the call, so the caller may change the arrays',
    async (_, tools) => {
      const { positions, velocities, ...options } = sceneOptions(
        createScene('gas', { dimensions: 2, count: 50 }),
      );
      const given = { positions: positions?.slice(), velocities: velocities?.slice() };
      const creating = createSimulation(tools.wrap(), { ...options, ...given });
      given.positions?.fill(Number.NaN);
      given.velocities?.fill(7);
      const simulation = await creating;
      expect(await simulation.read()).toMatchObject({ positions, velocities });
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'leave nothing behind if the upload fails',
    async (device, tools) => {
      const scene = createScene('gas', { dimensions: 2, count: 50 });
      const write = device.queue.writeBuffer;
      onTestFinished(() => {
        device.queue.writeBuffer = write;
      });
      device.queue.writeBuffer = (buffer, ...rest) => {
        if (buffer.label === 'simulation.id0') throw new RangeError('not today');
        return Reflect.apply(write, device.queue, [buffer, ...rest]);
      };
      const attempt = createSimulation(tools.wrap(), sceneOptions(scene));
      await expect(attempt).rejects.toThrow('not today');
      expect(tools.liveBuffers()).toEqual([]);
    },
    SHARED,
  );
});

describe('pairs and measures', () => {
  gpuTest(
    'are those of the moment of the call, even if steps and changes of settings follow',
    async (_, tools) => {
      const simulation = await create(tools.wrap(), 'clustered', 2, 300, LIVELY);
      for (const broadPhase of ['naive', 'grid'] as const) {
        const { positions } = await simulation.read();
        const { overlapping } = bruteForcePairs(2, positions, 1);
        const before = await simulation.measure();
        const pairs = simulation.findPairs();
        const measures = simulation.measure();
        const state = simulation.read();
        simulation.set({ broadPhase });
        advance(simulation, 3);
        simulation.remove([simulation.count - 1]);
        expectArraysEqual((await pairs).pairs, overlapping.pairs, 'pairs');
        expect(await measures).toEqual(before);
        expectArraysEqual((await state).positions, positions, 'positions');
        expect(await hashOf(simulation)).not.toBe(before.hash);
      }
    },
    SHARED,
  );

  gpuTest(
    'can be requested many at a time',
    async (_, tools) => {
      const simulation = await create(tools.wrap(), 'clustered', 2, 200);
      const hashes = [];
      for (let step = 0; step < 12; step++) {
        hashes.push(simulation.measure());
        simulation.step(DT);
      }
      const got = (await Promise.all(hashes)).map(({ hash }) => hash);
      const again = await create(tools.wrap(), 'clustered', 2, 200);
      for (const hash of got) {
        expect(await hashOf(again)).toBe(hash);
        again.step(DT);
      }
      expect(new Set(got).size).toBe(12);
      expect(tools.liveBuffers().filter((label) => label.includes('staging')).length).toBeLessThanOrEqual(
        2 * 4,
      );
    },
    SHARED,
  );
});

describe('a step', () => {
  gpuTest(
    'of 0 s does nothing',
    async (_, tools) => {
      const simulation = await create(tools.wrap(), 'packing', 2, 100, { gravity: [0, -9] });
      const before = await hashOf(simulation);
      simulation.step(0);
      expect((await simulation.profile(0)).stages).toEqual({});
      expect([await hashOf(simulation), simulation.time]).toEqual([before, 0]);
    },
    SHARED,
  );

  gpuTest(
    'uses the settings at the time of its call, without new pipelines or buffers',
    async (device, tools) => {
      const simulation = await create(tools.wrap(), 'pile', 2, 300, { restitution: 0.5 });
      advance(simulation, 4);
      await simulation.measure();
      const buffers = tools.liveBuffers();
      const made = watch(device, ['createBuffer', 'createComputePipeline', 'createComputePipelineAsync']);
      for (const changes of [
        { gravity: [0, 0] },
        { gravity: [3, 5], friction: 0.9 },
        { restitution: 0 },
        { restitution: 1, relaxation: 0.2 },
        { walls: false },
        { substeps: 3, walls: true },
      ]) {
        simulation.set(changes);
        expect(simulation.settings).toMatchObject(changes);
        const before = await hashOf(simulation);
        advance(simulation, 4);
        expect(await hashOf(simulation)).not.toBe(before);
      }
      made.stop();
      expect(made.names).toEqual([]);
      expect(tools.liveBuffers()).toEqual(buffers);
    },
    SHARED,
  );

  gpuTest(
    'reuses its bind groups, whichever of the two copies of the state is current',
    async (device, tools) => {
      const simulation = await create(tools.wrap(), 'pile', 2, 50, LIVELY);
      const round = async () => {
        for (const rounds of [1, 2, 3]) {
          simulation.set({ substeps: rounds });
          advance(simulation, 2);
          simulation.separate(rounds);
          await simulation.measure();
          simulation.remove(simulation.add({ positions: Float32Array.of(1, 1) }));
        }
      };
      simulation.remove([49]);
      for (let warm = 0; warm < 8; warm++) await round();
      const made = watch(device, ['createBindGroup', 'createBindGroupLayout', 'createPipelineLayout']);
      for (let again = 0; again < 8; again++) await round();
      made.stop();
      expect(made.names).toEqual([]);
    },
    SHARED,
  );

  gpuTest(
    'keeps its settings if they change between recording and submission',
    async (device, tools) => {
      const gpu = tools.wrap();
      const plain = await create(gpu, 'pile', 2, 100, { gravity: [2, -9] });
      plain.step(DT);
      plain.set({ gravity: [0, 40] });
      plain.step(DT);
      const recorded = await create(gpu, 'pile', 2, 100, { gravity: [2, -9] });
      const encoder = device.createCommandEncoder();
      recorded.encodeStep(encoder, DT);
      recorded.set({ gravity: [0, 40] });
      recorded.encodeStep(encoder, DT);
      recorded.set({ gravity: [7, 7] });
      device.queue.submit([encoder.finish()]);
      expect(await hashOf(recorded)).toBe(await hashOf(plain));
      expect(recorded.time).toBe(plain.time);
    },
    SHARED,
  );

  for (const [without, source] of [
    [[], 'timestamp-query'],
    [['timestamp-query'], 'wall-clock'],
  ] as const) {
    gpuTest(
      `leads to the same state if its stages are timed, with the clock ${source}`,
      async (_, tools) => {
        const gpu = tools.wrap();
        const timed = await create(gpu, 'pile', 2, 300, LIVELY);
        const plain = await create(gpu, 'pile', 2, 300, LIVELY);
        advance(plain, 1);
        const times = await timed.profile(DT);
        expect(times.source).toBe(source);
        // Per substep: integrate, scan (2 dispatches), scatter, gather, partner and resolve.
        expect(times.dispatches).toBe(7 * timed.settings.substeps);
        expectInOrder(times, 'integrate', 'resolve');
        const values = Object.values(times.stages);
        expect(values.every((time) => time >= 0 && time < 60_000)).toBe(true);
        expect(times.total).toBeGreaterThan(0);
        expect(times.total).toBeCloseTo(
          values.reduce((sum, time) => sum + time, 0),
          6,
        );
        plain.separate(2);
        expectInOrder(await timed.profileSeparate(2), 'count', 'separate');
        expect([await hashOf(timed), timed.time]).toEqual([await hashOf(plain), plain.time]);
      },
      { without },
    );
  }

  gpuTest(
    'with variable radii has stages of STEP_STAGES, in the order of that table',
    async (_, tools) => {
      const simulation = await create(tools.wrap(), 'mixed-pile', 2, 100, LIVELY);
      expectInOrder(await simulation.profile(DT), 'integrate', 'resolve');
      simulation.destroy();
    },
    SHARED,
  );
});

describe('the end of a simulation', () => {
  gpuTest(
    'frees every buffer, and later calls throw',
    async (device, tools) => {
      const simulation = await create(tools.wrap(), 'pile', 2, 100);
      advance(simulation, 2);
      const checkpoint = await simulation.checkpoint();
      await simulation.measure();
      await simulation.findPairs();
      simulation.destroy();
      simulation.destroy();
      expect(tools.liveBuffers()).toEqual([]);
      const calls: Record<string, () => unknown> = {
        step: () => simulation.step(DT),
        encodeStep: () => simulation.encodeStep(device.createCommandEncoder(), DT),
        separate: () => simulation.separate(),
        encodeSeparate: () => simulation.encodeSeparate(device.createCommandEncoder()),
        profile: () => simulation.profile(DT),
        profileSeparate: () => simulation.profileSeparate(),
        set: () => simulation.set({}),
        add: () => simulation.add({ positions: new Float32Array(2) }),
        remove: () => simulation.remove([0]),
        measure: () => simulation.measure(),
        findPairs: () => simulation.findPairs(),
        read: () => simulation.read(),
        checkpoint: () => simulation.checkpoint(),
        restore: () => simulation.restore(checkpoint),
        buffers: () => simulation.buffers,
      };
      for (const [name, call] of Object.entries(calls)) {
        await expect((async () => call())(), name).rejects.toMatchObject({
          name: 'DestroyedError',
          message: 'This Simulation was destroyed, so it can no longer be used; create a new one.',
        });
      }
    },
    SHARED,
  );

  gpuTest(
    'rejects pending answers instead of leaving them unsettled',
    async (_, tools) => {
      const simulation = await create(tools.wrap(), 'pile', 2, 100);
      const pending = [simulation.measure(), simulation.findPairs(), simulation.read()];
      simulation.destroy();
      const outcomes = await Promise.allSettled(pending);
      const reason = {
        name: 'DestroyedError',
        message: expect.stringMatching(/^This simulation was destroyed/),
      };
      for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason });
      expect(tools.liveBuffers()).toEqual([]);
    },
    SHARED,
  );

  gpuTest(
    'by loss of the device makes pending and later calls fail with a GpuError',
    async (device, tools) => {
      const gpu = tools.wrap();
      const simulation = await create(gpu, 'pile', 2, 50);
      const checkpoint: Checkpoint = await simulation.checkpoint();
      const pending = [simulation.measure(), simulation.findPairs(), simulation.read()];
      device.destroy();
      for (const outcome of await Promise.allSettled(pending)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'GpuError', reason: 'lost' } });
      }
      expect(gpu.lost).toEqual({ reason: 'it was destroyed' });
      const lost = expect.objectContaining({
        name: 'GpuError',
        reason: 'lost',
        message: 'The GPU device is lost (it was destroyed); request a new one and restore a checkpoint.',
      });
      expect(() => simulation.step(DT)).toThrow(lost);
      expect(() => simulation.restore(checkpoint)).toThrow(lost);
      expect(() => simulation.add({ positions: new Float32Array(2) })).toThrow(lost);
      await expect(simulation.measure()).rejects.toEqual(lost);
      await expect(create(gpu, 'pile', 2, 5)).rejects.toEqual(lost);
      expect([simulation.time, simulation.count]).toEqual([0, 50]);
      simulation.destroy();
    },
  );
});

describe.each(DIMENSIONS)('every scene of equal radii in %dD', (dimensions) => {
  for (const name of EQUAL_RADIUS_SCENES) {
    gpuTest(
      `keeps all particles inside: ${name}`,
      async (_, tools) => {
        const simulation = await create(tools.wrap(), name, dimensions, 100, { gravity: undefined });
        const steps = sceneNames({ continuous: true }).includes(name) ? 2 : 10;
        const measures = await advance(simulation, steps).measure();
        expect(measures).toMatchObject({ count: 100, outside: 0, nonFinite: 0 });
        simulation.destroy();
      },
      SHARED_CASE,
    );
  }
});

gpuTest(
  'while the encoder of a recorded step is unfinished, calls that use the state fail and change nothing',
  async (device, tools) => {
    const simulation = await create(tools.wrap(), 'gas', 2, 10, { capacity: 11, continuous: true });
    const twin = await create(tools.wrap(), 'gas', 2, 10, { capacity: 11, continuous: true });
    const encoder = device.createCommandEncoder({ label: 'my frame' });
    simulation.encodeStep(encoder, DT);
    simulation.encodeSeparate(encoder);
    simulation.set({ substeps: 4 });
    const calls: Record<string, () => unknown> = {
      step: () => simulation.step(DT),
      separate: () => simulation.separate(),
      profile: () => simulation.profile(DT),
      profileSeparate: () => simulation.profileSeparate(),
      advance: () => simulation.advance(DT),
      continuousCounts: () => simulation.continuousCounts(),
      add: () => simulation.add({ positions: new Float32Array(2) }),
      remove: () => simulation.remove([0]),
      setObstacles: () => simulation.setObstacles(new Float32Array(0)),
      measure: () => simulation.measure(),
      findPairs: () => simulation.findPairs(),
      read: () => simulation.read(),
      checkpoint: () => simulation.checkpoint(),
    };
    for (const [name, call] of Object.entries(calls)) {
      await expect((async () => call())(), name).rejects.toThrow(
        /^A step was recorded into the encoder "my frame", which is not finished: submit /,
      );
    }
    device.queue.submit([encoder.finish()]);
    twin.step(DT);
    twin.separate();
    expect(await hashOf(simulation)).toBe(await hashOf(twin));
    expect([simulation.time, simulation.count]).toEqual([twin.time, 10]);
    const checkpoint = await simulation.checkpoint();
    simulation.encodeStep(device.createCommandEncoder(), DT);
    await expect(simulation.read()).rejects.toThrow(/^A step was recorded/);
    simulation.restore(checkpoint);
    expect(await hashOf(simulation)).toBe(await hashOf(twin));
    simulation.destroy();
    twin.destroy();
  },
);

gpuTest('calls report that a step was recorded into a finished encoder', async (device, tools) => {
  const simulation = await create(tools.wrap(), 'gas', 2, 10);
  simulation.step(DT);
  const checkpoint = await simulation.checkpoint();
  const hash = await hashOf(simulation);
  const finished = device.createCommandEncoder();
  finished.finish();
  simulation.encodeStep(finished, DT);
  const lost =
    /^This simulation lost its particles .*; restore a checkpoint: The encoder could not record a step; was it finished already\? /;
  await expect(simulation.read()).rejects.toThrow(/restore a checkpoint if it was dropped\.$/);
  // The device reports the error a little later.
  await vi.waitFor(() => expect(() => simulation.step(DT)).toThrow(lost));
  await expect(simulation.read()).rejects.toThrow(lost);
  simulation.restore(checkpoint);
  expect(await hashOf(simulation)).toBe(hash);
  simulation.step(DT);
  await simulation.read();
  simulation.destroy();
});

describe('a long recording', () => {
  gpuTest(
    'keeps the parameters of each step, in one encoder or in several that are open at the same time',
    async (device, tools) => {
      for (const [encoders, steps] of [
        [1, 1300],
        [2, 650],
      ] as const) {
        const recorded = await create(tools.wrap(), 'gas', 2, 10, { substeps: 1 });
        const stepped = await create(tools.wrap(), 'gas', 2, 10, { substeps: 1 });
        const open = Array.from({ length: encoders }, () => device.createCommandEncoder());
        const dtOf = (step: number) => (1 + step) * 1e-6;
        open.forEach((encoder, index) => {
          for (let step = 0; step < steps; step++) recorded.encodeStep(encoder, dtOf(index * steps + step));
        });
        device.queue.submit(open.map((encoder) => encoder.finish()));
        for (let step = 0; step < encoders * steps; step++) stepped.step(dtOf(step));
        expect(await hashOf(recorded)).toBe(await hashOf(stepped));
        expect(recorded.time).toBe(stepped.time);
        recorded.destroy();
        stepped.destroy();
      }
    },
    { ...SHARED, tags: 'full' },
  );

  gpuTest(
    'gets a new ring of parameters before a slot would be overwritten; changes outside a recording get no new ring',
    async (_, tools) => {
      const parameters = await SharedParameters.create(tools.wrap(), 2, 'test');
      const world = defineWorld({ dimensions: 2, min: [0, 0], max: [9, 9] }, 1);
      const { group } = parameters.write(world, 0, substepOf(world));
      for (let count = 1; count < 2000; count++) parameters.write(world, count, substepOf(world));
      const slots = new Map<GPUBindGroup, Set<number>>();
      for (let step = 1; step < 3000; step++) {
        parameters.recordInto(() => {
          const written = parameters.write(world, 7, substepOf(world, {}, step * 1e-3));
          const offsets = slots.get(written.group) ?? new Set();
          slots.set(written.group, offsets.add(written.offsets[1]));
        });
      }
      expect([...slots.keys()][0]).toBe(group);
      expect([...slots.values()].reduce((sum, { size }) => sum + size, 0)).toBe(2999);
      expect(slots.size).toBeLessThanOrEqual(4);
      parameters.destroy();
    },
    SHARED,
  );
});
