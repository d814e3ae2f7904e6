/**
 * An oracle for millions of particles, which shares no search code with the grid. Divides space into strips by the
 * second coordinate, and sweeps along each strip.
 */

import { isFiniteParticle } from '../measure/finite';
import { PairJudge } from './brute-force';
import type { OraclePairs } from './pair-list';

const NO_ENTRIES = new Uint32Array(0);

/** Height of a strip in diameters: more than 1, for borderline pairs and the rounding of strip numbers. */
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
  const images = withImages(dimensions, positions, reach, period);
  const swept = Float64Array.from(images.packed);
  const strips = makeStrips(dimensions, swept, reach);
  const x = (entry: number) => swept[entry * dimensions] as number;
  const seen = new Set<number>();
  const count = positions.length / dimensions;
  const consider = (entry: number, other: number) => {
    const a = images.particles[entry] as number;
    const b = images.particles[other] as number;
    // Skip images of the particle itself, and two images with equal shifts: their particles are compared anyway.
    if (a === b || (entry >= count && images.shifts[entry] === images.shifts[other])) return;
    if (entry >= count || other >= count) {
      const key = Math.min(a, b) * count + Math.max(a, b);
      if (seen.has(key)) return;
      seen.add(key);
    }
    judge.consider(a, b);
  };
  for (let index = 0; index < strips.length; index++) {
    const { number, entries: strip } = strips[index] as Strip;
    const next = strips[index + 1];
    const above = next?.number === number + 1 ? next.entries : NO_ENTRIES;
    let first = 0;
    for (let entry = 0; entry < strip.length; entry++) {
      const particle = strip[entry] as number;
      const end = x(particle) + reach;
      for (let other = entry + 1; other < strip.length && x(strip[other] as number) <= end; other++) {
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
  /** Positions of the particles, then of images. A particle near a low end has an image beyond the high end. */
  readonly packed: number[];
  readonly particles: number[];
  /** Bit i is set if the position is shifted by a period along axis i. */
  readonly shifts: number[];
}

function withImages(
  dimensions: number,
  positions: Float32Array,
  reach: number,
  period: readonly number[],
): Images {
  const packed = Array.from(positions);
  const particles = Array.from({ length: positions.length / dimensions }, (_, particle) => particle);
  const shifts = particles.map(() => 0);
  // The third axis needs no images: the sweep ignores it, and the judge tests pairs by minimum images.
  for (let axis = 0; axis < 2; axis++) {
    const length = period[axis] as number;
    if (length === 0) continue;
    let highest = Number.NEGATIVE_INFINITY;
    for (let index = axis; index < positions.length; index += dimensions) {
      if (Number.isFinite(positions[index])) highest = Math.max(highest, positions[index] as number);
    }
    // The sources include images of the first axis, so that particles near both low ends get images of images.
    const sources = particles.length;
    for (let source = 0; source < sources; source++) {
      const coordinate = packed[source * dimensions + axis] as number;
      if (!(coordinate + length <= highest + reach)) continue;
      const first = packed.length;
      for (let along = 0; along < dimensions; along++)
        packed.push(packed[source * dimensions + along] as number);
      packed[first + axis] = coordinate + length;
      particles.push(particles[source] as number);
      shifts.push((shifts[source] as number) | (1 << axis));
    }
  }
  return { packed, particles, shifts };
}

interface Strip {
  /** Index along the second axis; may be negative. */
  readonly number: number;
  /** Indices of positions, sorted by the first coordinate. */
  readonly entries: Uint32Array;
}

/** Returns strips in ascending order. Particles within reach of each other are at most one strip apart. */
function makeStrips(dimensions: number, positions: Float64Array, height: number): Strip[] {
  const count = positions.length / dimensions;
  const byNumber = new Map<number, number[]>();
  for (let entry = 0; entry < count; entry++) {
    if (!isFiniteParticle(dimensions, positions, entry)) continue;
    const number = Math.floor((positions[entry * dimensions + 1] as number) / height);
    const strip = byNumber.get(number);
    if (strip) strip.push(entry);
    else byNumber.set(number, [entry]);
  }
  const x = (entry: number) => positions[entry * dimensions] as number;
  return Array.from(byNumber, ([number, entries]) => ({
    number,
    entries: Uint32Array.from(entries).sort((a, b) => x(a) - x(b)),
  })).sort((a, b) => a.number - b.number);
}
