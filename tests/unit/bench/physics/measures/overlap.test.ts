import { expect, it } from 'vitest';
import { crowdScene } from '../../../../../bench/physics/measures/overlap';
import { figuresOf, findCase, scriptedEngine } from '../cases';

/** Bodies with an overlap of at most this, in diameters, count as apart. */
const APART = 0.001;

it('a crowd lies in its square, has small velocities, and is the same every time', () => {
  const request = [2, { count: 12, edge: 1 }, { world: 20, gravity: 0, speed: 1 }] as const;
  const scene = crowdScene(...request);
  expect(crowdScene(...request)).toEqual(scene);
  expect(scene.bodies).toHaveLength(12);
  for (const { position, velocity } of scene.bodies) {
    for (const along of position) expect(Math.abs(along - 10)).toBeLessThanOrEqual(0.5);
    for (const speed of velocity ?? []) expect(Math.abs(speed)).toBeLessThanOrEqual(1);
  }
  expect(scene.bodies[0]?.position).toEqual([9.8505859375, 9.58984375]);
});

it.each([
  [2, '12 discs in 1 × 1'],
  [2, '60 discs in 1 × 1'],
  [2, '200 discs in 3 × 3'],
  [3, '12 balls in 1 × 1 × 1'],
  [3, '60 balls in 1 × 1 × 1'],
  [3, '200 balls in 3 × 3 × 3'],
] as const)('in %dD, %s gain no energy and come apart within a second', async (dimensions, scene) => {
  const figures = await figuresOf(findCase('overlap', dimensions, scene));
  expect(figures['energy after one step']).toBeLessThanOrEqual(1);
  expect(figures['energy after 1 s']).toBeLessThanOrEqual(1);
  expect(figures['greatest energy, to 1 s']).toBeLessThanOrEqual(1);
  expect(figures['deepest overlap after 1 s']).toBeLessThanOrEqual(APART);
});

it.each([
  [2, '12 discs in 1 × 1', 50, APART],
  [2, '60 discs in 1 × 1', 50, APART],
  // Some discs land before all are apart, and then others press on them.
  [2, '200 discs in 3 × 3', 50, 0.03],
  [2, '50 discs in 1 × 1', 9.81, APART],
  [3, '12 balls in 1 × 1 × 1', 50, APART],
  [3, '60 balls in 1 × 1 × 1', 50, APART],
  [3, '200 balls in 3 × 3 × 3', 50, APART],
  [3, '50 balls in 1 × 1 × 1', 9.81, APART],
] as const)(
  'in %dD, %s at rest come apart, none faster than a fall through the world at gravity %d',
  async (dimensions, crowd, gravity, most) => {
    const scene = findCase('overlap', dimensions, `${crowd} at rest, gravity ${gravity}`);
    const figures = await figuresOf(scene);
    expect(figures['greatest speed after one step']).toBeLessThanOrEqual(1);
    expect(figures['greatest speed, to 1 s']).toBeLessThanOrEqual(1);
    expect(figures['least of the deepest overlaps, to 1 s']).toBeLessThanOrEqual(most);
  },
);

it.each(
  ([2, 3] as const).flatMap((dimensions) => [0.1, 9.81, 50].map((gravity) => [dimensions, gravity] as const)),
)(
  'in %dD, six crowds of 200 at gravity %d never get faster than a fall through the world',
  { tags: 'full' },
  async (dimensions, gravity) => {
    const crowd = dimensions === 2 ? '200 discs in 3 × 3' : '200 balls in 3 × 3 × 3';
    const scene = findCase('overlap', dimensions, `${crowd} at rest, gravity ${gravity}, 6 starts`);
    expect((await figuresOf(scene))['greatest speed, to 1 s']).toBeLessThanOrEqual(1);
  },
);

it.each([
  [2, '60 discs in 1 × 1, friction 10, restitution 0'],
  [2, '60 discs in 1 × 1, friction 0.2, restitution 0.5'],
  [2, '200 discs in 3 × 3, friction 1, restitution 0'],
  [3, '60 balls in 1 × 1 × 1, friction 10, restitution 0'],
  [3, '60 balls in 1 × 1 × 1, friction 0.2, restitution 0.5'],
  [3, '200 balls in 3 × 3 × 3, friction 1, restitution 0'],
] as const)('in %dD, %s gain no energy', async (dimensions, scene) => {
  const figures = await figuresOf(findCase('overlap', dimensions, scene));
  expect(figures['greatest energy, to 1 s']).toBeLessThanOrEqual(1);
});

it.each([
  '200 discs in 3 × 3, friction 0.2, restitution 0, 8 starts',
  '200 discs in 3 × 3, friction 10, restitution 0, 8 starts',
  '200 discs in 3 × 3, friction 10, restitution 0.5, 8 starts',
])('%s: all discs come apart within a second', async (scene) => {
  const figures = await figuresOf(findCase('overlap', 2, scene));
  expect(figures['deepest overlap after 1 s']).toBeLessThanOrEqual(APART);
});

it('in a crowd with one moving body, only the overlap after 1 s has a limit', async () => {
  const { figures, run } = findCase('overlap', 3, '60 balls in 1 × 1 × 1, one moves');
  expect(figures.map(({ bar }) => bar)).toEqual([undefined, undefined, undefined, { most: APART }]);
  let moving = 0;
  await run({
    name: 'counting',
    about: '',
    dimensions: [3],
    open(scene) {
      moving = scene.bodies.filter(({ velocity }) => velocity !== undefined).length;
      const state = { positions: new Float32Array(3), velocities: new Float32Array(3) };
      return { step: () => undefined, read: () => state, destroy: () => undefined };
    },
  });
  expect(moving).toBe(1);
});

it('in a crowd at rest, the speeds have limits, but the remaining overlap has none', () => {
  const { figures } = findCase('overlap', 2, '12 discs in 1 × 1 at rest, gravity 50');
  expect(figures.map(({ bar }) => bar)).toEqual([{ most: 1 }, { most: 1 }, undefined]);
});

it('the figures cover one second: first, last and greatest energy without gravity; first and greatest speed with it', async () => {
  const engine = scriptedEngine((steps) => ({
    positions: Float32Array.of(0, 0, 0, 0.75),
    velocities: Float32Array.of(
      0,
      0,
      0,
      new Map([
        [1, 2],
        [30, 4],
        [60, 3],
        [61, 9],
      ]).get(steps) ?? 1,
    ),
  }));
  const drifting = await figuresOf(findCase('overlap', 2, '12 discs in 1 × 1'), engine);
  expect(Object.values(drifting)).toEqual([4, 9, 16, 0.25]);
  const resting = findCase('overlap', 2, '50 discs in 1 × 1 at rest, gravity 9.81');
  const fall = Math.sqrt(2 * 9.81 * 40);
  expect(Object.values(await figuresOf(resting, engine))).toEqual([2 / fall, 4 / fall, 0.25]);
});
