/**
 * The interface that the GPU engine and the CPU engine share, so that code written for one runs on the other. The GPU
 * engine returns a promise wherever it must wait for a readback, the CPU engine a value: `await` works with both.
 * plan.ts checks and completes the options, checkpoint.ts checks checkpoints.
 */

import { checkInteger } from '../base/checks';
import { CellstormError } from '../base/errors';
import { type ContinuousCounts, FAST_SHARE } from '../ccd/law';
import { checkTimeStep, MAX_SUBSTEPS, type Settings, type SettingsOptions } from '../contact/settings';
import type { ObstaclesGiven } from '../obstacles/obstacles';
import type { Sizes } from '../particles/shapes';
import type { Dimensions, RadiusRange, World, WorldOptions } from '../world/world';
import type { ParticlesCheckpoint } from './particles-checkpoint';

export interface SimulationOptions extends SettingsOptions, WorldOptions {
  /** Most particles; memory is reserved for all of them. Default: the number in `positions`. */
  readonly capacity?: number | undefined;
  /** Radius of every particle; left out if each has its own. */
  readonly radius?: number | undefined;
  /**
   * A radius for each of `positions`, if radii vary. The particles then have masses proportional to radius^dimensions
   * (see core/contact/law.ts).
   */
  readonly radii?: Float32Array | undefined;
  /**
   * Accepted radii of particles, now and later; for a box, that of the surrounding ball. Default: from the smallest to
   * the largest given one.
   */
  readonly radiusRange?: RadiusRange | undefined;
  /**
   * For particles that are boxes, half of the edge along each axis: `dimensions` numbers per particle, 0 for balls
   * (discs). The radius of a box is 0; if all are boxes, leave out `radii`. Boxes do not rotate. See
   * core/particles/shapes.ts.
   */
  readonly halfExtents?: Float32Array | undefined;
  /** Set to true if particles may be boxes, now or later. Default: true if `halfExtents` is given. */
  readonly boxes?: boolean | undefined;
  /**
   * Opposite corners. Default: a box for `capacity` particles, which fill a fifth of its area (volume). It is at least
   * four cells long along periodic axes.
   */
  readonly min?: readonly number[] | undefined;
  readonly max?: readonly number[] | undefined;
  /** First particles, `dimensions` numbers each; their ids are 0, 1, 2 … */
  readonly positions?: Float32Array | undefined;
  readonly velocities?: Float32Array | undefined;
  /**
   * Positions of particles that never move: level geometry. They have no ids and are not counted; moving particles are
   * pushed off them. They have the common radius. If radii vary, give an object with `positions` and sizes. These may
   * be outside the `radiusRange`, and may be boxes if particles may be. Default: none.
   */
  readonly obstacles?: ObstaclesGiven | undefined;
  /** Most obstacles, for `setObstacles`; memory is reserved for all of them. Default: the number in `obstacles`. */
  readonly obstacleCapacity?: number | undefined;
  /**
   * Prevents tunnelling: follows the paths of particles that move farther than a sixteenth of a diameter in a substep,
   * and ends each path where it hits something (see core/ccd/law.ts). Default false.
   */
  readonly continuous?: boolean | undefined;
}

