/**
 * Computes the densities of a 3D fluid on voxels, in a texture that shaders sample (shaders/draw/fluid_volume.wgsl).
 * One kernel adds the particles up into `counts`; the next turns these sums into densities. Then fluid_outside.wgsl
 * lists the particles outside the surface.
 */
import outsideText from '../../../../shaders/draw/fluid_outside.wgsl?raw';
import volumeText from '../../../../shaders/draw/fluid_volume.wgsl?raw';
import { WORKGROUP_SIZE } from '../../../core/base/constants';
import { GpuError } from '../../../core/base/errors';
import { type Bindings, type DeclaredLayout, VOLUME_FORMAT } from '../../../gpu/bindings';
import { foldWorkgroups } from '../../../gpu/dispatch';
import type { ShaderSource } from '../../../gpu/link';
import {
  compileFluid,
  createLayout,
  FIRST_DROP,
  type FluidColour,
  type FluidPicture,
  SOURCES,
} from './pipelines';
import type { FluidShape } from './uniforms';

/** Voxels per edge of a workgroup of `gather_voxels`. */
const TILE = 4;
const COUNT_BYTES = 8;
const VOXEL_BYTES = 8;

const DROP_BYTES = 4;

const VOLUME = { name: 'draw/fluid_volume.wgsl', text: volumeText };
const OUTSIDE = { name: 'draw/fluid_outside.wgsl', text: outsideText };

export interface VolumeSource {
  readonly uniforms: GPUBuffer;
  readonly kinds: GPUBuffer;
  readonly capacity: number;
}

type Kernel = 'scatter' | 'gather' | 'outside';

export class FluidVolume {
  private readonly counts: GPUBuffer;
  readonly texture: GPUTexture;
  /** The arguments of an indirect draw, then the slots of particles outside the surface. */
  readonly drops: GPUBuffer;
  private readonly layouts: Readonly<Record<Kernel, DeclaredLayout>>;
  private readonly groups: Readonly<Record<Kernel, GPUBindGroup>>;
  private readonly coloured = new Map<FluidColour, readonly [GPUComputePipeline, GPUComputePipeline]>();
  private gather: GPUComputePipeline | undefined;

  private constructor(
    private readonly device: GPUDevice,
    private readonly shape: FluidShape,
    private readonly picture: FluidPicture,
    { uniforms, kinds, capacity }: VolumeSource,
  ) {
    const [width, height, depth] = shape.voxels;
    const buffer = (name: string, size: number, usage = 0) =>
      device.createBuffer({
        label: `draw.fluid.${name}`,
        size,
        // Tests read the buffers.
        usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC | usage,
      });
    this.counts = buffer('counts', COUNT_BYTES * width * height * depth);
    this.drops = buffer('drops', DROP_BYTES * (FIRST_DROP + capacity), GPUBufferUsage.INDIRECT);
    this.texture = device.createTexture({
      label: 'draw.fluid.volume',
      dimension: '3d',
      size: [width, height, depth],
      format: VOLUME_FORMAT,
      // Tests read the texture.
      usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_SRC,
    });
    const layout = (label: Kernel, bindings: Bindings) => createLayout(device, label, bindings, true);
    this.layouts = {
      scatter: layout('scatter', { counts: 'write array<atomic<u32>>' }),
      gather: layout('gather', {
        counts: 'read array<vec2u>',
        kinds: 'read array<u32>',
        volume: `stored texture_storage_3d<${VOLUME_FORMAT}, write>`,
      }),
      outside: layout('outside', { volume: 'filtered texture_3d<f32>', drops: 'write array<atomic<u32>>' }),
    };
    const group = (label: Kernel, resources: readonly GPUBindingResource[]) =>
      device.createBindGroup({
        label: `draw.fluid.${label}.group`,
        layout: this.layouts[label].layout,
        entries: [{ buffer: uniforms }, ...resources].map((resource, binding) => ({ binding, resource })),
      });
    const counts = { buffer: this.counts };
    const view = this.texture.createView();
    this.groups = {
      scatter: group('scatter', [counts]),
      gather: group('gather', [counts, { buffer: kinds }, view]),
      outside: group('outside', [view, { buffer: this.drops }]),
    };
  }

