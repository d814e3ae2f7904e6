/**
 * Purpose: the particles of a simulation that never move, on the GPU: sorted into the cells of its world when they
 * are given, and packed into the one buffer that shaders/shared/obstacles.wgsl reads. Owns their sort and that buffer.
 * Inputs: packed positions, the simulation's parameters with their number as count. Output: `buffer`.
 * Ordering: `load` submits at once. The order of obstacles is canonical: the same ones give the same bits.
 */
import { carryPositions, cellBytes } from '../core/cells';
import type { World } from '../core/world';
import { type BufferSet, createBuffers, createParts } from '../gpu/buffers';
import { checkBinds, checkDeviceHolds, type Gpu } from '../gpu/device';
import { storedFloats, toStored } from '../gpu/layout';
import type { SharedBinding } from '../gpu/params';
import { CellSort, type SortBinding } from './cell-sort';

type Names = 'position' | 'sorted' | 'id' | 'packed';

/** Bytes of the packed buffer, in its order: starts, positions, and where they are kept whole, cells. */
export function packedBytes(world: Pick<World, 'dimensions' | 'kind' | 'cellCount'>, capacity: number) {
  return {
    starts: 4 * (world.cellCount + 1),
    positions: 4 * storedFloats(world.dimensions) * capacity,
    cells: world.kind === 'unbounded' ? cellBytes(world) * capacity : 0,
  };
}

export class Obstacles {
  /** As they were given. */
  given = new Float32Array(0);
  private readonly binding: SortBinding;

  private constructor(
    private readonly gpu: Gpu,
    private readonly world: World,
    readonly capacity: number,
    private readonly sort: CellSort,
    private readonly owned: BufferSet<Names>,
  ) {
    const { position, sorted, id } = owned.buffers;
    this.binding = sort.bind({ position }, { position: sorted, id });
  }

  static async create(gpu: Gpu, world: World, capacity: number): Promise<Obstacles> {
    checkDeviceHolds(gpu, capacity, world.cellCount, world.dimensions);
    const { starts, positions, cells } = packedBytes(world, capacity);
    const packed = starts + positions + cells;
    const what = `${capacity} obstacles in ${world.cellCount} cells`;
    checkBinds(gpu, packed, what, `particles: ${capacity}, cells: ${Math.ceil(packed / 4)}`);
    const { sort, owned } = await createParts({
      sort: CellSort.create(gpu, world, capacity, { ids: false, velocities: false }),
      owned: createBuffers(gpu, 'obstacles', {
        position: positions,
        sorted: positions,
        id: 4 * capacity,
        packed,
      }),
    });
    return new Obstacles(gpu, world, capacity, sort, owned);
  }

  get count(): number {
    return this.given.length / this.world.dimensions;
  }

  /** Starts, positions and cells; read as words. */
  get buffer(): GPUBuffer {
    return this.owned.buffers.packed;
  }

  get bytes(): number {
    return this.owned.bytes + this.sort.bytes;
  }

  /** Replaces all; `makeShared` gives the parameters of a grid of so many particles. */
  load(positions: Float32Array, makeShared: (count: number) => SharedBinding): void {
    this.given = positions.slice();
    const { gpu, world, sort, count } = this;
    const { position, sorted, packed } = this.owned.buffers;
    const encoder = gpu.device.createCommandEncoder({ label: 'simulation.obstacles' });
    const bytes = packedBytes(world, this.capacity);
    if (count === 0) {
      encoder.clearBuffer(packed, 0, bytes.starts);
    } else {
      const stored = toStored(world.dimensions, carryPositions(world, positions));
      gpu.device.queue.writeBuffer(position, 0, stored);
      const pass = encoder.beginComputePass({ label: 'simulation.obstacles' });
      for (const stage of sort.stages(makeShared(count), this.binding, count, false)) stage.encode(pass);
      pass.end();
      encoder.copyBufferToBuffer(sort.start, 0, packed, 0, bytes.starts);
      encoder.copyBufferToBuffer(sorted, 0, packed, bytes.starts, stored.byteLength);
      if (bytes.cells > 0) {
        const cells = cellBytes(world) * count;
        encoder.copyBufferToBuffer(sort.cellOfSlot, 0, packed, bytes.starts + bytes.positions, cells);
      }
    }
    gpu.device.queue.submit([encoder.finish()]);
  }

  destroy(): void {
    this.sort.destroy();
    this.owned.destroy();
  }
}
