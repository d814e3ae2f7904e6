/** Opens a device with the largest buffers that the adapter offers. */
import { type Dimensions, MAX_CELLS } from '../../src/core/world/world';
import { type Gpu, requestGpu } from '../../src/gpu/device';

/** There are a few more cell starts than cells. */
const EXTRA_CELLS = 8;

export async function openWholeGpu(provider: GPU | undefined, dimensions: Dimensions): Promise<Gpu> {
  const request = { particles: 0, dimensions, gpu: provider, powerPreference: 'high-performance' } as const;
  const adapter = await provider?.requestAdapter({ powerPreference: request.powerPreference });
  const { maxBufferSize = 0, maxStorageBufferBindingSize = 0 } = adapter?.limits ?? {};
  const entries = Math.floor(Math.min(maxBufferSize, maxStorageBufferBindingSize) / 4);
  return requestGpu({ ...request, cells: Math.min(MAX_CELLS, Math.max(0, entries - EXTRA_CELLS)) });
}
