/**
 * Creates, uses and destroys objects many times. Each cycle must free its buffers and give the same digest, and memory
 * must stay flat.
 */
import { wrapDevice } from '../../src/gpu/device';
import { openDevice } from '../trust/device';
import { faultOfTrends, sampleMemory, trendsOf } from '../trust/memory';
import { OBJECTS } from '../trust/objects';
import type { Figures, Part } from '../trust/results';

/**
 * Greatest growth after the first fifth of the cycles, in MiB. `buffers` counts buffers. RSS includes compiled kernels.
 */
const BOUNDS = { heap: 4, arrayBuffers: 1, rss: 48, buffers: 0, bufferBytes: 0 } as const;

const PARTICLES = 64;
const SAMPLES = 50;

export async function runCycles(part: Part, cycles: number): Promise<Figures> {
  const { device, live, complaints } = await openDevice();
  const gpu = wrapDevice(device);
  const objects: Record<string, unknown> = {};
  const every = Math.max(1, Math.floor(cycles / SAMPLES));
  for (const { name, create } of OBJECTS) {
    const samples = [sampleMemory(live)];
    let first: string | undefined;
    const began = performance.now();
    for (let cycle = 0; cycle < cycles; cycle++) {
      const object = await create(gpu, PARTICLES);
      object.step();
      const digest = await object.digest();
      object.destroy();
      first ??= digest;
      part.judge(
        live.size > 0
          ? `cycle ${cycle} of ${name} leaves ${live}`
          : digest !== first
            ? `cycle ${cycle} of ${name} gives another digest than the first`
            : undefined,
      );
      if (cycle % every === 0) samples.push(sampleMemory(live));
    }
    const trends = trendsOf(samples, BOUNDS);
    // Too few samples give no reliable trend.
    if (samples.length > SAMPLES / 2) part.judge(faultOfTrends(trends));
    objects[name] = trends;
    const seconds = Math.round((performance.now() - began) / 1000);
    part.say(`${name}: ${cycles} cycles in ${seconds} s, RSS ${Math.round(trends.rss.most)} MiB at most`);
  }
  part.judge(complaints.length > 0 ? `the device reported: ${complaints[0]}` : undefined);
  device.destroy();
  return { cycles, particles: PARTICLES, growthInMiB: objects };
}
