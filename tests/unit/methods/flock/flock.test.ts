import { describe, expect, test } from 'vitest';
import { ArgumentError } from '../../../../src/index';
import {
  createCpuFlock,
  createCpuLife,
  createFlock,
  createLife,
  type FlockOptions,
  type LifeOptions,
} from '../../../../src/methods/flock';
import { pullAt } from '../../../../src/methods/flock/reference/life';
import {
  expectComingAndGoing,
  expectSameFromCheckpoint,
  flockOptions,
  lifeOptions,
  type Space,
} from '../../../helpers/inputs/flocks';
import { untouchableGpu } from '../../../helpers/inputs/untouchable-gpu';

const BOX = { dimensions: 2, min: [0, 0], max: [10, 10] } as const;

const FLOCK: FlockOptions = { ...BOX, perception: 1, positions: Float32Array.of(1, 1, 1.5, 1) };

const LIFE: LifeOptions = {
  ...BOX,
  reach: 1,
  positions: Float32Array.of(1, 1, 1.5, 1),
  species: Uint8Array.of(0, 1),
  attraction: [
    [0, 1],
    [-1, 0],
  ],
};

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(ArgumentError);
  return (error as Error).message;
}

describe('a flock rejects', () => {
  test.each<[Record<string, unknown>, RegExp]>([
    [{ dimensions: 4 }, /^dimensions is 4, but it must be 2 or 3\.$/],
    [{ perception: 0 }, /^perception is 0, but it must be a number from 0\.000001 to 1000000\.$/],
    [{ perception: Number.NaN }, /^perception is NaN, /],
    [{ fear: -1 }, /^fear is -1, /],
    [{ positions: [1, 1] }, /^positions is \[1, 1\], but it must be a Float32Array /],
    [{ positions: Float32Array.of(1, 1, 1) }, /^positions\.length is 3, but it must be 4 /],
    [{ positions: Float32Array.of(1, Number.NaN) }, /^positions\[1\] \(particle 0\) is NaN, /],
    [
      { positions: Float32Array.of(1, 1, 11, 1) },
      /^positions\[2\] \(particle 1\) is 11, .* in the box, from 0 to 10\.$/,
    ],
    [{ velocities: Float32Array.of(1) }, /^velocities\.length is 1, but it must be 4 /],
    [
      { velocities: Float32Array.of(1, 1, 2 ** 50, 0) },
      /^velocities\[2\] \(particle 1\) is 1125899906842624, /,
    ],
    [{ min: [0, Number.NaN] }, /^world\.min\[1\] is NaN, /],
    [
      { hunters: Float32Array.of(1, 1), fear: 6, periodic: [false, true] },
      /^fear is 6, but it must be at most 5, half of the shortest period\.$/,
    ],
    [
      { hunters: Float32Array.of(1) },
      /^hunters is a Float32Array of length 1, .* at most 1024 entries with 2 numbers each\.$/,
    ],
    [{ hunters: Float32Array.of(1, Number.NaN) }, /^hunters\[1\] \(particle 0\) is NaN, /],
    [
      { obstacles: Float32Array.of(1, 1, -2) },
      /^obstacles\[2\] \(a radius\) is -2, .* from 0 to 1000000000\.$/,
    ],
    [{ obstacles: Float32Array.of(1, Number.POSITIVE_INFINITY, 1) }, /^obstacles\[1\] is Infinity, /],
    [{ capacity: 1 }, /^positions is 2 particles, but it must be at most 1 particle \(the capacity\)\.$/],
    [
      { unbounded: true },
      /^world\.min is \[0, 0\], but it must be left out, since the world is unbounded\.$/,
    ],
    [{ slowest: 9 }, /^slowest is 9, but it must be at most 4, the value of fastest\.$/],
    [{ alignment: Number.NaN }, /^alignment is NaN, but it must be a number from 0 to 1000000\.$/],
    [{ cohesian: 1 }, /^options\.cohesian is 1, /],
  ])('%o', async (changes, message) => {
    expect(await refusal(createFlock(untouchableGpu(), { ...FLOCK, ...changes } as FlockOptions))).toMatch(
      message,
    );
  });
});

describe('particle life rejects', () => {
  test.each<[Record<string, unknown>, RegExp]>([
    [{ reach: -1 }, /^reach is -1, /],
    [{ positions: new Float32Array(7) }, /^positions\.length is 7, but it must be 8 /],
    [
      { species: [0, 1] },
      /^species is \[0, 1\], but it must be a Uint32Array or Uint8Array of 2, one per particle\.$/,
    ],
    [{ species: Uint8Array.of(0) }, /^species is a Uint8Array of length 1, /],
    [
      { species: Uint8Array.of(0, 2) },
      /^species\[1\] is 2, but it must be less than 2, the number of rows of attraction\.$/,
    ],
    [{ attraction: [] }, /^attraction is \[\], but it must be 1 to 256 rows, one per species\.$/],
    [
      { attraction: [[0, 1], [1]] },
      /^attraction\[1\] is \[1\], but it must be 2 numbers, one per species\.$/,
    ],
    [
      {
        attraction: [
          [0, Number.NaN],
          [1, 1],
        ],
      },
      /^attraction\[0\]\[1\] is NaN, /,
    ],
    [{ core: 0 }, /^core is 0, but it must be a number from 0\.01 to 0\.99\.$/],
    [{ halfLife: 0 }, /^halfLife is 0, /],
    [{ positions: Float32Array.of(1, 1, 1.5, -1) }, /^positions\[3\] \(particle 1\) is -1, /],
    [{ friction: 1 }, /^options\.friction is 1, /],
  ])('%o', async (changes, message) => {
    expect(await refusal(createLife(untouchableGpu(), { ...LIFE, ...changes } as LifeOptions))).toMatch(
      message,
    );
  });
});

