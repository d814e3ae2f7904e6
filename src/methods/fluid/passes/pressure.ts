/**
 * Records the pressure solver: conjugate gradients, preconditioned by one V-cycle per iteration. All iterations are
 * recorded; once the solver is done, the GPU skips the rest by setting indirect workgroup counts to 0. The tail kernel,
 * a single workgroup, solves all small levels. Twins: src/methods/fluid/reference/pressure.ts, multigrid.ts.
 * Guarantee: the same equations give the same bits, because sums have a fixed order.
 */

import type { Gpu } from '../../../gpu/device';
import { foldWorkgroups } from '../../../gpu/dispatch';
import type { Level, Levels } from '../lattice';
import { SMOOTHINGS } from '../reference/multigrid';
import { type Buffers, createBuffers, DATA, INDIRECT, UNIFORM } from './buffers';
import { cellsOf, encodeLevels, LEVEL_BYTES, MOST_LEVELS, nodesOf } from './frame';
import { type Dispatch, FluidKernel, PARTIALS, TAIL_CELLS, WORKGROUP } from './kernel';
import { kernelSources, WEIGHINGS, weighing } from './kernels';

type WeighingStage = (typeof WEIGHINGS)[number];

const KERNEL_NAMES = [
  'equations',
  'begin',
  'coarsen',
  'red',
  'black',
  'tail',
  'restrict',
  'prolong',
  'dot',
  'turn',
  'apply',
  'update',
  'project',
] as const;
type Name = (typeof KERNEL_NAMES)[number];

type BufferName =
  | 'coupling'
  | 'diagonal'
  | 'right'
  | 'solution'
  | 'pressure'
  | 'direction'
  | 'image'
  | 'partials'
  | 'solver'
  | 'dispatches'
  | 'allDispatches'
  | 'levels';

/** Indices in `dispatches`: three dispatches that belong to no level, then the first dispatch of the first level. */
const NODES = 0;
const REDUCTION = 1;
const TAIL = 2;
const PER_LEVEL = 3;
const WORDS = 3;
/** Bytes of `struct Solver`, rounded up to 16, and the index of its word `unconverged`. */
const SOLVER_BYTES = 48;
const UNCONVERGED_WORD = 8;

interface LevelGroups {
  readonly red: GPUBindGroup;
  readonly black: GPUBindGroup;
  readonly restrict: GPUBindGroup;
  readonly prolong: GPUBindGroup;
  readonly coarsen: GPUBindGroup;
}

export interface PressureInput {
  readonly frame: GPUBuffer;
  readonly kinds: GPUBuffer;
  readonly fullness: GPUBuffer;
  readonly velocity: GPUBuffer;
}

export interface SolverState {
  /** Greatest magnitude of a right-hand side. */
  readonly greatest: number;
  /** Greatest residual divided by `greatest`. */
  readonly left: number;
  readonly iterations: number;
  readonly unconverged: number;
  readonly substeps: number;
}

export class Pressure {
  private readonly groups: Readonly<Record<string, GPUBindGroup>>;
  private readonly levelGroups: readonly LevelGroups[];
  private readonly sumGroup: GPUBindGroup;
  private readonly reductionGroups: number;
  private readonly tail: number;
  private readonly tailGroup: GPUBindGroup;

