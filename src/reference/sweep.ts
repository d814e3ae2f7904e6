/**
 * Purpose: an oracle for millions of particles that shares nothing with the grid: particles are dealt into
 * strips along the second axis, sorted along the first in each, and swept. Its pairs equal brute force's.
 * Inputs and outputs as in brute-force.ts.
 */
import { PairJudge } from './brute-force';
import { isFiniteParticle } from './finite';
import type { OraclePairs } from './pair-list';

/** Reach of the sweep over the diameter: more than the band and the rounding of strip numbers need. */
const MARGIN = 1 + 2 ** -16;

/** Strips at most; a far outlier must not ask for billions. More would be empty for fewer than 10⁹ particles. */
const MOST_STRIPS = 2 ** 16;

export function sweepPairs(
  dimensions: number,
  positions: Float32Array,
  diameter: number,
  ids?: Uint32Array,
): OraclePairs {
  const reach = diameter * MARGIN;
  const strips = dealStrips(dimensions, positions, reach);
  const judge = new PairJudge(dimensions, positions, diameter, ids);
  const x = (particle: number) => positions[particle * dimensions] as number;
  for (let index = 0; index < strips.length; index++) {
    const strip = strips[index] as Uint32Array;
    const above = strips[index + 1] ?? new Uint32Array(0);
    let first = 0;
    for (let place = 0; place < strip.length; place++) {
      const particle = strip[place] as number;
      const end = x(particle) + reach;
      for (let other = place + 1; other < strip.length && x(strip[other] as number) <= end; other++) {
        judge.consider(particle, strip[other] as number);
      }
      const begin = x(particle) - reach;
      while (first < above.length && x(above[first] as number) < begin) first++;
      for (let other = first; other < above.length && x(above[other] as number) <= end; other++) {
        judge.consider(particle, above[other] as number);
      }
    }
  }
  return judge.verdict();
}

/** Finite particles by strip, each strip sorted by x. Particles within reach are at most one strip apart. */
function dealStrips(dimensions: number, positions: Float32Array, height: number): Uint32Array[] {
  const count = positions.length / dimensions;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let particle = 0; particle < count; particle++) {
    if (!isFiniteParticle(dimensions, positions, particle)) continue;
    low = Math.min(low, positions[particle * dimensions + 1] as number);
    high = Math.max(high, positions[particle * dimensions + 1] as number);
  }
  if (low > high) return [];
  const stripOf = (particle: number) =>
    Math.min(MOST_STRIPS - 1, Math.floor(((positions[particle * dimensions + 1] as number) - low) / height));
  const sizes = new Uint32Array(Math.min(MOST_STRIPS, Math.floor((high - low) / height) + 1));
  for (let particle = 0; particle < count; particle++) {
    if (!isFiniteParticle(dimensions, positions, particle)) continue;
    const strip = stripOf(particle);
    sizes[strip] = (sizes[strip] as number) + 1;
  }
  const strips = Array.from(sizes, (size) => new Uint32Array(size));
  for (let particle = 0; particle < count; particle++) {
    if (!isFiniteParticle(dimensions, positions, particle)) continue;
    const strip = stripOf(particle);
    const room = (sizes[strip] as number) - 1;
    sizes[strip] = room;
    (strips[strip] as Uint32Array)[room] = particle;
  }
  for (const strip of strips) {
    strip.sort((a, b) => (positions[a * dimensions] as number) - (positions[b * dimensions] as number));
  }
  return strips;
}
