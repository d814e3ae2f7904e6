/**
 * Purpose: a device for engines of all kinds: they need very different buffers, so it is asked for the largest that its
 * adapter has, and an engine that needs a larger one is refused by a LimitError of its own.
 */
import { type Dimensions, MAX_CELLS } from '../../src/core/world/world';
import { type Gpu, requestGpu } from '../../src/gpu/device';

/** Starts of cells: four bytes each, and a few more of them than there are cells. */
const EXTRA_CELLS = 8;

/** `provider`: where there is none, requestGpu says why. */
export async function openWholeGpu(provider: GPU | undefined, dimensions: Dimensions): Promise<Gpu> {
  const request = { particles: 0, dimensions, gpu: provider, powerPreference: 'high-performance' } as const;
  const adapter = await provider?.requestAdapter({ powerPreference: request.powerPreference });
  const { maxBufferSize = 0, maxStorageBufferBindingSize = 0 } = adapter?.limits ?? {};
  const entries = Math.floor(Math.min(maxBufferSize, maxStorageBufferBindingSize) / 4);
  return requestGpu({ ...request, cells: Math.min(MAX_CELLS, Math.max(0, entries - EXTRA_CELLS)) });
}

/** "SwiftShader Device (Subzero), google" */
export function nameAdapter(info: GPUAdapterInfo | undefined): string {
  const name =
    [info?.description, info?.device, info?.architecture].find((text) => text) ?? 'unnamed adapter';
  return info?.vendor ? `${name}, ${info.vendor}` : name;
}
