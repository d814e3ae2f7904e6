/**
 * Purpose: the liquid on the GPU. Particles are in a Simulation, whose `separate` keeps them apart; a HashGrid of the lattice's
 * own cells sorts them, so that faces gather what is around. The order of stages, all recorded without waiting:
 * sort, transfer, cells, faces, pressure, extrapolate, particles, separate.
 * Guarantee: the same calls on the same device give the same bits: no sum depends on the order of threads.
 */
import {
  ArgumentError,
  CellstormError,
  createSimulation,
  DestroyedError,
  type Gpu,
  HashGrid,
  LimitError,
  type Simulation,
  type StageTimes,
} from '../index';
import { checkFluidCheckpoint, describeFluid, type FluidCheckpoint } from './checkpoint';
import { defineLevels } from './lattice';
import { checkObstacles, movedObstacle, type Obstacle, type ObstacleOptions } from './obstacles';
import { checkInTank, checkTimeStep, type FluidOptions, type FluidPlan, planFluid } from './options';
import { type Buffers, clearWords, createBuffers, readBuffers, UNIFORM } from './passes/buffers';
import { Energy } from './passes/energy';
import { encodeFrame, FRAME_BYTES, nodesOf } from './passes/frame';
import { FluidKernel, PARTIALS, WORKGROUP } from './passes/kernel';
import { type KernelName, kernelSources } from './passes/kernels';
import { Marks } from './passes/marks';
import { decodeSolver, Pressure } from './passes/pressure';
import { isFreeAt, markSolids } from './reference/cells';
import { type FluidMeasures, measureDivergence, measureParticles, measureVolume } from './reference/measure';
import { LAYERS } from './reference/project';
import type { FluidRegion } from './regions';
import { changeSettings, type FluidSettings, type FluidSettingsOptions, pickSettings } from './settings';
import {
  checkNew,
  type FluidFields,
  type FluidParticles,
  fastestBody,
  idsIn,
  isRestrained,
  type NewFluid,
  packFields,
  substepsFor,
  withoutIds,
} from './shape';
import { Turnover } from './turnover';

const OWN_KERNELS = [
  'transfer',
  'kinds',
  'fullness',
  'faces',
  'extrapolate',
  'extrapolateLast',
  'particles',
  'speed',
] as const satisfies readonly KernelName[];

type OwnKernel = (typeof OWN_KERNELS)[number];

type LatticeBuffer =
  | 'velocity'
  | 'before'
  | 'known'
  | 'knownAfter'
  | 'kinds'
  | 'mask'
  | 'fullness'
  | 'crowd'
  | 'affine'
  | 'sums'
  | 'frames';

/** Substeps that can be recorded before the first of them is submitted, and one. */
const FRAMES = 64;
const SLOT_BYTES = Math.ceil(FRAME_BYTES / 256) * 256;

interface Parts {
  readonly particles: Simulation;
  readonly grid: HashGrid;
  readonly kernels: Readonly<Record<OwnKernel, FluidKernel>>;
  readonly owned: Buffers<LatticeBuffer>;
  readonly pressure: Pressure;
  readonly energy: Energy;
  readonly marks: Marks;
}

/** One stage of a substep: recorded with the frame at a byte of the ring. */
interface Stage {
  readonly name: string;
  readonly encode: (encoder: GPUCommandEncoder, frame: number) => void;
}

export async function createFluid(gpu: Gpu, options: FluidOptions): Promise<Fluid> {
  return Fluid.create(gpu, options);
}

export class Fluid {
  readonly backend = 'gpu';
  /** The particles, to be drawn or pushed; it must not be stepped. */
  readonly particles: Simulation;
  private currentPlan: FluidPlan;
  private currentObstacles: readonly Obstacle[];
  private readonly turnover: Turnover;
  /** Steps that wait to be told who was drained. */
  private waiting: Promise<void> | undefined;
  private readonly recorded = new WeakMap<GPUCommandEncoder, number>();
  private readonly groups: Readonly<Record<'transfer' | 'kinds' | 'fullness' | 'faces', GPUBindGroup>>;
  private readonly layers: readonly GPUBindGroup[];
  private nextFrame = 0;
  private lastStep = 0;
  private elapsed = 0;
  private done = 0;
  private destroyed = false;

