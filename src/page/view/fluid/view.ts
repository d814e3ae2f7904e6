/**
 * Draws a fluid as a smooth surface. Particles add up to a density; the surface is where the density has a fixed value.
 * In 2D, a texture holds the densities (shaders/draw/fluid_splat.wgsl), and fluid_surface.wgsl draws the surface. In
 * 3D, a volume holds the densities (fluid_volume.wgsl), and the camera's rays find the surface (fluid_water.wgsl).
 * Particles outside the surface are drops.
 */
import type { DeclaredLayout } from '../../../gpu/bindings';
import type { Fluid } from '../../../methods/fluid';
import type { Frame } from '../engine';
import {
  type ColourPipelines,
  createColoured,
  createFixed,
  createLayouts,
  FIELD_FORMAT,
  type FixedPipelines,
  type FluidColour,
  type FluidPicture,
  type Layouts,
} from './pipelines';
import { FLUID_BYTES, type FluidShape, packFluid, REACH, shapeOf } from './uniforms';
import { FluidVolume } from './volume';

/** Texels per reach of a particle in 2D. The values are smooth, so more would not show. */
const TEXELS = { hardware: 6, software: 4 } as const;

/** The view reads these parts of a fluid. */
export type FluidSource = Pick<Fluid, 'plan' | 'buffers'>;

export interface FluidTargets {
  /** The picture, with one sample per pixel. In 3D without `colour`, it needs COPY_SRC. */
  readonly target: GPUTexture;
  readonly background: readonly number[];
  /** Exists in 3D with several samples per pixel. */
  readonly colour: GPUTexture | undefined;
  /** Exists in 3D. */
  readonly depth: GPUTexture | undefined;
}

export interface FluidScene {
  readonly frame: Frame;
  readonly frameGroup: GPUBindGroup;
  readonly colour: FluidColour;
  readonly particles: GPUBindGroup;
  readonly count: number;
  /** Draws what is behind or beside the fluid. Bind group 0 is set already. */
  readonly around: (pass: GPURenderPassEncoder) => void;
  /** Draws overlays on top. Bind group 0 is set already. */
  readonly over: (pass: GPURenderPassEncoder) => void;
}

interface Textures {
  /** The picture's width, height and scale. */
  readonly size: string;
  /** In 2D, the density of the particles. In 3D, the picture without the fluid, which shows through the water. */
  readonly texture: GPUTexture;
}

interface Groups {
  /** For drawing the density in 2D, and the floor in 3D. */
  readonly beside: GPUBindGroup;
  readonly surface: GPUBindGroup;
  readonly drops: GPUBindGroup;
}

export class FluidView {
  private readonly shape: FluidShape;
  private readonly layouts: Layouts;
  private readonly uniforms: GPUBuffer;
  private readonly sampler: GPUSampler;
  private readonly coloured = new Map<FluidColour, ColourPipelines>();
  private fixed: FixedPipelines | undefined;
  private creating: Promise<FluidVolume> | undefined;
  private volume: FluidVolume | undefined;
  private isDestroyed = false;
  private textures: Textures | undefined;
  private groups: Groups | undefined;

