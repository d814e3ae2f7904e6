import boxText from '../../../shaders/draw/box.wgsl?raw';
import colourText from '../../../shaders/draw/colour.wgsl?raw';
import discsText from '../../../shaders/draw/discs.wgsl?raw';
import { type Bindings, type DeclaredLayout, declareLayout } from '../../gpu/bindings';
import type { ShaderSource } from '../../gpu/link';
import { compileShader } from '../../gpu/shader-module';
import type { Dimensions } from '../../index';
import { COLOUR_STOPS } from '../model/colour';
import type { Colouring } from '../model/fields';
import type { GpuSimulationView } from '../model/simulation-view';
import type { FluidColour } from './fluid/pipelines';
import { BLEND, DEPTH_FORMAT, FRAME_SOURCE } from './frame';
import type { OverlayPicture } from './overlay-pipelines';

const COLOUR_SOURCE = { name: 'draw/colour.wgsl', text: colourText };
const BOX_SOURCE = { name: 'draw/box.wgsl', text: boxText };
const DISCS_SOURCE = { name: 'draw/discs.wgsl', text: discsText };

/**
 * Samples per pixel in 3D, which smooth the edges of spheres. In 2D, blending smooths edges. A software GPU takes one
 * sample, because four would double the time of a picture.
 */
export const SAMPLES = 4;

export interface Pipelines {
  readonly surface: GPURenderPipeline;
  readonly edges: GPURenderPipeline;
  readonly particles: GPURenderPipeline;
}

/** Bind group 0 has the frame. Group 1 has the positions, then the values that decide the colour. */
export type Layouts = Readonly<Record<'frame' | Drawn['colour'], DeclaredLayout>>;

export interface Picture {
  readonly format: GPUTextureFormat;
  readonly samples: 1 | typeof SAMPLES;
}

export interface Drawn {
  readonly dimensions: Dimensions;
  readonly hasVariableRadii: boolean;
  /** Requires `hasVariableRadii`. */
  readonly hasBoxes: boolean;
  /** The value that decides the colour: the velocity, a number per particle, or the age. 'plain' is for obstacles. */
  readonly colour: FluidColour | 'plain';
}

/** Each obstacle has a radius of its own and may be a box. */
export function obstaclesDrawn(dimensions: Dimensions): Drawn {
  return { dimensions, hasVariableRadii: true, hasBoxes: true, colour: 'plain' };
}

export interface DrawnParticles extends Drawn {
  readonly colour: FluidColour;
}

export function drawnOf(
  { dimensions, radiusRange, boxes }: GpuSimulationView,
  by: Colouring,
): DrawnParticles {
  const hasVariableRadii = boxes || radiusRange !== undefined;
  return {
    dimensions,
    hasVariableRadii,
    hasBoxes: boxes,
    colour: by === 'speed' || by === 'age' ? by : 'value',
  };
}

export function nameOf({ dimensions, hasVariableRadii, hasBoxes, colour }: Drawn): string {
  return `${dimensions}D ${colour}${hasVariableRadii ? ' radii' : ''}${hasBoxes ? ' boxes' : ''}`;
}

export function overlayPicture({ frame }: Layouts, { format, samples }: Picture): OverlayPicture {
  return {
    format,
    samples,
    // `samples` is 1 only on a software GPU.
    isSoftware: samples === 1,
    depthFormat: DEPTH_FORMAT,
    blend: BLEND,
    frameSource: FRAME_SOURCE,
    frame,
  };
}

export function createLayouts(device: GPUDevice): Layouts {
  const layout = (name: string, bindings: Bindings) => declareLayout(device, `draw.${name}`, bindings);
  const particles = (colour: string, bindings: Bindings) =>
    layout(colour, { position: 'read array<PackedBody>', ...bindings });
  return {
    frame: layout('frame', { frame: 'uniform Frame' }),
    plain: particles('plain', {}),
    speed: particles('speed', { velocity: 'read array<Stored>' }),
    value: particles('value', { value: 'read array<u32>' }),
    // `birth` has the simulated seconds at which particles were added, by id.
    age: particles('age', { birth: 'read array<f32>', id: 'read array<u32>' }),
  };
}

