/** Host of shaders/query/list_count.wgsl: counts the entries of a list, and prepares a dispatch over them. */
import text from '../../../shaders/query/list_count.wgsl?raw';
import { WORKGROUP_SIZE } from '../../core/base/constants';
import type { Dimensions } from '../../core/world/world';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import { PARAMS } from '../modules';

export interface ListCountBuffers {
  readonly offsets: { readonly buffer: GPUBuffer; readonly size: number };
  readonly list: GPUBuffer;
  /** LIST_COUNT_WORDS words. */
  readonly count: GPUBuffer;
}

/**
 * Number of words in `count`. In order:
 * - the number of entries found
 * - the number of entries listed
 * - three arguments of an indirect dispatch
 * - a word that only the kernels use
 */
export const LIST_COUNT_WORDS = 6;

/** Byte offset of the arguments of the dispatch. */
export const LIST_DISPATCH_OFFSET = 8;

/** Stands for a number of entries that does not fit into 32 bits. */
export const UNCOUNTABLE = 0xffff_ffff;

/** Words per entry: two ids for a pair, one for a neighbour. */
export type EntryWords = 1 | 2;

export interface ListCountBinding {
  readonly check: GPUBindGroup;
  readonly count: GPUBindGroup;
  readonly workgroups: number;
}

export class ListCount {
  private constructor(
    private readonly checking: Kernel,
    private readonly counting: Kernel,
  ) {}

  static describe(
    dimensions: Dimensions,
    workgroupsPerDimension: number,
    words: EntryWords,
    cutsOwners: boolean,
  ): readonly [KernelDescription, KernelDescription] {
    const describe = (label: string, entryPoint: string): KernelDescription => ({
      label: `${label}.${words}${cutsOwners ? '.cut' : ''}`,
      dimensions,
      sources: [PARAMS, { name: 'query/list_count.wgsl', text }],
      entryPoint,
      bindings: { offsets: 'read array<u32>', list: 'read array<u32>', count: 'write array<atomic<u32>>' },
      constants: {
        LIST_COUNT_WORDS,
        WORKGROUPS_PER_DIMENSION: workgroupsPerDimension,
        WORDS_PER_ENTRY: words,
        CUTS_OWNERS: cutsOwners,
      },
    });
    return [describe('measure.list-check', 'check'), describe('measure.list-count', 'count_list')];
  }

  /**
   * If a list is too short, `cutsOwners` decides where the list ends: at its capacity (true), or before the first owner
   * whose entries do not all fit (false). If true, the range of the last owner holds some of that owner's entries,
   * holes (2³² − 1), or both.
   */
  static async create(
    gpu: Gpu,
    dimensions: Dimensions,
    words: EntryWords,
    cutsOwners = false,
  ): Promise<ListCount> {
    const [check, count] = ListCount.describe(dimensions, gpu.workgroupsPerDimension, words, cutsOwners);
    const [checking, counting] = await Promise.all([Kernel.create(gpu, check), Kernel.create(gpu, count)]);
    return new ListCount(checking, counting);
  }

  bind(buffers: ListCountBuffers): ListCountBinding {
    return {
      check: this.checking.bind({ ...buffers }),
      count: this.counting.bind({ ...buffers }),
      workgroups: Math.ceil(buffers.offsets.size / (4 * WORKGROUP_SIZE)),
    };
  }

  encode(pass: GPUComputePassEncoder, shared: SharedBinding, binding: ListCountBinding): void {
    this.checking.encode(pass, shared, binding.check, binding.workgroups);
    this.counting.encode(pass, shared, binding.count, 1);
  }
}
