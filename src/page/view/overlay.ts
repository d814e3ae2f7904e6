/**
 * Purpose: overlays on the GPU: the simulation's grid once more, for the positions that are seen, and what is drawn of it:
 * lines of cells and the heat map (shaders/draw/cells.wgsl), the thread and lines of pairs (lines.wgsl). Inputs: the
 * simulation's buffers, which it only reads; its world; the frame. Output: draws, and how many pairs there are. Sorts right
 * before the picture and only what is shown asks for it; nothing is read back but six numbers.
 */

import { mat4 } from 'wgpu-matrix';
import cellsText from '../../../shaders/draw/cells.wgsl?raw';
import linesText from '../../../shaders/draw/lines.wgsl?raw';
import overlayText from '../../../shaders/draw/overlay.wgsl?raw';
import heatText from '../../../shaders/page/heat.wgsl?raw';
import pairText from '../../../shaders/page/pair_lines.wgsl?raw';
import { WORKGROUP_SIZE } from '../../core/base/constants';
import { defaultSettings, deriveSubstep, type Substep } from '../../core/contact/settings';
import type { World } from '../../core/world/world';
import { CellSort, type SortBinding } from '../../engine/grid/cell-sort';
import { type BufferSet, createBuffers, createParts } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { bodyFloats, defineStruct } from '../../gpu/layout';
import type { ShaderSource } from '../../gpu/link';
import { type SharedBinding, SharedParameters } from '../../gpu/params';
import { Readback } from '../../gpu/readback';
import { compileShader } from '../../gpu/shader-module';
import { Scan, type ScanBinding, scanBytes } from '../../passes/grid/scan';
import {
  bodyFlags,
  finerBinding,
  neighbourModules,
  shapeModules,
  type Variant,
  worldFlags,
  worldModules,
  worldName,
} from '../../passes/modules';
import type { GpuBody } from '../model/body';
import { COLOUR_STOPS } from '../model/colour';
import {
  CANDIDATE_OPACITY,
  CANDIDATE_WIDTH,
  CONTACT_WIDTH,
  DASH,
  HEAT_OPACITY,
  heatAxes,
  heatEnd,
  LEAP,
  LEAP_OPACITY,
  LINE_OPACITY,
  largestCell,
  lineShare,
  MOST_EACH,
  MOST_PAIRS,
  NARROWEST_CELL,
  NO_FIELDS,
  type Overlays,
  type PairsShown,
  shownCells,
  THREAD_WIDTH,
  WIDE_CELL,
} from '../model/overlays';
import type { Frame } from './engine';

/** Counters of the heat map at most; beyond, blocks of cells share one. */
const MOST_COUNTERS = 2 ** 24;

/** struct Heat of shaders/page/heat.wgsl. */
const HEAT_FIELDS = { counters: 'extent', cells: 'extent', shift: 'u32' } as const;

/** Words of struct View of shaders/page/pair_lines.wgsl: a matrix, two floats, three integers, and the rest of its last vector. */
const VIEW_WORDS = 24;
/** Words of `drawn` there. */
const DRAWN_WORDS = 6;

/** struct Look of shaders/draw/overlay.wgsl: so many vectors of four. */
const LOOK_FIELDS = [
  'cell',
  'heat',
  'first',
  'last',
  'candidate',
  'contact',
  'casing',
  'screen',
  'origin',
  'cells',
  'period',
  'heatMap',
  'shown',
] as const;

type LookValues = Readonly<Record<(typeof LOOK_FIELDS)[number], readonly number[]>>;

