// @ts-check
/** A test of your own compute shader, also on a machine without a GPU: node --test examples/shader-test/main.js */
import test from 'node:test';
import { createGpuTest } from 'cellstorm/testing';

const gpuTest = createGpuTest(test, { driver: 'software' });

/** Sums each block of 64 numbers. */
const CODE = `
  @group(0) @binding(0) var<storage, read> numbers: array<f32>;
  @group(0) @binding(1) var<storage, read_write> sums: array<f32>;
  var<workgroup> partial: array<f32, 64>;

  @compute @workgroup_size(64) fn sum_block(
    @builtin(workgroup_id) block: vec3u,
    @builtin(local_invocation_index) thread: u32,
  ) {
    partial[thread] = numbers[64u * block.x + thread];
    for (var reach = 32u; reach > 0u; reach >>= 1u) {
      workgroupBarrier();
      if (thread < reach) { partial[thread] += partial[thread + reach]; }
    }
    if (thread == 0u) { sums[block.x] = partial[0]; }
  }`;

gpuTest('sums blocks of 64 numbers', async (device, { upload, allocate, expectBuffer }) => {
  const blocks = 5;
  const numbers = Float32Array.from({ length: 64 * blocks }, (_, i) => i % 7);
  const sums = allocate('sums', 4 * blocks);
  const module = device.createShaderModule({ code: CODE });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  const bindings = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [upload('numbers', numbers), sums].map((buffer, binding) => ({ binding, resource: { buffer } })),
  });

  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindings);
  pass.dispatchWorkgroups(blocks);
  pass.end();
  device.queue.submit([encoder.finish()]);

  const expected = Float32Array.from({ length: blocks }, (_, block) =>
    numbers.subarray(64 * block, 64 * (block + 1)).reduce((sum, number) => sum + number, 0),
  );
  await expectBuffer(sums).toEqual(expected);
});
