/**
 * Purpose: the grid alone, over a position buffer of the caller's: cell starts, sorted ids and sorted positions (and
 * velocities), recorded into the caller's encoder, and kernels over it. Ids are indices into the caller's buffer, or the
 * caller's own. HashGrid is this with lists and searches; here so that a program which needs none of them carries none.
 * Guarantee: the same input gives the same outputs to the bit: cells ascending, ids ascending in a cell.
 */
import { checkDimensions, checkInteger, checkKnownKeys } from '../../core/base/checks';
import { ArgumentError, DestroyedError, describeCount, Phrase } from '../../core/base/errors';
import { defaultSettings, deriveSubstep, type Substep } from '../../core/contact/settings';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import {
  defineLevels,
  defineWorld,
  type RadiusRange,
  WORLD_NAMES,
  type World,
  type WorldOptions,
} from '../../core/world/world';
import { type BufferSet, type BufferSizes, createBuffers, createParts } from '../../gpu/buffers';
import { checkEncoder, checkGpu, type Gpu } from '../../gpu/device';
import { bodyFloats, storedFloats } from '../../gpu/layout';
import { type SharedBinding, SharedParameters } from '../../gpu/params';
import { encodeStages } from '../../gpu/stage';
import { checkHolds } from '../simulation/memory';
import { CellSort, type SortBinding } from './cell-sort';
import { GridKernel, type GridKernelOptions, type KernelGrid } from './grid-kernel';

export interface HashGridOptions extends WorldOptions {
  /** Particles at most. */
  readonly capacity: number;
  /** Largest diameter, or twice the radius of a neighbour search: cells are at least as large. */
  readonly diameter?: number | undefined;
  /**
   * Instead of a diameter, where each particle has a radius of its own: from when on, and up to what. `positions` then
   * hold the radii too.
   */
  readonly radii?: RadiusRange | undefined;
  /** Carry a velocity buffer along. Default false. */
  readonly velocities?: boolean | undefined;
  /**
   * Call particles by ids of the caller's, such as those of a simulation's slots, instead of by their place in the input: in
   * `ids`, lists, events and kernels. Default false.
   */
  readonly ids?: boolean | undefined;
}

export interface HashGridInput {
  /**
   * vec2f (2D) or vec4f with w unused (3D) for each particle; where the grid was created with `radii`, vec4f with the
   * radius for w (in 2D with z unused). Usage STORAGE; none of the grid's outputs.
   */
  readonly positions: GPUBuffer;
  /** Another buffer of the same layout; needed where the grid was created with `velocities`. */
  readonly velocities?: GPUBuffer | undefined;
  /**
   * u32 a particle, needed where the grid was created with `ids`: each less than the grid's capacity and no two alike.
   */
  readonly ids?: GPUBuffer | undefined;
  readonly count: number;
}

const OPTION_NAMES = [
  ...WORLD_NAMES,
  'dimensions',
  'capacity',
  'diameter',
  'radii',
  'velocities',
  'ids',
] as const;

/** Input that a grid takes where it was created for it. */
const CARRIED = ['velocities', 'ids'] as const;

type Carried = Readonly<Record<(typeof CARRIED)[number], boolean>>;

interface KnownBinding {
  readonly velocities: GPUBuffer | undefined;
  readonly ids: GPUBuffer | undefined;
  readonly binding: SortBinding;
}

/** Bindings kept for one buffer of positions: a simulation swaps each of its buffers between two. */
const MOST_BINDINGS = 4;

/** What a build writes and a caller can reach. */
const OUTPUT_NAMES = ['start', 'ids', 'positions', 'velocities', 'cellOfSlot'] as const;

/** What a grid is made of. */
export interface GridParts {
  readonly gpu: Gpu;
  readonly world: World;
  readonly capacity: number;
  readonly carries: Carried;
  readonly sort: CellSort;
  readonly parameters: SharedParameters;
  readonly outputs: BufferSet<string>;
  readonly substep: Substep;
}

export class SortedGrid {
  private destroyed = false;
  private lastBuilt: { shared: SharedBinding; count: number } | undefined;
  /** Kernels and lists over this grid, which end with it. */
  private readonly dependants = new Set<{ destroy(): void }>();
  private readonly bindings = new WeakMap<GPUBuffer, KnownBinding[]>();

