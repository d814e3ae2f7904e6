/** Lists and draws the occupied cells of an unbounded world for the GPU engine. */
import occupiedText from '../../../shaders/draw/occupied.wgsl?raw';
import censusText from '../../../shaders/measure/census_hashed.wgsl?raw';
import cellText from '../../../shaders/page/occupied_cell.wgsl?raw';
import cellsText from '../../../shaders/page/occupied_cells.wgsl?raw';
import { type DeclaredLayout, declareLayout } from '../../gpu/bindings';
import { type BufferSet, createBuffers } from '../../gpu/buffers';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { defineStruct } from '../../gpu/layout';
import type { SharedBinding } from '../../gpu/params';
import { Readback } from '../../gpu/readback';
import { compileShader } from '../../gpu/shader-module';
import type { Gpu, World } from '../../index';
import { bodyFlags, type Variant, worldFlags, worldModules, worldName } from '../../passes/modules';
import { BUCKET_OPACITY, HATCH, LONE_CELL } from '../model/overlay-look';
import type { OccupiedCounts } from '../model/overlays';
import type { Frame } from './engine';
import { CONSTANTS, type OverlayPicture, SOURCES } from './overlay-pipelines';

/** Bytes of `struct OccupiedCell` in the shader. */
export const OCCUPIED_BYTES = 32;
/** Size of `drawn` in shaders/page/occupied_cells.wgsl. */
const DRAWN_WORDS = 7;
/** Fields of `struct Origin` in the same shader, which reads the coordinates of `cell` as signed. */
export const ORIGIN_FIELDS = { cell: 'extent', corner: 'vector' } as const;

const CELL_SOURCE = { name: 'page/occupied_cell.wgsl', text: cellText };
const DRAW_SOURCE = { name: 'draw/occupied.wgsl', text: occupiedText };

export type SortedCells = Readonly<Record<'position_in' | 'start' | 'cell_of_slot', GPUBuffer>>;

export function describeCellList(variant: Variant): KernelDescription {
  return {
    label: `page.occupied-cells${worldName(variant)}`,
    dimensions: variant.dimensions,
    sources: [
      ...worldModules(variant),
      { name: 'measure/census_hashed.wgsl', text: censusText },
      CELL_SOURCE,
      { name: 'page/occupied_cells.wgsl', text: cellsText },
    ],
    entryPoint: 'list_cells',
    bindings: {
      origin: 'uniform Origin',
      position_in: 'read array<PackedBody>',
      start: 'read array<u32>',
      cell_of_slot: 'read array<Cell>',
      cells: 'write array<OccupiedCell>',
      drawn: 'write array<atomic<u32>>',
    },
    flags: worldFlags(variant),
  };
}

function createLayout(device: GPUDevice): DeclaredLayout {
  return declareLayout(device, 'draw.occupied', {
    overlay: 'uniform Overlay',
    cells: 'read array<OccupiedCell>',
  });
}

export async function createCellPipeline(
  device: GPUDevice,
  { dimensions, levels, boxes }: Pick<World, 'dimensions' | 'levels' | 'boxes'>,
  { format, samples, depthFormat, blend, frameSource, frame }: OverlayPicture,
  layout = createLayout(device),
): Promise<GPURenderPipeline> {
  const module = await compileShader(device, 'draw.occupied', {
    dimensions,
    layouts: [frame, layout],
    sources: [frameSource, SOURCES.overlay, CELL_SOURCE, DRAW_SOURCE],
    flags: bodyFlags({ levels, boxes }),
    constants: { ...CONSTANTS, BUCKET_OPACITY, HATCH, LONE_CELL },
  });
  const is3D = dimensions === 3;
  return device.createRenderPipelineAsync({
    label: 'draw.occupied.pipeline',
    layout: device.createPipelineLayout({
      label: 'draw.occupied.pipeline-layout',
      bindGroupLayouts: [frame.layout, layout.layout],
    }),
    vertex: { module, entryPoint: is3D ? 'edge_vertex' : 'square_vertex' },
    fragment: {
      module,
      entryPoint: is3D ? 'line_fragment' : 'square_fragment',
      targets: [{ format, blend }],
    },
    primitive: { topology: 'triangle-strip' },
    multisample: { count: is3D ? samples : 1 },
    ...(is3D && {
      depthStencil: { format: depthFormat, depthWriteEnabled: false, depthCompare: 'less-equal' } as const,
    }),
  });
}

