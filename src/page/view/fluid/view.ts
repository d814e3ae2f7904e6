/**
 * Draws a fluid as a smooth surface. In 2D, particles add up to a density (shaders/draw/fluid_splat.wgsl), and the
 * surface is where the density has a fixed value (fluid_surface.wgsl). In 3D, the depths of the nearest balls
 * (fluid_balls.wgsl) are smoothed (fluid_smooth.wgsl) and shaded (fluid_water.wgsl). If particles look large, the
 * textures are coarser than the picture.
 */
import type { DeclaredLayout } from '../../../gpu/bindings';
import type { Fluid } from '../../../methods/fluid';
import type { Frame } from '../engine';
import {
  type ColourPipelines,
  createColoured,
  createLayouts,
  createSurface,
  DISTANCE_FORMAT,
  FIELD_FORMAT,
  type FluidColour,
  type FluidPicture,
  type Layouts,
  NEAREST_FORMAT,
  NOTHING,
} from './pipelines';
import { type Distances, FluidSmoothing } from './smooth';
import { FLUID_BYTES, type FluidShape, packFluid, REACH, shapeOf } from './uniforms';

/** Texels per reach of a particle. More would not show: the values are smooth. */
const TEXELS = { hardware: { 2: 6, 3: 6 }, software: { 2: 4, 3: 4 } } as const;

/** The view reads the fluid's cells: in 2D, the surface also covers full cells, which fill gaps between particles. */
export type FluidSource = Pick<Fluid, 'plan' | 'buffers'>;

export interface FluidTargets {
  /** The picture, with one sample per pixel. Needs COPY_SRC in 3D if `colour` is undefined. */
  readonly target: GPUTexture;
  readonly background: readonly number[];
  /** Exists in 3D with several samples per pixel. */
  readonly colour: GPUTexture | undefined;
  /** Exists in 3D. Shaders read it, too. */
  readonly depth: GPUTexture | undefined;
}

export interface FluidScene {
  readonly frame: Frame;
  readonly frameGroup: GPUBindGroup;
  readonly colour: FluidColour;
  readonly particles: GPUBindGroup;
  readonly count: number;
  readonly isHidden: boolean;
  /** Draws what is behind or beside the fluid. Bind group 0 is set already. */
  readonly around: (pass: GPURenderPassEncoder) => void;
  /** Draws overlays on top. Bind group 0 is set already. */
  readonly over: (pass: GPURenderPassEncoder) => void;
}

/** The pipelines that do not depend on the colour. */
interface FixedPipelines {
  readonly surface: GPURenderPipeline;
  readonly smoothing: FluidSmoothing | undefined;
}

interface Textures {
  /** The picture's width, height and scale. */
  readonly size: string;
  readonly all: readonly GPUTexture[];
  /** The particles' field in 2D, the fluid's thickness in 3D. */
  readonly field: GPUTexture;
  readonly distances: Distances | undefined;
  /** The picture without the fluid. It shows through the water. Undefined in 2D. */
  readonly scene: GPUTexture | undefined;
}

interface Groups {
  readonly depth: GPUTexture | undefined;
  readonly particles: GPUBindGroup;
  readonly surface: GPUBindGroup;
  readonly smooth: readonly GPUBindGroup[];
}

export class FluidView {
  private readonly shape: FluidShape;
  private readonly layouts: Layouts;
  private readonly uniforms: GPUBuffer;
  private readonly sampler: GPUSampler;
  private readonly coloured = new Map<FluidColour, ColourPipelines>();
  private fixed: FixedPipelines | undefined;
  private textures: Textures | undefined;
  private groups: Groups | undefined;

