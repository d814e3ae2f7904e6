import { expect } from 'vitest';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { createFlock, createLife } from '../../../src/methods/flock';
import { createPositionFluid } from '../../../src/methods/pbf';
import { gpuTest, SHARED } from '../../helpers/node-gpu';

const DT = 1 / 64;
const OPEN = /^A step was recorded into the encoder "my frame", which is not finished/;
const more = { positions: Float32Array.of(7, 7) };
const options = {
  dimensions: 2,
  min: [0, 0],
  max: [20, 20],
  capacity: 8,
  positions: Float32Array.of(4, 4, 5, 5, 6, 4),
} as const;

gpuTest(
  'while an encoder is open, a step and every other call that must not overtake the recorded step fail',
  async (device, tools) => {
    const gpu = tools.wrap();
    const flock = await createFlock(gpu, { ...options, perception: 2, hunters: Float32Array.of(9, 9) });
    const life = await createLife(gpu, {
      ...options,
      reach: 2,
      species: new Uint32Array(3),
      attraction: [[1]],
    });
    const fluid = await createPositionFluid(gpu, { ...options, radius: 1 });
    const further: Readonly<Record<string, readonly (() => unknown)[]>> = {
      flock: [
        () => flock.add(more),
        () => flock.placeHunters(Float32Array.of(1, 1)),
        () => flock.setObstacles(new Float32Array()),
      ],
      life: [() => life.add({ ...more, species: Uint32Array.of(0) })],
      fluid: [() => fluid.add(more), () => fluid.setObstacles([]), () => fluid.measure()],
    };
    for (const [name, method] of Object.entries({ flock, life, fluid })) {
      const encoder = device.createCommandEncoder({ label: 'my frame' });
      method.encode(encoder, DT);
      const { time } = method;
      const calls: readonly (() => unknown)[] = [
        () => method.step(DT),
        () => method.remove([0]),
        () => method.read(),
        () => method.checkpoint(),
        ...(further[name] ?? []),
      ];
      for (const call of calls) {
        await expect((async () => call())(), `${name}: ${call}`).rejects.toThrow(OPEN);
      }
      expect(method.time).toBe(time);
      device.queue.submit([encoder.finish()]);
      method.step(DT);
      await method.read();
      method.destroy();
    }
  },
  SHARED,
);

gpuTest(
  'a later encoder does not hide an earlier one that is still open',
  async (device, tools) => {
    const simulation = await createSimulation(tools.wrap(), { ...options, radius: 0.5 });
    const first = device.createCommandEncoder({ label: 'my frame' });
    const second = device.createCommandEncoder();
    simulation.encodeStep(first, DT);
    simulation.encodeStep(second, DT);
    const commands = second.finish();
    await expect(simulation.measure()).rejects.toThrow(OPEN);
    device.queue.submit([first.finish(), commands]);
    await simulation.measure();
    simulation.destroy();
  },
  SHARED,
);
