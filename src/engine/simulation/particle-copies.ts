/**
 * A simulation's particles in GPU memory: two copies each of positions, velocities and ids. One copy holds the state.
 * The sort, resolve and push-apart passes write the spare copy, and the host then swaps the two. Other passes change
 * the state in place. At the end of each recording the first copies hold the state, so callers may keep these buffers.
 * Ordering: `upload` and `markLeaving` write through the queue at once, ahead of all commands submitted later.
 */

import { ArgumentError } from '../../core/base/errors';
import { describeSizes } from '../../core/particles/shapes';
import type { Bodies, ExactArrays, ParticleArrays } from '../../core/simulation/simulation';
import { wrapPositions } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { type BufferSet, createBuffers, WHOLE_POSITIONS } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import {
  bodyFloats,
  fromStored,
  loadsOfBodies,
  sizesOfBodies,
  storedFloats,
  toBodies,
  toStored,
} from '../../gpu/layout';
import type { ReadRange } from '../../gpu/readback';
import type { ExactParts } from './exact';

/**
 * The buffers that hold the state. They stay the same as long as the simulation lives, so your bind groups stay valid.
 * Their usage is STORAGE, VERTEX, COPY_SRC and COPY_DST.
 *
 * Element k of each buffer belongs to the particle in slot k; the first `count` slots are used. `ids` says which
 * particle a slot holds. Each substep sorts the slots into cell order, with ascending ids inside a cell (in an
 * unbounded world, inside a bucket). Particles that `add` put in come last until the next sort.
 */
export interface SimulationBuffers {
  /**
   * The particles, each with its position first:
   *   - One radius: a vec2f (2D, 8 bytes), or a vec4f with w unused (3D, 16 bytes). In exact simulations, these numbers
   *     and those of `velocities` are i32: see ExactArrays.
   *   - Variable radii: a vec4f (16 bytes) with the radius in w, and in 2D the load in z (see ParticleArrays).
   *   - Boxes: two vec4f (32 bytes). The first holds the same as with variable radii, but its w is the radius of the
   *     ball around the body. The second holds the half extents (0 for a ball). Its w is the radius of a ball with the
   *     body's area (3D: volume).
   */
  readonly positions: GPUBuffer;
  /**
   * One vec2f (2D, 8 bytes) or vec4f (3D, 16 bytes) per particle. In 3D with variable radii, w holds the load of the
   * particle, so write only x, y and z.
   */
  readonly velocities: GPUBuffer;
  /** One u32 (4 bytes) per slot: the id of its particle. */
  readonly ids: GPUBuffer;
}

type Kind = 'position' | 'velocity' | 'id';

type ParticleBuffers = Readonly<Record<Kind, GPUBuffer>>;

type Names = `${Kind}${0 | 1}` | 'partner' | 'leaving';

type CurrentCopies = Record<Kind, 0 | 1>;

/** The copies that hold the state between two recordings. */
const FIRST_COPIES: Readonly<CurrentCopies> = { position: 0, velocity: 0, id: 0 };

interface Query {
  /** Copies the state that the query still needs. Called before the state changes. */
  preserve(): void;
}

export class ParticleCopies {
  readonly state: SimulationBuffers;
  private current = FIRST_COPIES;
  private readonly queries = new Set<Query>();

  private constructor(
    private readonly gpu: Gpu,
    private readonly world: World,
    private readonly capacity: number,
    private readonly owned: BufferSet<Names>,
    private readonly exact: ExactParts | undefined,
  ) {
    const { position0: positions, velocity0: velocities, id0: ids } = owned.buffers;
    this.state = { positions, velocities, ids };
  }

