/** Layouts and pipelines of a fluid's surface. volume.ts has the kernels of the 3D volume. */
import colourText from '../../../../shaders/draw/colour.wgsl?raw';
import fluidText from '../../../../shaders/draw/fluid.wgsl?raw';
import floorText from '../../../../shaders/draw/fluid_floor.wgsl?raw';
import lightText from '../../../../shaders/draw/fluid_light.wgsl?raw';
import reachText from '../../../../shaders/draw/fluid_reach.wgsl?raw';
import splatText from '../../../../shaders/draw/fluid_splat.wgsl?raw';
import sprayText from '../../../../shaders/draw/fluid_spray.wgsl?raw';
import surfaceText from '../../../../shaders/draw/fluid_surface.wgsl?raw';
import waterText from '../../../../shaders/draw/fluid_water.wgsl?raw';
import { type Bindings, type DeclaredLayout, declareLayout } from '../../../gpu/bindings';
import type { ShaderSource } from '../../../gpu/link';
import { compileShader } from '../../../gpu/shader-module';
import { SOLID } from '../../../methods/fluid/lattice';
import { COLOUR_STOPS } from '../../model/colour';
import { BLEND, DEPTH_FORMAT, FRAME_SOURCE } from '../frame';

export const SOURCES = {
  colour: { name: 'draw/colour.wgsl', text: colourText },
  fluid: { name: 'draw/fluid.wgsl', text: fluidText },
  reach: { name: 'draw/fluid_reach.wgsl', text: reachText },
  splat: { name: 'draw/fluid_splat.wgsl', text: splatText },
  surface: { name: 'draw/fluid_surface.wgsl', text: surfaceText },
  light: { name: 'draw/fluid_light.wgsl', text: lightText },
  floor: { name: 'draw/fluid_floor.wgsl', text: floorText },
  spray: { name: 'draw/fluid_spray.wgsl', text: sprayText },
  water: { name: 'draw/fluid_water.wgsl', text: waterText },
} as const satisfies Record<string, ShaderSource>;

/**
 * How finely rays follow the volume in 3D. STRIDE is in voxels. MOST_STEPS: most steps of the camera's ray.
 * INNER_STEPS: most steps of the refracted ray. SHADOW_STEPS: steps of the ray from the floor to the sun.
 */
const RAYS = {
  hardware: { STRIDE: 0.75, MOST_STEPS: 2048, INNER_STEPS: 48, SHADOW_STEPS: 20 },
  software: { STRIDE: 1.4, MOST_STEPS: 1024, INNER_STEPS: 9, SHADOW_STEPS: 5 },
} as const;

/** In 3D, the list of drops begins at this word, after the arguments of an indirect draw. */
export const FIRST_DROP = 4;

export const FIELD_FORMAT = 'rg16float';

const ADD: GPUBlendState = {
  color: { srcFactor: 'one', dstFactor: 'one' },
  alpha: { srcFactor: 'one', dstFactor: 'one' },
};

export type FluidColour = 'speed' | 'value' | 'age';

export interface FluidPicture {
  readonly format: GPUTextureFormat;
  readonly samples: number;
  readonly isSoftware: boolean;
  /** `frame` describes bind group 0. Each colour describes bind group 1: positions, then values for the colour. */
  readonly layouts: Readonly<Record<'frame' | FluidColour, DeclaredLayout>>;
}

export interface Layouts {
  readonly alone: DeclaredLayout;
  readonly surface: DeclaredLayout;
  readonly lit: DeclaredLayout;
  readonly spray: DeclaredLayout;
  readonly water: DeclaredLayout;
}

/** These do not depend on the colour. */
export interface FixedPipelines {
  /** The surface in 2D, the water in 3D. */
  readonly surface: GPURenderPipeline;
  /** Undefined in 2D. */
  readonly floor: GPURenderPipeline | undefined;
}

export interface ColourPipelines {
  /** Draws the particles' density. Undefined in 3D. */
  readonly field: GPURenderPipeline | undefined;
  readonly drops: GPURenderPipeline;
}

export function createLayout(
  device: GPUDevice,
  label: string,
  bindings: Bindings,
  isKernel?: boolean,
): DeclaredLayout {
  return declareLayout(device, `draw.fluid.${label}`, { fluid: 'uniform Fluid', ...bindings }, isKernel);
}

export function createLayouts(device: GPUDevice): Layouts {
  const linear = 'sampler sampler';
  const volume = 'filtered texture_3d<f32>';
  return {
    alone: createLayout(device, 'splat', {}),
    surface: createLayout(device, 'surface', {
      kinds: 'read array<u32>',
      fullness: 'read array<f32>',
      field: 'filtered texture_2d<f32>',
      linear,
    }),
    lit: createLayout(device, 'lit', { volume, linear }),
    spray: createLayout(device, 'spray', { volume, linear, drops: 'read array<u32>' }),
    // `scene` is the picture without the fluid.
    water: createLayout(device, 'water', { volume, linear, scene: 'filtered texture_2d<f32>' }),
  };
}

