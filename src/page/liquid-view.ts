/**
 * Purpose: a liquid as a smooth surface, drawn from its particles' GPU buffers; uses the device alone, no page.
 * In the plane particles are added up to a field (shaders/draw/liquid_splat.wgsl), whose level set is the surface
 * (liquid_surface.wgsl). In space the nearest of balls around them (liquid_balls.wgsl) are smoothed (liquid_smooth.wgsl) and shaded
 * with what lies behind (liquid_water.wgsl).
 * Inputs: the frame, positions and what decides the colour, the kinds of cells (in the plane). Output: a picture.
 * Guarantee: its textures are as large as the picture at most, and coarser where particles are large on the screen.
 */
import colourText from '../../shaders/draw/colour.wgsl?raw';
import liquidText from '../../shaders/draw/liquid.wgsl?raw';
import ballsText from '../../shaders/draw/liquid_balls.wgsl?raw';
import reachText from '../../shaders/draw/liquid_reach.wgsl?raw';
import smoothText from '../../shaders/draw/liquid_smooth.wgsl?raw';
import splatText from '../../shaders/draw/liquid_splat.wgsl?raw';
import surfaceText from '../../shaders/draw/liquid_surface.wgsl?raw';
import waterText from '../../shaders/draw/liquid_water.wgsl?raw';
import type { Fluid, FluidPlan } from '../fluid';
import type { ShaderSource } from '../gpu/link';
import { compileShader } from '../gpu/shader-module';
import { COLOUR_STOPS } from './colour';
import type { Frame } from './engine';
import { BLEND, DEPTH_FORMAT, FRAME_SOURCE } from './frame';
import { liquidLook } from './liquid-look';

const SOURCES = {
  colour: { name: 'draw/colour.wgsl', text: colourText },
  liquid: { name: 'draw/liquid.wgsl', text: liquidText },
  reach: { name: 'draw/liquid_reach.wgsl', text: reachText },
  splat: { name: 'draw/liquid_splat.wgsl', text: splatText },
  surface: { name: 'draw/liquid_surface.wgsl', text: surfaceText },
  balls: { name: 'draw/liquid_balls.wgsl', text: ballsText },
  smooth: { name: 'draw/liquid_smooth.wgsl', text: smoothText },
  water: { name: 'draw/liquid_water.wgsl', text: waterText },
} as const satisfies Record<string, ShaderSource>;

/** struct Liquid of shaders/draw/liquid.wgsl: so many vectors of four. */
const LIQUID_FIELDS = ['screen', 'kernel', 'cells', 'range', 'zenith', 'horizon', 'absorption'] as const;

type LiquidValues = Readonly<Record<(typeof LIQUID_FIELDS)[number], readonly number[]>>;

/**
 * In distances between particles. The reach of a kernel in the plane: less, and the jitter of particles is seen; more, and
 * crests are rounded off. The radius of a ball in space: less, and there are holes in still water.
 */
const REACH = { 2: 2.7, 3: 0.8 } as const;
/** A disc as large as a particle's share of the plane. */
const DROP = 1 / Math.sqrt(Math.PI);
/** In radii of a ball: how far distances are smoothed (one standard deviation), and what step is a surface of its own. */
const SMOOTHING = 1.6;
const STEP = 2.2;
/** Across and up, so many times each. */
const ROUNDS = 2;

/** Texels along the reach: what is smooth needs no more. A GPU that the processor plays gets fewer. */
const TEXELS = { hardware: { 2: 6, 3: 6 }, software: { 2: 4, 3: 4 } } as const;
/** Texels to either side that smoothing goes at most, as balls near the eye ask for. */
const MOST_TEXELS = { hardware: 32, software: 20 } as const;

/** Where no ball is; half floats hold it, and distances from what is looked at are about 1 at most. */
const NOTHING = 16;

const FIELD_FORMAT = 'rg16float';
const NEAREST_FORMAT = 'r16float';
const DISTANCE_FORMAT = 'r32float';

