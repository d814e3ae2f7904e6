/**
 * `npm run bench:obstacles`: compares the times per step of two simulations, on the CPU engine and on the GPU in Node.
 * In one, all bodies move; in the other, nine of ten bodies are obstacles. Obstacles of the scene `uniform` are in
 * cells, those of the scene `mixed` in a tree.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { SimulationOptions } from '../src/core/simulation/simulation';
import { type CpuSimulation, createCpuSimulation } from '../src/cpu';
import { createSimulation } from '../src/engine/simulation/simulation';
import { requestGpu } from '../src/gpu/device';
import { openDawn } from '../src/node/dawn';
import { createScene, sceneOptions } from '../src/scenes';
import { testPreference } from '../src/testing/environment';
import { median } from './shared.mjs';

const { values } = parseArgs({
  options: {
    scene: { type: 'string', default: 'uniform' },
    count: { type: 'string', default: '100000' },
    repeats: { type: 'string', default: '7' },
  },
});
const count = Number(values.count);
const repeats = Number(values.repeats);
const DT = 1 / 60;

/** In the second simulation, the last nine tenths of the bodies are obstacles. Bodies are in random order. */
function optionsOf(dimensions: 2 | 3): readonly [SimulationOptions, SimulationOptions] {
  const scene = createScene(values.scene, { dimensions, count, seed: 1 });
  const all = sceneOptions(scene, { gravity: new Array<number>(dimensions).fill(0).with(1, -9.8125) });
  const moving = Math.round(count / 10);
  const positions = scene.positions.slice(0, dimensions * moving);
  const velocities = scene.velocities.slice(0, dimensions * moving);
  const radii = scene.radii?.slice(0, moving);
  const fixed = scene.positions.slice(dimensions * moving);
  const obstacles = scene.radii ? { positions: fixed, radii: scene.radii.slice(moving) } : fixed;
  return [all, { ...all, positions, velocities, radii, obstacles }];
}

type Timer = () => Promise<number> | number;

/** Prints the medians of both timers. The timers take turns, so that other work affects them alike. */
async function compare(label: string, timers: readonly [Timer, Timer]): Promise<void> {
  const times: [number[], number[]] = [[], []];
  for (const timer of timers) await timer();
  for (let repeat = 0; repeat < repeats; repeat++) {
    times[0].push(await timers[0]());
    times[1].push(await timers[1]());
  }
  const [moving, fixed] = [median(times[0]), median(times[1])];
  process.stdout.write(
    `${label}: all moving ${moving.toFixed(1)} ms per step, nine of ten fixed ${fixed.toFixed(1)} ms, ratio ${(fixed / moving).toFixed(3)}\n`,
  );
}

process.stdout.write(
  `${count} particles of ${values.scene}, median of ${repeats} steps, ${cpus()[0]?.model.trim()}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}\n`,
);
const { gpu: provider } = await openDawn({ driver: testPreference() });
for (const dimensions of [2, 3] as const) {
  const options = optionsOf(dimensions);
  const timeCpu = (simulation: CpuSimulation) => () => {
    const begin = performance.now();
    simulation.step(DT);
    return performance.now() - begin;
  };
  const [movingCpu, fixedCpu] = options.map((one) => timeCpu(createCpuSimulation(one))) as [Timer, Timer];
  await compare(`CPU engine, ${dimensions}D`, [movingCpu, fixedCpu]);
  const gpu = await requestGpu({ particles: count, cells: 10 * count, dimensions, gpu: provider });
  const timers: Timer[] = [];
  for (const one of options) {
    const simulation = await createSimulation(gpu, one);
    timers.push(async () => {
      const { total, discarded } = await simulation.profile(DT);
      if (discarded === undefined) return total;
      throw new Error(
        `The device's clock ran backwards in ${discarded} passes, whose time is missing. Run the benchmark again.`,
      );
    });
  }
  await compare(`GPU (${gpu.info?.description ?? 'no name'}), ${dimensions}D`, timers as [Timer, Timer]);
}
process.exit(0);
