/** Tests that real workers start, help and end, and that nothing breaks without them. */
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { ArgumentError, CellstormError } from '../../../../src/core/base/errors';
import { createCpuGrid, createCpuSimulation } from '../../../../src/cpu';
import { ACTIVE, JOB, readyWord } from '../../../../src/cpu/threads/control';
import { Team } from '../../../../src/cpu/threads/team';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { createNoise } from '../../../../src/testing/noise';

const COUNT = 5000;
const DT = 1 / 60;
const REGISTER = new URL('../../../../scripts/register.mjs', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** Waits until all threads have started. If a worker never starts, the time limit of the test ends the wait. */
async function started(object: { readonly threads: number }, threads: number): Promise<void> {
  while (object.threads < threads) await pause(5);
}

const pile = () => sceneOptions(createScene('pile', { dimensions: 2, count: COUNT }));

function gridOptions(count = COUNT) {
  const next = createNoise(1);
  const positions = Float32Array.from({ length: 2 * count }, () => 60 * next());
  return {
    positions,
    options: { dimensions: 2, min: [0, 0], max: [60, 60], diameter: 1, capacity: count },
  } as const;
}

describe('Workers', () => {
  test('step a simulation with the bits of one thread', async () => {
    const one = createCpuSimulation(pile());
    const two = createCpuSimulation({ ...pile(), threads: 2 });
    one.step(DT);
    // The worker may have started or not.
    two.step(DT);
    await started(two, 2);
    for (let step = 0; step < 4; step++) for (const each of [one, two]) each.step(DT);
    expect(two.measure()).toEqual(one.measure());
    expect(two.checkpoint()).toEqual(one.checkpoint());
    expect(two.warnings).toEqual([]);
    expect(Object.keys(two.profile(DT).stages).sort()).toEqual(Object.keys(one.profile(DT).stages).sort());
    two.destroy();
    expect(two.threads).toBe(1);
    expect(() => two.step(DT)).toThrow('destroyed');
  });

  test('build and search a grid like one thread; the grid goes on when they are gone', async () => {
    const { positions, options } = gridOptions();
    const one = createCpuGrid(options);
    const two = createCpuGrid({ ...options, threads: 2 });
    await started(two, 2);
    for (const each of [one, two]) each.build(positions);
    expect(two.findPairs()).toEqual(one.findPairs());
    expect(two.countPairs()).toBe(one.countPairs());
    const moved = positions.map((value) => 60 - value);
    for (const each of [one, two]) each.build(moved);
    expect(two.findPairs()).toEqual(one.findPairs());
    two.destroy();
    for (const each of [one, two]) each.build(positions);
    expect(two.findPairs()).toEqual(one.findPairs());
    expect(two.warnings).toEqual([]);
  });

  test.each([4, 8])('give the bits of one thread: %d threads', { tags: 'full' }, async (threads) => {
    const options = sceneOptions(createScene('gas', { dimensions: 3, count: 20_000 }));
    const one = createCpuSimulation(options);
    const many = createCpuSimulation({ ...options, threads });
    await started(many, threads);
    for (let step = 0; step < 10; step++) for (const each of [one, many]) each.step(DT);
    expect(many.measure()).toEqual(one.measure());
    many.destroy();
  });

  test('do not keep a process alive', async () => {
    const program = `
      import { createCpuGrid } from './src/cpu/index.ts';
      const grid = createCpuGrid({ dimensions: 2, min: [0, 0], max: [9, 9], diameter: 1, capacity: 9000, threads: 3 });
      const wait = () => (grid.threads < 3 ? setTimeout(wait, 5) : process.stdout.write('ready'));
      wait();`;
    const node = spawn(process.execPath, ['--import', REGISTER, '--input-type=module', '--eval', program], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    node.stdout.on('data', (text) => {
      output += text;
    });
    const code = await new Promise((resolve) => node.once('exit', resolve));
    expect([code, output]).toEqual([0, 'ready']);
  });
});

describe('Without workers', () => {
  const alone = (options: object) => createCpuSimulation({ ...pile(), ...options, threads: 4 });

  test.each([
    [
      'SharedArrayBuffer',
      /^threads is 4, but one thread does the work: SharedArrayBuffer is missing\. .*Opener/,
    ],
  ])('one thread works if there is no %s', (name, warning) => {
    vi.stubGlobal(name, undefined);
    try {
      const simulation = alone({});
      const { positions, options } = gridOptions();
      const grid = createCpuGrid({ ...options, threads: 4 });
      for (const { threads, warnings } of [simulation, grid]) {
        expect(threads).toBe(1);
        expect(warnings).toEqual([expect.stringMatching(warning)]);
      }
      const one = createCpuSimulation(pile());
      for (const each of [one, simulation]) each.step(DT);
      expect(simulation.measure()).toEqual(one.measure());
      grid.build(positions);
      expect(grid.countPairs()).toBeGreaterThan(0);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('one thread works if particles have radii of their own, or if motion is continuous', () => {
    const { radius: _, ...others } = pile();
    const various = createCpuSimulation({
      ...others,
      radii: new Float32Array(COUNT).fill(0.25),
      threads: 2,
    });
    expect(various.warnings).toContain(
      'threads is 2, but one thread does the work: particles have radii of their own.',
    );
    const continuous = alone({ continuous: true });
    expect(continuous.warnings).toEqual([
      'threads is 4, but one thread does the work: the simulation is continuous.',
    ]);
    for (const simulation of [various, continuous]) {
      simulation.step(DT);
      expect(simulation.threads).toBe(1);
    }
  });

  test('the owner does all work if workers cannot start, and says so once', async () => {
    class Missing {
      onerror: ((event: object) => void) | undefined;

      postMessage() {
        setTimeout(() => this.onerror?.({ message: 'no such file', preventDefault() {} }), 0);
      }

      terminate() {}
    }
    // Without this function of Node, the engine uses the global `Worker`, as in browsers.
    vi.stubGlobal('process', { ...process, getBuiltinModule: undefined });
    vi.stubGlobal('Worker', Missing);
    try {
      const simulation = alone({});
      await pause(20);
      const one = createCpuSimulation(pile());
      for (const each of [one, simulation]) each.step(DT);
      expect(simulation.measure()).toEqual(one.measure());
      expect(simulation.threads).toBe(1);
      expect(simulation.warnings).toEqual([
        'threads is 4, but at least one worker is missing (no such file). The other threads do its work.',
      ]);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('a worker that has ended does not count, even if another starts later', () => {
    const workers: Idle[] = [];
    class Idle {
      onerror: ((event: object) => void) | undefined;

      constructor() {
        workers.push(this);
      }

      postMessage() {}

      terminate() {}
    }
    vi.stubGlobal('process', { ...process, getBuiltinModule: undefined });
    vi.stubGlobal('Worker', Idle);
    try {
      const team = new Team(3, { kind: 'grid', options: {}, buffers: [] });
      const { control } = team as unknown as { readonly control: Int32Array };
      Atomics.store(control, readyWord(1), 1);
      expect(team.threads).toBe(2);
      workers[0]?.onerror?.({ message: 'no memory', preventDefault() {} });
      expect(team.threads).toBe(1);
      Atomics.store(control, readyWord(2), 1);
      expect(team.threads).toBe(2);
      team.end();
      expect(team.threads).toBe(1);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('a job whose worker has died ends with an error, and so do later ones', () => {
    const start = { kind: 'grid', options: {}, buffers: [] } as const;
    const team = new Team(1, start, 2);
    const { control } = team as unknown as { readonly control: Int32Array };
    // Counts a worker that joined the job and will never leave it.
    const member = { begin: () => Atomics.add(control, ACTIVE, 1), perform: () => undefined };
    expect(() => team.run(member, 3)).toThrow(CellstormError);
    expect(() => team.check()).toThrow('A worker stopped while it was working');
    expect((control[JOB] as number) % 2).toBe(0);
  });

  test('threads must be a whole number from 1 to 64', () => {
    const { options } = gridOptions();
    for (const threads of [0, -1, 1.5, 65, Number.NaN, '2' as unknown as number]) {
      expect(() => createCpuSimulation({ ...pile(), threads })).toThrow(ArgumentError);
      expect(() => createCpuGrid({ ...options, threads })).toThrow(/threads.*(whole number|integer).*1.*64/);
    }
    expect(createCpuGrid({ ...options, threads: 1 }).warnings).toEqual([]);
    expect(() => createCpuSimulation(undefined as never)).toThrow(/options/);
  });
});
