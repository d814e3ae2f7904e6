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
  /** Voxels of the volume along each axis, in 3D. */
  readonly voxels: readonly [number, number, number];
}

/**
 * Voxels are as wide as the initial distance between particles, or wider if there would be more voxels than this.
 */
const MOST_VOXELS = { hardware: 2 ** 23, software: 2 ** 18 } as const;
/** Every device allows a 3D texture with this edge. */
const MOST_ALONG = 2048;

export function shapeOf(
  { dimensions, lattice, cellSize, particlesPerCell }: FluidPlan,
  isSoftware: boolean,
): FluidShape {
  const perCell = Math.round(particlesPerCell ** (1 / dimensions));
  const most = MOST_VOXELS[isSoftware ? 'software' : 'hardware'];
  const wanted = lattice.cells.map((along) => along * perCell);
  const coarser = Math.max(1, Math.cbrt(wanted.reduce((product, along) => product * along, 1) / most));
  const along = (axis: 0 | 1 | 2) =>
    Math.min(MOST_ALONG, Math.max(1, Math.floor((wanted[axis] as number) / coarser)));
  const voxels = [along(0), along(1), along(2)] as const;
  return { dimensions, cells: lattice.cells, cellSize, spacing: cellSize / perCell, voxels };
}

/** In 2D, a particle's reach in units of `spacing`. A smaller reach shows jitter, a larger one rounds off crests. */
export const REACH = 3.3;
/** The radius of a drop in units of `spacing`. In 2D, its area is `spacing`². In 3D, smaller drops look like spray. */
const DROP = { 2: 1 / Math.sqrt(Math.PI), 3: 0.34 } as const;

/** Fields of the shader's struct, each a vec4f. */
const FLUID_FIELDS = ['screen', 'kernel', 'cells', 'range', 'zenith', 'horizon', 'absorption'] as const;

type FluidValues = Readonly<Record<(typeof FLUID_FIELDS)[number], readonly number[]>>;

export const FLUID_BYTES = 16 * FLUID_FIELDS.length;

export interface FluidExtents {
  /** The picture's width in pixels. */
  readonly width: number;
  readonly height: number;
  /** Texels of the fluid's textures per pixel, along each axis. */
  readonly scale: number;
  readonly count: number;
}

export function packFluid(
  { dimensions, cells, cellSize, spacing, voxels }: FluidShape,
  { viewport, theme, box }: Frame,
  { width, height, scale, count }: FluidExtents,
): Float32Array<ArrayBuffer> {
  const colours = fluidColours(theme.isDark);
  const boxHeight = (box.max[1] as number) - (box.min[1] as number);
  const values: FluidValues = {
    screen: [width, height, scale, viewport.pixelRatio],
    kernel: [REACH * spacing, spacing, DROP[dimensions] * spacing, 0],
    cells: [cells[0] ?? 1, cells[1] ?? 1, cells[2] ?? 1, cellSize],
    range: [...voxels, count],
    zenith: [...colours.zenith, colours.window],
    horizon: [...colours.horizon, 1],
    absorption: [...colours.absorption, colours.cloud].map((share) => share / boxHeight),
  };
  return Float32Array.from(FLUID_FIELDS.flatMap((name) => values[name]));
}
