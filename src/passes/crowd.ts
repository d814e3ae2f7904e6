/**
 * Host of shaders/grid/crowd.wgsl and heavy.wgsl: crowded buckets put in order between scatter and gather, and the
 * heavy particles listed after it. Owns the list, which first holds tiles, then particles.
 */
import text from '../../shaders/grid/crowd.wgsl?raw';
import heavyText from '../../shaders/grid/heavy.wgsl?raw';
import { CROWD_HEADER, CROWD_RUN, CROWD_TILE } from '../core/constants';
import type { World } from '../core/world';
import { type BufferSet, createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { Kernel, type KernelDescription } from '../gpu/kernel';
import type { SharedBinding } from '../gpu/params';
import { neighbourModules, PARAMS, type Variant, worldName } from './modules';
import { crowdWorkgroups } from './particle-pass';

export interface CrowdBuffers {
  readonly start: GPUBuffer;
  readonly entries: GPUBuffer;
  /** As long as the entries; overwritten. */
  readonly scratch: GPUBuffer;
  readonly position_in: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
}

const STEPS = ['clear', 'tiles', 'runs', 'wholes', 'heavy'] as const;
type Step = (typeof STEPS)[number];

export type CrowdBinding = Readonly<Record<Step, GPUBindGroup>>;

/** More than any crowd has. */
const ALL = 2 ** 31;

export class Crowd {
  private constructor(
    private readonly kernels: Readonly<Record<Step, Kernel>>,
    private readonly owned: BufferSet<'crowd'>,
  ) {}

  static describe(variant: Variant): Readonly<Record<Step, KernelDescription>> {
    const { dimensions } = variant;
    const sources = [PARAMS, { name: 'grid/crowd.wgsl', text }];
    const heavy = { name: 'grid/heavy.wgsl', text: heavyText };
    const merge = (piece: number, whole: number) => ({
      dimensions,
      sources,
      entryPoint: 'merge_pieces',
      bindings: { crowd: 'read', start: 'read', pieces: 'read', merged: 'write' } as const,
      flags: { TILES: false },
      constants: { PIECE: piece, WHOLE: whole },
    });
    return {
      clear: {
        label: 'grid.heavy.clear',
        dimensions,
        sources: [PARAMS, heavy],
        entryPoint: 'clear',
        bindings: { crowd: 'write' },
        flags: { CLEAR: true },
      },
      tiles: {
        label: 'grid.crowd.tiles',
        dimensions,
        sources,
        entryPoint: 'sort_tiles',
        bindings: { crowd: 'read', start: 'read', entries: 'write' },
        flags: { TILES: true },
      },
      runs: { label: 'grid.crowd.runs', ...merge(CROWD_TILE, CROWD_RUN) },
      wholes: { label: 'grid.crowd.wholes', ...merge(CROWD_RUN, ALL) },
      heavy: {
        label: `grid.heavy.list${worldName(variant)}`,
        dimensions,
        sources: [...neighbourModules(variant, 'grid'), heavy],
        entryPoint: 'list_heavy',
        bindings: { crowd: 'write', start: 'read', cell_of_slot: 'read', position_in: 'read' },
        flags: { CLEAR: false, FROZEN: false, CROWDS: true },
      },
    };
  }

  static async create(gpu: Gpu, world: World, capacity: number): Promise<Crowd> {
    const described = Crowd.describe(world);
    const kernels = await Promise.all(STEPS.map((step) => Kernel.create(gpu, described[step])));
    // Two words a tile of a crowd come to less than one a particle.
    const owned = await createBuffers(gpu, 'grid', { crowd: 4 * (CROWD_HEADER + capacity) });
    const named = Object.fromEntries(STEPS.map((step, index) => [step, kernels[index]]));
    return new Crowd(named as Record<Step, Kernel>, owned);
  }

  /** Tiles or heavy particles listed; then the list. */
  get list(): GPUBuffer {
    return this.owned.buffers.crowd;
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  bind({ start, entries, scratch, position_in, cell_of_slot }: CrowdBuffers): CrowdBinding {
    const { crowd } = this.owned.buffers;
    const { clear, tiles, runs, wholes, heavy } = this.kernels;
    return {
      clear: clear.bind({ crowd }),
      tiles: tiles.bind({ crowd, start, entries }),
      runs: runs.bind({ crowd, start, pieces: entries, merged: scratch }),
      wholes: wholes.bind({ crowd, start, pieces: scratch, merged: entries }),
      heavy: heavy.bind({ crowd, start, cell_of_slot, position_in }),
    };
  }

  /** Before the scatter, which lists tiles. */
  encodeClear(pass: GPUComputePassEncoder, shared: SharedBinding, binding: CrowdBinding): void {
    this.kernels.clear.encode(pass, shared, binding.clear, 1);
  }

  /** Between scatter and gather. */
  encodeSort(pass: GPUComputePassEncoder, shared: SharedBinding, binding: CrowdBinding, count: number): void {
    for (const step of ['tiles', 'runs', 'wholes'] as const) {
      this.kernels[step].encode(pass, shared, binding[step], crowdWorkgroups(count));
    }
  }

  /** After the gather. */
  encodeHeavy(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    binding: CrowdBinding,
    count: number,
  ): void {
    this.kernels.heavy.encode(pass, shared, binding.heavy, crowdWorkgroups(count));
  }

  destroy(): void {
    this.owned.destroy();
  }
}
