/**
 * Purpose: one compute pipeline of the liquid from a file of WGSL, with an explicit layout. Buffers are declared here, by the
 * names that the file knows them by, so that host and shader cannot disagree. Compiled once a device, dimension and constants.
 * `encode` only records. Errors of the compiler show the file's own line.
 */

import shared from '../../../../shaders/fluid/shared.wgsl?raw';
import { type Gpu, GpuError, LimitError } from '../../../index';
import { MAX_OBSTACLES } from '../obstacles';
import { COARSEST_ROUNDS, SMOOTHINGS } from '../reference/multigrid';
import { MAX_DRAINS } from '../settings';
import { FRAME_BYTES, MOST_LEVELS } from './frame';

/** Threads of a workgroup. */
export const WORKGROUP = 64;
/** Threads of the one workgroup that has all levels of at most TAIL_CELLS cells: see tail.wgsl. */
export const TAIL_THREADS = 128;
export const TAIL_CELLS = 1024;
/** Workgroups of a kernel that reduces, at most: what is left for the one that adds their sums up. */
export const PARTIALS = 256;

/** `frame`, `level` and `slots`, all levels: uniforms. Others: an array of 32-bit floats unless it says something else. */
export type Binding = 'frame' | 'level' | 'slots' | readonly ['read' | 'write', string];

export const READ = ['read', 'array<f32>'] as const;
export const WRITE = ['write', 'array<f32>'] as const;
export const READ_WORDS = ['read', 'array<u32>'] as const;
export const WRITE_WORDS = ['write', 'array<u32>'] as const;

export interface KernelSource {
  readonly name: string;
  readonly text: string;
  /** Files linked before it. */
  readonly modules?: readonly string[];
  readonly entryPoint: string;
  readonly bindings: Readonly<Record<string, Binding>>;
  readonly constants?: Readonly<Record<string, number | boolean>>;
}

const KNOWN = new WeakMap<GPUDevice, Map<string, Promise<FluidKernel>>>();

/** Three words of a buffer say how many workgroups there are. */
export interface Dispatch {
  readonly buffer: GPUBuffer;
  readonly offset: number;
}

export class FluidKernel {
  private constructor(
    private readonly gpu: Gpu,
    private readonly source: KernelSource,
    private readonly layout: GPUBindGroupLayout,
    private readonly pipeline: GPUComputePipeline,
  ) {}

  static create(gpu: Gpu, dimensions: 2 | 3, source: KernelSource): Promise<FluidKernel> {
    const known = KNOWN.get(gpu.device) ?? new Map<string, Promise<FluidKernel>>();
    KNOWN.set(gpu.device, known);
    const key = JSON.stringify([source.name, dimensions, source.constants ?? {}]);
    let kernel = known.get(key);
    if (!kernel) {
      kernel = FluidKernel.compile(gpu, dimensions, source);
      known.set(key, kernel);
      kernel.catch(() => known.delete(key));
    }
    return kernel;
  }