  private constructor(
    private readonly levels: Levels,
    private readonly kernels: Readonly<Record<Name, FluidKernel>>,
    private readonly summations: Readonly<Record<WeighingStage, FluidKernel>>,
    private readonly owned: Buffers<BufferName>,
    input: PressureInput,
  ) {
    const all = { ...owned.buffers, ...input };
    const bind = (name: Name) => kernels[name].bind(all);
    this.groups = Object.fromEntries(
      (['equations', 'begin', 'dot', 'turn', 'apply', 'update', 'project'] as const).map((name) => [
        name,
        bind(name),
      ]),
    );
    this.sumGroup = summations.end.bind(all);
    this.levelGroups = levels.levels.map((_, index) => {
      const level = { buffer: owned.buffers.levels, offset: LEVEL_BYTES * index, size: LEVEL_BYTES };
      const bound = (name: keyof LevelGroups) => kernels[name].bind({ ...all, level });
      return {
        red: bound('red'),
        black: bound('black'),
        restrict: bound('restrict'),
        prolong: bound('prolong'),
        coarsen: bound('coarsen'),
      };
    });
    this.tail = tailOf(levels);
    this.tailGroup = kernels.tail.bind({ ...all, slots: owned.buffers.levels });
    this.reductionGroups = reductionGroups(levels.levels[0] as Level);
  }

  static async create(gpu: Gpu, levels: Levels, input: PressureInput): Promise<Pressure> {
    const finest = levels.levels[0] as Level;
    const { dimensions, size } = finest;
    const sources = kernelSources(false);
    const [kernels, summations] = await Promise.all([
      Promise.all(KERNEL_NAMES.map((name) => FluidKernel.create(gpu, dimensions, sources[name]))),
      Promise.all(WEIGHINGS.map((after) => FluidKernel.create(gpu, dimensions, weighing(after)))),
    ]);
    const dispatches = dispatchWords(levels, gpu.workgroupsPerDimension);
    const owned = await createBuffers(gpu, {
      coupling: 4 * dimensions * levels.size,
      diagonal: 4 * levels.size,
      right: 4 * levels.size,
      solution: 4 * levels.size,
      pressure: 4 * size,
      direction: 4 * size,
      image: 4 * size,
      partials: 16 * PARTIALS,
      solver: SOLVER_BYTES,
      dispatches: [dispatches.byteLength, DATA | INDIRECT],
      allDispatches: dispatches.byteLength,
      levels: [LEVEL_BYTES * MOST_LEVELS, UNIFORM],
    });
    gpu.device.queue.writeBuffer(owned.buffers.allDispatches, 0, dispatches);
    gpu.device.queue.writeBuffer(owned.buffers.levels, 0, encodeLevels(levels, tailOf(levels)));
    const named = <Keys extends string>(names: readonly Keys[], made: readonly FluidKernel[]) =>
      Object.fromEntries(names.map((name, index) => [name, made[index]])) as Record<Keys, FluidKernel>;
    return new Pressure(levels, named(KERNEL_NAMES, kernels), named(WEIGHINGS, summations), owned, input);
  }

