/**
 * Host of shaders/grid/crowd.wgsl and heavy.wgsl: sorts crowded buckets between scatter and gather, and lists heavy
 * particles after the gather. A tile is the part of a crowd that a workgroup sorts at once. The list of heavy particles
 * overwrites the list of tiles. With levels, heavy particles are only counted here; the buffer of finer-entries.ts
 * lists them.
 */
import text from '../../../shaders/grid/crowd.wgsl?raw';
import heavyText from '../../../shaders/grid/heavy.wgsl?raw';
import {
  CROWD_HEADER,
  CROWD_RUN,
  CROWD_TILE,
  CROWDED,
  LOOPING_WORKGROUPS,
  TILE_DISPATCH,
  WORKGROUP_SIZE,
} from '../../core/base/constants';
import type { World } from '../../core/world/world';
import { type BufferSet, createBuffers, PARTICLE_USAGE } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import { HEAVY_WORDS, neighbourModules, PARAMS, type Variant, worldFlags, worldName } from '../modules';

export interface CrowdBuffers {
  readonly start: GPUBuffer;
  readonly entries: GPUBuffer;
  /** Scratch memory, as long as `entries`. */
  readonly scratch: GPUBuffer;
  readonly position_in: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  /** The finer entries of a grid with levels, and scratch memory of the same length. */
  readonly finer?: { readonly list: GPUBuffer; readonly scratch: GPUBuffer } | undefined;
}

export type CrowdOf = 'entries' | 'finer';

const MERGES = ['tiles', 'runs', 'wholes'] as const;

type Merges<Part> = Readonly<Record<(typeof MERGES)[number], Part>>;

export interface CrowdBinding {
  readonly clear: GPUBindGroup;
  readonly entries: Merges<GPUBindGroup>;
  readonly finer: Merges<GPUBindGroup> | undefined;
  readonly heavy: GPUBindGroup;
  readonly close: GPUBindGroup | undefined;
}

interface Kernels {
  readonly clear: Kernel;
  readonly entries: Merges<Kernel>;
  readonly finer: Merges<Kernel> | undefined;
  readonly heavy: Kernel;
  readonly close: Kernel | undefined;
}

/** Workgroups that list heavy particles. Usually nothing is crowded, and they end at once. */
const LISTING_WORKGROUPS = 64;

const HEAVY = { name: 'grid/heavy.wgsl', text: heavyText };

/** No crowd is longer than this, so the last merge makes whole crowds. */
const LONGEST = 2 ** 31;

export class Crowd {
  private constructor(
    private readonly kernels: Kernels,
    private readonly owned: BufferSet<'crowd'>,
  ) {}

  static describeMerges({ dimensions }: Pick<Variant, 'dimensions'>, of: CrowdOf): Merges<KernelDescription> {
    const finer = of === 'finer';
    const sources = [PARAMS, { name: 'grid/crowd.wgsl', text }];
    const name = `grid.crowd${finer ? '.finer' : ''}`;
    const merge = (step: string, piece: number, whole: number): KernelDescription => ({
      label: `${name}.${step}`,
      dimensions,
      sources,
      entryPoint: 'merge_pieces',
      bindings: {
        crowd: 'read array<u32>',
        start: 'read array<u32>',
        pieces: 'read array<Entry>',
        merged: 'write array<Entry>',
      },
      flags: { TILES: false, FINER: finer },
      constants: { PIECE: piece, WHOLE: whole },
    });
    return {
      tiles: {
        label: `${name}.tiles`,
        dimensions,
        sources,
        entryPoint: 'sort_tiles',
        bindings: { crowd: 'read array<u32>', start: 'read array<u32>', entries: 'write array<Entry>' },
        flags: { TILES: true, FINER: finer },
      },
      runs: merge('runs', CROWD_TILE, CROWD_RUN),
      wholes: merge('wholes', CROWD_RUN, LONGEST),
    };
  }

  static describeClear({ dimensions }: Pick<Variant, 'dimensions'>): KernelDescription {
    return {
      label: 'grid.heavy.clear',
      dimensions,
      sources: [PARAMS, HEAVY],
      entryPoint: 'clear',
      bindings: { crowd: 'write array<atomic<u32>>' },
      flags: { CLEAR: true, CLOSE: false },
    };
  }

  /** With levels, copies the number of heavy particles to the buffer of finer-entries.ts. */
  static describeClose({ dimensions }: Pick<Variant, 'dimensions'>): KernelDescription {
    return {
      label: 'grid.heavy.close',
      dimensions,
      sources: [PARAMS, HEAVY_WORDS, HEAVY],
      entryPoint: 'close',
      bindings: { crowd: 'write array<atomic<u32>>', finer: 'write array<u32>' },
      flags: { CLEAR: false, CLOSE: true },
    };
  }