  private static async compile(gpu: Gpu, dimensions: 2 | 3, source: KernelSource): Promise<FluidKernel> {
    const { device } = gpu;
    const label = `fluid.${source.name}`;
    const { code, ahead } = linkKernel(dimensions, source);
    const module = device.createShaderModule({ label: `${label}.module`, code });
    const { messages } = await module.getCompilationInfo();
    const error = messages.find(({ type }) => type === 'error');
    if (error) {
      const line = code.split('\n')[error.lineNum - 1]?.trim();
      throw new GpuError(
        'shader',
        `The shader of ${label} does not compile: shaders/fluid/${source.name}.wgsl:${error.lineNum - ahead}: ${error.message}: ${line}`,
      );
    }
    const entries = Object.values(source.bindings).map((binding, index) => ({
      binding: index,
      visibility: GPUShaderStage.COMPUTE,
      buffer: layoutOf(binding),
    }));
    const layout = device.createBindGroupLayout({ label: `${label}.layout`, entries });
    const pipeline = await device.createComputePipelineAsync({
      label: `${label}.pipeline`,
      layout: device.createPipelineLayout({ label: `${label}.pipeline-layout`, bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: source.entryPoint },
    });
    return new FluidKernel(gpu, source, layout, pipeline);
  }

  bind(buffers: Readonly<Record<string, GPUBuffer | GPUBufferBinding | undefined>>): GPUBindGroup {
    const { name, bindings } = this.source;
    return this.gpu.device.createBindGroup({
      label: `fluid.${name}.group`,
      layout: this.layout,
      entries: Object.entries(bindings).map(([bound, kind], binding) => {
        const given = buffers[bound];
        if (!given) throw new GpuError('validation', `The kernel fluid.${name} was bound without ${bound}.`);
        if (kind === 'frame') return { binding, resource: { buffer: given as GPUBuffer, size: FRAME_BYTES } };
        return { binding, resource: 'buffer' in given ? given : { buffer: given } };
      }),
    });
  }

  /** `workgroups`: how many, or where the GPU finds it; `frame`: byte of the frame in its ring, where it has one. */
  encode(
    pass: GPUComputePassEncoder,
    group: GPUBindGroup,
    workgroups: number | Dispatch,
    frame: number,
  ): void {
    pass.setPipeline(this.pipeline);
    const hasFrame = Object.values(this.source.bindings).includes('frame');
    pass.setBindGroup(0, group, hasFrame ? [frame] : []);
    if (typeof workgroups !== 'number') pass.dispatchWorkgroupsIndirect(workgroups.buffer, workgroups.offset);
    else if (workgroups > 0) pass.dispatchWorkgroups(...fold(workgroups, this.gpu.workgroupsPerDimension));
  }
}

/** Columns and rows of a dispatch; kernels compute a linear index and guard it. */
export function fold(workgroups: number, perDimension: number): readonly [number, number] {
  const rows = Math.max(1, Math.ceil(workgroups / perDimension));
  if (rows > perDimension) {
    throw new LimitError(
      'maxComputeWorkgroupsPerDimension',
      `A dispatch of ${workgroups} workgroups does not fit the device's maxComputeWorkgroupsPerDimension of ${perDimension}; at most ${perDimension ** 2} do.`,
    );
  }
  return [Math.ceil(workgroups / rows), rows];
}

/** The code and how many lines come before the kernel's own file. */
export function linkKernel(
  dimensions: 2 | 3,
  source: KernelSource,
): { readonly code: string; readonly ahead: number } {
  const constants: Record<string, number | boolean> = {
    DIMENSIONS: dimensions,
    STORED: dimensions === 2 ? 2 : 4,
    WORKGROUP,
    PARTIALS,
    MAX_OBSTACLES,
    MAX_DRAINS,
    COARSEST_ROUNDS,
    SMOOTHINGS,
    TAIL_THREADS,
    MOST_LEVELS,
    SUMS_ONLY: false,
    ...source.constants,
  };
  const lines = Object.entries(constants).map(([name, value]) =>
    typeof value === 'boolean' ? `const ${name} = ${value};` : `const ${name} = ${value}u;`,
  );
  Object.entries(source.bindings).forEach(([name, kind], binding) => {
    lines.push(`@group(0) @binding(${binding}) ${declare(name, kind)}`);
  });
  const before = [...lines, shared, ...(source.modules ?? [])].join('\n');
  return { code: `${before}\n${source.text}`, ahead: before.split('\n').length };
}

function declare(name: string, kind: Binding): string {
  if (kind === 'frame') return `var<uniform> ${name}: Frame;`;
  if (kind === 'level') return `var<uniform> ${name}: Level;`;
  if (kind === 'slots') return `var<uniform> ${name}: array<Slot, MOST_LEVELS>;`;
  const [access, type] = kind;
  return `var<storage, ${access === 'read' ? 'read' : 'read_write'}> ${name}: ${type};`;
}

function layoutOf(binding: Binding): GPUBufferBindingLayout {
  if (binding === 'frame') return { type: 'uniform', hasDynamicOffset: true };
  if (binding === 'level' || binding === 'slots') return { type: 'uniform' };
  return { type: binding[0] === 'read' ? 'read-only-storage' : 'storage' };
}
