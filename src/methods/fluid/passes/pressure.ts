/**
 * Records the pressure solver: conjugate gradients, preconditioned by one V-cycle per iteration. Always records
 * `mostIterations` iterations. Once the solver is done, a kernel sets all workgroup counts in the buffer `dispatches`
 * to 0, and most later dispatches do nothing (see Kernel.encodeCounted). The tail kernel, a single workgroup, solves
 * all small levels. In 2D, workgroups smooth larger levels tile by tile, one or two levels per dispatch.
 * Twins: src/methods/fluid/reference/pressure.ts, multigrid.ts.
 * Guarantee: sums have a fixed order, so on one device the same equations give the same bits.
 */

import { type Gpu, isSoftware } from '../../../gpu/device';
import { foldWorkgroups } from '../../../gpu/dispatch';
import type { CountedWorkgroups } from '../../../gpu/kernel';
import type { Level, Levels } from '../lattice';
import { SMOOTHINGS } from '../reference/multigrid';
import { type Buffers, createBuffers, DATA, INDIRECT, UNIFORM } from './buffers';
import { cellsOf, encodeLevels, LEVEL_BYTES, MOST_LEVELS, nodesOf } from './frame';
import { FluidKernel, PARTIALS, TAIL_CELLS, TAIL_LEAD, TILE, TILE_THREADS, WORKGROUP } from './kernel';
import { kernelSources } from './kernels';

const COMMON = ['equations', 'begin', 'coarsen', 'coarsenTail', 'tail', 'update', 'project'] as const;
/** BY_PASSES: the kernels of a V-cycle with a dispatch per pass. BY_TILES: those of a V-cycle with tiles. */
const BY_PASSES = ['judge', 'red', 'black', 'restrict', 'prolong', 'apply'] as const;
const BY_TILES = ['descend', 'descendPair', 'ascend', 'ascendPair'] as const;
type Name = (typeof COMMON | typeof BY_PASSES | typeof BY_TILES)[number];

type BufferName =
  | 'coupling'
  | 'diagonal'
  | 'right'
  | 'solution'
  | 'smoothed'
  | 'pressure'
  | 'direction'
  | 'direction_image'
  | 'image'
  | 'partials'
  | 'solver'
  | 'dispatches'
  | 'allDispatches'
  | 'levels';

