/**
 * Purpose: the shape that the GPU engine and the CPU engine share, so that code written for one runs on
 * the other: what they take, what they answer, and what they do alike. simulation-plan.ts checks and completes what one is
 * made with, simulation-checkpoint.ts what it goes on from. Where the GPU must wait for a readback it returns a promise, and
 * the CPU engine the value: `await` serves both.
 */

import { checkInteger } from '../base/checks';
import { CellstormError } from '../base/errors';
import { FAST_SHARE, type Flights } from '../ccd/law';
import { checkTimeStep, MAX_SUBSTEPS, type Settings, type SettingsOptions } from '../contact/settings';
import type { ObstaclesGiven } from '../obstacles/obstacles';
import type { Sizes } from '../particles/shapes';
import type { Dimensions, RadiusRange, World, WorldOptions } from '../world/world';
import type { ParticlesCheckpoint } from './particles-checkpoint';

export interface SimulationOptions extends SettingsOptions, WorldOptions {
  /** Particles at most; memory is reserved for all of them. Default: as many as `positions` holds. */
  readonly capacity?: number | undefined;
  /** Of every particle; left out where each has a radius of its own. */
  readonly radius?: number | undefined;
  /**
   * A radius for each of `positions`, where particles have radii of their own; they then weigh radius^dimensions (see
   * core/contact/settings.ts).
   */
  readonly radii?: Float32Array | undefined;
  /**
   * What radii of particles may be, now and later; of a box that of the ball around it. Default: from the smallest to the
   * largest that there is.
   */
  readonly radiusRange?: RadiusRange | undefined;
  /**
   * Of particles that are boxes, half of the edge along each axis, `dimensions` numbers a particle; 0 for balls (discs). The
   * radius of a box is 0; where all are boxes, `radii` are left out. Boxes do not rotate. See core/particles/shapes.ts.
   */
  readonly halfExtents?: Float32Array | undefined;
  /** Whether particles may be boxes, now and later. Default: whether there are `halfExtents`. */
  readonly boxes?: boolean | undefined;
  /**
   * Opposite corners; default: a box for `capacity` particles at a fifth of the area (volume),
   * four cells long at least along axes that wrap around.
   */
  readonly min?: readonly number[] | undefined;
  readonly max?: readonly number[] | undefined;
  /** First particles, `dimensions` numbers each; their ids are 0, 1, 2 … */
  readonly positions?: Float32Array | undefined;
  readonly velocities?: Float32Array | undefined;
  /**
   * Positions of particles that never move: level geometry. They have no ids and are in no count; moving particles are
   * pushed off them. Of the same radius, or where particles have radii of their own, an object of `positions` and sizes,
   * which may be any, whatever the `radiusRange`; boxes among them where particles may be boxes. Default: none.
   */
  readonly obstacles?: ObstaclesGiven | undefined;
  /** Obstacles at most, for `setObstacles`; memory is reserved for all of them. Default: as many as `obstacles` holds. */
  readonly obstacleCapacity?: number | undefined;
  /**
   * No tunnelling: the paths of particles that move farther than a sixteenth of a diameter in a substep are followed, and
   * end where they hit somebody (see core/ccd/law.ts). Default false.
   */
  readonly continuous?: boolean | undefined;
}