  private constructor(
    private readonly gpu: Gpu,
    plan: FluidPlan,
    private readonly parts: Parts,
    private readonly couplingSize: number,
  ) {
    this.particles = parts.particles;
    this.currentPlan = plan;
    this.currentObstacles = plan.obstacles;
    const { kernels, owned, grid } = parts;
    const { buffers } = owned;
    const { start, positions, velocities, ids } = grid;
    const all = { ...buffers, frame: buffers.frames, start, positions, velocities, ids };
    this.groups = {
      transfer: kernels.transfer.bind(all),
      kinds: kernels.kinds.bind(all),
      fullness: kernels.fullness.bind(all),
      faces: kernels.faces.bind(all),
    };
    this.turnover = new Turnover({
      take: () => parts.marks.take(),
      remove: (ids) => this.particles.remove(ids),
    });
    const { known, knownAfter } = buffers;
    this.layers = [
      kernels.extrapolate.bind({ ...all, known, known_after: knownAfter }),
      kernels.extrapolate.bind({ ...all, known: knownAfter, known_after: known }),
    ];
    this.writeSolids();
  }

  static async create(gpu: Gpu, options: FluidOptions): Promise<Fluid> {
    const plan = planFluid(options);
    if (typeof gpu?.checkAlive !== 'function') {
      throw new ArgumentError('gpu', gpu, 'what requestGpu() or wrapDevice() returns');
    }
    gpu.checkAlive();
    const { dimensions, lattice, capacity, radius, min, max, positions, velocities, cellSize } = plan;
    const levels = defineLevels(lattice);
    const apic = plan.transfer === 'apic';
    const made: { destroy(): void }[] = [];
    const keep = async <Part extends { destroy(): void }>(part: Promise<Part>): Promise<Part> => {
      made.push(await part);
      return part;
    };
    try {
      const { size } = lattice;
      const owned = await keep(
        createBuffers(gpu, {
          velocity: 4 * dimensions * size,
          before: 4 * dimensions * size,
          known: 4 * size,
          knownAfter: 4 * size,
          kinds: 4 * size,
          mask: 4 * size,
          fullness: 4 * size,
          crowd: 4 * size,
          affine: apic ? 4 * dimensions ** 2 * capacity : 16,
          sums: 16 * PARTIALS,
          frames: [SLOT_BYTES * FRAMES, UNIFORM],
        }),
      );
      gpu.device.queue.writeBuffer(owned.buffers.mask, 0, Uint32Array.from(plan.mask));
      const { frames: frame, kinds, fullness, velocity } = owned.buffers;
      const pressure = await keep(Pressure.create(gpu, levels, { frame, kinds, fullness, velocity }));
      const energy = await keep(Energy.create(gpu, dimensions, capacity));
      const marks = await keep(Marks.create(gpu, dimensions, capacity));
      const bounds = { dimensions, capacity, min, max };
      const grid = await keep(
        HashGrid.create(gpu, { ...bounds, diameter: cellSize / 2, cellSize, velocities: true, ids: true }),
      );
      // Cells of one diameter would be eleven times as many in space, nearly all empty.
      const apart = { radius, cellSize: plan.spacing };
      const particles = await keep(createSimulation(gpu, { ...bounds, ...apart, positions, velocities }));
      const sources = kernelSources(apic);
      const compiled = await Promise.all(
        OWN_KERNELS.map(async (name) => [name, await FluidKernel.create(gpu, dimensions, sources[name])]),
      );
      const kernels = Object.fromEntries(compiled) as Record<OwnKernel, FluidKernel>;
      return new Fluid(gpu, plan, { particles, grid, kernels, owned, pressure, energy, marks }, levels.size);
    } catch (error) {
      for (const part of made) part.destroy();
      throw error;
    }
  }

  /** Options checked and completed, with the settings as they are now. */
  get plan(): FluidPlan {
    return this.currentPlan;
  }

  get settings(): FluidSettings {
    return pickSettings(this.currentPlan);
  }

  /** Particles held; those that were drained in the last substeps are still among them. */
  get count(): number {
    return this.particles.count;
  }

  get capacity(): number {
    return this.plan.capacity;
  }

  /** Simulated seconds. */
  get time(): number {
    return this.elapsed;
  }

  get memoryBytes(): number {
    const { owned, pressure, energy, marks, grid, particles } = this.parts;
    return (
      owned.bytes + pressure.bytes + energy.bytes + marks.bytes + grid.memoryBytes + particles.memoryBytes
    );
  }

