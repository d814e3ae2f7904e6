/**
 * A simulation's particles in GPU memory: position, velocity and id in two copies each, of which one holds the
 * state. A pass that moves state writes the spare copies and swaps. Beside them, a word a particle for the partner it
 * bounces with, and a bit for each id that is to leave.
 * Inputs: packed particles, checked. Outputs: the copies, and packed particles by id from what was read back of them.
 * Ordering: writes are submitted at once. Questions under way are told before the state changes (`beforeChange`).
 */

import { ArgumentError } from '../../core/base/errors';
import { describeSizes } from '../../core/particles/shapes';
import type { Bodies, ParticleArrays } from '../../core/simulation/simulation';
import { wrapPositions } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { type BufferSet, createBuffers } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import { bodyFloats, fromStored, sizesOfBodies, storedFloats, toBodies, toStored } from '../../gpu/layout';
import type { ReadRange } from '../../gpu/readback';

type Kind = 'position' | 'velocity' | 'id';

type ParticleBuffers = Readonly<Record<Kind, GPUBuffer>>;

type Names = `${Kind}${0 | 1}` | 'partner' | 'leaving';

/** Which of the two copies holds the state. */
type Holding = Record<Kind, 0 | 1>;

/** A question about the state as it was when it was asked. */
interface Question {
  /** To be called before the state changes. */
  preserve(): void;
}

export class ParticleCopies {
  private held: Readonly<Holding> = { position: 0, velocity: 0, id: 0 };
  private readonly questions = new Set<Question>();

  private constructor(
    private readonly gpu: Gpu,
    private readonly world: World,
    private readonly capacity: number,
    private readonly owned: BufferSet<Names>,
  ) {}

  static async create(gpu: Gpu, world: World, capacity: number): Promise<ParticleCopies> {
    const vector = 4 * storedFloats(world.dimensions) * capacity;
    const place = 4 * bodyFloats(world) * capacity;
    const owned = await createBuffers(gpu, 'simulation', {
      position0: place,
      position1: place,
      velocity0: vector,
      velocity1: vector,
      id0: 4 * capacity,
      id1: 4 * capacity,
      partner: 4 * capacity,
      leaving: 4 * Math.ceil(capacity / 32),
    });
    return new ParticleCopies(gpu, world, capacity, owned);
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  /** The copies that hold the state. */
  get now(): ParticleBuffers {
    return this.pick((copy) => copy);
  }

  /** The other ones, to be written. */
  get spare(): ParticleBuffers {
    return this.pick(other);
  }

  get partner(): GPUBuffer {
    return this.owned.buffers.partner;
  }

  get leaving(): GPUBuffer {
    return this.owned.buffers.leaving;
  }

  /** Says which copies hold some of the state: what is bound to them is made once for each combination. */
  nameOf(...kinds: readonly Kind[]): string {
    return kinds.map((kind) => this.held[kind]).join(' ');
  }

  /** From here on the spare copies hold the state. */
  swap(...kinds: readonly Kind[]): void {
    const held: Holding = { ...this.held };
    for (const kind of kinds) held[kind] = other(held[kind]);
    this.held = held;
  }

  /** Runs `make`, which swaps; where it throws, nothing is swapped. */
  orAsBefore<Result>(make: () => Result): Result {
    const before = this.held;
    try {
      return make();
    } catch (error) {
      this.held = before;
      throw error;
    }
  }

  /** From the moment that a question is submitted on, until it is answered. */
  keepFor(question: Question): void {
    this.questions.add(question);
  }

  release(question: Question): void {
    this.questions.delete(question);
  }

  /** To be called before the state changes, so that pending questions still see the old state. */
  beforeChange(): void {
    for (const question of this.questions) question.preserve();
  }

  /** Writes particles into the slots from `first` on. */
  upload(first: number, { ids, positions, velocities, radii, ...shapes }: Bodies): void {
    // Deno panics when it is asked to write nothing.
    if (ids.length === 0) return;
    this.beforeChange();
    const { dimensions } = this.world;
    const { queue } = this.gpu.device;
    const { position, velocity, id } = this.now;
    const carried = wrapPositions(this.world, positions);
    queue.writeBuffer(id, 4 * first, new Uint32Array(ids));
    queue.writeBuffer(
      position,
      4 * bodyFloats(this.world) * first,
      radii ? toBodies(dimensions, carried, { radii, ...shapes }) : toStored(dimensions, carried),
    );
    queue.writeBuffer(velocity, 4 * storedFloats(dimensions) * first, toStored(dimensions, velocities));
  }

  /** Says who is to leave, for the pass that retires them. */
  markLeaving(ids: Uint32Array | readonly number[]): void {
    const leaving = new Uint32Array(Math.ceil(this.capacity / 32));
    for (let index = 0; index < ids.length; index++) {
      const id = ids[index] as number;
      leaving[id >>> 5] = (leaving[id >>> 5] as number) | (1 << (id & 31));
    }
    this.gpu.device.queue.writeBuffer(this.leaving, 0, leaving);
  }

  /** The buffers to read back for a number of particles; `arraysOf` unpacks them. */
  ranges(count: number): readonly ReadRange[] {
    const { position, velocity, id } = this.now;
    return [
      { buffer: id, size: 4 * count },
      { buffer: position, size: 4 * bodyFloats(this.world) * count },
      { buffer: velocity, size: 4 * storedFloats(this.world.dimensions) * count },
    ];
  }

  /** Packed, by id. */
  arraysOf(copies: readonly ArrayBuffer[]): ParticleArrays {
    const { dimensions, levels } = this.world;
    const words = bodyFloats(this.world);
    const [idBytes, positionBytes, velocityBytes] = copies as [ArrayBuffer, ArrayBuffer, ArrayBuffer];
    const slotIds = new Uint32Array(idBytes);
    const slots = slotsById(slotIds, this.capacity);
    return {
      ids: slots.map((slot) => slotIds[slot] as number),
      positions: fromStored(dimensions, positionBytes, slots, words),
      velocities: fromStored(dimensions, velocityBytes, slots),
      ...(levels > 0
        ? describeSizes(dimensions, sizesOfBodies(dimensions, positionBytes, slots, words))
        : {}),
    };
  }

  destroy(): void {
    this.owned.destroy();
  }

  private pick(which: (held: 0 | 1) => 0 | 1): ParticleBuffers {
    const { held } = this;
    const { buffers } = this.owned;
    return {
      position: buffers[`position${which(held.position)}`],
      velocity: buffers[`velocity${which(held.velocity)}`],
      id: buffers[`id${which(held.id)}`],
    };
  }
}

function other(copy: 0 | 1): 0 | 1 {
  return copy === 0 ? 1 : 0;
}

/** Slots in the order of their particles' ids. */
function slotsById(ids: Uint32Array, capacity: number): Uint32Array {
  const slotOf = new Uint32Array(capacity).fill(0xffff_ffff);
  ids.forEach((id, slot) => {
    if (id >= capacity) throw new ArgumentError('id', id, `below the capacity, ${capacity}`);
    slotOf[id] = slot;
  });
  return slotOf.filter((slot) => slot !== 0xffff_ffff);
}
