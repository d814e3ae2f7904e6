/**
 * The continuous motion of a simulation on the GPU. Owns the buffers that passes/solve/ccd.ts needs besides the state.
 * This file is loaded only with `continuous`.
 * Ordering: record `begin` before the first substep of a step, and `stage` between integration and sort.
 */

import { CCD_FARTHEST, CCD_HEADER, CCD_SUBSTEPPED } from '../../core/base/constants';
import { type ContinuousCounts, NO_CONTINUOUS_COUNTS } from '../../core/ccd/law';
import type { World } from '../../core/world/world';
import { type BufferSet, createBuffers, createParts, PARTICLE_USAGE } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import type { SharedBinding } from '../../gpu/params';
import type { Stage } from '../../gpu/stage';
import type { Variant } from '../../passes/modules';
import { CCD_DISPATCHES, type CcdBinding, type CcdBuffers, CcdPass } from '../../passes/solve/ccd';
import { type CcdBytes, ccdBytes } from './memory';

type Names = keyof CcdBytes;

export class Ccd {
  readonly noCounts = NO_CONTINUOUS_COUNTS;

  private constructor(
    private readonly pass: CcdPass,
    private readonly owned: BufferSet<Names>,
    private readonly dispatches: BufferSet<'dispatches'>,
  ) {}

  static async create(gpu: Gpu, variant: Variant, world: World, capacity: number): Promise<Ccd> {
    const { pass, owned, dispatches } = await createParts({
      pass: CcdPass.create(gpu, variant),
      owned: createBuffers(gpu, 'ccd', ccdBytes(world, capacity)),
      dispatches: createBuffers(
        gpu,
        'ccd',
        { dispatches: 4 * CCD_DISPATCHES },
        PARTICLE_USAGE | GPUBufferUsage.INDIRECT,
      ),
    });
    return new Ccd(pass, owned, dispatches);
  }

  get bytes(): number {
    return this.owned.bytes + this.dispatches.bytes;
  }

  bind(state: Omit<CcdBuffers, Names | 'dispatches'>): CcdBinding {
    return this.pass.bind({ ...state, ...this.owned.buffers, ...this.dispatches.buffers });
  }

  begin(shared: SharedBinding, binding: CcdBinding): Stage {
    return { name: 'ccd', encode: (pass) => this.pass.encodeBegin(pass, shared, binding) };
  }

  stage(shared: SharedBinding, binding: CcdBinding, count: number): Stage {
    return { name: 'ccd', encode: (pass) => this.pass.encode(pass, shared, binding, count) };
  }

  /** Finds how far particles may move in the time step of the shared parameters; `farthestWay` reads the result. */
  farthest(shared: SharedBinding, binding: CcdBinding, count: number): Stage {
    return { name: 'ccd', encode: (pass) => this.pass.encodeFarthest(pass, shared, binding, count) };
  }

  get header(): { readonly buffer: GPUBuffer; readonly size: number } {
    return { buffer: this.owned.buffers.counters, size: 4 * CCD_HEADER };
  }

  counted(header: ArrayBuffer): ContinuousCounts {
    const [substepped = 0, swept = 0, paths = 0, hits = 0, held = 0] = new Uint32Array(
      header,
      4 * CCD_SUBSTEPPED,
    );
    return { substepped, swept, paths, hits, held };
  }

  /** Returns an upper bound of the distance that any particle moves in a step, in diameters of that particle. */
  farthestWay(header: ArrayBuffer): number {
    return new Float32Array(header)[CCD_FARTHEST] as number;
  }

  destroy(): void {
    this.owned.destroy();
    this.dispatches.destroy();
  }
}
