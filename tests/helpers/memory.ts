import { expect } from 'vitest';
import type { CpuSimulation } from '../../src/cpu';

export function buffersOf(value: object): Set<ArrayBufferLike> {
  const buffers = new Set<ArrayBufferLike>();
  const seen = new Set<object>();
  const visit = (object: object) => {
    if (seen.has(object)) return;
    seen.add(object);
    if (ArrayBuffer.isView(object)) buffers.add(object.buffer);
    else for (const child of Object.values(object)) if (typeof child === 'object' && child) visit(child);
  };
  visit(value);
  return buffers;
}

/** Expects that steps after the first allocate no buffers, and that `memoryBytes` is the size of all buffers. */
export function expectSteadyMemory(simulation: CpuSimulation): void {
  simulation.step(1 / 60);
  const before = buffersOf(simulation);
  for (let step = 0; step < 5; step++) {
    simulation.step(1 / 60);
    simulation.separate();
  }
  const after = buffersOf(simulation);
  expect(after.size).toBe(before.size);
  for (const buffer of after) expect(before.has(buffer)).toBe(true);
  const bytes = [...after].reduce((sum, buffer) => sum + buffer.byteLength, 0);
  expect(simulation.memoryBytes).toBe(bytes);
}