  constructor(
    private readonly device: GPUDevice,
    private readonly fluid: FluidSource,
    private readonly picture: FluidPicture,
  ) {
    this.shape = shapeOf(fluid.plan);
    this.layouts = createLayouts(device, picture.samples > 1);
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
      this.fixed ?? this.createFixed(),
      createColoured(device, shape.dimensions, picture, layouts, colour),
    ]);
    this.fixed = fixed;
    this.coloured.set(colour, coloured);
  }

  isReady(colour: FluidColour): boolean {
    return this.coloured.has(colour);
  }

  get memoryBytes(): number {
    const bytes: Partial<Record<GPUTextureFormat, number>> = { [NEAREST_FORMAT]: 2 };
    const each = ({ format, width, height }: GPUTexture) => (bytes[format] ?? 4) * width * height;
    return (this.textures?.all ?? []).reduce((sum, texture) => sum + each(texture), 0);
  }

  record(encoder: GPUCommandEncoder, targets: FluidTargets, scene: FluidScene): void {
    const { fixed, shape } = this;
    const coloured = this.coloured.get(scene.colour);
    if (!fixed || !coloured) return;
    const { width, height } = targets.target;
    const scale = this.scaleFor(scene.frame);
    const textures = this.texturesFor(targets.target, scale);
    const groups = this.groupsFor(textures, targets.depth);
    const extents = { width, height, scale, isHidden: scene.isHidden };
    this.device.queue.writeBuffer(this.uniforms, 0, packFluid(shape, scene.frame, extents));
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
    if (fixed.smoothing && textures.distances) {
      fixed.smoothing.encode(encoder, groups.smooth, textures.distances, scene.frameGroup, extent);
    }
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

  private async createFixed(): Promise<FixedPipelines> {
    const { device, shape, picture, layouts } = this;
    const [surface, smoothing] = await Promise.all([
      createSurface(device, shape.dimensions, picture, layouts),
      shape.dimensions === 3 ? FluidSmoothing.create(device, picture) : undefined,
    ]);
    return { surface, smoothing };
  }

  /** Returns texels per pixel, rounded to a power of √2, so that zooming seldom creates new textures. */
  private scaleFor({ camera, viewport }: Frame): number {
    const { shape, picture } = this;
    const texels = TEXELS[picture.isSoftware ? 'software' : 'hardware'][shape.dimensions];
    const pixels = REACH[shape.dimensions] * shape.spacing * camera.pixelsPerUnit * viewport.pixelRatio;
    return Math.min(1, 2 ** (Math.round(2 * Math.log2(texels / pixels)) / 2));
  }

  private splat(
    encoder: GPUCommandEncoder,
    { field, distances }: Textures,
    groups: Groups,
    { particles }: ColourPipelines,
    scene: FluidScene,
    [width, height]: readonly [number, number],
  ): void {
    const attachment = (texture: GPUTexture, value: number) => ({
      view: texture.createView(),
      clearValue: [value, 0, 0, 0],
      loadOp: 'clear' as const,
      storeOp: 'store' as const,
    });
    const pass = encoder.beginRenderPass({
      label: 'draw.fluid.particles',
      colorAttachments: [
        ...(distances ? [attachment(distances.nearest, NOTHING)] : []),
        attachment(field, 0),
      ],
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

  private texturesFor({ width, height, format }: GPUTexture, scale: number): Textures {
    const size = `${width} ${height} ${scale}`;
    if (this.textures?.size === size) return this.textures;
    for (const texture of this.textures?.all ?? []) texture.destroy();
    this.groups = undefined;
    const all: GPUTexture[] = [];
    const create = (label: string, format: GPUTextureFormat, share: number, usage = 0) => {
      const texture = this.device.createTexture({
        label: `draw.fluid.${label}`,
        size: [Math.ceil(share * width), Math.ceil(share * height)],
        format,
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING | usage,
      });
      all.push(texture);
      return texture;
    };
    const field = create('field', FIELD_FORMAT, scale);
    const is3D = this.shape.dimensions === 3;
    this.textures = {
      size,
      all,
      field,
      distances: is3D
        ? {
            nearest: create('nearest', NEAREST_FORMAT, scale),
            across: create('across', DISTANCE_FORMAT, scale),
            up: create('up', DISTANCE_FORMAT, scale),
          }
        : undefined,
      scene: is3D ? create('scene', format, 1, GPUTextureUsage.COPY_DST) : undefined,
    };
    return this.textures;
  }

  private groupsFor(textures: Textures, depth: GPUTexture | undefined): Groups {
    const known = this.groups;
    if (known && known.depth === depth) return known;
    const { layouts } = this;
    const { kinds, fullness } = this.fluid.buffers;
    const { field, distances, scene } = textures;
    const group = (label: string, { layout }: DeclaredLayout, resources: readonly GPUBindingResource[]) =>
      this.device.createBindGroup({
        label: `draw.fluid.${label}.group`,
        layout,
        entries: [{ buffer: this.uniforms }, ...resources].map((resource, binding) => ({
          binding,
          resource,
        })),
      });
    const view = (texture: GPUTexture) => texture.createView();
    const smoothing = this.fixed?.smoothing;
    if (smoothing && distances && scene && depth) {
      this.groups = {
        depth,
        particles: group('balls', layouts.balls, [view(depth)]),
        smooth: smoothing.bind(this.uniforms, distances),
        surface: group('water', layouts.water, [view(distances.up), view(field), view(scene), this.sampler]),
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
}

/** Begins a pass. If a pixel has several samples, `resolved` receives their mean. */
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