  /**
   * The lattice in GPU memory, for drawing and for kernels of the caller's own: see docs/fluid.md for how it is laid out.
   * Only to be read.
   */
  get buffers(): Readonly<Record<'velocity' | 'kinds' | 'fullness' | 'pressure', GPUBuffer>> {
    this.checkUsable();
    const { velocity, kinds, fullness } = this.parts.owned.buffers;
    return { velocity, kinds, fullness, pressure: this.parts.pressure.buffers.pressure };
  }

  /** Changes settings, from the next substep on. */
  set(changes: FluidSettingsOptions): void {
    this.checkSettled('set');
    const { plan } = this;
    this.currentPlan = { ...plan, ...changeSettings(plan, plan, changes) };
  }

  /** Of the last substep, 0 before the first: `buffers.pressure` times density · cell size over this is the pressure. */
  get substepSeconds(): number {
    return this.lastStep;
  }

  /**
   * A step in as many substeps as the settings say, or as `substeps` does. Where drains took particles, and the GPU has not yet
   * told which, it is a promise of a step; calls of `step` until then wait in line, and all that changes the liquid is refused.
   */
  step(dt: number, substeps = this.plan.substeps): Promise<void> | undefined {
    this.checkUsable();
    checkTimeStep(dt, substeps);
    if (dt === 0) return this.waiting;
    const run = (first: number): Promise<void> | undefined => {
      for (let substep = first; substep < substeps; substep++) {
        this.checkUsable();
        const late = this.turnover.begin(this.done);
        if (late) return late.then(() => run(substep));
        this.play(dt / substeps);
      }
      return undefined;
    };
    const late = this.waiting ? this.waiting.then(() => run(0)) : run(0);
    if (!late) return undefined;
    const waiting: Promise<void> = late.finally(() => {
      if (this.waiting === waiting) this.waiting = undefined;
    });
    this.waiting = waiting;
    // Whoever awaits it is told.
    waiting.catch(() => undefined);
    return waiting;
  }

  /**
   * A step in as many substeps as the fastest particle asks for, at most `most`, which it waits to be told; resolves to how
   * many. The same state gives the same number.
   */
  async advance(dt: number, most = 16): Promise<number> {
    this.checkUsable();
    checkTimeStep(dt, 1);
    if (this.waiting) await this.waiting;
    const bodies = fastestBody(this.plan, this.currentObstacles);
    const substeps = substepsFor(this.plan, await this.greatestSpeed(), bodies, dt, most);
    await this.step(dt, substeps);
    return substeps;
  }

  /**
   * Records one substep into the caller's encoder, which must be submitted before the next call that is not itself a
   * recording. At most 63 substeps fit what is recorded before a submission. Not where there are emitters or drains: who comes
   * and goes is written between submissions.
   */
  encodeSubstep(encoder: GPUCommandEncoder, dt: number): void {
    this.checkSettled('encodeSubstep');
    checkTimeStep(dt, 1);
    if (typeof encoder?.beginComputePass !== 'function') {
      throw new ArgumentError('encoder', encoder, 'a GPUCommandEncoder');
    }
    const { emitters, drains } = this.plan;
    if (emitters.length + drains.length > 0 || this.turnover.isBusy) {
      throw new CellstormError(
        'encodeSubstep cannot record a liquid with emitters or drains, since particles come and go between submissions; call step.',
      );
    }
    if (dt === 0) return;
    const held = this.recorded.get(encoder) ?? 0;
    if (held >= FRAMES - 1) {
      throw new LimitError(
        'substeps',
        `This encoder holds ${held} substeps already, and at most ${FRAMES - 1} fit one submission; submit it and go on with another.`,
      );
    }
    this.recorded.set(encoder, held + 1);
    const frame = this.placeFrame(dt);
    for (const stage of this.stages()) stage.encode(encoder, frame);
    this.pass(dt);
  }

  /** One substep with each stage timed by the wall clock, submitted one by one; it counts as done. */
  async profile(dt: number): Promise<StageTimes> {
    this.checkUsable();
    checkTimeStep(dt, 1);
    if (this.waiting) await this.waiting;
    const { queue } = this.gpu.device;
    const times: Record<string, number> = {};
    let total = 0;
    if (dt === 0) return { source: 'wall-clock', stages: times, total };
    for (let late = this.turnover.begin(this.done); late; late = this.turnover.begin(this.done)) await late;
    const frame = this.placeFrame(dt);
    const stages = this.stages();
    await queue.onSubmittedWorkDone();
    for (const { name, encode } of stages) {
      const began = performance.now();
      const encoder = this.gpu.device.createCommandEncoder({ label: `fluid.${name}` });
      encode(encoder, frame);
      queue.submit([encoder.finish()]);
      await queue.onSubmittedWorkDone();
      times[name] = performance.now() - began;
      total += times[name];
    }
    this.pass(dt);
    return { source: 'wall-clock', stages: times, total };
  }

