import type { World } from '../../index';

export const GRID_OVERLAYS = [
  'cellLines',
  'heatMap',
  'buckets',
  'thread',
  'candidatePairs',
  'contactLines',
] as const;
export const FLUID_OVERLAYS = ['velocityArrows', 'pressureMap', 'solidCells'] as const;
export const OVERLAY_NAMES = [...GRID_OVERLAYS, ...FLUID_OVERLAYS] as const;

export type OverlayName = (typeof OVERLAY_NAMES)[number];

export type Overlays = Readonly<Record<OverlayName, boolean>>;

export const NO_FIELDS = { velocityArrows: false, pressureMap: false, solidCells: false } as const;

export const NO_OVERLAYS: Overlays = {
  cellLines: false,
  heatMap: false,
  buckets: false,
  thread: false,
  candidatePairs: false,
  contactLines: false,
  ...NO_FIELDS,
};

export function fieldsOf({
  velocityArrows,
  pressureMap,
  solidCells,
}: Overlays): Pick<Overlays, keyof typeof NO_FIELDS> {
  return { velocityArrows, pressureMap, solidCells };
}

export function isAnyOf(names: readonly OverlayName[], shown: Overlays): boolean {
  return names.some((name) => shown[name]);
}

export function shownOf(chosen: Overlays): Overlays {
  const { cellLines, heatMap, buckets, thread, candidatePairs, contactLines } = chosen;
  const { velocityArrows, pressureMap, solidCells } = chosen;
  const gridOverlays = { cellLines, heatMap, buckets, thread, candidatePairs, contactLines };
  return { ...gridOverlays, velocityArrows, pressureMap, solidCells };
}

/** Spheres shrink by this factor under overlays that they would hide. */
export const SPHERE_SHARE = 0.4;

export function hidesLines({ heatMap, thread, candidatePairs, contactLines }: Overlays): boolean {
  return heatMap || thread || candidatePairs || contactLines;
}

/** Returns the number of cells along each axis, without the ring; in a world with levels, cells of the lowest level. */
export function shownCells({ cells, period, levels }: Pick<World, 'cells' | 'period' | 'levels'>): number[] {
  return cells.map((along, axis) => (levels > 0 || (period[axis] as number) > 0 ? along : along - 2));
}

export interface OccupiedCounts {
  readonly cells: number;
  readonly buckets: number;
  readonly shared: number;
}

export interface PairsShown {
  /** Pairs in view, of the kinds that are shown. */
  readonly found: number;
  readonly drawn: number;
  /** Particles in view with more than MOST_EACH candidates (overlay-look.ts). */
  readonly crowded: number;
}
