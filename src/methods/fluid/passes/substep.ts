/**
 * Owns everything that a fluid has on the GPU except its particles, and makes the stages of a substep. A HashGrid with
 * the lattice's cells sorts the particles, so that each face can gather velocities from the particles near it. No stage
 * waits for the GPU.
 */
import { HashGrid } from '../../../engine/grid/hash-grid';
import type { Simulation } from '../../../engine/simulation/simulation';
import type { Gpu } from '../../../gpu/device';
import { foldWorkgroups } from '../../../gpu/dispatch';
import { defineLevels } from '../lattice';
import type { Obstacle } from '../obstacles';
import type { FluidPlan } from '../options';
import { markSolids } from '../reference/cells';
import { LAYERS } from '../reference/project';
import { isRestrained, type LatticeState } from '../shape';
import { type Buffers, checkSizes, clearWords, createBuffers, readBuffers } from './buffers';
import { Drain } from './drain';
import { accountBytes, Energy } from './energy';
import { nodesOf } from './frame';
import { Frames } from './frames';
import { FluidKernel, WORKGROUP } from './kernel';
import { type KernelName, kernelSources } from './kernels';
import { decodeSolver, Pressure, type SolverState } from './pressure';
import { Speed } from './speed';

const SUBSTEP_KERNELS = [
  'kinds',
  'transfer',
  'faces',
  'extrapolate',
  'extrapolateLast',
  'particles',
] as const satisfies readonly KernelName[];

type SubstepKernel = (typeof SUBSTEP_KERNELS)[number];

type LatticeBuffer =
  | 'velocity'
  | 'before'
  | 'known'
  | 'knownAfter'
  | 'kinds'
  | 'mask'
  | 'fullness'
  | 'affine';

interface Parts {
  readonly grid: HashGrid;
  readonly kernels: Readonly<Record<SubstepKernel, FluidKernel>>;
  readonly owned: Buffers<LatticeBuffer>;
  readonly frames: Frames;
  readonly pressure: Pressure;
  readonly energy: Energy;
  readonly drain: Drain;
  readonly speed: Speed;
}

export interface SubstepState {
  readonly plan: FluidPlan;
  readonly obstacles: readonly Obstacle[];
  readonly particles: Simulation;
}

/** `frame`: byte offset of the substep's frame; see frames.ts. */
export interface Stage {
  readonly name: string;
  readonly encode: (encoder: GPUCommandEncoder, frame: number) => void;
}

export interface LatticeReading {
  readonly kinds: Uint32Array;
  readonly fullness: Float32Array;
  readonly velocity: Float32Array;
  readonly diagonal: Float32Array;
  readonly solved: SolverState;
}

export interface SubstepCheckpoint {
  /** Dimensions² numbers per id; undefined unless the transfer is APIC. */
  readonly affine: Float32Array | undefined;
  readonly unconverged: number;
}

function affineBytes({ dimensions, transfer, capacity }: FluidPlan): number {
  return transfer === 'apic' ? 4 * dimensions ** 2 * capacity : 16;
}

export class Substep {
  private readonly groups: Readonly<Record<'kinds' | 'transfer' | 'faces', GPUBindGroup>>;
  private readonly layers: readonly GPUBindGroup[];

  private constructor(
    private readonly gpu: Gpu,
    private readonly parts: Parts,
    private readonly couplingSize: number,
  ) {
    const { kernels, owned, grid, frames } = parts;
    const { start, positions, velocities, ids } = grid;
    const all = { ...owned.buffers, frame: frames.buffer, start, positions, velocities, ids };
    this.groups = {
      kinds: kernels.kinds.bind(all),
      transfer: kernels.transfer.bind(all),
      faces: kernels.faces.bind(all),
    };
    const { known, knownAfter } = owned.buffers;
    this.layers = [
      kernels.extrapolate.bind({ ...all, known, known_after: knownAfter }),
      kernels.extrapolate.bind({ ...all, known: knownAfter, known_after: known }),
    ];
  }

  static check(gpu: Gpu, plan: FluidPlan): void {
    const { dimensions, lattice, capacity } = plan;
    checkSizes(gpu, {
      velocity: 4 * dimensions * lattice.size,
      coupling: 4 * dimensions * defineLevels(lattice).size,
      affine: affineBytes(plan),
      account: accountBytes(dimensions, capacity),
    });
    foldWorkgroups(Math.ceil(Math.max(lattice.size, capacity) / WORKGROUP), gpu.workgroupsPerDimension);
  }

