/**
 * The interface that the GPU engine and the CPU engine share, so that code written for one runs on the other. Methods
 * that wait for a readback return a promise on the GPU and a value on the CPU: `await` works with both.
 */

import { checkInteger } from '../base/checks';
import { FAST_SHARE } from '../base/constants';
import { CellstormError } from '../base/errors';
import type { ContinuousCounts } from '../ccd/law';
import { checkTimeStep, MAX_SUBSTEPS, type Settings, type SettingsOptions } from '../contact/settings';
import type { ObstaclesGiven } from '../obstacles/obstacles';
import type { Sizes } from '../particles/shapes';
import type { Dimensions, RadiusRange, World, WorldOptions } from '../world/world';
import type { ParticlesCheckpoint } from './particles-checkpoint';

/** Options of a simulation: its world, its particles, its obstacles and its settings. */
export interface SimulationOptions extends SettingsOptions, WorldOptions {
  /** The greatest number of particles. Memory is reserved for all of them. Default: the number in `positions`. */
  readonly capacity?: number | undefined;
  /** Radius of every particle, from 2^-41 to 2^59; left out if radii vary. */
  readonly radius?: number | undefined;
  /** The radius of each particle, if radii vary. Masses are then proportional to radius^dimensions. */
  readonly radii?: Float32Array | undefined;
  /**
   * The radii that particles may have, now and later. The radius of a box is the radius of the ball around it. Default:
   * from the smallest to the largest given radius.
   */
  readonly radiusRange?: RadiusRange | undefined;
  /**
   * Half of each edge of the particles that are boxes, `dimensions` numbers per particle; 0 for balls (discs). Boxes
   * have 0 in `radii`. Leave out `radii` if all particles are boxes. Boxes do not rotate.
   */
  readonly halfExtents?: Float32Array | undefined;
  /** True if particles may be boxes, now or later. Default: true if `halfExtents` is given. */
  readonly boxes?: boolean | undefined;
  /**
   * The lower corner of the world; `max` is the upper one. Give both, unless the world is `unbounded`. A simulation
   * that starts without particles and obstacles may leave out both. Its default box begins at the origin and is so
   * large that `capacity` particles fill at most a fifth of its area (volume). Along periodic axes, the box is at least
   * four cells long. New particles and the centres of new obstacles must be inside the default box. Both may be outside
   * a box that you give: see `add`.
   */
  readonly min?: readonly number[] | undefined;
  /** The upper corner of the world; see `min`. */
  readonly max?: readonly number[] | undefined;
  /** Positions of the initial particles, `dimensions` numbers each. Their ids are 0, 1, 2 … */
  readonly positions?: Float32Array | undefined;
  /** Velocities of the initial particles, in the form of `positions`, below 2^48 in magnitude. Default: all 0. */
  readonly velocities?: Float32Array | undefined;
  /**
   * Obstacles: bodies that never move by themselves, such as terrain. They have no ids and do not count as particles.
   * They have the radius of the particles. If radii vary, give an object with `positions` and sizes; boxes are allowed
   * if particles may be boxes. Default: none.
   */
  readonly obstacles?: ObstaclesGiven | undefined;
  /**
   * The greatest number of obstacles that `setObstacles` accepts. Memory is reserved for all of them. Default: the
   * number in `obstacles`.
   */
  readonly obstacleCapacity?: number | undefined;
  /**
   * Prevents tunnelling: if a particle moves farther than a sixteenth of its diameter in a substep, its path ends at
   * the first hit. Default: false.
   */
  readonly continuous?: boolean | undefined;
  /**
   * The longest time step that `step` accepts, in seconds. Raise it if your unit of time is not the second. Default: 1,
   * because a step of 16 is likely meant in milliseconds.
   */
  readonly longestStep?: number | undefined;
  /**
   * Computes in whole numbers, so that every device gives the same bits. Only for particles of one radius in a box,
   * periodic or not. Default: false.
   */
  readonly exact?: boolean | undefined;
}

