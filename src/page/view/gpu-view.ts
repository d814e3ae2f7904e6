/** Draws a simulation into a canvas on the GPU. */
import type { DeclaredLayout } from '../../gpu/bindings';
import { type Dimensions, type Gpu, GpuError } from '../../index';
import type { Fluid } from '../../methods/fluid';
import type { Colouring } from '../model/fields';
import type { GpuSimulationView } from '../model/simulation-view';
import {
  createLayouts,
  createPipelines,
  type Drawn,
  drawnOf,
  type Layouts,
  nameOf,
  obstaclesDrawn,
  overlayPicture,
  type Picture,
  type Pipelines,
  SAMPLES,
} from './draw-pipelines';
import type { Frame } from './engine';
import type { FluidFields } from './fluid/fields';
import type { FluidView } from './fluid/view';
import { DEPTH_FORMAT, FRAME_BYTES, packFrame } from './frame';
import type { Overlay } from './overlay';

const EDGES = { 2: 4, 3: 12 } as const;

export interface PictureData {
  /** A u32 per slot, if colours show the species or a count of neighbours. */
  readonly values: GPUBuffer | undefined;
  /** An f32 per id: the simulated seconds at which the particle was added. */
  readonly births: GPUBuffer | undefined;
  readonly obstacles: { readonly bodies: GPUBuffer; readonly count: number } | undefined;
  readonly overlay?: Overlay | undefined;
  /** `fields` and `fluid` are undefined until they are prepared, and always if the simulation has no fluid. */
  readonly fields?: FluidFields | undefined;
  readonly fluid?: FluidView | undefined;
}

/** The textures that 3D pictures are drawn into, as large as the canvas. */
interface Targets {
  /** Undefined with one sample per pixel. */
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
  private readonly groups = new WeakMap<GPUBindGroupLayout, WeakMap<GPUBuffer, GPUBindGroup>>();
  private targets: Targets | undefined;

