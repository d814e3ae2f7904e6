/**
 * Particles that a program moves itself, on the CPU, with a grid over their positions. Unused ids below `end` have the
 * position NaN, so that the grid quarantines them.
 */
import { checkKnownKeys } from '../../core/base/checks';
import { DestroyedError } from '../../core/base/errors';
import { IdAllocator } from '../../core/simulation/ids';
import {
  checkCheckpointParticles,
  checkSameKind,
  checkSameWorld,
  describeWorld,
  type ParticlesCheckpoint,
} from '../../core/simulation/particles-checkpoint';
import {
  admitPlaced,
  PLACED_OPTION_NAMES,
  type PlacedArrays,
  type PlacedOptions,
  type PlacedParticles,
  planPlaced,
} from '../../core/simulation/placed';
import type { Dimensions } from '../../core/world/world';
import { reserve } from '../shared/lattice';
import { type CpuGrid, createGrid } from './grid';

/**
 * Creates particles that your program moves, with a grid that finds their neighbours.
 *
 * @example
 * ```ts
 * const positions = Float32Array.from({ length: 2000 }, () => 20 * Math.random());
 * const options = { min: [0, 0], max: [20, 20], diameter: 1, positions };
 * const particles = createCpuGridParticles({ dimensions: 2, ...options });
 * particles.sort();
 * particles.grid.forEachPair((id, other) => console.log(id, other));
 * ```
 */
export function createCpuGridParticles(options: PlacedOptions): CpuGridParticles {
  checkKnownKeys('options', options, PLACED_OPTION_NAMES);
  const { positions, velocities, ...rest } = options;
  const { capacity } = planPlaced(options);
  const grid = createGrid({ ...rest, capacity });
  const particles = reserve(capacity, () => new CpuGridParticles(grid));
  particles.add({ positions, velocities });
  return particles;
}

/** Particles that your program moves: positions and velocities by id, and a `CpuGrid` over the positions. */
export class CpuGridParticles {
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  private readonly ids: IdAllocator;
  private readonly positions: Float32Array;
  private readonly velocities: Float32Array;
  private destroyed = false;

  /**
   * Use createCpuGridParticles, which checks its arguments.
   * @hideconstructor
   */
  constructor(
    /** The grid that `sort` builds. */
    readonly grid: CpuGrid,
  ) {
    const { capacity, world } = grid;
    this.dimensions = world.dimensions;
    this.ids = new IdAllocator(capacity);
    this.positions = new Float32Array(world.dimensions * capacity);
    this.velocities = new Float32Array(world.dimensions * capacity);
  }

  /** Greatest number of particles. */
  get capacity(): number {
    return this.grid.capacity;
  }

  /** Number of particles. */
  get count(): number {
    return this.ids.count;
  }

  /** One more than the greatest id of a particle; 0 without particles. */
  get end(): number {
    return this.ids.end;
  }

  /**
   * The state itself, not a copy: packed arrays by id, for all ids below `end`. You may change it in place. Positions
   * of unused ids are NaN.
   */
  get buffers(): Readonly<Record<'positions' | 'velocities', Float32Array>> {
    const floats = this.dimensions * this.end;
    return { positions: this.positions.subarray(0, floats), velocities: this.velocities.subarray(0, floats) };
  }

  /** Bytes of all arrays. */
  get memoryBytes(): number {
    return this.grid.memoryBytes + this.positions.byteLength + this.velocities.byteLength + this.capacity;
  }

  /** Builds the grid from the particles' positions, or from other positions, packed like `buffers.positions`. */
  sort(positions: Float32Array = this.positions): void {
    this.checkAlive();
    this.grid.build(positions, this.end);
  }

  /** Returns whether a particle has this id. */
  has(id: number): boolean {
    return this.ids.has(id);
  }

  /** Adds particles. Returns their ids: the lowest free ids, ascending. */
  add(particles: PlacedParticles): Uint32Array {
    this.checkAlive();
    const admitted = admitPlaced(this.ids, this.grid.world, particles);
    this.write(admitted);
    return admitted.ids;
  }

  /** Removes particles with these ids. */
  remove(ids: Uint32Array | readonly number[]): void {
    this.checkAlive();
    this.ids.checkLiving('ids', ids);
    this.ids.release(ids);
    const { dimensions } = this;
    for (const id of ids) this.positions.fill(Number.NaN, dimensions * id, dimensions * (id + 1));
  }

  /** Returns packed copies of the particles, in the order of ids. */
  read(): PlacedArrays {
    this.checkAlive();
    const ids = this.ids.list();
    return {
      ids,
      positions: this.gather(this.positions, ids),
      velocities: this.gather(this.velocities, ids),
    };
  }

  /** Returns plain data for `restore`. */
  checkpoint(): ParticlesCheckpoint {
    const { world } = this.grid;
    return { version: 1, dimensions: world.dimensions, ...describeWorld(world), ...this.read() };
  }

  /** Replaces all particles by those of a checkpoint. */
  restore(checkpoint: ParticlesCheckpoint): void {
    this.checkAlive();
    checkSameKind(checkpoint, this.dimensions);
    checkSameWorld(checkpoint, this.grid.world);
    checkCheckpointParticles(checkpoint, this.dimensions, this.capacity);
    this.ids.replaceAll(checkpoint.ids);
    this.positions.fill(Number.NaN);
    this.write(checkpoint);
  }

  /** Throws if `destroy` was called. */
  checkAlive(): void {
    if (this.destroyed) throw new DestroyedError('CpuGridParticles');
  }

  /** Afterwards, sort, add, remove, read, checkpoint and restore throw. */
  destroy(): void {
    this.destroyed = true;
  }

  private write({ ids, positions, velocities }: PlacedArrays): void {
    const { dimensions } = this;
    ids.forEach((id, index) => {
      for (let axis = 0; axis < dimensions; axis++) {
        this.positions[dimensions * id + axis] = positions[dimensions * index + axis] as number;
        this.velocities[dimensions * id + axis] = velocities[dimensions * index + axis] as number;
      }
    });
  }

  private gather(vectors: Float32Array, ids: Uint32Array): Float32Array {
    const { dimensions } = this;
    const packed = new Float32Array(dimensions * ids.length);
    ids.forEach((id, index) => {
      for (let axis = 0; axis < dimensions; axis++) {
        packed[dimensions * index + axis] = vectors[dimensions * id + axis] as number;
      }
    });
    return packed;
  }
}
