/**
 * Purpose: the liquid on the GPU. Particles are in a Simulation, whose `separate` keeps them apart; a HashGrid of the lattice's
 * own cells sorts them, so that faces gather what is around. The order of stages, all recorded without waiting:
 * sort, transfer, cells, faces, pressure, extrapolate, particles, separate.
 * Guarantee: the same calls on the same device give the same bits: no sum depends on the order of threads.
 */
import {
  ArgumentError,
  createSimulation,
  DestroyedError,
  type Gpu,
  HashGrid,
  LimitError,
  type Simulation,
  type StageTimes,
} from '../index';
import { defineLevels, SOLID } from './lattice';
import { movedObstacle, type Obstacle, type ObstacleOptions } from './obstacles';
import {
  checkInTank,
  checkObstacles,
  checkTimeStep,
  type FluidOptions,
  type FluidPlan,
  type FluidRegion,
  planFluid,
} from './options';
import { type Buffers, createBuffers, readBuffers, UNIFORM } from './passes/buffers';
import { encodeFrame, FRAME_BYTES, nodesOf } from './passes/frame';
import { FluidKernel, PARTIALS, WORKGROUP } from './passes/kernel';
import { type KernelName, kernelSources } from './passes/kernels';
import { decodeSolver, Pressure } from './passes/pressure';
import { type FluidMeasures, measureDivergence, measureParticles, measureVolume } from './reference/measure';
import { LAYERS } from './reference/project';
import {
  checkNew,
  type FluidFields,
  type FluidParticles,
  idsIn,
  type NewFluid,
  packFields,
  substepsFor,
} from './shape';

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
  | 'speeds'
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
  private currentObstacles: readonly Obstacle[];
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
    readonly plan: FluidPlan,
    private readonly parts: Parts,
    private readonly couplingSize: number,
  ) {
    this.particles = parts.particles;
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
    const { known, knownAfter } = buffers;
    this.layers = [
      kernels.extrapolate.bind({ ...all, known, known_after: knownAfter }),
      kernels.extrapolate.bind({ ...all, known: knownAfter, known_after: known }),
    ];
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
          speeds: 16 * PARTIALS,
          frames: [SLOT_BYTES * FRAMES, UNIFORM],
        }),
      );
      gpu.device.queue.writeBuffer(owned.buffers.mask, 0, Uint32Array.from(plan.mask));
      // What is ahead of the first cell nobody writes: it is solid, as all that is beyond the walls.
      gpu.device.queue.writeBuffer(owned.buffers.kinds, 0, new Uint32Array(lattice.first).fill(SOLID));
      const { frames: frame, kinds, fullness, velocity } = owned.buffers;
      const pressure = await keep(Pressure.create(gpu, levels, { frame, kinds, fullness, velocity }));
      const bounds = { dimensions, capacity, min, max };
      const grid = await keep(
        HashGrid.create(gpu, { ...bounds, diameter: cellSize / 2, cellSize, velocities: true, ids: true }),
      );
      const particles = await keep(createSimulation(gpu, { ...bounds, radius, positions, velocities }));
      const sources = kernelSources(apic);
      const compiled = await Promise.all(
        OWN_KERNELS.map(async (name) => [name, await FluidKernel.create(gpu, dimensions, sources[name])]),
      );
      const kernels = Object.fromEntries(compiled) as Record<OwnKernel, FluidKernel>;
      return new Fluid(gpu, plan, { particles, grid, kernels, owned, pressure }, levels.size);
    } catch (error) {
      for (const part of made) part.destroy();
      throw error;
    }
  }

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
    const { owned, pressure, grid, particles } = this.parts;
    return owned.bytes + pressure.bytes + grid.memoryBytes + particles.memoryBytes;
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

  /** A step in as many substeps as the options say, or as `substeps` does. */
  step(dt: number, substeps = this.plan.substeps): void {
    this.checkUsable();
    checkTimeStep(dt, substeps);
    if (dt === 0) return;
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: 'fluid.step' });
    for (let substep = 0; substep < substeps; substep++) this.encodeSubstep(encoder, dt / substeps);
    device.queue.submit([encoder.finish()]);
  }

  /**
   * A step in as many substeps as the fastest particle asks for, at most `most`, which it waits to be told; resolves to how
   * many. The same state gives the same number.
   */
  async advance(dt: number, most = 16): Promise<number> {
    this.checkUsable();
    checkTimeStep(dt, 1);
    const substeps = substepsFor(this.plan, await this.greatestSpeed(), this.obstacleSpeed(), dt, most);
    this.step(dt, substeps);
    return substeps;
  }

  /**
   * Records one substep into the caller's encoder, which must be submitted before the next call that is not itself a
   * recording. At most 63 substeps fit what is recorded before a submission.
   */
  encodeSubstep(encoder: GPUCommandEncoder, dt: number): void {
    this.checkUsable();
    checkTimeStep(dt, 1);
    if (typeof encoder?.beginComputePass !== 'function') {
      throw new ArgumentError('encoder', encoder, 'a GPUCommandEncoder');
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
    const { queue } = this.gpu.device;
    const times: Record<string, number> = {};
    let total = 0;
    if (dt === 0) return { source: 'wall-clock', stages: times, total };
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
    this.checkUsable();
    checkNew(given);
    checkInTank('positions', given.positions, this.plan.lattice, this.plan.cellSize);
    const ids = this.particles.add(given);
    if (this.plan.transfer === 'apic') {
      const bytes = 4 * this.plan.dimensions ** 2;
      const none = new Uint8Array(bytes);
      for (const id of ids)
        this.gpu.device.queue.writeBuffer(this.parts.owned.buffers.affine, bytes * id, none);
    }
    return ids;
  }

  remove(ids: Uint32Array | readonly number[]): void {
    this.checkUsable();
    this.particles.remove(ids);
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
    this.checkUsable();
    this.currentObstacles = checkObstacles(obstacles, this.plan.dimensions);
  }

  async measure(): Promise<FluidMeasures> {
    this.checkUsable();
    const { plan, lastStep, count, elapsed, done } = this;
    const { velocity, kinds, fullness } = this.parts.owned.buffers;
    const { diagonal, solver } = this.parts.pressure.buffers;
    const [bytes, state, { hash }] = await Promise.all([
      readBuffers(this.gpu, [kinds, fullness, velocity, diagonal, solver]),
      this.particles.read(),
      this.particles.measure(),
    ]);
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
    return this.particles.read();
  }

  /** The lattice as the last substep left it. */
  async fields(): Promise<FluidFields> {
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
    const { particles, grid, owned, pressure } = this.parts;
    for (const part of [particles, grid, owned, pressure]) part.destroy();
  }

  /** The stages of the next substep, with the particles' buffers as they are when each is recorded. */
  private stages(): readonly Stage[] {
    const { plan, parts, particles, count, groups } = this;
    const { kernels, grid, owned, pressure } = parts;
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
        const group = kernels.particles.bind({ ...buffers, frame: buffers.frames, ...particles.buffers });
        kernels.particles.encode(pass, group, Math.ceil(count / WORKGROUP), frame);
      }),
      {
        name: 'separate',
        encode: (encoder) => {
          if (plan.separation > 0) particles.encodeSeparate(encoder, plan.separation);
        },
      },
    ];
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
  }

  private async greatestSpeed(): Promise<number> {
    const { kernels, owned } = this.parts;
    const { device } = this.gpu;
    const { speeds, frames } = owned.buffers;
    const frame = this.placeFrame(0);
    const encoder = device.createCommandEncoder({ label: 'fluid.speed' });
    const pass = encoder.beginComputePass({ label: 'fluid.speed' });
    const { velocities } = this.particles.buffers;
    const group = kernels.speed.bind({ frame: frames, velocities, partials: speeds });
    kernels.speed.encode(pass, group, PARTIALS, frame);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const [bytes] = await readBuffers(this.gpu, [speeds]);
    const squares = new Float32Array(bytes as ArrayBuffer);
    let greatest = 0;
    // The third of four numbers is the greatest.
    for (let part = 0; part < PARTIALS; part++)
      greatest = Math.max(greatest, squares[4 * part + 2] as number);
    return Math.sqrt(greatest);
  }

  private obstacleSpeed(): number {
    return Math.max(0, ...this.currentObstacles.map(({ velocity }) => Math.hypot(...velocity)));
  }

  private checkUsable(): void {
    if (this.destroyed) throw new DestroyedError('Fluid');
    this.gpu.checkAlive();
  }
}
