/**
 * Updates particles from the lattice: velocities, positions and, with APIC, the slopes of velocities. Twin of
 * shaders/fluid/particles.wgsl. Ralston's third-order rule moves each particle through the final velocity field of the
 * substep, by at most MOST_CELLS cells along each axis. Then keepOut() moves the particle out of solids.
 */
import { MARGIN, MOST_CELLS } from '../constants';
import type { Lattice } from '../lattice';
import { leaveObstacle, type Obstacle } from '../obstacles';
import { Corners } from './corners';
import type { Account } from './energy';
import type { ParticleSet } from './transfer';

export interface ParticleStep {
  readonly lattice: Lattice;
  readonly cellSize: number;
  readonly dt: number;
  /** Share of FLIP, from 0 (PIC) to 1 (pure FLIP). */
  readonly blend: number;
  readonly mask: Uint8Array;
  /** Obstacles at their positions at the end of the substep. */
  readonly obstacles: readonly Obstacle[];
  readonly before: Float64Array;
  readonly velocity: Float64Array;
  /** If given, moveParticles fills it; see energy.ts. */
  readonly account?: Account | undefined;
}

export function moveParticles(
  step: ParticleStep,
  { count, positions, velocities, ids }: ParticleSet,
  affine: Float32Array | undefined,
): void {
  const { lattice, cellSize, dt, blend, velocity, account } = step;
  const { dimensions, size } = lattice;
  const corners = new Corners(lattice);
  const vector = () => new Float64Array(3);
  const [point, first, before, second, third] = [vector(), vector(), vector(), vector(), vector()];
  const [sample, moved] = [vector(), vector()];
  const pace = dt / cellSize;
  for (let particle = 0; particle < count; particle++) {
    let finite = true;
    for (let axis = 0; axis < dimensions; axis++) {
      point[axis] = (positions[dimensions * particle + axis] as number) / cellSize;
      finite &&= Number.isFinite(point[axis]) && Number.isFinite(velocities[dimensions * particle + axis]);
    }
    const id = ids[particle] as number;
    if (account) account.growth[id] = 0;
    if (!finite) continue;
    let growth = 0;
    corners.velocityAt(point, velocity, first);
    if (!affine) corners.velocityAt(point, step.before, before);
    for (let axis = 0; axis < dimensions; axis++) {
      const entry = dimensions * particle + axis;
      const now = first[axis] as number;
      growth -= 0.5 * (velocities[entry] as number) ** 2;
      if (affine) {
        const slopes = dimensions * (dimensions * id + axis);
        corners.find(axis, point, true);
        for (let along = 0; along < dimensions; along++)
          affine[slopes + along] = corners.slope(velocity, axis * size, along);
        velocities[entry] = now;
      } else {
        velocities[entry] = now + blend * ((velocities[entry] as number) - (before[axis] as number));
      }
    }
    for (let axis = 0; axis < dimensions; axis++)
      sample[axis] = (point[axis] as number) + 0.5 * pace * (first[axis] as number);
    corners.velocityAt(sample, velocity, second);
    for (let axis = 0; axis < dimensions; axis++)
      sample[axis] = (point[axis] as number) + 0.75 * pace * (second[axis] as number);
    corners.velocityAt(sample, velocity, third);
    let longest = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      moved[axis] =
        (pace * (2 * (first[axis] as number) + 3 * (second[axis] as number) + 4 * (third[axis] as number))) /
        9;
      longest = Math.max(longest, Math.abs(moved[axis] as number));
    }
    const share = longest > MOST_CELLS ? MOST_CELLS / longest : 1;
    for (let axis = 0; axis < dimensions; axis++)
      moved[axis] = (point[axis] as number) + share * (moved[axis] as number);
    const stopped = keepOut(step, point, moved);
    for (let axis = 0; axis < dimensions; axis++) {
      const entry = dimensions * particle + axis;
      const from = positions[entry] as number;
      positions[entry] = cellSize * (moved[axis] as number);
      if ((stopped >> axis) & 1) velocities[entry] = 0;
      if (!account) continue;
      const speed = velocities[entry] as number;
      const isOffLattice = !affine && !((stopped >> axis) & 1);
      growth += 0.5 * speed ** 2;
      account.start[dimensions * id + axis] = from;
      account.offLattice[dimensions * id + axis] = isOffLattice ? speed - (first[axis] as number) : 0;
    }
    if (account) account.growth[id] = growth;
  }
}

type Barriers = Pick<ParticleStep, 'lattice' | 'cellSize' | 'mask' | 'obstacles'>;

