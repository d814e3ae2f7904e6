/**
 * One compute pipeline. Bind group 0 has the shared parameters, group 1 the kernel's own buffers. A standalone kernel
 * has no shared parameters, and its own buffers are in group 0.
 */
import { GpuError } from '../core/base/errors';
import type { Dimensions } from '../core/world/world';
import { type Bindings, declareLayout, kindOf } from './bindings';
import { type Gpu, isSoftware } from './device';
import { foldWorkgroups } from './dispatch';
import { groupOf, type LinkedShader, linkShader, type ShaderSource, type UserCode } from './link';
import type { SharedBinding } from './params';
import { refuseErrors } from './shader-module';
import type { Stage } from './stage';
import { UniformRing } from './uniform-ring';

export interface KernelDescription {
  /** Dotted name, such as `grid.scan.reduce`. */
  readonly label: string;
  readonly dimensions: Dimensions;
  /** Modules in linking order, the kernel last. */
  readonly sources: readonly ShaderSource[];
  readonly entryPoint: string;
  readonly bindings: Bindings;
  /** See LinkOptions. */
  readonly standalone?: boolean;
  readonly bare?: boolean;
  readonly flags?: Readonly<Record<string, boolean>>;
  readonly constants?: Readonly<Record<string, number | boolean>>;
  /** With user code, call Kernel.compile. Kernel.create does not tell kernels apart by their user code. */
  readonly userCode?: UserCode;
}

/**
 * The workgroups of a dispatch, if only the GPU knows how many there are. `buffer` holds the counts along x, y and z:
 * three words from byte `offset` on. The product of the three counts is at most `most`.
 */
export interface CountedWorkgroups {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly most: number;
}

/** Says when a kernel is compiled. 'first-use' suits kernels that few programs use. */
export type Compilation = 'now' | 'first-use';

const KERNELS = new WeakMap<Gpu, Map<string, Kernel>>();

const REJECTING_DEVICES = new WeakSet<Gpu>();

/** Per call of watchKernels in progress, innermost last: the verdicts of recorded kernels that are still compiling. */
const RECORDINGS = new WeakMap<Gpu, Set<Promise<void>>[]>();

const ERROR_SCOPES = ['validation', 'internal', 'out-of-memory'] as const;

/** Number of dispatches that all kernels have recorded so far. */
let recorded = 0;

const TEXT_NUMBERS = new Map<string, number>();

function numberOf(text: string): number {
  const known = TEXT_NUMBERS.get(text);
  if (known !== undefined) return known;
  TEXT_NUMBERS.set(text, TEXT_NUMBERS.size);
  return TEXT_NUMBERS.size - 1;
}

function keyOf({ label, sources, bindings, ...rest }: KernelDescription): string {
  // The order of bindings decides their numbers.
  return JSON.stringify([sources.map(({ text }) => numberOf(text)), Object.entries(bindings), rest]);
}

export class Kernel {
  private pipeline: GPUComputePipeline | undefined;
  private compiling: Promise<void> | undefined;
  /** Set while this kernel is compiled at its first use. Settles when the device has accepted or rejected it. */
  private verdict: Promise<void> | undefined;
  private refusal: GpuError | undefined;
  private readonly isIndirect: boolean;

  private constructor(
    private readonly gpu: Gpu,
    readonly description: KernelDescription,
    private readonly layout: GPUBindGroupLayout,
  ) {
    this.isIndirect = isSoftware(gpu.info);
  }

  /** Equal descriptions share one kernel per device, whatever their labels. */
  static async create(
    gpu: Gpu,
    description: KernelDescription,
    compilation: Compilation = 'now',
  ): Promise<Kernel> {
    let kernels = KERNELS.get(gpu);
    if (!kernels) {
      kernels = new Map();
      KERNELS.set(gpu, kernels);
    }
    const key = keyOf(description);
    let kernel = kernels.get(key);
    if (!kernel) {
      kernel = Kernel.describe(gpu, description);
      kernels.set(key, kernel);
    }
    if (compilation === 'now') await kernel.compile();
    return kernel;
  }

