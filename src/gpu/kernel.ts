/**
 * Purpose: one compute pipeline with an explicit layout: group 0 the shared parameters, group 1 the kernel's
 * own buffers. Creation is asynchronous and turns the compiler's messages into an error that shows the line;
 * `encode` only records.
 */
import { GpuError } from '../core/errors';
import type { Dimensions } from '../core/world';
import type { Gpu } from './device';
import { foldWorkgroups } from './dispatch';
import { type LinkedShader, linkShader, type ShaderSource } from './link';
import type { SharedBinding } from './params';

/** How a kernel uses a buffer: as uniform, read only, or read and write. */
export type BindingKind = 'uniform' | 'read' | 'write';

export interface KernelDescription {
  /** Dotted name of the pipeline: `grid.scan.reduce`. */
  readonly label: string;
  readonly dimensions: Dimensions;
  /** Modules in linking order, the kernel last. */
  readonly sources: readonly ShaderSource[];
  readonly entryPoint: string;
  /** Buffers of group 1, in binding order, by their WGSL names. */
  readonly bindings: Readonly<Record<string, BindingKind>>;
  readonly flags?: Readonly<Record<string, boolean>>;
  readonly constants?: Readonly<Record<string, number>>;
  readonly extensions?: readonly string[];
}

const BUFFER_TYPES: Readonly<Record<BindingKind, GPUBufferBindingType>> = {
  uniform: 'uniform',
  read: 'read-only-storage',
  write: 'storage',
};

const COMPILED = new WeakMap<Gpu, Map<string, Promise<Kernel>>>();

export class Kernel {
  private constructor(
    private readonly device: GPUDevice,
    private readonly workgroupsPerDimension: number,
    readonly description: KernelDescription,
    private readonly pipeline: GPUComputePipeline,
    private readonly layout: GPUBindGroupLayout,
  ) {}

  /** The kernel of this label and dimension: compiled once a device, shared by all who ask. */
  static create(gpu: Gpu, description: KernelDescription): Promise<Kernel> {
    let kernels = COMPILED.get(gpu);
    if (!kernels) {
      kernels = new Map();
      COMPILED.set(gpu, kernels);
    }
    const key = `${description.label} ${description.dimensions}D`;
    let kernel = kernels.get(key);
    if (!kernel) {
      kernel = Kernel.compile(gpu, description);
      kernels.set(key, kernel);
    }
    return kernel;
  }

  /** Compiles whether or not the device has this kernel already. */
  static async compile(gpu: Gpu, description: KernelDescription): Promise<Kernel> {
    const { device } = gpu;
    const { label } = description;
    const linked = linkShader(description);
    const module = device.createShaderModule({ label: `${label}.module`, code: linked.code });
    const layout = device.createBindGroupLayout({
      label: `${label}.layout`,
      entries: Object.values(description.bindings).map((kind, binding) => ({
        binding,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type: BUFFER_TYPES[kind] },
      })),
    });
    await refuseErrors(label, module, linked);
    try {
      const pipeline = await device.createComputePipelineAsync({
        label: `${label}.pipeline`,
        layout: device.createPipelineLayout({
          label: `${label}.pipeline-layout`,
          bindGroupLayouts: [gpu.sharedLayout, layout],
        }),
        compute: { module, entryPoint: description.entryPoint },
      });
      return new Kernel(device, gpu.workgroupsPerDimension, description, pipeline, layout);
    } catch (error) {
      throw new GpuError(
        'shader',
        `The pipeline ${label} was refused by the device: ${(error as Error).message}`,
      );
    }
  }

  /** A group for `encode`; every buffer of the description by name. */
  bind(buffers: { readonly [name: string]: GPUBuffer | undefined }): GPUBindGroup {
    return this.device.createBindGroup({
      label: `${this.description.label}.group`,
      layout: this.layout,
      entries: Object.keys(this.description.bindings).map((name, binding) => {
        const buffer = buffers[name];
        if (!buffer)
          throw new GpuError(
            'validation',
            `The kernel ${this.description.label} was bound without its buffer ${name}.`,
          );
        return { binding, resource: { buffer } };
      }),
    });
  }

  encode(pass: GPUComputePassEncoder, shared: SharedBinding, group: GPUBindGroup, workgroups: number): void {
    if (workgroups === 0) return;
    const [columns, rows] = foldWorkgroups(workgroups, this.workgroupsPerDimension);
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, shared.group, shared.offsets);
    pass.setBindGroup(1, group);
    pass.dispatchWorkgroups(columns, rows);
  }
}

async function refuseErrors(label: string, module: GPUShaderModule, linked: LinkedShader): Promise<void> {
  const { messages } = await module.getCompilationInfo();
  const errors = messages.filter((message) => message.type === 'error');
  if (errors.length === 0) return;
  const shown = errors.slice(0, 5).map((message) => {
    const place = linked.locate(message.lineNum);
    return `  ${place.file}:${place.line}:${message.linePos}: ${message.message}\n    ${place.text.trim()}`;
  });
  throw new GpuError('shader', `The shader of ${label} does not compile:\n${shown.join('\n')}`);
}
