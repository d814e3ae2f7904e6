/**
 * Purpose: from particles to the faces of the lattice and back, with weights that fall off linearly over one cell along
 * each axis. Twin of shaders/fluid/transfer.wgsl and, in the way back, of particles.wgsl; these gather, this scatters:
 * the same sums in another order. Positions are in cells here.
 * Guarantee: a particle reads only faces that it gave something to, so that none is read that nobody gave anything to.
 */
import { eachFace, type Lattice } from '../lattice';

/** Particles, `dimensions` numbers each, in any order; `positions` in units of the caller's. */
export interface ParticleSet {
  readonly count: number;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly ids: Uint32Array;
  /** Slots in the order in which sums are taken. Default: as they lie. */
  readonly order?: Uint32Array | undefined;
}

/** Up to eight corners around a place, each with a weight and the slope of that along each axis. */
export class Corners {
  count = 0;
  readonly entries = new Int32Array(8);
  readonly weights = new Float64Array(8);
  /** Of corner c along an axis: slopes[3 c + axis], a cell. */
  readonly slopes = new Float64Array(24);
  /** From the place to the corner, in cells: ways[3 c + axis]. */
  readonly ways = new Float64Array(24);
  private readonly base = new Int32Array(3);
  private readonly share = new Float64Array(3);

  constructor(private readonly lattice: Lattice) {}

  /**
   * The corners around a place among the faces across an axis, or with axis −1 among the middles of cells. `clamped`: those
   * beyond the ends give their weight to the last ones, as is right for reading; else they are left out, as is right for
   * giving.
   */
  find(axis: number, place: ArrayLike<number>, clamped: boolean): void {
    const { dimensions, cells, extents, first } = this.lattice;
    for (let along = 0; along < dimensions; along++) {
      const last = (cells[along] as number) - (along === axis ? 0 : 1);
      let at = (place[along] as number) - (along === axis ? 0 : 0.5);
      if (clamped) at = Math.min(Math.max(at, 0), last);
      const floor = clamped ? Math.min(Math.floor(at), Math.max(last - 1, 0)) : Math.floor(at);
      this.base[along] = floor;
      this.share[along] = at - floor;
    }
    this.count = 0;
    for (let corner = 0; corner < 1 << dimensions; corner++) {
      let weight = 1;
      let entry = first;
      let stride = 1;
      let inside = true;
      const slot = 3 * this.count;
      for (let along = 0; along < dimensions; along++) {
        const upper = (corner >> along) & 1;
        const share = this.share[along] as number;
        const at = (this.base[along] as number) + upper;
        const end = (cells[along] as number) + (along === axis ? 1 : 0);
        if (at < 0 || at >= end) inside = false;
        weight *= upper ? share : 1 - share;
        entry += at * stride;
        stride *= extents[along] as number;
        this.ways[slot + along] = at + (along === axis ? 0 : 0.5) - (place[along] as number);
      }
      if (!inside) continue;
      for (let along = 0; along < dimensions; along++) {
        let slope = (corner >> along) & 1 ? 1 : -1;
        for (let other = 0; other < dimensions; other++) {
          if (other === along) continue;
          const share = this.share[other] as number;
          slope *= (corner >> other) & 1 ? share : 1 - share;
        }
        this.slopes[slot + along] = slope;
      }
      this.entries[this.count] = entry;
      this.weights[this.count] = weight;
      this.count++;
    }
  }

  /** The value of a field at the place. */
  sum(field: ArrayLike<number>, offset: number): number {
    let sum = 0;
    for (let corner = 0; corner < this.count; corner++)
      sum += (this.weights[corner] as number) * (field[offset + (this.entries[corner] as number)] as number);
    return sum;
  }

  /** Its slope along an axis, a cell. */
  slope(field: ArrayLike<number>, offset: number, along: number): number {
    let sum = 0;
    for (let corner = 0; corner < this.count; corner++)
      sum +=
        (this.slopes[3 * corner + along] as number) *
        (field[offset + (this.entries[corner] as number)] as number);
    return sum;
  }
}

/** What particles bring to the lattice. Velocities are for each axis an array over the lattice, one after the other. */
export interface Transferred {
  readonly velocity: Float64Array;
  /** How many particles are at the middle of each cell, by weight. */
  readonly crowd: Float64Array;
  /** How many are in each cell. */
  readonly inside: Uint32Array;
}

/**
 * `affine`: of each particle by id, dimensions² numbers, the slope of velocity component a along axis b at
 * dimensions · a + b, a cell; undefined: none. Particles that are not finite are left out.
 */
export function particlesToGrid(
  lattice: Lattice,
  cellSize: number,
  { count, positions, velocities, ids, order }: ParticleSet,
  affine: Float32Array | undefined,
  out: Transferred,
): void {
  const { dimensions, size, cells } = lattice;
  const weights = new Float64Array(dimensions * size);
  out.velocity.fill(0);
  out.crowd.fill(0);
  out.inside.fill(0);
  const corners = new Corners(lattice);
  const place = [0, 0, 0];
  for (let index = 0; index < count; index++) {
    const particle = order ? (order[index] as number) : index;
    let finite = true;
    for (let axis = 0; axis < dimensions; axis++) {
      place[axis] = (positions[dimensions * particle + axis] as number) / cellSize;
      finite &&= Number.isFinite(place[axis]) && Number.isFinite(velocities[dimensions * particle + axis]);
    }
    if (!finite) continue;
    for (let axis = 0; axis < dimensions; axis++) {
      corners.find(axis, place, false);
      const velocity = velocities[dimensions * particle + axis] as number;
      const slopes = dimensions * (dimensions * (ids[particle] as number) + axis);
      for (let corner = 0; corner < corners.count; corner++) {
        let brought = velocity;
        if (affine) {
          for (let along = 0; along < dimensions; along++)
            brought += (affine[slopes + along] as number) * (corners.ways[3 * corner + along] as number);
        }
        const entry = axis * size + (corners.entries[corner] as number);
        const weight = corners.weights[corner] as number;
        weights[entry] = (weights[entry] as number) + weight;
        out.velocity[entry] = (out.velocity[entry] as number) + weight * brought;
      }
    }
    corners.find(-1, place, false);
    for (let corner = 0; corner < corners.count; corner++) {
      const entry = corners.entries[corner] as number;
      out.crowd[entry] = (out.crowd[entry] as number) + (corners.weights[corner] as number);
    }
    let own = lattice.first;
    for (let axis = 0; axis < dimensions; axis++) {
      const last = (cells[axis] as number) - 1;
      own +=
        (lattice.strides[axis] as number) * Math.min(Math.max(Math.floor(place[axis] as number), 0), last);
    }
    out.inside[own] = (out.inside[own] as number) + 1;
  }
  for (let axis = 0; axis < dimensions; axis++) {
    eachFace(lattice, axis, (face) => {
      const entry = axis * size + face;
      const weight = weights[entry] as number;
      if (weight > 0) out.velocity[entry] = (out.velocity[entry] as number) / weight;
    });
  }
}
