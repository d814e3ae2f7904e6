/** Types and helpers that fluid.ts and cpu-fluid.ts share. */

import { checkInteger } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import type { ParticleArrays } from '../../core/simulation/simulation';
import { AIR, eachCell, SOLID } from './lattice';
import type { Obstacle } from './obstacles';
import type { FluidPlan } from './options';
import { checkRegion, type FluidRegion, isInRegion } from './regions';

/** The lattice after the last substep, packed cell by cell, x fastest. */
export interface FluidFields {
  /** Cells along each axis. */
  readonly cells: readonly number[];
  /** Kind of each cell: 0 is air, 1 fluid, 2 solid. */
  readonly kinds: Uint8Array;
  /** Pressure relative to the air, in units of density · length² / s². */
  readonly pressure: Float32Array;
  /** Velocity at the centres of cells, `dimensions` numbers each, length / s; 0 in air and solids. */
  readonly velocity: Float32Array;
}

/** Particles to add. */
export interface NewFluid {
  /** Packed positions inside the tank. */
  readonly positions: Float32Array;
  /** Packed velocities, length / s. Default: all 0. */
  readonly velocities?: Float32Array | undefined;
}

/** The current particles, sorted by id. */
export type FluidParticles = Pick<ParticleArrays, 'ids' | 'positions' | 'velocities'>;

/** Arrays over the lattice, from the GPU or the CPU. */
export interface LatticeState {
  readonly kinds: ArrayLike<number>;
  readonly velocity: ArrayLike<number>;
  /** Pressure in units of velocity; see reference/equations.ts. */
  readonly pressure: ArrayLike<number>;
}

export function packFields(
  { lattice, dimensions, cellSize, density }: FluidPlan,
  { kinds, velocity, pressure }: LatticeState,
  /** Seconds of the last substep; 0 before the first. */
  dt: number,
): FluidFields {
  const count = lattice.cells[0] * lattice.cells[1] * lattice.cells[2];
  const fields = {
    cells: lattice.cells.slice(0, dimensions),
    kinds: new Uint8Array(count),
    pressure: new Float32Array(count),
    velocity: new Float32Array(dimensions * count),
  };
  let index = 0;
  eachCell(lattice, (cell) => {
    const kind = Math.min(kinds[cell] as number, SOLID);
    fields.kinds[index] = kind;
    fields.pressure[index] = dt > 0 ? ((pressure[cell] as number) * density * cellSize) / dt : 0;
    for (let axis = 0; axis < dimensions && kind !== AIR && kind !== SOLID; axis++) {
      const low = axis * lattice.size + cell;
      const high = low + (lattice.strides[axis] as number);
      fields.velocity[dimensions * index + axis] =
        ((velocity[low] as number) + (velocity[high] as number)) / 2;
    }
    index++;
  });
  return fields;
}

/** `advance` aims at moves of at most this many cells per substep. */
export const CELLS_PER_SUBSTEP = 1;

/** Checks the argument `most` of `advance`. Call this before you read the greatest speed. */
export function checkMostSubsteps(most: unknown): void {
  checkInteger('most', most, 1, 64);
}

/**
 * Returns how many substeps keep moves within CELLS_PER_SUBSTEP cells, but at most `most`. Considers the speed that
 * gravity adds in `dt`, but not the speed that pressure adds.
 */
export function substepsFor(
  { gravity, cellSize }: FluidPlan,
  greatestSpeed: number,
  obstacleSpeed: number,
  dt: number,
  most: number,
): number {
  const speed = Math.max(greatestSpeed + Math.hypot(...gravity) * dt, obstacleSpeed);
  return Math.min(most, Math.max(1, Math.ceil((speed * dt) / (CELLS_PER_SUBSTEP * cellSize))));
}

/** Returns the greatest speed of an obstacle or emitter, length / s. */
export function fastestBody(
  { emitters }: Pick<FluidPlan, 'emitters'>,
  obstacles: readonly Obstacle[],
): number {
  const speeds = [...obstacles, ...emitters].map(({ velocity }) => Math.hypot(...velocity));
  return Math.max(0, ...speeds);
}

/** Returns whether energy must not grow. It may grow while obstacles move, because these do work on the fluid. */
export function isRestrained(
  { restraint }: Pick<FluidPlan, 'restraint'>,
  obstacles: readonly Obstacle[],
): boolean {
  return restraint > 0 && obstacles.every(({ velocity }) => velocity.every((component) => component === 0));
}

export function withoutIds(
  dimensions: 2 | 3,
  particles: FluidParticles,
  gone: ReadonlySet<number>,
): FluidParticles {
  if (gone.size === 0) return particles;
  const { ids, positions, velocities } = particles;
  const stays = (_: number, index: number) => !gone.has(ids[Math.floor(index / dimensions)] as number);
  return {
    ids: ids.filter((id) => !gone.has(id)),
    positions: positions.filter(stays),
    velocities: velocities.filter(stays),
  };
}

export function idsIn(
  { dimensions }: FluidPlan,
  region: FluidRegion,
  { ids, positions }: FluidParticles,
): Uint32Array {
  checkRegion('region', region, dimensions);
  return ids.filter((_, index) =>
    isInRegion(region, Array.from(positions.subarray(dimensions * index, dimensions * (index + 1)))),
  );
}

export function checkNew(given: NewFluid): void {
  if (!(given?.positions instanceof Float32Array)) {
    throw new ArgumentError('positions', given?.positions, 'a Float32Array');
  }
}
