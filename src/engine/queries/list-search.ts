/** The base of GridNear, GridBoxes and GridRays. */
import { CellstormError } from '../../core/base/errors';
import type { SharedBinding } from '../../gpu/params';
import { LIST_DISPATCH_OFFSET } from '../../passes/query/list-count';
import type { ListStep } from '../../passes/query/list-pass';
import type { KernelGrid } from '../grid/grid-kernel';
import type { KernelParameters } from '../grid/kernel-parameters';
import type { CountedList } from './counted-list';

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

interface Search {
  readonly label: string;
  readonly owners: GPUBuffer;
  readonly count: number;
  /** The name of the parameter that holds `count`. */
  readonly counted: string;
  readonly values: Readonly<Record<string, number>>;
}

/** Returns the parameters with which the grid was last encoded. Throws before the first `encode`. */
export function lastBuilt(grid: KernelGrid): SharedBinding {
  const built = grid.built();
  if (!built)
    throw new CellstormError(
      'The grid has not been encoded yet, so it has no particles to search; encode the grid first.',
    );
  return built.shared;
}

/** A search that lists ids per owner: per point, box or ray. */
export abstract class ListSearch<Group> {
  /**
   * Byte offset in `count` of the arguments for dispatchWorkgroupsIndirect: workgroups of 256 threads, a thread per
   * listed id.
   */
  readonly dispatchOffset = LIST_DISPATCH_OFFSET;
  private groups = new WeakMap<GPUBuffer, Readonly<Record<ListStep, Group>>>();
  /** Number of owners in the last recorded search. A subclass's `read` first copies this many offsets. */
  protected lastCount = 0;

  protected constructor(
    protected readonly grid: KernelGrid,
    private readonly passes: SearchPasses<Group>,
    protected readonly list: CountedList,
    protected readonly parameters: KernelParameters,
  ) {}

  /** Creates the bind groups for a buffer of owners. The base class caches them. */
  protected abstract bind(owners: GPUBuffer): Readonly<Record<ListStep, Group>>;

  /** The number of ids that the list can hold: the requested capacity, rounded up to a multiple of four. */
  get capacity(): number {
    return this.list.capacity;
  }

  /** u32: ids of particles. The first `count[1]` are valid. */
  get ids(): GPUBuffer {
    return this.list.list;
  }

  /** u32: the index in `ids` of each owner's first id, then the end. */
  get offsets(): GPUBuffer {
    return this.list.offsets;
  }

  /**
   * u32: the number of ids found, then the number listed. From `dispatchOffset` on, it holds the arguments of an
   * indirect dispatch.
   */
  get count(): GPUBuffer {
    return this.list.count;
  }

  /** Bytes of GPU memory. */
  get memoryBytes(): number {
    return this.list.bytes + this.parameters.bytes;
  }

  protected get gridState() {
    const { position_in, id_in, start, cell_of_slot } = this.grid.buffers;
    return { position_in, id_in, start, cell_of_slot, parameters: this.parameters.buffer };
  }

  protected record(
    encoder: GPUCommandEncoder,
    shared: SharedBinding,
    { label, owners, count, counted, values }: Search,
  ): void {
    if (this.parameters.makeRoom()) this.groups = new WeakMap();
    const offset = this.parameters.write({ ...values, [counted]: count });
    const { tally, fill } = this.groupsFor(owners);
    const pass = encoder.beginComputePass({ label });
    this.passes.encode(pass, shared, 'tally', tally, count, [offset]);
    this.list.encodeScan(pass, shared);
    this.passes.encode(pass, shared, 'fill', fill, count, [offset]);
    this.list.encodeCount(pass, shared);
    pass.end();
    this.list.encodeOwners(encoder, this.parameters.buffer, offset + this.parameters.offsetOf(counted));
    this.list.note(encoder);
    this.lastCount = count;
  }

  /** Frees the memory. Later calls throw a DestroyedError. */
  destroy(): void {
    this.grid.forget(this);
    this.list.destroy();
    this.parameters.destroy();
  }

  private groupsFor(owners: GPUBuffer): Readonly<Record<ListStep, Group>> {
    const cached = this.groups.get(owners);
    if (cached) return cached;
    const groups = this.bind(owners);
    this.groups.set(owners, groups);
    return groups;
  }
}
