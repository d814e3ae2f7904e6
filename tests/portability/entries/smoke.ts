/** Runs one kernel. Runs under Deno for smoke.test.ts. */
import { openDevice } from './device';
import code from './smoke.wgsl?raw';

export interface SmokeReport {
  readonly adapter: string;
  readonly squares: readonly number[];
  readonly complaints: readonly string[];
}

const { gpu, complaints } = await openDevice();
const { device } = gpu;

export default async (count: number): Promise<SmokeReport> => {
  const size = count * Uint32Array.BYTES_PER_ELEMENT;
  const values = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const staging = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: { buffer: values } }],
    }),
  );
  pass.dispatchWorkgroups(Math.ceil(count / 64));
  pass.end();
  encoder.copyBufferToBuffer(values, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const squares = [...new Uint32Array(staging.getMappedRange())];
  return { adapter: gpu.info?.description ?? '', squares, complaints: complaints.splice(0) };
};
