/** Tests that engines count their work exactly: against brute force, or against calls and reads that a proxy counts. */
import Flatbush from 'flatbush';
import KDBush from 'kdbush';
import RBush from 'rbush';
import { describe, expect, it, vi } from 'vitest';
import { Chunks } from '../../../../bench/engines/cpu/chunks';
import { CPU_GRID } from '../../../../bench/engines/cpu/grid';
import { CPU_NAIVE } from '../../../../bench/engines/cpu/naive';
import { CPU_SWEEP } from '../../../../bench/engines/cpu/sweep';
import { CPU_TIGHT } from '../../../../bench/engines/cpu/tight';
import { workOfSweep } from '../../../../bench/engines/work';
import type { CpuEngine, Work } from '../../../../bench/harness/engine';
import { type BenchScene, createBenchScene } from '../../../../bench/harness/scenes';
import { PEERS } from '../../../../bench/peers';
import { Overlaps } from '../../../../bench/peers/overlaps';
import { createCpuLevelGrid } from '../../../../src/cpu';
import { collect2D, collect3D } from '../../../../src/cpu/levels/dense';
import type { LevelOrder } from '../../../../src/cpu/levels/order';

const COUNT = 500;
const CASES = (['uniform', 'clustered', 'one-cell', 'line-x', 'line-y', 'mixed'] as const).flatMap((name) =>
  ([2, 3] as const).map((dimensions) => ({ name, dimensions })),
);

async function workOf(engine: CpuEngine, scene: BenchScene): Promise<Work & { readonly pairs: number }> {
  const runner = await engine.open(scene);
  const positions = scene.frame(0);
  runner.place(positions);
  runner.build();
  const { count: pairs } = runner.query();
  const work = runner.countWork?.(positions);
  if (!work) throw new Error(`${engine.name} cannot tell its work.`);
  // The count leaves the engine as it was.
  expect(runner.query().count).toBe(pairs);
  runner.destroy?.();
  return { ...work, pairs };
}

/** Counts the pairs of bodies for which `is` returns true. */
function countPairs({ count }: BenchScene, is: (a: number, b: number) => boolean): number {
  let pairs = 0;
  for (let a = 0; a < count; a++) for (let b = a + 1; b < count; b++) if (is(a, b)) pairs++;
  return pairs;
}

function areNear({ dimensions, radius, min }: BenchScene, positions: Float32Array, cellSize = 2 * radius) {
  const cell = (body: number, axis: number) =>
    Math.floor(((positions[dimensions * body + axis] as number) - (min[axis] as number)) / cellSize);
  return (a: number, b: number) =>
    Array.from({ length: dimensions }, (_, axis) => Math.abs(cell(a, axis) - cell(b, axis))).every(
      (apart) => apart <= 1,
    );
}

const radiusIn = ({ radii, radius }: BenchScene, body: number) => radii?.[body] ?? radius;