/** Sizes that the drawing shaders share with overlays.ts, as whole numbers. */
const CONSTANTS = {
  NARROWEST_CELL,
  WIDE_CELL,
  FAINTEST_PERCENT: Math.round(100 * LINE_OPACITY[0]),
  DARKEST_PERCENT: Math.round(100 * LINE_OPACITY[1]),
  COOLEST_PERCENT: Math.round(100 * HEAT_OPACITY[0]),
  HOTTEST_PERCENT: Math.round(100 * HEAT_OPACITY[1]),
  LEAP_PERCENT: Math.round(100 * LEAP_OPACITY),
  THREAD_TENTHS: Math.round(10 * THREAD_WIDTH),
  CANDIDATE_TENTHS: Math.round(10 * CANDIDATE_WIDTH),
  CONTACT_TENTHS: Math.round(10 * CONTACT_WIDTH),
  DASH_TENTHS: Math.round(10 * DASH),
  STOPS: COLOUR_STOPS,
} as const;

const SOURCES = {
  overlay: { name: 'draw/overlay.wgsl', text: overlayText },
  cells: { name: 'draw/cells.wgsl', text: cellsText },
  lines: { name: 'draw/lines.wgsl', text: linesText },
} as const satisfies Record<string, ShaderSource>;

/** What the view that draws lends: see gpu-view.ts. */
export interface OverlayPicture {
  readonly format: GPUTextureFormat;
  readonly samples: number;
  readonly isSoftware: boolean;
  /** Of a picture of space. */
  readonly depthFormat: GPUTextureFormat;
  readonly blend: GPUBlendState;
  readonly frameSource: ShaderSource;
  readonly frameLayout: GPUBindGroupLayout;
}

/** Kernels over a world's grid: for the heat map, and for both steps of a list of pairs. */
export function describeOverlayKernels(variant: Variant): {
  readonly heat: KernelDescription;
  readonly tally: KernelDescription;
  readonly fill: KernelDescription;
} {
  const { dimensions, levels = 0 } = variant;
  // Candidates are all whose cells touch, whether or not anybody could reach there.
  const wholeBlocks = { ...variant, crowds: false, wholeBlocks: levels > 0 };
  const pairs = (isFill: boolean): KernelDescription => ({
    label: `page.pair-lines.${isFill ? 'fill' : 'tally'}${worldName(wholeBlocks)}`,
    dimensions,
    sources: [
      ...neighbourModules(wholeBlocks, 'grid'),
      ...shapeModules(variant),
      { name: 'page/pair_lines.wgsl', text: pairText },
    ],
    entryPoint: 'list_pairs',
    bindings: {
      view: 'uniform View',
      position_in: 'read array<PackedBody>',
      start: 'read array<u32>',
      cell_of_slot: 'read array<Cell>',
      ...(isFill
        ? { offsets: 'read array<u32>', pairs: 'write array<vec2u>', drawn: 'write array<atomic<u32>>' }
        : { tallies: 'write array<u32>' }),
      ...finerBinding(variant),
    },
    flags: { ...worldFlags(wholeBlocks), FILL: isFill },
    constants: { MOST_EACH },
  });
  return {
    heat: {
      label: `page.heat${worldName({ ...variant, wholeBlocks: false })}`,
      dimensions,
      sources: [...worldModules(variant), { name: 'page/heat.wgsl', text: heatText }],
      entryPoint: 'count_heat',
      bindings: {
        heat: 'uniform Heat',
        position_in: 'read array<PackedBody>',
        counts: 'write array<atomic<u32>>',
      },
      flags: worldFlags(variant),
    },
    tally: pairs(false),
    fill: pairs(true),
  };
}

export interface OverlayPipelines {
  readonly faces: GPURenderPipeline;
  readonly thread: GPURenderPipeline;
  readonly pairs: GPURenderPipeline;
}

interface OverlayLayouts {
  readonly faces: GPUBindGroupLayout;
  readonly lines: GPUBindGroupLayout;
}

function createLayouts(device: GPUDevice): OverlayLayouts {
  const layout = (label: string, buffers: number, visibility: number) =>
    device.createBindGroupLayout({
      label: `draw.overlay.${label}.layout`,
      entries: Array.from({ length: buffers }, (_, binding) => ({
        binding,
        visibility: binding === 0 ? GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT : visibility,
        buffer: { type: binding === 0 ? 'uniform' : 'read-only-storage' },
      })),
    });
  return {
    faces: layout('faces', 2, GPUShaderStage.FRAGMENT),
    lines: layout('lines', 3, GPUShaderStage.VERTEX),
  };
}