  /** Compiles a new kernel, even if the device has an equal one. */
  static async compile(gpu: Gpu, description: KernelDescription): Promise<Kernel> {
    const kernel = Kernel.describe(gpu, description);
    await kernel.compile();
    return kernel;
  }

  private static describe(gpu: Gpu, description: KernelDescription): Kernel {
    const { label, bindings } = description;
    const { layout } = declareLayout(gpu.device, label, bindings, true);
    return new Kernel(gpu, description, layout);
  }

  bind(buffers: { readonly [name: string]: GPUBuffer | GPUBufferBinding | undefined }): GPUBindGroup {
    return this.gpu.device.createBindGroup({
      label: `${this.description.label}.group`,
      layout: this.layout,
      entries: Object.entries(this.description.bindings).map(([name, declared], binding) => {
        const bound = buffers[name];
        if (!bound)
          throw new GpuError(
            'validation',
            `The kernel ${this.description.label} was bound without its buffer ${name}.`,
          );
        const hasOffset = kindOf(declared) === 'parameters';
        const resource = 'buffer' in bound ? bound : { buffer: bound };
        return { binding, resource: hasOffset ? { size: UniformRing.SLOT_BYTES, ...resource } : resource };
      }),
    });
  }

  /**
   * Records a dispatch. `shared` is undefined for standalone kernels. `offsets` are dynamic offsets in bytes, one per
   * binding of kind `parameters`.
   */
  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding | undefined,
    group: GPUBindGroup,
    workgroups: number,
    offsets: readonly number[] = [],
  ): void {
    if (workgroups === 0) return;
    const [columns, rows] = foldWorkgroups(workgroups, this.gpu.workgroupsPerDimension);
    this.prepare(pass, shared, group, offsets);
    pass.dispatchWorkgroups(columns, rows);
  }

  /**
   * Like `encode`, but only the GPU knows how many workgroups have work. The kernel must work with any number of
   * workgroups, and workgroups without work must return at once.
   *
   * On software adapters the dispatch is indirect, because each workgroup takes time even if it returns at once. On
   * GPUs the dispatch is direct and has `most` workgroups, because Dawn checks the counts of indirect dispatches: on an
   * NVIDIA H200, an indirect dispatch took 180 µs and a direct one 5 µs.
   */
  encodeCounted(
    pass: GPUComputePassEncoder,
    shared: SharedBinding | undefined,
    group: GPUBindGroup,
    { buffer, offset, most }: CountedWorkgroups,
    offsets: readonly number[] = [],
  ): void {
    if (!this.isIndirect) {
      this.encode(pass, shared, group, most, offsets);
      return;
    }
    this.prepare(pass, shared, group, offsets);
    pass.dispatchWorkgroupsIndirect(buffer, offset);
  }

  private prepare(
    pass: GPUComputePassEncoder,
    shared: SharedBinding | undefined,
    group: GPUBindGroup,
    offsets: readonly number[],
  ): void {
    if (this.refusal) throw this.refusal;
    this.pipeline ??= this.compileAtFirstUse();
    if (this.verdict) for (const verdicts of RECORDINGS.get(this.gpu) ?? []) verdicts.add(this.verdict);
    recorded++;
    pass.setPipeline(this.pipeline);
    if (shared) pass.setBindGroup(0, shared.group, shared.offsets);
    pass.setBindGroup(groupOf(this.description), group, offsets);
  }

  private compile(): Promise<void> {
    this.compiling ??= this.compileOnce().catch((error: unknown) => {
      this.compiling = undefined;
      throw error;
    });
    return this.compiling;
  }

  private async compileOnce(): Promise<void> {
    await this.verdict?.catch(() => undefined);
    if (this.pipeline) return;
    const { label } = this.description;
    const made = this.catchInvalid(() => this.link());
    const { module, linked } = made.result;
    await refuseErrors(label, module, linked);
    try {
      const requested = this.catchInvalid(() =>
        this.gpu.device.createComputePipelineAsync(this.pipelineDescriptor(module)),
      );
      const pipeline = await requested.result;
      // Some devices return a pipeline in spite of an error, which only the error scopes report.
      const error = (await made.invalid) ?? (await requested.invalid);
      if (error) throw error;
      this.pipeline = pipeline;
      this.refusal = undefined;
    } catch (error) {
      throw refusalOf(label, error as Error);
    }
  }

  /** Catches validation errors, which would otherwise also be reported as uncaptured. */
  private catchInvalid<Result>(make: () => Result): {
    readonly result: Result;
    readonly invalid: Promise<GPUError | null>;
  } {
    const { device } = this.gpu;
    let invalid: Promise<GPUError | null>;
    let result: Result;
    device.pushErrorScope('validation');
    try {
      result = make();
    } finally {
      // The promise rejects if the device is lost, which is reported separately.
      invalid = device.popErrorScope().catch(() => null);
    }
    return { result, invalid };
  }

  private compileAtFirstUse(): GPUComputePipeline {
    const { device } = this.gpu;
    for (const filter of ERROR_SCOPES) device.pushErrorScope(filter);
    const pipeline = device.createComputePipeline(this.pipelineDescriptor(this.link().module));
    const errors = Promise.all(ERROR_SCOPES.map(() => device.popErrorScope().catch(() => null)));
    this.verdict = errors.then((caught) => {
      this.verdict = undefined;
      const error = caught.find((candidate) => candidate !== null);
      if (!error) return;
      this.pipeline = undefined;
      this.refusal = refusalOf(this.description.label, error);
      REJECTING_DEVICES.add(this.gpu);
      throw this.refusal;
    });
    this.verdict.catch(() => undefined);
    return pipeline;
  }

  private link(): { module: GPUShaderModule; linked: LinkedShader } {
    const linked = linkShader(this.description);
    const label = `${this.description.label}.module`;
    return { linked, module: this.gpu.device.createShaderModule({ label, code: linked.code }) };
  }

  private pipelineDescriptor(module: GPUShaderModule): GPUComputePipelineDescriptor {
    const { label, standalone, userCode } = this.description;
    const entryPoint = userCode?.nameOf(this.description.entryPoint) ?? this.description.entryPoint;
    return {
      label: `${label}.pipeline`,
      layout: this.gpu.device.createPipelineLayout({
        label: `${label}.pipeline-layout`,
        bindGroupLayouts: standalone ? [this.layout] : [this.gpu.sharedLayout, this.layout],
      }),
      compute: { module, entryPoint },
    };
  }
}

