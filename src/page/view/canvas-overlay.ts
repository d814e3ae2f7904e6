/**
 * Draws overlays for the CPU engine. The sorted order and pairs come from the reference's grid, which is slow. So the
 * sorted order is drawn for at most MOST_SORTED particles, and pairs for at most MOST_LISTED. In 3D, these lines lie
 * over all particles.
 */

import { shapesOf } from '../../core/particles/shapes';
import { latticeOfParticle } from '../../core/world/cells';
import { latticeAt } from '../../core/world/levels';
import type { ParticleArrays, World } from '../../index';
import { buildGrid, type Grid, sortParticles } from '../../reference/grid/grid';
import { isFiniteParticle } from '../../reference/measure/finite';
import { probeCells } from '../../reference/query/probe';
import { findContact, minimumImageOf } from '../../reference/solve/contact';
import { interpolate, type Rgb, toCss } from '../model/colour';
import {
  BUCKET_OPACITY,
  CANDIDATE_OPACITY,
  CANDIDATE_WIDTH,
  CASING,
  CONTACT_WIDTH,
  DASH,
  HATCH,
  HEAT_OPACITY,
  heatAxes,
  heatEnd,
  LEAP,
  LEAP_OPACITY,
  LINE_OPACITY,
  LONE_CELL,
  largestCell,
  lineShare,
  NARROWEST_CELL,
  THREAD_WIDTH,
  WIDE_CELL,
} from '../model/overlay-look';
import { NO_FIELDS, type OccupiedCounts, type Overlays, shownCells } from '../model/overlays';
import type { SimulationView } from '../model/simulation-view';
import { formatCount } from '../support/format';
import { project } from './camera';
import type { Frame } from './engine';
import { bucketColour, type OccupiedCell, occupiedCells } from './occupied-cells';

const MOST_SORTED = 20_000;
const MOST_LISTED = 5000;
const STEPS = 32;
const CASING_OPACITY = 0.7;

type Position = readonly number[];
type Line = readonly [Position, Position];

/** Says which overlays are not drawn; '' if all are. */
export function describeLeftOut(
  { thread, candidatePairs, contactLines }: Frame['overlays'],
  count: number,
): string {
  const sentences: string[] = [];
  if ((candidatePairs || contactLines) && count > MOST_LISTED) {
    sentences.push(`The CPU engine draws pairs for at most ${formatCount(MOST_LISTED)} particles.`);
  }
  if (thread && count > MOST_SORTED) {
    sentences.push(
      `The CPU engine draws the sorted order for at most ${formatCount(MOST_SORTED)} particles.`,
    );
  }
  return sentences.join(' ');
}

export function drawableOnCpu(
  wanted: Overlays,
  { count, world }: Pick<SimulationView, 'count' | 'world'>,
): Overlays {
  const { thread, candidatePairs, contactLines } = wanted;
  const hasPairs = count <= MOST_LISTED;
  return {
    ...wanted,
    buckets: wanted.buckets && world.kind === 'unbounded',
    thread: thread && count <= MOST_SORTED,
    candidatePairs: candidatePairs && hasPairs,
    contactLines: contactLines && hasPairs,
    ...NO_FIELDS,
  };
}

/** The edges of a cube, as pairs of corners. Bit i of a corner is set at the high end of axis i. */
const CUBE_EDGES = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((corner) =>
  [1, 2, 4].filter((bit) => (corner & bit) === 0).map((bit) => [corner, corner | bit] as const),
);

function hatchOf(context: CanvasRenderingContext2D, colour: string): CanvasPattern | null {
  const tile = document.createElement('canvas');
  tile.width = HATCH;
  tile.height = HATCH;
  const lines = tile.getContext('2d');
  if (!lines) return null;
  lines.strokeStyle = colour;
  lines.lineWidth = 1.2;
  for (const offset of [-HATCH, 0, HATCH]) {
    lines.moveTo(offset, HATCH);
    lines.lineTo(offset + HATCH, 0);
  }
  lines.stroke();
  return context.createPattern(tile, 'repeat');
}

