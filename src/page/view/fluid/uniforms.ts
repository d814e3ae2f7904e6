/** Packs `struct Fluid` of shaders/draw/fluid.wgsl. */
import type { FluidPlan } from '../../../methods/fluid';
import { fluidColours } from '../../model/fluid-colours';
import type { Frame } from '../engine';

export interface FluidShape {
  readonly dimensions: 2 | 3;
  /** The third number is 1 in 2D. */
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
 * A particle's reach, in initial distances between particles. In 2D, a particle adds to the field within its reach. A
 * smaller reach shows jitter; a larger one rounds off crests. In 3D, the reach is the ball's radius. With a smaller
 * one, still water has holes.
 */
export const REACH = { 2: 2.7, 3: 0.8 } as const;
/** A drop in 2D has the area of a square whose edge is the initial distance. */
const DROP = 1 / Math.sqrt(Math.PI);
/** Standard deviation of the smoothing, in radii of a ball. */
const SMOOTHING = 1.6;
/** Depths that differ by more than this, in radii of a ball, belong to separate surfaces. */
const STEP = 2.2;

/** Fields of the shader's struct, each a vec4f. */
const FLUID_FIELDS = ['screen', 'kernel', 'cells', 'range', 'zenith', 'horizon', 'absorption'] as const;

type FluidValues = Readonly<Record<(typeof FLUID_FIELDS)[number], readonly number[]>>;

export const FLUID_BYTES = 16 * FLUID_FIELDS.length;

export interface FluidExtents {
  /** The picture's width in pixels. */
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
