/**
 * Purpose: draws particles into a 2D canvas, for the CPU engine: discs in the plane, and in space pictures of
 * a shaded sphere, far ones first. Colours are those of the GPU's view, in COLOURS steps.
 */
import type { ParticleArrays, ParticleSimulation } from '../core/simulation';
import { project, type Sight, type Viewport } from './camera';
import { interpolate, type Rgb, type Theme, toCss } from './colour';
import type { Frame } from './engine';

const COLOURS = 32;
/** Edge of the picture of a sphere, pixels. */
const SPRITE_SIZE = 64;
/** Discs smaller than this radius, in pixels, are drawn as squares, which is much quicker. */
const SMALLEST_DISC = 1;

export class CanvasView {
  readonly canvas = document.createElement('canvas');
  private sprites: { readonly theme: Theme; readonly pictures: readonly HTMLCanvasElement[] } | undefined;

  draw(simulation: ParticleSimulation, frame: Frame): void {
    const context = this.canvas.getContext('2d', { alpha: false });
    const particles = simulation.read();
    // The CPU engine answers at once.
    if (!context || particles instanceof Promise) return;
    const { viewport, theme } = frame;
    const { pixelRatio } = viewport;
    this.canvas.width = Math.max(1, Math.round(viewport.width * pixelRatio));
    this.canvas.height = Math.max(1, Math.round(viewport.height * pixelRatio));
    context.fillStyle = toCss(theme.background);
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    context.scale(pixelRatio, pixelRatio);
    if (simulation.dimensions === 2) this.drawPlane(context, simulation, particles, frame);
    else this.drawSpace(context, simulation, particles, frame);
  }

  private drawPlane(
    context: CanvasRenderingContext2D,
    { world, radius }: ParticleSimulation,
    particles: ParticleArrays,
    { sight, viewport, theme, speedScale }: Frame,
  ): void {
    const low = project(sight, viewport, world.min);
    const high = project(sight, viewport, world.max);
    context.fillStyle = toCss(theme.surface);
    context.strokeStyle = toCss(theme.line);
    context.fillRect(low.x, high.y, high.x - low.x, low.y - high.y);
    context.strokeRect(low.x, high.y, high.x - low.x, low.y - high.y);
    const { positions, radii } = particles;
    groupBySpeed(particles, 2, speedScale).forEach((group, colour) => {
      context.fillStyle = toCss(interpolate(theme.stops, colour / (COLOURS - 1)));
      context.beginPath();
      for (const particle of group) {
        const pixels = (radii?.[particle] ?? radius) * sight.pixelsPerUnit;
        const x = low.x + ((positions[2 * particle] ?? 0) - (world.min[0] ?? 0)) * sight.pixelsPerUnit;
        const y = low.y - ((positions[2 * particle + 1] ?? 0) - (world.min[1] ?? 0)) * sight.pixelsPerUnit;
        if (pixels < SMALLEST_DISC) {
          context.rect(x - pixels, y - pixels, 2 * pixels, 2 * pixels);
        } else {
          context.moveTo(x + pixels, y);
          context.arc(x, y, pixels, 0, 2 * Math.PI);
        }
      }
      context.fill();
    });
  }

  private drawSpace(
    context: CanvasRenderingContext2D,
    { world, radius }: ParticleSimulation,
    { positions, velocities, radii, ids }: ParticleArrays,
    { sight, viewport, theme, speedScale }: Frame,
  ): void {
    drawBox(context, world.min, world.max, sight, viewport, theme);
    const focal = sight.pixelsPerUnit * sight.distance;
    const pictures = this.pictures(theme);
    const seen = Array.from(ids, (_, particle) => {
      const point = positions.subarray(3 * particle, 3 * particle + 3);
      return { particle, ...project(sight, viewport, Array.from(point)) };
    }).filter(({ distance }) => distance > 0);
    seen.sort((first, second) => second.distance - first.distance);
    for (const { particle, x, y, distance } of seen) {
      const speed = Math.hypot(...velocities.subarray(3 * particle, 3 * particle + 3));
      const picture = pictures[colourOf(speed, speedScale)];
      const pixels = ((radii?.[particle] ?? radius) * focal) / distance;
      if (picture) context.drawImage(picture, x - pixels, y - pixels, 2 * pixels, 2 * pixels);
    }
  }

  private pictures(theme: Theme): readonly HTMLCanvasElement[] {
    if (this.sprites?.theme !== theme) {
      const pictures = Array.from({ length: COLOURS }, (_, colour) =>
        paintSphere(interpolate(theme.stops, colour / (COLOURS - 1))),
      );
      this.sprites = { theme, pictures };
    }
    return this.sprites.pictures;
  }
}

function colourOf(speed: number, speedScale: number): number {
  const colour = Math.round((speed / speedScale) * (COLOURS - 1));
  return Math.min(COLOURS - 1, Math.max(0, colour));
}

/** Particles of each colour; those whose coordinates are not finite are left out. */
function groupBySpeed(
  { positions, velocities, ids }: ParticleArrays,
  dimensions: number,
  speedScale: number,
): number[][] {
  const groups = Array.from({ length: COLOURS }, (): number[] => []);
  for (let particle = 0; particle < ids.length; particle++) {
    const first = dimensions * particle;
    const speed = Math.hypot(velocities[first] ?? 0, velocities[first + 1] ?? 0);
    if (Number.isFinite((positions[first] ?? 0) + (positions[first + 1] ?? 0))) {
      groups[colourOf(speed, speedScale)]?.push(particle);
    }
  }
  return groups;
}

function paintSphere(colour: Rgb): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = SPRITE_SIZE;
  canvas.height = SPRITE_SIZE;
  const context = canvas.getContext('2d');
  if (!context) return canvas;
  const half = SPRITE_SIZE / 2;
  const shade = context.createRadialGradient(half * 0.7, half * 0.55, 0, half, half, half);
  shade.addColorStop(0, toCss(colour, 1.25));
  shade.addColorStop(0.6, toCss(colour, 0.85));
  shade.addColorStop(1, toCss(colour, 0.42));
  context.fillStyle = shade;
  context.arc(half, half, half, 0, 2 * Math.PI);
  context.fill();
  return canvas;
}

/** Corners are numbered by bits: 1 is the far end of x, 2 of y, 4 of z. */
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((corner) =>
  [1, 2, 4].filter((bit) => (corner & bit) === 0).map((bit) => [corner, corner | bit] as const),
);

function drawBox(
  context: CanvasRenderingContext2D,
  min: readonly number[],
  max: readonly number[],
  sight: Sight,
  viewport: Viewport,
  theme: Theme,
): void {
  const corner = (bits: number) =>
    project(
      sight,
      viewport,
      [1, 2, 4].map((bit, axis) => (bits & bit ? max : min)[axis] ?? 0),
    );
  context.fillStyle = toCss(theme.surface);
  context.strokeStyle = toCss(theme.line);
  context.beginPath();
  for (const bits of [0, 1, 5, 4]) context.lineTo(corner(bits).x, corner(bits).y);
  context.fill();
  context.beginPath();
  for (const [from, to] of EDGES) {
    context.moveTo(corner(from).x, corner(from).y);
    context.lineTo(corner(to).x, corner(to).y);
  }
  context.stroke();
}