/** All that overlays over such a world are drawn with; uses the device alone, no page. */
export async function createOverlayPipelines(
  device: GPUDevice,
  { dimensions, kind, levels, boxes }: Pick<World, 'dimensions' | 'kind' | 'levels' | 'boxes'>,
  { format, samples, depthFormat, blend, frameSource, frameLayout }: OverlayPicture,
  layouts = createLayouts(device),
): Promise<OverlayPipelines> {
  const flags = { ...bodyFlags({ levels, boxes }), WRAPS: kind === 'periodic' };
  const compile = (name: 'cells' | 'lines') =>
    compileShader(device, `draw.${name}`, {
      dimensions,
      sources: [frameSource, SOURCES.overlay, SOURCES[name]],
      flags,
      constants: CONSTANTS,
    });
  const [cells, lines] = await Promise.all([compile('cells'), compile('lines')]);
  const create = (
    label: string,
    module: GPUShaderModule,
    group: GPUBindGroupLayout,
    vertex: string,
    fragment: string,
  ) =>
    device.createRenderPipelineAsync({
      label: `draw.${label}.pipeline`,
      layout: device.createPipelineLayout({
        label: `draw.${label}.pipeline-layout`,
        bindGroupLayouts: [frameLayout, group],
      }),
      vertex: { module, entryPoint: vertex },
      fragment: { module, entryPoint: fragment, targets: [{ format, blend }] },
      primitive: { topology: 'triangle-strip' },
      multisample: { count: dimensions === 3 ? samples : 1 },
      ...(dimensions === 3 && {
        depthStencil: { format: depthFormat, depthWriteEnabled: false, depthCompare: 'less-equal' } as const,
      }),
    });
  const [faces, thread, pairs] = await Promise.all([
    create('cells', cells, layouts.faces, 'face_vertex', 'face_fragment'),
    create('thread', lines, layouts.lines, 'thread_vertex', 'line_fragment'),
    create('pairs', lines, layouts.lines, 'pair_vertex', 'line_fragment'),
  ]);
  return { faces, thread, pairs };
}

/** Particles in the order of the grid. */
interface Sorting {
  readonly sort: CellSort;
  readonly owned: BufferSet<'ids' | 'positions'>;
  readonly bindings: WeakMap<GPUBuffer, WeakMap<GPUBuffer, SortBinding>>;
}

interface Listing {
  readonly owned: BufferSet<'tallies' | 'offsets' | 'pairs'>;
  readonly uniforms: GPUBuffer;
  readonly drawn: GPUBuffer;
  readonly scan: Scan;
  readonly scanBinding: ScanBinding;
  readonly tally: Kernel;
  readonly fill: Kernel;
  readonly tallyGroup: GPUBindGroup;
  readonly fillGroup: GPUBindGroup;
}

interface Heating {
  readonly kernel: Kernel;
  readonly group: GPUBindGroup;
  readonly owned: BufferSet<'counts'>;
  readonly uniforms: GPUBuffer;
}

export class Overlay {
  private readonly readback: Readback;
  private sorting: Sorting | undefined;
  private listing: Listing | undefined;
  private heating: Heating | undefined;
  private coming: Promise<void> = Promise.resolve();
  private isDestroyed = false;
  private isAsking = false;
  private readonly groups = new Map<GPUBindGroupLayout, Map<GPUBuffer, GPUBindGroup>>();
  /** Of a picture a little while ago; undefined while no pairs are shown. */
  pairsShown: PairsShown | undefined;

