/** Makes a question from the choices and the pointer. */
import type { Choices } from '../../model/fields';
import type { SimulationView } from '../../model/simulation-view';
import type { Question } from '../../view/answers';

/** Returns options for a grid with the same cells as the simulation. */
export function gridOptions({
  world,
  capacity,
  dimensions,
}: Pick<SimulationView, 'world' | 'capacity' | 'dimensions'>) {
  const { min, max, period, kind, cellSize, diameter } = world;
  const bounds =
    kind === 'unbounded' ? { unbounded: true } : { min, max, periodic: period.map((length) => length > 0) };
  return { dimensions, capacity, diameter, cellSize, ...bounds };
}

/** `from` is where the pointer was last pressed or, before any press, the middle of the picture. */
export interface Way {
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly isDrag: boolean;
}

/** Returns undefined for a ray of length 0. */
export function questionOf(
  { query, nearestCount, brush }: Pick<Choices, 'query' | 'nearestCount' | 'brush'>,
  { radius: each, world }: Pick<SimulationView, 'radius' | 'world'>,
  { from, to, isDrag }: Way,
): Question | undefined {
  // In a periodic world, a larger radius could reach two images of one particle.
  const half = Math.min(...world.period.filter((length) => length > 0)) / 2;
  const radius = Math.min(brush * each, half);
  if (query === 'near') return { kind: 'near', point: to, radius };
  if (query === 'nearest') return { kind: 'nearest', point: to, radius, k: nearestCount };
  if (query === 'box') {
    const first = isDrag ? from : to;
    // A drag across the screen has no depth, and a hover no size.
    const isFlat = (axis: number) => !isDrag || (to.length === 3 && spread(from, to, axis) < radius);
    return {
      kind: 'box',
      min: to.map((along, axis) => Math.min(along, first[axis] as number) - (isFlat(axis) ? radius : 0)),
      max: to.map((along, axis) => Math.max(along, first[axis] as number) + (isFlat(axis) ? radius : 0)),
    };
  }
  const apart = to.map((along, axis) => along - (from[axis] as number));
  const length = Math.hypot(...apart);
  if (!(length > 0)) return undefined;
  return { kind: 'ray', origin: from, direction: apart.map((along) => along / length), length };
}

function spread(from: readonly number[], to: readonly number[], axis: number): number {
  return Math.abs((from[axis] as number) - (to[axis] as number));
}
