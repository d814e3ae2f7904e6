/**
 * The interface of the GPU engine and the CPU engine, so that code written for one runs on the other. Methods that wait
 * for a readback return a promise on the GPU and a value on the CPU: `await` works with both.
 * This file also has the parts of `advance` that the engines share. plan.ts checks and completes the options;
 * checkpoint.ts checks checkpoints.
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
  /** The greatest number of particles. Memory is reserved for all of them. Default: the number in `positions`. */
  readonly capacity?: number | undefined;
  /** Radius of every particle; leave it out if radii vary. */
  readonly radius?: number | undefined;
  /**
   * The radius of each particle, if radii vary. Masses are then proportional to radius^dimensions (see
   * core/contact/law.ts).
   */
  readonly radii?: Float32Array | undefined;
  /**
   * The radii that particles may have, now and later. The radius of a box is that of the ball around it. Default: from
   * the smallest to the largest given radius.
   */
  readonly radiusRange?: RadiusRange | undefined;
  /**
   * Half of each edge of the particles that are boxes, `dimensions` numbers per particle; 0 for balls (discs). Boxes
   * have 0 in `radii`. Leave out `radii` if all particles are boxes. Boxes do not rotate. See core/particles/shapes.ts.
   */
  readonly halfExtents?: Float32Array | undefined;
  /** True if particles may be boxes, now or later. Default: true if `halfExtents` is given. */
  readonly boxes?: boolean | undefined;
  /**
   * Opposite corners of the world. Default: a box so large that `capacity` particles fill a fifth of its area (volume).
   * The default box is at least four cells long along periodic axes.
   */
  readonly min?: readonly number[] | undefined;
  readonly max?: readonly number[] | undefined;
  /** Positions of the initial particles, `dimensions` numbers each. Their ids are 0, 1, 2 … */
  readonly positions?: Float32Array | undefined;
  readonly velocities?: Float32Array | undefined;
  /**
   * Positions of obstacles: bodies that never move by themselves, such as terrain. Particles are pushed off them.
   * Obstacles have no ids and are not counted as particles. Their radius is that of the particles. If radii vary, give
   * an object with `positions` and sizes. Sizes may be outside the `radiusRange`; boxes are allowed if particles may be
   * boxes. Default: none.
   */
  readonly obstacles?: ObstaclesGiven | undefined;
  /**
   * The greatest number of obstacles that `setObstacles` accepts. Memory is reserved for all of them. Default: the
   * number in `obstacles`.
   */
  readonly obstacleCapacity?: number | undefined;
  /**
   * Prevents tunnelling. Follows the paths of fast particles, which move farther than a sixteenth of a diameter in a
   * substep. Ends each path where it hits something; see core/ccd/law.ts. Default false.
   */
  readonly continuous?: boolean | undefined;
}

export interface Measures {
  /** Living particles, including quarantined ones (see `nonFinite`). */
  readonly count: number;
  /** Unordered pairs whose distance the broad phase tests. */
  readonly candidates: number;
  /**
   * Unordered pairs that overlap. Touching is not overlapping.
   * - If all radii are equal, a pair overlaps if distance² < diameter².
   * - If radii vary, the sum of both radii replaces the diameter.
   * - core/particles/shapes.ts has the rule for boxes.
   */
  readonly contacts: number;
  /**
   * Pairs so close to touching that 32-bit rounding may have decided whether they are contacts.
   * - If all radii are equal, distance² differs from diameter² by at most 2^-20 of diameter².
   * - If radii vary, the sum of both radii replaces the diameter.
   * - For a pair with a box, add both radii (0 for boxes) and all half extents. The overlap or gap is at most 2^-19 of
   *   that sum.
   * In periodic worlds these shares grow with the period, like the rounding error of a difference across the boundary.
   * The CPU engine decides exactly and reports 0. The GPU engine reports 0 if nothing rounds. Nothing rounds if the
   * following are multiples of `2^(floor(log2 diameter) - 11)`, which is 1/2048 for diameter 1: all coordinates, the
   * diameter (or all radii), all half extents, and the periods. If radii vary, `diameter` is the largest one.
   * core/world/borderline.ts has the exact rule.
   */
  readonly borderline: number;
  /** Pairs of a particle and an obstacle that overlap, decided like `contacts`. No other figure counts obstacles. */
  readonly obstacleContacts: number;
  /**
   * Particles that share a bucket with particles of another cell; 0 unless the world is unbounded. Such collisions cost
   * time, but never lose a contact.
   */
  readonly bucketCollisions: number;
  readonly occupiedCells: number;
  /** Particles in the fullest cell. */
  readonly greatestOccupancy: number;
  /**
   * Particles in cells with more than 128 particles. The cost of a cell grows with the square of its particles. See
   * crowdingWarning.
   */
  readonly crowded: number;
  /** Particles whose centre is outside the world's box. */
  readonly outside: number;
  /**
   * Quarantined particles: those with a coordinate that is not finite. The causes:
   * - a checkpoint with such a coordinate;
   * - a write into the simulation's buffers;
   * - a move out of the range of 32-bit floats;
   * - a velocity component that reached 2^48: the engine then sets the position to NaN.
   */
  readonly nonFinite: number;
  /**
   * ½ Σ m v². Each particle has mass 1 or, if radii vary, (radius / largest)^dimensions. A box has the mass of a ball
   * of the same volume.
   */
  readonly kineticEnergy: number;
  /** Σ m v, with masses as in `kineticEnergy`. */
  readonly momentum: readonly number[];
  /** Greatest overlap of a contact, in units of length. */
  readonly deepestOverlap: number;
  /** Mean overlap of contacts, in units of length; 0 without contacts. */
  readonly meanOverlap: number;
  /** Sixteen hexadecimal digits that depend on every bit of every particle, but not on the order of particles. */
  readonly hash: string;
}

