/** Draws the grid's overlays for the GPU engine. Sorts the particles itself, so it shows their current positions. */
import { WORKGROUP_SIZE } from '../../core/base/constants';
import { defaultSettings, deriveSubstep, type Substep } from '../../core/contact/settings';
import { CellSort, type SortBinding } from '../../engine/grid/cell-sort';
import type { DeclaredLayout } from '../../gpu/bindings';
import { type BufferSet, createBuffers, createParts } from '../../gpu/buffers';
import { Kernel } from '../../gpu/kernel';
import { bodyFloats, defineStruct } from '../../gpu/layout';
import { type SharedBinding, SharedParameters } from '../../gpu/params';
import { Readback } from '../../gpu/readback';
import type { Gpu } from '../../index';
import { Scan, type ScanBinding, scanBytes } from '../../passes/grid/scan';
import { describeMissing, MOST_PAIRS } from '../model/overlay-look';
import { NO_FIELDS, type OccupiedCounts, type Overlays, type PairsShown } from '../model/overlays';
import type { GpuSimulationView } from '../model/simulation-view';
import type { Frame } from './engine';
import { OccupiedCells } from './occupied';
import {
  createLayouts,
  createOverlayPipelines,
  describeOverlayKernels,
  HEAT_FIELDS,
  type OverlayLayouts,
  type OverlayPicture,
  type OverlayPipelines,
} from './overlay-pipelines';
import { heatCounters, OVERLAY_FIELDS, packOverlay, packView, VIEW_WORDS } from './overlay-uniforms';

/** Size of `drawn` in shaders/page/pair_lines.wgsl. */
const DRAWN_WORDS = 6;

interface Sorting {
  readonly sort: CellSort;
  readonly owned: BufferSet<'ids' | 'positions'>;
  readonly binding: SortBinding;
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
  private occupied: OccupiedCells | undefined;
  private preparing: Promise<void> = Promise.resolve();
  private isDestroyed = false;
  private isReading = false;
  private readonly groups = new Map<GPUBindGroupLayout, Map<GPUBuffer, GPUBindGroup>>();
  /** Counts of a recent picture. Undefined while no pairs are shown. */
  pairsShown: PairsShown | undefined;

  private constructor(
    private readonly gpu: Gpu,
    private readonly simulation: GpuSimulationView,
    private readonly parameters: SharedParameters,
    private readonly substep: Substep,
    private readonly pipelines: OverlayPipelines,
    private readonly layouts: OverlayLayouts,
    private readonly uniforms: GPUBuffer,
    /** Bound in place of a buffer that the shader does not read. */
    private readonly nothing: GPUBuffer,
    private readonly picture: OverlayPicture,
  ) {
    this.readback = new Readback(gpu, 'overlay');
  }

  static async create(gpu: Gpu, simulation: GpuSimulationView, picture: OverlayPicture): Promise<Overlay> {
    const { device } = gpu;
    const { world, dimensions } = simulation;
    const layouts = createLayouts(device);
    const { parameters, pipelines } = await createParts({
      parameters: SharedParameters.create(gpu, dimensions, 'overlay'),
      pipelines: createOverlayPipelines(device, world, picture, layouts),
    });
    const uniform = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const uniforms = device.createBuffer({
      label: 'draw.overlay',
      size: 16 * OVERLAY_FIELDS.length,
      usage: uniform,
    });
    const nothing = device.createBuffer({ label: 'draw.nothing', size: 16, usage: GPUBufferUsage.STORAGE });
    const substep = deriveSubstep(world, world.diameter, defaultSettings(dimensions), 0);
    return new Overlay(gpu, simulation, parameters, substep, pipelines, layouts, uniforms, nothing, picture);
  }

  /**
   * Creates what these overlays need. If none of them needs a sort, frees what earlier calls created. Await this before
   * you draw. Overlapping calls run in turn. Rejects if the GPU has too little memory.
   */
  prepare(shown: Overlays): Promise<void> {
    const next = this.preparing.then(() => this.make(shown));
    this.preparing = next.catch(() => undefined);
    return next;
  }

