/** Tests the loss of a device at a single await. `npm run test:faults` tests a loss at each await of public calls. */
import { expect } from 'vitest';
import { createBuffers } from '../../../src/gpu/buffers';
import { gpuTest } from '../../helpers/node-gpu';

gpuTest(
  'creating buffers rejects if the device is lost meanwhile',
  async (device, tools) => {
    const creating = createBuffers(tools.wrap(), 'test', { words: 16 });
    device.destroy();
    await expect(creating).rejects.toMatchObject({ name: 'GpuError', reason: 'lost' });
  },
  { driverless: true },
);
