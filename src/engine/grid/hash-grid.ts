/**
 * The grid, without a simulation. Loads the code of lists and searches only when it is needed, so that bundlers can
 * split the code off.
 */
import { checkDimensions, checkInteger, checkKnownKeys } from '../../core/base/checks';
import { ArgumentError, DestroyedError, describeCount, Phrase } from '../../core/base/errors';
import { defaultSettings, deriveSubstep, type Substep } from '../../core/contact/settings';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import { defineLevels } from '../../core/world/level-world';
import {
  defineWorld,
  type RadiusRange,
  WORLD_NAMES,
  type World,
  type WorldOptions,
} from '../../core/world/world';
import {
  type BufferSet,
  type BufferSizes,
  createBuffers,
  createParts,
  WHOLE_POSITIONS,
} from '../../gpu/buffers';
import { checkEncoder, checkGpu, type Gpu, RecordedSteps } from '../../gpu/device';
import { bodyFloats, storedFloats } from '../../gpu/layout';
import { type SharedBinding, SharedParameters } from '../../gpu/params';
import { encodeStages } from '../../gpu/stage';
import type { GridBoxes, GridBoxesOptions } from '../queries/boxes';
import type { GridNear, GridNearOptions } from '../queries/near';
import type { GridNearest, GridNearestOptions } from '../queries/nearest';
import type { GridPairs, GridPairsOptions } from '../queries/pairs';
import type { GridFirstHits, GridFirstHitsOptions, GridRays, GridRaysOptions } from '../queries/rays';
import { checkHolds } from '../simulation/memory';
import { CellSort, type SortBinding } from './cell-sort';
import { GridKernel, type GridKernelOptions, type KernelGrid } from './grid-kernel';

/** Options of a `HashGrid`. */
export interface HashGridOptions extends WorldOptions {
  /** The largest number of particles that the grid can hold. */
  readonly capacity: number;
  /**
   * The diameter of the largest particle, or the search radius, from 2^-40 to 2^60. Cells are at least this large.
   * Required without `radii`.
   */
  readonly diameter?: number | undefined;
  /**
   * The smallest and largest radius, for particles with their own radii. Replaces `diameter`. `positions` must then
   * hold the radii.
   */
  readonly radii?: RadiusRange | undefined;
  /** True to sort velocities together with the positions. Default: false. */
  readonly velocities?: boolean | undefined;
  /**
   * True to pass your own ids to `encode`; all outputs then use them. If false, the default, the id of a particle is
   * its index in the input.
   */
  readonly ids?: boolean | undefined;
}

/** Particles to sort. */
export interface HashGridInput {
  /**
   * One vec2f (2D) or vec4f with w unused (3D) per particle. With `radii`: one vec4f with the radius in w (in 2D z is
   * unused). Usage STORAGE. The buffer must not be an output of the grid.
   */
  readonly positions: GPUBuffer;
  /** One vec2f or vec4f per particle. Needed if the grid was created with `velocities`. */
  readonly velocities?: GPUBuffer | undefined;
  /** One u32 per particle, all different and below the capacity. Needed if the grid was created with `ids`. */
  readonly ids?: GPUBuffer | undefined;
  /** Number of particles. */
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

/** Inputs that the grid accepts only if the option of the same name is true. */
const OPTIONAL_INPUTS = ['velocities', 'ids'] as const;

type OptionalInputs = Readonly<Record<(typeof OPTIONAL_INPUTS)[number], boolean>>;

interface CachedBinding {
  readonly velocities: GPUBuffer | undefined;
  readonly ids: GPUBuffer | undefined;
  readonly binding: SortBinding;
}

/**
 * Greatest number of bindings cached per buffer of positions: enough if a caller alternates between two buffers of
 * velocities and two of ids.
 */
const MOST_BINDINGS = 4;

const OUTPUT_NAMES = ['start', 'ids', 'positions', 'velocities', 'cellOfSlot'] as const;

interface GridParts {
  readonly gpu: Gpu;
  readonly world: World;
  readonly capacity: number;
  readonly takes: OptionalInputs;
  readonly sort: CellSort;
  readonly parameters: SharedParameters;
  readonly outputs: BufferSet<string>;
  readonly substep: Substep;
}

/**
 * Sorts your particles into cells on the GPU. Kernels, lists and searches over the grid read its last encoded state. In
 * a bounded or periodic world, the cell table is dense.
 */
export class HashGrid {
  private destroyed = false;
  private lastBuilt: { shared: SharedBinding; count: number } | undefined;
  /** @internal Kernels, lists and searches over this grid. Tests count them. */
  readonly dependants = new Set<{ destroy(): void }>();
  private readonly recorded = new RecordedSteps('sort or search', 'encode again');
  private readonly bindings = new WeakMap<GPUBuffer, CachedBinding[]>();