export interface Measures {
  /** Living particles: those in the world's cells, plus the quarantined ones (see `nonFinite`). */
  readonly count: number;
  /** Unordered pairs that the broad phase hands to the distance test. */
  readonly candidates: number;
  /**
   * Unordered pairs that overlap: distance² < diameter², or less than the squared sum of both radii if radii vary; for
   * boxes see core/particles/shapes.ts. Touching is not overlapping.
   */
  readonly contacts: number;
  /**
   * Pairs so close to touching that rounding of 32-bit floats may have decided whether they are contacts: distance²
   * within 2^-20 of diameter², relative. The CPU engine decides exactly and reports 0. The GPU engine reports 0 if
   * nothing rounds: if the coordinates and the diameter are multiples of 2^(floor(log2 diameter) - 11), which is 1/2048
   * for diameter 1. If radii vary, the sum of two radii replaces the diameter in the first condition and the largest
   * diameter in the second, and radii must be such multiples, too. A pair with a box is borderline if its overlap or
   * gap is at most 2^-19 of the sum of both radii (0 for boxes) and all half extents; half extents must be such
   * multiples, too. In periodic worlds the share grows with the period, because a difference across the boundary is
   * rounded at that size.
   */
  readonly borderline: number;
  /** Overlaps of a particle with an obstacle, decided like `contacts`. No other figure counts obstacles. */
  readonly obstacleContacts: number;
  /**
   * Particles that share a bucket of the hashed table with particles of another cell: in unbounded worlds, and in
   * others if radii vary; otherwise 0. Collisions cost time, but never lose a contact.
   */
  readonly bucketCollisions: number;
  readonly occupiedCells: number;
  /** Particles in the fullest cell. */
  readonly greatestOccupancy: number;
  /**
   * Particles in cells of more than 128; the cost of such a cell is the square of its particles. See crowdingWarning.
   */
  readonly crowded: number;
  /** Particles whose centre is outside the world's box. */
  readonly outside: number;
  /**
   * Quarantined particles, which have a coordinate that is not finite: from a checkpoint, by a move out of the range of
   * 32-bit floats, or because a velocity component reached 2^48, which sets the position to NaN.
   */
  readonly nonFinite: number;
  /**
   * ½ Σ m v². Each particle has mass 1, or, if radii vary, (radius / largest)^dimensions; a box has the mass of a ball
   * of the same volume.
   */
  readonly kineticEnergy: number;
  /** Σ m v, with masses as in `kineticEnergy`. */
  readonly momentum: readonly number[];
  /** Greatest overlap of a contact, in units of length. */
  readonly deepestOverlap: number;
  /** Mean over contacts, in units of length; 0 without contacts. */
  readonly meanOverlap: number;
  /** Sixteen hexadecimal digits that depend on every bit of every particle, not on their order. */
  readonly hash: string;
}

/** Overlapping pairs: `pairs[2k] < pairs[2k + 1]` are ids, sorted by the first and then the second. */
export interface PairList {
  readonly count: number;
  readonly pairs: Uint32Array;
}

/** Overlapping pairs, and how many decisions rounding may have affected, listed or not: see Measures.borderline. */
export interface FoundPairs extends PairList {
  readonly borderline: number;
}

/** Particles sorted by id, including quarantined ones. */
export interface ParticleArrays {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  /** Present if radii vary; 0 for a box. */
  readonly radii?: Float32Array | undefined;
  /** Present if particles may be boxes: half of each edge, or 0 for a ball. */
  readonly halfExtents?: Float32Array | undefined;
}

/** Everything needed to continue with the same bits: plain data, safe to copy and to store. */
export interface Checkpoint extends ParticleArrays, ParticlesCheckpoint {
  /** Radius of every particle; if radii vary, the largest of `radiusRange`. */
  readonly radius: number;
  /** Accepted radii; left out if all are equal. */
  readonly radiusRange?: RadiusRange | undefined;
  /** Left out if no particle may be a box. */
  readonly boxes?: true | undefined;
  /** Left out if the simulation is not `continuous`. */
  readonly continuous?: true | undefined;
  readonly time: number;
  readonly settings: Settings;
  /** In the form of SimulationOptions; left out if there are none. */
  readonly obstacles?: ObstaclesGiven | undefined;
}

export interface NewParticles {
  readonly positions: Float32Array;
  /** Default: at rest. */
  readonly velocities?: Float32Array | undefined;
  /** One per particle, within the simulation's `radiusRange`; 0 for boxes. Left out if all radii are equal. */
  readonly radii?: Float32Array | undefined;
  /** `dimensions` numbers per particle, if particles may be boxes: see SimulationOptions. */
  readonly halfExtents?: Float32Array | undefined;
}