  static describeHeavy(variant: Variant): KernelDescription {
    return {
      label: `grid.heavy.list${worldName(variant)}`,
      dimensions: variant.dimensions,
      sources: [...neighbourModules(variant, 'grid'), HEAVY],
      entryPoint: 'list_heavy',
      bindings: {
        crowd: 'write array<atomic<u32>>',
        start: 'read array<u32>',
        cell_of_slot: 'read array<Cell>',
        position_in: 'read array<PackedBody>',
        ...(variant.levels ? { finer: 'write array<u32>' } : {}),
      },
      flags: { ...worldFlags(variant), CLEAR: false, CLOSE: false, CROWDS: true },
    };
  }

  static async create(gpu: Gpu, world: World, capacity: number): Promise<Crowd> {
    const createMerges = async (of: CrowdOf): Promise<Merges<Kernel>> => {
      const described = Crowd.describeMerges(world, of);
      const [tiles, runs, wholes] = await Promise.all([
        Kernel.create(gpu, described.tiles),
        Kernel.create(gpu, described.runs),
        Kernel.create(gpu, described.wholes),
      ]);
      return { tiles, runs, wholes };
    };
    const [clear, entries, finer, heavy, close] = await Promise.all([
      Kernel.create(gpu, Crowd.describeClear(world)),
      createMerges('entries'),
      world.levels > 0 ? createMerges('finer') : undefined,
      Kernel.create(gpu, Crowd.describeHeavy(world)),
      world.levels > 0 ? Kernel.create(gpu, Crowd.describeClose(world)) : undefined,
    ]);
    // One word per particle is enough. A heavy particle takes one. A tile takes two, and has more than CROWDED entries
    // on average. Tiles of finer entries take less than a word per particle, too: a particle has at most one finer
    // entry per level, and there are fewer than CROWDED / 2 levels.
    const owned = await createBuffers(
      gpu,
      'grid',
      { crowd: 4 * (CROWD_HEADER + capacity) },
      PARTICLE_USAGE | GPUBufferUsage.INDIRECT,
    );
    return new Crowd({ clear, entries, finer, heavy, close }, owned);
  }

  /** Layout: the header (see CROWD_HEADER), then the list. */
  get list(): GPUBuffer {
    return this.owned.buffers.crowd;
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  bind({ start, entries, scratch, position_in, cell_of_slot, finer }: CrowdBuffers): CrowdBinding {
    const { crowd } = this.owned.buffers;
    const { kernels } = this;
    const bindMerges = (merges: Merges<Kernel>, list: GPUBuffer, other: GPUBuffer) => ({
      tiles: merges.tiles.bind({ crowd, start, entries: list }),
      runs: merges.runs.bind({ crowd, start, pieces: list, merged: other }),
      wholes: merges.wholes.bind({ crowd, start, pieces: other, merged: list }),
    });
    return {
      clear: kernels.clear.bind({ crowd }),
      entries: bindMerges(kernels.entries, entries, scratch),
      finer: kernels.finer && finer && bindMerges(kernels.finer, finer.list, finer.scratch),
      heavy: kernels.heavy.bind({ crowd, start, cell_of_slot, position_in, finer: finer?.list }),
      close: finer && kernels.close?.bind({ crowd, finer: finer.list }),
    };
  }

  /** Record it before the scatter. */
  encodeClear(pass: GPUComputePassEncoder, shared: SharedBinding, binding: CrowdBinding): void {
    this.kernels.clear.encode(pass, shared, binding.clear, 1);
  }

  /** Record it between scatter and gather or, for 'finer', after the finer entries are written. */
  encodeSort(pass: GPUComputePassEncoder, shared: SharedBinding, binding: CrowdBinding, of: CrowdOf): void {
    const { list } = this;
    // The list has a word per particle, and a tile has more than CROWDED entries on average. So each tile of `entries`
    // gets a workgroup, up to LOOPING_WORKGROUPS. If there are more tiles, workgroups loop over them.
    const most = Math.min(Math.ceil(list.size / (4 * CROWDED)), LOOPING_WORKGROUPS);
    const workgroups = { buffer: list, offset: 4 * TILE_DISPATCH, most };
    for (const step of MERGES) {
      const kernel = this.kernels[of]?.[step];
      const group = binding[of]?.[step];
      if (group) kernel?.encodeCounted(pass, shared, group, workgroups);
    }
  }

  /** Record it after the gather. */
  encodeHeavy(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    binding: CrowdBinding,
    count: number,
  ): void {
    this.kernels.heavy.encode(
      pass,
      shared,
      binding.heavy,
      Math.min(LISTING_WORKGROUPS, Math.ceil(count / WORKGROUP_SIZE)),
    );
    if (binding.close) this.kernels.close?.encode(pass, shared, binding.close, 1);
  }

  destroy(): void {
    this.owned.destroy();
  }
}
