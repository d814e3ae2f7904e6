/** Small flocks and cases of particle life, in which the first two particles coincide. */
import { expect } from 'vitest';
import type { Dimensions } from '../../../src/core/world/world';
import type { FlockOptions, LifeOptions, NewLife } from '../../../src/methods/flock';
import { createNoise, scatterIn } from '../../../src/testing/noise';

export type Space = boolean | readonly boolean[] | 'unbounded';

const MOST_SPEED = 3;

function box(dimensions: Dimensions, space: Space) {
  const edge = dimensions === 2 ? 10 : 4;
  const [min, max] = [-1.5, edge - 1.5].map((value) => new Array<number>(dimensions).fill(value)) as [
    number[],
    number[],
  ];
  const periodic = Array.isArray(space) ? space.slice(0, dimensions) : space === true;
  const world = space === 'unbounded' ? { unbounded: true } : { min, max, periodic };
  return { world: { dimensions, ...world }, dimensions, min, max };
}

function scatter({ dimensions, min, max }: ReturnType<typeof box>, count: number, seed: number) {
  const noise = createNoise(seed);
  const positions = scatterIn(noise, min, max, count);
  positions.copyWithin(0, dimensions, 2 * dimensions);
  const velocities = Float32Array.from(positions, () => MOST_SPEED * (2 * noise() - 1));
  return { positions, velocities };
}

export function flockOptions(dimensions: Dimensions, space: Space, count: number): FlockOptions {
  const room = box(dimensions, space);
  const { positions, velocities } = scatter(room, count, 5);
  // A boid without velocity has no heading.
  velocities.fill(0, 3 * dimensions, 4 * dimensions);
  const all = (value: number) => new Array<number>(dimensions).fill(value);
  const obstacles = Float32Array.of(...all(-0.4), 0.75, ...all(1), 0.3);
  const hunters = Float32Array.of(...all(-1.25), ...all(2));
  return { ...room.world, perception: 1, fear: 1.75, positions, velocities, obstacles, hunters };
}

export function lifeOptions(dimensions: Dimensions, space: Space, count: number): LifeOptions {
  const room = box(dimensions, space);
  const state = scatter(room, count, 6);
  const species = Uint32Array.from({ length: count }, (_, id) => (id * 7) % 3);
  const attraction = [
    [0.5, -0.25, 1],
    [1, 0.1, -1],
    [-0.75, 0.3, 0.6],
  ];
  return { ...room.world, ...state, reach: 1, species, attraction };
}

interface Method {
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly capacity: number;
  readonly end: number;
  readonly time: number;
  step(dt: number): void;
  add(particles: NewLife): Uint32Array;
  remove(ids: Uint32Array | readonly number[]): void;
  read(): Promise<MethodState> | MethodState;
}

interface MethodState {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

/**
 * Removes the third and the last particle, and expects that a new particle gets the id of the third. At full capacity,
 * `add` must reject more particles and change nothing.
 */
export async function expectComingAndGoing(
  method: Method,
  kinds: Partial<Pick<NewLife, 'species'>> = {},
): Promise<void> {
  const more = kinds as Pick<NewLife, 'species'>;
  const { dimensions, count, capacity } = method;
  const { positions } = await method.read();
  const position = positions.slice(0, dimensions);
  method.remove([count - 1, 2]);
  expect([method.count, method.end]).toEqual([count - 2, count - 1]);
  expect((await method.read()).ids.indexOf(2)).toBe(-1);
  const velocities = position.map(() => 0.5);
  expect([...method.add({ positions: position, velocities, ...more })]).toEqual([2]);
  const room = capacity - method.count;
  const ids = Array.from({ length: room }, (_, index) => count - 1 + index);
  const species = kinds.species && new Uint8Array(room);
  const others = {
    positions: positions.slice(0, dimensions * room),
    ...(species ? { species } : {}),
  } as NewLife;
  expect([...method.add(others)]).toEqual(ids);
  const full = await method.read();
  expect(full.ids).toHaveLength(capacity);
  expect(full.positions.slice(2 * dimensions, 3 * dimensions)).toEqual(position);
  expect(full.velocities.slice(2 * dimensions, 3 * dimensions)).toEqual(velocities);
  expect(() => method.add({ positions: position, ...more })).toThrow(
    `positions is 1 particle, but it must be at most 0 particles (capacity ${capacity}, ${capacity} alive).`,
  );
  expect(() => method.remove([capacity])).toThrow(
    /^ids\[0\] is \d+, but it must be the id of a living particle/,
  );
  expect(await method.read()).toEqual(full);
  method.remove([0, ...ids.slice(1)]);
}

/** Expects that `other` rejects broken checkpoints, and continues with the same bits from a clone of a good one. */
export async function expectSameFromCheckpoint<Checkpoint extends { readonly positions: Float32Array }>(
  method: Method & { checkpoint(): Promise<Checkpoint> | Checkpoint },
  other: Method & { restore(checkpoint: Checkpoint): void; checkpoint(): Promise<Checkpoint> | Checkpoint },
): Promise<void> {
  method.step(1 / 64);
  const checkpoint = structuredClone(await method.checkpoint());
  const broken = { ...checkpoint, ids: new Uint32Array(method.capacity + 1) };
  const before = await other.checkpoint();
  expect(() => other.restore(broken)).toThrow(/^checkpoint\.(ids|species)/);
  expect(() => other.restore({ ...checkpoint, dimensions: 4 })).toThrow(/^checkpoint\.dimensions is 4, /);
  expect(await other.checkpoint()).toEqual(before);
  other.restore(checkpoint);
  expect(await other.checkpoint()).toEqual(checkpoint);
  for (const one of [method, other]) for (let step = 0; step < 2; step++) one.step(1 / 64);
  const after = await other.checkpoint();
  expect(after).toEqual(await method.checkpoint());
  expect(after.positions).not.toEqual(checkpoint.positions);
  expect(other.time).toBe(method.time);
}