/** Returns a copy of an array that calls `read` with each index that is read. */
function watched<List extends ArrayLike<number>>(list: List, read: (index: number) => void): List {
  return new Proxy(list as List & object, {
    get(target, name) {
      if (typeof name === 'string' && /^\d+$/.test(name)) read(Number(name));
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe.each(CASES)('in the scene $name in $dimensionsD', ({ name, dimensions }) => {
  const scene = createBenchScene(name, { dimensions, count: COUNT });
  const positions = scene.frame(0);
  const { count, radii } = scene;
  const all = (count * (count - 1)) / 2;

  it('cpu-naive tests n(n−1)/2 pairs', async () => {
    expect(await workOf(CPU_NAIVE, scene)).toMatchObject({ candidates: all, tests: all, counted: 'formula' });
  });

  if (!radii) {
    it('cpu-grid and cpu-tight test the pairs of the same or adjacent cells', async () => {
      const near = countPairs(scene, areNear(scene, positions));
      for (const engine of [CPU_GRID, CPU_TIGHT]) {
        expect(await workOf(engine, scene), engine.name).toMatchObject({ candidates: near, tests: near });
      }
    });
  }

  it('cpu-sweep takes up pairs whose intervals along x meet, and tests those that are near along y', async () => {
    const x = (body: number) => positions[dimensions * body] as number;
    const y = (body: number) => positions[dimensions * body + 1] as number;
    const reach = (a: number, b: number) => radiusIn(scene, a) + radiusIn(scene, b);
    const meet = (a: number, b: number) => Math.abs(x(a) - x(b)) <= reach(a, b);
    const candidates = countPairs(scene, meet);
    const tests = countPairs(scene, (a, b) => meet(a, b) && Math.abs(y(a) - y(b)) < reach(a, b));
    expect(await workOf(CPU_SWEEP, scene)).toMatchObject({ candidates, tests, counted: 'loop' });
    const open = countPairs(scene, (a, b) => Math.abs(x(a) - x(b)) < reach(a, b));
    const lower = (body: number) => x(body) - (radii ? radiusIn(scene, body) : 0);
    // With equal radii, two bodies in the same place along x are candidates, too: intervals begin at the centre.
    const same = countPairs(scene, (a, b) => lower(a) === lower(b) && Math.abs(x(a) - x(b)) >= reach(a, b));
    expect(workOfSweep(scene, positions)).toMatchObject({ candidates: open + same, tests: open + same });
  });

  it('cpu-chunks takes up the members that its sweeps read, and tests each pair of boxes that meet once', () => {
    const chunks = new Chunks(scene);
    chunks.place(positions);
    chunks.build();
    const work = chunks.countWork();
    const boxesMeet = countPairs(scene, (a, b) =>
      Array.from({ length: dimensions }, (_, axis) => dimensions * a + axis - dimensions * b).every(
        (_, axis) =>
          Math.fround((positions[dimensions * a + axis] as number) - radiusIn(scene, a)) <=
            Math.fround((positions[dimensions * b + axis] as number) + radiusIn(scene, b)) &&
          Math.fround((positions[dimensions * b + axis] as number) - radiusIn(scene, b)) <=
            Math.fround((positions[dimensions * a + axis] as number) + radiusIn(scene, a)),
      ),
    );
    expect(work.tests).toBe(boxesMeet);
    let reads = 0;
    let members = 0;
    const inside = chunks as unknown as { memberBoxes: Float32Array; starts: Uint32Array };
    members = inside.starts.at(-1) as number;
    inside.memberBoxes = watched(inside.memberBoxes, (index) => {
      // The sweeps read the low end along x once per member, and once per candidate.
      if (index % (2 * dimensions) === 0) reads++;
    });
    chunks.query();
    expect(work.candidates).toBe(reads - members);
  });
});

describe.each([2, 3] as const)('with mixed radii in %dD', (dimensions) => {
  it('cpu-grid counts the radii that its search reads', () => {
    const scene = createBenchScene('mixed', { dimensions, count: COUNT });
    const { min, max, smallestRadius: smallest, radius: largest, radii, count } = scene;
    const grid = createCpuLevelGrid({ dimensions, min, max, radii: { smallest, largest }, capacity: count });
    grid.build(scene.frame(0), radii as Float32Array);
    const { order } = grid as unknown as { order: LevelOrder };
    let reads = 0;
    const spied = Object.create(order, {
      radii: { value: watched(order.radii, () => reads++) },
      overlap: { value: (a: number, b: number) => order.overlap(a, b) },
    }) as LevelOrder;
    const task = {
      lattice: order.lattice,
      activeCount: count,
      labels: order.source,
      words: new Uint32Array(count * count),
      length: 0,
      next: 0,
    };
    (dimensions === 2 ? collect2D : collect3D)(task, spied, count * count);
    expect(task.length / 2).toBe(grid.countPairs());
    expect(grid.countCandidates()).toBe(reads - count);
    expect(reads - count).toBeGreaterThan(task.length / 2);
  });
});

it('cpu-grid counts candidates in larger cells if the box is mostly empty', async () => {
  const scene = createBenchScene('huge', { dimensions: 2, count: COUNT });
  const edge = (scene.max[0] as number) - (scene.min[0] as number);
  const near = countPairs(scene, areNear(scene, scene.frame(0), edge / Math.sqrt(16 * COUNT)));
  expect((await workOf(CPU_GRID, scene)).tests).toBe(near);
});

describe('packages', () => {
  const scenes = ['uniform', 'line-y', 'mixed'].map((name) =>
    createBenchScene(name, { dimensions: 2, count: 300 }),
  );
  const accepted = scenes.flatMap((scene) =>
    PEERS.filter((peer) => !peer.refuse?.(scene)).map(
      (peer) => [peer.name, scene.name, peer, scene] as const,
    ),
  );

  it.each(accepted)(
    '%s counts as many distance tests as it makes, in the scene %s',
    async (_, _name, peer, scene) => {
      const spy = vi.spyOn(Overlaps.prototype, 'testPair');
      const runner = await peer.open(scene);
      const positions = scene.frame(0);
      runner.place(positions);
      runner.build();
      const { count: pairs } = runner.query();
      const calls = spy.mock.calls.length;
      spy.mockRestore();
      const { candidates, tests = 0, counted } = runner.countWork?.(positions) ?? {};
      expect(runner.query().count).toBe(pairs);
      runner.destroy?.();
      const inside =
        { kdbush: candidates ?? 0, 'matter-js': tests - calls, box2d3: tests - calls }[peer.name] ?? 0;
      expect(tests).toBe(calls + inside);
      if (peer.name === 'matter-js' || peer.name === 'box2d3') expect(inside).toBeGreaterThanOrEqual(calls);
      expect(tests).toBeGreaterThanOrEqual(pairs);
      expect(candidates ?? tests).toBeGreaterThanOrEqual(pairs);
      expect(counted).toBe(candidates === undefined ? 'package' : 'loop');
    },
  );

  for (const scene of scenes) {
    const { count, radius } = scene;
    const positions = scene.frame(0);
    const x = (body: number) => positions[2 * body] as number;
    const y = (body: number) => positions[2 * body + 1] as number;
    const peerNamed = (name: string) => PEERS.find((peer) => peer.name === name) as CpuEngine;

    if (!scene.radii) {
      it(`kdbush reads as many bodies as are counted, in the scene ${scene.name}`, async () => {
        const index = new KDBush(count, 64, Float32Array);
        for (let body = 0; body < count; body++) index.add(x(body), y(body));
        index.finish();
        let reads = 0;
        const spied = Object.create(index, {
          coords: { value: watched(index.coords, () => reads++) },
        }) as typeof index;
        for (let body = 0; body < count; body++) {
          spied.withinInto(x(body), y(body), 2 * radius, new Uint32Array(count));
        }
        // A search reads two coordinates per body, and also reads its own body.
        expect((await workOf(peerNamed('kdbush'), scene)).candidates).toBe(reads / 2 - count);
      });
    }

    it(`flatbush reads as many boxes as are counted, in the scene ${scene.name}`, async () => {
      const index = new Flatbush(count, 16, Float32Array);
      const box = (body: number) => {
        const own = radiusIn(scene, body);
        return [x(body) - own, y(body) - own, x(body) + own, y(body) + own].map(Math.fround) as [
          number,
          number,
          number,
          number,
        ];
      };
      for (let body = 0; body < count; body++) index.add(...box(body));
      index.finish();
      let reads = 0;
      const spied = Object.create(index, {
        _boxes: {
          value: watched(index._boxes, (word) => {
            if (word % 4 === 0 && word < 4 * count) reads++;
          }),
        },
      }) as typeof index;
      for (let body = 0; body < count; body++) spied.search(...box(body), () => false);
      expect((await workOf(peerNamed('flatbush'), scene)).candidates).toBe(reads - count);
    });

    it(`rbush reads as many boxes as are counted, in the scene ${scene.name}`, async () => {
      let reads = 0;
      class Spied extends RBush<{ minX: number; minY: number; maxX: number; maxY: number }> {
        override toBBox(item: { minX: number; minY: number; maxX: number; maxY: number }) {
          reads++;
          return item;
        }
      }
      const items = Array.from({ length: count }, (_, body) => {
        const own = radiusIn(scene, body);
        return { minX: x(body) - own, minY: y(body) - own, maxX: x(body) + own, maxY: y(body) + own };
      });
      const tree = new Spied();
      tree.load(items);
      reads = 0;
      // A node inside a box is taken without reading the boxes in it.
      const all = vi.spyOn(
        tree as unknown as { _all(node: { children: unknown[] }, result: unknown[]): unknown },
        '_all',
      );
      let without = 0;
      all.mockImplementation((node, result) => {
        const items: unknown[] = node.children;
        without += items.length;
        result.push(...items);
        return result;
      });
      for (const item of items) tree.search(item);
      expect((await workOf(peerNamed('rbush'), scene)).candidates).toBe(reads + without - count);
    });
  }

  it('map-hash and cpu-grid have the same cells, which map-hash visits from both sides', async () => {
    const [scene] = scenes as [BenchScene];
    const { tests } = await workOf(CPU_GRID, scene);
    const hash = await workOf(PEERS.find(({ name }) => name === 'map-hash') as CpuEngine, scene);
    expect(hash).toMatchObject({ candidates: 2 * tests, tests, counted: 'loop' });
  });
});
