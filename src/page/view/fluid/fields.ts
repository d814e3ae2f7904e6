/** Draws a fluid's pressure, solid cells and velocity over its picture (shaders/draw/fluid_fields.wgsl). */
import fieldsText from '../../../../shaders/draw/fluid_fields.wgsl?raw';
import { type DeclaredLayout, declareLayout } from '../../../gpu/bindings';
import { compileShader } from '../../../gpu/shader-module';
import type { Fluid } from '../../../methods/fluid';
import { FLUID, SOLID } from '../../../methods/fluid/lattice';
import { COLOUR_STOPS } from '../../model/colour';
import { PRESSURE_OPACITY, pressureEnd, pressureStops, velocityEnd } from '../../model/fluid-colours';
import type { Frame } from '../engine';
import { BLEND, DEPTH_FORMAT, FRAME_SOURCE } from '../frame';

/** The fields of `struct Fields` in the shader, each a vec4f. The colours of the pressure scale follow them. */
const FIELDS = ['cells', 'screen', 'arrows', 'scale', 'shown', 'arrow', 'casing', 'solid'] as const;

type FieldValues = Readonly<Record<(typeof FIELDS)[number], readonly number[]>>;

/** Least distance between arrows, in CSS pixels. */
const ARROW_STEP = 20;
/** Length of the longest arrow ÷ the distance between arrows. */
const LONGEST_ARROW = 1.1;
const MOST_ARROWS = 2 ** 16;
const PRESSURE_STOPS = 8;

export interface FieldsPicture {
  readonly format: GPUTextureFormat;
  readonly samples: number;
  readonly layouts: Readonly<Record<'frame', DeclaredLayout>>;
}

export interface FieldPipelines {
  readonly slice: GPURenderPipeline;
  readonly arrows: GPURenderPipeline;
  readonly faces: GPURenderPipeline | undefined;
}

export type FieldSource = Pick<Fluid, 'plan' | 'buffers' | 'substepSeconds'>;

export class FluidFields {
  private readonly uniforms: GPUBuffer;
  private readonly group: GPUBindGroup;