test('two boids separate if they are too near, approach within their perception, and flee from a hunter', () => {
  const slow = { ...FLOCK, slowest: 0 };
  const after = (options: FlockOptions) => {
    const flock = createCpuFlock(options);
    flock.step(0.1);
    return flock.read();
  };
  const way = (x: number) => {
    const { velocities } = after({ ...slow, positions: Float32Array.of(5, 5, 5 + x, 5) });
    return (velocities[2] as number) - (velocities[0] as number);
  };
  expect(way(0.2)).toBeGreaterThan(0.1);
  expect(way(0.7)).toBeLessThan(-0.01);
  expect(way(1.1)).toBe(0);
  const hunters = Float32Array.of(6, 5);
  const hunted = after({ ...slow, positions: Float32Array.of(5, 5, 7, 5), hunters });
  expect(hunted.velocities[0]).toBeLessThan(-1);
  expect(hunted.velocities[2]).toBeGreaterThan(1);
  expect(hunted.hunters).toEqual(hunters);
});

test('the pull of particle life is −1 at distance 0, 0 at the core and at the reach, and the attraction halfway between', () => {
  const expected = [-1, 0, 0.5, 0];
  [0, 0.3, 0.65, 1].forEach((share, index) => {
    expect(pullAt(share, 0.5, 0.3)).toBeCloseTo(expected[index] as number, 12);
  });
  // The first is attracted to the second, which flees from it, so both move the same way.
  const life = createCpuLife({ ...LIFE, positions: Float32Array.of(5, 5, 5.6, 5) });
  life.step(0.1);
  const { velocities } = life.read();
  const pulls = [velocities[0] as number, velocities[2] as number];
  expect(pulls[0]).toBeGreaterThan(0.5);
  expect(pulls[1]).toBeGreaterThan(0.5);
});

describe.each<[string, 2 | 3, Space]>([
  ['a box', 2, false],
  ['a periodic box', 3, true],
  ['an unbounded world', 2, 'unbounded'],
])('on the CPU, in %s', (_, dimensions, space) => {
  test('boids can be added and removed, and continue from a checkpoint', async () => {
    const options = { ...flockOptions(dimensions, space, 60), capacity: 65 };
    const [flock, other] = [createCpuFlock(options), createCpuFlock(options)];
    await expectComingAndGoing(flock);
    other.set({ cohesion: 1 });
    other.setObstacles(new Float32Array());
    await expectSameFromCheckpoint(flock, other);
    expect(() => other.restore({ ...flock.checkpoint(), perception: 2 })).toThrow(
      /^checkpoint\.perception is 2, but it must be 1, like this flock\.$/,
    );
    const late = { ...flock.checkpoint(), hunters: new Float32Array() };
    expect(() => other.restore(late)).toThrow(/^checkpoint\.hunters\.length is 0, /);
    expect(flock.settings.cohesion).toBe(4);
    // A caller may change velocities between two steps.
    flock.buffers.velocities.fill(0);
    flock.set({ slowest: 0, fastest: 0 });
    const { positions } = flock.read();
    flock.step(1 / 64);
    expect(flock.read().velocities.every((speed) => speed === 0)).toBe(true);
    expect(flock.read().positions).toEqual(positions);
    expect(() => flock.step(16)).toThrow(
      'dt is 16, but it must be at most 1 s (milliseconds? then pass 0.016).',
    );
    flock.destroy();
    expect(() => flock.step(1)).toThrow(/destroyed/);
  });

  test('particles of particle life can be added and removed, and continue from a checkpoint', async () => {
    const options = { ...lifeOptions(dimensions, space, 60), capacity: 65 };
    const [life, other] = [createCpuLife(options), createCpuLife(options)];
    await expectComingAndGoing(life, { species: Uint8Array.of(1) });
    expect(() => life.add({ positions: new Float32Array(dimensions), species: Uint8Array.of(3) })).toThrow(
      /^species\[0\] is 3, but it must be less than 3, the number of rows of attraction\.$/,
    );
    other.set({ attraction: options.attraction.map((row) => row.map(() => 0)) });
    await expectSameFromCheckpoint(life, other);
  });
});

test('an unbounded world has no walls, and other boids do not affect a distant one', () => {
  const positions = Float32Array.of(-1e4, 3, -1e4 + 0.2, 3, 2e4, -5);
  const flock = createCpuFlock({ dimensions: 2, unbounded: true, perception: 1, positions });
  for (let step = 0; step < 60; step++) flock.step(1 / 60);
  const { velocities } = flock.read();
  expect((velocities[2] as number) - (velocities[0] as number)).toBeGreaterThan(0.5);
  expect([...velocities.slice(4)]).toEqual([1, 0]);
  expect(flock.time).toBeCloseTo(1, 12);
});

describe('particle life also rejects', () => {
  test.each([undefined, null, 5, [], Promise.resolve()])('new particles that are %s', (given) => {
    const life = createCpuLife({ ...LIFE, capacity: 8 });
    const before = life.read();
    expect(() => life.add(given as never)).toThrow(
      /^particles is .* some of positions, velocities, species\.$/,
    );
    expect(life.read()).toEqual(before);
  });

  test('a table of attraction with missing rows', () => {
    const attraction = new Array(LIFE.attraction.length);
    expect(() => createCpuLife({ ...LIFE, attraction })).toThrow(/^attraction\[0\] is undefined, /);
  });
});
