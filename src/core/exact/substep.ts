/**
 * The numbers of a substep of an exact simulation, as whole numbers of quanta and as factors of 16 bits. Vectors are
 * typed arrays, because V8 tests the type of a number from an ordinary array each time a loop uses it.
 */
import type { Substep } from '../contact/settings';
import { factorOf, round, scaleOf } from './integers';
import { type Quanta, REACH } from './quanta';
import { MOST_SPEED } from './step';

/** Greater push velocities would change nothing, because this one is above every limit of pushChange. */
const MOST_PUSH = 2 ** 30;

/** Number of values of the dither. */
const DITHERS = 2 ** 16;

export interface ExactSubstep {
  readonly quanta: Quanta;
  /** Factor from velocities to the distance of a substep. */
  readonly dt: number;
  /** Quanta per second that gravity adds in a substep: `gained` in this step, `meanGain` on average over many steps. */
  readonly gained: Float64Array;
  readonly meanGain: Float64Array;
  /** See ditherOf. */
  readonly dither: number;
  /** Rounding velocity · dt + motionOffset to the nearest whole number adds the dither and rounds down. */
  readonly motionOffset: number;
  /** relaxation / 2: factor from an overlap to the push of each of two particles. */
  readonly halfRelaxation: number;
  /** Factor from an overlap to the velocity of that push, for overlaps up to `mostOverlap`. */
  readonly pushRate: number;
  readonly mostOverlap: number;
  /** Factor from a depth in a wall or obstacle, up to `mostDepth`, to the velocity that undoes it in one substep. */
  readonly wallRate: number;
  readonly mostDepth: number;
  readonly friction: number;
  readonly gripShare: number;
  readonly restitution: number;
  /** 1 + restitution, half of it, and 1 − restitution. */
  readonly rebound: number;
  readonly halfRebound: number;
  readonly damping: number;
  readonly restSpeed: number;
  readonly pushSpeed: number;
  readonly kickSpeed: number;
  readonly calmSpeed: number;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly walls: boolean;
}

/**
 * Returns the dither, from 0 to DITHERS − 1: motion in step number `step` adds dither / DITHERS quanta before it rounds
 * down. So on average over many steps, a motion of 0.1 quanta per substep moves a particle one quantum per ten
 * substeps. Multiples of the golden ratio, modulo 1, spread evenly, however many there are.
 */
function ditherOf(step: number): number {
  return Math.imul(step, 0x9e37_79b1) >>> 16;
}

/** Converts the numbers of a substep from floats. `step` is the number of the step. */
export function deriveExactSubstep(quanta: Quanta, substep: Substep, step: number): ExactSubstep {
  const { length, extent, period } = quanta;
  const { dt, inverseDt, gravity, halfRelaxation, gripShare, friction, restitution, walls } = substep;
  const toQuanta = (value: number) => Math.min(MOST_SPEED, Math.round(value / length));
  const dither = ditherOf(step);
  const gain = gravity.map((along) => Math.round((along * dt * DITHERS) / length));
  const dtFactor = factorOf(dt);
  const pushRate = factorOf(halfRelaxation * inverseDt);
  const wallRate = factorOf(inverseDt);
  const pushSpeed = toQuanta(substep.pushSpeed);
  const radius = quanta.diameter / 2;
  const limit = (value: number, axis: number, without: number) => (period[axis] === 0 ? value : without);
  return {
    quanta,
    dt: dtFactor,
    gained: Float64Array.from(gain, (along) => Math.floor((along + dither) / DITHERS)),
    meanGain: Float64Array.from(gain, (along) => round(along / DITHERS)),
    dither,
    // velocity · dt + motionOffset is an odd multiple of the last term here, which is half of the last digit of
    // velocity · dt. So the sum is never halfway between two whole numbers.
    motionOffset: dither / DITHERS - 0.5 + 0.5 / scaleOf(dtFactor),
    halfRelaxation: factorOf(halfRelaxation),
    pushRate,
    mostOverlap: mostFor(pushRate),
    wallRate,
    mostDepth: mostFor(wallRate),
    friction: factorOf(friction),
    gripShare: factorOf(gripShare),
    restitution: factorOf(restitution),
    rebound: factorOf(1 + restitution),
    halfRebound: factorOf((1 + restitution) / 2),
    damping: factorOf(1 - restitution),
    restSpeed: toQuanta(substep.restSpeed),
    pushSpeed,
    kickSpeed: Math.floor(pushSpeed / 8),
    calmSpeed: toQuanta(substep.calmSpeed),
    lower: Float64Array.from(extent, (_, axis) => limit(radius, axis, -REACH)),
    upper: Float64Array.from(extent, (size, axis) => limit(size - radius, axis, REACH - 1)),
    walls,
  };
}

/** Returns the greatest length, at most MOST_PUSH, whose product with a rate is at most MOST_PUSH. */
function mostFor(rate: number): number {
  return Math.floor(MOST_PUSH / Math.max(1, rate));
}
