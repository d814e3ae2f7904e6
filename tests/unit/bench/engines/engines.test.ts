import { describe, expect, it } from 'vitest';
import { CPU_ENGINES } from '../../../../bench/engines/cpu';
import { CPU_GRID } from '../../../../bench/engines/cpu/grid';
import { CPU_NAIVE } from '../../../../bench/engines/cpu/naive';
import { type CpuEngine, foldPairs, refusalOf } from '../../../../bench/harness/engine';
import { findExpected } from '../../../../bench/harness/oracle';
import { BENCH_SCENES, type BenchScene, createBenchScene } from '../../../../bench/harness/scenes';
import { PEERS } from '../../../../bench/peers';
import { loadPeer } from '../../../../bench/peers/load';

const FRAMES = [0, 1, 2];

/** Packages get fewer bodies, because they are much slower. */
const BODIES = 700;
const BODIES_OF_PEERS = 160;

async function foundBy(engine: CpuEngine, scene: BenchScene) {
  const runner = await engine.open(scene);
  const found = FRAMES.map((frame) => {
    runner.place(scene.frame(frame));
    runner.build();
    return foldPairs(runner.query());
  });
  runner.destroy?.();
  return found;
}

for (const { name, dimensions: offered } of BENCH_SCENES) {
  describe.each(offered)(`${name} in %dD`, (dimensions) => {
    const scene = createBenchScene(name, { dimensions, count: BODIES });
    const expected = FRAMES.map((frame) => findExpected(scene, scene.frame(frame)));
    const smaller = createBenchScene(name, { dimensions, count: BODIES_OF_PEERS });
    const expectedOfPeers = FRAMES.map((frame) => findExpected(smaller, smaller.frame(frame)));

    it('has different frames, with all bodies in its box', () => {
      expect(expected[0]?.pairs).toBeGreaterThan(0);
      expect(new Set(expected.map(({ checksum }) => checksum)).size).toBe(FRAMES.length);
      for (const frame of FRAMES) {
        const positions = scene.frame(frame);
        expect(positions).toHaveLength(scene.count * dimensions);
        const outside = positions.findIndex((value, index) => {
          const axis = index % dimensions;
          return !(value >= (scene.min[axis] as number) && value <= (scene.max[axis] as number));
        });
        expect(outside).toBe(-1);
      }
    });

    it('has the same pairs according to the oracle and to the naive engine', async () => {
      expect(expected).toEqual(await foundBy(CPU_NAIVE, scene));
    });

    it.each(CPU_ENGINES.filter((engine) => !refusalOf(engine, scene)))(
      'has the pairs that $name finds',
      async (engine) => {
        expect(await foundBy(engine, scene)).toEqual(expected);
      },
    );

    it.each(PEERS.filter((engine) => !refusalOf(engine, smaller)))(
      'has the pairs that $name finds',
      { tags: 'case' },
      async (engine) => {
        expect(await foundBy(engine, smaller)).toEqual(expectedOfPeers);
      },
    );
  });
}

it.each([...CPU_ENGINES, ...PEERS])('$name accepts scenes with one body or none', async (engine) => {
  for (const count of [0, 1]) {
    const scene = createBenchScene('uniform', { dimensions: 2, count });
    expect(await foundBy(engine, scene)).toEqual(FRAMES.map(() => ({ pairs: 0, checksum: 0 })));
  }
});

it.each([...CPU_ENGINES, ...PEERS].filter(({ boxes }) => boxes))(
  '$name finds boxes that only touch, also across the lines at which a quadtree divides the square',
  async (engine) => {
    // 16 × 16 boxes of edge 1 tile a square. The upper levels of a quadtree divide it between boxes.
    const side = 16;
    const positions = new Float32Array(2 * side * side);
    for (let body = 0; body < side * side; body++) {
      positions[2 * body] = body % side;
      positions[2 * body + 1] = Math.floor(body / side);
    }
    const scene: BenchScene = {
      ...createBenchScene('boxes', { dimensions: 2, count: side * side }),
      radius: 0.5,
      smallestRadius: 0.5,
      halfExtents: new Float32Array(2 * side * side).fill(0.5),
      min: [0, 0],
      max: [side - 1, side - 1],
      frame: () => positions,
    };
    const pairs = 2 * side * (side - 1) + 2 * (side - 1) ** 2;
    expect(findExpected(scene, positions).pairs).toBe(pairs);
    const expected = FRAMES.map(() => findExpected(scene, positions));
    if (!refusalOf(engine, scene)) expect(await foundBy(engine, scene)).toEqual(expected);
  },
);

it.each([2, 3] as const)('cpu-grid finds the pairs with each of its sorts, in %dD', async (dimensions) => {
  for (const name of ['uniform', 'steady']) {
    const scene = createBenchScene(name, { dimensions, count: 40_000 });
    const expected = FRAMES.map((frame) => findExpected(scene, scene.frame(frame)));
    expect(await foundBy(CPU_GRID, scene)).toEqual(expected);
  }
});

it('loadPeer names a package that is not installed', async () => {
  await expect(loadPeer('a-tree', () => import('a-tree' as string))).rejects.toThrow(
    /^The package a-tree could not be loaded \(.*\), so its engine is left out\. To add it, run: npm install a-tree$/,
  );
});
