/** Draws a question and its answer over the picture. */
import type { ParticleArrays } from '../../../index';
import { type Rgb, toCss } from '../../model/colour';
import type { Found, Question } from '../../view/answers';
import { project } from '../../view/camera';
import type { Frame } from '../../view/engine';
import { traceBox } from '../../view/trace-box';
import type { Edge, VisitedCell } from './outline';
import type { Visited } from './visited';

export interface Answer {
  readonly question: Question;
  readonly found: Found;
  readonly visited: Visited;
  readonly particles: ParticleArrays;
  readonly radius: number;
}

/** More crosses than this would only hide the picture. */
const MOST_CROSSES = 2000;
/** In CSS pixels: the greatest and the least half width of a cross, and the least radius of a ring. */
const CROSS = 3.5;
const LEAST_CROSS = 1.5;
const LEAST_RING = 2;
const CELL_OPACITY = 0.8;

interface Point {
  readonly x: number;
  readonly y: number;
  /** CSS pixels per unit at the point's distance from the camera. */
  readonly scale: number;
}

export class QueryMarks {
  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly frame: Frame,
  ) {}

  paint({ question, found, visited, particles, radius }: Answer): void {
    const { context } = this;
    const { overlay } = this.frame.theme;
    const is3D = particles.positions.length === 3 * particles.ids.length;
    context.globalAlpha = CELL_OPACITY;
    if (is3D) this.edges(visited.outline, overlay.cell);
    else for (const cell of visited.drawn) this.box(cell, overlay.cell, 1);
    context.globalAlpha = 1;
    const isFound = new Set(Array.from(found.indices));
    const others = visited.tested.filter((index) => !isFound.has(index));
    if (others.length <= MOST_CROSSES) {
      context.beginPath();
      for (const index of others)
        this.cross(this.positionOf(particles, index), particles.radii?.[index] ?? radius);
      this.stroke(overlay.candidate, 1.25);
    }
    context.beginPath();
    for (const index of isFound)
      this.ring(this.positionOf(particles, index), particles.radii?.[index] ?? radius);
    this.stroke(overlay.contact, 2);
    this.shape(question);
    if (question.kind === 'ray' && found.distances) this.firstHit(question, found.distances[0]);
  }

  private shape(question: Question): void {
    const { context } = this;
    const colour = this.frame.theme.overlay.first;
    if (question.kind === 'box') {
      this.box(question, colour, 2.5);
      return;
    }
    if (question.kind === 'ray') {
      const { origin, direction, length } = question;
      const end = origin.map((along, axis) => along + length * (direction[axis] as number));
      const [from, to] = [this.toScreen(origin), this.toScreen(end)];
      if (!from || !to) return;
      context.beginPath();
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
      context.moveTo(from.x + 5, from.y);
      context.arc(from.x, from.y, 5, 0, 2 * Math.PI);
      this.stroke(colour, 2.5);
      return;
    }
    const middle = this.toScreen(question.point);
    if (!middle) return;
    context.beginPath();
    context.arc(middle.x, middle.y, question.radius * middle.scale, 0, 2 * Math.PI);
    context.moveTo(middle.x + 2, middle.y);
    context.arc(middle.x, middle.y, 2, 0, 2 * Math.PI);
    this.stroke(colour, 2);
  }

  private firstHit(
    { origin, direction }: Extract<Question, { kind: 'ray' }>,
    distance: number | undefined,
  ): void {
    if (distance === undefined) return;
    const point = this.toScreen(origin.map((along, axis) => along + distance * (direction[axis] as number)));
    if (!point) return;
    const { context } = this;
    context.beginPath();
    context.arc(point.x, point.y, 4.5, 0, 2 * Math.PI);
    context.fillStyle = toCss(this.frame.theme.overlay.contact);
    context.fill();
    this.stroke(this.frame.theme.overlay.first, 1.5);
  }

  private box(box: VisitedCell, colour: Rgb, width: number): void {
    const { context } = this;
    context.beginPath();
    traceBox(context, box, (corner) => this.toScreen(corner));
    if (width > 1) this.stroke(colour, width);
    else {
      context.strokeStyle = toCss(colour);
      context.lineWidth = width;
      context.stroke();
    }
  }

  private edges(edges: readonly Edge[], colour: Rgb): void {
    const { context } = this;
    context.beginPath();
    for (const edge of edges) {
      const [from, to] = [this.toScreen(edge[0]), this.toScreen(edge[1])];
      if (!from || !to) continue;
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    }
    this.stroke(colour, 1);
  }

  private cross(position: readonly number[], radius: number): void {
    const point = this.toScreen(position);
    if (!point) return;
    const { x, y } = point;
    const half = Math.min(CROSS, Math.max(LEAST_CROSS, 0.6 * radius * point.scale));
    this.context.moveTo(x - half, y - half);
    this.context.lineTo(x + half, y + half);
    this.context.moveTo(x - half, y + half);
    this.context.lineTo(x + half, y - half);
  }

  private ring(position: readonly number[], radius: number): void {
    const point = this.toScreen(position);
    if (!point) return;
    const size = Math.max(LEAST_RING, radius * point.scale);
    this.context.moveTo(point.x + size, point.y);
    this.context.arc(point.x, point.y, size, 0, 2 * Math.PI);
  }

  /** Strokes with an outline, so that the path is visible on any colour. */
  private stroke(colour: Rgb, width: number): void {
    const { context, frame } = this;
    context.strokeStyle = toCss(frame.theme.background);
    context.lineWidth = width + 1.5;
    context.stroke();
    context.strokeStyle = toCss(colour);
    context.lineWidth = width;
    context.stroke();
  }

  private positionOf({ positions, ids }: ParticleArrays, index: number): number[] {
    const dimensions = positions.length / ids.length;
    return Array.from(positions.subarray(dimensions * index, dimensions * (index + 1)));
  }

  private toScreen(point: readonly number[]): Point | undefined {
    const { camera, viewport } = this.frame;
    const { x, y, distance } = project(camera, viewport, point);
    if (point.length === 2) return { x, y, scale: camera.pixelsPerUnit };
    return distance > 0 ? { x, y, scale: (camera.pixelsPerUnit * camera.distance) / distance } : undefined;
  }
}