const ADD: GPUBlendState = {
  color: { srcFactor: 'one', dstFactor: 'one' },
  alpha: { srcFactor: 'one', dstFactor: 'one' },
};
const LEAST: GPUBlendState = {
  color: { operation: 'min', srcFactor: 'one', dstFactor: 'one' },
  alpha: { operation: 'min', srcFactor: 'one', dstFactor: 'one' },
};

/** A liquid: its plan, and its lattice, which fills gaps between particles of the plane. */
export type LiquidSource = Pick<Fluid, 'plan' | 'buffers'>;

/** What has to be known of it. */
interface LiquidShape {
  readonly dimensions: 2 | 3;
  /** Along each axis, from 0; the third is 1 in the plane. */
  readonly cells: readonly number[];
  readonly cellSize: number;
  /** Distance between particles at first. */
  readonly spacing: number;
}

function shapeOf({ dimensions, lattice, cellSize, particlesPerCell }: FluidPlan): LiquidShape {
  const spacing = cellSize / particlesPerCell ** (1 / dimensions);
  return { dimensions, cells: lattice.cells, cellSize, spacing };
}

/** What decides the colour, as in gpu-view.ts. */
export type LiquidColour = 'speed' | 'value' | 'age';

/** What the view that draws lends. */
export interface LiquidPicture {
  readonly format: GPUTextureFormat;
  readonly samples: number;
  readonly isSoftware: boolean;
  readonly frameLayout: GPUBindGroupLayout;
  /** Of positions and what decides the colour. */
  readonly particleLayouts: Readonly<Record<LiquidColour, GPUBindGroupLayout>>;
}

/** Textures that a picture is drawn into. */
export interface LiquidTargets {
  /** One sample a pixel. In space, where `colour` is none, it is copied from. */
  readonly target: GPUTexture;
  readonly background: readonly number[];
  /** In space: with several samples a pixel, where there are such; and depth, which is read from too. */
  readonly colour: GPUTexture | undefined;
  readonly depth: GPUTexture | undefined;
}

/** What is in a picture. */
export interface LiquidScene {
  readonly frame: Frame;
  readonly frameGroup: GPUBindGroup;
  readonly colour: LiquidColour;
  readonly particles: GPUBindGroup;
  readonly count: number;
  /** Whether bodies that hide liquid are drawn around it. */
  readonly isHidden: boolean;
  /** What lies around the liquid, and what is drawn over it. Group 0 is set. */
  readonly around: (pass: GPURenderPassEncoder) => void;
  readonly over: (pass: GPURenderPassEncoder) => void;
}

interface Layouts {
  readonly alone: GPUBindGroupLayout;
  readonly surface: GPUBindGroupLayout;
  readonly balls: GPUBindGroupLayout;
  readonly smooth: GPUBindGroupLayout;
  readonly water: GPUBindGroupLayout;
}

interface ColourPipelines {
  /** Particles into textures: the field of the plane, the balls of space. */
  readonly particles: GPURenderPipeline;
  /** In the plane. */
  readonly drops: GPURenderPipeline | undefined;
}

interface FixedPipelines {
  /** The surface of the plane, the water of space. */
  readonly surface: GPURenderPipeline;
  /** In space. */
  readonly across: GPURenderPipeline | undefined;
  readonly up: GPURenderPipeline | undefined;
}

interface Textures {
  readonly size: string;
  readonly all: readonly GPUTexture[];
  /** The field in the plane, thicknesses in space. */
  readonly field: GPUTexture;
  readonly nearest: GPUTexture | undefined;
  readonly distances: readonly [GPUTexture, GPUTexture] | undefined;
  readonly scene: GPUTexture | undefined;
}

interface Groups {
  readonly depth: GPUTexture | undefined;
  readonly particles: GPUBindGroup;
  readonly surface: GPUBindGroup;
  /** Of each pass of smoothing. */
  readonly smooth: readonly GPUBindGroup[];
}

export class LiquidView {
  private readonly shape: LiquidShape;
  private readonly layouts: Layouts;
  private readonly uniforms: GPUBuffer;
  private readonly sampler: GPUSampler;
  private readonly coloured = new Map<LiquidColour, ColourPipelines>();
  private fixed: FixedPipelines | undefined;
  private textures: Textures | undefined;
  private groups: Groups | undefined;

