/**
 * Purpose: draws particles from the simulation's own GPU buffers into a canvas: discs in the plane
 * (shaders/draw/discs.wgsl), shaded spheres with depth in space (spheres.wgsl), boxes among them where particles
 * may be boxes; particles that never move; and the box around them.
 */
import boxText from '../../../shaders/draw/box.wgsl?raw';
import colourText from '../../../shaders/draw/colour.wgsl?raw';
import discsText from '../../../shaders/draw/discs.wgsl?raw';
import { GpuError } from '../../core/base/errors';
import type { Dimensions } from '../../core/world/world';
import type { Gpu } from '../../gpu/device';
import type { ShaderSource } from '../../gpu/link';
import { compileShader } from '../../gpu/shader-module';
import type { Fluid } from '../../methods/fluid';
import type { GpuBody } from '../model/body';
import { COLOUR_STOPS } from '../model/colour';
import type { Colouring } from '../model/fields';
import type { Frame } from './engine';
import { BLEND, DEPTH_FORMAT, FRAME_BYTES, FRAME_SOURCE, packFrame } from './frame';
import type { LiquidFields } from './liquid/fields';
import type { LiquidColour } from './liquid/pipelines';
import type { LiquidView } from './liquid/view';
import type { Overlay, OverlayPicture } from './overlay';

const COLOUR_SOURCE = { name: 'draw/colour.wgsl', text: colourText };
const BOX_SOURCE = { name: 'draw/box.wgsl', text: boxText };
const DISCS_SOURCE = { name: 'draw/discs.wgsl', text: discsText };

/**
 * Samples a pixel in space, where edges of spheres meet at different depths; the plane needs one. A GPU that
 * the processor plays takes one as well: four would double the time of a picture.
 */
const SAMPLES = 4;
const EDGES = { 2: 4, 3: 12 } as const;

export interface Pipelines {
  readonly surface: GPURenderPipeline;
  readonly edges: GPURenderPipeline;
  readonly particles: GPURenderPipeline;
}

/** Group 0: the frame; group 1: positions and what decides the colour, of ages births and ids, of obstacles nothing. */
export interface Layouts {
  readonly frame: GPUBindGroupLayout;
  readonly aged: GPUBindGroupLayout;
  readonly particles: GPUBindGroupLayout;
  readonly obstacles: GPUBindGroupLayout;
}

/** What the pipelines have to know of the canvas they draw into. */
export interface Picture {
  readonly format: GPUTextureFormat;
  readonly samples: 1 | typeof SAMPLES;
}

/** What the pipelines have to know of the particles. */
export interface Drawn {
  readonly dimensions: Dimensions;
  /** Whether each has a size of its own. */
  readonly isMixed: boolean;
  /** Whether they may be boxes; then each has a size of its own. */
  readonly isShaped: boolean;
  /** What decides the colour: the velocity, a number of each, its age, or nothing: that of obstacles. */
  readonly colour: LiquidColour | 'plain';
}

/** Obstacles are drawn as if each had a size of its own and might be a box, whatever particles are. */
export function obstaclesDrawn(dimensions: Dimensions): Drawn {
  return { dimensions, isMixed: true, isShaped: true, colour: 'plain' };
}

/** Of particles that move. */
export interface DrawnParticles extends Drawn {
  readonly colour: LiquidColour;
}

export function drawnOf({ dimensions, radiusRange, boxes }: GpuBody, by: Colouring): DrawnParticles {
  const isMixed = boxes || radiusRange !== undefined;
  return { dimensions, isMixed, isShaped: boxes, colour: by === 'speed' || by === 'age' ? by : 'value' };
}

function nameOf({ dimensions, isMixed, isShaped, colour }: Drawn): string {
  return `${dimensions}D ${colour}${isMixed ? ' mixed' : ''}${isShaped ? ' shaped' : ''}`;
}

/** What is drawn beside the simulation's own buffers. */
export interface Beside {
  /** u32 of each slot, where particles are coloured by a number that is counted. */
  readonly values: GPUBuffer | undefined;
  /** f32 of each id: the time when it came. */
  readonly births: GPUBuffer | undefined;
  /** Particles that never move, as bodies that may be boxes. */
  readonly obstacles: { readonly bodies: GPUBuffer; readonly count: number } | undefined;
  readonly overlay?: Overlay | undefined;
  /** Of a liquid. */
  readonly fields?: LiquidFields | undefined;
  readonly liquid?: LiquidView | undefined;
}

