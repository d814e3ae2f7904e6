/** Allocates particle ids: new particles get the lowest free ids. */
import { checkKnownKeys, checkPacked } from '../base/checks';
import { RETIRED_BIT } from '../base/constants';
import { ArgumentError, describeCount, Phrase } from '../base/errors';
import { sizesOf } from '../particles/sizes';
import { type Bounds, checkInside, DEFAULT_BOX } from '../world/bounds';
import { GREATEST_SPEED, type World } from '../world/world';
import type { Bodies, NewParticles, ParticleSimulation } from './simulation';

export const MAX_PARTICLES = RETIRED_BIT - 1;

export class IdAllocator {
  private readonly alive: Uint8Array;
  private lowestFree = 0;
  private living = 0;
  private endOfAlive = 0;

  /**
   * `defaultBox` is the world's box if the caller did not choose it: then new particles must be inside. `check` throws
   * if the engine cannot hold new particles.
   */
  constructor(
    readonly capacity: number,
    readonly defaultBox?: Bounds,
    private readonly check?: (positions: Float32Array, velocities: Float32Array) => void,
  ) {
    this.alive = new Uint8Array(capacity);
  }

  get count(): number {
    return this.living;
  }

  /** One more than the greatest living id; 0 if there is none. */
  get end(): number {
    return this.endOfAlive;
  }

  /** Returns the living ids, ascending. */
  list(): Uint32Array {
    const ids = new Uint32Array(this.living);
    let listed = 0;
    for (let id = 0; id < this.endOfAlive; id++) if (this.alive[id] === 1) ids[listed++] = id;
    return ids;
  }

  has(id: number): boolean {
    return this.alive[id] === 1;
  }

  /** Checks new particles and gives them ids. If a check fails, no id is taken. */
  admit(
    sizes: Pick<ParticleSimulation, 'dimensions' | 'radiusRange' | 'boxes'> & { readonly world?: World },
    particles: NewParticles,
  ): Bodies {
    const { dimensions } = sizes;
    checkKnownKeys('particles', particles, ['positions', 'velocities', 'radii', 'halfExtents']);
    const positions: Float32Array = particles.positions;
    const count = Math.floor((positions?.length ?? 0) / dimensions);
    checkPacked('positions', positions, count, dimensions);
    if (this.defaultBox) checkInside(positions, this.defaultBox, DEFAULT_BOX);
    const velocities = particles.velocities ?? new Float32Array(positions.length);
    checkPacked('velocities', velocities, count, dimensions, GREATEST_SPEED);
    const own = sizesOf('', particles, count, sizes);
    this.check?.(positions, velocities);
    this.checkRoom(count);
    return { ids: this.take(count), positions, velocities, ...own };
  }

  /** Returns the lowest free ids, ascending. The caller must check that enough are free. */
  take(count: number): Uint32Array {
    const ids = new Uint32Array(count);
    let id = this.lowestFree;
    for (let taken = 0; taken < count; id++) {
      if (this.alive[id] === 0) {
        this.alive[id] = 1;
        ids[taken++] = id;
      }
    }
    if (count > 0) {
      this.lowestFree = id;
      this.endOfAlive = Math.max(this.endOfAlive, id);
    }
    this.living += count;
    return ids;
  }

  release(ids: ArrayLike<number>): void {
    for (let index = 0; index < ids.length; index++) {
      const id = ids[index] as number;
      this.alive[id] = 0;
      if (id < this.lowestFree) this.lowestFree = id;
    }
    this.living -= ids.length;
    this.lowerEnd();
  }

  replaceAll(ids: ArrayLike<number>): void {
    this.alive.fill(0);
    for (let index = 0; index < ids.length; index++) this.alive[ids[index] as number] = 1;
    this.living = ids.length;
    this.lowestFree = 0;
    this.endOfAlive = this.capacity;
    this.lowerEnd();
  }

  /** Throws if an id is not that of a living particle, or is listed twice. */
  checkLiving(argument: string, ids: Uint32Array | readonly number[]): void {
    if (!Array.isArray(ids) && !(ids instanceof Uint32Array)) {
      throw new ArgumentError(argument, ids, 'an array of ids or a Uint32Array');
    }
    const seen = new Set<number>();
    for (let index = 0; index < ids.length; index++) {
      const id = ids[index] as number;
      if (!Number.isInteger(id) || !this.has(id) || seen.has(id)) {
        throw new ArgumentError(`${argument}[${index}]`, id, 'the id of a living particle, listed once');
      }
      seen.add(id);
    }
  }

  checkRoom(count: number): void {
    if (count > this.capacity - this.living) {
      throw new ArgumentError(
        'positions',
        new Phrase(describeCount(count)),
        `at most ${describeCount(this.capacity - this.living)} (capacity ${this.capacity}, ${this.living} alive)`,
      );
    }
  }

  private lowerEnd(): void {
    while (this.endOfAlive > 0 && this.alive[this.endOfAlive - 1] === 0) this.endOfAlive--;
  }
}