  /** More liquid; the ids of its particles. */
  add(given: NewFluid): Uint32Array {
    this.checkSettled('add');
    checkNew(given);
    checkInTank('positions', given.positions, this.plan.lattice, this.plan.cellSize);
    return this.append(given);
  }

  remove(ids: Uint32Array | readonly number[]): void {
    this.checkSettled('remove');
    this.particles.remove(ids);
    if (!this.turnover.isBusy) return;
    this.parts.marks.clear(ids);
    this.turnover.spare(ids);
  }

  /**
   * Removes all that is in a region at the call, once it is told which particles those are; how many. They must not be removed
   * by another call meanwhile.
   */
  async drain(region: FluidRegion): Promise<number> {
    const ids = idsIn(this.plan, region, await this.read());
    this.remove(ids);
    return ids.length;
  }

  /** Replaces all obstacles; between calls each goes on with its velocity. */
  setObstacles(obstacles: readonly ObstacleOptions[]): void {
    this.checkSettled('setObstacles');
    this.currentObstacles = checkObstacles(obstacles, this.plan.dimensions);
  }

  async measure(): Promise<FluidMeasures> {
    this.checkUsable();
    if (this.waiting) await this.waiting;
    const { plan, lastStep, elapsed, done } = this;
    const { missed } = this.turnover;
    const { velocity, kinds, fullness } = this.parts.owned.buffers;
    const { diagonal, solver } = this.parts.pressure.buffers;
    const [bytes, state, { hash }] = await Promise.all([
      readBuffers(this.gpu, [kinds, fullness, velocity, diagonal, solver]),
      this.read(),
      this.particles.measure(),
    ]);
    const count = state.ids.length;
    const [kindBytes, fullBytes, velocityBytes, diagonalBytes, solverBytes] = bytes as [
      ArrayBuffer,
      ArrayBuffer,
      ArrayBuffer,
      ArrayBuffer,
      ArrayBuffer,
    ];
    const cells = new Uint32Array(kindBytes);
    const full = new Float32Array(fullBytes);
    const solved = decodeSolver(solverBytes);
    const faces = new Float32Array(velocityBytes);
    const rows = new Float32Array(diagonalBytes);
    return {
      count,
      missed,
      time: elapsed,
      substeps: done,
      iterations: solved.iterations,
      residual: solved.left,
      unconverged: solved.unconverged,
      divergenceBefore: solved.greatest / plan.cellSize,
      divergenceAfter: lastStep > 0 ? measureDivergence(plan, cells, full, faces, rows, lastStep) : 0,
      volume: measureVolume(plan.lattice, plan.cellSize, cells, full),
      nominalVolume: (count * plan.cellSize ** plan.dimensions) / plan.particlesPerCell,
      ...measureParticles(plan, state.positions, state.velocities, lastStep),
      hash,
    };
  }

  async read(): Promise<FluidParticles> {
    this.checkUsable();
    if (this.waiting) await this.waiting;
    const [particles, gone] = await Promise.all([this.particles.read(), this.gone()]);
    const ids = new Set([...gone.drained, ...gone.leaving]);
    return withoutIds(this.plan.dimensions, particles, ids);
  }

  /** Everything to go on with the same bits, as things are once the steps before are done. */
  async checkpoint(): Promise<FluidCheckpoint> {
    this.checkUsable();
    if (this.waiting) await this.waiting;
    const { plan, currentObstacles, elapsed: time, done: substeps, lastStep } = this;
    const { state } = this.turnover;
    const { affine } = this.parts.owned.buffers;
    const [particles, gone, [solverBytes, affineBytes]] = await Promise.all([
      this.particles.checkpoint(),
      this.gone(),
      readBuffers(this.gpu, [this.parts.pressure.buffers.solver, affine]),
    ]);
    const { unconverged } = decodeSolver(solverBytes as ArrayBuffer);
    const progress = { particles, time, substeps, lastStep, unconverged, ...state, ...gone };
    const slopes = plan.transfer === 'apic' ? new Float32Array(affineBytes as ArrayBuffer) : undefined;
    return describeFluid(plan, currentObstacles, progress, slopes);
  }