  constructor(
    private readonly gpu: Gpu,
    readonly samples: Picture['samples'] = SAMPLES,
  ) {
    const { device } = gpu;
    const context = this.canvas.getContext('webgpu');
    if (!context)
      throw new GpuError('unsupported', 'WebGPU cannot draw into a canvas here. Choose the CPU engine.');
    this.device = device;
    this.context = context;
    // The picture of a fluid in 3D may copy its background from the canvas.
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
      layout: this.layouts.frame.layout,
      entries: [{ binding: 0, resource: { buffer: this.uniforms } }],
    });
  }

  /** Await this before `draw`, which otherwise draws nothing. */
  async prepare(particles: Drawn): Promise<void> {
    const name = nameOf(particles);
    if (this.pipelines.has(name)) return;
    const { device, format, samples, layouts } = this;
    this.pipelines.set(name, await createPipelines(device, particles, { format, samples }, layouts));
  }

  async createOverlay(simulation: GpuSimulationView): Promise<Overlay> {
    const { Overlay: Made } = await import('./overlay');
    return Made.create(this.gpu, simulation, overlayPicture(this.layouts, this));
  }

  async createFluid(fluid: Fluid): Promise<FluidView> {
    const { FluidView: Made } = await import('./fluid/view');
    const { format, samples, layouts } = this;
    return new Made(this.device, fluid, { format, samples, isSoftware: samples === 1, layouts });
  }

  async createFields(fluid: Fluid): Promise<FluidFields> {
    const { FluidFields: Made } = await import('./fluid/fields');
    const { format, samples, layouts } = this;
    return Made.create(this.device, fluid, { format, samples, layouts });
  }

  /** `prelude` records commands that run before the picture. */
  draw(
    simulation: GpuSimulationView,
    frame: Frame,
    data: PictureData,
    prelude?: (encoder: GPUCommandEncoder) => void,
  ): void {
    const { dimensions } = simulation;
    const { overlay, fields, fluid } = data;
    const pipelines = this.pipelines.get(nameOf(drawnOf(simulation, frame.scale.by)));
    if (!pipelines) return;
    this.resize(frame);
    this.device.queue.writeBuffer(this.uniforms, 0, packFrame(simulation, frame, this.samples));
    const encoder = this.device.createCommandEncoder({ label: 'draw' });
    prelude?.(encoder);
    overlay?.encode(encoder, frame);
    fields?.update(frame);
    if (fluid && frame.isSurface && simulation.fluid) {
      this.recordFluid(encoder, fluid, simulation, frame, data, pipelines);
    } else {
      const pass = encoder.beginRenderPass(this.passDescriptor(dimensions, frame));
      pass.setBindGroup(0, this.frameGroup);
      this.drawBehind(pass, simulation, frame, data, pipelines);
      if (simulation.count > 0) {
        pass.setPipeline(pipelines.particles);
        pass.setBindGroup(1, this.particleGroup(simulation, frame.scale.by, data));
        pass.draw(4, simulation.count);
      }
      this.drawOver(pass, frame, data);
      pass.end();
    }
    this.device.queue.submit([encoder.finish()]);
  }

  private recordFluid(
    encoder: GPUCommandEncoder,
    fluid: FluidView,
    simulation: GpuSimulationView,
    frame: Frame,
    data: PictureData,
    pipelines: Pipelines,
  ): void {
    const { by } = frame.scale;
    const target = this.context.getCurrentTexture();
    const is3D = simulation.dimensions === 3;
    const { colour, depth } = is3D ? this.targetsFor(target) : { colour: undefined, depth: undefined };
    const targets = { target, background: frame.theme.background, colour, depth };
    fluid.record(encoder, targets, {
      frame,
      frameGroup: this.frameGroup,
      colour: drawnOf(simulation, by).colour,
      particles: this.particleGroup(simulation, by, data),
      count: simulation.count,
      // A fluid in 3D has its own floor.
      around: (pass) => this.drawBehind(pass, simulation, frame, data, pipelines, is3D),
      over: (pass) => {
        // Now the depth buffer contains the fluid, which hides edges behind it.
        if (is3D) this.drawEdges(pass, 3, frame, pipelines);
        this.drawOver(pass, frame, data);
      },
    });
  }

  private drawBehind(
    pass: GPURenderPassEncoder,
    { dimensions }: GpuSimulationView,
    frame: Frame,
    { obstacles, overlay, fields }: PictureData,
    pipelines: Pipelines,
    hasFloor = false,
  ): void {
    if (frame.box.isWorld && !hasFloor) {
      pass.setPipeline(pipelines.surface);
      pass.draw(4);
    }
    this.drawEdges(pass, dimensions, frame, pipelines);
    overlay?.drawBehind(pass, frame);
    const fixed = this.pipelines.get(nameOf(obstaclesDrawn(dimensions)));
    if (obstacles && fixed) {
      pass.setPipeline(fixed.particles);
      pass.setBindGroup(1, this.group(this.layouts.plain, [obstacles.bodies]));
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

  private drawOver(pass: GPURenderPassEncoder, frame: Frame, { overlay, fields }: PictureData): void {
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

  private particleGroup(
    { buffers }: GpuSimulationView,
    by: Colouring,
    { values, births }: PictureData,
  ): GPUBindGroup {
    const { positions, velocities, ids } = buffers;
    if (by === 'age' && births) return this.group(this.layouts.age, [positions, births, ids]);
    // The layouts `speed` and `value` are equal.
    return this.group(this.layouts.value, [positions, by === 'id' ? ids : (values ?? velocities)]);
  }

  /**
   * Caches groups by layout and last buffer. The last buffer belongs to one simulation, and the other buffers of that
   * simulation never change.
   */
  private group({ layout }: DeclaredLayout, buffers: readonly GPUBuffer[]): GPUBindGroup {
    const last = buffers.at(-1) as GPUBuffer;
    const known = this.groups.get(layout) ?? new WeakMap<GPUBuffer, GPUBindGroup>();
    this.groups.set(layout, known);
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
        usage: GPUTextureUsage.RENDER_ATTACHMENT,
      });
    this.targets = {
      colour: this.samples > 1 ? texture('draw.colour', this.format) : undefined,
      depth: texture('draw.depth', DEPTH_FORMAT),
    };
    return this.targets;
  }
}
