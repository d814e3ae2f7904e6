/**
 * Purpose: velocities back to particles, and particles along them. Twin of shaders/fluid/particles.wgsl.
 * Inputs: the faces' velocities before and after the step. Outputs: velocities, with APIC their slopes, and positions, in place.
 * A particle goes by Ralston's rule of third order through velocities that are the same all along the step, at most
 * MOST_CELLS in one step, and never into what is solid.
 */
import type { Lattice } from '../lattice';
import { leaveObstacle, type Obstacle } from '../obstacles';
import type { Account } from './energy';
import { Corners, type ParticleSet } from './transfer';

/** Cells that a particle goes in a step at most: beyond, nobody knows velocities. */
export const MOST_CELLS = 2;
/** Cells that particles keep from what is solid. */
export const MARGIN = 1 / 64;

export interface ParticleStep {
  readonly lattice: Lattice;
  readonly cellSize: number;
  readonly dt: number;
  /** Share of FLIP; the rest is PIC. */
  readonly blend: number;
  readonly mask: Uint8Array;
  /** Where they are at the end of the step. */
  readonly obstacles: readonly Obstacle[];
  readonly before: Float64Array;
  readonly velocity: Float64Array;
  readonly gravity: readonly number[];
  /** Filled where it is given: see energy.ts. */
  readonly account?: Account | undefined;
}

export function moveParticles(
  step: ParticleStep,
  { count, positions, velocities, ids }: ParticleSet,
  affine: Float32Array | undefined,
): void {
  const { lattice, cellSize, dt, blend, before, velocity, gravity, account } = step;
  const { dimensions, size } = lattice;
  const corners = new Corners(lattice);
  const place = [0, 0, 0];
  const sample = (at: readonly number[], out: number[]) => {
    for (let axis = 0; axis < dimensions; axis++) {
      corners.find(axis, at, true);
      out[axis] = corners.sum(velocity, axis * size);
    }
  };
  const [first, second, third, at, moved]: number[][] = [0, 1, 2, 3, 4].map(() => [0, 0, 0]);
  if (!first || !second || !third || !at || !moved) return;
  const pace = dt / cellSize;
  for (let particle = 0; particle < count; particle++) {
    let finite = true;
    for (let axis = 0; axis < dimensions; axis++) {
      place[axis] = (positions[dimensions * particle + axis] as number) / cellSize;
      finite &&= Number.isFinite(place[axis]) && Number.isFinite(velocities[dimensions * particle + axis]);
    }
    const id = ids[particle] as number;
    if (account) account.gain[id] = 0;
    if (!finite) continue;
    let gain = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      corners.find(axis, place, true);
      const entry = dimensions * particle + axis;
      const now = corners.sum(velocity, axis * size);
      first[axis] = now;
      gain -= 0.5 * (velocities[entry] as number) ** 2;
      if (affine) {
        const slopes = dimensions * (dimensions * id + axis);
        for (let along = 0; along < dimensions; along++)
          affine[slopes + along] = corners.slope(velocity, axis * size, along);
        velocities[entry] = now;
      } else {
        velocities[entry] = now + blend * ((velocities[entry] as number) - corners.sum(before, axis * size));
      }
    }
    for (let axis = 0; axis < dimensions; axis++)
      at[axis] = (place[axis] as number) + 0.5 * pace * (first[axis] as number);
    sample(at, second);
    for (let axis = 0; axis < dimensions; axis++)
      at[axis] = (place[axis] as number) + 0.75 * pace * (second[axis] as number);
    sample(at, third);
    let longest = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      moved[axis] =
        (pace * (2 * (first[axis] as number) + 3 * (second[axis] as number) + 4 * (third[axis] as number))) /
        9;
      longest = Math.max(longest, Math.abs(moved[axis] as number));
    }
    const share = longest > MOST_CELLS ? MOST_CELLS / longest : 1;
    for (let axis = 0; axis < dimensions; axis++)
      moved[axis] = (place[axis] as number) + share * (moved[axis] as number);
    const stopped = keepOut(step, place, moved);
    for (let axis = 0; axis < dimensions; axis++) {
      const entry = dimensions * particle + axis;
      const from = positions[entry] as number;
      positions[entry] = cellSize * (moved[axis] as number);
      if ((stopped >> axis) & 1) velocities[entry] = 0;
      if (!account) continue;
      const [to, speed] = [positions[entry] as number, velocities[entry] as number];
      const isBeside = !affine && !((stopped >> axis) & 1);
      gain += 0.5 * speed ** 2 - (gravity[axis] as number) * (to - from);
      account.place[dimensions * id + axis] = to;
      account.beside[dimensions * id + axis] = isBeside ? speed - (first[axis] as number) : 0;
    }
    if (account) account.gain[id] = gain;
  }
}

