import { type Gpu, wrapDevice } from '../../../src/gpu/device';

/** Opens Deno's device. `complaints` collects the errors that it reports. */
export async function openDevice(): Promise<{ readonly gpu: Gpu; readonly complaints: string[] }> {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter?.requestDevice({ label: 'portability' });
  if (!adapter || !device) throw new Error('Deno has no adapter.');
  const complaints: string[] = [];
  device.onuncapturederror = ({ error }) => complaints.push(error.message);
  return { gpu: wrapDevice(device, adapter.info), complaints };
}