  private constructor(private readonly parts: GridParts) {}

  /**
   * Creates a grid and compiles its kernels. Checks the options before any GPU work.
   * @example
   * ```ts
   * const gpu = await requestGpu({ particles: 10_000, dimensions: 2 });
   * const grid = await HashGrid.create(gpu, {
   *   dimensions: 2, min: [0, 0], max: [100, 100], diameter: 1, capacity: 10_000,
   * });
   * const encoder = gpu.device.createCommandEncoder();
   * grid.encode(encoder, { positions, count: 10_000 });
   * gpu.device.queue.submit([encoder.finish()]);
   * ```
   */
  static async create(gpu: Gpu, options: HashGridOptions): Promise<HashGrid> {
    checkKnownKeys('options', options, OPTION_NAMES);
    checkDimensions(options.dimensions);
    const { dimensions, capacity, radii, velocities = false, ids = false } = options;
    checkInteger('capacity', capacity, 0, MAX_PARTICLES);
    const takes = { velocities, ids };
    for (const name of OPTIONAL_INPUTS) {
      if (typeof takes[name] !== 'boolean') throw new ArgumentError(name, takes[name], 'true or false');
    }
    if (radii !== undefined && options.diameter !== undefined) {
      throw new ArgumentError('diameter', options.diameter, 'left out, because `radii` replaces it');
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
      sort: CellSort.create(gpu, world, capacity, takes),
      outputs: createBuffers<BufferSizes>(gpu, 'grid', {
        ids: 4 * capacity,
        positions: 4 * bodyFloats(world) * capacity,
        ...(velocities ? { velocities: vector } : {}),
      }),
      parameters: SharedParameters.create(gpu, dimensions, 'grid'),
    });
    return new HashGrid({ gpu, world, capacity, takes, sort, parameters, outputs, substep });
  }

  /** @internal Tests read the lists of the sort. */
  get sort(): CellSort {
    return this.parts.sort;
  }

  /** The world and its cells. */
  get world(): World {
    return this.parts.world;
  }

  /** The largest number of particles. */
  get capacity(): number {
    return this.parts.capacity;
  }

  /**
   * One u32 per cell (in an unbounded world, per bucket): its first slot. Then the end of the last cell, and the end of
   * the quarantine. The quarantine holds particles whose position is not finite, or whose radius is NaN, negative or
   * above the largest of `radii`.
   */
  get start(): GPUBuffer {
    return this.parts.sort.start;
  }

  /** One u32 per sorted slot: your id for the particle, or its index in your buffer. */
  get ids(): GPUBuffer {
    return this.parts.outputs.buffers.ids as GPUBuffer;
  }

  /** Positions in sorted order, in the layout of the input. */
  get positions(): GPUBuffer {
    return this.parts.outputs.buffers.positions as GPUBuffer;
  }

  /** Velocities in sorted order; undefined unless the grid was created with `velocities`. */
  get velocities(): GPUBuffer | undefined {
    return this.parts.outputs.buffers.velocities;
  }

  /**
   * The cell of each sorted slot. A bounded or periodic grid without `radii` stores the index of the cell as u32. Other
   * grids store the coordinates of the cell on the particle's level: vec2i (2D) or vec4i with w unused (3D).
   */
  get cellOfSlot(): GPUBuffer {
    return this.parts.sort.cellOfSlot;
  }

  /** Bytes of GPU memory, without the grid's kernels, lists and searches. */
  get memoryBytes(): number {
    return this.parts.sort.bytes + this.parts.outputs.bytes + this.parts.parameters.bytes;
  }