/** Particles in the engines' form: checked, with ids, and with sizes as in Shapes. */
export interface Bodies extends Sizes {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

export interface ParticleSimulation {
  readonly backend: 'gpu' | 'cpu';
  readonly dimensions: Dimensions;
  readonly world: World;
  /** Radius of every particle; if radii vary, the largest accepted one. */
  readonly radius: number;
  /** Accepted radii, if radii vary. */
  readonly radiusRange: RadiusRange | undefined;
  /** True if particles may be boxes. */
  readonly boxes: boolean;
  readonly capacity: number;
  readonly count: number;
  /** Current number of particles that never move. */
  readonly obstacleCount: number;
  readonly obstacleCapacity: number;
  /** True if fast particles are followed along their paths. */
  readonly continuous: boolean;
  /** Simulated seconds. */
  readonly time: number;
  readonly settings: Settings;
  readonly memoryBytes: number;
  set(changes: SettingsOptions): void;
  /** Advances by `dt` seconds. */
  step(dt: number): void;
  /**
   * Steps with more substeps than usual, if fast particles need them; for `continuous` simulations only. Takes as many
   * substeps as the fastest particle needs to move at most a sixteenth of a diameter in each, and at least those of the
   * settings. If that is more than `most`, takes those of the settings and follows the paths of fast particles. `most`
   * defaults to twice the substeps of the settings. Returns the number of substeps.
   */
  advance(dt: number, most?: number): Promise<number> | number;
  /** Returns the counts of fast particles and their paths in the last step; for `continuous` simulations only. */
  continuousCounts(): Promise<ContinuousCounts> | ContinuousCounts;
  /**
   * Pushes overlapping particles apart without changing velocities or time. Each of the `rounds` (default 1) rebuilds
   * the grid.
   */
  separate(rounds?: number): void;
  /** Returns the new particles' ids: the lowest free ones, ascending. */
  add(particles: NewParticles): Uint32Array;
  remove(ids: Uint32Array | readonly number[]): void;
  /** Replaces all obstacles; at most `obstacleCapacity` are accepted. */
  setObstacles(obstacles: ObstaclesGiven): void;
  measure(): Promise<Measures> | Measures;
  findPairs(): Promise<FoundPairs> | FoundPairs;
  read(): Promise<ParticleArrays> | ParticleArrays;
  checkpoint(): Promise<Checkpoint> | Checkpoint;
  restore(checkpoint: Checkpoint): void;
  destroy(): void;
}

/** Checks the arguments of ParticleSimulation.advance and returns `most`; call it before measuring speeds. */
export function checkAdvance(
  simulation: Pick<ParticleSimulation, 'continuous' | 'settings'>,
  dt: number,
  most: number | undefined,
): number {
  const { substeps } = simulation.settings;
  checkContinuous(simulation, 'advance');
  checkTimeStep(dt, substeps);
  if (most === undefined) return Math.min(MAX_SUBSTEPS, 2 * substeps);
  checkInteger('most', most, 1, MAX_SUBSTEPS);
  return most;
}

/** Implements ParticleSimulation.advance, given that no particle may move more than `farthest` of its own diameters. */
export function stepAsFastAs(
  simulation: Pick<ParticleSimulation, 'settings' | 'set' | 'step'>,
  farthest: number,
  dt: number,
  most: number,
): number {
  const { substeps: usual } = simulation.settings;
  const needed = Math.ceil(farthest / FAST_SHARE);
  const substeps = needed <= most ? Math.max(usual, needed) : usual;
  if (substeps === usual) {
    simulation.step(dt);
    return substeps;
  }
  simulation.set({ substeps });
  try {
    simulation.step(dt);
  } finally {
    simulation.set({ substeps: usual });
  }
  return substeps;
}

/** Throws if the simulation is not `continuous`; `name` is the method that needs it. */
export function checkContinuous({ continuous }: Pick<ParticleSimulation, 'continuous'>, name: string): void {
  if (continuous) return;
  throw new CellstormError(`This simulation was created without \`continuous\`, which ${name} needs.`);
}