  protected readonly gpu: Gpu;
  readonly world: World;
  readonly capacity: number;
  private readonly carries: Carried;
  private readonly sort: CellSort;
  private readonly parameters: SharedParameters;
  private readonly outputs: BufferSet<string>;
  private readonly substep: Substep;

  protected constructor(parts: GridParts) {
    this.gpu = parts.gpu;
    this.world = parts.world;
    this.capacity = parts.capacity;
    this.carries = parts.carries;
    this.sort = parts.sort;
    this.parameters = parts.parameters;
    this.outputs = parts.outputs;
    this.substep = parts.substep;
  }

  static async create(gpu: Gpu, options: HashGridOptions): Promise<SortedGrid> {
    return new SortedGrid(await SortedGrid.prepare(gpu, options));
  }

  protected static async prepare(gpu: Gpu, options: HashGridOptions): Promise<GridParts> {
    checkKnownKeys('options', options, OPTION_NAMES);
    checkDimensions(options.dimensions);
    const { dimensions, capacity, radii, velocities = false, ids = false } = options;
    checkInteger('capacity', capacity, 0, MAX_PARTICLES);
    const carries = { velocities, ids };
    for (const name of CARRIED) {
      if (typeof carries[name] !== 'boolean') throw new ArgumentError(name, carries[name], 'true or false');
    }
    if (radii !== undefined && options.diameter !== undefined) {
      throw new ArgumentError('diameter', options.diameter, 'left out where radii are given');
    }
    if (radii !== undefined) checkKnownKeys('radii', radii, ['smallest', 'largest']);
    const world = radii
      ? defineLevels(options, radii, capacity)
      : defineWorld(options, options.diameter as number, capacity);
    const substep = deriveSubstep(world, world.diameter, defaultSettings(dimensions), 0);
    checkGpu(gpu);
    checkHolds(gpu, capacity, world);
    const vector = 4 * storedFloats(dimensions) * capacity;
    const { sort, outputs, parameters } = await createParts({
      sort: CellSort.create(gpu, world, capacity, carries),
      outputs: createBuffers<BufferSizes>(gpu, 'grid', {
        ids: 4 * capacity,
        positions: 4 * bodyFloats(world) * capacity,
        ...(velocities ? { velocities: vector } : {}),
      }),
      parameters: SharedParameters.create(gpu, dimensions, 'grid'),
    });
    return { gpu, world, capacity, carries, sort, parameters, outputs, substep };
  }

  /**
   * u32 a cell (in an unbounded world, and in a periodic one with radii, a bucket, which cells share), the sentinel (one
   * entry more), and the end of the particles that are not finite or not of a size that the grid is made for.
   */
  get start(): GPUBuffer {
    return this.sort.start;
  }

  /** u32: of the particle in each sorted slot, its index in the caller's buffer, or its id where the caller gives ids. */
  get ids(): GPUBuffer {
    return this.outputs.buffers.ids as GPUBuffer;
  }

  /** Positions, with radii where the input has them, in sorted order, in the layout of the input. */
  get positions(): GPUBuffer {
    return this.outputs.buffers.positions as GPUBuffer;
  }

  get velocities(): GPUBuffer | undefined {
    return this.outputs.buffers.velocities;
  }

  /**
   * Cell of each sorted slot: u32, its index; in an unbounded world or with radii vec2i (2D) or vec4i with w unused
   * (3D), the cell itself, on the level of its particle.
   */
  get cellOfSlot(): GPUBuffer {
    return this.sort.cellOfSlot;
  }

  get memoryBytes(): number {
    return this.sort.bytes + this.outputs.bytes + this.parameters.bytes;
  }

