/**
 * What the shaders of a fluid's surface know beside the frame (struct Fluid of shaders/draw/fluid.wgsl), packed, and
 * how far particles reach. Pure. Inputs: the plan of a fluid, the frame, the size of its picture. Output: floats.
 */
import type { FluidPlan } from '../../../methods/fluid';
import { fluidLook } from '../../model/fluid-look';
import type { Frame } from '../engine';

/** What has to be known of it. */
export interface FluidShape {
  readonly dimensions: 2 | 3;
  /** Along each axis, from 0; the third is 1 in the plane. */
  readonly cells: readonly number[];
  readonly cellSize: number;
  /** Distance between particles at first. */
  readonly spacing: number;
}

export function shapeOf({ dimensions, lattice, cellSize, particlesPerCell }: FluidPlan): FluidShape {
  const spacing = cellSize / particlesPerCell ** (1 / dimensions);
  return { dimensions, cells: lattice.cells, cellSize, spacing };
}

/**
 * In distances between particles. The reach of a kernel in the plane: less, and the jitter of particles is seen; more, and
 * crests are rounded off. The radius of a ball in space: less, and there are holes in still water.
 */
export const REACH = { 2: 2.7, 3: 0.8 } as const;
/** A disc as large as a particle's share of the plane. */
const DROP = 1 / Math.sqrt(Math.PI);
/** In radii of a ball: how far distances are smoothed (one standard deviation), and what step is a surface of its own. */
const SMOOTHING = 1.6;
const STEP = 2.2;

/** struct Fluid of shaders/draw/fluid.wgsl: so many vectors of four. */
const FLUID_FIELDS = ['screen', 'kernel', 'cells', 'range', 'zenith', 'horizon', 'absorption'] as const;

type FluidValues = Readonly<Record<(typeof FLUID_FIELDS)[number], readonly number[]>>;

export const FLUID_BYTES = 16 * FLUID_FIELDS.length;

/** What is drawn into: pixels of the picture, texels of the fluid's textures a pixel, and whether bodies hide fluid. */
export interface FluidPlace {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly isHidden: boolean;
}

export function packFluid(
  { dimensions, cells, cellSize, spacing }: FluidShape,
  { sight, viewport, theme, box }: Frame,
  { width, height, scale, isHidden }: FluidPlace,
): Float32Array<ArrayBuffer> {
  const look = fluidLook(theme.isDark);
  const reach = REACH[dimensions] * spacing;
  const boxHeight = (box.max[1] as number) - (box.min[1] as number);
  const values: FluidValues = {
    screen: [width, height, scale, viewport.pixelRatio],
    kernel: [reach, spacing, DROP * spacing, isHidden ? 1 : 0],
    cells: [cells[0] ?? 1, cells[1] ?? 1, cells[2] ?? 1, cellSize],
    range: [sight.distance, Math.max(sight.reach, 1e-30), SMOOTHING * reach, STEP * reach],
    zenith: [...look.zenith, 1],
    horizon: [...look.horizon, 1],
    absorption: [...look.absorption, look.cloud].map((share) => share / boxHeight),
  };
  return Float32Array.from(FLUID_FIELDS.flatMap((name) => values[name]));
}
