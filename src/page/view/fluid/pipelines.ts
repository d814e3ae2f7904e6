/** Layouts and pipelines of a fluid's surface. Particles are drawn into a field in 2D, and as balls in 3D. */
import colourText from '../../../../shaders/draw/colour.wgsl?raw';
import fluidText from '../../../../shaders/draw/fluid.wgsl?raw';
import ballsText from '../../../../shaders/draw/fluid_balls.wgsl?raw';
import reachText from '../../../../shaders/draw/fluid_reach.wgsl?raw';
import splatText from '../../../../shaders/draw/fluid_splat.wgsl?raw';
import surfaceText from '../../../../shaders/draw/fluid_surface.wgsl?raw';
import waterText from '../../../../shaders/draw/fluid_water.wgsl?raw';
import { type Bindings, type DeclaredLayout, declareLayout } from '../../../gpu/bindings';
import type { ShaderSource } from '../../../gpu/link';
import { compileShader } from '../../../gpu/shader-module';
import { SOLID } from '../../../methods/fluid/lattice';
import { COLOUR_STOPS } from '../../model/colour';
import { BLEND, DEPTH_FORMAT, FRAME_SOURCE } from '../frame';

export const FLUID_SOURCE: ShaderSource = { name: 'draw/fluid.wgsl', text: fluidText };

const SOURCES = {
  colour: { name: 'draw/colour.wgsl', text: colourText },
  fluid: FLUID_SOURCE,
  reach: { name: 'draw/fluid_reach.wgsl', text: reachText },
  splat: { name: 'draw/fluid_splat.wgsl', text: splatText },
  surface: { name: 'draw/fluid_surface.wgsl', text: surfaceText },
  balls: { name: 'draw/fluid_balls.wgsl', text: ballsText },
  water: { name: 'draw/fluid_water.wgsl', text: waterText },
} as const satisfies Record<string, ShaderSource>;

/** The smoothing reaches at most this many texels to either side. Balls near the camera need the most. */
const MOST_TEXELS = { hardware: 32, software: 20 } as const;

/**
 * Marks pixels without a ball. The number must fit into a half float and be greater than any ball's depth. Depths are
 * relative to the camera's target, in units of `CameraMatrices.reach`, so they are at most about 1.
 */
export const NOTHING = 16;

export const FIELD_FORMAT = 'rg16float';
export const NEAREST_FORMAT = 'r16float';
export const DISTANCE_FORMAT = 'r32float';

const ADD: GPUBlendState = {
  color: { srcFactor: 'one', dstFactor: 'one' },
  alpha: { srcFactor: 'one', dstFactor: 'one' },
};
const LEAST: GPUBlendState = {
  color: { operation: 'min', srcFactor: 'one', dstFactor: 'one' },
  alpha: { operation: 'min', srcFactor: 'one', dstFactor: 'one' },
};

export type FluidColour = 'speed' | 'value' | 'age';

export interface FluidPicture {
  readonly format: GPUTextureFormat;
  readonly samples: number;
  readonly isSoftware: boolean;
  /** `frame` describes bind group 0. A colour's layout describes group 1: positions and what decides the colour. */
  readonly layouts: Readonly<Record<'frame' | FluidColour, DeclaredLayout>>;
}

export interface Layouts {
  readonly alone: DeclaredLayout;
  readonly surface: DeclaredLayout;
  readonly balls: DeclaredLayout;
  readonly water: DeclaredLayout;
}

export interface ColourPipelines {
  readonly particles: GPURenderPipeline;
  /** Draws single drops. Undefined in 3D. */
  readonly drops: GPURenderPipeline | undefined;
}

export function createLayout(device: GPUDevice, label: string, bindings: Bindings): DeclaredLayout {
  return declareLayout(device, `draw.fluid.${label}`, { fluid: 'uniform Fluid', ...bindings });
}

export function createLayouts(device: GPUDevice, isMultisampled: boolean): Layouts {
  const linear = 'sampler sampler';
  return {
    alone: createLayout(device, 'splat', {}),
    surface: createLayout(device, 'surface', {
      kinds: 'read array<u32>',
      fullness: 'read array<f32>',
      field: 'filtered texture_2d<f32>',
      linear,
    }),
    balls: createLayout(device, 'balls', {
      bodies: isMultisampled ? 'depths texture_depth_multisampled_2d' : 'depth texture_depth_2d',
    }),
    water: createLayout(device, 'water', {
      distances: 'loaded texture_2d<f32>',
      thicknesses: 'filtered texture_2d<f32>',
      // The picture without the fluid.
      scene: 'filtered texture_2d<f32>',
      linear,
    }),
  };
}