/** Textures of the canvas's size that a picture of space is drawn with. */
interface Targets {
  /** Only where a pixel has several samples. */
  readonly colour: GPUTexture | undefined;
  readonly depth: GPUTexture;
}

export class GpuView {
  readonly canvas = document.createElement('canvas');
  private readonly device: GPUDevice;
  private readonly context: GPUCanvasContext;
  readonly format = navigator.gpu.getPreferredCanvasFormat();
  private readonly uniforms: GPUBuffer;
  private readonly layouts: Layouts;
  private readonly frameGroup: GPUBindGroup;
  private readonly pipelines = new Map<string, Pipelines>();
  private readonly groups = new WeakMap<
    GPUBindGroupLayout,
    WeakMap<GPUBuffer, WeakMap<GPUBuffer, GPUBindGroup>>
  >();
  private targets: Targets | undefined;

  constructor(
    private readonly gpu: Gpu,
    readonly samples: Picture['samples'] = SAMPLES,
  ) {
    const { device } = gpu;
    const context = this.canvas.getContext('webgpu');
    if (!context) throw new GpuError('unsupported', 'This browser gives WebGPU no canvas to draw into.');
    this.device = device;
    this.context = context;
    // What lies behind a liquid is copied from the canvas.
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
    context.configure({ device, format: this.format, alphaMode: 'opaque', usage });
    this.uniforms = device.createBuffer({
      label: 'draw.frame',
      size: FRAME_BYTES,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    this.layouts = createLayouts(device);
    this.frameGroup = device.createBindGroup({
      label: 'draw.frame.group',
      layout: this.layouts.frame,
      entries: [{ binding: 0, resource: { buffer: this.uniforms } }],
    });
  }

  /** Compiles what pictures of these dimensions need; to be awaited before `draw`. */
  async prepare(particles: Drawn): Promise<void> {
    const name = nameOf(particles);
    if (this.pipelines.has(name)) return;
    const { device, format, samples, layouts } = this;
    this.pipelines.set(name, await createPipelines(device, particles, { format, samples }, layouts));
  }

  /** What is laid over pictures of a simulation, on this canvas. */
  async createOverlay(simulation: GpuBody): Promise<Overlay> {
    // Loaded only when needed.
    const { Overlay: Made } = await import('./overlay');
    return Made.create(this.gpu, simulation, overlayPicture(this.layouts, this));
  }

  /** How a liquid's surface is drawn on this canvas. */
  async createLiquid(fluid: Fluid): Promise<LiquidView> {
    const { LiquidView: Made } = await import('./liquid/view');
    const { frame, particles, aged } = this.layouts;
    return new Made(this.device, fluid, {
      format: this.format,
      samples: this.samples,
      isSoftware: this.samples === 1,
      frameLayout: frame,
      particleLayouts: { speed: particles, value: particles, age: aged },
    });
  }

  async createFields(fluid: Fluid): Promise<LiquidFields> {
    const { LiquidFields: Made } = await import('./liquid/fields');
    const { format, samples } = this;
    return Made.create(this.device, fluid, { format, samples, frameLayout: this.layouts.frame });
  }

  /** `prelude` records what is to be known before. */
  draw(
    simulation: GpuBody,
    frame: Frame,
    beside: Beside,
    prelude?: (encoder: GPUCommandEncoder) => void,
  ): void {
    const { dimensions } = simulation;
    const { overlay, fields, liquid } = beside;
    const pipelines = this.pipelines.get(nameOf(drawnOf(simulation, frame.scale.by)));
    if (!pipelines) return;
    this.resize(frame);
    this.device.queue.writeBuffer(this.uniforms, 0, packFrame(simulation, frame, this.samples));
    const encoder = this.device.createCommandEncoder({ label: 'draw' });
    prelude?.(encoder);
    overlay?.encode(encoder, frame);
    fields?.update(frame);
    if (liquid && frame.isSurface && simulation.fluid) {
      this.recordLiquid(encoder, liquid, simulation, frame, beside, pipelines);
    } else {
      const pass = encoder.beginRenderPass(this.passDescriptor(dimensions, frame));
      pass.setBindGroup(0, this.frameGroup);
      this.drawAround(pass, simulation, frame, beside, pipelines);
      if (simulation.count > 0) {
        pass.setPipeline(pipelines.particles);
        pass.setBindGroup(1, this.particleGroup(simulation, frame.scale.by, beside));
        pass.draw(4, simulation.count);
      }
      this.drawOver(pass, frame, beside);
      pass.end();
    }
    this.device.queue.submit([encoder.finish()]);
  }

  private recordLiquid(
    encoder: GPUCommandEncoder,
    liquid: LiquidView,
    simulation: GpuBody,
    frame: Frame,
    beside: Beside,
    pipelines: Pipelines,
  ): void {
    const { by } = frame.scale;
    const target = this.context.getCurrentTexture();
    const isSpace = simulation.dimensions === 3;
    const { colour, depth } = isSpace ? this.targetsFor(target) : { colour: undefined, depth: undefined };
    const targets = { target, background: frame.theme.background, colour, depth };
    liquid.record(encoder, targets, {
      frame,
      frameGroup: this.frameGroup,
      colour: drawnOf(simulation, by).colour,
      particles: this.particleGroup(simulation, by, beside),
      count: simulation.count,
      isHidden: beside.obstacles !== undefined || frame.overlays.solidCells,
      around: (pass) => this.drawAround(pass, simulation, frame, beside, pipelines),
      over: (pass) => {
        // Edges in front of the liquid, which gave its depth.
        if (isSpace) this.drawEdges(pass, 3, frame, pipelines);
        this.drawOver(pass, frame, beside);
      },
    });
  }

  /** The box, and what neither moves nor flows. */
  private drawAround(
    pass: GPURenderPassEncoder,
    { dimensions }: GpuBody,
    frame: Frame,
    { obstacles, overlay, fields }: Beside,
    pipelines: Pipelines,
  ): void {
    if (frame.box.isWorld) {
      pass.setPipeline(pipelines.surface);
      pass.draw(4);
    }
    this.drawEdges(pass, dimensions, frame, pipelines);
    overlay?.drawBehind(pass, frame);
    const fixed = this.pipelines.get(nameOf(obstaclesDrawn(dimensions)));
    if (obstacles && fixed) {
      pass.setPipeline(fixed.particles);
      pass.setBindGroup(1, this.group(this.layouts.obstacles, [obstacles.bodies]));
      pass.draw(4, obstacles.count);
    }
    fields?.drawBehind(pass, frame);
  }

  private drawEdges(
    pass: GPURenderPassEncoder,
    dimensions: Dimensions,
    { box }: Frame,
    { edges }: Pipelines,
  ): void {
    if (!box.isWorld) return;
    pass.setPipeline(edges);
    pass.draw(2 * EDGES[dimensions]);
  }

  private drawOver(pass: GPURenderPassEncoder, frame: Frame, { overlay, fields }: Beside): void {
    fields?.drawOver(pass, frame);
    overlay?.drawOver(pass, frame);
  }

  destroy(): void {
    this.context.unconfigure();
    this.uniforms.destroy();
    this.targets?.colour?.destroy();
    this.targets?.depth.destroy();
    this.canvas.remove();
  }

  private particleGroup({ buffers }: GpuBody, by: Colouring, { values, births }: Beside): GPUBindGroup {
    const { positions, velocities, ids } = buffers;
    if (by === 'age' && births) return this.group(this.layouts.aged, [positions, births, ids]);
    return this.group(this.layouts.particles, [positions, by === 'id' ? ids : (values ?? velocities)]);
  }

  /**
   * The state moves between buffers from step to step; there is a group for each layout, first and last buffer seen, which
   * say what the others are.
   */
  private group(layout: GPUBindGroupLayout, buffers: readonly [GPUBuffer, ...GPUBuffer[]]): GPUBindGroup {
    const last = buffers.at(-1) as GPUBuffer;
    const ofLayout = this.groups.get(layout) ?? new WeakMap<GPUBuffer, WeakMap<GPUBuffer, GPUBindGroup>>();
    this.groups.set(layout, ofLayout);
    const known = ofLayout.get(buffers[0]) ?? new WeakMap<GPUBuffer, GPUBindGroup>();
    ofLayout.set(buffers[0], known);
    const group =
      known.get(last) ??
      this.device.createBindGroup({
        label: 'draw.particles.group',
        layout,
        entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
      });
    known.set(last, group);
    return group;
  }

  private resize({ viewport }: Frame): void {
    const most = this.device.limits.maxTextureDimension2D;
    const pixels = (size: number) => Math.min(most, Math.max(1, Math.round(size * viewport.pixelRatio)));
    const [width, height] = [pixels(viewport.width), pixels(viewport.height)];
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
  }

  private passDescriptor(dimensions: Dimensions, frame: Frame): GPURenderPassDescriptor {
    const target = this.context.getCurrentTexture();
    const clearValue = [...frame.theme.background, 1];
    if (dimensions === 2) {
      return {
        label: 'draw',
        colorAttachments: [{ view: target.createView(), clearValue, loadOp: 'clear', storeOp: 'store' }],
      };
    }
    const { colour, depth } = this.targetsFor(target);
    return {
      label: 'draw',
      colorAttachments: [
        colour
          ? {
              view: colour.createView(),
              resolveTarget: target.createView(),
              clearValue,
              loadOp: 'clear',
              storeOp: 'discard',
            }
          : { view: target.createView(), clearValue, loadOp: 'clear', storeOp: 'store' },
      ],
      depthStencilAttachment: {
        view: depth.createView(),
        depthClearValue: 1,
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
      },
    };
  }

  private targetsFor({ width, height }: GPUTexture): Targets {
    const { targets } = this;
    if (targets && targets.depth.width === width && targets.depth.height === height) return targets;
    targets?.colour?.destroy();
    targets?.depth.destroy();
    const texture = (label: string, format: GPUTextureFormat) =>
      this.device.createTexture({
        label,
        size: [width, height],
        format,
        sampleCount: this.samples,
        // Depth says how much of a liquid bodies hide.
        usage:
          GPUTextureUsage.RENDER_ATTACHMENT | (format === DEPTH_FORMAT ? GPUTextureUsage.TEXTURE_BINDING : 0),
      });
    this.targets = {
      colour: this.samples > 1 ? texture('draw.colour', this.format) : undefined,
      depth: texture('draw.depth', DEPTH_FORMAT),
    };
    return this.targets;
  }
}

/** What overlays have to know of the canvas. */
export function overlayPicture({ frame }: Layouts, { format, samples }: Picture): OverlayPicture {
  return {
    format,
    samples,
    // A GPU that the processor plays draws one sample a pixel.
    isSoftware: samples === 1,
    depthFormat: DEPTH_FORMAT,
    blend: BLEND,
    frameSource: FRAME_SOURCE,
    frameLayout: frame,
  };
}

export function createLayouts(device: GPUDevice): Layouts {
  return {
    frame: device.createBindGroupLayout({
      label: 'draw.frame.layout',
      entries: [
        {
          binding: 0,
          visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
          buffer: { type: 'uniform' },
        },
      ],
    }),
    particles: storageLayout(device, 'draw.particles', 2),
    aged: storageLayout(device, 'draw.aged', 3),
    obstacles: storageLayout(device, 'draw.obstacles', 1),
  };
}

function storageLayout(device: GPUDevice, label: string, buffers: number): GPUBindGroupLayout {
  return device.createBindGroupLayout({
    label: `${label}.layout`,
    entries: Array.from({ length: buffers }, (_, binding) => ({
      binding,
      visibility: GPUShaderStage.VERTEX,
      buffer: { type: 'read-only-storage' },
    })),
  });
}

/** All that pictures of such particles are drawn with; uses the device alone, no page. */
export async function createPipelines(
  device: GPUDevice,
  drawn: Drawn,
  picture: Picture,
  layouts: Layouts,
): Promise<Pipelines> {
  const { dimensions } = drawn;
  const entry = dimensions === 2 ? 'disc' : 'sphere';
  const source = dimensions === 2 ? DISCS_SOURCE : await loadSpheres();
  const [box, particles] = await Promise.all([
    compile(device, 'draw.box', drawn, [BOX_SOURCE]),
    compile(device, `draw.${entry}s`, drawn, [COLOUR_SOURCE, source]),
  ]);
  const bodies = {
    plain: layouts.obstacles,
    age: layouts.aged,
    value: layouts.particles,
    speed: layouts.particles,
  };
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
        bindGroupLayouts: module === box ? [layouts.frame] : [layouts.frame, bodies[drawn.colour]],
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
  { dimensions, isMixed, isShaped, colour }: Drawn,
  sources: readonly ShaderSource[],
): Promise<GPUShaderModule> {
  return compileShader(device, label, {
    dimensions,
    sources: [FRAME_SOURCE, ...sources],
    flags: {
      VARIABLE_RADII: isMixed,
      HAS_BOXES: isShaped,
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
    // Spheres hide each other by depth, so their edges are smoothed by coverage, not by blending.
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
