/**
 * Packs the uniforms of a fluid's surface (struct Fluid in shaders/draw/fluid.wgsl), and defines how far particles
 * reach. Pure functions.
 */
import type { FluidPlan } from '../../../methods/fluid';
import { fluidColours } from '../../model/fluid-colours';
import type { Frame } from '../engine';

export interface FluidShape {
  readonly dimensions: 2 | 3;
  /** Cells along each axis. The third number is 1 in 2D. */
  readonly cells: readonly number[];
  readonly cellSize: number;
  /** Initial distance between particles. */
  readonly spacing: number;
}

export function shapeOf({ dimensions, lattice, cellSize, particlesPerCell }: FluidPlan): FluidShape {
  const spacing = cellSize / particlesPerCell ** (1 / dimensions);
  return { dimensions, cells: lattice.cells, cellSize, spacing };
}

/**
 * How far a particle reaches, as a multiple of the initial distance between particles.
 *   - 2D: a particle adds to the field within its reach. A smaller reach shows the jitter of particles. A larger one
 *     rounds off crests.
 *   - 3D: the reach is the radius of the particle's ball. With a smaller radius, still water has holes.
 */
export const REACH = { 2: 2.7, 3: 0.8 } as const;
/**
 * Radius of a drop in 2D, as a multiple of the initial distance between particles. A drop has the area of a square
 * whose edge is this distance.
 */
const DROP = 1 / Math.sqrt(Math.PI);
/** Standard deviation of the smoothing, in radii of a ball. */
const SMOOTHING = 1.6;
/** Two texels belong to different surfaces if their depths differ by more than this, in radii of a ball. */
const STEP = 2.2;

/** The members of struct Fluid in shaders/draw/fluid.wgsl. Each is a vec4f. */
const FLUID_FIELDS = ['screen', 'kernel', 'cells', 'range', 'zenith', 'horizon', 'absorption'] as const;

type FluidValues = Readonly<Record<(typeof FLUID_FIELDS)[number], readonly number[]>>;

export const FLUID_BYTES = 16 * FLUID_FIELDS.length;

export interface FluidExtents {
  /** Width and height of the picture, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Texels of the fluid's textures per pixel. */
  readonly scale: number;
  /** True if bodies may hide the fluid. */
  readonly isHidden: boolean;
}

export function packFluid(
  { dimensions, cells, cellSize, spacing }: FluidShape,
  { camera, viewport, theme, box }: Frame,
  { width, height, scale, isHidden }: FluidExtents,
): Float32Array<ArrayBuffer> {
  const colours = fluidColours(theme.isDark);
  const reach = REACH[dimensions] * spacing;
  const boxHeight = (box.max[1] as number) - (box.min[1] as number);
  const values: FluidValues = {
    screen: [width, height, scale, viewport.pixelRatio],
    kernel: [reach, spacing, DROP * spacing, isHidden ? 1 : 0],
    cells: [cells[0] ?? 1, cells[1] ?? 1, cells[2] ?? 1, cellSize],
    range: [camera.distance, Math.max(camera.reach, 1e-30), SMOOTHING * reach, STEP * reach],
    zenith: [...colours.zenith, 1],
    horizon: [...colours.horizon, 1],
    absorption: [...colours.absorption, colours.cloud].map((share) => share / boxHeight),
  };
  return Float32Array.from(FLUID_FIELDS.flatMap((name) => values[name]));
}