/** Runs `record`, which must be synchronous, and returns the number of dispatches that it records. */
export function countDispatches(record: () => void): number {
  const before = recorded;
  record();
  return recorded - before;
}

/** `compiled` is set if recorded kernels are still compiling. It rejects if a kernel fails. */
export interface Recorded<Result> {
  readonly result: Result;
  readonly compiled: Promise<void> | undefined;
}

/** Runs `record`, which must be synchronous, and watches the kernels that it records. */
export function watchKernels<Result>(gpu: Gpu, record: () => Result): Recorded<Result> {
  const verdicts = new Set<Promise<void>>();
  const recordings = RECORDINGS.get(gpu) ?? [];
  RECORDINGS.set(gpu, recordings);
  recordings.push(verdicts);
  try {
    const result = record();
    if (verdicts.size === 0) return { result, compiled: undefined };
    const compiled = Promise.all(verdicts).then(() => undefined);
    compiled.catch(() => undefined);
    return { result, compiled };
  } finally {
    recordings.pop();
  }
}

/** Throws if the device rejected a kernel of these stages. Call this before you record the stages. */
export function checkKernels(gpu: Gpu, stages: readonly Stage[]): void {
  if (!REJECTING_DEVICES.has(gpu)) return;
  const pass = gpu.device.createCommandEncoder({ label: 'kernels.check' }).beginComputePass();
  try {
    for (const stage of stages) stage.encode(pass);
  } finally {
    pass.end();
  }
}

function refusalOf(label: string, { message }: { readonly message: string }): GpuError {
  return new GpuError('shader', `The device rejected the pipeline ${label}: ${message}`);
}
