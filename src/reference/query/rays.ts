/**
 * The oracle of rays: tests each ball in doubles, with all images that the ray may come near. A ball counts once, where
 * the ray first meets any of its images. The ray ends after MOST_PERIODS periods along any axis. `period` is 0 along
 * axes that do not wrap.
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
  readonly tolerance: number;
}

export interface ReferenceHits {
  readonly hits: readonly ReferenceHit[];
  /** Rounding may decide whether the ray meets these balls, or which of their images it meets first. */
  readonly doubtful: ReadonlySet<number>;
}

/**
 * The greatest error, in 32-bit floats, of the distance between a ray and a centre, as a share of the distance from
 * origin to centre. These errors add up to less than 16 u, with u = 2⁻²⁴:
 *   - u for the difference of centre and origin
 *   - 3 u for its product with the direction
 *   - 5 u (2.5 ulp) for the quotient
 *   - 2 u for the position on the ray
 *   - u for the vector from there to the centre
 *   - 2 u for the radius²
 */
const BAND = 2 ** -20;

const NO_HITS: ReferenceHits = { hits: [], doubtful: new Set() };

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
  if (!isRay) return NO_HITS;
  const reach = direction.reduce((most, speed, axis) => {
    const length = period[axis] as number;
    return length > 0 && speed !== 0 ? Math.min(most, (MOST_PERIODS * length) / Math.abs(speed)) : most;
  }, greatestDistance);
  const wrapped = origin.map((value, axis) => Math.abs(value) * ((period[axis] as number) > 0 ? 1 : 0));
  const farthest = Math.max(0, ...wrapped);
  const periodic = fastestFirst(direction, period);
  const hits: ReferenceHit[] = [];
  const doubtful = new Set<number>();
  const away = [...origin];
  for (let id = 0; id < positions.length / dimensions; id++) {
    if (!isFiniteParticle(dimensions, positions, id)) continue;
    const radius = typeof radii === 'number' ? radii : (radii[id] as number);
    const leastBand = share * (radius + farthest);
    for (let axis = 0; axis < dimensions; axis++) {
      away[axis] = (positions[dimensions * id + axis] as number) - (origin[axis] as number);
    }
    let first: ReferenceHit | undefined;
    let doubtFrom = Number.POSITIVE_INFINITY;
    forEachImage({ away, direction, reach, radius, period, periodic }, (image) => {
      const along = dot(image, direction) / squared;
      const nearest = Math.max(0, Math.min(along, reach));
      const apart = distanceTo(image, direction, nearest);
      const toLine = distanceTo(image, direction, along);
      const halfChord = Math.sqrt(Math.max(radius * radius - toLine * toLine, 0));
      const distance = Math.max(0, Math.min(along - halfChord / Math.sqrt(squared), reach));
      const band = share * length(image) + leastBand;
      const tolerance =
        (band + (2 * radius * band) / Math.max(halfChord, Math.sqrt(radius * band))) / Math.sqrt(squared);
      if (Math.abs(apart - radius) <= band) doubtFrom = Math.min(doubtFrom, distance - tolerance);
      if (apart <= radius && (first === undefined || distance < first.distance)) {
        first = { id, distance, tolerance };
      }
    });
    if (first) hits.push(first);
    const decided = (first as ReferenceHit | undefined)?.distance ?? Number.MAX_VALUE;
    if (doubtFrom <= decided) doubtful.add(id);
  }
  hits.sort((a, b) => a.distance - b.distance || a.id - b.id);
  return { hits, doubtful };
}

/** Returns the periodic axes, sorted by the ray's speed along them, the fastest first. */
function fastestFirst(direction: readonly number[], period: readonly number[]): number[] {
  const speedOf = (axis: number) => Math.abs(direction[axis] as number);
  const periodic = [...period.keys()].filter((axis) => (period[axis] as number) > 0);
  return periodic.sort((a, b) => speedOf(b) - speedOf(a));
}

interface ImagesNearRay {
  /** The vector from the ray's origin to the ball's centre. */
  readonly away: readonly number[];
  readonly direction: readonly number[];
  readonly reach: number;
  readonly radius: number;
  readonly period: readonly number[];
  /** The periodic axes in the order of fastestFirst. */
  readonly periodic: readonly number[];
}

/**
 * Visits all images of a ball that the ray may meet. Chooses the shift along one periodic axis after the other. A
 * choice usually narrows the part of the ray that may meet the ball, so the next axis needs fewer shifts.
 * `visit` must not keep its argument, which changes.
 */
function forEachImage(
  { away, direction, reach, radius, period, periodic }: ImagesNearRay,
  visit: (image: readonly number[]) => void,
): void {
  if (periodic.length === 0) {
    visit(away);
    return;
  }
  const near = 2 * radius;
  const image = [...away];
  const go = (index: number, from: number, to: number): void => {
    const axis = periodic[index];
    if (axis === undefined) {
      visit(image);
      return;
    }
    const length = period[axis] as number;
    const speed = direction[axis] as number;
    const [begin, finish] = [speed * from, speed * to];
    const first = Math.ceil((Math.min(begin, finish) - near - (away[axis] as number)) / length);
    const last = Math.floor((Math.max(begin, finish) + near - (away[axis] as number)) / length);
    for (let count = first; count <= last; count++) {
      const shifted = (away[axis] as number) + count * length;
      image[axis] = shifted;
      const one = speed === 0 ? from : (shifted - near) / speed;
      const other = speed === 0 ? to : (shifted + near) / speed;
      const start = Math.max(from, Math.min(one, other));
      const end = Math.min(to, Math.max(one, other));
      if (start <= end) go(index + 1, start, end);
    }
  };
  go(0, 0, Number.isFinite(reach) ? reach : Number.MAX_VALUE);
}

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let axis = 0; axis < a.length; axis++) sum += (a[axis] as number) * (b[axis] as number);
  return sum;
}

/** Returns how far the point `vector` is from the point `steps` · `direction`. */
function distanceTo(vector: readonly number[], direction: readonly number[], steps: number): number {
  let sum = 0;
  for (let axis = 0; axis < vector.length; axis++) {
    const apart = (vector[axis] as number) - steps * (direction[axis] as number);
    sum += apart * apart;
  }
  return Math.sqrt(sum);
}

function length(vector: readonly number[]): number {
  return Math.sqrt(dot(vector, vector));
}

/**
 * Returns what is wrong with an answer; undefined if nothing is. An answer must be sorted by distance, then by id. It
 * must match the reference within the tolerances, except for doubtful balls.
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
      return `ball ${id} at distance ${distance} is listed after ball ${before} at distance ${earlier}`;
    }
    if (got.has(id)) return `ball ${id} is listed twice`;
    got.set(id, distance);
  }
  const known = new Set(hits.map(({ id }) => id));
  const extra = [...got.keys()].find((id) => !known.has(id) && !doubtful.has(id));
  if (extra !== undefined)
    return `ball ${extra} at distance ${got.get(extra)} is listed, but the ray does not meet it`;
  const wrong = hits.find(({ id, distance, tolerance }) => {
    const seen = got.get(id) ?? Number.NaN;
    return !doubtful.has(id) && !(Math.abs(seen - distance) <= tolerance);
  });
  if (!wrong) return undefined;
  const distance = got.get(wrong.id);
  return distance === undefined
    ? `ball ${wrong.id} at distance ${wrong.distance} is missing`
    : `ball ${wrong.id} is listed at distance ${distance} instead of ${wrong.distance}`;
}
