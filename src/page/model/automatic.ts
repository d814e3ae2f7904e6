/** Chooses the engine if the visitor has not. */

import type { Choices, EngineKind } from './fields';
import { capOf } from './limits';

/** The kind of GPU that the page can use. 'software': the processor emulates it. */
export type GpuKind = 'hardware' | 'software' | 'none';

/**
 * Returns 'cpu' if the GPU is emulated and the CPU engine can hold the particles: a step of 4,000 discs then takes 8 ms
 * instead of 44. Without a GPU, returns 'gpu': the attempt to open one then says what is wrong.
 */
export function automaticEngine(choices: Choices, gpu: GpuKind): EngineKind {
  if (gpu !== 'software') return 'gpu';
  const most = capOf(
    { ...choices, engine: 'cpu' },
    { isSoftware: true, most: Number.POSITIVE_INFINITY },
  )?.most;
  return choices.count > (most ?? Number.POSITIVE_INFINITY) ? 'gpu' : 'cpu';
}

export function explainAutomatic(kind: EngineKind, gpu: GpuKind): string {
  if (kind === 'gpu' && gpu === 'software') {
    return 'Automatic chose the emulated GPU: the CPU engine cannot hold so many particles.';
  }
  if (kind === 'gpu') return 'Automatic chose the GPU of this device.';
  if (gpu === 'software') {
    return 'Automatic chose the CPU engine: the processor emulates the GPU here, which is slower.';
  }
  return 'Automatic chose the CPU engine: no GPU can be used here.';
}
