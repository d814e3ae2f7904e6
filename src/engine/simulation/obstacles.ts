/**
 * Stores a simulation's obstacles behind the cell starts, where shaders/obstacles/ reads them. Without levels,
 * obstacles are in cells; with levels, they are in a tree that the CPU builds.
 * Ordering: `load` writes or submits at once. The same obstacles give the same bits.
 */

import { NO_OBSTACLES, wrapObstacles } from '../../core/obstacles/obstacles';
import { nodesOf, nodeWords, ObstacleTree, type StaticBodies, TREE_HEADER } from '../../core/obstacles/tree';
import { cellBytes, firstObstacle } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { type BufferSet, createBuffers, createParts } from '../../gpu/buffers';
import { checkBinds, checkDeviceHolds, type Gpu } from '../../gpu/device';
import { bodyFloats, storedFloats, toBodies, toStored } from '../../gpu/layout';
import type { SharedBinding } from '../../gpu/params';
import { encodeStages } from '../../gpu/stage';
import { CellSort, type SortBinding } from '../grid/cell-sort';

export interface Obstacles {
  /** The obstacles in the caller's order. */
  readonly given: StaticBodies;
  readonly bytes: number;
  /** Replaces all obstacles. `makeShared` returns the parameters of the world with `count` particles. */
  load(bodies: StaticBodies, makeShared: (count: number) => SharedBinding): void;
  destroy(): void;
}

type SizedWorld = Pick<World, 'dimensions' | 'kind' | 'cellCount'> & Partial<Pick<World, 'levels' | 'boxes'>>;

/** Returns the bytes of each part, in the order in which the parts are stored. With levels, `starts` is the tree. */
export function packedBytes(world: SizedWorld, capacity: number) {
  const { dimensions, levels = 0, boxes = false } = world;
  if (levels > 0) {
    const nodes = nodesOf(capacity) * nodeWords(dimensions);
    const bodies = bodyFloats({ dimensions, levels, boxes }) * capacity;
    return { starts: 4 * (TREE_HEADER + nodes), positions: 4 * bodies, cells: 0 };
  }
  return {
    starts: 4 * (world.cellCount + 1),
    positions: 4 * storedFloats(dimensions) * capacity,
    cells: world.kind === 'unbounded' ? cellBytes(world) * capacity : 0,
  };
}

export function obstacleBytes(world: SizedWorld, capacity: number): number {
  if (capacity === 0) return 0;
  const { starts, positions, cells } = packedBytes(world, capacity);
  return starts + positions + cells;
}

export function checkHoldsObstacles(gpu: Gpu, world: World, capacity: number): void {
  const bytes = 4 * firstObstacle(world) + obstacleBytes(world, capacity);
  if (world.levels === 0) checkDeviceHolds(gpu, capacity, world.cellCount, world.dimensions);
  const what = `${capacity} obstacles with ${world.cellCount} cells`;
  checkBinds(gpu, bytes, what, `particles: ${capacity}, cells: ${Math.ceil(bytes / 4)}`);
}

export async function createObstacles(
  gpu: Gpu,
  world: World,
  capacity: number,
  target: GPUBuffer,
  bitsOf?: BitsOf,
): Promise<Obstacles> {
  return world.levels > 0
    ? new TreeObstacles(gpu, world, target)
    : CellObstacles.create(gpu, world, capacity, target, bitsOf);
}

/** Converts positions to the whole numbers of an exact simulation, and returns their bits. */
type BitsOf = (positions: Float32Array) => Float32Array;

class TreeObstacles implements Obstacles {
  given = NO_OBSTACLES;
  readonly bytes = 0;

  constructor(
    private readonly gpu: Gpu,
    private readonly world: World,
    private readonly target: GPUBuffer,
  ) {}

  load(given: StaticBodies): void {
    this.given = given;
    const { gpu, world, target } = this;
    const tree = new ObstacleTree(world, wrapObstacles(world, given));
    const { radii, positions, ...shapes } = tree.bodies;
    const bodies = toBodies(world.dimensions, positions, { ...shapes, radii: radii ?? new Float32Array(0) });
    const nodes = tree.nodeBits();
    const words = new Uint32Array(nodes.length + bodies.length);
    words.set(nodes);
    words.set(new Uint32Array(bodies.buffer), nodes.length);
    gpu.device.queue.writeBuffer(target, 4 * firstObstacle(world), words);
  }

  destroy(): void {}
}

type Names = 'position' | 'sorted' | 'id';

class CellObstacles implements Obstacles {
  given = NO_OBSTACLES;
  private readonly binding: SortBinding;

  private constructor(
    private readonly gpu: Gpu,
    private readonly world: World,
    private readonly capacity: number,
    private readonly target: GPUBuffer,
    private readonly bitsOf: BitsOf | undefined,
    private readonly sort: CellSort,
    private readonly owned: BufferSet<Names>,
  ) {
    const { position, sorted, id } = owned.buffers;
    this.binding = sort.bind({ position }, { position: sorted, id });
  }

  static async create(
    gpu: Gpu,
    world: World,
    capacity: number,
    target: GPUBuffer,
    bitsOf?: BitsOf,
  ): Promise<CellObstacles> {
    const { positions } = packedBytes(world, capacity);
    // Sort without `crowds`: only very dense obstacles would gain from it.
    const uncrowded = { ...world, crowds: false };
    const { sort, owned } = await createParts({
      sort: CellSort.create(gpu, uncrowded, capacity, { ids: false, velocities: false }),
      owned: createBuffers(gpu, 'obstacles', { position: positions, sorted: positions, id: 4 * capacity }),
    });
    return new CellObstacles(gpu, world, capacity, target, bitsOf, sort, owned);
  }

  get bytes(): number {
    return this.owned.bytes + this.sort.bytes;
  }

  load(given: StaticBodies, makeShared: (count: number) => SharedBinding): void {
    this.given = given;
    const { gpu, world, sort, target } = this;
    const { position, sorted } = this.owned.buffers;
    const count = given.positions.length / world.dimensions;
    const encoder = gpu.device.createCommandEncoder({ label: 'simulation.obstacles' });
    const bytes = packedBytes(world, this.capacity);
    const first = 4 * firstObstacle(world);
    if (count === 0) {
      encoder.clearBuffer(target, first, bytes.starts);
    } else {
      const { positions } = wrapObstacles(world, given);
      const stored = toStored(world.dimensions, this.bitsOf?.(positions) ?? positions);
      gpu.device.queue.writeBuffer(position, 0, stored);
      const stages = sort.stages(makeShared(count), this.binding, count, false);
      encodeStages(encoder, 'simulation.obstacles', stages);
      encoder.copyBufferToBuffer(sort.start, 0, target, first, bytes.starts);
      encoder.copyBufferToBuffer(sorted, 0, target, first + bytes.starts, stored.byteLength);
      if (bytes.cells > 0) {
        const cells = cellBytes(world) * count;
        encoder.copyBufferToBuffer(sort.cellOfSlot, 0, target, first + bytes.starts + bytes.positions, cells);
      }
    }
    gpu.device.queue.submit([encoder.finish()]);
  }

  destroy(): void {
    this.sort.destroy();
    this.owned.destroy();
  }
}