/** Indices in `dispatches`: two dispatches that belong to no level, then the first dispatch of the first level. */
const REDUCTION = 0;
const TAIL = 1;
const PER_LEVEL = 2;
/** Dispatches of a level, in this order: over half of its cells, over all of them, and over its tiles. */
const HALF = 0;
const CELLS = 1;
const TILES = 2;
const KINDS = 3;
const WORDS = 3;
/** Bytes of `struct Solver`, rounded up to a multiple of 16, and the index of its word `unconverged`. */
const SOLVER_BYTES = 48;
const UNCONVERGED_WORD = 8;
/** Number of parts of `partials`; see total.wgsl. */
const PARTS = 3;

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
  /** The bind groups of each kernel that works on a level, by level. */
  private readonly levelGroups: Readonly<Record<string, readonly GPUBindGroup[]>>;

  private constructor(
    private readonly levels: Levels,
    private readonly plan: CyclePlan,
    private readonly counts: readonly number[],
    private readonly kernels: Readonly<Record<string, FluidKernel>>,
    private readonly owned: Buffers<BufferName>,
    input: PressureInput,
  ) {
    const all = { ...owned.buffers, ...input, slots: owned.buffers.levels };
    const [onLevel, onAll] = [new Map<string, GPUBindGroup[]>(), new Map<string, GPUBindGroup>()];
    for (const [name, kernel] of Object.entries(kernels)) {
      const slots = SLOTS_OF[name];
      if (slots === undefined) {
        onAll.set(name, kernel.bind(all));
        continue;
      }
      const bound = levels.levels.map((_, index) => {
        const level = {
          buffer: owned.buffers.levels,
          offset: LEVEL_BYTES * index,
          size: LEVEL_BYTES * slots,
        };
        return kernel.bind({ ...all, level, slots: level });
      });
      onLevel.set(name, bound);
    }
    this.groups = Object.fromEntries(onAll);
    this.levelGroups = Object.fromEntries(onLevel);
  }

  static async create(gpu: Gpu, levels: Levels, input: PressureInput): Promise<Pressure> {
    const finest = levels.levels[0] as Level;
    const { dimensions, size } = finest;
    const plan = planCycle(levels);
    const sources = kernelSources(false, TILE_THREADS[isSoftware(gpu.info) ? 'software' : 'gpu']);
    const names: readonly Name[] = [...COMMON, ...(plan.isTiled ? BY_TILES : BY_PASSES)];
    const kernels = await Promise.all(
      names.map(async (name) => [name, await FluidKernel.create(gpu, dimensions, sources[name])] as const),
    );
    const counts = dispatchCounts(levels);
    const dispatches = new Uint32Array(
      counts.flatMap((count) => [...foldWorkgroups(count, gpu.workgroupsPerDimension), 1]),
    );
    const owned = await createBuffers(gpu, {
      coupling: 4 * dimensions * levels.size,
      diagonal: 4 * levels.size,
      right: 4 * levels.size,
      solution: 4 * levels.size,
      smoothed: plan.isTiled ? 4 * levels.size : 0,
      pressure: 4 * size,
      direction: 4 * size,
      direction_image: 4 * size,
      image: 4 * size,
      partials: 16 * PARTS * PARTIALS,
      solver: SOLVER_BYTES,
      dispatches: [dispatches.byteLength, DATA | INDIRECT],
      allDispatches: dispatches.byteLength,
      levels: [LEVEL_BYTES * MOST_LEVELS, UNIFORM],
    });
    gpu.device.queue.writeBuffer(owned.buffers.allDispatches, 0, dispatches);
    gpu.device.queue.writeBuffer(owned.buffers.levels, 0, encodeLevels(levels, plan.tail));
    return new Pressure(levels, plan, counts, Object.fromEntries(kernels), owned, input);
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
    const finest = levels[0] as Level;
    const run = (name: Name, workgroups: number | CountedWorkgroups) =>
      this.kernel(name).encode(pass, this.groups[name] as GPUBindGroup, workgroups, frame);
    run('equations', reductionGroups(finest));
    run('begin', reductionGroups(finest));
    for (let index = 0; index < firstInTail(this.plan, finest); index++) {
      const workgroups = Math.ceil(cellsOf(levels[index + 1] as Level) / WORKGROUP);
      this.onLevel(pass, 'coarsen', index, workgroups);
    }
    run('coarsenTail', 1);
    for (let iteration = 0; iteration < mostIterations; iteration++) {
      if (this.plan.isTiled) this.encodeTiles(pass, frame);
      else {
        run('judge', 1);
        this.encodePasses(pass, 0);
        run('apply', this.dispatch(REDUCTION));
      }
      run('update', this.dispatch(REDUCTION));
    }
    run('project', Math.ceil(nodesOf(finest) / WORKGROUP));
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

  /** Records one V-cycle from level `index` down and back, with a dispatch per pass. */
  private encodePasses(pass: GPUComputePassEncoder, index: number): void {
    const run = (name: Name, level: number, kind: number) =>
      this.onLevel(pass, name, index, this.levelDispatch(level, kind));
    if (index === this.plan.tail) {
      this.encodeTail(pass);
      return;
    }
    for (let round = 0; round < SMOOTHINGS; round++) {
      run('red', index, HALF);
      run('black', index, HALF);
    }
    run('restrict', index + 1, CELLS);
    this.encodePasses(pass, index + 1);
    run('prolong', index, CELLS);
    for (let round = 0; round < SMOOTHINGS; round++) {
      run('black', index, HALF);
      run('red', index, HALF);
    }
  }

  /**
   * Records one V-cycle with tiles. On the way down and on the way up, one dispatch handles the finest level, and each
   * other dispatch two levels.
   */
  private encodeTiles(pass: GPUComputePassEncoder, frame: number): void {
    const run = (name: Name, index: number) =>
      this.onLevel(pass, name, index, this.levelDispatch(index, TILES));
    // This kernel may stop the solver. Its dispatch is direct, because the kernel writes the buffer of indirect counts.
    this.onLevel(pass, 'descend', 0, tilesOf(this.levels.levels[0] as Level), frame);
    for (let index = 1; index < this.plan.tail; index += 2) run('descendPair', index);
    this.encodeTail(pass);
    for (let index = this.plan.tail - 2; index > 0; index -= 2) run('ascendPair', index);
    run('ascend', 0);
  }

  private encodeTail(pass: GPUComputePassEncoder): void {
    this.kernel('tail').encode(pass, this.groups.tail as GPUBindGroup, this.dispatch(TAIL), 0);
  }

  private onLevel(
    pass: GPUComputePassEncoder,
    name: Name,
    index: number,
    workgroups: number | CountedWorkgroups,
    frame = 0,
  ): void {
    this.kernel(name).encode(pass, this.levelGroups[name]?.[index] as GPUBindGroup, workgroups, frame);
  }

  private kernel(name: Name): FluidKernel {
    return this.kernels[name] as FluidKernel;
  }

  private levelDispatch(level: number, kind: number): CountedWorkgroups {
    return this.dispatch(PER_LEVEL + KINDS * level + kind);
  }

  private dispatch(index: number): CountedWorkgroups {
    const { dispatches } = this.owned.buffers;
    return { buffer: dispatches, offset: 4 * WORDS * index, most: this.counts[index] as number };
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

/** Returns the number of workgroups that loop over tiles: at most PARTIALS, because each writes a partial sum. */
function tilesOf({ cells }: Level): number {
  return Math.min(PARTIALS, Math.ceil(cells[0] / TILE) * Math.ceil(cells[1] / TILE));
}

/** How a V-cycle is split into dispatches. */
interface CyclePlan {
  /** The first level that the tail kernel solves. */
  readonly tail: number;
  readonly isTiled: boolean;
}

/**
 * Chooses how to split a V-cycle. With tiles, the finest level and then pairs of levels come before the tail, so the
 * tail begins at an odd level.
 */
function planCycle({ levels }: Levels): CyclePlan {
  const few = levels.findIndex((level) => cellsOf(level) <= TAIL_CELLS);
  const tail = few < 0 ? levels.length - 1 : few;
  const isTiled = tail > 0 && (levels[0] as Level).dimensions === 2;
  return { tail: isTiled && tail % 2 === 0 ? tail + 1 : tail, isTiled };
}

/** Returns the level from which coarsen_tail.wgsl starts: it computes the equations of all levels after this one. */
function firstInTail({ tail }: CyclePlan, { dimensions }: Level): number {
  return Math.max(0, tail - TAIL_LEAD[dimensions]);
}

/** Number of levels whose uniforms a kernel binds. Kernels that are not listed bind those of all levels, or of none. */
const SLOTS_OF: Readonly<Record<string, number>> = {
  ...{ coarsen: 1, red: 1, black: 1, restrict: 1, prolong: 1 },
  ...{ descend: 2, descendPair: 2, ascend: 2, ascendPair: 2 },
};

/** Returns the workgroup counts of the iterations' dispatches: over all nodes, for the tail, then for each level. */
function dispatchCounts({ levels }: Levels): number[] {
  const ofLevels = levels.flatMap((level) => {
    const { cells } = level;
    const half = Math.ceil(cells[0] / 2) * cells[1] * cells[2];
    return [Math.ceil(half / WORKGROUP), Math.ceil(cellsOf(level) / WORKGROUP), tilesOf(level)];
  });
  return [reductionGroups(levels[0] as Level), 1, ...ofLevels];
}