  constructor(
    private readonly device: GPUDevice,
    private readonly fluid: LiquidSource,
    private readonly picture: LiquidPicture,
  ) {
    this.shape = shapeOf(fluid.plan);
    this.layouts = createLayouts(device, picture.samples > 1);
    this.uniforms = device.createBuffer({
      label: 'draw.liquid',
      size: 16 * LIQUID_FIELDS.length,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    this.sampler = device.createSampler({
      label: 'draw.liquid.sampler',
      magFilter: 'linear',
      minFilter: 'linear',
    });
  }

  /** Compiles what pictures in these colours need; to be awaited before `record`. */
  async prepare(colour: LiquidColour): Promise<void> {
    if (this.isReady(colour)) return;
    const { device, shape, picture, layouts } = this;
    const [fixed, coloured] = await Promise.all([
      this.fixed ?? createFixed(device, shape.dimensions, picture, layouts),
      createColoured(device, shape.dimensions, picture, layouts, colour),
    ]);
    this.fixed = fixed;
    this.coloured.set(colour, coloured);
  }

  isReady(colour: LiquidColour): boolean {
    return this.coloured.has(colour);
  }

  /** Bytes of textures as they are now. */
  get memoryBytes(): number {
    const bytes: Partial<Record<GPUTextureFormat, number>> = { [NEAREST_FORMAT]: 2 };
    const each = ({ format, width, height }: GPUTexture) => (bytes[format] ?? 4) * width * height;
    return (this.textures?.all ?? []).reduce((sum, texture) => sum + each(texture), 0);
  }

  /** Records the whole picture; the caller submits. */
  record(encoder: GPUCommandEncoder, targets: LiquidTargets, scene: LiquidScene): void {
    const { fixed, shape } = this;
    const coloured = this.coloured.get(scene.colour);
    if (!fixed || !coloured) return;
    const { width, height } = targets.target;
    const scale = this.scaleFor(scene.frame);
    const textures = this.texturesFor(targets.target, scale);
    const groups = this.groupsFor(textures, targets.depth);
    this.device.queue.writeBuffer(this.uniforms, 0, this.pack(scene, width, height, scale));
    const extent = [scale * width, scale * height] as const;
    if (shape.dimensions === 2) {
      this.splat(encoder, textures, groups, coloured, scene, extent);
      const pass = begin(encoder, targets, scene, 'clear', targets.target);
      scene.around(pass);
      pass.setPipeline(fixed.surface);
      pass.setBindGroup(1, groups.surface);
      pass.draw(4);
      if (coloured.drops && scene.count > 0) {
        pass.setPipeline(coloured.drops);
        pass.setBindGroup(1, scene.particles);
        pass.setBindGroup(2, groups.surface);
        pass.draw(4, scene.count);
      }
      scene.over(pass);
      pass.end();
      return;
    }
    const around = begin(encoder, targets, scene, 'clear', textures.scene);
    scene.around(around);
    around.end();
    if (!targets.colour && textures.scene) {
      encoder.copyTextureToTexture({ texture: targets.target }, { texture: textures.scene }, [width, height]);
    }
    this.splat(encoder, textures, groups, coloured, scene, extent);
    this.smooth(encoder, textures, groups, fixed, scene, extent);
    const pass = begin(encoder, targets, scene, 'load', targets.target);
    pass.setPipeline(fixed.surface);
    pass.setBindGroup(1, groups.surface);
    pass.draw(4);
    scene.over(pass);
    pass.end();
  }

  destroy(): void {
    this.uniforms.destroy();
    for (const texture of this.textures?.all ?? []) texture.destroy();
    this.textures = undefined;
    this.groups = undefined;
  }

  /** Texels a pixel: steps of a half power of two, lest textures be made anew whenever somebody zooms. */
  private scaleFor({ sight, viewport }: Frame): number {
    const { shape, picture } = this;
    const texels = TEXELS[picture.isSoftware ? 'software' : 'hardware'][shape.dimensions];
    const pixels = REACH[shape.dimensions] * shape.spacing * sight.pixelsPerUnit * viewport.pixelRatio;
    return Math.min(1, 2 ** (Math.round(2 * Math.log2(texels / pixels)) / 2));
  }

  /** Particles into the textures that are drawn from. */
  private splat(
    encoder: GPUCommandEncoder,
    { field, nearest }: Textures,
    groups: Groups,
    { particles }: ColourPipelines,
    scene: LiquidScene,
    [width, height]: readonly [number, number],
  ): void {
    const attachment = (texture: GPUTexture, value: number) => ({
      view: texture.createView(),
      clearValue: [value, 0, 0, 0],
      loadOp: 'clear' as const,
      storeOp: 'store' as const,
    });
    const pass = encoder.beginRenderPass({
      label: 'draw.liquid.particles',
      colorAttachments: [...(nearest ? [attachment(nearest, NOTHING)] : []), attachment(field, 0)],
    });
    if (scene.count > 0) {
      pass.setViewport(0, 0, width, height, 0, 1);
      pass.setPipeline(particles);
      pass.setBindGroup(0, scene.frameGroup);
      pass.setBindGroup(1, scene.particles);
      pass.setBindGroup(2, groups.particles);
      pass.draw(4, scene.count);
    }
    pass.end();
  }

  private smooth(
    encoder: GPUCommandEncoder,
    { distances }: Textures,
    { smooth }: Groups,
    { across, up }: FixedPipelines,
    { frameGroup }: LiquidScene,
    [width, height]: readonly [number, number],
  ): void {
    if (!across || !up || !distances) return;
    smooth.forEach((group, index) => {
      const pass = encoder.beginRenderPass({
        label: 'draw.liquid.smooth',
        colorAttachments: [
          {
            view: (distances[index % 2] as GPUTexture).createView(),
            clearValue: [NOTHING, 0, 0, 0],
            loadOp: 'clear',
            storeOp: 'store',
          },
        ],
      });
      pass.setViewport(0, 0, width, height, 0, 1);
      pass.setPipeline(index % 2 === 0 ? across : up);
      pass.setBindGroup(0, frameGroup);
      pass.setBindGroup(1, group);
      pass.draw(3);
      pass.end();
    });
  }

  private texturesFor({ width, height, format }: GPUTexture, scale: number): Textures {
    const size = `${width} ${height} ${scale}`;
    if (this.textures?.size === size) return this.textures;
    for (const texture of this.textures?.all ?? []) texture.destroy();
    this.groups = undefined;
    const all: GPUTexture[] = [];
    const create = (label: string, format: GPUTextureFormat, share: number, usage = 0) => {
      const texture = this.device.createTexture({
        label: `draw.liquid.${label}`,
        size: [Math.ceil(share * width), Math.ceil(share * height)],
        format,
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING | usage,
      });
      all.push(texture);
      return texture;
    };
    const field = create('field', FIELD_FORMAT, scale);
    const isSpace = this.shape.dimensions === 3;
    this.textures = {
      size,
      all,
      field,
      nearest: isSpace ? create('nearest', NEAREST_FORMAT, scale) : undefined,
      distances: isSpace
        ? [create('across', DISTANCE_FORMAT, scale), create('up', DISTANCE_FORMAT, scale)]
        : undefined,
      scene: isSpace ? create('scene', format, 1, GPUTextureUsage.COPY_DST) : undefined,
    };
    return this.textures;
  }

  private groupsFor(textures: Textures, depth: GPUTexture | undefined): Groups {
    const known = this.groups;
    if (known && known.depth === depth) return known;
    const { layouts } = this;
    const { kinds, fullness } = this.fluid.buffers;
    const { field, nearest, distances, scene } = textures;
    const group = (label: string, layout: GPUBindGroupLayout, resources: readonly GPUBindingResource[]) =>
      this.device.createBindGroup({
        label: `draw.liquid.${label}.group`,
        layout,
        entries: [{ buffer: this.uniforms }, ...resources].map((resource, binding) => ({
          binding,
          resource,
        })),
      });
    const view = (texture: GPUTexture) => texture.createView();
    if (nearest && distances && scene && depth) {
      const passes = Array.from({ length: 2 * ROUNDS }, (_, pass) =>
        pass === 0 ? nearest : (distances[(pass + 1) % 2] as GPUTexture),
      );
      this.groups = {
        depth,
        particles: group('balls', layouts.balls, [view(depth)]),
        smooth: passes.map((source) => group('smooth', layouts.smooth, [view(source)])),
        surface: group('water', layouts.water, [view(distances[1]), view(field), view(scene), this.sampler]),
      };
    } else {
      this.groups = {
        depth,
        particles: group('splat', layouts.alone, []),
        smooth: [],
        surface: group('surface', layouts.surface, [
          { buffer: kinds },
          { buffer: fullness },
          view(field),
          this.sampler,
        ]),
      };
    }
    return this.groups;
  }

  private pack(
    { frame, isHidden }: LiquidScene,
    width: number,
    height: number,
    scale: number,
  ): Float32Array<ArrayBuffer> {
    const { dimensions, cells, cellSize, spacing } = this.shape;
    const { sight, viewport, theme, box } = frame;
    const look = liquidLook(theme.isDark);
    const reach = REACH[dimensions] * spacing;
    const boxHeight = (box.max[1] as number) - (box.min[1] as number);
    const values: LiquidValues = {
      screen: [width, height, scale, viewport.pixelRatio],
      kernel: [reach, spacing, DROP * spacing, isHidden ? 1 : 0],
      cells: [cells[0] ?? 1, cells[1] ?? 1, cells[2] ?? 1, cellSize],
      range: [sight.distance, Math.max(sight.reach, 1e-30), SMOOTHING * reach, STEP * reach],
      zenith: [...look.zenith, 1],
      horizon: [...look.horizon, 1],
      absorption: [...look.absorption, look.cloud].map((share) => share / boxHeight),
    };
    return Float32Array.from(LIQUID_FIELDS.flatMap((name) => values[name]));
  }
}

/** The pass in which the picture itself is drawn. */
function begin(
  encoder: GPUCommandEncoder,
  { target, colour, depth, background }: LiquidTargets,
  { frameGroup }: LiquidScene,
  loadOp: GPULoadOp,
  resolved: GPUTexture | undefined,
): GPURenderPassEncoder {
  const clearValue = [...background, 1];
  const pass = encoder.beginRenderPass({
    label: 'draw',
    colorAttachments: [
      {
        view: (colour ?? target).createView(),
        ...(colour && resolved && { resolveTarget: resolved.createView() }),
        clearValue,
        loadOp,
        storeOp: 'store',
      },
    ],
    ...(depth && {
      depthStencilAttachment: {
        view: depth.createView(),
        depthClearValue: 1,
        depthLoadOp: loadOp,
        depthStoreOp: 'store',
      } as const,
    }),
  });
  pass.setBindGroup(0, frameGroup);
  return pass;
}

function createLayouts(device: GPUDevice, isMultisampled: boolean): Layouts {
  const both = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
  type Entry = Omit<GPUBindGroupLayoutEntry, 'binding' | 'visibility'>;
  const layout = (label: string, entries: readonly Entry[]) =>
    device.createBindGroupLayout({
      label: `draw.liquid.${label}.layout`,
      entries: entries.map((entry, binding) => ({ binding, visibility: both, ...entry })),
    });
  const uniform: Entry = { buffer: { type: 'uniform' } };
  const filtered: Entry = { texture: { sampleType: 'float' } };
  const loaded: Entry = { texture: { sampleType: 'unfilterable-float' } };
  const linear: Entry = { sampler: { type: 'filtering' } };
  const storage: Entry = { buffer: { type: 'read-only-storage' } };
  const depth: Entry = { texture: { sampleType: 'depth', multisampled: isMultisampled } };
  return {
    alone: layout('splat', [uniform]),
    surface: layout('surface', [uniform, storage, storage, filtered, linear]),
    balls: layout('balls', [uniform, depth]),
    smooth: layout('smooth', [uniform, loaded]),
    water: layout('water', [uniform, loaded, filtered, filtered, linear]),
  };
}

interface Described {
  readonly label: string;
  readonly sources: readonly ShaderSource[];
  readonly entryPoints: readonly [string, string];
  /** After that of the frame. */
  readonly groups: readonly GPUBindGroupLayout[];
  readonly targets: readonly GPUColorTargetState[];
  readonly topology?: GPUPrimitiveTopology;
  readonly depth?: GPUDepthStencilState;
  readonly samples?: number;
}

/** Particles are in group 1 where there are two groups after the frame's. */
async function createPipeline(
  device: GPUDevice,
  dimensions: 2 | 3,
  { isSoftware, samples, frameLayout }: LiquidPicture,
  colour: LiquidColour | undefined,
  described: Described,
): Promise<GPURenderPipeline> {
  const { label, sources, entryPoints, groups, targets, topology = 'triangle-strip' } = described;
  const [vertex, fragment] = entryPoints;
  const module = await compileShader(device, `draw.liquid.${label}`, {
    dimensions,
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
      MOST_TEXELS: MOST_TEXELS[isSoftware ? 'software' : 'hardware'],
    },
  });
  return device.createRenderPipelineAsync({
    label: `draw.liquid.${label}.pipeline`,
    layout: device.createPipelineLayout({
      label: `draw.liquid.${label}.pipeline-layout`,
      bindGroupLayouts: [frameLayout, ...groups],
    }),
    vertex: { module, entryPoint: vertex },
    fragment: { module, entryPoint: fragment, targets: [...targets] },
    primitive: { topology },
    ...(described.samples && { multisample: { count: described.samples } }),
    ...(described.depth && { depthStencil: described.depth }),
  });
}

async function createFixed(
  device: GPUDevice,
  dimensions: 2 | 3,
  picture: LiquidPicture,
  layouts: Layouts,
): Promise<FixedPipelines> {
  const { liquid, reach, surface, smooth, water } = SOURCES;
  const create = (described: Described) => createPipeline(device, dimensions, picture, undefined, described);
  const canvas = { format: picture.format, blend: BLEND };
  if (dimensions === 2) {
    const made = await create({
      label: 'surface',
      sources: [liquid, reach, surface],
      entryPoints: ['surface_vertex', 'surface_fragment'],
      groups: [layouts.surface],
      targets: [canvas],
    });
    return { surface: made, across: undefined, up: undefined };
  }
  const smoothing = (axis: 'across' | 'up') =>
    create({
      label: axis,
      sources: [liquid, smooth],
      entryPoints: ['smooth_vertex', `${axis}_fragment`],
      groups: [layouts.smooth],
      targets: [{ format: DISTANCE_FORMAT }],
      topology: 'triangle-list',
    });
  const [made, across, up] = await Promise.all([
    create({
      label: 'water',
      sources: [liquid, water],
      entryPoints: ['water_vertex', 'water_fragment'],
      groups: [layouts.water],
      targets: [canvas],
      depth: { format: DEPTH_FORMAT, depthWriteEnabled: true, depthCompare: 'less-equal' },
      samples: picture.samples,
    }),
    smoothing('across'),
    smoothing('up'),
  ]);
  return { surface: made, across, up };
}

async function createColoured(
  device: GPUDevice,
  dimensions: 2 | 3,
  picture: LiquidPicture,
  layouts: Layouts,
  colour: LiquidColour,
): Promise<ColourPipelines> {
  const { colour: colouring, liquid, reach, splat, surface, balls } = SOURCES;
  const slots = picture.particleLayouts[colour];
  const create = (described: Described) => createPipeline(device, dimensions, picture, colour, described);
  if (dimensions === 3) {
    const particles = await create({
      label: 'balls',
      sources: [colouring, liquid, balls],
      entryPoints: ['ball_vertex', 'ball_fragment'],
      groups: [slots, layouts.balls],
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
      sources: [colouring, liquid, reach, splat],
      entryPoints: ['splat_vertex', 'splat_fragment'],
      groups: [slots, layouts.alone],
      targets: [{ format: FIELD_FORMAT, blend: ADD }],
    }),
    create({
      label: 'drops',
      sources: [colouring, liquid, reach, surface],
      entryPoints: ['drop_vertex', 'drop_fragment'],
      groups: [slots, layouts.surface],
      targets: [{ format: picture.format, blend: BLEND }],
    }),
  ]);
  return { particles, drops };
}
