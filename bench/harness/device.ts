/**
 * Opens a device for engines of all kinds. Their buffers differ a lot, so it requests the largest that the adapter
 * offers; an engine that needs a larger one is refused with its own LimitError.
 */
import { type Dimensions, MAX_CELLS } from '../../src/core/world/world';
import { type Gpu, requestGpu } from '../../src/gpu/device';

/** Cell starts take four bytes each, and there are a few more of them than cells. */
const EXTRA_CELLS = 8;

/** Without a `provider`, requestGpu throws an error that says what to do. */
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
