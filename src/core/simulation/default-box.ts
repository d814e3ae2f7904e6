/**
 * The box of a simulation whose options have no corners: as large as its capacity needs. If positions of bodies are
 * given, the caller must choose a box or an unbounded world, because only the caller knows where the walls are.
 */
import { ArgumentError } from '../base/errors';
import { type Dimensions, FEWEST_PERIODIC_CELLS, type WorldOptions } from '../world/world';

/** Returns the edge in whole diameters, so that particles fill at most a fifth of the area (volume). */
function defaultEdge(dimensions: Dimensions, capacity: number): number {
  return Math.ceil((Math.max(1, capacity) * (dimensions === 2 ? 4 : 2.62)) ** (1 / dimensions));
}

/** Returns the most cells that the default box may have. A device must be able to hold this many. */
export function defaultCellCount(dimensions: Dimensions, capacity: number): number {
  const edge = defaultEdge(dimensions, capacity);
  // The margins cover the rounding of positions, and the cells of the ring at both ends.
  return (Math.ceil(edge * (1 + 2 ** -22 * edge)) + 4) ** dimensions;
}

/** Least number of cells along a periodic axis of the default box: three are needed, and rounding may cost one. */
const FEWEST_DEFAULT_CELLS = FEWEST_PERIODIC_CELLS + 1;

/**
 * Returns the corners in the options or, without any, the corners of the default box, whose low corner is the origin.
 * Throws if only one corner is given, or if none is given although there are `bodies`: positions of particles or
 * obstacles.
 */
export function boxOf(
  options: WorldOptions,
  capacity: number,
  diameter: number,
  bodies: readonly Float32Array[],
): Pick<WorldOptions, 'min' | 'max'> {
  const { dimensions, min, max, periodic, unbounded, cellSize } = options;
  if (unbounded === true || (min !== undefined && max !== undefined)) return { min, max };
  const isEmpty = bodies.every(({ length }) => length === 0);
  if (min === undefined && max === undefined && isEmpty) {
    const edge = diameter * defaultEdge(dimensions, capacity);
    // `cellSize` and `periodic` are not checked yet: defineWorld rejects wrong values.
    const cell = typeof cellSize === 'number' ? Math.max(diameter, cellSize) : diameter;
    const wraps = (axis: number) => (Array.isArray(periodic) ? periodic[axis] : periodic) === true;
    const edgeAlong = (axis: number) => (wraps(axis) ? Math.max(edge, FEWEST_DEFAULT_CELLS * cell) : edge);
    return {
      min: new Array<number>(dimensions).fill(0),
      max: Array.from({ length: dimensions }, (_, axis) => edgeAlong(axis)),
    };
  }
  const missing = min === undefined ? 'min' : 'max';
  const others = isEmpty
    ? 'or leave out both'
    : `or \`unbounded: true\` (${describeReach(dimensions, bodies, diameter / 2)})`;
  throw new ArgumentError(missing, undefined, `given: set both \`min\` and \`max\`, ${others}`);
}

function describeReach(dimensions: Dimensions, bodies: readonly Float32Array[], radius: number): string {
  const corner = (side: -1 | 1) => {
    const reach = new Array<number>(dimensions).fill(Number.NEGATIVE_INFINITY);
    for (const positions of bodies) {
      positions.forEach((value, index) => {
        const axis = index % dimensions;
        reach[axis] = Math.max(reach[axis] as number, side * value + radius);
      });
    }
    return JSON.stringify(reach.map((farthest) => Number((side * farthest).toPrecision(6))));
  };
  return `the bodies reach from ${corner(-1)} to ${corner(1)}`;
}
