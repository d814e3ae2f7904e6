/** Runs under Deno for smoke.test.ts: runs one kernel. Prints the adapter and the result as JSON. */
import code from './smoke.wgsl?raw';

const COUNT = 1000;

const adapter = await navigator.gpu.requestAdapter();
const device = await adapter?.requestDevice();
if (!adapter || !device) throw new Error('Deno has no adapter.');
device.onuncapturederror = ({ error }) => {
  throw new Error(error.message);
};

const size = COUNT * Uint32Array.BYTES_PER_ELEMENT;
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
pass.dispatchWorkgroups(Math.ceil(COUNT / 64));
pass.end();
encoder.copyBufferToBuffer(values, 0, staging, 0, size);
device.queue.submit([encoder.finish()]);
await staging.mapAsync(GPUMapMode.READ);
const squares = [...new Uint32Array(staging.getMappedRange())];
device.destroy();

console.log(JSON.stringify({ adapter: adapter.info.description, squares }));