export class CanvasOverlay {
  /** Undefined unless an overlay shows occupied cells. */
  private readonly occupied: readonly OccupiedCell[] | undefined;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly simulation: SimulationView,
    private readonly particles: ParticleArrays,
    private readonly frame: Frame,
  ) {
    const { world } = simulation;
    const { cellLines, heatMap, buckets } = frame.overlays;
    const isShown = world.kind === 'unbounded' && (cellLines || heatMap || buckets);
    this.occupied = isShown ? occupiedCells(world, particles) : undefined;
  }

  get occupiedCounts(): OccupiedCounts | undefined {
    const { occupied } = this;
    return (
      occupied && {
        cells: occupied.length,
        buckets: new Set(occupied.map(({ bucket }) => bucket)).size,
        shared: occupied.filter(({ isShared }) => isShared).length,
      }
    );
  }

  /** In 2D, call this after drawing the particles; in 3D, before. */
  drawFaces(): void {
    const { heatMap, cellLines } = this.frame.overlays;
    if (this.occupied) this.drawOccupied(this.occupied);
    else {
      if (heatMap) this.drawHeat();
      if (cellLines) this.drawCells();
    }
    this.context.globalAlpha = 1;
  }

  /** Draws what shaders/draw/occupied.wgsl draws. */
  private drawOccupied(cells: readonly OccupiedCell[]): void {
    const { context, simulation, frame } = this;
    const { theme, camera } = frame;
    const { cellLines, heatMap, buckets } = frame.overlays;
    const is3D = simulation.dimensions === 3;
    const end = heatEnd(simulation.world, simulation.count);
    const hatch = buckets ? hatchOf(context, toCss(theme.overlay.contact)) : null;
    context.setLineDash([]);
    for (const { min, size, bucket, occupancy, isShared } of cells) {
      const isMarked = buckets && isShared;
      const pixels = size * camera.pixelsPerUnit;
      const heat = HEAT_OPACITY[0] + (HEAT_OPACITY[1] - HEAT_OPACITY[0]) * Math.min(1, occupancy / end);
      const colour =
        isMarked && !is3D
          ? theme.overlay.contact
          : buckets
            ? bucketColour(bucket, theme.isDark)
            : heatMap
              ? theme.overlay.heat
              : theme.overlay.cell;
      context.beginPath();
      if (is3D) {
        for (const [from, to] of CUBE_EDGES) {
          const corner = (bits: number) => min.map((low, axis) => low + ((bits >> axis) & 1) * size);
          this.trace([corner(from), corner(to)]);
        }
        context.globalAlpha = isMarked ? 1 : buckets ? LONE_CELL : heatMap ? heat : LINE_OPACITY[1];
        context.lineWidth = isMarked ? CONTACT_WIDTH : CANDIDATE_WIDTH;
        context.strokeStyle = toCss(colour);
        context.stroke();
        continue;
      }
      const [low, high] = [min, min.map((along) => along + size)].map((point) => this.toScreen(point));
      if (!low || !high) continue;
      context.rect(low[0], high[1], high[0] - low[0], low[1] - high[1]);
      if (heatMap) this.fill(toCss(theme.overlay.heat), heat);
      if (buckets) this.fill(toCss(bucketColour(bucket, theme.isDark)), BUCKET_OPACITY);
      if (isMarked) this.fill(pixels < HATCH || !hatch ? toCss(colour) : hatch, 0.85);
      const fade = Math.min(1, (pixels - NARROWEST_CELL) / (WIDE_CELL - NARROWEST_CELL));
      if (fade <= 0 || !(isMarked || cellLines)) continue;
      context.globalAlpha = fade * (isMarked ? 1 : LINE_OPACITY[1]);
      context.lineWidth = isMarked ? 2 : 1;
      context.strokeStyle = toCss(isMarked ? colour : theme.overlay.cell);
      context.stroke();
    }
  }

  private fill(style: string | CanvasPattern, opacity: number): void {
    this.context.globalAlpha = opacity;
    this.context.fillStyle = style;
    this.context.fill();
  }

  drawLines(): void {
    const { overlays, theme } = this.frame;
    const { world } = this.simulation;
    const { positions, velocities, ids } = this.particles;
    const sizes = shapesOf(world.dimensions, this.particles);
    if (overlays.thread) {
      this.drawThread(sortParticles(world, positions, velocities, ids, sizes));
    }
    if (overlays.candidatePairs || overlays.contactLines) {
      const grid = buildGrid(world, positions, velocities, ids, sizes);
      const [contacts, others] = this.pairs(grid);
      const { candidate, contact } = theme.overlay;
      if (overlays.candidatePairs)
        this.strokeAll(others, candidate, CANDIDATE_WIDTH, CANDIDATE_OPACITY, DASH);
      if (overlays.contactLines) this.strokeAll(contacts, contact, CONTACT_WIDTH);
      else this.strokeAll(contacts, candidate, CANDIDATE_WIDTH, CANDIDATE_OPACITY, DASH);
    }
    this.context.globalAlpha = 1;
  }

  private drawHeat(): void {
    const { context, simulation, particles, frame } = this;
    const { world, dimensions, count } = simulation;
    const cells = shownCells(world);
    const [across, up] = heatAxes(world);
    const counters = new Map<number, number>();
    for (let index = 0; index < count; index++) {
      if (!isFiniteParticle(dimensions, particles.positions, index)) continue;
      const lattice =
        world.levels > 0
          ? latticeAt(world, particles.positions, index, 0)
          : latticeOfParticle(world, particles.positions, index).map((cell, axis) =>
              world.period[axis] === 0 ? cell - 1 : cell,
            );
      const along = (axis: number) =>
        Math.min(Math.max(lattice[axis] as number, 0), (cells[axis] as number) - 1);
      const counter = along(up) * (cells[across] as number) + along(across);
      counters.set(counter, (counters.get(counter) ?? 0) + 1);
    }
    const end = heatEnd(world, count);
    context.fillStyle = toCss(frame.theme.overlay.heat);
    for (const [counter, found] of counters) {
      const cell = [counter % (cells[across] as number), Math.floor(counter / (cells[across] as number))];
      const corner = (right: number, above: number) => {
        const position = [...world.min];
        position[across] = this.border(across, (cell[0] as number) + right);
        position[up] = this.border(up, (cell[1] as number) + above);
        return this.toScreen(position);
      };
      const corners = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
      if (corners.includes(undefined)) continue;
      const [least, most] = HEAT_OPACITY;
      context.globalAlpha = least + (most - least) * Math.min(1, found / end);
      context.beginPath();
      for (const point of corners) if (point) context.lineTo(point[0], point[1]);
      context.fill();
    }
  }

  /** Draws lines between cells, on the same faces as shaders/draw/cells.wgsl. */
  private drawCells(): void {
    const { simulation, frame } = this;
    const { world, dimensions } = simulation;
    if (dimensions === 2) {
      this.drawFace([0, 1], []);
      return;
    }
    // Returns the end of the world that is away from the camera.
    const far = (axis: number) =>
      ((frame.camera.view[4 * axis + 2] ?? 0) < 0 ? world.max : world.min)[axis] as number;
    this.drawFace([0, 2], [0, world.min[1] as number, 0]);
    this.drawFace([1, 2], [far(0), 0, 0]);
    this.drawFace([0, 1], [0, 0, far(2)]);
  }

  private drawFace([first, second]: readonly [number, number], fixed: readonly number[]): void {
    const { simulation, frame, context } = this;
    const { world } = simulation;
    const cells = shownCells(world);
    const levels = Math.max(1, world.levels);
    context.strokeStyle = toCss(frame.theme.overlay.cell);
    context.lineWidth = 1;
    context.setLineDash([]);
    for (let level = 0; level < levels; level++) {
      const width = 2 ** level;
      const size = world.cellSize * width * frame.camera.pixelsPerUnit;
      const fade = Math.min(1, (size - NARROWEST_CELL) / (WIDE_CELL - NARROWEST_CELL));
      if (fade <= 0) continue;
      context.globalAlpha =
        fade * (LINE_OPACITY[0] + ((LINE_OPACITY[1] - LINE_OPACITY[0]) * level) / Math.max(1, levels - 1));
      context.beginPath();
      for (const [axis, other] of [
        [first, second],
        [second, first],
      ] as const) {
        const count = cells[axis] as number;
        const last =
          (world.period[axis] as number) > 0 ? count >> level : Math.floor((count - 1) / width) + 1;
        for (let border = 1; border < last; border++) {
          const from = [...fixed];
          from[axis] = this.border(axis, border * width);
          const to = [...from];
          from[other] = world.min[other] as number;
          to[other] = world.max[other] as number;
          this.trace([from, to]);
        }
      }
      context.stroke();
    }
  }

  /** Returns the coordinate at which a cell begins; after the last cell, the end of the world. */
  private border(axis: number, cell: number): number {
    const { world } = this.simulation;
    const begin = (world.min[axis] as number) + cell * world.cellSize;
    const isEnd = cell >= (shownCells(world)[axis] as number);
    return isEnd ? (world.max[axis] as number) : Math.min(begin, world.max[axis] as number);
  }

  private drawThread({ positions }: Pick<Grid, 'positions'>): void {
    const { world, dimensions } = this.simulation;
    const { first, last } = this.frame.theme.overlay;
    const count = positions.length / dimensions;
    const leap = LEAP * largestCell(world);
    const steps = Array.from({ length: STEPS }, () => ({ near: [] as Line[], far: [] as Line[] }));
    for (let slot = 0; slot + 1 < count; slot++) {
      const line = [this.positionOf(positions, slot), this.positionOf(positions, slot + 1)] as const;
      const length = Math.hypot(...line[0].map((along, axis) => along - (line[1][axis] as number)));
      if (!Number.isFinite(length)) continue;
      const step = steps[Math.floor((slot * STEPS) / count)];
      (length > leap ? step?.far : step?.near)?.push(line);
    }
    steps.forEach(({ near, far }, step) => {
      const colour = interpolate([first, last], step / (STEPS - 1));
      this.strokeAll(far, colour, THREAD_WIDTH, LEAP_OPACITY);
      this.strokeAll(near, colour, THREAD_WIDTH);
    });
  }

  /** Returns the lines of contacts, then those of other candidates. A line across a periodic end becomes two halves. */
  private pairs(grid: Grid): readonly [Line[], Line[]] {
    const { world } = this.simulation;
    const contacts: Line[] = [];
    const others: Line[] = [];
    grid.ids.forEach((_, slot) => {
      probeCells(world, grid, slot, (other) => {
        if (other < slot) return;
        const isContact = findContact(world, { diameter: world.diameter }, grid, slot, other) !== undefined;
        if (!isContact && !this.frame.overlays.candidatePairs) return;
        (isContact ? contacts : others).push(...this.linesBetween(world, grid.positions, slot, other));
      });
    });
    return [contacts, others];
  }

  private linesBetween(world: World, positions: Float32Array, slot: number, other: number): Line[] {
    const [own, far] = [this.positionOf(positions, slot), this.positionOf(positions, other)];
    const offset = minimumImageOf(world, positions, other, slot);
    const crossesEnd = offset.some((along, axis) => {
      const period = world.period[axis] as number;
      return period > 0 && Math.abs((far[axis] as number) - (own[axis] as number) - along) > period / 2;
    });
    if (!crossesEnd) return [[own, far]];
    const half = (from: Position, sign: 1 | -1) =>
      from.map((along, axis) => along + (sign * (offset[axis] as number)) / 2);
    return [
      [own, half(own, 1)],
      [far, half(far, -1)],
    ];
  }

  private positionOf(positions: Float32Array, slot: number): number[] {
    const { dimensions } = this.simulation;
    return Array.from(positions.subarray(dimensions * slot, dimensions * (slot + 1)));
  }

  /** Between small particles, lines are thinner than `width`, and dashes shorter than `dash`. */
  private strokeAll(lines: readonly Line[], colour: Rgb, width: number, opacity = 1, dash = 0): void {
    const { context, frame } = this;
    if (lines.length === 0) return;
    const share = lineShare(this.simulation, frame.camera.pixelsPerUnit);
    context.beginPath();
    for (const line of lines) this.trace(line);
    context.setLineDash(dash > 0 ? [dash * share, dash * share] : []);
    context.globalAlpha = opacity * CASING_OPACITY;
    context.strokeStyle = toCss(frame.theme.background);
    context.lineWidth = share * (width + 2 * CASING);
    context.stroke();
    context.globalAlpha = opacity;
    context.strokeStyle = toCss(colour);
    context.lineWidth = share * width;
    context.stroke();
    context.setLineDash([]);
  }

  private trace([from, to]: Line): void {
    const [first, second] = [this.toScreen(from), this.toScreen(to)];
    if (!first || !second) return;
    this.context.moveTo(first[0], first[1]);
    this.context.lineTo(second[0], second[1]);
  }

  /** Returns CSS pixels; undefined if the position is behind the camera. */
  private toScreen(position: Position): readonly [number, number] | undefined {
    const { camera, viewport } = this.frame;
    const { x, y, distance } = project(camera, viewport, position);
    return this.simulation.dimensions === 3 && distance <= 0 ? undefined : [x, y];
  }
}
