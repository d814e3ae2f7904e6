/**
 * Finds what a ray meets by testing each particle and each of its images, in doubles: the oracle of rays.
 * Inputs: packed positions as a grid stores them; a ray; the radius of all balls, or of each. In a periodic world
 * (`period` is not 0) a ball counts where it is first met, at most `mostPeriods` along an axis.
 * Outputs: hits by distance and then by id, and the balls that rounding may decide either way: rounding to 32-bit
 * floats, or by `share`.
 */
import { MOST_PERIODS } from '../../core/base/constants';
import { isFiniteParticle } from '../measure/finite';

export interface ReferenceRay {
  readonly origin: readonly number[];
  readonly direction: readonly number[];
  readonly greatestDistance: number;
}

export interface ReferenceHit {
  readonly id: number;
  readonly distance: number;
  /** The largest error of the distance in 32-bit floats. */
  readonly tolerance: number;
}

export interface ReferenceHits {
  readonly hits: readonly ReferenceHit[];
  /** Balls that the ray touches to within rounding, or that it first meets elsewhere to within rounding. */
  readonly doubtful: ReadonlySet<number>;
}

/**
 * The error of a centre's distance from a ray in 32-bit floats, as a share of the centre's distance from the origin.
 * With u = 2⁻²⁴ the difference of centre and origin is off by u of itself, its product with the direction by 3 u and
 * the quotient by 2.5 more, the position on the ray by 2 u, and the rest by u; the radius² by 2 u. Together less than
 * 16 u.
 */
const BAND = 2 ** -20;

const NOWHERE: ReferenceHits = { hits: [], doubtful: new Set() };

export function hitsAlongRay(
  positions: Float32Array,
  period: readonly number[],
  { origin, direction, greatestDistance }: ReferenceRay,
  radii: number | ArrayLike<number>,
  share = BAND,
): ReferenceHits {
  const dimensions = period.length;
  const squared = direction.reduce((sum, value) => sum + value * value, 0);
  const isRay = [...origin, ...direction].every(Number.isFinite) && squared > 0 && greatestDistance >= 0;
  if (!isRay) return NOWHERE;
  const reach = direction.reduce((most, speed, axis) => {
    const length = period[axis] as number;
    return length > 0 && speed !== 0 ? Math.min(most, (MOST_PERIODS * length) / Math.abs(speed)) : most;
  }, greatestDistance);
  const brought = origin.map((value, axis) => Math.abs(value) * ((period[axis] as number) > 0 ? 1 : 0));
  const farthest = Math.max(0, ...brought);
  const hits: ReferenceHit[] = [];
  const doubtful = new Set<number>();
  for (let id = 0; id < positions.length / dimensions; id++) {
    if (!isFiniteParticle(dimensions, positions, id)) continue;
    const radius = typeof radii === 'number' ? radii : (radii[id] as number);
    const spare = share * (radius + farthest);
    const away = origin.map((value, axis) => (positions[dimensions * id + axis] as number) - value);
    let first: ReferenceHit | undefined;
    let doubt = Number.POSITIVE_INFINITY;
    forEachImage(away, direction, reach, radius, period, (image) => {
      const along = dot(image, direction) / squared;
      const nearest = Math.max(0, Math.min(along, reach));
      const apart = length(image.map((value, axis) => value - nearest * (direction[axis] as number)));
      const foot = length(image.map((value, axis) => value - along * (direction[axis] as number)));
      const halfChord = Math.sqrt(Math.max(radius * radius - foot * foot, 0));
      const distance = Math.max(0, Math.min(along - halfChord / Math.sqrt(squared), reach));
      const band = share * length(image) + spare;
      const tolerance =
        (band + (2 * radius * band) / Math.max(halfChord, Math.sqrt(radius * band))) / Math.sqrt(squared);
      if (Math.abs(apart - radius) <= band) doubt = Math.min(doubt, distance - tolerance);
      if (apart <= radius && (first === undefined || distance < first.distance)) {
        first = { id, distance, tolerance };
      }
    });
    if (first) hits.push(first);
    const decided = (first as ReferenceHit | undefined)?.distance ?? Number.MAX_VALUE;
    if (doubt <= decided) doubtful.add(id);
  }
  hits.sort((a, b) => a.distance - b.distance || a.id - b.id);
  return { hits, doubtful };
}

/**
 * Visits the vectors from the origin to all images that the ray may come near: along the fastest axis all images, along
 * the other axes the images near the ray at that time.
 */
function forEachImage(
  away: readonly number[],
  direction: readonly number[],
  reach: number,
  radius: number,
  period: readonly number[],
  visit: (image: readonly number[]) => void,
): void {
  const near = 2 * radius;
  const periodic = [...period.keys()].filter((axis) => (period[axis] as number) > 0);
  const speedOf = (axis: number) => Math.abs(direction[axis] as number);
  periodic.sort((a, b) => speedOf(b) - speedOf(a));
  const image = [...away];
  const go = (index: number, from: number, to: number): void => {
    const axis = periodic[index];
    if (axis === undefined) {
      visit([...image]);
      return;
    }
    const length = period[axis] as number;
    const speed = direction[axis] as number;
    const ends = [speed * from, speed * to];
    const first = Math.ceil((Math.min(...ends) - near - (away[axis] as number)) / length);
    const last = Math.floor((Math.max(...ends) + near - (away[axis] as number)) / length);
    for (let count = first; count <= last; count++) {
      const shifted = (away[axis] as number) + count * length;
      image[axis] = shifted;
      const times = speed === 0 ? [from, to] : [(shifted - near) / speed, (shifted + near) / speed];
      const start = Math.max(from, Math.min(...times));
      const end = Math.min(to, Math.max(...times));
      if (start <= end) go(index + 1, start, end);
    }
  };
  go(0, 0, Number.isFinite(reach) ? reach : Number.MAX_VALUE);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, axis) => sum + value * (b[axis] as number), 0);
}

function length(vector: readonly number[]): number {
  return Math.sqrt(dot(vector, vector));
}

/**
 * Describes the fault of an answer, which must be in order and equal the reference's except for ambiguous balls.
 */
export function faultOfHits(
  ids: ArrayLike<number>,
  distances: ArrayLike<number>,
  { hits, doubtful }: ReferenceHits,
): string | undefined {
  const got = new Map<number, number>();
  for (let index = 0; index < ids.length; index++) {
    const [id, distance] = [ids[index] as number, distances[index] as number];
    const [before, earlier] = [ids[index - 1] ?? -1, distances[index - 1] ?? Number.NEGATIVE_INFINITY];
    if (!(earlier < distance || (earlier === distance && before < id))) {
      return `ball ${id} at ${distance} comes after ball ${before} at ${earlier}`;
    }
    if (got.has(id)) return `ball ${id} comes twice`;
    got.set(id, distance);
  }
  const known = new Set(hits.map(({ id }) => id));
  const extra = [...got.keys()].find((id) => !known.has(id) && !doubtful.has(id));
  if (extra !== undefined) return `ball ${extra} at ${got.get(extra)} is not met`;
  const wrong = hits.find(({ id, distance, tolerance }) => {
    const seen = got.get(id) ?? Number.NaN;
    return !doubtful.has(id) && !(Math.abs(seen - distance) <= tolerance);
  });
  return wrong && `ball ${wrong.id} is at ${got.get(wrong.id)} instead of ${wrong.distance}`;
}
