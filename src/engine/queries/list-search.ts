/**
 * What the searches in a grid have in common whose answers are lists on the GPU: GridNear, GridBoxes and
 * GridRays. One kernel tallies what each asker (a point, a box, a ray) will find, one writes it at scanned offsets.
 * Owns the lists and the parameters. Outputs: `ids`, those of asker i from `offsets[i]` to `offsets[i + 1]`, and `count`.
 */
import { CellstormError } from '../../core/base/errors';
import type { SharedBinding } from '../../gpu/params';
import { LIST_DISPATCH_OFFSET } from '../../passes/query/list-count';
import type { ListStep } from '../../passes/query/list-pass';
import type { KernelGrid } from '../grid/grid-kernel';
import type { KernelParameters } from '../grid/kernel-parameters';
import type { CountedList } from './counted-list';

/** Passes of a search; `Group` is what they bind. */
interface SearchPasses<Group> {
  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    step: ListStep,
    group: Group,
    count: number,
    offsets: readonly number[],
  ): void;
}

/** One search, checked, to be recorded. */
interface Search {
  readonly label: string;
  /** Who asks, and how many. */
  readonly askers: GPUBuffer;
  readonly count: number;
  /** The parameter that says how many. */
  readonly counted: string;
  readonly values: Readonly<Record<string, number>>;
}

/** The parameters of a grid as it was last encoded; `nothing`: what is so where it was not. */
export function lastBuilt(grid: KernelGrid, nothing: string): SharedBinding {
  const built = grid.built();
  if (!built) throw new CellstormError(`The grid has not been encoded yet, so ${nothing}.`);
  return built.shared;
}

export abstract class ListSearch<Group> {
  /** Byte offset in `count` of the arguments of dispatchWorkgroupsIndirect: one thread per listed id, 256 per workgroup. */
  readonly dispatchOffset = LIST_DISPATCH_OFFSET;
  private readonly groups = new WeakMap<GPUBuffer, Readonly<Record<ListStep, Group>>>();
  /** Askers of the last search recorded: what a reading of it will most likely be of. */
  protected lastCount = 0;

  protected constructor(
    protected readonly grid: KernelGrid,
    private readonly passes: SearchPasses<Group>,
    protected readonly list: CountedList,
    protected readonly parameters: KernelParameters,
  ) {}

  /** The groups of one buffer of askers, which are made once for each. */
  protected abstract bind(askers: GPUBuffer): Readonly<Record<ListStep, Group>>;

  /** Ids that fit: the number asked for, made a multiple of four. */
  get capacity(): number {
    return this.list.capacity;
  }

  /** u32: ids of particles; `listed` are valid. */
  get ids(): GPUBuffer {
    return this.list.list;
  }

  /** u32: first place of each asker's, one more than there are askers. */
  get offsets(): GPUBuffer {
    return this.list.offsets;
  }

  /** u32: found, listed, and from `dispatchOffset` on three of an indirect dispatch. */
  get count(): GPUBuffer {
    return this.list.count;
  }

  get memoryBytes(): number {
    return this.list.bytes + this.parameters.bytes;
  }

  /** The grid's buffers that the kernels of both steps read. */
  protected get gridState() {
    const { position_in, id_in, start, cell_of_slot } = this.grid.buffers;
    return { position_in, id_in, start, cell_of_slot, parameters: this.parameters.buffer };
  }

  protected record(
    encoder: GPUCommandEncoder,
    shared: SharedBinding,
    { label, askers, count, counted, values }: Search,
  ): void {
    const offset = this.parameters.place(encoder, { ...values, [counted]: count });
    const { tally, fill } = this.groupsFor(askers);
    const pass = encoder.beginComputePass({ label });
    this.passes.encode(pass, shared, 'tally', tally, count, [offset]);
    this.list.encodeScan(pass, shared);
    this.passes.encode(pass, shared, 'fill', fill, count, [offset]);
    this.list.encodeCount(pass, shared);
    pass.end();
    this.list.encodeOwners(encoder, this.parameters.buffer, offset + this.parameters.offsetOf(counted));
    this.lastCount = count;
  }

  destroy(): void {
    this.grid.forget(this);
    this.list.destroy();
    this.parameters.destroy();
  }

  private groupsFor(askers: GPUBuffer): Readonly<Record<ListStep, Group>> {
    const known = this.groups.get(askers);
    if (known) return known;
    const groups = this.bind(askers);
    this.groups.set(askers, groups);
    return groups;
  }
}
