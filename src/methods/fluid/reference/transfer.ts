/**
 * Purpose: from particles to the faces of the lattice and back, with weights that fall off linearly over one cell along
 * each axis. Twin of shaders/fluid/transfer.wgsl and, in the way back, of particles.wgsl; these gather, this scatters:
 * the same sums in another order. Positions are in cells here.
 * Guarantees: a particle reads only faces that it gave something to, so that none is read that nobody gave anything to. The
 * fullness of all cells together is that of all particles: beside what is solid, free cells share all of a particle's weight.
 */
import { type Lattice, SOLID } from '../lattice';
import { Corners } from './corners';

/** Particles, `dimensions` numbers each, in any order; `positions` in units of the caller's. */
export interface ParticleSet {
  readonly count: number;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly ids: Uint32Array;
  /** Slots in the order in which sums are taken. Default: as they lie. */
  readonly order?: Uint32Array | undefined;
}

export interface TransferInput {
  readonly lattice: Lattice;
  readonly cellSize: number;
  readonly particlesPerCell: number;
  /** Over the lattice; what is solid in it is looked at, and nothing else. */
  readonly kinds: Uint8Array;
}

/** What particles bring to the lattice. Velocities are for each axis an array over the lattice, one after the other. */
export interface Transferred {
  readonly velocity: Float64Array;
  /** How many particles are at the middle of each cell, by weight: 1 where there are as many as there should be. */
  readonly fullness: Float64Array;
  /** How many are in each cell. */
  readonly inside: Uint32Array;
}

/**
 * `affine`: of each particle by id, dimensions² numbers, the slope of velocity component a along axis b at
 * dimensions · a + b, a cell; undefined: none. Particles that are not finite are left out.
 */
export function particlesToGrid(
  input: TransferInput,
  particles: ParticleSet,
  affine: Float32Array | undefined,
  out: Transferred,
): void {
  const { velocity } = out;
  velocity.fill(0);
  out.fullness.fill(0);
  out.inside.fill(0);
  const weights = new Float64Array(velocity.length);
  give(input, particles, affine, out, weights);
  for (let entry = 0; entry < weights.length; entry++) {
    const weight = weights[entry] as number;
    if (weight > 0) velocity[entry] = (velocity[entry] as number) / weight;
  }
}

/** Sums of velocities by weight, and of weights. A function of its own, since V8 compiles a loop with what has run when it is in it. */
function give(
  { lattice, cellSize, particlesPerCell, kinds }: TransferInput,
  { count, positions, velocities, ids, order }: ParticleSet,
  affine: Float32Array | undefined,
  { velocity, fullness, inside }: Transferred,
  weights: Float64Array,
): void {
  const { dimensions, size, cells } = lattice;
  const corners = new Corners(lattice);
  const { offsets, weights: shares } = corners;
  const place = new Float64Array(3);
  for (let index = 0; index < count; index++) {
    const particle = order ? (order[index] as number) : index;
    let finite = true;
    for (let axis = 0; axis < dimensions; axis++) {
      const at = (positions[dimensions * particle + axis] as number) / cellSize;
      place[axis] = at;
      finite &&= Number.isFinite(at) && Number.isFinite(velocities[dimensions * particle + axis]);
    }
    if (!finite) continue;
    for (let axis = 0; axis < dimensions; axis++) {
      corners.find(axis, place, false);
      const { beyond } = corners;
      const first = axis * size + corners.entry;
      const own = velocities[dimensions * particle + axis] as number;
      const slopes = dimensions * (dimensions * (ids[particle] as number) + axis);
      for (let corner = 0; corner < corners.count; corner++) {
        if ((beyond >> corner) & 1) continue;
        let brought = own;
        if (affine) {
          for (let along = 0; along < dimensions; along++)
            brought += (affine[slopes + along] as number) * corners.way(corner, along, place);
        }
        const entry = first + (offsets[corner] as number);
        const weight = shares[corner] as number;
        weights[entry] = (weights[entry] as number) + weight;
        velocity[entry] = (velocity[entry] as number) + weight * brought;
      }
    }
    corners.find(-1, place, false);
    let closed = corners.beyond;
    let free = 0;
    for (let corner = 0; corner < corners.count; corner++) {
      if ((closed >> corner) & 1) continue;
      if ((kinds[corners.entry + (offsets[corner] as number)] as number) >= SOLID) closed |= 1 << corner;
      else free += shares[corner] as number;
    }
    for (let corner = 0; corner < corners.count; corner++) {
      const share = shares[corner] as number;
      if ((closed >> corner) & 1 || share === 0) continue;
      const entry = corners.entry + (offsets[corner] as number);
      fullness[entry] = (fullness[entry] as number) + share / (free * particlesPerCell);
    }
    let cell = lattice.first;
    for (let axis = 0; axis < dimensions; axis++) {
      const last = (cells[axis] as number) - 1;
      cell +=
        (lattice.strides[axis] as number) * Math.min(Math.max(Math.floor(place[axis] as number), 0), last);
    }
    inside[cell] = (inside[cell] as number) + 1;
  }
}