/** Keeps a move, in cells, out of what is solid; in place. Returns a bit for each axis along which it was stopped. */
export function keepOut(
  { lattice, cellSize, mask, obstacles }: Pick<ParticleStep, 'lattice' | 'cellSize' | 'mask' | 'obstacles'>,
  from: readonly number[],
  to: number[],
): number {
  const { dimensions, cells, strides, first } = lattice;
  const isMasked = (place: readonly number[]) => {
    let entry = first;
    for (let axis = 0; axis < dimensions; axis++)
      entry += Math.floor(place[axis] as number) * (strides[axis] as number);
    return mask[entry] !== 0;
  };
  let stopped = 0;
  const clamp = () => {
    for (let axis = 0; axis < dimensions; axis++) {
      const high = (cells[axis] as number) - MARGIN;
      const at = to[axis] as number;
      if (at >= MARGIN && at <= high) continue;
      to[axis] = Math.min(Math.max(at, MARGIN), high);
      stopped |= 1 << axis;
    }
  };
  for (const obstacle of obstacles) {
    const place = to.map((at) => at * cellSize);
    if (leaveObstacle(obstacle, place))
      place.forEach((at, axis) => {
        to[axis] = at / cellSize;
      });
  }
  clamp();
  const start = from.map((at, axis) => Math.min(Math.max(at, MARGIN), (cells[axis] as number) - MARGIN));
  if (isMasked(start)) {
    leaveMask(lattice, isMasked, to);
    return stopped;
  }
  const middle = start.map((at, axis) => 0.5 * (at + (to[axis] as number)));
  if (!isMasked(middle) && !isMasked(to)) return stopped;
  // One axis after the other, so that what is stopped along one slides on along the others; half-way too, since a move may be
  // longer than a cell.
  const at = [...start];
  for (let axis = 0; axis < dimensions; axis++) {
    const last = at[axis] as number;
    const goal = to[axis] as number;
    at[axis] = 0.5 * (last + goal);
    const isCut = isMasked(at);
    at[axis] = goal;
    if (!isCut && !isMasked(at)) continue;
    at[axis] = goal > last ? Math.floor(last) + 1 - MARGIN : Math.floor(last) + MARGIN;
    stopped |= 1 << axis;
  }
  for (let axis = 0; axis < dimensions; axis++) to[axis] = at[axis] as number;
  return stopped;
}

/** From within a solid cell to the nearest place in a free one beside it, if there is one. */
function leaveMask(
  { dimensions, cells }: Lattice,
  isMasked: (place: readonly number[]) => boolean,
  to: number[],
): void {
  if (!isMasked(to)) return;
  const own = to.map(Math.floor);
  let nearest = Number.POSITIVE_INFINITY;
  let best = [...to];
  for (let side = 0; side < 3 ** dimensions; side++) {
    const candidate = [...to];
    let distance = 0;
    let inside = true;
    for (let axis = 0; axis < dimensions; axis++) {
      const cell = (own[axis] as number) + (Math.floor(side / 3 ** axis) % 3) - 1;
      if (cell < 0 || cell >= (cells[axis] as number)) inside = false;
      candidate[axis] = Math.min(Math.max(to[axis] as number, cell + MARGIN), cell + 1 - MARGIN);
      distance += ((candidate[axis] as number) - (to[axis] as number)) ** 2;
    }
    if (!inside || distance >= nearest || isMasked(candidate)) continue;
    nearest = distance;
    best = candidate;
  }
  for (let axis = 0; axis < dimensions; axis++) to[axis] = best[axis] as number;
}
