/**
 * Compiles every kernel on the driver that the environment names. measure.ts starts this program with RADV, which
 * prints figures of each kernel to stderr. This program writes the kernel's name before them. Kernels with equal code
 * compile only once.
 */
import { writeSync } from 'node:fs';
import { requestGpu } from '../../src/gpu/device';
import { Kernel, type KernelDescription } from '../../src/gpu/kernel';
import { linkShader } from '../../src/gpu/link';
import { openDawn } from '../../src/node/dawn';
import { listKernels } from './kernels';
import { DRIVER_MARK, EQUAL_MARK, KERNEL_MARK } from './marks';

const STDERR = 2;
const note = (line: string) => writeSync(STDERR, `${line}\n`);

/** All that the driver sees of a kernel. */
const contentOf = (description: KernelDescription): string => {
  const { entryPoint, bindings, standalone, userCode } = description;
  const name = userCode?.nameOf(entryPoint) ?? entryPoint;
  return JSON.stringify([linkShader(description).code, name, Object.entries(bindings), standalone]);
};

const { gpu: provider } = await openDawn({ driver: 'system' });
for (const dimensions of [2, 3] as const) {
  const kernels = await listKernels(dimensions);
  const gpu = await requestGpu({ particles: 2, dimensions, gpu: provider });
  note(`${DRIVER_MARK}${gpu.info?.description}`);
  const compiled = new Map<string, string>();
  for (const [name, description] of kernels) {
    note(`${KERNEL_MARK}${name}`);
    const content = contentOf(description);
    const equal = compiled.get(content);
    if (equal !== undefined) {
      note(`${EQUAL_MARK}: ${equal}`);
      continue;
    }
    compiled.set(content, name);
    await Kernel.compile(gpu, description);
  }
}
process.exit(0);