  /** `exact` is for exact simulations, whose positions and velocities are whole numbers. */
  static async create(gpu: Gpu, world: World, capacity: number, exact?: ExactParts): Promise<ParticleCopies> {
    const vector = 4 * storedFloats(world.dimensions) * capacity;
    const bodies = 4 * bodyFloats(world) * capacity;
    const owned = await createBuffers(gpu, 'simulation', {
      position0: bodies,
      position1: bodies,
      velocity0: vector,
      velocity1: vector,
      id0: 4 * capacity,
      id1: 4 * capacity,
      partner: 4 * capacity,
      leaving: 4 * Math.ceil(capacity / 32),
    });
    // Only this copy of the positions is public, in `state`.
    if (exact) WHOLE_POSITIONS.add(owned.buffers.position0);
    return new ParticleCopies(gpu, world, capacity, owned, exact);
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  get now(): ParticleBuffers {
    return this.pick((copy) => copy);
  }

  get spare(): ParticleBuffers {
    return this.pick(other);
  }

  get partner(): GPUBuffer {
    return this.owned.buffers.partner;
  }

  get leaving(): GPUBuffer {
    return this.owned.buffers.leaving;
  }

  /** A key for bind groups: which copies hold the state. */
  get key(): string {
    return Object.values(this.current).join();
  }

  swap(...kinds: readonly Kind[]): void {
    const current: CurrentCopies = { ...this.current };
    for (const kind of kinds) current[kind] = other(current[kind]);
    this.current = current;
  }

  /**
   * Ends a recording: from now on `now` names the first copies. After the stages, call the returned function: it moves
   * results that are in the second copies back to the first. A step with an even number of substeps leaves no such
   * results.
   */
  endRecording(count: number): (encoder: GPUCommandEncoder) => void {
    const moved = this.ranges(count).filter(({ kind }) => this.current[kind] === 1);
    this.current = FIRST_COPIES;
    return (encoder) => {
      for (const { kind, buffer, size } of moved) {
        encoder.copyBufferToBuffer(buffer, 0, this.now[kind], 0, size);
      }
    };
  }

  /** Runs `make`. If it throws, undoes its swaps. */
  undoIfThrows<Result>(make: () => Result): Result {
    const before = this.current;
    try {
      return make();
    } catch (error) {
      this.current = before;
      throw error;
    }
  }

  /** Call this when a query is submitted, and `release` when it is answered. */
  keepFor(query: Query): void {
    this.queries.add(query);
  }

  release(query: Query): void {
    this.queries.delete(query);
  }

  /** Call this before the state changes, because pending queries must still see the old state. */
  beforeChange(): void {
    for (const query of this.queries) query.preserve();
  }

  upload(first: number, bodies: Bodies): void {
    const { exact } = this;
    const words = exact?.bitsOf(bodies) ?? { positions: wrapPositions(this.world, bodies.positions) };
    this.write(first, { ...bodies, ...words });
  }

  /** Uploads whole numbers, and wraps positions into the world. */
  uploadExact(first: number, ids: Uint32Array, wholes: ExactArrays): void {
    this.write(first, { ids, ...(this.exact as ExactParts).bitsOfWholes(wholes) });
  }

  private write(first: number, { ids, positions, velocities, radii, ...shapes }: Bodies): void {
    // Deno aborts on an empty write.
    if (ids.length === 0) return;
    this.beforeChange();
    const { dimensions } = this.world;
    const { queue } = this.gpu.device;
    const { position, velocity, id } = this.now;
    queue.writeBuffer(id, 4 * first, new Uint32Array(ids));
    queue.writeBuffer(
      position,
      4 * bodyFloats(this.world) * first,
      radii ? toBodies(dimensions, positions, { radii, ...shapes }) : toStored(dimensions, positions),
    );
    queue.writeBuffer(
      velocity,
      4 * storedFloats(dimensions) * first,
      toStored(dimensions, velocities, shapes.loads),
    );
  }

  markLeaving(ids: Uint32Array | readonly number[]): void {
    const leaving = new Uint32Array(Math.ceil(this.capacity / 32));
    for (let index = 0; index < ids.length; index++) {
      const id = ids[index] as number;
      leaving[id >>> 5] = (leaving[id >>> 5] as number) | (1 << (id & 31));
    }
    this.gpu.device.queue.writeBuffer(this.leaving, 0, leaving);
  }

  /** Returns the ranges to read back; `arraysOf` unpacks the bytes. */
  ranges(count: number): readonly (ReadRange & { readonly kind: Kind })[] {
    const { position, velocity, id } = this.now;
    return [
      { kind: 'id', buffer: id, size: 4 * count },
      { kind: 'position', buffer: position, size: 4 * bodyFloats(this.world) * count },
      { kind: 'velocity', buffer: velocity, size: 4 * storedFloats(this.world.dimensions) * count },
    ];
  }

  /** Returns the particles in the order of ids. */
  arraysOf(copies: readonly ArrayBuffer[]): ParticleArrays & { readonly exact?: Omit<ExactArrays, 'steps'> } {
    const { dimensions, levels } = this.world;
    const words = bodyFloats(this.world);
    const [idBytes, positionBytes, velocityBytes] = copies as [ArrayBuffer, ArrayBuffer, ArrayBuffer];
    const slotIds = new Uint32Array(idBytes);
    const slots = slotsById(slotIds, this.capacity);
    const ids = slots.map((slot) => slotIds[slot] as number);
    const positions = fromStored(dimensions, positionBytes, slots, words);
    const velocities = fromStored(dimensions, velocityBytes, slots);
    if (this.exact) return { ids, ...this.exact.arraysOf(positions, velocities) };
    return {
      ids,
      positions,
      velocities,
      ...(levels > 0
        ? {
            ...describeSizes(dimensions, sizesOfBodies(dimensions, positionBytes, slots, words)),
            loads: loadsOfBodies(dimensions, positionBytes, velocityBytes, slots, words),
          }
        : {}),
    };
  }

  destroy(): void {
    this.owned.destroy();
  }

  private pick(which: (current: 0 | 1) => 0 | 1): ParticleBuffers {
    const { current } = this;
    const { buffers } = this.owned;
    return {
      position: buffers[`position${which(current.position)}`],
      velocity: buffers[`velocity${which(current.velocity)}`],
      id: buffers[`id${which(current.id)}`],
    };
  }
}

function other(copy: 0 | 1): 0 | 1 {
  return copy === 0 ? 1 : 0;
}

function slotsById(ids: Uint32Array, capacity: number): Uint32Array {
  const slotOf = new Uint32Array(capacity).fill(0xffff_ffff);
  ids.forEach((id, slot) => {
    if (id >= capacity) throw new ArgumentError('id', id, `below the capacity, ${capacity}`);
    slotOf[id] = slot;
  });
  return slotOf.filter((slot) => slot !== 0xffff_ffff);
}