  /** Goes on from a checkpoint; fields and figures of the lattice are those of the next substep, but for what is solid. */
  restore(checkpoint: FluidCheckpoint): void {
    this.checkSettled('restore');
    const { settings, obstacles, affine } = checkFluidCheckpoint(checkpoint, this.plan);
    this.particles.restore(checkpoint.particles);
    this.currentPlan = { ...this.plan, ...settings };
    this.currentObstacles = obstacles;
    this.elapsed = checkpoint.time;
    this.done = checkpoint.substeps;
    this.lastStep = checkpoint.lastStep;
    this.turnover.restore(checkpoint, checkpoint.leaving, checkpoint.drained.length > 0);
    const { buffers } = this.parts.owned;
    const { queue } = this.gpu.device;
    if (affine) queue.writeBuffer(buffers.affine, 0, affine as Float32Array<ArrayBuffer>);
    this.parts.marks.replace(checkpoint.drained);
    this.parts.pressure.restart(this.gpu, checkpoint.unconverged);
    const encoder = this.gpu.device.createCommandEncoder({ label: 'fluid.restore' });
    for (const buffer of [buffers.velocity, buffers.fullness]) encoder.clearBuffer(buffer);
    queue.submit([encoder.finish()]);
    this.writeSolids();
  }

  /** The lattice as the last substep left it. */
  async fields(): Promise<FluidFields> {
    this.checkUsable();
    if (this.waiting) await this.waiting;
    const { kinds, velocity, pressure } = this.buffers;
    const { lastStep } = this;
    const [kindBytes, velocityBytes, pressureBytes] = await readBuffers(this.gpu, [
      kinds,
      velocity,
      pressure,
    ]);
    const state = {
      kinds: new Uint32Array(kindBytes as ArrayBuffer),
      velocity: new Float32Array(velocityBytes as ArrayBuffer),
      pressure: new Float32Array(pressureBytes as ArrayBuffer),
    };
    return packFields(this.plan, state, lastStep);
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    const { particles, grid, owned, pressure, energy, marks } = this.parts;
    for (const part of [particles, grid, owned, pressure, energy, marks]) part.destroy();
  }

  /** Before a substep has been, what is solid is known. What is ahead of the first cell no kernel writes: it is solid, too. */
  private writeSolids(): void {
    const { plan, currentObstacles: obstacles } = this;
    const kinds = new Uint8Array(plan.lattice.size);
    markSolids({ ...plan, obstacles }, kinds);
    this.gpu.device.queue.writeBuffer(this.parts.owned.buffers.kinds, 0, Uint32Array.from(kinds));
  }

  /** The stages of the next substep, with the particles' buffers as they are when each is recorded. */
  private stages(): readonly Stage[] {
    const { plan, parts, particles, count, groups } = this;
    const { kernels, grid, owned, pressure, energy, marks } = parts;
    const { frames } = owned.buffers;
    const nodes = Math.ceil(nodesOf(plan.lattice) / WORKGROUP);
    const inPass =
      (name: string, record: (pass: GPUComputePassEncoder, frame: number) => void) =>
      (encoder: GPUCommandEncoder, frame: number) => {
        const pass = encoder.beginComputePass({ label: `fluid.${name}` });
        record(pass, frame);
        pass.end();
      };
    const staged = (name: string, record: (pass: GPUComputePassEncoder, frame: number) => void): Stage => ({
      name,
      encode: inPass(name, record),
    });
    return [
      { name: 'sort', encode: (encoder) => grid.encode(encoder, { ...particles.buffers, count }) },
      staged('transfer', (pass, frame) => kernels.transfer.encode(pass, groups.transfer, nodes, frame)),
      staged('cells', (pass, frame) => {
        kernels.kinds.encode(pass, groups.kinds, nodes, frame);
        kernels.fullness.encode(pass, groups.fullness, nodes, frame);
      }),
      staged('faces', (pass, frame) => kernels.faces.encode(pass, groups.faces, nodes, frame)),
      {
        name: 'pressure',
        encode: (encoder, frame) => {
          pressure.encodeReset(encoder);
          inPass('pressure', (pass, at) => pressure.encode(pass, at, plan.mostIterations))(encoder, frame);
        },
      },
      staged('extrapolate', (pass, frame) => {
        for (let layer = 0; layer < LAYERS; layer++) {
          const kernel = layer + 1 < LAYERS ? kernels.extrapolate : kernels.extrapolateLast;
          kernel.encode(pass, this.layers[layer % 2] as GPUBindGroup, nodes, frame);
        }
      }),
      staged('particles', (pass, frame) => {
        const { buffers } = owned;
        const group = kernels.particles.bind({
          ...buffers,
          frame: buffers.frames,
          ...particles.buffers,
          account: energy.account,
        });
        kernels.particles.encode(pass, group, Math.ceil(count / WORKGROUP), frame);
      }),
      {
        name: 'separate',
        encode: (encoder) => {
          if (plan.separation > 0) particles.encodeSeparate(encoder, plan.separation);
        },
      },
      ...(isRestrained(plan, this.currentObstacles)
        ? [
            staged('energy', (pass, frame) =>
              energy.encode(
                pass,
                { ...particles.buffers, kinds: owned.buffers.kinds, frame: frames },
                count,
                frame,
              ),
            ),
          ]
        : []),
      ...(plan.drains.length > 0
        ? [
            staged('drain', (pass, frame) =>
              marks.encode(pass, { ...particles.buffers, frame: frames }, count, frame),
            ),
          ]
        : []),
    ];
  }