/** Figures about a state. */
export interface Measures {
  /** Living particles, including quarantined ones (see `nonFinite`). */
  readonly count: number;
  /** Unordered pairs that the broad phase proposes. With variable radii, some may be out of reach and stay untested. */
  readonly candidates: number;
  /**
   * Unordered pairs that overlap. Touching is not overlapping.
   * - If all radii are equal, a pair overlaps if distance² < diameter².
   * - If radii vary, the sum of both radii replaces the diameter.
   * - Boxes overlap if they have an area (volume) in common. A box and a ball overlap if the ball's centre is less than
   *   its radius away from the box.
   */
  readonly contacts: number;
  /**
   * Pairs so close to touching that 32-bit rounding may have decided whether they are contacts. The CPU engine decides
   * exactly and reports 0.
   * - If all radii are equal, distance² differs from diameter² by at most 2^-20 of diameter².
   * - If radii vary, the sum of both radii replaces the diameter.
   * - If particles may be boxes, the overlap or gap is at most 2^-19 of a sum: both radii (0 for boxes) plus all half
   *   extents.
   * In periodic worlds these shares grow with the period. The GPU engine reports 0 if all coordinates, half extents,
   * periods and the diameter (or all radii) are multiples of the length `2^(floor(log2 diameter) - 11)`, which is
   * 1/2048 for diameter 1. If a periodic box does not begin at 0, its periods must also be at most 2^23 times that
   * length. If radii vary, `diameter` is the largest one.
   */
  readonly borderline: number;
  /**
   * Pairs of a particle and an obstacle that overlap, decided like `contacts`. The other figures leave out obstacles.
   */
  readonly obstacleContacts: number;
  /**
   * Particles that share a bucket with particles of another cell. Cells share buckets only in unbounded worlds and, on
   * the CPU, in some other worlds if radii vary. Shared buckets cost time, but never lose a contact.
   */
  readonly bucketCollisions: number;
  /** Cells that contain particles. */
  readonly occupiedCells: number;
  /** Particles in the fullest cell. */
  readonly greatestOccupancy: number;
  /**
   * Particles in cells with more than 128 particles. The cost of a cell grows with the square of its particles: see
   * `crowdingWarning`.
   */
  readonly crowded: number;
  /** Particles whose centre is outside the world's box. */
  readonly outside: number;
  /**
   * Quarantined particles: those with a coordinate that is not finite or, if radii vary, with a radius that is not
   * accepted. The causes:
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
  /**
   * Sixteen hexadecimal digits that depend on every bit of every particle, except its load, but not on the order of
   * particles.
   */
  readonly hash: string;
}

/** Overlapping pairs of ids, sorted by their first id, then by their second. */
export interface PairList {
  /** Number of pairs. */
  readonly count: number;
  /** Pair k is `pairs[2k]` and `pairs[2k + 1]`, the lower id first. */
  readonly pairs: Uint32Array;
}

/** Overlapping pairs, and the number of borderline pairs. */
export interface FoundPairs extends PairList {
  /** Borderline pairs, whether listed or not: see `Measures.borderline`. */
  readonly borderline: number;
}

/** Particles sorted by id, including quarantined ones. */
export interface ParticleArrays {
  /** Ids, ascending. */
  readonly ids: Uint32Array;
  /** `dimensions` numbers per particle. */
  readonly positions: Float32Array;
  /** `dimensions` numbers per particle, in length / s. */
  readonly velocities: Float32Array;
  /** One radius per particle; 0 for boxes. Present if radii vary. */
  readonly radii?: Float32Array | undefined;
  /** Half of each edge, or 0 for a ball; `dimensions` numbers per particle. Present if particles may be boxes. */
  readonly halfExtents?: Float32Array | undefined;
  /**
   * How much contacts pressed on each particle from opposite sides in the last substep, in units of the particle's
   * weight. The next step needs these loads. Present if radii vary.
   */
  readonly loads?: Float32Array | undefined;
}

/** The state of an exact simulation, in the order of ids. */
export interface ExactArrays {
  /** Number of steps so far. */
  readonly steps: number;
  /** Positions in quanta from the low corner of the world. A quantum is 2^-20 of the diameter, in large worlds more. */
  readonly positions: Int32Array;
  /** Velocities in quanta per second. */
  readonly velocities: Int32Array;
}

/** Everything needed to continue with the same bits: plain data, safe to copy and to store. */
export interface Checkpoint extends ParticleArrays, ParticlesCheckpoint {
  /** Radius of every particle; if radii vary, the largest of `radiusRange`. */
  readonly radius: number;
  /** The radii that particles may have; left out if all are equal. */
  readonly radiusRange?: RadiusRange | undefined;
  /** True if particles may be boxes, otherwise left out. */
  readonly boxes?: true | undefined;
  /** True if the simulation is `continuous`, otherwise left out. */
  readonly continuous?: true | undefined;
  /**
   * The exact state, of which `positions` and `velocities` show the nearest floats; left out if the simulation is not
   * `exact`.
   */
  readonly exact?: ExactArrays | undefined;
  /** Simulated seconds. */
  readonly time: number;
  /** The settings of the simulation. */
  readonly settings: Settings;
  /** Obstacles in the form of SimulationOptions; left out if there are none. */
  readonly obstacles?: ObstaclesGiven | undefined;
}

/** Particles to add. */
export interface NewParticles {
  /** `dimensions` numbers per particle. */
  readonly positions: Float32Array;
  /** `dimensions` numbers per particle, below 2^48 in magnitude. Default: all 0. */
  readonly velocities?: Float32Array | undefined;
  /** One radius per particle, within the simulation's `radiusRange`; 0 for boxes. Left out if all radii are equal. */
  readonly radii?: Float32Array | undefined;
  /** Half of each edge, or 0 for a ball; `dimensions` numbers per particle. Only if particles may be boxes. */
  readonly halfExtents?: Float32Array | undefined;
}