  /**
   * Records the sort. The outputs are valid for work recorded after it. Submit the encoder yourself. Until the encoder
   * is finished, `read` of the grid's lists and searches throws. A command buffer that was finished but not submitted
   * goes unnoticed: `read` then returns an older result.
   */
  encode(encoder: GPUCommandEncoder, input: HashGridInput): void {
    this.checkUsable();
    checkEncoder(encoder);
    checkKnownKeys('input', input, ['positions', ...OPTIONAL_INPUTS, 'count']);
    checkInteger('count', input.count, 0, this.capacity);
    const needed = {
      positions: 4 * bodyFloats(this.world) * input.count,
      velocities: 4 * storedFloats(this.world.dimensions) * input.count,
      ids: 4 * input.count,
    };
    for (const name of OPTIONAL_INPUTS) {
      if (this.parts.takes[name] || input[name] === undefined) continue;
      throw new ArgumentError(
        name,
        input[name],
        `left out, because this grid was created without \`${name}\``,
      );
    }
    for (const name of ['positions', ...OPTIONAL_INPUTS] as const) {
      if (name !== 'positions' && !this.parts.takes[name]) continue;
      const buffer = input[name];
      if (typeof buffer?.size !== 'number' || typeof buffer.usage !== 'number') {
        throw new ArgumentError(name, buffer, 'a GPUBuffer of STORAGE usage');
      }
      if (buffer.size < needed[name] || !(buffer.usage & GPUBufferUsage.STORAGE)) {
        throw new ArgumentError(
          name,
          buffer,
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
    for (const name of OPTIONAL_INPUTS) {
      if (!this.parts.takes[name] || input[name] !== input.positions) continue;
      throw new ArgumentError(name, new Phrase('the same buffer as positions'), 'a buffer of its own');
    }
    if (WHOLE_POSITIONS.has(input.positions)) {
      const accepted = 'a buffer of floats; exact simulations have findPairs';
      throw new ArgumentError('positions', new Phrase('a buffer of whole numbers'), accepted);
    }
    const binding = this.bindingFor(input);
    this.parts.parameters.recordInto(() => {
      const shared = this.parts.parameters.write(this.world, input.count, this.parts.substep);
      this.lastBuilt = { shared, count: input.count };
      encodeStages(encoder, 'grid', this.parts.sort.stages(shared, binding, input.count, false));
    });
    this.recorded.note(encoder);
  }

  /**
   * Compiles your WGSL into a kernel over the neighbours of each particle or of each given point. A compile error names
   * the line in your code.
   *
   * @example
   * ```ts
   * const kernel = await grid.kernel({ code, buffers: { result: { type: 'array<f32>', access: 'write' } } });
   * const encoder = gpu.device.createCommandEncoder();
   * grid.encode(encoder, { positions, count });
   * kernel.encode(encoder, { buffers: { result } });
   * gpu.device.queue.submit([encoder.finish()]);
   * ```
   */
  async kernel(options: GridKernelOptions): Promise<GridKernel> {
    return this.createDependant((gpu, grid) => GridKernel.create(gpu, grid, options));
  }

  /**
   * Creates a GPU list of overlapping pairs: nearer than the grid's diameter or, with `radii`, than the sum of both
   * radii.
   *
   * @example
   * ```ts
   * const pairs = await grid.pairs({ capacity: 50_000 });
   * grid.encode(encoder, { positions, count });
   * pairs.encode(encoder);
   * gpu.device.queue.submit([encoder.finish()]);
   * const { found, pairs: ids } = await pairs.read();
   * ```
   */
  async pairs(options: GridPairsOptions): Promise<GridPairs> {
    return this.createDependant(async (gpu, grid) => {
      const { GridPairs } = await import('../queries/pairs');
      return GridPairs.create(gpu, grid, this.capacity, options);
    });
  }

  /**
   * Creates GPU lists: for each of many points, the particles within a radius.
   *
   * @example
   * ```ts
   * const near = await grid.near({ points: 100, capacity: 10_000 });
   * grid.encode(encoder, { positions, count });
   * near.encode(encoder, { points, count: 100 });
   * gpu.device.queue.submit([encoder.finish()]);
   * const { ids, offsets } = await near.read();
   * ```
   */
  async near(options: GridNearOptions): Promise<GridNear> {
    return this.createDependant(async (gpu, grid) => {
      const { GridNear } = await import('../queries/near');
      return GridNear.create(gpu, grid, options);
    });
  }

  /**
   * Creates a GPU search: for each of many points, the k nearest particles within a radius.
   *
   * @example
   * ```ts
   * const nearest = await grid.nearest({ points: 100, k: 8 });
   * grid.encode(encoder, { positions, count });
   * nearest.encode(encoder, { points, count: 100 });
   * gpu.device.queue.submit([encoder.finish()]);
   * const { ids, distancesSquared } = await nearest.read();
   * ```
   */
  async nearest(options: GridNearestOptions): Promise<GridNearest> {
    return this.createDependant(async (gpu, grid) => {
      const { GridNearest } = await import('../queries/nearest');
      return GridNearest.create(gpu, grid, options);
    });
  }

  /**
   * Creates GPU lists: for each of many boxes, the particles in it.
   *
   * @example
   * ```ts
   * const search = await grid.inBoxes({ boxes: 100, capacity: 10_000 });
   * grid.encode(encoder, { positions, count });
   * search.encode(encoder, { boxes, count: 100 });
   * gpu.device.queue.submit([encoder.finish()]);
   * const { ids, offsets } = await search.read();
   * ```
   */
  async inBoxes(options: GridBoxesOptions): Promise<GridBoxes> {
    return this.createDependant(async (gpu, grid) => {
      const { GridBoxes } = await import('../queries/boxes');
      return GridBoxes.create(gpu, grid, options);
    });
  }

  /**
   * Creates a GPU search: for each of many rays, the first particle that it meets.
   *
   * @example
   * ```ts
   * const search = await grid.alongRays({ rays: 100, firstOnly: true });
   * grid.encode(encoder, { positions, count });
   * search.encode(encoder, { rays, count: 100 });
   * gpu.device.queue.submit([encoder.finish()]);
   * const { ids, distances } = await search.read();
   * ```
   */
  async alongRays(options: GridFirstHitsOptions): Promise<GridFirstHits>;
  /** Creates GPU lists: for each of many rays, the particles that it meets. */
  async alongRays(options: GridRaysOptions): Promise<GridRays>;
  async alongRays(options: GridRaysOptions | GridFirstHitsOptions): Promise<GridRays | GridFirstHits> {
    checkKnownKeys('options', options, ['rays', 'capacity', 'firstOnly']);
    const { firstOnly = false } = options;
    if (typeof firstOnly !== 'boolean') throw new ArgumentError('firstOnly', firstOnly, 'true or false');
    return this.createDependant<GridRays | GridFirstHits>(async (gpu, grid) => {
      const { GridFirstHits, GridRays } = await import('../queries/rays');
      return options.firstOnly
        ? GridFirstHits.create(gpu, grid, options)
        : GridRays.create(gpu, grid, options);
    });
  }

  /** If the grid was destroyed meanwhile, destroys the new dependant and throws. */
  private async createDependant<Dependant extends { destroy(): void }>(
    create: (gpu: Gpu, grid: KernelGrid) => Promise<Dependant>,
  ): Promise<Dependant> {
    const { gpu } = this.parts;
    this.checkUsable();
    const dependant = await create(gpu, this.kernelGrid());
    if (this.destroyed) dependant.destroy();
    this.checkUsable();
    this.dependants.add(dependant);
    return dependant;
  }

  private checkUsable(): void {
    if (this.destroyed) throw new DestroyedError('HashGrid');
    this.parts.gpu.checkAlive();
  }

  private kernelGrid(): KernelGrid {
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
      finer: this.parts.sort.finerList,
      crowd: this.parts.sort.heavy,
      recorded: this.recorded,
      forget: (dependant) => this.dependants.delete(dependant),
    };
  }

  /** Frees the memory of the grid and of its kernels, lists and searches. Later calls throw a DestroyedError. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    for (const dependant of this.dependants) dependant.destroy();
    this.parts.sort.destroy();
    this.parts.parameters.destroy();
    this.parts.outputs.destroy();
  }

  private bindingFor(input: HashGridInput): SortBinding {
    const { positions, velocities, ids } = input;
    const cached = this.bindings.get(positions) ?? [];
    const same = cached.find((one) => one.velocities === velocities && one.ids === ids);
    if (same) return same.binding;
    const binding = this.parts.sort.bind(
      { position: positions, velocity: velocities, id: ids },
      { position: this.positions, velocity: this.velocities, id: this.ids },
    );
    this.bindings.set(positions, [{ velocities, ids, binding }, ...cached].slice(0, MOST_BINDINGS));
    return binding;
  }
}
