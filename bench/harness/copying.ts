/**
 * Copies that show a GPU's bandwidth. On hardware a kernel copies, because `copyBufferToBuffer` reached only a fifth of
 * the bandwidth of an NVIDIA H200. Software adapters use that command, because it is faster there.
 */
import { type Gpu, isSoftware } from '../../src/gpu/device';
import text from './copy.wgsl?raw';

/** Twin: copy.wgsl, in which each of 256 threads copies four vectors of 16 bytes. */
const WORKGROUP_BYTES = 256 * 4 * 16;

/** Returns the greatest size of a buffer that a kernel can bind. */
export function mostCopied({ device: { limits } }: Gpu): number {
  return Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
}

export function createCopied({ device }: Gpu, index: number, size: number): GPUBuffer {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  return device.createBuffer({ label: `bench.copy.${index}`, size, usage });
}

/** Returns a function that records a copy of all bytes. Both buffers must come from `createCopied`. */
export async function createCopy(
  { device, info }: Gpu,
  from: GPUBuffer,
  to: GPUBuffer,
): Promise<(encoder: GPUCommandEncoder) => void> {
  if (isSoftware(info)) return (encoder) => encoder.copyBufferToBuffer(from, 0, to, 0, from.size);
  const label = 'bench.copy';
  const module = device.createShaderModule({ label, code: text });
  const pipeline = await device.createComputePipelineAsync({ label, layout: 'auto', compute: { module } });
  const group = device.createBindGroup({
    label,
    layout: pipeline.getBindGroupLayout(0),
    entries: [from, to].map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const workgroups = Math.ceil(from.size / WORKGROUP_BYTES);
  return (encoder) => {
    const pass = encoder.beginComputePass({ label });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(workgroups);
    pass.end();
  };
}
