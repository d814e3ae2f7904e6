/**
 * What can be laid over the picture to see the grid at work, said once for the GPU (overlay.ts), the CPU
 * (canvas-overlay.ts), the panel and the key beside the picture: which there are, how they look, what they mean here.
 */

import type { World } from '../../core/world/world';
import { formatCount, formatReal } from '../support/format';
import { pressureEnd, velocityEnd } from './fluid-look';
import type { SimulationView } from './simulation-view';

/** Of the grid; and of a fluid's lattice: see fluid-fields.ts. */
export const GRID_OVERLAYS = ['cellLines', 'heatMap', 'thread', 'candidatePairs', 'contactLines'] as const;
export const FLUID_OVERLAYS = ['velocityArrows', 'pressureMap', 'solidCells'] as const;
export const OVERLAY_NAMES = [...GRID_OVERLAYS, ...FLUID_OVERLAYS] as const;

export type OverlayName = (typeof OVERLAY_NAMES)[number];

/** What is shown. */
export type Overlays = Readonly<Record<OverlayName, boolean>>;

/** What a fluid's lattice would be seen by, where there is none. */
export const NO_FIELDS = { velocityArrows: false, pressureMap: false, solidCells: false } as const;

export const NO_OVERLAYS: Overlays = {
  cellLines: false,
  heatMap: false,
  thread: false,
  candidatePairs: false,
  contactLines: false,
  ...NO_FIELDS,
};

/** Of what is shown, a fluid's fields. */
export function fieldsOf({
  velocityArrows,
  pressureMap,
  solidCells,
}: Overlays): Pick<Overlays, keyof typeof NO_FIELDS> {
  return { velocityArrows, pressureMap, solidCells };
}

/** Whether any of these is shown. */
export function isAnyOf(names: readonly OverlayName[], shown: Overlays): boolean {
  return names.some((name) => shown[name]);
}

/** Of what is chosen, what overlays are shown. */
export function shownOf(chosen: Overlays): Overlays {
  const { cellLines, heatMap, thread, candidatePairs, contactLines } = chosen;
  const { velocityArrows, pressureMap, solidCells } = chosen;
  const ofGrid = { cellLines, heatMap, thread, candidatePairs, contactLines };
  return { ...ofGrid, velocityArrows, pressureMap, solidCells };
}

/** Widths in CSS pixels beside large particles; of a dash, and of the gap after it. */
export const THREAD_WIDTH = 1.5;
export const CANDIDATE_WIDTH = 1;
export const CONTACT_WIDTH = 2.5;
export const DASH = 3;

/** CSS pixels: the diameter of particles beside which lines are as wide as that, and the share of it beside the smallest. */
const LARGE_PARTICLE = 14;
const LEAST_LINE_SHARE = 0.5;

/** How wide lines are where a unit of length is so many CSS pixels: thin ones, so that small particles are seen. */
export function lineShare(
  { radius, radiusRange }: Pick<SimulationView, 'radius' | 'radiusRange'>,
  pixelsPerUnit: number,
): number {
  const usual = radiusRange ? Math.sqrt(radiusRange.smallest * radiusRange.largest) : radius;
  return Math.min(1, Math.max(LEAST_LINE_SHARE, (2 * usual * pixelsPerUnit) / LARGE_PARTICLE));
}

/** CSS pixels: narrower cells have no lines, and from the second on lines are as dark as they get. */
export const NARROWEST_CELL = 4;
export const WIDE_CELL = 9;

/** Opacity of lines around the smallest cells and the largest, and of a cell of one particle and a full one. */
export const LINE_OPACITY = [0.45, 0.9] as const;
export const HEAT_OPACITY = [0.16, 0.78] as const;

/** Of candidates, which are many. */
export const CANDIDATE_OPACITY = 0.7;

/** A way of the thread longer than this many cells is a leap from a row to the next, drawn fainter. */
export const LEAP = 3;
export const LEAP_OPACITY = 0.3;

/** Spheres are drawn this large beside lines between their middles, which they would hide. */
export const SPHERE_SHARE = 0.4;

/** Whether particles of full size would hide what is shown in space. */
export function hidesLines({ heatMap, thread, candidatePairs, contactLines }: Overlays): boolean {
  return heatMap || thread || candidatePairs || contactLines;
}

/** Lists of pairs hold this many, fewer on a GPU that the processor plays; a particle with more candidates than MOST_EACH lists none. */
export const MOST_PAIRS = { hardware: 2 ** 18, software: 2 ** 15 } as const;
export const MOST_EACH = 1024;

/** Cells along each axis, the lowest level's where there are levels, without any that are always empty. */
export function shownCells({ cells, period, levels }: Pick<World, 'cells' | 'period' | 'levels'>): number[] {
  return cells.map((along, axis) => (levels > 0 || (period[axis] as number) > 0 ? along : along - 2));
}