  private constructor(
    private readonly gpu: Gpu,
    private readonly simulation: GpuBody,
    private readonly parameters: SharedParameters,
    private readonly substep: Substep,
    private readonly pipelines: OverlayPipelines,
    private readonly layouts: OverlayLayouts,
    private readonly look: GPUBuffer,
    /** Stands in for what there is no buffer of. */
    private readonly nothing: GPUBuffer,
    private readonly isSoftware: boolean,
  ) {
    this.readback = new Readback(gpu, 'overlay');
  }

  static async create(gpu: Gpu, simulation: GpuBody, picture: OverlayPicture): Promise<Overlay> {
    const { device } = gpu;
    const { world, dimensions } = simulation;
    const layouts = createLayouts(device);
    const { parameters, pipelines } = await createParts({
      parameters: SharedParameters.create(gpu, dimensions, 'overlay'),
      pipelines: createOverlayPipelines(device, world, picture, layouts),
    });
    const uniform = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const look = device.createBuffer({ label: 'draw.look', size: 16 * LOOK_FIELDS.length, usage: uniform });
    const nothing = device.createBuffer({ label: 'draw.nothing', size: 16, usage: GPUBufferUsage.STORAGE });
    const substep = deriveSubstep(world, world.diameter, defaultSettings(dimensions), 0);
    return new Overlay(
      gpu,
      simulation,
      parameters,
      substep,
      pipelines,
      layouts,
      look,
      nothing,
      picture.isSoftware,
    );
  }

  /**
   * Makes what these need, one call after the other, and lets go of it where none needs any; to be awaited before they are
   * drawn. Throws where there is no room.
   */
  prepare(shown: Overlays): Promise<void> {
    const next = this.coming.then(() => this.make(shown));
    this.coming = next.catch(() => undefined);
    return next;
  }

  private async make(shown: Overlays): Promise<void> {
    if (this.isDestroyed) return;
    if (!needsOrder(shown)) {
      this.free();
      return;
    }
    try {
      this.sorting ??= await this.createSorting();
      if (shown.heatMap) this.heating ??= await this.createHeating(this.sorting);
      if (needsPairs(shown)) this.listing ??= await this.createListing(this.sorting);
    } finally {
      if (this.isDestroyed) this.free();
    }
  }

  private async createSorting(): Promise<Sorting> {
    const { gpu, simulation } = this;
    const { world, capacity } = simulation;
    const { sort, owned } = await createParts({
      sort: CellSort.create(gpu, world, capacity, { ids: true, velocities: false }),
      owned: createBuffers(gpu, 'overlay', {
        ids: 4 * capacity,
        positions: 4 * bodyFloats(world) * capacity,
      }),
    });
    return { sort, owned, bindings: new WeakMap() };
  }

  private async createHeating({ owned: { buffers } }: Sorting): Promise<Heating> {
    const { gpu, simulation } = this;
    const { world, dimensions } = simulation;
    const { counters, cells, shift } = heatCounters(world);
    const layout = defineStruct(dimensions, HEAT_FIELDS);
    const kernel = await Kernel.create(gpu, describeOverlayKernels(world).heat);
    const owned = await createBuffers(gpu, 'overlay.heat', {
      counts: 4 * counters.reduce((product, along) => product * along, 1),
    });
    const uniforms = this.uniform('overlay.heat', new Uint8Array(layout.encode({ counters, cells, shift })));
    const named = { heat: uniforms, position_in: buffers.positions, counts: owned.buffers.counts };
    return { kernel, group: kernel.bind(named), owned, uniforms };
  }