  static async create(
    device: GPUDevice,
    shape: FluidShape,
    picture: FluidPicture,
    source: VolumeSource,
  ): Promise<FluidVolume> {
    device.pushErrorScope('out-of-memory');
    const volume = new FluidVolume(device, shape, picture, source);
    const exhausted = await device.popErrorScope();
    try {
      if (exhausted) {
        throw new GpuError('memory', `The GPU has no memory for the fluid's surface: ${exhausted.message}`);
      }
      volume.gather = await volume.createKernel('gather_voxels', [VOLUME], [volume.layouts.gather]);
      return volume;
    } catch (error) {
      volume.destroy();
      throw error;
    }
  }

  get memoryBytes(): number {
    const [width, height, depth] = this.shape.voxels;
    return (COUNT_BYTES + VOXEL_BYTES) * width * height * depth + this.drops.size;
  }

  /** Await this before `encode`, which otherwise does nothing. */
  async prepare(colour: FluidColour): Promise<void> {
    if (this.coloured.has(colour)) return;
    const { scatter, outside } = this.layouts;
    const particles = this.picture.layouts[colour];
    const sources = [SOURCES.colour, VOLUME];
    this.coloured.set(
      colour,
      await Promise.all([
        this.createKernel('scatter_particles', sources, [particles, scatter], colour),
        this.createKernel('list_outside', [OUTSIDE], [particles, outside], colour),
      ]),
    );
  }

  encode(
    encoder: GPUCommandEncoder,
    colour: FluidColour,
    frameGroup: GPUBindGroup,
    particles: GPUBindGroup,
    count: number,
  ): void {
    const { device, gather, groups, shape } = this;
    const coloured = this.coloured.get(colour);
    if (!coloured || !gather) return;
    const [scatter, outside] = coloured;
    device.queue.writeBuffer(this.drops, 0, Uint32Array.of(4, 0, 0, 0));
    encoder.clearBuffer(this.counts);
    const pass = encoder.beginComputePass({ label: 'draw.fluid.volume' });
    pass.setBindGroup(0, frameGroup);
    const perParticle = (pipeline: GPUComputePipeline, group: GPUBindGroup) => {
      if (count === 0) return;
      const most = device.limits.maxComputeWorkgroupsPerDimension;
      pass.setPipeline(pipeline);
      pass.setBindGroup(1, particles);
      pass.setBindGroup(2, group);
      pass.dispatchWorkgroups(...foldWorkgroups(Math.ceil(count / WORKGROUP_SIZE), most));
    };
    perParticle(scatter, groups.scatter);
    const [width = 1, height, depth] = shape.voxels.map((along) => Math.ceil(along / TILE));
    pass.setPipeline(gather);
    pass.setBindGroup(1, groups.gather);
    pass.dispatchWorkgroups(width, height, depth);
    perParticle(outside, groups.outside);
    pass.end();
  }

  destroy(): void {
    this.counts.destroy();
    this.drops.destroy();
    this.texture.destroy();
  }

  private async createKernel(
    entryPoint: string,
    sources: readonly ShaderSource[],
    groups: readonly DeclaredLayout[],
    colour?: FluidColour,
  ): Promise<GPUComputePipeline> {
    const described = { label: entryPoint, sources: [SOURCES.fluid, ...sources], groups };
    const { module, layout } = compileFluid(this.device, 3, this.picture, colour, described);
    return this.device.createComputePipelineAsync({
      label: `draw.fluid.${entryPoint}.pipeline`,
      layout,
      compute: { module: await module, entryPoint },
    });
  }
}
