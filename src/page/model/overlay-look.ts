/**
 * Sizes and opacities of overlays, and the texts of the key that explains them. The page loads this module with the
 * first overlay.
 */

import { HASH_BLOCK } from '../../core/base/constants';
import type { World } from '../../index';
import { formatCount, formatReal } from '../support/format';
import { pressureEnd, velocityEnd } from './fluid-colours';
import {
  type FLUID_OVERLAYS,
  type OccupiedCounts,
  OVERLAY_NAMES,
  type OverlayName,
  type Overlays,
  type PairsShown,
  shownCells,
} from './overlays';
import type { SimulationView } from './simulation-view';

/** Widths of lines between large particles, in CSS pixels. DASH is the length of a dash and of a gap. */
export const THREAD_WIDTH = 1.5;
export const CANDIDATE_WIDTH = 1;
export const CONTACT_WIDTH = 2.5;
export const DASH = 3;
/** Width of the outline on either side of a line, in CSS pixels. */
export const CASING = 0.75;

/** Between particles of at least this diameter, in CSS pixels, lines have their full width. */
const LARGE_PARTICLE = 14;
/** Between the smallest particles, lines have this share of their full width. */
const LEAST_LINE_SHARE = 0.5;

export function lineShare(
  { radius, radiusRange }: Pick<SimulationView, 'radius' | 'radiusRange'>,
  pixelsPerUnit: number,
): number {
  const usual = radiusRange ? Math.sqrt(radiusRange.smallest * radiusRange.largest) : radius;
  return Math.min(1, Math.max(LEAST_LINE_SHARE, (2 * usual * pixelsPerUnit) / LARGE_PARTICLE));
}

/** Cells that are narrower than this many CSS pixels have no lines. */
export const NARROWEST_CELL = 4;
/** Cells at least this wide, in CSS pixels, have the darkest lines. */
export const WIDE_CELL = 9;

/** Opacity of lines of the lowest and of the highest level. */
export const LINE_OPACITY = [0.45, 0.9] as const;
/** Opacity of almost empty cells, and of cells at the end of the scale. */
export const HEAT_OPACITY = [0.16, 0.78] as const;

export const BUCKET_OPACITY = 0.5;
/** Opacity in 3D of a cell with a bucket of its own. Low, so that shared buckets stand out. */
export const LONE_CELL = 0.35;
/** Saturation and value of the colours of buckets. */
export const BUCKET_TONES = { dark: [0.6, 0.95], light: [0.7, 0.82] } as const;
/** Distance between the lines of a hatch, in CSS pixels. */
export const HATCH = 7;

export const CANDIDATE_OPACITY = 0.7;

/** Parts of the line in sorted order are fainter if they are longer than this many cells of the largest size. */
export const LEAP = 3;
export const LEAP_OPACITY = 0.3;

export const MOST_PAIRS = { hardware: 2 ** 18, software: 2 ** 15 } as const;
/** If a particle has more candidates than this, its pairs with particles in higher slots are not listed. */
export const MOST_EACH = 1024;

/** Returns the size of the largest cells: in a world with levels, those of the highest level. */
export function largestCell({ cellSize, levels }: Pick<World, 'cellSize' | 'levels'>): number {
  return cellSize * 2 ** Math.max(0, levels - 1);
}

/** The axes of the heat map; in 3D, it lies on the floor. */
export function heatAxes({ dimensions }: Pick<World, 'dimensions'>): readonly [number, number] {
  return dimensions === 2 ? [0, 1] : [0, 2];
}

/**
 * Returns the number of particles at the end of the heat map's scale, at least 4. In 2D and in unbounded worlds, it is
 * about as many as fit into a cell without overlap, or 4 if radii vary. In other 3D worlds, each colour stands for a
 * column of cells. The scale then ends at four times the mean per column, or at a full column if that is less.
 */
export function heatEnd(world: World, count: number): number {
  const packed = world.levels === 0 ? (world.cellSize / world.diameter) ** world.dimensions : 1;
  if (world.kind === 'unbounded') return Math.max(4, Math.ceil(1.5 * packed));
  const [width = 1, height = 1, depth = 1] = shownCells(world);
  if (world.dimensions === 2) return Math.max(4, Math.ceil(1.2 * packed));
  const dense = 1.5 * packed * height;
  return Math.max(4, Math.ceil(Math.min(dense, (4 * count) / (width * depth))));
}

