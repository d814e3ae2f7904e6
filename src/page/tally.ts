/**
 * Purpose: how many others are near each particle, for colours: a grid and a kernel as a user would write it, over the
 * buffers of the simulation. Output: a count for each of its slots. Where each particle has a radius, those that overlap are counted.
 */
import type { SimulationOptions } from '../core/simulation';
import type { GridKernel } from '../engine/grid-kernel';
import type { Simulation } from '../engine/simulation';
import { SortedGrid } from '../engine/sorted-grid';
import { createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { DENSITY_REACH } from './colour';

const CODE = `
struct Own { found: u32 }

fn begin(particle: Particle) -> Own {
  return Own(0u);
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  (*own).found += 1u;
}

fn merge(own: ptr<function, Own>, other: Own) {
  (*own).found += other.found;
}

fn finish(own: Own, particle: Particle) {
  counts[id_of(particle.slot)] = own.found;
}

fn skip(slot: u32) {
  counts[id_of(slot)] = 0u;
}
`;

export type Counted = 'contacts' | 'density';

export class Tally {
  private constructor(
    private readonly simulation: Simulation,
    private readonly grid: SortedGrid,
    private readonly kernel: GridKernel,
    /** u32: of each slot. */
    readonly counts: GPUBuffer,
  ) {}

  static async create(
    gpu: Gpu,
    simulation: Simulation,
    options: SimulationOptions,
    counted: Counted,
  ): Promise<Tally> {
    const { dimensions, capacity, radiusRange, radius, world } = simulation;
    const place =
      world.kind === 'unbounded'
        ? ({ unbounded: true } as const)
        : { min: world.min, max: world.max, periodic: options.periodic };
    const sizes = radiusRange
      ? { radii: radiusRange }
      : { diameter: 2 * radius * (counted === 'density' ? DENSITY_REACH : 1) };
    const crowds = radiusRange ? undefined : options.crowds;
    const grid = await SortedGrid.create(gpu, { dimensions, capacity, crowds, ...place, ...sizes });
    try {
      const kernel = await grid.kernel({
        label: 'page.tally',
        code: CODE,
        buffers: { counts: { type: 'array<u32>', access: 'write' } },
      });
      const { buffers } = await createBuffers(gpu, 'page.tally', { counts: 4 * capacity });
      return new Tally(simulation, grid, kernel, buffers.counts);
    } catch (error) {
      grid.destroy();
      throw error;
    }
  }

  encode(encoder: GPUCommandEncoder): void {
    const { count } = this.simulation;
    this.grid.encode(encoder, { positions: this.simulation.buffers.positions, count });
    this.kernel.encode(encoder, { buffers: { counts: this.counts } });
  }

  destroy(): void {
    this.grid.destroy();
    this.counts.destroy();
  }
}