  /**
   * Records the build. The caller submits; outputs are valid for work recorded after it. Encoders that are being
   * recorded at the same time share 1,023 changes of `count`; an encoder that holds as many refuses the next.
   */
  encode(encoder: GPUCommandEncoder, input: HashGridInput): void {
    if (this.destroyed) throw new DestroyedError('HashGrid');
    this.gpu.checkAlive();
    checkEncoder(encoder);
    checkKnownKeys('input', input, ['positions', ...CARRIED, 'count']);
    checkInteger('count', input.count, 0, this.capacity);
    const needed = {
      positions: 4 * bodyFloats(this.world) * input.count,
      velocities: 4 * storedFloats(this.world.dimensions) * input.count,
      ids: 4 * input.count,
    };
    for (const name of CARRIED) {
      if (this.carries[name] || input[name] === undefined) continue;
      throw new ArgumentError(name, input[name], `left out, as this grid was created without \`${name}\``);
    }
    for (const name of ['positions', ...CARRIED] as const) {
      if (name !== 'positions' && !this.carries[name]) continue;
      const buffer = input[name];
      if (typeof buffer?.size !== 'number' || typeof buffer.usage !== 'number') {
        throw new ArgumentError(name, buffer, 'a GPUBuffer of STORAGE usage');
      }
      if (buffer.size < needed[name] || !(buffer.usage & GPUBufferUsage.STORAGE)) {
        throw new ArgumentError(
          name,
          new Phrase(`a buffer of ${buffer.size} bytes and usage ${buffer.usage}`),
          `at least ${needed[name]} bytes for ${describeCount(input.count)}, with usage STORAGE`,
        );
      }
      const output = OUTPUT_NAMES.find((candidate) => this[candidate] === buffer);
      if (output) {
        throw new ArgumentError(
          name,
          new Phrase(`the grid's own buffer \`${output}\``),
          'a buffer that the grid does not write while it reads its input',
        );
      }
    }
    for (const name of CARRIED) {
      if (!this.carries[name] || input[name] !== input.positions) continue;
      throw new ArgumentError(name, new Phrase('the same buffer as positions'), 'a buffer of its own');
    }
    const binding = this.bindingFor(input);
    this.parameters.recordInto(encoder, () => {
      const shared = this.parameters.place(this.world, input.count, this.substep);
      this.lastBuilt = { shared, count: input.count };
      encodeStages(encoder, 'grid', this.sort.stages(shared, binding, input.count, false));
    });
  }

  /**
   * A kernel of the caller's own over the neighbours of every particle: see GridKernelOptions. It is compiled now;
   * an error shows the line of the code it is in.
   */
  async kernel(options: GridKernelOptions): Promise<GridKernel> {
    return this.adopt((lent) => GridKernel.create(this.gpu, lent, options));
  }

  /** Creates what ends with this grid, even where the grid ends first. */
  protected async adopt<Dependant extends { destroy(): void }>(
    create: (lent: KernelGrid) => Promise<Dependant>,
  ): Promise<Dependant> {
    if (this.destroyed) throw new DestroyedError('HashGrid');
    this.gpu.checkAlive();
    const dependant = await create(this.lend());
    if (this.destroyed) {
      dependant.destroy();
      throw new DestroyedError('HashGrid');
    }
    this.dependants.add(dependant);
    return dependant;
  }

  private lend(): KernelGrid {
    return {
      world: this.world,
      built: () => this.lastBuilt,
      buffers: {
        position_in: this.positions,
        start: this.start,
        cell_of_slot: this.cellOfSlot,
        id_in: this.ids,
      },
      velocity: this.velocities,
      finer: this.sort.finerList,
      crowd: this.sort.heavy,
      forget: (dependant) => this.dependants.delete(dependant),
    };
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    for (const dependant of this.dependants) dependant.destroy();
    this.sort.destroy();
    this.parameters.destroy();
    this.outputs.destroy();
  }

  private bindingFor(input: HashGridInput): SortBinding {
    const { positions, velocities, ids } = input;
    const known = this.bindings.get(positions) ?? [];
    const same = known.find((one) => one.velocities === velocities && one.ids === ids);
    if (same) return same.binding;
    const binding = this.sort.bind(
      { position: positions, velocity: velocities, id: ids },
      { position: this.positions, velocity: this.velocities, id: this.ids },
    );
    this.bindings.set(positions, [{ velocities, ids, binding }, ...known].slice(0, MOST_BINDINGS));
    return binding;
  }
}
