/** Steps a simulation while particles, obstacles and settings change. Ids must stay unique, and memory flat. */
import type { ParticleSimulation } from '../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../src/cpu';
import { createSimulation } from '../../src/engine/simulation/simulation';
import { wrapDevice } from '../../src/gpu/device';
import { createNoise } from '../../src/testing/noise';
import { LiveBuffers, openDevice } from '../trust/device';
import { collectGarbage, faultOfTrends, sampleMemory, trendsOf } from '../trust/memory';
import type { Figures, Part } from '../trust/results';

const CAPACITY = 800;
const FIRST = 400;
const OBSTACLES = 24;
const EDGE = 40;
const DT = 1 / 64;

/** Intervals in steps. */
const CHANGE_EVERY = 5;
const READ_EVERY = 250;
const WAIT_EVERY = 16;
const SAMPLES = 200;

/** Greatest growth after a fifth of the run, in MiB. `buffers` counts buffers: four staging buffers may stay. */
const BOUNDS = { heap: 4, arrayBuffers: 1, rss: 32, buffers: 4, bufferBytes: 1 } as const;

export async function runGpuSteps(part: Part, steps: number, seed: number): Promise<Figures> {
  const { device, live, complaints } = await openDevice();
  const simulation = await createSimulation(wrapDevice(device), options(seed));
  const figures = await soak(part, simulation, steps, seed, live, () => device.queue.onSubmittedWorkDone());
  simulation.destroy();
  // A simulation drops parameter buffers that a caller's encoder may still use, instead of destroying them. Garbage
  // collection frees them.
  await collectGarbage();
  part.judge(live.size > 0 ? `destroy() leaves ${live}` : undefined);
  part.judge(complaints.length > 0 ? `the device reported: ${complaints[0]}` : undefined);
  device.destroy();
  return figures;
}

export async function runCpuSteps(part: Part, steps: number, seed: number): Promise<Figures> {
  return soak(part, createCpuSimulation(options(seed)), steps, seed, new LiveBuffers(), () => undefined);
}

function options(seed: number) {
  return {
    dimensions: 2,
    radius: 0.5,
    capacity: CAPACITY,
    min: [0, 0],
    max: [EDGE, EDGE],
    positions: scatter(createNoise(seed), FIRST),
    obstacleCapacity: OBSTACLES,
    gravity: [0, -10],
    substeps: 2,
  } as const;
}

function scatter(noise: () => number, count: number): Float32Array {
  return Float32Array.from({ length: 2 * count }, () => 0.5 + (EDGE - 1) * noise());
}

async function soak(
  part: Part,
  simulation: ParticleSimulation,
  steps: number,
  seed: number,
  live: LiveBuffers,
  wait: () => Promise<undefined> | undefined,
): Promise<Figures> {
  const noise = createNoise(seed + 1);
  const below = (bound: number) => Math.floor(bound * noise());
  const model = new Set(Array.from({ length: FIRST }, (_, id) => id));
  const done = { added: FIRST, removed: 0, changes: 0, restored: 0, readings: 0 };
  const every = Math.max(1, Math.floor(steps / SAMPLES));
  const samples = [sampleMemory(live)];
  let last = await simulation.checkpoint();
  let lastModel = new Set(model);

  const add = () => {
    const count = below(Math.min(60, CAPACITY - model.size) + 1);
    const velocities = Float32Array.from({ length: 2 * count }, () => 20 * noise() - 10);
    const ids = simulation.add({ positions: scatter(noise, count), velocities });
    const wrong = ids.find(
      (id, index) => id !== lowestFree(model, index === 0 ? 0 : (ids[index - 1] as number) + 1),
    );
    for (const id of ids) model.add(id);
    part.judge(
      ids.length !== count
        ? `add of ${count} particles returned ${ids.length} ids`
        : wrong !== undefined
          ? `add returned the id ${wrong}, which is not the lowest free id`
          : undefined,
    );
    done.added += count;
  };
  const remove = () => {
    const chosen = [...model].filter(() => noise() < 0.06);
    simulation.remove(chosen);
    for (const id of chosen) model.delete(id);
    done.removed += chosen.length;
  };
  const change = async () => {
    const kind = below(12);
    if (kind < 4) add();
    else if (kind < 8) remove();
    else if (kind === 8) simulation.setObstacles(scatter(noise, below(OBSTACLES + 1)));
    else if (kind === 9) {
      simulation.set({
        gravity: [20 * noise() - 10, 20 * noise() - 10],
        restitution: noise() < 0.5 ? 0 : noise(),
        friction: noise(),
        substeps: 1 + below(3),
        walls: noise() < 0.9,
      });
    } else if (kind === 10) {
      const pairs = await simulation.findPairs();
      const stranger = pairs.pairs.find((id) => !model.has(id));
      part.judge(
        stranger === undefined ? undefined : `findPairs lists the id ${stranger}, which was removed`,
      );
    } else if (noise() < 0.1) {
      simulation.restore(last);
      done.removed += model.size;
      done.added += lastModel.size;
      model.clear();
      for (const id of lastModel) model.add(id);
      done.restored++;
    } else simulation.separate();
    done.changes++;
  };

  for (let step = 1; step <= steps; step++) {
    simulation.step(DT);
    if (step % CHANGE_EVERY === 0) await change();
    if (step % WAIT_EVERY === 0) await wait();
    const expected = done.added - done.removed;
    if (simulation.count !== expected || model.size !== expected) {
      part.fail(`After step ${step} count is ${simulation.count} instead of ${expected}`);
    }
    if (step % READ_EVERY === 0) {
      const { ids, positions } = await simulation.read();
      const { count, nonFinite } = await simulation.measure();
      const isSame = ids.length === model.size && ids.every((id) => model.has(id));
      part.judge(
        !isSame || count !== model.size
          ? `After step ${step} the ids that are read differ from those that were added and not removed`
          : nonFinite > 0 || !positions.every(Number.isFinite)
            ? `After step ${step} ${nonFinite} particles are not finite`
            : undefined,
      );
      done.readings++;
      if (noise() < 0.2) {
        last = await simulation.checkpoint();
        lastModel = new Set(model);
      }
    }
    if (step % every === 0) samples.push(sampleMemory(live));
    if (step % Math.max(1, Math.floor(steps / 10)) === 0) {
      part.say(
        `${step} steps, ${simulation.count} particles, RSS ${Math.round(samples.at(-1)?.rss ?? 0)} MiB`,
      );
    }
  }
  part.pass(steps);
  const growthInMiB = trendsOf(samples, BOUNDS);
  // Too few samples give no reliable trend.
  if (samples.length >= SAMPLES) part.judge(faultOfTrends(growthInMiB));
  return { steps, seed, capacity: CAPACITY, ...done, samples: samples.length, growthInMiB };
}

function lowestFree(used: ReadonlySet<number>, from: number): number {
  let id = from;
  while (used.has(id)) id++;
  return id;
}
