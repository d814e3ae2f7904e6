/**
 * Purpose: a SortedGrid with what stands on it: lists of pairs, and searches around points, in boxes and along rays.
 * Each reads the grid as it was last encoded, and ends with it.
 */
import { checkKnownKeys } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import type { Gpu } from '../../gpu/device';
import { GridBoxes, type GridBoxesOptions } from '../queries/boxes';
import { GridNear, type GridNearOptions } from '../queries/near';
import { GridNearest, type GridNearestOptions } from '../queries/nearest';
import { GridPairs, type GridPairsOptions } from '../queries/pairs';
import { GridFirstHits, type GridFirstHitsOptions, GridRays, type GridRaysOptions } from '../queries/rays';
import { type HashGridOptions, SortedGrid } from './sorted-grid';

export type { HashGridInput, HashGridOptions } from './sorted-grid';

export class HashGrid extends SortedGrid {
  static override async create(gpu: Gpu, options: HashGridOptions): Promise<HashGrid> {
    return new HashGrid(await SortedGrid.prepare(gpu, options));
  }

  /** The pairs of particles that overlap (are nearer than the grid's diameter), as a list on the GPU. */
  async pairs(options: GridPairsOptions): Promise<GridPairs> {
    return this.adopt((lent) => GridPairs.create(this.gpu, lent, this.capacity, options));
  }

  /** For many points, the particles within a radius of each, as lists on the GPU. */
  async near(options: GridNearOptions): Promise<GridNear> {
    return this.adopt((lent) => GridNear.create(this.gpu, lent, options));
  }

  /** For many points, the k particles nearest to each within a radius, on the GPU. */
  async nearest(options: GridNearestOptions): Promise<GridNearest> {
    return this.adopt((lent) => GridNearest.create(this.gpu, lent, options));
  }

  /** For many boxes, the particles in each, as lists on the GPU. */
  async inBoxes(options: GridBoxesOptions): Promise<GridBoxes> {
    return this.adopt((lent) => GridBoxes.create(this.gpu, lent, options));
  }

  /** For many rays, the balls that each meets, as lists on the GPU; or with `firstOnly` the first of each. */
  async alongRays(options: GridFirstHitsOptions): Promise<GridFirstHits>;
  async alongRays(options: GridRaysOptions): Promise<GridRays>;
  async alongRays(options: GridRaysOptions | GridFirstHitsOptions): Promise<GridRays | GridFirstHits> {
    checkKnownKeys('options', options, ['rays', 'capacity', 'firstOnly']);
    const { firstOnly = false } = options;
    if (typeof firstOnly !== 'boolean') throw new ArgumentError('firstOnly', firstOnly, 'true or false');
    return this.adopt<GridRays | GridFirstHits>((lent) =>
      options.firstOnly
        ? GridFirstHits.create(this.gpu, lent, options)
        : GridRays.create(this.gpu, lent, options),
    );
  }
}
