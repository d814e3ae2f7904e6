/** Draws probed cells, a ring around the particle, and a line to each candidate. The line's look shows the verdict. */
import type { ParticleArrays } from '../../index';
import { toCss } from '../model/colour';
import { project } from '../view/camera';
import type { Frame, Run } from '../view/engine';
import type { Candidate, Inspected, ProbedCell } from '../view/inspect';
import { traceBox } from '../view/trace-box';

export interface Snapshot {
  readonly run: Run;
  readonly particles: ParticleArrays;
  readonly inspect: (id: number) => Inspected | undefined;
}

export class Marks {
  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly frame: Frame,
    private readonly snapshot: Snapshot,
  ) {}

  paint(details: Inspected): void {
    const { context, frame } = this;
    const { overlay } = frame.theme;
    for (const cell of details.probe) this.outline(cell, cell === details.own);
    for (const candidate of details.candidates) {
      if (candidate.verdict === 'itself') continue;
      this.join(details, candidate);
    }
    const middle = this.toScreen(details.position);
    if (!middle) return;
    const { x, y, scale } = middle;
    const radius = Math.max(5, details.radius * scale + 3);
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    this.stroke(overlay.first, 2.5);
  }

  private outline(box: ProbedCell, isOwn: boolean): void {
    const { context, frame } = this;
    context.beginPath();
    traceBox(context, box, (corner) => this.toScreen(corner));
    context.globalAlpha = isOwn ? 1 : box.min.length === 3 ? 0.3 : 0.75;
    this.stroke(frame.theme.overlay.first, isOwn ? 2 : 1);
    context.globalAlpha = 1;
  }

  private join(details: Inspected, { index, verdict }: Candidate): void {
    const { context, snapshot, frame } = this;
    const { particles, run } = snapshot;
    const { world } = run.simulation;
    const { dimensions, period } = world;
    const there = Array.from(particles.positions.subarray(dimensions * index, dimensions * (index + 1)));
    const apart = there.map((along, axis) => along - (details.position[axis] as number));
    const shortest = apart.map((along, axis) => {
      const length = period[axis] as number;
      return length > 0 ? along - length * Math.round(along / length) : along;
    });
    const isWrapped = shortest.some(
      (along, axis) => Math.abs(along - (apart[axis] as number)) > world.cellSize / 2,
    );
    const { overlay } = frame.theme;
    const isContact = verdict === 'contact';
    const colour = isContact ? overlay.contact : overlay.candidate;
    // Across an end of a periodic world, draw half of the line from each particle.
    const share = isWrapped ? 0.5 : 1;
    for (const [from, sign] of isWrapped
      ? ([
          [details.position, 1],
          [there, -1],
        ] as const)
      : ([[details.position, 1]] as const)) {
      const [first, second] = [
        this.toScreen(from),
        this.toScreen(from.map((along, axis) => along + sign * share * (shortest[axis] as number))),
      ];
      if (!first || !second) continue;
      context.beginPath();
      context.moveTo(first.x, first.y);
      context.lineTo(second.x, second.y);
      context.setLineDash(isContact ? [] : verdict === 'apart' ? [4, 4] : [1, 4]);
      this.stroke(colour, isContact ? 2.5 : 1.25);
      context.setLineDash([]);
    }
    const end = this.toScreen(there);
    if (!end) return;
    const { x, y } = end;
    context.beginPath();
    if (isContact) context.arc(x, y, 4, 0, 2 * Math.PI);
    else if (verdict === 'stranger') context.rect(x - 3.5, y - 3.5, 7, 7);
    else {
      context.moveTo(x - 3.5, y - 3.5);
      context.lineTo(x + 3.5, y + 3.5);
      context.moveTo(x - 3.5, y + 3.5);
      context.lineTo(x + 3.5, y - 3.5);
    }
    this.stroke(colour, 1.75);
    if (!isContact) return;
    context.fillStyle = toCss(colour);
    context.fill();
  }

  /** Strokes with an outline, so that the path is visible on any colour. */
  private stroke(colour: readonly [number, number, number], width: number): void {
    const { context, frame } = this;
    context.strokeStyle = toCss(frame.theme.background);
    context.lineWidth = width + 1.5;
    context.stroke();
    context.strokeStyle = toCss(colour);
    context.lineWidth = width;
    context.stroke();
  }

  /** Returns CSS pixels, and as `scale` the pixels per unit at the point's distance. Undefined behind the camera. */
  private toScreen(
    point: readonly number[],
  ): { readonly x: number; readonly y: number; readonly scale: number } | undefined {
    const { camera, viewport } = this.frame;
    const { x, y, distance } = project(camera, viewport, point);
    if (point.length === 2) return { x, y, scale: camera.pixelsPerUnit };
    return distance > 0 ? { x, y, scale: (camera.pixelsPerUnit * camera.distance) / distance } : undefined;
  }
}