/**
 * Overlapping pairs of ids. Pair k is `pairs[2k]` and `pairs[2k + 1]`, the lower id first. Pairs are sorted by their
 * first id, then by their second.
 */
export interface PairList {
  readonly count: number;
  readonly pairs: Uint32Array;
}

/** Overlapping pairs, and the number of borderline pairs (see Measures), whether listed or not. */
export interface FoundPairs extends PairList {
  readonly borderline: number;
}

/** Particles sorted by id, including quarantined ones. */
export interface ParticleArrays {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  /** Present if radii vary. The radius of a box is 0. */
  readonly radii?: Float32Array | undefined;
  /** Present if particles may be boxes: half of each edge, or 0 for a ball. */
  readonly halfExtents?: Float32Array | undefined;
  /**
   * Present if radii vary. A load says how much contacts pressed on a particle from opposite sides in the last substep,
   * in units of the particle's weight. The next step needs the loads.
   */
  readonly loads?: Float32Array | undefined;
}

/** Everything needed to continue with the same bits: plain data, safe to copy and to store. */
export interface Checkpoint extends ParticleArrays, ParticlesCheckpoint {
  /** Radius of every particle; if radii vary, the largest of `radiusRange`. */
  readonly radius: number;
  /** The radii that particles may have; left out if all are equal. */
  readonly radiusRange?: RadiusRange | undefined;
  /** Left out if no particle may be a box. */
  readonly boxes?: true | undefined;
  /** Left out if the simulation is not `continuous`. */
  readonly continuous?: true | undefined;
  readonly time: number;
  readonly settings: Settings;
  /** Obstacles in the form of SimulationOptions; left out if there are none. */
  readonly obstacles?: ObstaclesGiven | undefined;
}

export interface NewParticles {
  readonly positions: Float32Array;
  /** Default: all 0. */
  readonly velocities?: Float32Array | undefined;
  /** One radius per particle, within the simulation's `radiusRange`; 0 for boxes. Left out if all radii are equal. */
  readonly radii?: Float32Array | undefined;
  /** `dimensions` numbers per particle, only if particles may be boxes: see SimulationOptions. */
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
  /** Radius of every particle; if radii vary, the largest that is accepted. */
  readonly radius: number;
  /** The radii that particles may have; undefined if all are equal. */
  readonly radiusRange: RadiusRange | undefined;
  /** True if particles may be boxes. */
  readonly boxes: boolean;
  readonly capacity: number;
  readonly count: number;
  /** Current number of obstacles. */
  readonly obstacleCount: number;
  readonly obstacleCapacity: number;
  /** True if the simulation follows the paths of fast particles. */
  readonly continuous: boolean;
  /** Simulated seconds. */
  readonly time: number;
  readonly settings: Settings;
  readonly memoryBytes: number;
  set(changes: SettingsOptions): void;
  /** Advances by `dt` seconds. */
  step(dt: number): void;
  /**
   * Advances by `dt` seconds, for `continuous` simulations only. Takes so many substeps that the fastest particle moves
   * at most a sixteenth of a diameter in each, but at least `settings.substeps`. If that would be more than `most`,
   * takes `settings.substeps` and follows the paths of fast particles. `most` defaults to twice `settings.substeps`,
   * but at most 256. Returns the number of substeps.
   */
  advance(dt: number, most?: number): Promise<number> | number;
  /** Counts the fast particles and their paths in the last step. For `continuous` simulations only. */
  continuousCounts(): Promise<ContinuousCounts> | ContinuousCounts;
  /**
   * Pushes overlapping particles apart without changing velocities or time. Each of the `rounds` (default 1) builds a
   * new grid.
   */
  separate(rounds?: number): void;
  /** Adds particles and returns their ids: the lowest free ones, ascending. */
  add(particles: NewParticles): Uint32Array;
  remove(ids: Uint32Array | readonly number[]): void;
  /** Replaces all obstacles by at most `obstacleCapacity` others. */
  setObstacles(obstacles: ObstaclesGiven): void;
  measure(): Promise<Measures> | Measures;
  findPairs(): Promise<FoundPairs> | FoundPairs;
  read(): Promise<ParticleArrays> | ParticleArrays;
  checkpoint(): Promise<Checkpoint> | Checkpoint;
  restore(checkpoint: Checkpoint): void;
  destroy(): void;
}

/**
 * Checks the arguments of ParticleSimulation.advance and returns `most` or its default. Call it before measuring
 * speeds.
 */
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

/**
 * Implements ParticleSimulation.advance. `farthest` is the farthest that any particle may move in the step, in
 * diameters.
 */
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

/** Throws if the simulation is not `continuous`. `name` is the method that was called. */
export function checkContinuous({ continuous }: Pick<ParticleSimulation, 'continuous'>, name: string): void {
  if (continuous) return;
  throw new CellstormError(`${name} needs a simulation that was created with \`continuous: true\`.`);
}
