/**
 * Packs the uniforms of a fluid's surface (struct Fluid of shaders/draw/fluid.wgsl), and defines how far particles
 * reach. Pure. Inputs: the plan of a fluid, the frame, the size of its picture. Output: floats.
 */
import type { FluidPlan } from '../../../methods/fluid';
import { fluidLook } from '../../model/fluid-look';
import type { Frame } from '../engine';

/** The properties of a fluid that its surface depends on. */
export interface FluidShape {
  readonly dimensions: 2 | 3;
  /** Cells along each axis; the third is 1 in the plane. */
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
 * In distances between particles. In the plane the reach of a kernel: with less, the jitter of particles shows; with
 * more, crests are rounded off. In space the radius of a ball: with less, still water has holes.
 */
export const REACH = { 2: 2.7, 3: 0.8 } as const;
/** Radius of a disc as large as a particle's share of the plane, in distances between particles. */
const DROP = 1 / Math.sqrt(Math.PI);
/**
 * In radii of a ball: the standard deviation of smoothing, and the step in distance from which a surface is separate.
 */
const SMOOTHING = 1.6;
const STEP = 2.2;

/** Fields of struct Fluid of shaders/draw/fluid.wgsl; each is a vector of four. */
const FLUID_FIELDS = ['screen', 'kernel', 'cells', 'range', 'zenith', 'horizon', 'absorption'] as const;

type FluidValues = Readonly<Record<(typeof FLUID_FIELDS)[number], readonly number[]>>;

export const FLUID_BYTES = 16 * FLUID_FIELDS.length;

/** Pixels of the picture, texels of the fluid's textures per pixel, and whether bodies may hide the fluid. */
export interface FluidExtents {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly isHidden: boolean;
}

export function packFluid(
  { dimensions, cells, cellSize, spacing }: FluidShape,
  { sight, viewport, theme, box }: Frame,
  { width, height, scale, isHidden }: FluidExtents,
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
