import { afterEach, describe, expect, it } from 'vitest';
import { ArgumentError, DestroyedError, LimitError } from '../../../../src/core/base/errors';
import { createCpuSimulation } from '../../../../src/cpu';
import type { Measures } from '../../../../src/index';
import { packError, type Seen, unpackError } from '../../../../src/page/engines/cpu-calls';
import { CpuLink } from '../../../../src/page/engines/cpu-link';
import { serve } from '../../../../src/page/engines/cpu-worker';
import { startFrom } from '../../../../src/page/engines/methods/start';
import { defaultChoices } from '../../../../src/page/model/choices';
import { createScene, sceneOptions } from '../../../../src/scenes';

const STEP = 1 / 60;
const opened: CpuLink[] = [];

function open(): CpuLink {
  const { port1, port2 } = new MessageChannel();
  serve(port2);
  const link = new CpuLink(port1, false, () => port1.close());
  opened.push(link);
  return link;
}

afterEach(() => {
  for (const link of opened.splice(0)) link.close();
});

const PILE = sceneOptions(createScene('pile', { dimensions: 2, count: 300 }));

describe('the CPU engine behind a port', () => {
  it('takes the same steps as a plain simulation, bit for bit, and reports the state after each', async () => {
    const link = open();
    const { result: facts } = await link.ask('start', PILE, undefined);
    const own = createCpuSimulation(PILE);
    expect(facts).toMatchObject({ dimensions: 2, radius: own.radius, capacity: 300, method: undefined });
    expect(facts.memoryBytes).toBe(own.memoryBytes);
    const answers = await Promise.all(Array.from({ length: 5 }, () => link.ask('step', STEP)));
    for (const { result, seen } of answers) {
      own.step(STEP);
      expect(seen?.time).toBe(own.time);
      expect(seen?.particles).toEqual(own.read());
      expect(result.clock).toBe('page');
      expect(Object.keys(result.stages ?? {})).toContain('resolve');
    }
    const { result, seen } = await link.ask('measure');
    expect((result as Measures).hash).toBe(own.measure().hash);
    expect(seen).toBeUndefined();
    expect((await link.ask('checkpoint')).result).toMatchObject(own.checkpoint());
    expect((await link.ask('read')).result).toEqual(own.read());
    expect((await link.ask('findPairs')).result).toEqual(own.findPairs());
  });

  it('applies settings, obstacles, new particles, strokes and restored states between steps', async () => {
    const link = open();
    await link.ask('start', { ...PILE, capacity: 310, obstacleCapacity: 2 }, undefined);
    const before = (await link.ask('checkpoint')).result;
    const set = await link.ask('set', { friction: 0.75 });
    expect(set.seen?.settings.friction).toBe(0.75);
    await link.ask('step', STEP);
    const added = await link.ask('add', { positions: Float32Array.of(20, 15) });
    expect(added.seen?.count).toBe(301);
    expect(added.seen?.births[300]).toBe(Math.fround(STEP));
    expect((await link.ask('setObstacles', Float32Array.of(3, 3))).seen?.obstacleCount).toBe(1);
    expect((await link.ask('remove', [0, 5])).seen?.count).toBe(299);
    const still = added.seen as Seen;
    const [x = 0, y = 0] = still.particles.positions.subarray(2 * 299);
    const stroke = { origin: [x + 0.5, y], direction: [0, 0, 1], reach: 2, force: -1000 };
    expect((await link.ask('push', stroke, STEP)).seen).toBeUndefined();
    const pulled = (await link.ask('read')).result;
    const last = pulled.ids.indexOf(299);
    expect(pulled.velocities[2 * last]).toBeGreaterThan((still.particles.velocities[2 * 299] as number) + 1);
    await link.ask('hold', { id: 300, position: [20, 16], speed: 3 }, STEP);
    expect((await link.ask('read')).result.velocities.at(-1)).toBeCloseTo(3);
    const back = (await link.ask('restore', before)).seen;
    expect(back).toMatchObject({ count: 300, time: 0, obstacleCount: 0 });
    expect((await link.ask('checkpoint')).result).toEqual(before);
  });

  it('runs a method, and counts neighbours only while the page wants the counts', async () => {
    const choices = { ...defaultChoices('dam-break'), count: 200 };
    const { options, method } = await startFrom(choices, 200);
    const link = open();
    const { result, seen } = await link.ask('start', options, { choices, count: 200 });
    expect(result.method).toBe('fluid');
    expect(seen?.moved).toEqual((await method?.onCpu(options))?.moved);
    expect(seen?.counts).toBeUndefined();
    const own = await method?.onCpu(options);
    own?.step(STEP);
    await link.ask('count', 'density');
    const after = await link.ask('step', STEP);
    expect(after.seen?.particles.positions).toEqual((await own?.read())?.positions);
    expect(after.seen?.counts?.some((count) => count > 2)).toBe(true);
    await link.ask('count', undefined);
    expect((await link.ask('step', STEP)).seen?.counts).toBeUndefined();
  });

  it('passes errors on with their class and message, and then continues', async () => {
    const link = open();
    await expect(link.ask('start', { ...PILE, radius: -1 }, undefined)).rejects.toThrow(ArgumentError);
    await link.ask('start', PILE, undefined);
    await expect(link.ask('step', Number.NaN)).rejects.toThrow(/NaN, but it must be/);
    await expect(link.ask('add', { positions: Float32Array.of(1, 1) })).rejects.toThrow(
      /at most 0 particles/,
    );
    const state = (await link.ask('checkpoint')).result;
    await expect(link.ask('restore', { ...state, radius: 7 })).rejects.toThrow(ArgumentError);
    expect((await link.ask('step', STEP)).seen?.count).toBe(300);
  });

  it('rejects calls in progress and all later calls if it stops', async () => {
    const link = open();
    await link.ask('start', PILE, undefined);
    const late = link.ask('step', STEP);
    link.fail(new Error('It fell over.'));
    await expect(late).rejects.toThrow('It fell over.');
    await expect(link.ask('read')).rejects.toThrow('It fell over.');
    const ended = open();
    const waiting = ended.ask('start', PILE, undefined);
    ended.close();
    await expect(waiting).rejects.toThrow(DestroyedError);
  });
});

it('a packed error keeps what the page reads from it', () => {
  const limit = unpackError(packError(new LimitError('maxBufferSize', 'Too large.', 77)));
  expect(limit).toBeInstanceOf(LimitError);
  expect(limit).toMatchObject({ message: 'Too large.', limit: 'maxBufferSize', fits: 77 });
  const argument = unpackError(packError(new ArgumentError('radius', -1, 'positive')));
  expect(argument).toMatchObject({ argument: 'radius', message: 'radius is -1, but it must be positive.' });
  expect(unpackError(packError('text')).message).toBe('text');
  expect(unpackError(packError(new RangeError('Far.')))).not.toBeInstanceOf(ArgumentError);
});