  /** One substep, submitted, and who begins at its end. */
  private play(dt: number): void {
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: 'fluid.substep' });
    const frame = this.placeFrame(dt);
    for (const stage of this.stages()) stage.encode(encoder, frame);
    device.queue.submit([encoder.finish()]);
    this.pass(dt);
  }

  /** Writes the frame of the next substep; its byte in the ring. */
  private placeFrame(dt: number): number {
    const { plan, couplingSize, count, currentObstacles: obstacles } = this;
    const { cells } = this.parts.grid.world;
    const offset = SLOT_BYTES * this.nextFrame;
    this.nextFrame = (this.nextFrame + 1) % FRAMES;
    const bytes = encodeFrame({ plan, couplingSize, grid: { cells }, count, dt, obstacles });
    this.gpu.device.queue.writeBuffer(this.parts.owned.buffers.frames, offset, bytes);
    return offset;
  }

  private pass(dt: number): void {
    this.currentObstacles = this.currentObstacles.map((obstacle) => movedObstacle(obstacle, dt));
    this.lastStep = dt;
    this.elapsed += dt;
    this.done++;
    const { plan, currentObstacles: obstacles } = this;
    if (plan.drains.length > 0) this.turnover.mark();
    const room = this.capacity - this.count;
    const born = this.turnover.emit(plan, dt, room, (place) => isFreeAt({ ...plan, obstacles }, place));
    if (born) this.append(born);
  }

  private append(given: NewFluid): Uint32Array {
    const ids = this.particles.add(given);
    const { plan, parts } = this;
    if (plan.transfer === 'apic') clearWords(this.gpu, parts.owned.buffers.affine, plan.dimensions ** 2, ids);
    return ids;
  }

  /** Drained and not yet removed, as things are at the call: marked, and about to be removed. */
  private async gone(): Promise<{ readonly drained: Uint32Array; readonly leaving: Uint32Array }> {
    const none = new Uint32Array(0);
    if (!this.turnover.isBusy) return { drained: none, leaving: none };
    const [leaving, drained] = await Promise.all([this.turnover.leaving(), this.parts.marks.read()]);
    return { drained, leaving };
  }

  private async greatestSpeed(): Promise<number> {
    const { kernels, owned } = this.parts;
    const { device } = this.gpu;
    const { sums, frames } = owned.buffers;
    const frame = this.placeFrame(0);
    const encoder = device.createCommandEncoder({ label: 'fluid.speed' });
    const pass = encoder.beginComputePass({ label: 'fluid.speed' });
    const { velocities } = this.particles.buffers;
    const group = kernels.speed.bind({ frame: frames, velocities, partials: sums });
    kernels.speed.encode(pass, group, PARTIALS, frame);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const [bytes] = await readBuffers(this.gpu, [sums]);
    const squares = new Float32Array(bytes as ArrayBuffer);
    let greatest = 0;
    // The third of four numbers is the greatest.
    for (let part = 0; part < PARTIALS; part++)
      greatest = Math.max(greatest, squares[4 * part + 2] as number);
    return Math.sqrt(greatest);
  }

  private checkUsable(): void {
    if (this.destroyed) throw new DestroyedError('Fluid');
    this.gpu.checkAlive();
  }

  /** For what changes the liquid: steps that wait come first. */
  private checkSettled(call: string): void {
    this.checkUsable();
    if (!this.waiting) return;
    throw new CellstormError(
      `${call} was called while a step of this liquid waits to be told what was drained; await what step returned.`,
    );
  }
}