/** Particles in the engines' form: checked, with ids, and with sizes as in Shapes. */
export interface Bodies extends Sizes {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

/** A simulation on either engine. */
export interface ParticleSimulation {
  /** The engine that runs the simulation. */
  readonly backend: 'gpu' | 'cpu';
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** The world and its cells. */
  readonly world: World;
  /** Radius of every particle; if radii vary, the largest that is accepted. */
  readonly radius: number;
  /** The radii that particles may have; undefined if all are equal. */
  readonly radiusRange: RadiusRange | undefined;
  /** True if particles may be boxes. */
  readonly boxes: boolean;
  /** Greatest number of particles. */
  readonly capacity: number;
  /** Number of living particles, including quarantined ones. */
  readonly count: number;
  /** Current number of obstacles. */
  readonly obstacleCount: number;
  /** Greatest number of obstacles. */
  readonly obstacleCapacity: number;
  /** True if the simulation follows the paths of fast particles. */
  readonly continuous: boolean;
  /** The longest time step that is accepted, in seconds. */
  readonly longestStep: number;
  /** True if the simulation computes in whole numbers. */
  readonly exact: boolean;
  /** Simulated seconds. */
  readonly time: number;
  /** The current settings. */
  readonly settings: Settings;
  /** Bytes that the simulation has reserved. */
  readonly memoryBytes: number;
  /**
   * Likely problems: one text per problem, with its fix. For example, there is a text if radii differ too much for the
   * substeps and the last time step (1/60 s before the first step). The library prints nothing itself.
   */
  readonly warnings: readonly string[];
  /** Changes settings. Those left out keep their value. */
  set(changes: SettingsOptions): void;
  /**
   * Advances by `dt` seconds. `dt` is 0 (nothing happens), or at least 1e-7 per substep and at most `longestStep`.
   * Exact simulations also need 2^-14 to 1/8 s per substep.
   */
  step(dt: number): void;
  /**
   * Advances by `dt` seconds, for `continuous` simulations only. Takes at least `settings.substeps` substeps, and so
   * many that the fastest particle moves at most a sixteenth of a diameter in each. If more than `most` would be
   * needed, takes `settings.substeps` and follows the paths of fast particles. Default of `most`: twice
   * `settings.substeps`, at most 256. Returns the number of substeps.
   */
  advance(dt: number, most?: number): Promise<number> | number;
  /** Counts the fast particles and their paths in the last step. For `continuous` simulations only. */
  continuousCounts(): Promise<ContinuousCounts> | ContinuousCounts;
  /** Pushes overlapping particles apart without changing velocities or time, in 1 to 64 rounds. Default: 1. */
  separate(rounds?: number): void;
  /**
   * Adds particles and returns their ids: the lowest free ones, ascending. Particles outside the box are allowed if the
   * options had `min` and `max`: with `walls` the next step moves them inside.
   */
  add(particles: NewParticles): Uint32Array;
  /** Removes particles. Their ids become free; no other id changes. */
  remove(ids: Uint32Array | readonly number[]): void;
  /** Replaces all obstacles by at most `obstacleCapacity` others. */
  setObstacles(obstacles: ObstaclesGiven): void;
  /** Measures the current state. */
  measure(): Promise<Measures> | Measures;
  /** Finds all pairs that overlap in the current state. */
  findPairs(): Promise<FoundPairs> | FoundPairs;
  /** Returns a copy of the particles. */
  read(): Promise<ParticleArrays> | ParticleArrays;
  /** Returns a copy of everything that `restore` needs. */
  checkpoint(): Promise<Checkpoint> | Checkpoint;
  /** Continues from a checkpoint. Throws and changes nothing if the checkpoint does not fit this simulation. */
  restore(checkpoint: Checkpoint): void;
  /** Frees the memory. Later calls of other methods throw a DestroyedError. */
  destroy(): void;
}

/** Checks the arguments of `advance`, and returns `most` or its default. */
export function checkAdvance(
  simulation: Pick<ParticleSimulation, 'continuous' | 'settings' | 'longestStep'>,
  dt: number,
  most: number | undefined,
): number {
  const { substeps } = simulation.settings;
  checkContinuous(simulation, 'advance');
  checkTimeStep(dt, simulation);
  if (most === undefined) return Math.min(MAX_SUBSTEPS, 2 * substeps);
  checkInteger('most', most, 1, MAX_SUBSTEPS);
  return most;
}

/** Implements `advance`. `farthest`: the farthest that a particle moves in the step, in diameters of that particle. */
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

/** Throws unless the simulation is `continuous`. `name` is the method that was called. */
export function checkContinuous({ continuous }: Pick<ParticleSimulation, 'continuous'>, name: string): void {
  if (continuous) return;
  throw new CellstormError(`${name} needs a simulation that was created with \`continuous: true\`.`);
}