  constructor(
    private readonly device: GPUDevice,
    private readonly fluid: FluidSource,
    private readonly picture: FluidPicture,
  ) {
    this.shape = shapeOf(fluid.plan, picture.isSoftware);
    this.layouts = createLayouts(device);
    this.uniforms = device.createBuffer({
      label: 'draw.fluid',
      size: FLUID_BYTES,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    this.sampler = device.createSampler({
      label: 'draw.fluid.sampler',
      magFilter: 'linear',
      minFilter: 'linear',
    });
  }

  /** Await this before `record`, which otherwise draws nothing. */
  async prepare(colour: FluidColour): Promise<void> {
    if (this.isReady(colour)) return;
    const { device, shape, picture, layouts } = this;
    const [fixed, coloured] = await Promise.all([
      this.fixed ?? createFixed(device, shape.dimensions, picture, layouts),
      createColoured(device, shape.dimensions, picture, layouts, colour),
      this.prepareVolume(colour),
    ]);
    this.fixed = fixed;
    this.coloured.set(colour, coloured);
  }

  isReady(colour: FluidColour): boolean {
    return this.coloured.has(colour);
  }

  get memoryBytes(): number {
    const { textures, volume } = this;
    return (textures ? 4 * textures.texture.width * textures.texture.height : 0) + (volume?.memoryBytes ?? 0);
  }

  record(encoder: GPUCommandEncoder, targets: FluidTargets, scene: FluidScene): void {
    const { fixed, shape, volume } = this;
    const coloured = this.coloured.get(scene.colour);
    if (!fixed || !coloured) return;
    const { width, height } = targets.target;
    const scale = this.scaleFor(scene.frame);
    const { texture } = this.texturesFor(targets.target, scale);
    const groups = this.groupsFor(texture);
    const extents = { width, height, scale, count: scene.count };
    this.device.queue.writeBuffer(this.uniforms, 0, packFluid(shape, scene.frame, extents));
    let pass: GPURenderPassEncoder;
    if (volume && fixed.floor) {
      volume.encode(encoder, scene.colour, scene.frameGroup, scene.particles, scene.count);
      const around = begin(encoder, targets, scene, 'clear', texture);
      around.setPipeline(fixed.floor);
      around.setBindGroup(1, groups.beside);
      around.draw(4);
      scene.around(around);
      around.end();
      if (!targets.colour) {
        encoder.copyTextureToTexture({ texture: targets.target }, { texture }, [width, height]);
      }
      pass = begin(encoder, targets, scene, 'load', targets.target);
    } else {
      this.splat(encoder, texture, groups, coloured, scene, [scale * width, scale * height]);
      pass = begin(encoder, targets, scene, 'clear', targets.target);
      scene.around(pass);
    }
    pass.setPipeline(fixed.surface);
    pass.setBindGroup(1, groups.surface);
    pass.draw(4);
    if (scene.count > 0) {
      pass.setPipeline(coloured.drops);
      pass.setBindGroup(1, scene.particles);
      pass.setBindGroup(2, groups.drops);
      if (volume) pass.drawIndirect(volume.drops, 0);
      else pass.draw(4, scene.count);
    }
    scene.over(pass);
    pass.end();
  }

  destroy(): void {
    this.uniforms.destroy();
    this.textures?.texture.destroy();
    this.textures = undefined;
    this.groups = undefined;
    this.volume?.destroy();
    this.isDestroyed = true;
  }

  private async prepareVolume(colour: FluidColour): Promise<void> {
    const { device, shape, picture, uniforms, fluid } = this;
    if (shape.dimensions === 2) return;
    const { kinds } = fluid.buffers;
    const source = { uniforms, kinds, capacity: fluid.plan.capacity };
    this.creating ??= FluidVolume.create(device, shape, picture, source);
    this.volume = await this.creating;
    if (this.isDestroyed) this.volume.destroy();
    await this.volume.prepare(colour);
  }

  /**
   * Returns texels per pixel: fewer than 1 in 2D if particles look large. Powers of √2, so that zooming seldom creates
   * new textures.
   */
  private scaleFor({ camera, viewport }: Frame): number {
    const { shape, picture } = this;
    if (shape.dimensions === 3) return 1;
    const texels = TEXELS[picture.isSoftware ? 'software' : 'hardware'];
    const pixels = REACH * shape.spacing * camera.pixelsPerUnit * viewport.pixelRatio;
    return Math.min(1, 2 ** (Math.round(2 * Math.log2(texels / pixels)) / 2));
  }

  private splat(
    encoder: GPUCommandEncoder,
    texture: GPUTexture,
    groups: Groups,
    { field }: ColourPipelines,
    scene: FluidScene,
    [width, height]: readonly [number, number],
  ): void {
    const pass = encoder.beginRenderPass({
      label: 'draw.fluid.particles',
      colorAttachments: [
        { view: texture.createView(), clearValue: [0, 0, 0, 0], loadOp: 'clear', storeOp: 'store' },
      ],
    });
    if (field && scene.count > 0) {
      pass.setViewport(0, 0, width, height, 0, 1);
      pass.setPipeline(field);
      pass.setBindGroup(0, scene.frameGroup);
      pass.setBindGroup(1, scene.particles);
      pass.setBindGroup(2, groups.beside);
      pass.draw(4, scene.count);
    }
    pass.end();
  }

  private texturesFor({ width, height, format }: GPUTexture, scale: number): Textures {
    const size = `${width} ${height} ${scale}`;
    if (this.textures?.size === size) return this.textures;
    this.textures?.texture.destroy();
    this.groups = undefined;
    const is3D = this.shape.dimensions === 3;
    const texture = this.device.createTexture({
      label: `draw.fluid.${is3D ? 'scene' : 'field'}`,
      size: [Math.ceil(scale * width), Math.ceil(scale * height)],
      format: is3D ? format : FIELD_FORMAT,
      usage:
        GPUTextureUsage.RENDER_ATTACHMENT |
        GPUTextureUsage.TEXTURE_BINDING |
        (is3D ? GPUTextureUsage.COPY_DST : 0),
    });
    this.textures = { size, texture };
    return this.textures;
  }

  private groupsFor(texture: GPUTexture): Groups {
    if (this.groups) return this.groups;
    const { layouts, volume, sampler } = this;
    const { kinds, fullness } = this.fluid.buffers;
    const group = (label: string, { layout }: DeclaredLayout, resources: readonly GPUBindingResource[]) =>
      this.device.createBindGroup({
        label: `draw.fluid.${label}.group`,
        layout,
        entries: [{ buffer: this.uniforms }, ...resources].map((resource, binding) => ({
          binding,
          resource,
        })),
      });
    const view = texture.createView();
    if (volume) {
      const lit = [volume.texture.createView(), sampler];
      this.groups = {
        beside: group('lit', layouts.lit, lit),
        surface: group('water', layouts.water, [...lit, view]),
        drops: group('spray', layouts.spray, [...lit, { buffer: volume.drops }]),
      };
    } else {
      const read = [{ buffer: kinds }, { buffer: fullness }, view, sampler];
      const surface = group('surface', layouts.surface, read);
      this.groups = { beside: group('splat', layouts.alone, []), surface, drops: surface };
    }
    return this.groups;
  }
}

/** With several samples per pixel, `resolved` receives their mean. */
function begin(
  encoder: GPUCommandEncoder,
  { target, colour, depth, background }: FluidTargets,
  { frameGroup }: FluidScene,
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
