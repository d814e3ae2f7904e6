/** Suggests the size of cells for the particles of a run. */
import { FEWEST_PERIODIC_CELLS } from '../../core/world/limits';
import { type CellSizeSuggestion, type Dimensions, suggestCellSize } from '../../index';
import { floorToHundredths } from '../model/limits';
import type { Run } from '../view/engine';

/** The density is measured from at most this many particles. */
const MOST_SAMPLED = 4096;
/** Share of the particles that the measured box leaves out at each end of an axis. */
const LEFT_OUT = 0.05;

export interface SuggestionForRun extends CellSizeSuggestion {
  /** The widest cells of which three fit along each periodic axis, in diameters; infinite without such axes. */
  readonly widest: number;
}

/**
 * Suggests cells for a run. Returns undefined for methods, and if radii vary: the engine then chooses cells by radii
 * alone.
 */
export async function suggestFor({
  simulation,
}: Pick<Run, 'simulation'>): Promise<SuggestionForRun | undefined> {
  const { method, radiusRange, radius, backend, dimensions, world } = simulation;
  if (method || radiusRange) return undefined;
  const { positions } = await simulation.read();
  const density = densityOf(positions, dimensions);
  const suggestion = suggestCellSize(radius, {
    dimensions,
    density,
    engine: backend,
    unbounded: world.kind === 'unbounded',
  });
  const shortest = Math.min(...world.period.filter((length) => length > 0));
  const most = shortest / 3.01;
  const widest = floorToHundredths(shortest / FEWEST_PERIODIC_CELLS / suggestion.diameter);
  if (suggestion.cellSize <= most) return { ...suggestion, widest };
  const cellSize = Math.max(most, suggestion.diameter);
  return { ...suggestion, widest, cellSize, reason: 'Three cells must fit along each periodic axis.' };
}

/** Returns particles per unit of area or volume in the box that holds most of them; undefined if that box is flat. */
export function densityOf(positions: ArrayLike<number>, dimensions: Dimensions): number | undefined {
  const count = positions.length / dimensions;
  const stride = Math.ceil(count / MOST_SAMPLED);
  const sample: number[][] = [];
  for (let particle = 0; particle < count; particle += stride) {
    const position = Array.from(
      { length: dimensions },
      (_, axis) => positions[particle * dimensions + axis] as number,
    );
    if (position.every(Number.isFinite)) sample.push(position);
  }
  const ends = Array.from({ length: dimensions }, (_, axis) => {
    const along = sample.map((position) => position[axis] as number).sort((first, second) => first - second);
    const skipped = Math.floor(LEFT_OUT * along.length);
    return [along[skipped] ?? 0, along[along.length - 1 - skipped] ?? 0] as const;
  });
  const volume = ends.reduce((product, [low, high]) => product * (high - low), 1);
  const inside = sample.filter((position) =>
    ends.every(([low, high], axis) => (position[axis] ?? 0) >= low && (position[axis] ?? 0) <= high),
  );
  const density = (inside.length * stride) / volume;
  return Number.isFinite(density) && density > 0 ? density : undefined;
}
