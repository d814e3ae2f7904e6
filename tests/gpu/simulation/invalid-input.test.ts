import { describe, expect } from 'vitest';
import { ArgumentError } from '../../../src/core/base/errors';
import type { Checkpoint } from '../../../src/core/simulation/simulation';
import { createSimulation, type Simulation } from '../../../src/engine/simulation/simulation';
import { createScene, sceneOptions } from '../../../src/scenes';
import { type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS } from '../../helpers/passes';

const { NaN: NOT_A_NUMBER, POSITIVE_INFINITY: INFINITE } = Number;

async function create(tools: GpuTools, dimensions: 2 | 3): Promise<Simulation> {
  const scene = createScene('gas', { dimensions, count: 10 });
  const simulation = await createSimulation(tools.wrap(), sceneOptions(scene, { capacity: 12 }));
  simulation.step(1 / 60);
  return simulation;
}

async function stateOf(simulation: Simulation, tools: GpuTools) {
  const { count, time, settings } = simulation;
  const { hash } = await simulation.measure();
  return { count, time, settings, hash, buffers: tools.liveBuffers() };
}

describe.each(DIMENSIONS)('a simulation in %dD', (dimensions) => {
  const vectors = (count: number, ...values: number[]) => {
    const array = new Float32Array(count * dimensions).fill(1);
    array.set(values);
    return array;
  };

  gpuTest(
    'rejects bad input with an error message, and stays unchanged',
    async (device, tools) => {
      const simulation = await create(tools, dimensions);
      const checkpoint = await simulation.checkpoint();
      const changed = (changes: object) => () =>
        simulation.restore({ ...checkpoint, ...changes } as Checkpoint);
      const untyped = simulation as unknown as Record<string, (value?: unknown) => unknown>;
      const call = (name: string, value?: unknown) => () => untyped[name]?.call(simulation, value);
      const before = await stateOf(simulation, tools);
      const attempts: [() => unknown, RegExp][] = [
        [call('step', -1), /^dt is -1, but it must be 0 or at least 1e-7 s for each of 8 substeps\.$/],
        [call('step', NOT_A_NUMBER), /^dt is NaN, .* a finite number/],
        [call('step', INFINITE), /^dt is Infinity, .* a finite number/],
        [call('step', 1e-9), /^dt is 1e-9, .* at least 1e-7 s/],
        [call('step', 16), /^dt is 16, but it must be at most 1 s \(milliseconds\? then pass 0\.016; /],
        [call('step'), /^dt is undefined, /],
        [call('step', '0.1'), /^dt is "0\.1", /],
        [() => simulation.encodeStep(device.createCommandEncoder(), -1), /^dt is -1, /],
        [call('profile', -1), /^dt is -1, /],
        [call('profile', NOT_A_NUMBER), /^dt is NaN, /],
        [call('separate', 0), /^rounds is 0, .* a whole number from 1 to 64/],
        [call('separate', 1.5), /^rounds is 1\.5, /],
        [call('separate', NOT_A_NUMBER), /^rounds is NaN, /],
        [call('profileSeparate', 65), /^rounds is 65, /],
        [call('set', { gravity: [NOT_A_NUMBER, 0, 0].slice(0, dimensions) }), /^gravity\[0\] is NaN, /],
        [call('set', { friction: 0.5, restitution: 3 }), /^restitution is 3, .* from 0 to 1/],
        [call('set', { bounce: 1 }), /^settings\.bounce is 1, .* one of gravity/],
        [
          call('add', { positions: vectors(3) }),
          /^positions is 3 particles, .* at most 2 particles \(capacity 12/,
        ],
        [
          call('add', { positions: vectors(1, NOT_A_NUMBER) }),
          /^positions\[0\] \(particle 0\) is NaN, .* a finite/,
        ],
        [
          call('add', { positions: vectors(2, 1, 1, 1, INFINITE) }),
          /^positions\[3\] \(particle 1\) is Infinity, /,
        ],
        [
          call('add', { positions: vectors(1), velocities: vectors(1, -INFINITE) }),
          /^velocities\[0\] .* -Infinity, /,
        ],
        [call('add', { positions: vectors(1), velocities: vectors(2) }), /^velocities\.length is /],
        [call('add', { positions: new Float32Array(dimensions + 1) }), /^positions\.length is /],
        [call('add', { positions: [1, 1, 1] }), /^positions is \[1, 1, 1\], .* a Float32Array/],
        [call('add', {}), /^positions is undefined, .* a Float32Array/],
        [call('add'), /^particles is undefined, .* an object/],
        [call('remove', [10]), /^ids\[0\] is 10, .* the id of a living particle, listed once/],
        [call('remove', [3, 3]), /^ids\[1\] is 3, /],
        [call('remove', [0, -1]), /^ids\[1\] is -1, /],
        [call('remove', [0.5]), /^ids\[0\] is 0\.5, /],
        [call('remove', [NOT_A_NUMBER]), /^ids\[0\] is NaN, /],
        [call('remove'), /^ids is undefined, /],
        [call('remove', 4), /^ids is 4, /],
        [call('restore'), /^checkpoint is undefined, .*`await simulation\.checkpoint\(\)`\.$/],
        [changed({ version: 2 }), /^checkpoint\.version is 2, /],
        [changed({ dimensions: 5 - dimensions }), /^checkpoint\.dimensions is .* like this simulation/],
        [
          changed({ ids: Uint32Array.from({ length: 13 }, (_, id) => id) }),
          /^checkpoint\.ids\.length is 13, /,
        ],
        [changed({ ids: checkpoint.ids.map(() => 3) }), /^checkpoint\.ids\[1\] is 3, .* above 3/],
        [
          changed({ ids: checkpoint.ids.map((id) => id + 3) }),
          /^checkpoint\.ids\[9\] is 12, .* below the capacity/,
        ],
        [changed({ ids: [...checkpoint.ids] }), /^checkpoint\.ids is \[0, 1, 2, 3, …\], .* a Uint32Array/],
        [changed({ positions: vectors(9) }), /^checkpoint\.positions is a Float32Array of /],
        [changed({ velocities: vectors(11) }), /^checkpoint\.velocities is /],
        [changed({ velocities: undefined }), /^checkpoint\.velocities is undefined/],
        [changed({ time: NOT_A_NUMBER }), /^checkpoint\.time is NaN, /],
        [changed({ time: undefined }), /^checkpoint\.time is undefined, /],
        [changed({ settings: { ...checkpoint.settings, substeps: 0 } }), /^substeps is 0, /],
        [changed({ settings: { ...checkpoint.settings, gravity: [1] } }), /^gravity is \[1\], /],
      ];
      for (const [attempt, message] of attempts) {
        const caught = await (async () => attempt())().then(
          () => expect.fail(`Accepted bad input; expected an error that matches ${message}`),
          (error: unknown) => error,
        );
        expect(caught).toBeInstanceOf(ArgumentError);
        expect((caught as ArgumentError).message).toMatch(message);
        expect((caught as ArgumentError).message).toMatch(/^[^\n]* is [^\n]*, but it must be [^\n]*\.$/);
        expect([simulation.count, simulation.time, simulation.settings]).toEqual([
          before.count,
          before.time,
          before.settings,
        ]);
      }
      expect(await stateOf(simulation, tools)).toEqual(before);
      expect([...simulation.add({ positions: vectors(2) })]).toEqual([10, 11]);
      simulation.remove([10, 11]);
      simulation.restore(checkpoint);
      expect((await simulation.measure()).hash).toBe(before.hash);
    },
    SHARED,
  );

  gpuTest(
    'accepts the limits of each range',
    async (_, tools) => {
      const simulation = await create(tools, dimensions);
      simulation.step(8e-7);
      simulation.separate(64);
      simulation.set({ restitution: 1, friction: 10, substeps: 1, relaxation: 1 });
      simulation.step(1e-7);
      simulation.set({ substeps: 256 });
      simulation.step(0.1);
      simulation.remove([]);
      simulation.remove(new Uint32Array(0));
      expect([...simulation.add({ positions: new Float32Array(0) })]).toEqual([]);
      expect(await simulation.measure()).toMatchObject({ count: 10, nonFinite: 0 });
    },
    SHARED,
  );
});
