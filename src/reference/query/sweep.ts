/**
 * An oracle for millions of particles that shares nothing with the grid: it deals particles into strips along the
 * second axis, sorts each along the first, and sweeps. Its pairs equal brute force's. Inputs and outputs as in
 * brute-force.ts.
 */

import { isFiniteParticle } from '../measure/finite';
import { PairJudge } from './brute-force';
import type { OraclePairs } from './pair-list';

const NOBODY = new Uint32Array(0);

/** Reach of the sweep over the diameter: more than the band and the rounding of strip numbers need. */
const MARGIN = 1 + 2 ** -16;

export function sweepPairs(
  dimensions: number,
  positions: Float32Array,
  diameter: number,
  ids?: Uint32Array,
  period: readonly number[] = new Array<number>(dimensions).fill(0),
): OraclePairs {
  const reach = diameter * MARGIN;
  const judge = new PairJudge(dimensions, positions, diameter, ids, period);
  // Images stand for their particles; each pair is tested once, by its minimum image.
  const images = withImages(dimensions, positions, reach, period);
  const swept = Float64Array.from(images.places);
  const strips = dealStrips(dimensions, swept, reach);
  const x = (place: number) => swept[place * dimensions] as number;
  const seen = new Set<number>();
  const count = positions.length / dimensions;
  const consider = (place: number, other: number) => {
    const a = images.particles[place] as number;
    const b = images.particles[other] as number;
    // Two images that are shifted the same way are the pair of their particles, which is tested already.
    if (a === b || (place >= count && images.carried[place] === images.carried[other])) return;
    if (place >= count || other >= count) {
      const key = Math.min(a, b) * count + Math.max(a, b);
      if (seen.has(key)) return;
      seen.add(key);
    }
    judge.consider(a, b);
  };
  for (let index = 0; index < strips.length; index++) {
    const { number, places: strip } = strips[index] as Strip;
    const next = strips[index + 1];
    const above = next?.number === number + 1 ? next.places : NOBODY;
    let first = 0;
    for (let place = 0; place < strip.length; place++) {
      const particle = strip[place] as number;
      const end = x(particle) + reach;
      for (let other = place + 1; other < strip.length && x(strip[other] as number) <= end; other++) {
        consider(particle, strip[other] as number);
      }
      const begin = x(particle) - reach;
      while (first < above.length && x(above[first] as number) < begin) first++;
      for (let other = first; other < above.length && x(above[other] as number) <= end; other++) {
        consider(particle, above[other] as number);
      }
    }
  }
  return judge.verdict();
}

interface Images {
  /** Packed: particles as they are, then images of those near the low ends, beyond the high ends. */
  readonly places: number[];
  readonly particles: number[];
  /** For each, one bit per axis along which it is shifted by a period. */
  readonly carried: number[];
}

/** Two particles that are near across an end meet as a particle and an image, or as two images. */
function withImages(
  dimensions: number,
  positions: Float32Array,
  reach: number,
  period: readonly number[],
): Images {
  const places = Array.from(positions);
  const particles = Array.from({ length: positions.length / dimensions }, (_, particle) => particle);
  const carried = particles.map(() => 0);
  // The third axis needs no images: minimum images meet along it anyway.
  for (let axis = 0; axis < 2; axis++) {
    const length = period[axis] as number;
    if (length === 0) continue;
    let highest = Number.NEGATIVE_INFINITY;
    for (let index = axis; index < positions.length; index += dimensions) {
      if (Number.isFinite(positions[index])) highest = Math.max(highest, positions[index] as number);
    }
    // Particles near the low ends of several axes have images of images.
    const sources = particles.length;
    for (let source = 0; source < sources; source++) {
      const coordinate = places[source * dimensions + axis] as number;
      if (!(coordinate + length <= highest + reach)) continue;
      const first = places.length;
      for (let along = 0; along < dimensions; along++)
        places.push(places[source * dimensions + along] as number);
      places[first + axis] = coordinate + length;
      particles.push(particles[source] as number);
      carried.push((carried[source] as number) | (1 << axis));
    }
  }
  return { places, particles, carried };
}

interface Strip {
  /** Number of the strip along the second axis: any whole number. */
  readonly number: number;
  /** Sorted by the first coordinate. */
  readonly places: Uint32Array;
}

/**
 * Finite positions by strip, strips ascending, without empty ones. Particles within reach are at most one strip apart.
 */
function dealStrips(dimensions: number, positions: Float64Array, height: number): Strip[] {
  const count = positions.length / dimensions;
  const dealt = new Map<number, number[]>();
  for (let place = 0; place < count; place++) {
    if (!isFiniteParticle(dimensions, positions, place)) continue;
    const number = Math.floor((positions[place * dimensions + 1] as number) / height);
    const strip = dealt.get(number);
    if (strip) strip.push(place);
    else dealt.set(number, [place]);
  }
  const x = (place: number) => positions[place * dimensions] as number;
  return Array.from(dealt, ([number, places]) => ({
    number,
    places: Uint32Array.from(places).sort((a, b) => x(a) - x(b)),
  })).sort((a, b) => a.number - b.number);
}