  /** Call `check` first. */
  static async create(gpu: Gpu, plan: FluidPlan): Promise<Substep> {
    const { dimensions, lattice, capacity, min, max, cellSize } = plan;
    const { size } = lattice;
    const levels = defineLevels(lattice);
    const apic = plan.transfer === 'apic';
    const made: { destroy(): void }[] = [];
    const keep = async <Part extends { destroy(): void }>(part: Promise<Part>): Promise<Part> => {
      made.push(await part);
      return part;
    };
    try {
      const owned = await keep(
        createBuffers(gpu, {
          velocity: 4 * dimensions * size,
          before: 4 * dimensions * size,
          known: 4 * size,
          knownAfter: 4 * size,
          kinds: 4 * size,
          mask: 4 * size,
          fullness: 4 * size,
          affine: affineBytes(plan),
        }),
      );
      gpu.device.queue.writeBuffer(owned.buffers.mask, 0, Uint32Array.from(plan.mask));
      const frames = await keep(Frames.create(gpu));
      const { kinds, fullness, velocity } = owned.buffers;
      const input = { frame: frames.buffer, kinds, fullness, velocity };
      const pressure = await keep(Pressure.create(gpu, levels, input));
      const energy = await keep(Energy.create(gpu, dimensions, capacity));
      const drain = await keep(Drain.create(gpu, dimensions, capacity));
      const speed = await keep(Speed.create(gpu, dimensions));
      const grid = await keep(
        HashGrid.create(gpu, {
          ...{ dimensions, capacity, min, max, cellSize },
          diameter: cellSize / 2,
          velocities: true,
          ids: true,
        }),
      );
      const sources = kernelSources(apic);
      const compiled = await Promise.all(
        SUBSTEP_KERNELS.map(async (name) => [name, await FluidKernel.create(gpu, dimensions, sources[name])]),
      );
      const kernels = Object.fromEntries(compiled) as Record<SubstepKernel, FluidKernel>;
      const parts = { grid, kernels, owned, frames, pressure, energy, drain, speed };
      return new Substep(gpu, parts, levels.size);
    } catch (error) {
      for (const part of made) part.destroy();
      throw error;
    }
  }

  get buffers(): Readonly<Record<'velocity' | 'kinds' | 'fullness' | 'pressure', GPUBuffer>> {
    const { velocity, kinds, fullness } = this.parts.owned.buffers;
    return { velocity, kinds, fullness, pressure: this.parts.pressure.buffers.pressure };
  }

  get drain(): Drain {
    return this.parts.drain;
  }

  get bytes(): number {
    const { owned, frames, pressure, energy, drain, speed, grid } = this.parts;
    return [owned, frames, pressure, energy, drain, speed].reduce(
      (sum, { bytes }) => sum + bytes,
      grid.memoryBytes,
    );
  }

  reserve(encoder: GPUCommandEncoder): void {
    this.parts.frames.reserve(encoder);
  }

  /** Returns the frame's byte offset. */
  writeFrame({ plan, obstacles, particles }: SubstepState, dt: number): number {
    const { frames, grid } = this.parts;
    const { cells } = grid.world;
    const { count } = particles;
    return frames.write({ plan, couplingSize: this.couplingSize, grid: { cells }, count, dt, obstacles });
  }

  /** Returns the stages of a substep. A stage binds the particles' buffers only when it is recorded. */
  stages({ plan, obstacles, particles }: SubstepState): readonly Stage[] {
    const { groups, parts } = this;
    const { kernels, grid, owned, frames, pressure, energy, drain } = parts;
    const { count } = particles;
    const frameBuffer = frames.buffer;
    const { kinds } = owned.buffers;
    const nodes = Math.ceil(nodesOf(plan.lattice) / WORKGROUP);
    const solve = inPass('pressure', (pass, frame) => pressure.encode(pass, frame, plan.mostIterations));
    const moved = () => ({ ...particles.buffers, frame: frameBuffer });
    const stages: Stage[] = [
      {
        name: 'sort',
        encode: (encoder) => {
          grid.encode(encoder, { ...particles.buffers, count });
          // Later sums add particles in the order of these buffers, which must not depend on history. The stage
          // `separate` sorts the buffers; without it, copySorted does.
          if (plan.separation === 0) copySorted(encoder, grid, particles);
        },
      },
      inPass('cells', (pass, frame) => kernels.kinds.encode(pass, groups.kinds, nodes, frame)),
      inPass('transfer', (pass, frame) => kernels.transfer.encode(pass, groups.transfer, nodes, frame)),
      inPass('faces', (pass, frame) => kernels.faces.encode(pass, groups.faces, nodes, frame)),
      {
        name: 'pressure',
        encode: (encoder, frame) => {
          pressure.encodeReset(encoder);
          solve.encode(encoder, frame);
        },
      },
      inPass('extrapolate', (pass, frame) => {
        for (let layer = 0; layer < LAYERS; layer++) {
          const kernel = layer + 1 < LAYERS ? kernels.extrapolate : kernels.extrapolateLast;
          kernel.encode(pass, this.layers[layer % 2] as GPUBindGroup, nodes, frame);
        }
      }),
      inPass('particles', (pass, frame) => {
        const group = kernels.particles.bind({ ...owned.buffers, ...moved(), account: energy.account });
        kernels.particles.encode(pass, group, Math.ceil(count / WORKGROUP), frame);
      }),
      {
        name: 'separate',
        encode: (encoder) => {
          if (plan.separation > 0) particles.encodeSeparate(encoder, plan.separation);
        },
      },
    ];
    if (isRestrained(plan, obstacles))
      stages.push(
        inPass('energy', (pass, frame) => energy.encode(pass, { ...moved(), kinds }, count, frame)),
      );
    if (plan.drains.length > 0)
      stages.push(inPass('drain', (pass, frame) => drain.encode(pass, moved(), count, frame)));
    return stages;
  }

