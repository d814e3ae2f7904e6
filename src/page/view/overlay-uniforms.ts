/** Packs `struct Overlay` for the shaders that draw, and `struct View` for the shaders that list pairs. */
import { mat4 } from 'wgpu-matrix';
import type { World } from '../../index';
import {
  BUCKET_TONES,
  CANDIDATE_OPACITY,
  heatAxes,
  heatEnd,
  LEAP,
  largestCell,
  lineShare,
} from '../model/overlay-look';
import { shownCells } from '../model/overlays';
import type { GpuSimulationView } from '../model/simulation-view';
import type { Frame } from './engine';

/** With more cells than this on the heat map, blocks of cells share a counter. */
const MOST_COUNTERS = 2 ** 24;

/** Size of `struct View` in shaders/page/pair_lines.wgsl, in words, with padding. */
export const VIEW_WORDS = 28;
/** Fields of `struct Overlay` in shaders/draw/overlay.wgsl, each a vec4f. */
export const OVERLAY_FIELDS = [
  'cell',
  'heat',
  'first',
  'last',
  'candidate',
  'contact',
  'casing',
  'screen',
  'origin',
  'cells',
  'period',
  'heatMap',
  'shown',
  'buckets',
] as const;

type OverlayValues = Readonly<Record<(typeof OVERLAY_FIELDS)[number], readonly number[]>>;

/** A counter covers 2^shift cells along each axis of the heat map. */
export function heatCounters(world: World): {
  readonly counters: readonly number[];
  readonly cells: readonly number[];
  readonly shift: number;
} {
  const cells = world.kind === 'unbounded' ? world.cells.map(() => 1) : shownCells(world);
  const axes = heatAxes(world);
  const along = (shift: number) =>
    cells.map((count, axis) => (axes.includes(axis) ? Math.ceil(count / 2 ** shift) : 1));
  let shift = 0;
  while (along(shift).reduce((product, count) => product * count, 1) > MOST_COUNTERS) shift++;
  return { counters: along(shift), cells, shift };
}

export function packOverlay(
  simulation: GpuSimulationView,
  { camera, viewport, theme, overlays }: Frame,
): Float32Array<ArrayBuffer> {
  const { world, count, dimensions } = simulation;
  const { counters, shift } = heatCounters(world);
  const { width, height, pixelRatio } = viewport;
  const colours = theme.overlay;
  const colour = (rgb: readonly number[], opacity = 1) => [...rgb, opacity];
  const vector = (values: readonly number[], last: number) => [
    values[0] ?? 0,
    values[1] ?? 0,
    values[2] ?? 0,
    last,
  ];
  const [acrossAxis, upAxis] = heatAxes({ dimensions });
  const values: OverlayValues = {
    cell: colour(colours.cell),
    heat: colour(colours.heat),
    first: colour(colours.first),
    last: colour(colours.last),
    candidate: colour(colours.candidate, CANDIDATE_OPACITY),
    contact: colour(colours.contact),
    casing: colour(theme.background, 0.7),
    screen: [width, height, pixelRatio, count],
    origin: vector(world.min, world.inverseCellSize),
    cells: vector(shownCells(world), world.levels),
    period: vector(world.period, LEAP * largestCell(world)),
    heatMap: [counters[acrossAxis] ?? 1, counters[upAxis] ?? 1, 2 ** shift, 1 / heatEnd(world, count)],
    shown: [
      ...[overlays.cellLines, overlays.heatMap, overlays.contactLines].map(Number),
      lineShare(simulation, camera.pixelsPerUnit),
    ],
    buckets: [Number(overlays.buckets), ...BUCKET_TONES[theme.isDark ? 'dark' : 'light'], 0],
  };
  return Float32Array.from(OVERLAY_FIELDS.flatMap((name) => values[name]));
}

/** Adds a margin of four of the largest cells, so that lines from outside the picture are listed too. */
export function packView(world: World, { camera, viewport, overlays }: Frame): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(VIEW_WORDS);
  const floats = new Float32Array(words.buffer);
  floats.set(mat4.multiply(camera.projection, camera.view), 0);
  const reach = 4 * largestCell(world) * camera.pixelsPerUnit;
  floats.set([2 * (reach / viewport.width), 2 * (reach / viewport.height)], 16);
  words.set([overlays.candidatePairs ? 0 : 1, 4, world.kind === 'periodic' ? 2 : 1], 18);
  floats.set(camera.origin, 24);
  return words;
}
