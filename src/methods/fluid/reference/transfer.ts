/**
 * Transfers velocities from particles to faces, with weights that fall off linearly over one cell along each axis. Also
 * finds the fullness of cells: the free cells around a particle share its whole weight; solid cells get none. Twin of
 * shaders/fluid/transfer.wgsl; the shader adds up in another order. Points are in units of cells.
 * Guarantee: a particle's new velocity comes only from faces to which its old velocity contributed.
 */
import { type Lattice, SOLID } from '../lattice';
import { Corners } from './corners';

/** Packed particles. */
export interface ParticleSet {
  readonly count: number;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly ids: Uint32Array;
  /** The slots in the order in which sums add them up. Default: ascending. */
  readonly order?: Uint32Array | undefined;
}

export interface TransferInput {
  readonly lattice: Lattice;
  readonly cellSize: number;
  readonly particlesPerCell: number;
  /** Kind of each cell. Only whether a cell is solid matters. */
  readonly kinds: Uint8Array;
}

/** `velocity` holds one array over the lattice per axis, x first. */
export interface Transferred {
  readonly velocity: Float64Array;
  /** Sum of the particles' weights at the centre of each cell, relative to a full cell. */
  readonly fullness: Float64Array;
  /** Number of particles per cell. */
  readonly inside: Uint32Array;
}

/**
 * Writes `out`. Ignores particles that are not finite. `affine` holds dimensions² numbers per id: the slope of velocity
 * component a along axis b, per cell, at dimensions · a + b. Undefined means no slopes.
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
  scatter(input, particles, affine, out, weights);
  for (let entry = 0; entry < weights.length; entry++) {
    const weight = weights[entry] as number;
    if (weight > 0) velocity[entry] = (velocity[entry] as number) / weight;
  }
}

/** V8 optimises this loop better outside particlesToGrid. */
function scatter(
  { lattice, cellSize, particlesPerCell, kinds }: TransferInput,
  { count, positions, velocities, ids, order }: ParticleSet,
  affine: Float32Array | undefined,
  { velocity, fullness, inside }: Transferred,
  weights: Float64Array,
): void {
  const { dimensions, size } = lattice;
  const corners = new Corners(lattice);
  const { offsets, weights: shares } = corners;
  const point = new Float64Array(3);
  for (let index = 0; index < count; index++) {
    const particle = order ? (order[index] as number) : index;
    let finite = true;
    for (let axis = 0; axis < dimensions; axis++) {
      const coordinate = (positions[dimensions * particle + axis] as number) / cellSize;
      point[axis] = coordinate;
      finite &&= Number.isFinite(coordinate) && Number.isFinite(velocities[dimensions * particle + axis]);
    }
    if (!finite) continue;
    for (let axis = 0; axis < dimensions; axis++) {
      corners.find(axis, point, false);
      const { beyond } = corners;
      const first = axis * size + corners.entry;
      const component = velocities[dimensions * particle + axis] as number;
      const slopes = dimensions * (dimensions * (ids[particle] as number) + axis);
      for (let corner = 0; corner < corners.count; corner++) {
        if ((beyond >> corner) & 1) continue;
        let value = component;
        if (affine) {
          for (let along = 0; along < dimensions; along++)
            value += (affine[slopes + along] as number) * corners.offsetTo(corner, along, point);
        }
        const entry = first + (offsets[corner] as number);
        const weight = shares[corner] as number;
        weights[entry] = (weights[entry] as number) + weight;
        velocity[entry] = (velocity[entry] as number) + weight * value;
      }
    }
    spreadFullness(corners, kinds, point, particlesPerCell, fullness);
    const cell = cellOf(lattice, point);
    inside[cell] = (inside[cell] as number) + 1;
  }
}

export function fillCells(
  { lattice, cellSize, particlesPerCell, kinds }: TransferInput,
  { positions, velocities }: Pick<ParticleSet, 'positions' | 'velocities'>,
): Pick<Transferred, 'fullness' | 'inside'> {
  const { dimensions, size } = lattice;
  const [fullness, inside] = [new Float64Array(size), new Uint32Array(size)];
  const corners = new Corners(lattice);
  const point = new Float64Array(3);
  for (let first = 0; first < positions.length; first += dimensions) {
    let finite = true;
    for (let axis = 0; axis < dimensions; axis++) {
      const coordinate = (positions[first + axis] as number) / cellSize;
      point[axis] = coordinate;
      finite &&= Number.isFinite(coordinate) && Number.isFinite(velocities[first + axis]);
    }
    if (!finite) continue;
    spreadFullness(corners, kinds, point, particlesPerCell, fullness);
    const cell = cellOf(lattice, point);
    inside[cell] = (inside[cell] as number) + 1;
  }
  return { fullness, inside };
}

function spreadFullness(
  corners: Corners,
  kinds: Uint8Array,
  point: Float64Array,
  particlesPerCell: number,
  fullness: Float64Array,
): void {
  const { offsets, weights: shares } = corners;
  corners.find(-1, point, false);
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
}

/** Returns the cell of a point; for a point outside the tank, the nearest cell. */
function cellOf({ dimensions, cells, strides, first }: Lattice, point: Float64Array): number {
  let cell = first;
  for (let axis = 0; axis < dimensions; axis++) {
    const last = (cells[axis] as number) - 1;
    cell += (strides[axis] as number) * Math.min(Math.max(Math.floor(point[axis] as number), 0), last);
  }
  return cell;
}