interface Described {
  readonly label: string;
  readonly sources: readonly ShaderSource[];
  readonly entryPoints: readonly [string, string];
  readonly groups: readonly DeclaredLayout[];
  readonly format: GPUTextureFormat;
  readonly blend?: GPUBlendState;
  readonly depth?: Omit<GPUDepthStencilState, 'format'>;
}

/** Bind group 0 is the frame. If there are two `groups`, the first holds the particles. */
export function compileFluid(
  device: GPUDevice,
  dimensions: 2 | 3,
  { isSoftware, layouts: { frame } }: FluidPicture,
  colour: FluidColour | undefined,
  { label, sources, groups }: Pick<Described, 'label' | 'sources' | 'groups'>,
): { readonly module: Promise<GPUShaderModule>; readonly layout: GPUPipelineLayout } {
  const layouts = [frame, ...groups];
  const module = compileShader(device, `draw.fluid.${label}`, {
    dimensions,
    layouts,
    sources: [FRAME_SOURCE, ...sources],
    flags: {
      SLOTS: groups.length > 1,
      VALUED: colour === 'value',
      AGED: colour === 'age',
      PLAIN: false,
      SOFTWARE: isSoftware,
    },
    constants: { STOPS: COLOUR_STOPS, SOLID, FIRST_DROP, ...RAYS[isSoftware ? 'software' : 'hardware'] },
  });
  const layout = device.createPipelineLayout({
    label: `draw.fluid.${label}.pipeline-layout`,
    bindGroupLayouts: layouts.map((declared) => declared.layout),
  });
  return { module, layout };
}

async function createPipeline(
  device: GPUDevice,
  dimensions: 2 | 3,
  picture: FluidPicture,
  colour: FluidColour | undefined,
  described: Described,
): Promise<GPURenderPipeline> {
  const { label, entryPoints, format, blend = BLEND, depth } = described;
  const [vertex, fragment] = entryPoints;
  const compiled = compileFluid(device, dimensions, picture, colour, described);
  const module = await compiled.module;
  return device.createRenderPipelineAsync({
    label: `draw.fluid.${label}.pipeline`,
    layout: compiled.layout,
    vertex: { module, entryPoint: vertex },
    fragment: { module, entryPoint: fragment, targets: [{ format, blend }] },
    primitive: { topology: 'triangle-strip' },
    ...(depth && {
      depthStencil: { format: DEPTH_FORMAT, ...depth },
      multisample: { count: picture.samples },
    }),
  });
}

export async function createFixed(
  device: GPUDevice,
  dimensions: 2 | 3,
  picture: FluidPicture,
  layouts: Layouts,
): Promise<FixedPipelines> {
  const { fluid, reach, surface, light, floor, water } = SOURCES;
  const { format } = picture;
  const create = (described: Described) => createPipeline(device, dimensions, picture, undefined, described);
  if (dimensions === 2) {
    const flat = await create({
      label: 'surface',
      sources: [fluid, reach, surface],
      entryPoints: ['surface_vertex', 'surface_fragment'],
      groups: [layouts.surface],
      format,
    });
    return { surface: flat, floor: undefined };
  }
  const [liquid, ground] = await Promise.all([
    create({
      label: 'water',
      sources: [fluid, light, water],
      entryPoints: ['water_vertex', 'water_fragment'],
      groups: [layouts.water],
      format,
      depth: { depthWriteEnabled: true, depthCompare: 'less-equal' },
    }),
    create({
      label: 'floor',
      sources: [fluid, light, floor],
      entryPoints: ['floor_vertex', 'floor_fragment'],
      groups: [layouts.lit],
      format,
      depth: { depthWriteEnabled: false, depthCompare: 'always' },
    }),
  ]);
  return { surface: liquid, floor: ground };
}

export async function createColoured(
  device: GPUDevice,
  dimensions: 2 | 3,
  picture: FluidPicture,
  layouts: Layouts,
  colour: FluidColour,
): Promise<ColourPipelines> {
  const { colour: colouring, fluid, reach, splat, surface, light, spray } = SOURCES;
  const { format } = picture;
  const particles = picture.layouts[colour];
  const create = (described: Described) => createPipeline(device, dimensions, picture, colour, described);
  const entryPoints = ['drop_vertex', 'drop_fragment'] as const;
  if (dimensions === 3) {
    const drops = await create({
      label: 'spray',
      sources: [colouring, fluid, light, spray],
      entryPoints,
      groups: [particles, layouts.spray],
      format,
      depth: { depthWriteEnabled: false, depthCompare: 'less-equal' },
    });
    return { field: undefined, drops };
  }
  const [field, drops] = await Promise.all([
    create({
      label: 'splat',
      sources: [colouring, fluid, reach, splat],
      entryPoints: ['splat_vertex', 'splat_fragment'],
      groups: [particles, layouts.alone],
      format: FIELD_FORMAT,
      blend: ADD,
    }),
    create({
      label: 'drops',
      sources: [colouring, fluid, reach, surface],
      entryPoints,
      groups: [particles, layouts.surface],
      format,
    }),
  ]);
  return { field, drops };
}