/** Needs a GPU device but no web page. */
export async function createPipelines(
  device: GPUDevice,
  drawn: Drawn,
  picture: Picture,
  layouts: Layouts,
): Promise<Pipelines> {
  const { dimensions } = drawn;
  const entry = dimensions === 2 ? 'disc' : 'sphere';
  const source = dimensions === 2 ? DISCS_SOURCE : await loadSpheres();
  const boxLayouts = [layouts.frame];
  const bodyLayouts = [layouts.frame, layouts[drawn.colour]];
  const [box, particles] = await Promise.all([
    compile(device, 'draw.box', drawn, boxLayouts, [BOX_SOURCE]),
    compile(device, `draw.${entry}s`, drawn, bodyLayouts, [COLOUR_SOURCE, source]),
  ]);
  const create = (
    label: string,
    module: GPUShaderModule,
    entryPoints: readonly [string, string],
    topology: GPUPrimitiveTopology,
  ) =>
    device.createRenderPipelineAsync({
      label: `${label}.pipeline`,
      layout: device.createPipelineLayout({
        label: `${label}.pipeline-layout`,
        bindGroupLayouts: (module === box ? boxLayouts : bodyLayouts).map(({ layout }) => layout),
      }),
      ...describePipeline(dimensions, picture, module, entryPoints, topology),
    });
  const [surface, edges, discs] = await Promise.all([
    create('draw.surface', box, ['surface_vertex', 'box_fragment'], 'triangle-strip'),
    create('draw.edges', box, ['edge_vertex', 'box_fragment'], 'line-list'),
    create(`draw.${entry}s`, particles, [`${entry}_vertex`, `${entry}_fragment`], 'triangle-strip'),
  ]);
  return { surface, edges, particles: discs };
}

async function loadSpheres(): Promise<ShaderSource> {
  const { default: text } = await import('../../../shaders/draw/spheres.wgsl?raw');
  return { name: 'draw/spheres.wgsl', text };
}

function compile(
  device: GPUDevice,
  label: string,
  { dimensions, hasVariableRadii, hasBoxes, colour }: Drawn,
  layouts: readonly DeclaredLayout[],
  sources: readonly ShaderSource[],
): Promise<GPUShaderModule> {
  return compileShader(device, label, {
    dimensions,
    layouts,
    sources: [FRAME_SOURCE, ...sources],
    flags: {
      VARIABLE_RADII: hasVariableRadii,
      HAS_BOXES: hasBoxes,
      VALUED: colour === 'value',
      AGED: colour === 'age',
      PLAIN: colour === 'plain',
    },
    constants: { STOPS: COLOUR_STOPS },
  });
}

function describePipeline(
  dimensions: Dimensions,
  { format, samples }: Picture,
  module: GPUShaderModule,
  [vertex, fragment]: readonly [string, string],
  topology: GPUPrimitiveTopology,
): Omit<GPURenderPipelineDescriptor, 'layout'> {
  const isBox = fragment === 'box_fragment';
  const isSphere = dimensions === 3 && !isBox;
  const isTranslucent = isBox === (dimensions === 3);
  const count = dimensions === 3 ? samples : 1;
  return {
    vertex: { module, entryPoint: vertex },
    fragment: {
      module,
      entryPoint: fragment,
      targets: [{ format, ...(isTranslucent && { blend: BLEND }) }],
    },
    primitive: { topology },
    // Spheres hide each other by depth, so coverage, not blending, smooths their edges.
    multisample: { count, alphaToCoverageEnabled: isSphere && count > 1 },
    ...(dimensions === 3 && {
      depthStencil: {
        format: DEPTH_FORMAT,
        depthWriteEnabled: isSphere,
        depthCompare: 'less-equal',
      } as const,
    }),
  };
}
