/**
 * Smooths the depths of a 3D fluid's balls into a surface (shaders/draw/fluid_smooth.wgsl). Reads the texture `nearest`
 * and leaves the result in the texture `up`.
 */
import smoothText from '../../../../shaders/draw/fluid_smooth.wgsl?raw';
import {
  createLayout,
  createPipeline,
  DISTANCE_FORMAT,
  FLUID_SOURCE,
  type FluidPicture,
  NOTHING,
} from './pipelines';

/** Passes per axis of the screen. */
const ROUNDS = 2;

const AXES = ['across', 'up'] as const;
type Axis = (typeof AXES)[number];

/**
 * Textures of depths, as NOTHING describes them. `nearest` has the depths of the nearest balls; `across` and `up` are
 * the outputs of the passes along these axes.
 */
export type Distances = Readonly<Record<'nearest' | Axis, GPUTexture>>;

export class FluidSmoothing {
  private constructor(
    private readonly device: GPUDevice,
    private readonly layout: GPUBindGroupLayout,
    private readonly pipelines: Readonly<Record<Axis, GPURenderPipeline>>,
  ) {}

  static async create(device: GPUDevice, picture: FluidPicture): Promise<FluidSmoothing> {
    const own = createLayout(device, 'smooth', { source: 'loaded texture_2d<f32>' });
    const create = (axis: Axis) =>
      createPipeline(device, 3, picture, undefined, {
        label: axis,
        sources: [FLUID_SOURCE, { name: 'draw/fluid_smooth.wgsl', text: smoothText }],
        entryPoints: ['smooth_vertex', `${axis}_fragment`],
        groups: [own],
        targets: [{ format: DISTANCE_FORMAT }],
        topology: 'triangle-list',
      });
    const [across, up] = await Promise.all([create('across'), create('up')]);
    return new FluidSmoothing(device, own.layout, { across, up });
  }

  bind(uniforms: GPUBuffer, { nearest, across, up }: Distances): readonly GPUBindGroup[] {
    return Array.from({ length: ROUNDS * AXES.length }, (_, pass) => {
      const source = pass === 0 ? nearest : pass % 2 === 0 ? up : across;
      return this.device.createBindGroup({
        label: 'draw.fluid.smooth.group',
        layout: this.layout,
        entries: [
          { binding: 0, resource: { buffer: uniforms } },
          { binding: 1, resource: source.createView() },
        ],
      });
    });
  }

  /** Smooths only the `width` × `height` texels from the upper left corner, which are in use. */
  encode(
    encoder: GPUCommandEncoder,
    groups: readonly GPUBindGroup[],
    distances: Distances,
    frameGroup: GPUBindGroup,
    [width, height]: readonly [number, number],
  ): void {
    groups.forEach((group, index) => {
      const axis = AXES[index % 2] as Axis;
      const pass = encoder.beginRenderPass({
        label: 'draw.fluid.smooth',
        colorAttachments: [
          {
            view: distances[axis].createView(),
            clearValue: [NOTHING, 0, 0, 0],
            loadOp: 'clear',
            storeOp: 'store',
          },
        ],
      });
      pass.setViewport(0, 0, width, height, 0, 1);
      pass.setPipeline(this.pipelines[axis]);
      pass.setBindGroup(0, frameGroup);
      pass.setBindGroup(1, group);
      pass.draw(3);
      pass.end();
    });
  }
}
