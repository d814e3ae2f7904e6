/**
 * Purpose: particles that a program of its own moves: positions and velocities on the GPU by id, and a HashGrid over them.
 * What a method starts from that is written with GridKernel; see docs/kernels.md.
 *
 *     const particles = await GridParticles.create(gpu, { dimensions: 2, min, max, diameter: 1, positions });
 *     const kernel = await particles.grid.kernel({ code, buffers: { positions: { type: 'array<Stored>', access: 'write' } } });
 *     particles.encode(encoder);
 *     kernel.encode(encoder, { buffers: { positions: particles.buffers.positions } });
 *
 * All but the grid, inputs, outputs and guarantees: sorted-particles.ts.
 */
import type { Gpu } from '../../gpu/device';
import { HashGrid } from './hash-grid';
import { type GridParticlesOptions, SortedParticles } from './sorted-particles';

export type { GridParticlesOptions, PerParticle } from './sorted-particles';

export class GridParticles<More extends string = never> extends SortedParticles<More, HashGrid> {
  static override async create<More extends string = never>(
    gpu: Gpu,
    options: GridParticlesOptions<More>,
  ): Promise<GridParticles<More>> {
    return new GridParticles(gpu, await SortedParticles.prepare(gpu, options, HashGrid.create));
  }
}