export interface KeyLine {
  readonly name: OverlayName | 'sharedBuckets' | 'thickBuckets';
  readonly text: string;
}

export function keyOf(
  shown: Overlays,
  simulation: SimulationView,
  pixelsPerUnit: number,
  occupied?: OccupiedCounts,
): KeyLine[] {
  const { world, count, settings, boxes } = simulation;
  const { levels, dimensions } = world;
  const is3D = dimensions === 3;
  const naive = settings.broadPhase === 'naive' ? ' of the grid; naive tests all' : '';
  const isNarrow = largestCell(world) * pixelsPerUnit < NARROWEST_CELL;
  const isUnbounded = world.kind === 'unbounded';
  const lines = `${isUnbounded ? 'Occupied cells' : 'Cells'}${levels > 1 ? ` of all ${levels} levels` : ''}${is3D && !isUnbounded ? ', on the floor and two walls' : ''}`;
  const texts: Readonly<Record<OverlayName, string>> = {
    cellLines: isNarrow ? 'Cells are too narrow for lines; zoom in' : lines,
    heatMap: `Particles ${is3D && !isUnbounded ? 'over a floor cell' : 'per cell'}${levels > 1 && !isUnbounded ? ' of the lowest level' : ''}: 1 to ${formatCount(heatEnd(world, count))} or more`,
    buckets: occupied
      ? `${formatCount(occupied.cells)} occupied cells, coloured by bucket: ${formatCount(occupied.buckets)} of ${formatCount(world.cellCount)} buckets`
      : 'Occupied cells, coloured by bucket',
    thread: `Order in memory, from first to last${levels > 1 ? ', level by level' : ''}`,
    candidatePairs: `Candidate pairs${naive}`,
    contactLines: `Contacts${boxes ? ', from middle to middle' : ''}`,
    ...fieldTexts(simulation),
  };
  const sharing = occupied ? `${formatCount(occupied.shared)} cells` : 'Cells';
  const collisions: KeyLine = {
    name: is3D ? 'thickBuckets' : 'sharedBuckets',
    text: `${sharing} that share a bucket with another cell (hash collision)${is3D ? ': one colour per bucket' : ''}${occupied ? explainSharing(world, occupied) : ''}`,
  };
  return OVERLAY_NAMES.filter((name) => shown[name]).flatMap((name) => {
    const line = { name, text: texts[name] };
    return name === 'buckets' ? [line, collisions] : [line];
  });
}

/** If at least this share of the occupied cells share buckets, the key says why. */
const MANY_SHARED = 0.5;

/**
 * Says why many cells share buckets. A small table has few blocks of HASH_BLOCK buckets, so cells collide more often
 * than if each were hashed alone.
 */
function explainSharing({ cellCount, levels }: World, { cells, shared }: OccupiedCounts): string {
  if (levels > 0 || shared < MANY_SHARED * cells) return '';
  const blocks = cellCount / HASH_BLOCK;
  return `. They are many, because ${HASH_BLOCK} cells in a row stay together: this table has only ${formatCount(blocks)} ${blocks === 1 ? 'place' : 'places'} for such rows. Each search compares the cell, so no pair is wrong`;
}

function fieldTexts({ fluid, dimensions }: SimulationView): Record<(typeof FLUID_OVERLAYS)[number], string> {
  if (!fluid) return { velocityArrows: '', pressureMap: '', solidCells: '' };
  const where = dimensions === 3 ? ' in the middle plane' : '';
  return {
    velocityArrows: `Velocity${where}; the longest arrow is ${formatReal(velocityEnd(fluid.plan))} units/s or more`,
    pressureMap: `Pressure${where}: 0 to ${formatReal(pressureEnd(fluid.plan))} Pa or more`,
    solidCells: 'Cells that are solid to the fluid',
  };
}

/** Says which pairs are not drawn; '' if all are. */
export function describeMissing({ found, drawn, crowded }: PairsShown): string {
  const sentences: string[] = [];
  if (found > drawn) {
    sentences.push(
      `The first ${formatCount(drawn)} of ${formatCount(found)} pairs in view are drawn; zoom in to see all.`,
    );
  }
  if (crowded > 0) {
    const subject = crowded === 1 ? 'One particle has' : `${formatCount(crowded)} particles have`;
    sentences.push(`${subject} more than ${formatCount(MOST_EACH)} candidates, so pairs are missing.`);
  }
  return sentences.join(' ');
}