  get buffers(): Readonly<Record<'pressure' | 'diagonal' | 'solver' | 'coupling' | 'right', GPUBuffer>> {
    return this.owned.buffers;
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  /** Restores the workgroup counts that the last solve set to 0. Record this before the solver's pass. */
  encodeReset(encoder: GPUCommandEncoder): void {
    const { allDispatches, dispatches } = this.owned.buffers;
    encoder.copyBufferToBuffer(allDispatches, 0, dispatches, 0, dispatches.size);
  }

  /** `frame`: byte offset of the frame. */
  encode(pass: GPUComputePassEncoder, frame: number, mostIterations: number): void {
    const { levels } = this.levels;
    const nodes = Math.ceil(nodesOf(levels[0] as Level) / WORKGROUP);
    const run = (name: Name, workgroups: number | Dispatch) =>
      this.kernels[name].encode(pass, this.groups[name] as GPUBindGroup, workgroups, frame);
    const sumUp = (after: WeighingStage) => this.summations[after].encode(pass, this.sumGroup, 1, frame);
    run('equations', this.reductionGroups);
    sumUp('assemble');
    run('begin', this.reductionGroups);
    sumUp('begin');
    for (let index = 0; index + 1 < levels.length; index++) {
      const workgroups = Math.ceil(cellsOf(levels[index + 1] as Level) / WORKGROUP);
      this.kernels.coarsen.encode(pass, (this.levelGroups[index] as LevelGroups).coarsen, workgroups, 0);
    }
    for (let iteration = 0; iteration < mostIterations; iteration++) {
      this.encodeCycle(pass, 0);
      run('dot', this.dispatch(REDUCTION));
      sumUp('dot');
      run('turn', this.dispatch(NODES));
      run('apply', this.dispatch(REDUCTION));
      sumUp('apply');
      run('update', this.dispatch(REDUCTION));
      sumUp('update');
    }
    sumUp('end');
    run('project', nodes);
  }

  restart({ device }: Gpu, unconverged: number): void {
    const words = new Uint32Array(SOLVER_BYTES / 4);
    words[UNCONVERGED_WORD] = unconverged;
    device.queue.writeBuffer(this.owned.buffers.solver, 0, words);
    const encoder = device.createCommandEncoder({ label: 'fluid.restart' });
    encoder.clearBuffer(this.owned.buffers.pressure);
    device.queue.submit([encoder.finish()]);
  }

  destroy(): void {
    this.owned.destroy();
  }

  private encodeCycle(pass: GPUComputePassEncoder, index: number): void {
    const groups = this.levelGroups[index] as LevelGroups;
    const run = (name: keyof LevelGroups, dispatch: number) =>
      this.kernels[name].encode(pass, groups[name], this.dispatch(dispatch), 0);
    if (index === this.tail) {
      this.kernels.tail.encode(pass, this.tailGroup, this.dispatch(TAIL), 0);
      return;
    }
    const half = PER_LEVEL + 2 * index;
    for (let round = 0; round < SMOOTHINGS; round++) {
      run('red', half);
      run('black', half);
    }
    // Restriction has a thread per cell of the coarser level, whose dispatches follow the two of this level.
    run('restrict', half + 3);
    this.encodeCycle(pass, index + 1);
    run('prolong', half + 1);
    for (let round = 0; round < SMOOTHINGS; round++) {
      run('black', half);
      run('red', half);
    }
  }

  private dispatch(index: number): Dispatch {
    return { buffer: this.owned.buffers.dispatches, offset: 4 * WORDS * index };
  }
}

export function decodeSolver(bytes: ArrayBuffer): SolverState {
  const floats = new Float32Array(bytes);
  const words = new Uint32Array(bytes);
  return {
    greatest: floats[0] as number,
    left: floats[4] as number,
    iterations: words[6] as number,
    unconverged: words[UNCONVERGED_WORD] as number,
    substeps: words[UNCONVERGED_WORD + 1] as number,
  };
}

function reductionGroups(lattice: Level): number {
  return Math.min(PARTIALS, Math.ceil(nodesOf(lattice) / WORKGROUP));
}

function tailOf({ levels }: Levels): number {
  const few = levels.findIndex((level) => cellsOf(level) <= TAIL_CELLS);
  return few < 0 ? levels.length - 1 : few;
}

/**
 * Returns the workgroup counts of all indirect dispatches, in this order:
 * - over all nodes: the cells, and one more layer at the upper end of each axis;
 * - over all nodes, with at most PARTIALS workgroups;
 * - for the tail;
 * - per level, over half of its cells, then over all of them.
 */
function dispatchWords({ levels }: Levels, perDimension: number): Uint32Array<ArrayBuffer> {
  const finest = levels[0] as Level;
  const words: number[] = [];
  const add = (workgroups: number) => words.push(...foldWorkgroups(workgroups, perDimension), 1);
  add(Math.ceil(nodesOf(finest) / WORKGROUP));
  words.push(reductionGroups(finest), 1, 1);
  words.push(1, 1, 1);
  for (const level of levels) {
    const { cells } = level;
    const half = Math.ceil(cells[0] / 2) * cells[1] * cells[2];
    add(Math.ceil(half / WORKGROUP));
    add(Math.ceil(cellsOf(level) / WORKGROUP));
  }
  return new Uint32Array(words);
}