  private async make(shown: Overlays): Promise<void> {
    if (this.isDestroyed) return;
    if (!this.needsSort(shown)) {
      this.free();
      return;
    }
    try {
      this.sorting ??= await this.createSorting();
      if (this.needsCells(shown)) this.occupied ??= await this.createOccupied(this.sorting);
      else if (shown.heatMap) this.heating ??= await this.createHeating(this.sorting);
      if (needsPairs(shown)) this.listing ??= await this.createListing(this.sorting);
    } finally {
      if (this.isDestroyed) this.free();
    }
  }

  private async createSorting(): Promise<Sorting> {
    const { gpu, simulation } = this;
    const { world, capacity } = simulation;
    const { positions: position, ids: id } = simulation.buffers;
    const { sort, owned } = await createParts({
      sort: CellSort.create(gpu, world, capacity, { ids: true, velocities: false }),
      owned: createBuffers(gpu, 'overlay', {
        ids: 4 * capacity,
        positions: 4 * bodyFloats(world) * capacity,
      }),
    });
    const sorted = { position: owned.buffers.positions, id: owned.buffers.ids };
    return { sort, owned, binding: sort.bind({ position, id }, sorted) };
  }

  private createOccupied({ sort, owned: { buffers } }: Sorting): Promise<OccupiedCells> {
    const { world, capacity } = this.simulation;
    const sorted = { position_in: buffers.positions, start: sort.start, cell_of_slot: sort.cellOfSlot };
    return OccupiedCells.create(this.gpu, world, capacity, sorted, this.picture, this.uniforms);
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
      pairs: 8 * MOST_PAIRS[this.picture.isSoftware ? 'software' : 'hardware'],
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

  encode(encoder: GPUCommandEncoder, frame: Frame): void {
    const { simulation, gpu } = this;
    const { count, world } = simulation;
    const shown = frame.overlays;
    gpu.device.queue.writeBuffer(this.uniforms, 0, packOverlay(simulation, frame));
    const { sorting } = this;
    if (!sorting || !this.needsSort(shown) || count === 0) return;
    const heating = shown.heatMap ? this.heating : undefined;
    const occupied = this.needsCells(shown) ? this.occupied : undefined;
    const listing = needsPairs(shown) ? this.listing : undefined;
    if (!listing) this.pairsShown = undefined;
    occupied?.begin(encoder, frame);
    if (heating) encoder.clearBuffer(heating.owned.buffers.counts);
    if (listing) {
      encoder.clearBuffer(listing.drawn);
      gpu.device.queue.writeBuffer(listing.uniforms, 0, packView(world, frame));
    }
    this.parameters.recordInto(() => {
      const shared = this.parameters.write(world, count, this.substep);
      const pass = encoder.beginComputePass({ label: 'overlay' });
      for (const stage of sorting.sort.stages(shared, sorting.binding, count, false)) stage.encode(pass);
      const workgroups = Math.ceil(count / WORKGROUP_SIZE);
      heating?.kernel.encode(pass, shared, heating.group, workgroups);
      occupied?.encode(pass, shared, workgroups);
      if (listing) encodeListing(pass, shared, listing, workgroups);
      pass.end();
    });
    if (listing) this.readCounts(encoder, listing);
    occupied?.end(encoder);
  }

  /** In 3D, draws cells and the heat map. Call this before you draw the particles: they hide what is behind them. */
  drawBehind(pass: GPURenderPassEncoder, { overlays }: Frame): void {
    if (this.simulation.dimensions === 3) this.drawFaces(pass, overlays);
  }

  /** Leaves out overlays that are not ready. */
  drawable(wanted: Overlays): Overlays {
    const isUnbounded = this.simulation.world.kind === 'unbounded';
    const hasCells = this.occupied !== undefined;
    return {
      cellLines: wanted.cellLines && (hasCells || !isUnbounded),
      heatMap: wanted.heatMap && (hasCells || this.heating !== undefined),
      buckets: wanted.buckets && hasCells,
      thread: wanted.thread && this.sorting !== undefined,
      candidatePairs: wanted.candidatePairs && this.listing !== undefined,
      contactLines: wanted.contactLines && this.listing !== undefined,
      ...NO_FIELDS,
    };
  }

  /** Says which pairs of a recent picture are missing; '' if none are. */
  missing(shown: Overlays): string {
    return needsPairs(shown) && this.pairsShown ? describeMissing(this.pairsShown) : '';
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
    this.uniforms.destroy();
    this.nothing.destroy();
    this.free();
  }

  /** Pairs of slots in the last picture, and the id in each slot. Only tests use these. */
  get buffers():
    | { readonly pairs: GPUBuffer; readonly drawn: GPUBuffer; readonly ids: GPUBuffer }
    | undefined {
    const { listing, sorting } = this;
    return (
      listing &&
      sorting && { pairs: listing.owned.buffers.pairs, drawn: listing.drawn, ids: sorting.owned.buffers.ids }
    );
  }

  get heatCounts(): GPUBuffer | undefined {
    return this.heating?.owned.buffers.counts;
  }

  get occupiedCounts(): OccupiedCounts | undefined {
    return this.occupied?.counts;
  }

  get occupiedBuffers(): OccupiedCells['buffers'] | undefined {
    return this.occupied?.buffers;
  }

  private needsCells({ cellLines, heatMap, buckets }: Overlays): boolean {
    return this.simulation.world.kind === 'unbounded' && (cellLines || heatMap || buckets);
  }

  private needsSort(shown: Overlays): boolean {
    return shown.heatMap || shown.thread || needsPairs(shown) || this.needsCells(shown);
  }

  private drawFaces(pass: GPURenderPassEncoder, shown: Overlays): void {
    if (this.simulation.world.kind === 'unbounded') {
      if (this.needsCells(shown) && this.simulation.count > 0) this.occupied?.draw(pass);
      return;
    }
    const { cellLines, heatMap } = shown;
    const heat = heatMap ? this.heating?.owned.buffers.counts : this.nothing;
    if (!heat || !(cellLines || heatMap)) return;
    pass.setPipeline(this.pipelines.faces);
    pass.setBindGroup(1, this.group(this.layouts.faces, [heat]));
    pass.draw(4, this.simulation.dimensions === 3 && cellLines ? 3 : 1);
  }

  /** Caches groups by layout and last buffer. The other buffers never change. */
  private group({ layout }: DeclaredLayout, buffers: readonly GPUBuffer[]): GPUBindGroup {
    const last = buffers.at(-1) as GPUBuffer;
    const known = this.groups.get(layout) ?? new Map<GPUBuffer, GPUBindGroup>();
    this.groups.set(layout, known);
    const group =
      known.get(last) ??
      this.gpu.device.createBindGroup({
        label: 'draw.overlay.group',
        layout,
        entries: [this.uniforms, ...buffers].map((buffer, binding) => ({ binding, resource: { buffer } })),
      });
    known.set(last, group);
    return group;
  }

  /** Reads `pairsShown`, unless an earlier read is under way. */
  private readCounts(encoder: GPUCommandEncoder, { drawn }: Listing): void {
    if (this.isReading) return;
    this.isReading = true;
    const lines = this.simulation.world.kind === 'periodic' ? 2 : 1;
    const reading = this.readback.record(encoder, [{ buffer: drawn, size: 4 * DRAWN_WORDS }]);
    Promise.resolve()
      .then(() => reading.finish())
      .then(([bytes]) => {
        const [, instances = 0, , , found = 0, crowded = 0] = new Uint32Array(bytes as ArrayBuffer);
        this.pairsShown = { found, drawn: instances / lines, crowded };
      })
      // Other code handles a destroyed simulation or a lost device. If memory is short, the old counts stay.
      .catch(() => undefined)
      .finally(() => {
        this.isReading = false;
      });
  }

  private free(): void {
    this.sorting?.sort.destroy();
    this.sorting?.owned.destroy();
    this.occupied?.destroy();
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
    this.occupied = undefined;
    this.listing = undefined;
  }
}

function needsPairs({ candidatePairs, contactLines }: Overlays): boolean {
  return candidatePairs || contactLines;
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
