/** Draws a state for `simulate --image`, coloured by speed. */
import { encode } from 'fast-png';
import type { ParticleArrays } from '../core/simulation/simulation';
import type { World } from '../core/world/world';

const LONGEST_SIDE = 1200;
const BACKGROUND = [16, 18, 24] as const;
/** Greatest width of a rim, in pixels. */
const WIDEST_RIM = 2;
/** The `facing` (see Surface.at) of the rim of a box. */
const RIM_FACING = 0.5;

const COLOURS = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 74, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [109, 205, 89],
  [180, 222, 44],
  [253, 231, 37],
] as const;

/** Returns a PNG file. With variable radii, `radius` is the largest one allowed. */
export function renderImage(world: World, radius: number, particles: ParticleArrays): Uint8Array {
  const { dimensions } = world;
  const { positions, velocities, ids, radii, halfExtents } = particles;
  const { left, bottom, margin, width, height } = frameOf(world, radius, positions);
  const scale = LONGEST_SIDE / Math.max(width, height);
  const columns = Math.max(1, Math.round(width * scale));
  const rows = Math.max(1, Math.round(height * scale));
  const data = new Uint8Array(columns * rows * 3);
  for (let pixel = 0; pixel < columns * rows; pixel++) data.set(BACKGROUND, pixel * 3);
  const depths = new Float32Array(columns * rows).fill(Number.NEGATIVE_INFINITY);
  const speeds = Float32Array.from(ids, (_, particle) => {
    let squared = 0;
    for (let axis = 0; axis < dimensions; axis++)
      squared += (velocities[particle * dimensions + axis] as number) ** 2;
    return Math.sqrt(squared);
  });
  const fastest = [...speeds].filter(Number.isFinite).reduce((most, speed) => Math.max(most, speed), 1e-6);
  for (let particle = 0; particle < ids.length; particle++) {
    const x = ((positions[particle * dimensions] as number) - left + margin) * scale;
    const y = rows - ((positions[particle * dimensions + 1] as number) - bottom + margin) * scale;
    const z = dimensions === 3 ? (positions[particle * dimensions + 2] as number) * scale : 0;
    if (!Number.isFinite(x + y + z)) continue;
    const half = halfExtents?.subarray(particle * dimensions, (particle + 1) * dimensions);
    const surface =
      half && (half[0] as number) > 0
        ? boxSurface(half, scale)
        : ballSurface(Math.max(0.5, (radii?.[particle] ?? radius) * scale));
    const colour = colourAt((speeds[particle] as number) / fastest);
    const { across, up } = surface;
    for (let row = Math.max(0, Math.floor(y - up)); row <= Math.min(rows - 1, y + up); row++) {
      for (
        let column = Math.max(0, Math.floor(x - across));
        column <= Math.min(columns - 1, x + across);
        column++
      ) {
        const seen = surface.at(column + 0.5 - x, row + 0.5 - y);
        if (!seen) continue;
        const pixel = row * columns + column;
        const depth = z + seen.height;
        if (depth <= (depths[pixel] as number)) continue;
        depths[pixel] = depth;
        const shade = dimensions === 3 ? 0.35 + 0.65 * seen.facing : 0.8 + 0.2 * seen.facing;
        for (let channel = 0; channel < 3; channel++)
          data[pixel * 3 + channel] = (colour[channel] as number) * shade;
      }
    }
  }
  return encode({ width: columns, height: rows, data, channels: 3, depth: 8 });
}

/** The visible part of a particle, seen along z. `across` and `up` are half its width and height, in pixels. */
interface Surface {
  readonly across: number;
  readonly up: number;
  /**
   * `x` and `y` are pixels from the centre. `height` is how far the surface is in front of the centre, in pixels.
   * `facing` is how much the surface faces the viewer, from 0 to 1. Returns undefined outside the particle.
   */
  at(x: number, y: number): { readonly height: number; readonly facing: number } | undefined;
}

function ballSurface(reach: number): Surface {
  return {
    across: reach,
    up: reach,
    at(x, y) {
      const squared = (x ** 2 + y ** 2) / (reach * reach);
      // The smallest balls fill every pixel that they touch.
      if (squared > 1 && reach > 0.5) return undefined;
      const facing = Math.sqrt(Math.max(0, 1 - squared));
      return { height: facing * reach, facing };
    },
  };
}

/** Returns the surface of a box, with a darker rim that separates neighbours of the same colour. */
function boxSurface(half: Float32Array, scale: number): Surface {
  const [across, up, height] = Array.from(half, (along) => Math.max(0.5, along * scale)) as [
    number,
    number,
    number?,
  ];
  const rim = Math.min(WIDEST_RIM, 0.25 * Math.min(across, up));
  return {
    across,
    up,
    at(x, y) {
      const inside = Math.min(across - Math.abs(x), up - Math.abs(y));
      return inside < 0 ? undefined : { height: height ?? 0, facing: inside < rim ? RIM_FACING : 1 };
    },
  };
}

/** The part of the world that is drawn. Its size includes the margin on both sides; its corner does not. */
interface Frame {
  readonly left: number;
  readonly bottom: number;
  readonly margin: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the world's box; in an unbounded world, a box around the finite positions, or a unit box if none is finite.
 */
function frameOf(world: World, radius: number, positions: Float32Array): Frame {
  const bounded = world.kind !== 'unbounded';
  const [low, high] = bounded ? [world.min, world.max] : boundsOf(world.dimensions, positions);
  const [left, bottom] = low as [number, number];
  const [right, top] = high as [number, number];
  if (!(right >= left)) return { left: 0, bottom: 0, margin: 0, width: 1, height: 1 };
  // Do not subtract the margin from the corner: far from the origin, rounding would remove it.
  const margin = bounded ? 0 : radius;
  return { left, bottom, margin, width: right - left + 2 * margin, height: top - bottom + 2 * margin };
}

function boundsOf(dimensions: number, positions: Float32Array): readonly [number[], number[]] {
  const low = new Array<number>(dimensions).fill(Number.POSITIVE_INFINITY);
  const high = new Array<number>(dimensions).fill(Number.NEGATIVE_INFINITY);
  for (let first = 0; first < positions.length; first += dimensions) {
    const position = positions.subarray(first, first + dimensions);
    if (!position.every(Number.isFinite)) continue;
    position.forEach((value, axis) => {
      low[axis] = Math.min(low[axis] as number, value);
      high[axis] = Math.max(high[axis] as number, value);
    });
  }
  return [low, high];
}

function colourAt(share: number): number[] {
  const position = Math.min(1, Math.max(0, share)) * (COLOURS.length - 1);
  const low = COLOURS[Math.floor(position)] as readonly number[];
  const high = COLOURS[Math.ceil(position)] as readonly number[];
  return low.map(
    (value, channel) => value + (position - Math.floor(position)) * ((high[channel] as number) - value),
  );
}
