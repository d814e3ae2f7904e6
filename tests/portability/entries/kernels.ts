/** Compiles the kernels at some indices of the list of descriptions. Runs under Deno for kernels.test.ts. */
import { CellstormError } from '../../../src/core/base/errors';
import type { Dimensions } from '../../../src/core/world/world';
import { Kernel, type KernelDescription } from '../../../src/gpu/kernel';
import { linkShader } from '../../../src/gpu/link';
import { refuseErrors } from '../../../src/gpu/shader-module';
import { describeKernels } from '../../../src/passes';
import { describePageKernels } from '../../helpers/page-kernels';
import { openDevice } from './device';

export interface KernelsQuestion {
  readonly dimensions: Dimensions;
  readonly of: 'passes' | 'page';
  readonly as: 'shader' | 'pipeline';
  readonly indices: readonly number[];
}

export interface KernelsReport {
  readonly compiled: readonly string[];
  readonly refused: readonly string[];
  readonly complaints: readonly string[];
}

const { gpu, complaints } = await openDevice();

const accepted = new Set<string>();

/** Compiles shaders with equal code once: some kernels differ only in their entry points or their sizes. */
async function compileShader(description: KernelDescription): Promise<void> {
  const linked = linkShader(description);
  if (accepted.has(linked.code)) return;
  await refuseErrors(
    description.label,
    gpu.device.createShaderModule({ label: description.label, code: linked.code }),
    linked,
  );
  accepted.add(linked.code);
}

export default async ({ dimensions, of, as, indices }: KernelsQuestion): Promise<KernelsReport> => {
  const descriptions = of === 'page' ? describePageKernels(dimensions) : describeKernels(dimensions);
  const compiled: string[] = [];
  const refused: string[] = [];
  for (const index of indices) {
    const description = descriptions[index];
    if (!description) throw new RangeError(`There is no kernel ${index}.`);
    try {
      if (as === 'pipeline') await Kernel.compile(gpu, description);
      else await compileShader(description);
      compiled.push(description.label);
    } catch (error) {
      if (!(error instanceof CellstormError)) throw error;
      refused.push(error.message);
    }
  }
  return { compiled, refused, complaints: complaints.splice(0) };
};