/**
 * Moves `to`, the end of a move, out of solids if possible. Positions are in units of cells. Returns a bit per axis: 1
 * if an end of the tank or a masked cell stopped the move along the axis.
 */
export function keepOut(barriers: Barriers, from: ArrayLike<number>, to: Vector): number {
  const { lattice, cellSize, mask, obstacles } = barriers;
  const { dimensions, cells, strides, first } = lattice;
  if (obstacles.length > 0) leaveObstacles(obstacles, cellSize, to);
  let stopped = 0;
  // Indices of the cells at the beginning, the middle and the end of the move.
  let begin = first;
  let middle = first;
  let end = first;
  for (let axis = 0; axis < dimensions; axis++) {
    const high = (cells[axis] as number) - MARGIN;
    const stride = strides[axis] as number;
    const start = Math.min(Math.max(from[axis] as number, MARGIN), high);
    let goal = to[axis] as number;
    if (!(goal >= MARGIN && goal <= high)) {
      goal = Math.min(Math.max(goal, MARGIN), high);
      to[axis] = goal;
      stopped |= 1 << axis;
    }
    begin += stride * Math.floor(start);
    middle += stride * Math.floor(0.5 * (start + goal));
    end += stride * Math.floor(goal);
  }
  if (mask[begin]) {
    if (mask[end]) leaveMask(lattice, mask, to);
    return stopped;
  }
  if (!mask[middle] && !mask[end]) return stopped;
  return stopped | slide(lattice, mask, from, to);
}

/** A point in units of cells. It has three numbers, even in 2D. */
type Vector = number[] | Float64Array;

function leaveObstacles(obstacles: readonly Obstacle[], cellSize: number, to: Vector): void {
  const point = [0, 0, 0];
  for (const obstacle of obstacles) {
    for (let axis = 0; axis < point.length; axis++) point[axis] = (to[axis] as number) * cellSize;
    if (!leaveObstacle(obstacle, point)) continue;
    for (let axis = 0; axis < point.length; axis++) to[axis] = (point[axis] as number) / cellSize;
  }
}

function isMasked(lattice: Lattice, mask: Uint8Array, point: Vector): boolean {
  let entry = lattice.first;
  for (let axis = 0; axis < lattice.dimensions; axis++)
    entry += Math.floor(point[axis] as number) * (lattice.strides[axis] as number);
  return mask[entry] !== 0;
}

/**
 * Moves along one axis after the other, so that a stopped particle slides along the other axes. Tests the middle of
 * each move too, because a move may be longer than a cell. Returns the bits of keepOut.
 */
function slide(lattice: Lattice, mask: Uint8Array, from: ArrayLike<number>, to: Vector): number {
  const { dimensions } = lattice;
  let stopped = 0;
  const point = lattice.cells.map((count, axis) =>
    Math.min(Math.max(from[axis] as number, MARGIN), count - MARGIN),
  );
  for (let axis = 0; axis < dimensions; axis++) {
    const last = point[axis] as number;
    const goal = to[axis] as number;
    point[axis] = 0.5 * (last + goal);
    const isCut = isMasked(lattice, mask, point);
    point[axis] = goal;
    if (!isCut && !isMasked(lattice, mask, point)) continue;
    point[axis] = goal > last ? Math.floor(last) + 1 - MARGIN : Math.floor(last) + MARGIN;
    stopped |= 1 << axis;
  }
  for (let axis = 0; axis < dimensions; axis++) to[axis] = point[axis] as number;
  return stopped;
}

/** Moves a point to the nearest point of a neighbouring cell that is not masked, if there is one. */
function leaveMask(lattice: Lattice, mask: Uint8Array, to: Vector): void {
  const { dimensions, cells } = lattice;
  const here = Array.from(to, Math.floor);
  let nearest = Number.POSITIVE_INFINITY;
  let best = [...to];
  for (let side = 0; side < 3 ** dimensions; side++) {
    const candidate = [...to];
    let distance = 0;
    let inside = true;
    for (let axis = 0; axis < dimensions; axis++) {
      const cell = (here[axis] as number) + (Math.floor(side / 3 ** axis) % 3) - 1;
      if (cell < 0 || cell >= (cells[axis] as number)) inside = false;
      candidate[axis] = Math.min(Math.max(to[axis] as number, cell + MARGIN), cell + 1 - MARGIN);
      distance += ((candidate[axis] as number) - (to[axis] as number)) ** 2;
    }
    if (!inside || distance >= nearest || isMasked(lattice, mask, candidate)) continue;
    nearest = distance;
    best = candidate;
  }
  for (let axis = 0; axis < dimensions; axis++) to[axis] = best[axis] as number;
}