export class OccupiedCells {
  /** Counts of a recent picture. */
  counts: OccupiedCounts | undefined;
  private isReading = false;

  private constructor(
    private readonly gpu: Gpu,
    private readonly world: World,
    private readonly kernel: Kernel,
    private readonly pipeline: GPURenderPipeline,
    private readonly owned: BufferSet<'cells'>,
    private readonly small: Readonly<Record<'origin' | 'drawn', GPUBuffer>>,
    private readonly groups: { readonly list: GPUBindGroup; readonly draw: GPUBindGroup },
    private readonly readback: Readback,
  ) {}

  /** `uniforms` holds `struct Overlay`. */
  static async create(
    gpu: Gpu,
    world: World,
    capacity: number,
    sorted: SortedCells,
    picture: OverlayPicture,
    uniforms: GPUBuffer,
  ): Promise<OccupiedCells> {
    const { device } = gpu;
    const layout = createLayout(device);
    const [kernel, pipeline] = await Promise.all([
      Kernel.create(gpu, describeCellList(world)),
      createCellPipeline(device, world, picture, layout),
    ]);
    const owned = await createBuffers(gpu, 'overlay.occupied', {
      cells: OCCUPIED_BYTES * Math.max(1, capacity),
    });
    const buffer = (label: string, size: number, usage: number) =>
      device.createBuffer({ label: `overlay.occupied.${label}`, size, usage });
    const { STORAGE, INDIRECT, COPY_SRC, COPY_DST, UNIFORM } = GPUBufferUsage;
    const small = {
      origin: buffer('origin', defineStruct(world.dimensions, ORIGIN_FIELDS).size, UNIFORM | COPY_DST),
      drawn: buffer('drawn', 4 * DRAWN_WORDS, STORAGE | INDIRECT | COPY_SRC | COPY_DST),
    };
    const groups = {
      list: kernel.bind({ ...sorted, ...small, cells: owned.buffers.cells }),
      draw: device.createBindGroup({
        label: 'draw.occupied.group',
        layout: layout.layout,
        entries: [uniforms, owned.buffers.cells].map((one, binding) => ({
          binding,
          resource: { buffer: one },
        })),
      }),
    };
    const readback = new Readback(gpu, 'overlay.occupied');
    return new OccupiedCells(gpu, world, kernel, pipeline, owned, small, groups, readback);
  }

  /** Call this before `encode`, outside of a pass. */
  begin(encoder: GPUCommandEncoder, { camera }: Frame): void {
    encoder.clearBuffer(this.small.drawn);
    const { cellSize, dimensions } = this.world;
    const origin = Array.from({ length: dimensions }, (_, axis) => camera.origin[axis] ?? 0);
    const cell = origin.map((along) => Math.floor(along / cellSize));
    const corner = origin.map((along, axis) => (cell[axis] as number) * cellSize - along);
    const bytes = defineStruct(dimensions, ORIGIN_FIELDS).encode({ cell, corner });
    this.gpu.device.queue.writeBuffer(this.small.origin, 0, bytes);
  }

  encode(pass: GPUComputePassEncoder, shared: SharedBinding, workgroups: number): void {
    this.kernel.encode(pass, shared, this.groups.list, workgroups);
  }

  /** Reads the counts, unless an earlier read is under way. Call this after the pass. */
  end(encoder: GPUCommandEncoder): void {
    if (this.isReading) return;
    this.isReading = true;
    const reading = this.readback.record(encoder, [{ buffer: this.small.drawn, size: 4 * DRAWN_WORDS }]);
    Promise.resolve()
      .then(() => reading.finish())
      .then(([bytes]) => {
        const [, , , , cells = 0, buckets = 0, shared = 0] = new Uint32Array(bytes as ArrayBuffer);
        this.counts = { cells, buckets, shared };
      })
      // Other code handles a destroyed simulation or a lost device. If memory is short, the old counts stay.
      .catch(() => undefined)
      .finally(() => {
        this.isReading = false;
      });
  }

  draw(pass: GPURenderPassEncoder): void {
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(1, this.groups.draw);
    pass.drawIndirect(this.small.drawn, 0);
  }

  /** Only tests use these. */
  get buffers(): { readonly cells: GPUBuffer; readonly drawn: GPUBuffer } {
    return { cells: this.owned.buffers.cells, drawn: this.small.drawn };
  }

  destroy(): void {
    this.owned.destroy();
    this.small.origin.destroy();
    this.small.drawn.destroy();
    this.readback.destroy();
  }
}
