/**
 * Computes a step of particle life in doubles, for the CPU engine. Twin of shaders/flock/life.wgsl. The state changes
 * in place.
 */
import type { CpuGridParticles } from '../../../cpu/grid/grid-particles';
import { keptShare, type LifeNumbers } from '../life-options';
import { add, load, minimumImageInside, Space, scale, store, vector } from './space';

export interface LifeStep extends LifeNumbers {
  readonly dt: number;
  readonly reach: number;
  readonly kinds: number;
  /** The table of attractions, packed row by row. */
  readonly attraction: ArrayLike<number>;
}

export class LifeTwin {
  private readonly space: Space;
  /** Three numbers per id. */
  private readonly pulls: Float64Array;
  private readonly position = vector();
  private readonly velocity = vector();

  constructor(private readonly particles: CpuGridParticles) {
    this.space = new Space(particles.grid.world);
    this.pulls = new Float64Array(3 * particles.capacity);
  }

  get memoryBytes(): number {
    return this.pulls.byteLength;
  }

  step(species: Uint32Array, step: LifeStep): void {
    const { particles, position, velocity, pulls, space } = this;
    const { dimensions } = particles;
    particles.sort();
    this.gather(species, step);
    const { positions, velocities } = particles.buffers;
    const kept = keptShare(step.halfLife, step.dt);
    for (let id = 0; id < particles.end; id++) {
      if (!particles.has(id)) continue;
      load(position, positions, dimensions, id);
      load(velocity, velocities, dimensions, id);
      scale(velocity, kept);
      add(velocity, pulls.subarray(3 * id, 3 * id + 3), step.dt * step.strength);
      space.move(position, velocity, step.dt);
      store(positions, dimensions, id, position);
      store(velocities, dimensions, id, velocity);
    }
  }

  private gather(species: Uint32Array, { reach, core, kinds, attraction }: LifeStep): void {
    const { particles, space, pulls } = this;
    const { dimensions, grid } = particles;
    const { positions } = particles.buffers;
    const [periodX, periodY, periodZ] = space.periods;
    const is3D = dimensions === 3;
    pulls.fill(0, 0, 3 * particles.end);
    grid.forEachPair((one, other) => {
      const a = dimensions * one;
      const b = dimensions * other;
      const x = minimumImageInside((positions[a] as number) - (positions[b] as number), periodX);
      const y = minimumImageInside((positions[a + 1] as number) - (positions[b + 1] as number), periodY);
      const z = is3D
        ? minimumImageInside((positions[a + 2] as number) - (positions[b + 2] as number), periodZ)
        : 0;
      const distance = Math.sqrt(x * x + y * y + z * z);
      const share = distance / reach;
      const kind = species[one] as number;
      const otherKind = species[other] as number;
      const wanted = attraction[kinds * kind + otherKind] as number;
      const otherWanted = attraction[kinds * otherKind + kind] as number;
      // If two particles coincide, treat the one with the lower id as if it were farther towards −x.
      const along = distance > 0 ? 1 / distance : 0;
      const headingX = distance > 0 ? along * x : -1;
      const headingY = along * y;
      const headingZ = along * z;
      const pull = pullAt(share, wanted, core);
      const otherPull = pullAt(share, otherWanted, core);
      pulls[3 * one] = (pulls[3 * one] as number) - pull * headingX;
      pulls[3 * one + 1] = (pulls[3 * one + 1] as number) - pull * headingY;
      pulls[3 * one + 2] = (pulls[3 * one + 2] as number) - pull * headingZ;
      pulls[3 * other] = (pulls[3 * other] as number) + otherPull * headingX;
      pulls[3 * other + 1] = (pulls[3 * other + 1] as number) + otherPull * headingY;
      pulls[3 * other + 2] = (pulls[3 * other + 2] as number) + otherPull * headingZ;
    });
  }
}

/**
 * Returns the pull at a distance of `share` × reach; `wanted` is the attraction. From 0 to `core` the pull rises from
 * −1 (repulsion) to 0. From `core` to 1 it is a triangle with the height `wanted`.
 */
export function pullAt(share: number, wanted: number, core: number): number {
  if (share < core) return share / core - 1;
  return wanted * (1 - Math.abs(2 * share - 1 - core) / (1 - core));
}