export interface Measures {
  /** Particles alive: in the world's cells, plus those set aside. */
  readonly count: number;
  /** Unordered pairs that the broad phase hands to the distance test. */
  readonly candidates: number;
  /**
   * Unordered pairs that overlap: distance² < diameter², or the square of the sum of both radii where each particle
   * has its own; of boxes see core/particles/shapes.ts. Touching is not overlapping.
   */
  readonly contacts: number;
  /**
   * Of all pairs, those so close to touching (distance² within 2^-20 of diameter², relative) that rounding of
   * 32-bit floats may have decided whether they are contacts. 0 where nothing rounds: where the coordinates and
   * the diameter are multiples of 2^(floor(log2 diameter) - 11), for a diameter of 1 of 1/2048; and on the CPU
   * engine, whose decisions are exact. Where each particle has its own radius, the sum of both stands for the diameter
   * in the first, the largest diameter in the second, and radii must be such multiples too. Where one is a box, those that
   * overlap or are apart by 2^-19 of the sum of both radii (of boxes 0) and of all half extents, and half extents must be
   * such multiples. In periodic worlds the share grows with the period: a difference from one end to the other is rounded
   * as what it is, about one period.
   */
  readonly borderline: number;
  /** Overlaps of a particle with an obstacle, told as `contacts` are. No other of these figures counts obstacles. */
  readonly obstacleContacts: number;
  /**
   * Particles that share a bucket of the table with particles of another cell: unbounded worlds only, and others where
   * particles have radii of their own, else 0. It costs time, never a contact.
   */
  readonly bucketCollisions: number;
  readonly occupiedCells: number;
  /** Particles in the fullest cell. */
  readonly greatestOccupancy: number;
  /** Particles in cells of more than 128: they cost the square of their number. See crowdingWarning. */
  readonly crowded: number;
  /** Particles whose centre is outside the world's box. */
  readonly outside: number;
  /**
   * Particles set aside because a coordinate is not finite: in a checkpoint, by a move out of the range of
   * 32-bit floats, or with a component of velocity of 2^48 and more, which sets the position to NaN.
   */
  readonly nonFinite: number;
  /**
   * ½ Σ m v², each particle of mass 1, or where each has its own radius, of (radius / largest)^dimensions, a box of that of
   * a ball as large.
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

/** What findPairs finds, and how many pairs, in the list or not, rounding may have decided on: see Measures. */
export interface FoundPairs extends PairList {
  readonly borderline: number;
}

/** Particles sorted by id; set-aside ones included. */
export interface ParticleArrays {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  /** Where each has a radius of its own; of a box 0. */
  readonly radii?: Float32Array | undefined;
  /** Where they may be boxes: half of each edge, of others 0. */
  readonly halfExtents?: Float32Array | undefined;
}

/** Everything needed to go on with the same bits: plain data, safe to copy and to store. */
export interface Checkpoint extends ParticleArrays, ParticlesCheckpoint {
  /** Of every particle; where each has its own, the largest of `radiusRange`. */
  readonly radius: number;
  /** What radii may be; left out where all are equal. */
  readonly radiusRange?: RadiusRange | undefined;
  /** Left out where no particle may be a box. */
  readonly boxes?: true | undefined;
  /** Left out where the paths of fast particles are not followed. */
  readonly continuous?: true | undefined;
  readonly time: number;
  readonly settings: Settings;
  /** As in SimulationOptions; left out where there are none. */
  readonly obstacles?: ObstaclesGiven | undefined;
}

export interface NewParticles {
  readonly positions: Float32Array;
  /** Default: at rest. */
  readonly velocities?: Float32Array | undefined;
  /** One for each particle, within the simulation's `radiusRange`; left out where all are equal. Of boxes 0. */
  readonly radii?: Float32Array | undefined;
  /** `dimensions` numbers for each particle, where they may be boxes: see SimulationOptions. */
  readonly halfExtents?: Float32Array | undefined;
}

/** Particles as the engines hold them: checked, with their ids, and with sizes as in Shapes. */
export interface Bodies extends Sizes {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

export interface ParticleSimulation {
  readonly backend: 'gpu' | 'cpu';
  readonly dimensions: Dimensions;
  readonly world: World;
  /** Of every particle; where each has its own, the largest there may be. */
  readonly radius: number;
  /** What radii may be, where each particle has its own. */
  readonly radiusRange: RadiusRange | undefined;
  /** Whether particles may be boxes. */
  readonly boxes: boolean;
  readonly capacity: number;
  readonly count: number;
  /** Particles that never move: how many there are, and may be. */
  readonly obstacleCount: number;
  readonly obstacleCapacity: number;
  /** Whether the paths of fast particles are followed. */
  readonly continuous: boolean;
  /** Simulated seconds. */
  readonly time: number;
  readonly settings: Settings;
  readonly memoryBytes: number;
  set(changes: SettingsOptions): void;
  /** Advances by `dt` seconds. */
  step(dt: number): void;
  /**
   * A step with as many substeps as the fastest particle needs to move no farther than a sixteenth of a diameter in one,
   * and at least those of the settings; where that would be more than `most`, with those of the settings, and fast
   * particles' paths are followed. Of a `continuous` simulation only. Default: twice those of the settings. Returns how
   * many it took.
   */
  advance(dt: number, most?: number): Promise<number> | number;
  /** How the fast particles of the last step fared; of a `continuous` simulation only. */
  flights(): Promise<Flights> | Flights;
  /**
   * Pushes overlapping particles apart without changing velocities or time. Each of the `rounds` (default 1) builds the grid
   * anew.
   */
  separate(rounds?: number): void;
  /** Returns the new particles' ids: the lowest free ones, ascending. */
  add(particles: NewParticles): Uint32Array;
  remove(ids: Uint32Array | readonly number[]): void;
  /** Replaces all obstacles, by `obstacleCapacity` at most. */
  setObstacles(obstacles: ObstaclesGiven): void;
  measure(): Promise<Measures> | Measures;
  findPairs(): Promise<FoundPairs> | FoundPairs;
  read(): Promise<ParticleArrays> | ParticleArrays;
  checkpoint(): Promise<Checkpoint> | Checkpoint;
  restore(checkpoint: Checkpoint): void;
  destroy(): void;
}

/** `most` of ParticleSimulation.advance, or an error: before anybody asks for the fastest particle. */
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

/** ParticleSimulation.advance, where nobody may move more than so many of its own diameters. */
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

/** For what only simulations that follow paths can tell. */
export function checkContinuous({ continuous }: Pick<ParticleSimulation, 'continuous'>, name: string): void {
  if (continuous) return;
  throw new CellstormError(`This simulation was created without \`continuous\`, which ${name} needs.`);
}