  private async createListing({ sort, owned: { buffers } }: Sorting): Promise<Listing> {
    const { gpu, simulation } = this;
    const { world, capacity } = simulation;
    const described = describeOverlayKernels(world);
    const [tally, fill, scan] = await Promise.all([
      Kernel.create(gpu, described.tally),
      Kernel.create(gpu, described.fill),
      Scan.create(gpu, world.dimensions),
    ]);
    const bytes = scanBytes(capacity + 1);
    const owned = await createBuffers(gpu, 'overlay.pairs', {
      tallies: bytes,
      offsets: bytes,
      pairs: 8 * MOST_PAIRS[this.isSoftware ? 'software' : 'hardware'],
    });
    const scanBinding = await scan.bind(owned.buffers.tallies, owned.buffers.offsets, capacity + 1);
    const drawn = gpu.device.createBuffer({
      label: 'overlay.drawn',
      size: 4 * DRAWN_WORDS,
      usage:
        GPUBufferUsage.STORAGE | GPUBufferUsage.INDIRECT | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    const uniforms = this.uniform('overlay.view', new Uint8Array(4 * VIEW_WORDS));
    const named = {
      view: uniforms,
      position_in: buffers.positions,
      start: sort.start,
      cell_of_slot: sort.cellOfSlot,
      finer: sort.finerList,
      drawn,
      ...owned.buffers,
    };
    return {
      owned,
      uniforms,
      drawn,
      scan,
      scanBinding,
      tally,
      fill,
      tallyGroup: tally.bind(named),
      fillGroup: fill.bind(named),
    };
  }

  private uniform(label: string, bytes: Uint8Array<ArrayBuffer>): GPUBuffer {
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const buffer = this.gpu.device.createBuffer({ label, size: Math.ceil(bytes.length / 16) * 16, usage });
    this.gpu.device.queue.writeBuffer(buffer, 0, bytes);
    return buffer;
  }

  /** Records what is to be known before the picture. */
  encode(encoder: GPUCommandEncoder, frame: Frame): void {
    const { simulation, gpu } = this;
    const { count, world } = simulation;
    const shown = frame.overlays;
    gpu.device.queue.writeBuffer(this.look, 0, packLook(simulation, frame));
    const { sorting } = this;
    if (!sorting || !needsOrder(shown) || count === 0) return;
    const heating = shown.heatMap ? this.heating : undefined;
    const listing = needsPairs(shown) ? this.listing : undefined;
    if (!listing) this.pairsShown = undefined;
    if (heating) encoder.clearBuffer(heating.owned.buffers.counts);
    if (listing) {
      encoder.clearBuffer(listing.drawn);
      gpu.device.queue.writeBuffer(listing.uniforms, 0, packView(world, frame));
    }
    this.parameters.recordInto(encoder, () => {
      const shared = this.parameters.place(world, count, this.substep);
      const pass = encoder.beginComputePass({ label: 'overlay' });
      const binding = this.bindingFor(sorting);
      for (const stage of sorting.sort.stages(shared, binding, count, false)) stage.encode(pass);
      const workgroups = Math.ceil(count / WORKGROUP_SIZE);
      heating?.kernel.encode(pass, shared, heating.group, workgroups);
      if (listing) encodeListing(pass, shared, listing, workgroups);
      pass.end();
    });
    if (listing) this.ask(encoder, listing);
  }

  /** What lies behind particles: in space all faces, in the plane nothing. */
  drawBehind(pass: GPURenderPassEncoder, { overlays }: Frame): void {
    if (this.simulation.dimensions === 3) this.drawFaces(pass, overlays);
  }

  /** Of these, what the next picture has: what is ready. */
  drawable(wanted: Overlays): Overlays {
    return {
      cellLines: wanted.cellLines,
      heatMap: wanted.heatMap && this.heating !== undefined,
      thread: wanted.thread && this.sorting !== undefined,
      candidatePairs: wanted.candidatePairs && this.listing !== undefined,
      contactLines: wanted.contactLines && this.listing !== undefined,
      ...NO_FIELDS,
    };
  }

  drawOver(pass: GPURenderPassEncoder, { overlays }: Frame): void {
    const { simulation, sorting, listing, pipelines } = this;
    if (simulation.dimensions === 2) this.drawFaces(pass, overlays);
    if (!sorting || simulation.count === 0) return;
    const { positions } = sorting.owned.buffers;
    if (overlays.thread && simulation.count > 1) {
      pass.setPipeline(pipelines.thread);
      pass.setBindGroup(1, this.group(this.layouts.lines, [positions, this.nothing]));
      pass.draw(4, simulation.count - 1);
    }
    if (needsPairs(overlays) && listing) {
      pass.setPipeline(pipelines.pairs);
      pass.setBindGroup(1, this.group(this.layouts.lines, [positions, listing.owned.buffers.pairs]));
      pass.drawIndirect(listing.drawn, 0);
    }
  }

  destroy(): void {
    this.isDestroyed = true;
    this.parameters.destroy();
    this.readback.destroy();
    this.look.destroy();
    this.nothing.destroy();
    this.free();
  }

  /** For tests: the pairs of slots as the last picture had them, and the id in each slot. */
  get buffers():
    | { readonly pairs: GPUBuffer; readonly drawn: GPUBuffer; readonly ids: GPUBuffer }
    | undefined {
    const { listing, sorting } = this;
    return (
      listing &&
      sorting && { pairs: listing.owned.buffers.pairs, drawn: listing.drawn, ids: sorting.owned.buffers.ids }
    );
  }

  /** For tests: the counters of the heat map. */
  get heatCounts(): GPUBuffer | undefined {
    return this.heating?.owned.buffers.counts;
  }

  private drawFaces(pass: GPURenderPassEncoder, { cellLines, heatMap }: Overlays): void {
    const heat = heatMap ? this.heating?.owned.buffers.counts : this.nothing;
    if (!heat || !(cellLines || heatMap)) return;
    pass.setPipeline(this.pipelines.faces);
    pass.setBindGroup(1, this.group(this.layouts.faces, [heat]));
    pass.draw(4, this.simulation.dimensions === 3 && cellLines ? 3 : 1);
  }

  /** By layout and the last buffer: the others of a layout are always the same. */
  private group(layout: GPUBindGroupLayout, buffers: readonly GPUBuffer[]): GPUBindGroup {
    const last = buffers.at(-1) as GPUBuffer;
    const known = this.groups.get(layout) ?? new Map<GPUBuffer, GPUBindGroup>();
    this.groups.set(layout, known);
    const group =
      known.get(last) ??
      this.gpu.device.createBindGroup({
        label: 'draw.overlay.group',
        layout,
        entries: [this.look, ...buffers].map((buffer, binding) => ({ binding, resource: { buffer } })),
      });
    known.set(last, group);
    return group;
  }

  private bindingFor({ sort, owned, bindings }: Sorting): SortBinding {
    const { positions, ids } = this.simulation.buffers;
    const known = bindings.get(positions) ?? new WeakMap<GPUBuffer, SortBinding>();
    bindings.set(positions, known);
    const binding =
      known.get(ids) ??
      sort.bind(
        { position: positions, id: ids },
        { position: owned.buffers.positions, id: owned.buffers.ids },
      );
    known.set(ids, binding);
    return binding;
  }

  /** Reads back how many pairs there are, one question at a time. */
  private ask(encoder: GPUCommandEncoder, { drawn }: Listing): void {
    if (this.isAsking) return;
    this.isAsking = true;
    const lines = this.simulation.world.kind === 'periodic' ? 2 : 1;
    const reading = this.readback.record(encoder, [{ buffer: drawn, size: 4 * DRAWN_WORDS }]);
    // The caller submits in the same task.
    Promise.resolve()
      .then(() => reading.finish())
      .then(([bytes]) => {
        const [, instances = 0, , , found = 0, crowded = 0] = new Uint32Array(bytes as ArrayBuffer);
        this.pairsShown = { found, drawn: instances / lines, crowded };
      })
      // Only the end of the simulation or of its device gets here, and both are dealt with elsewhere.
      .catch(() => undefined)
      .finally(() => {
        this.isAsking = false;
      });
  }

  private free(): void {
    this.sorting?.sort.destroy();
    this.sorting?.owned.destroy();
    this.heating?.owned.destroy();
    this.heating?.uniforms.destroy();
    this.listing?.owned.destroy();
    this.listing?.uniforms.destroy();
    this.listing?.drawn.destroy();
    this.listing?.scanBinding.destroy();
    this.groups.clear();
    this.pairsShown = undefined;
    this.sorting = undefined;
    this.heating = undefined;
    this.listing = undefined;
  }
}

function needsPairs({ candidatePairs, contactLines }: Overlays): boolean {
  return candidatePairs || contactLines;
}

function needsOrder(shown: Overlays): boolean {
  return shown.heatMap || shown.thread || needsPairs(shown);
}

function encodeListing(
  pass: GPUComputePassEncoder,
  shared: SharedBinding,
  { tally, fill, tallyGroup, fillGroup, scan, scanBinding }: Listing,
  workgroups: number,
): void {
  tally.encode(pass, shared, tallyGroup, workgroups);
  scan.encode(pass, shared, scanBinding);
  fill.encode(pass, shared, fillGroup, workgroups);
}

/** Counters of the heat map along each axis, the cells that they count, and the logarithm of cells along an edge of one. */
export function heatCounters(world: World): {
  readonly counters: readonly number[];
  readonly cells: readonly number[];
  readonly shift: number;
} {
  const cells = shownCells(world);
  const axes = heatAxes(world);
  const along = (shift: number) =>
    cells.map((count, axis) => (axes.includes(axis) ? Math.ceil(count / 2 ** shift) : 1));
  let shift = 0;
  while (along(shift).reduce((product, count) => product * count, 1) > MOST_COUNTERS) shift++;
  return { counters: along(shift), cells, shift };
}

function packLook(
  simulation: GpuBody,
  { sight, viewport, theme, overlays }: Frame,
): Float32Array<ArrayBuffer> {
  const { world, count, dimensions } = simulation;
  const { counters, shift } = heatCounters(world);
  const { width, height, pixelRatio } = viewport;
  const colours = theme.overlay;
  const colour = (rgb: readonly number[], opacity = 1) => [...rgb, opacity];
  const vector = (values: readonly number[], last: number) => [
    values[0] ?? 0,
    values[1] ?? 0,
    values[2] ?? 0,
    last,
  ];
  const [acrossAxis, upAxis] = heatAxes({ dimensions });
  const values: LookValues = {
    cell: colour(colours.cell),
    heat: colour(colours.heat),
    first: colour(colours.first),
    last: colour(colours.last),
    candidate: colour(colours.candidate, CANDIDATE_OPACITY),
    contact: colour(colours.contact),
    casing: colour(theme.background, 0.7),
    screen: [width, height, pixelRatio, count],
    origin: vector(world.min, world.inverseCellSize),
    cells: vector(shownCells(world), world.levels),
    period: vector(world.period, LEAP * largestCell(world)),
    heatMap: [counters[acrossAxis] ?? 1, counters[upAxis] ?? 1, 2 ** shift, 1 / heatEnd(world, count)],
    shown: [
      ...[overlays.cellLines, overlays.heatMap, overlays.contactLines].map(Number),
      lineShare(simulation, sight.pixelsPerUnit),
    ],
  };
  return Float32Array.from(LOOK_FIELDS.flatMap((name) => values[name]));
}

/** Pairs of somebody who is less than a cell out of the picture may be in it. */
function packView(world: World, { sight, viewport, overlays }: Frame): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(VIEW_WORDS);
  const floats = new Float32Array(words.buffer);
  floats.set(mat4.multiply(sight.projection, sight.view), 0);
  const reach = 4 * largestCell(world) * sight.pixelsPerUnit;
  floats.set([2 * (reach / viewport.width), 2 * (reach / viewport.height)], 16);
  words.set([overlays.candidatePairs ? 0 : 1, 4, world.kind === 'periodic' ? 2 : 1], 18);
  return words;
}