  greatestSpeed(state: SubstepState): Promise<number> {
    const { speed, frames } = this.parts;
    const { velocities } = state.particles.buffers;
    return speed.greatest({ frame: frames.buffer, velocities }, this.writeFrame(state, 0));
  }

  async readLattice(): Promise<LatticeReading> {
    const { owned, pressure } = this.parts;
    const { kinds, fullness, velocity } = owned.buffers;
    const { diagonal, solver } = pressure.buffers;
    const read = await readBuffers(this.gpu, [kinds, fullness, velocity, diagonal, solver]);
    const bytes = (index: number) => read[index] as ArrayBuffer;
    return {
      kinds: new Uint32Array(bytes(0)),
      fullness: new Float32Array(bytes(1)),
      velocity: new Float32Array(bytes(2)),
      diagonal: new Float32Array(bytes(3)),
      solved: decodeSolver(bytes(4)),
    };
  }

  async readFields(): Promise<LatticeState> {
    const { kinds, velocity, pressure } = this.buffers;
    const read = await readBuffers(this.gpu, [kinds, velocity, pressure]);
    return {
      kinds: new Uint32Array(read[0] as ArrayBuffer),
      velocity: new Float32Array(read[1] as ArrayBuffer),
      pressure: new Float32Array(read[2] as ArrayBuffer),
    };
  }

  async readCheckpoint({ transfer }: FluidPlan): Promise<SubstepCheckpoint> {
    const { owned, pressure } = this.parts;
    const [solver, affine] = await readBuffers(this.gpu, [pressure.buffers.solver, owned.buffers.affine]);
    const { unconverged } = decodeSolver(solver as ArrayBuffer);
    const slopes = transfer === 'apic' ? new Float32Array(affine as ArrayBuffer) : undefined;
    return { affine: slopes, unconverged };
  }

  restart(saved: SubstepCheckpoint): void {
    const { owned, pressure } = this.parts;
    const { velocity, fullness, affine } = owned.buffers;
    const { device } = this.gpu;
    if (saved.affine) device.queue.writeBuffer(affine, 0, saved.affine as Float32Array<ArrayBuffer>);
    pressure.restart(this.gpu, saved.unconverged);
    const encoder = device.createCommandEncoder({ label: 'fluid.restore' });
    for (const buffer of [velocity, fullness]) encoder.clearBuffer(buffer);
    device.queue.submit([encoder.finish()]);
  }

  /**
   * Writes which cells are solid; all others count as air until the next substep. The entries before the first cell
   * (lattice.ts) are solid, too; no kernel writes them.
   */
  writeSolids(plan: FluidPlan, obstacles: readonly Obstacle[]): void {
    const kinds = new Uint8Array(plan.lattice.size);
    markSolids({ ...plan, obstacles }, kinds);
    this.gpu.device.queue.writeBuffer(this.parts.owned.buffers.kinds, 0, Uint32Array.from(kinds));
  }

  /** Zeroes the slopes of new particles, because removed particles may have had the same ids. */
  clearSlopes({ transfer, dimensions }: FluidPlan, ids: Uint32Array): void {
    if (transfer === 'apic') clearWords(this.gpu, this.parts.owned.buffers.affine, dimensions ** 2, ids);
  }

  destroy(): void {
    const { grid, owned, frames, pressure, energy, drain, speed } = this.parts;
    for (const part of [grid, owned, frames, pressure, energy, drain, speed]) part.destroy();
  }
}

/** Replaces the particles by the grid's sorted copies, whose order depends only on positions and ids. */
function copySorted(
  encoder: GPUCommandEncoder,
  grid: HashGrid,
  { buffers, count, dimensions }: Simulation,
): void {
  const vector = 4 * (dimensions === 2 ? 2 : 4);
  encoder.copyBufferToBuffer(grid.positions, 0, buffers.positions, 0, vector * count);
  encoder.copyBufferToBuffer(grid.velocities as GPUBuffer, 0, buffers.velocities, 0, vector * count);
  encoder.copyBufferToBuffer(grid.ids, 0, buffers.ids, 0, 4 * count);
}

function inPass(name: string, record: (pass: GPUComputePassEncoder, frame: number) => void): Stage {
  return {
    name,
    encode: (encoder, frame) => {
      const pass = encoder.beginComputePass({ label: `fluid.${name}` });
      record(pass, frame);
      pass.end();
    },
  };
}
