// @ts-check
/**
 * Test processes preload this file. For each kernel that a compute pass sets with setPipeline, it writes the WGSL code
 * to a file in $CELLSTORM_KERNELS.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { globals } from 'webgpu';

const folder = process.env.CELLSTORM_KERNELS;
if (folder) {
  const { GPUComputePassEncoder, GPUDevice } = globals;
  /** @type {WeakMap<object, string>} */
  const codes = new WeakMap();
  const seen = new Set();

  const createShaderModule = GPUDevice.prototype.createShaderModule;
  GPUDevice.prototype.createShaderModule = function (descriptor) {
    const module = createShaderModule.call(this, descriptor);
    codes.set(module, descriptor.code);
    return module;
  };

  /** @type {(pipeline: object, descriptor: GPUComputePipelineDescriptor) => void} */
  const note = (pipeline, { compute }) => {
    const code = codes.get(compute.module);
    if (code !== undefined) codes.set(pipeline, code);
  };
  const { createComputePipeline, createComputePipelineAsync } = GPUDevice.prototype;
  GPUDevice.prototype.createComputePipeline = function (descriptor) {
    const pipeline = createComputePipeline.call(this, descriptor);
    note(pipeline, descriptor);
    return pipeline;
  };
  GPUDevice.prototype.createComputePipelineAsync = async function (descriptor) {
    const pipeline = await createComputePipelineAsync.call(this, descriptor);
    note(pipeline, descriptor);
    return pipeline;
  };

  const setPipeline = GPUComputePassEncoder.prototype.setPipeline;
  GPUComputePassEncoder.prototype.setPipeline = function (pipeline) {
    const code = codes.get(pipeline);
    if (code !== undefined && !seen.has(code)) {
      seen.add(code);
      const name = createHash('sha256').update(code).digest('hex').slice(0, 16);
      writeFileSync(join(folder, `${name}.wgsl`), code);
    }
    return setPipeline.call(this, pipeline);
  };
}