/** Edge of a cell, of the highest level where there are levels. */
export function largestCell({ cellSize, levels }: Pick<World, 'cellSize' | 'levels'>): number {
  return cellSize * 2 ** Math.max(0, levels - 1);
}

/** Axes that the heat map lies along: in space it is the floor's. */
export function heatAxes({ dimensions }: Pick<World, 'dimensions'>): readonly [number, number] {
  return dimensions === 2 ? [0, 1] : [0, 2];
}

/**
 * Particles at the end of the heat map's scale: as many as a cell of one diameter holds at most without overlap; of a
 * column of cells, four times the mean, and at most what is packed as densely as can be.
 */
export function heatEnd(world: World, count: number): number {
  const [width = 1, height = 1, depth = 1] = shownCells(world);
  const packed = world.levels === 0 ? (world.cellSize / world.diameter) ** world.dimensions : 1;
  if (world.dimensions === 2) return Math.max(4, Math.ceil(1.2 * packed));
  const dense = 1.5 * packed * height;
  return Math.max(4, Math.ceil(Math.min(dense, (4 * count) / (width * depth))));
}

/** Why there is nothing to lay over a picture of this simulation, else ''. */
export function refuseOverlays({ world }: Pick<SimulationView, 'world'>): string {
  if (world.kind !== 'unbounded') return '';
  return 'A world without an end has no box whose cells could be drawn, so overlays stay off.';
}

/** A line of the key beside the picture: a sample, and what it means. */
export interface KeyLine {
  readonly name: OverlayName;
  readonly text: string;
}

/** What is shown, in words, where a unit of length is so many CSS pixels; of figures that only the engine knows, see PairsShown. */
export function keyOf(shown: Overlays, simulation: SimulationView, pixelsPerUnit: number): KeyLine[] {
  const { world, count, settings, boxes } = simulation;
  const { levels, dimensions } = world;
  const isSpace = dimensions === 3;
  const naive = settings.broadPhase === 'naive' ? ' of the grid, though naive tests all' : '';
  const isNarrow = largestCell(world) * pixelsPerUnit < NARROWEST_CELL;
  const lines = `Cells${levels > 1 ? ` of all ${levels} levels` : ''}${isSpace ? ', on the floor and two walls' : ''}`;
  const texts: Readonly<Record<OverlayName, string>> = {
    cellLines: isNarrow ? 'Cells are too narrow for lines from here; come nearer' : lines,
    heatMap: `Particles ${isSpace ? 'over a cell of the floor' : 'a cell'}${levels > 1 ? ", the lowest level's" : ''}: 1 to ${formatCount(heatEnd(world, count))} or more`,
    thread: `Order in memory, from first to last${levels > 1 ? ', level by level' : ''}`,
    candidatePairs: `Candidate pairs${naive}`,
    contactLines: `Contacts${boxes ? ', from middle to middle' : ''}`,
    ...fieldTexts(simulation),
  };
  return OVERLAY_NAMES.filter((name) => shown[name]).map((name) => ({ name, text: texts[name] }));
}

/** Of a fluid's fields. */
function fieldTexts({ fluid, dimensions }: SimulationView): Record<(typeof FLUID_OVERLAYS)[number], string> {
  if (!fluid) return { velocityArrows: '', pressureMap: '', solidCells: '' };
  const where = dimensions === 3 ? ' in the middle plane' : '';
  return {
    velocityArrows: `Velocity${where}, the longest ${formatReal(velocityEnd(fluid.plan))} units/s or more`,
    pressureMap: `Pressure${where}: 0 to ${formatReal(pressureEnd(fluid.plan))} Pa or more`,
    solidCells: 'Cells that are solid to the fluid',
  };
}

/** How many pairs there are where the picture is, and what became of them. */
export interface PairsShown {
  /** In view, of those that are asked for. */
  readonly found: number;
  readonly drawn: number;
  /** Particles in view with more than MOST_EACH candidates, whose pairs are left out. */
  readonly crowded: number;
}

/** What is not drawn, in a sentence; '' where all is. */
export function describeMissing({ found, drawn, crowded }: PairsShown): string {
  const sentences: string[] = [];
  if (found > drawn) {
    sentences.push(
      `The first ${formatCount(drawn)} pairs are drawn of ${formatCount(found)} in view; come nearer to see all.`,
    );
  }
  if (crowded > 0) {
    const whose = crowded === 1 ? 'One particle has' : `${formatCount(crowded)} particles have`;
    sentences.push(`${whose} more than ${formatCount(MOST_EACH)} candidates; theirs are left out.`);
  }
  return sentences.join(' ');
}