export interface Described {
  readonly label: string;
  readonly sources: readonly ShaderSource[];
  readonly entryPoints: readonly [string, string];
  readonly groups: readonly DeclaredLayout[];
  readonly targets: readonly GPUColorTargetState[];
  readonly topology?: GPUPrimitiveTopology;
  readonly depth?: GPUDepthStencilState;
  readonly samples?: number;
}

/** If there are two `groups`, the first holds the particles. */
export async function createPipeline(
  device: GPUDevice,
  dimensions: 2 | 3,
  { isSoftware, samples, layouts: { frame } }: FluidPicture,
  colour: FluidColour | undefined,
  described: Described,
): Promise<GPURenderPipeline> {
  const { label, sources, entryPoints, groups, targets, topology = 'triangle-strip' } = described;
  const [vertex, fragment] = entryPoints;
  const layouts = [frame, ...groups];
  const module = await compileShader(device, `draw.fluid.${label}`, {
    dimensions,
    layouts,
    sources: [FRAME_SOURCE, ...sources],
    flags: {
      SLOTS: groups.length > 1,
      SAMPLED: samples > 1,
      VALUED: colour === 'value',
      AGED: colour === 'age',
      PLAIN: false,
    },
    constants: {
      STOPS: COLOUR_STOPS,
      NOTHING,
      SOLID,
      MOST_TEXELS: MOST_TEXELS[isSoftware ? 'software' : 'hardware'],
    },
  });
  return device.createRenderPipelineAsync({
    label: `draw.fluid.${label}.pipeline`,
    layout: device.createPipelineLayout({
      label: `draw.fluid.${label}.pipeline-layout`,
      bindGroupLayouts: layouts.map(({ layout }) => layout),
    }),
    vertex: { module, entryPoint: vertex },
    fragment: { module, entryPoint: fragment, targets: [...targets] },
    primitive: { topology },
    ...(described.samples && { multisample: { count: described.samples } }),
    ...(described.depth && { depthStencil: described.depth }),
  });
}

/** Draws the surface in 2D, the water in 3D. */
export function createSurface(
  device: GPUDevice,
  dimensions: 2 | 3,
  picture: FluidPicture,
  layouts: Layouts,
): Promise<GPURenderPipeline> {
  const { fluid, reach, surface, water } = SOURCES;
  const create = (described: Described) => createPipeline(device, dimensions, picture, undefined, described);
  const targets = [{ format: picture.format, blend: BLEND }];
  if (dimensions === 2) {
    return create({
      label: 'surface',
      sources: [fluid, reach, surface],
      entryPoints: ['surface_vertex', 'surface_fragment'],
      groups: [layouts.surface],
      targets,
    });
  }
  return create({
    label: 'water',
    sources: [fluid, water],
    entryPoints: ['water_vertex', 'water_fragment'],
    groups: [layouts.water],
    targets,
    depth: { format: DEPTH_FORMAT, depthWriteEnabled: true, depthCompare: 'less-equal' },
    samples: picture.samples,
  });
}

export async function createColoured(
  device: GPUDevice,
  dimensions: 2 | 3,
  picture: FluidPicture,
  layouts: Layouts,
  colour: FluidColour,
): Promise<ColourPipelines> {
  const { colour: colouring, fluid, reach, splat, surface, balls } = SOURCES;
  const particleLayout = picture.layouts[colour];
  const create = (described: Described) => createPipeline(device, dimensions, picture, colour, described);
  if (dimensions === 3) {
    const particles = await create({
      label: 'balls',
      sources: [colouring, fluid, balls],
      entryPoints: ['ball_vertex', 'ball_fragment'],
      groups: [particleLayout, layouts.balls],
      targets: [
        { format: NEAREST_FORMAT, blend: LEAST },
        { format: FIELD_FORMAT, blend: ADD },
      ],
    });
    return { particles, drops: undefined };
  }
  const [particles, drops] = await Promise.all([
    create({
      label: 'splat',
      sources: [colouring, fluid, reach, splat],
      entryPoints: ['splat_vertex', 'splat_fragment'],
      groups: [particleLayout, layouts.alone],
      targets: [{ format: FIELD_FORMAT, blend: ADD }],
    }),
    create({
      label: 'drops',
      sources: [colouring, fluid, reach, surface],
      entryPoints: ['drop_vertex', 'drop_fragment'],
      groups: [particleLayout, layouts.surface],
      targets: [{ format: picture.format, blend: BLEND }],
    }),
  ]);
  return { particles, drops };
}