  private constructor(
    private readonly device: GPUDevice,
    private readonly fluid: FieldSource,
    private readonly pipelines: FieldPipelines,
    layout: GPUBindGroupLayout,
  ) {
    this.uniforms = device.createBuffer({
      label: 'draw.fields',
      size: 16 * (FIELDS.length + PRESSURE_STOPS),
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    const { kinds, velocity, pressure } = fluid.buffers;
    this.group = device.createBindGroup({
      label: 'draw.fields.group',
      layout,
      entries: [this.uniforms, kinds, velocity, pressure].map((buffer, binding) => ({
        binding,
        resource: { buffer },
      })),
    });
  }

  static async create(device: GPUDevice, fluid: FieldSource, picture: FieldsPicture): Promise<FluidFields> {
    const own = createLayout(device);
    const pipelines = await createFieldPipelines(device, fluid.plan.dimensions, picture, own);
    return new FluidFields(device, fluid, pipelines, own.layout);
  }

  /** Call this before the pass is submitted. */
  update(frame: Frame): void {
    this.device.queue.writeBuffer(this.uniforms, 0, this.pack(frame));
  }

  /** In 3D, draws solid cells. They hide what is behind them, except for the pressure and the arrows. */
  drawBehind(pass: GPURenderPassEncoder, { overlays }: Frame): void {
    const { faces } = this.pipelines;
    if (!faces || !overlays.solidCells) return;
    const [x, y, z] = this.fluid.plan.lattice.extents;
    pass.setPipeline(faces);
    pass.setBindGroup(1, this.group);
    pass.draw(4, 3 * x * y * z);
  }

  drawOver(pass: GPURenderPassEncoder, frame: Frame): void {
    const { overlays } = frame;
    const { dimensions } = this.fluid.plan;
    pass.setBindGroup(1, this.group);
    if (overlays.pressureMap || (dimensions === 2 && overlays.solidCells)) {
      pass.setPipeline(this.pipelines.slice);
      pass.draw(4);
    }
    if (overlays.velocityArrows) {
      const { across, up } = this.arrowsOf(frame);
      pass.setPipeline(this.pipelines.arrows);
      pass.draw(4, across * up);
    }
  }

  destroy(): void {
    this.uniforms.destroy();
  }

  /** Every `step`-th cell from `first` on has an arrow. In 2D, arrows cover the picture, in 3D a whole layer. */
  private arrowsOf({ camera }: Frame): {
    readonly step: number;
    readonly first: readonly [number, number];
    readonly across: number;
    readonly up: number;
  } {
    const { dimensions, lattice, cellSize } = this.fluid.plan;
    const size = cellSize * camera.pixelsPerUnit;
    const range = (axis: 0 | 1): readonly [number, number] => {
      const most = lattice.cells[axis];
      if (dimensions === 3) return [0, most];
      const scale = camera.projection[5 * axis] as number;
      const shift = camera.projection[12 + axis] as number;
      const ends = [-1, 1].map((end) => ((end - shift) / scale + (camera.origin[axis] ?? 0)) / cellSize);
      const [low = 0, high = most] = ends;
      return [Math.max(0, Math.floor(low)), Math.min(most, Math.ceil(high))];
    };
    const [left, right] = range(0);
    const [bottom, top] = range(1);
    const area = Math.max(0, right - left) * Math.max(0, top - bottom);
    const step = Math.max(1, Math.ceil(ARROW_STEP / size), Math.ceil(Math.sqrt(area / MOST_ARROWS)));
    // Align the first cell to `step`, so that the same cells have arrows when the picture moves.
    const begin = (low: number) => Math.floor(low / step) * step + Math.floor(step / 2);
    const count = (low: number, high: number) => Math.max(0, Math.ceil((high - begin(low)) / step));
    return {
      step,
      first: [begin(left), begin(bottom)],
      across: count(left, right),
      up: count(bottom, top),
    };
  }

  private pack(frame: Frame): Float32Array<ArrayBuffer> {
    const { viewport, theme, overlays, camera } = frame;
    const { plan, substepSeconds } = this.fluid;
    const { lattice, cellSize, density } = plan;
    const { step, first, across } = this.arrowsOf(frame);
    // The unit in which the lattice stores pressure.
    const unit = substepSeconds > 0 ? (density * cellSize) / substepSeconds : 0;
    const longest = LONGEST_ARROW * step * cellSize * camera.pixelsPerUnit;
    const { velocity, casing, solid } = theme.overlay;
    const values: FieldValues = {
      cells: [...lattice.cells, cellSize],
      screen: [viewport.width, viewport.height, viewport.pixelRatio, longest],
      arrows: [step, ...first, Math.max(1, across)],
      scale: [
        unit / pressureEnd(plan),
        1 / velocityEnd(plan),
        plan.dimensions === 3 ? lattice.cells[2] / 2 : 0,
        lattice.size,
      ],
      shown: [Number(overlays.pressureMap), Number(overlays.solidCells), 0, 0],
      arrow: [...velocity, 1],
      casing: [...casing, 0.75],
      solid: [...solid, 1],
    };
    const stops = pressureStops(theme.isDark, PRESSURE_STOPS).flatMap((stop) => [...stop, PRESSURE_OPACITY]);
    return Float32Array.from([...FIELDS.flatMap((name) => values[name]), ...stops]);
  }
}

function createLayout(device: GPUDevice): DeclaredLayout {
  return declareLayout(device, 'draw.fields', {
    fields: 'uniform Fields',
    kinds: 'read array<u32>',
    velocity: 'read array<f32>',
    pressure: 'read array<f32>',
  });
}

export async function createFieldPipelines(
  device: GPUDevice,
  dimensions: 2 | 3,
  { format, samples, layouts: { frame } }: FieldsPicture,
  own = createLayout(device),
): Promise<FieldPipelines> {
  const module = await compileShader(device, 'draw.fields', {
    dimensions,
    layouts: [frame, own],
    sources: [FRAME_SOURCE, { name: 'draw/fluid_fields.wgsl', text: fieldsText }],
    constants: { STOPS: COLOUR_STOPS, PRESSURE_STOPS, FLUID, SOLID },
  });
  const create = (name: 'slice' | 'face' | 'arrow') =>
    device.createRenderPipelineAsync({
      label: `draw.fields.${name}.pipeline`,
      layout: device.createPipelineLayout({
        label: `draw.fields.${name}.pipeline-layout`,
        bindGroupLayouts: [frame.layout, own.layout],
      }),
      vertex: { module, entryPoint: `${name}_vertex` },
      fragment: {
        module,
        entryPoint: `${name}_fragment`,
        targets: [{ format, ...(name !== 'face' && { blend: BLEND }) }],
      },
      primitive: { topology: 'triangle-strip' },
      multisample: { count: dimensions === 3 ? samples : 1 },
      ...(dimensions === 3 && {
        depthStencil: {
          format: DEPTH_FORMAT,
          depthWriteEnabled: name === 'face',
          // The slice (the middle plane) and the arrows stay visible inside the fluid.
          depthCompare: name === 'face' ? 'less-equal' : 'always',
          // Faces of solid cells appear in front of the obstacles inside them.
          ...(name === 'face' && { depthBias: -8, depthBiasSlopeScale: -1 }),
        } as const,
      }),
    });
  const [slice, arrows, faces] = await Promise.all([
    create('slice'),
    create('arrow'),
    dimensions === 3 ? create('face') : undefined,
  ]);
  return { slice, arrows, faces };
}
