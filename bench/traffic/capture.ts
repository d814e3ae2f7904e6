/** Records the dispatches of real calls, such as `simulation.encodeStep`, instead of encoding them. */
import { type CountedWorkgroups, Kernel, type KernelDescription } from '../../src/gpu/kernel';
import type { SharedBinding } from '../../src/gpu/params';

export interface BoundBuffer {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

export interface Dispatch {
  readonly description: KernelDescription;
  readonly shared: SharedBinding | undefined;
  readonly group: GPUBindGroup;
  readonly offsets: readonly number[];
  /** In binding order. */
  readonly buffers: readonly BoundBuffer[];
  /** The number of workgroups, or the buffer that holds it on the GPU. */
  readonly workgroups: number | CountedWorkgroups;
}

/** Create it before the objects whose calls it shall record, because it must see which buffers they bind. */
export class Capture {
  private readonly bound = new WeakMap<GPUBindGroup, Dispatch['buffers']>();
  private readonly original = {
    bind: Kernel.prototype.bind,
    encode: Kernel.prototype.encode,
    encodeCounted: Kernel.prototype.encodeCounted,
  };
  private recording: Dispatch[] | undefined;

  constructor() {
    const capture = this;
    const { bind, encode, encodeCounted } = this.original;
    Kernel.prototype.bind = function (buffers) {
      const group = bind.call(this, buffers);
      const bound = Object.keys(this.description.bindings).map((name) => boundBuffer(buffers[name]));
      capture.bound.set(group, bound);
      return group;
    };
    Kernel.prototype.encode = function (pass, shared, group, workgroups, offsets = []) {
      if (!capture.recording) encode.call(this, pass, shared, group, workgroups, offsets);
      else if (workgroups > 0) capture.note(this, shared, group, workgroups, offsets);
    };
    Kernel.prototype.encodeCounted = function (pass, shared, group, workgroups, offsets = []) {
      if (!capture.recording) encodeCounted.call(this, pass, shared, group, workgroups, offsets);
      else capture.note(this, shared, group, workgroups, offsets);
    };
  }

  /** Returns the dispatches of `run`, a synchronous function. Its encoder gets none of them. */
  record(run: () => void): Dispatch[] {
    const dispatches: Dispatch[] = [];
    this.recording = dispatches;
    try {
      run();
    } finally {
      this.recording = undefined;
    }
    return dispatches;
  }

  stop(): void {
    Object.assign(Kernel.prototype, this.original);
  }

  private note(
    { description }: Kernel,
    shared: SharedBinding | undefined,
    group: GPUBindGroup,
    workgroups: Dispatch['workgroups'],
    offsets: readonly number[],
  ): void {
    const buffers = this.bound.get(group) ?? [];
    this.recording?.push({ description, shared, group, offsets, buffers, workgroups });
  }
}

/** Adds the default offset and size. `Kernel.bind` has checked that the buffer is there. */
function boundBuffer(given: GPUBuffer | GPUBufferBinding | undefined): BoundBuffer {
  const bound = given as GPUBuffer | GPUBufferBinding;
  const { buffer, offset = 0, size } = 'buffer' in bound ? bound : { buffer: bound };
  return { buffer, offset, size: size ?? buffer.size - offset };
}
