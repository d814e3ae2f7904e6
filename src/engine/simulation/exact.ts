/** The host's part of exact simulations. It is loaded only if there is such a simulation. */
import type { Settings, Substep } from '../../core/contact/settings';
import { checkExactArrays } from '../../core/exact/arrays';
import { checkExactBodies, checkExactObstacles, type FloatBodies } from '../../core/exact/bodies';
import { type Floats, toExact, toExactObstacles, toFloats, wrapExactly } from '../../core/exact/convert';
import { exponentOf, packFactor } from '../../core/exact/integers';
import type { Quanta } from '../../core/exact/quanta';
import { checkExactStep } from '../../core/exact/step';
import { deriveExactSubstep } from '../../core/exact/substep';
import { type ObstaclesGiven, obstaclesOf } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import type { Checkpoint, ExactArrays, ParticleArrays } from '../../core/simulation/simulation';
import type { Dimensions, World } from '../../core/world/world';
import type { ExactValues } from '../../gpu/params';
import { EXACT_MODULES } from '../../passes/solve/exact';

type Wholes = Pick<ExactArrays, 'positions' | 'velocities'>;
type Bits = Pick<ParticleArrays, 'positions' | 'velocities'>;

/** Checks and converts the inputs of an exact simulation. Methods named `check…` throw if an input is invalid. */
export class ExactParts {
  private last: { substep: Substep; step: number; values: ExactValues } | undefined;

  constructor(private readonly quanta: Quanta) {}

  /** Returns the world with the cells and the modules that shaders need. See shaders/world/exact.wgsl for the cells. */
  worldOf(world: World): World {
    const { diameter, extent } = this.quanta;
    const cells = extent.map((size, axis) => {
      const inside = Math.max(1, Math.floor(size / diameter));
      return (world.period[axis] as number) > 0 ? inside : inside + 2;
    });
    const cellCount = cells.reduce((product, count) => product * count, 1);
    return Object.freeze({ ...world, cells: Object.freeze(cells), cellCount, exact: EXACT_MODULES });
  }

  checkBodies(bodies: FloatBodies): void {
    checkExactBodies(this.quanta, bodies, this.quanta.origin.length as Dimensions);
  }

  checkObstacles(given: ObstaclesGiven | StaticBodies): void {
    checkExactObstacles(this.quanta, given);
  }

  checkStep(dt: number, settings: Settings): void {
    checkExactStep(dt, settings, this.quanta);
  }

  /** Checks what checkCheckpoint of core/simulation/checkpoint.ts leaves out. */
  checkCheckpoint(checkpoint: Checkpoint): void {
    if (checkpoint.exact) checkExactArrays(checkpoint.exact, checkpoint.positions.length);
    checkExactObstacles(this.quanta, obstaclesOf(checkpoint), 'checkpoint.obstacles');
  }

  /** Converts positions and velocities to whole numbers. Returns their bits in float arrays. */
  bitsOf(bodies: Floats): Bits {
    return this.bitsOfWholes(toExact(this.quanta, bodies));
  }

  /** Like bitsOf, for positions and velocities that are whole numbers already. Wraps positions into the world. */
  bitsOfWholes({ positions, velocities }: Wholes): Bits {
    const { period } = this.quanta;
    const wrapped = positions.map((at, word) => wrapExactly(at, period[word % period.length] as number));
    return { positions: asFloats(wrapped), velocities: asFloats(velocities) };
  }

  /** Converts positions of obstacles to whole numbers. Returns their bits in a float array. */
  readonly obstacleBits = (positions: Float32Array): Float32Array =>
    asFloats(toExactObstacles(this.quanta, positions));

  /** Takes float arrays with the bits of whole numbers. Returns these numbers, and the floats that they stand for. */
  arraysOf(positions: Float32Array, velocities: Float32Array): Bits & { readonly exact: Wholes } {
    const exact = {
      positions: new Int32Array(positions.buffer),
      velocities: new Int32Array(velocities.buffer),
    };
    return { ...toFloats(this.quanta, exact), exact };
  }

  /**
   * Returns the parameters of a substep of step number `step`. A repeated call returns the same object, so that
   * SharedParameters does not write the values again.
   */
  valuesOf(substep: Substep, step: number): ExactValues {
    if (this.last?.substep !== substep || this.last.step !== step) {
      this.last = { substep, step, values: exactValuesOf(this.quanta, substep, step) };
    }
    return this.last.values;
  }
}

function exactValuesOf(quanta: Quanta, substep: Substep, step: number): ExactValues {
  const exact = deriveExactSubstep(quanta, substep, step);
  return {
    // Searches for candidates use floats; whole numbers then decide about contacts.
    diameter_squared: quanta.searchDiameter ** 2,
    // A multiple of 2⁻³¹, because devices may flush much smaller floats to 0.
    restitution: exact.restitution,
    quantum: quanta.length,
    extent: quanta.extent,
    quanta_bits: exponentOf(quanta.diameter),
    gained: Array.from(exact.gained),
    dither: exact.dither,
    gain: Array.from(exact.meanGain),
    exact_dt: packFactor(exact.dt),
    exact_relaxation: packFactor(exact.halfRelaxation),
    push_rate: packFactor(exact.pushRate),
    wall_rate: packFactor(exact.wallRate),
    exact_friction: packFactor(exact.friction),
    exact_grip: packFactor(exact.gripShare),
    rebound: packFactor(exact.rebound),
    half_rebound: packFactor(exact.halfRebound),
    damping: packFactor(exact.damping),
    most_overlap: exact.mostOverlap,
    most_depth: exact.mostDepth,
    exact_rest_speed: exact.restSpeed,
    exact_push_speed: exact.pushSpeed,
    exact_kick_speed: exact.kickSpeed,
    exact_calm_speed: exact.calmSpeed,
  };
}

/** Returns the same memory as floats, for copies of bits. */
function asFloats(words: Int32Array): Float32Array {
  return new Float32Array(words.buffer, words.byteOffset, words.length);
}
