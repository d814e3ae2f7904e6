/**
 * Compiles every kernel on the driver that the environment names. measure.ts starts this program with RADV, which
 * prints figures of each kernel to stderr. This program writes the kernel's name before them.
 */
import { writeSync } from 'node:fs';
import { requestGpu } from '../../src/gpu/device';
import { Kernel } from '../../src/gpu/kernel';
import { openDawn } from '../../src/node/dawn';
import { listKernels } from './kernels';
import { DRIVER_MARK, KERNEL_MARK } from './marks';

const STDERR = 2;
const note = (line: string) => writeSync(STDERR, `${line}\n`);

const { gpu: provider } = await openDawn({ driver: 'system' });
for (const dimensions of [2, 3] as const) {
  const kernels = await listKernels(dimensions);
  const gpu = await requestGpu({ particles: 2, dimensions, gpu: provider });
  note(`${DRIVER_MARK}${gpu.info?.description}`);
  for (const [name, description] of kernels) {
    note(`${KERNEL_MARK}${name}`);
    await Kernel.compile(gpu, description);
  }
}
process.exit(0);
