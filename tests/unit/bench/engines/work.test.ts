/** Compares the work that engines report with brute force, or with the calls and reads that they make. */
import Flatbush from 'flatbush';
import KDBush from 'kdbush';
import RBush from 'rbush';
import { describe, expect, it, vi } from 'vitest';
import { CPU_ENGINES } from '../../../../bench/engines/cpu';
import { CPU_GRID } from '../../../../bench/engines/cpu/grid';
import { HASH_NUMBERS, type HashName, hashCell, mixHash } from '../../../../bench/engines/cpu/hash-functions';
import { bucketsFor, FIXED_BUCKETS } from '../../../../bench/engines/cpu/hash-tables';
import { CPU_NAIVE } from '../../../../bench/engines/cpu/naive';
import { SortedBodies } from '../../../../bench/engines/cpu/sorted-bodies';
import { CPU_TIGHT } from '../../../../bench/engines/cpu/tight';
import { workOfSweep } from '../../../../bench/engines/work';
import { type CpuEngine, refusalOf, type Work } from '../../../../bench/harness/engine';
import { type BenchScene, createBenchScene } from '../../../../bench/harness/scenes';
import { PEERS } from '../../../../bench/peers';
import { Overlaps } from '../../../../bench/peers/overlaps';
import { createCpuBoxChunks, createCpuBoxPairs, createCpuLevelGrid } from '../../../../src/cpu';
import { CORNERS } from '../../../../src/cpu/boxes/order';
import { BoxSweep } from '../../../../src/cpu/boxes/sweep';
import { collect2D, collect3D } from '../../../../src/cpu/levels/dense';
import type { LevelOrder } from '../../../../src/cpu/levels/order';

const COUNT = 500;
const NAMES = [
  'uniform',
  'clustered',
  'one-cell',
  'line-x',
  'line-y',
  'mixed',
  'boxes',
  'boxes-mixed',
  'boxes-long',
];
const CASES = NAMES.flatMap((name) => ([2, 3] as const).map((dimensions) => ({ name, dimensions })));

async function workOf(engine: CpuEngine, scene: BenchScene): Promise<Work & { readonly pairs: number }> {
  const runner = await engine.open(scene);
  const positions = scene.frame(0);
  runner.place(positions);
  runner.build();
  const { count: pairs } = runner.query();
  const work = runner.countWork?.(positions);
  if (!work) throw new Error(`${engine.name} cannot tell its work.`);
  // Counting must leave the engine as it was.
  expect(runner.query().count).toBe(pairs);
  runner.destroy?.();
  return { ...work, pairs };
}

function boxesOf(scene: BenchScene): Float32Array {
  const { dimensions, count } = scene;
  const positions = scene.frame(0);
  return Float32Array.from({ length: 2 * dimensions * count }, (_, word) => {
    const body = Math.floor(word / (2 * dimensions));
    const axis = word % dimensions;
    const half = extentIn(scene, body, axis);
    return (
      (positions[dimensions * body + axis] as number) + (word % (2 * dimensions) < dimensions ? -half : half)
    );
  });
}

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

/** Half the length of a body along an axis. */
const extentIn = (scene: BenchScene, body: number, axis: number) =>
  scene.halfExtents?.[scene.dimensions * body + axis] ?? radiusIn(scene, body);

const engineNamed = (name: string) =>
  [...CPU_ENGINES, ...PEERS].find((engine) => engine.name === name) as CpuEngine;

/** The CPU engines that use SortedBodies. */
const SORTED = /^cpu-(rows|morton|teschner|hash-.*|.*quadtree|kd-tree|bvh)$/;
const HASHES: [string, HashName, number][] = [
  ['cpu-teschner', 'teschner', FIXED_BUCKETS],
  ['cpu-hash-teschner', 'teschner', bucketsFor(COUNT)],
  ['cpu-hash-mix', 'mix', bucketsFor(COUNT)],
  ['cpu-hash-morton', 'morton', bucketsFor(COUNT)],
];

/** Returns a view of an array that calls `read` with each index that is read. */
function watched<List extends ArrayLike<number>>(list: List, read: (index: number) => void): List {
  return new Proxy(list as List & object, {
    get(target, name) {
      if (typeof name === 'string' && /^\d+$/.test(name)) read(Number(name));
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe.each(CASES)('in the scene $name in $dimensions dimensions', ({ name, dimensions }) => {
  const scene = createBenchScene(name, { dimensions, count: COUNT });
  const positions = scene.frame(0);
  const { count, radii, halfExtents } = scene;
  const all = (count * (count - 1)) / 2;

  it('cpu-naive tests n(n−1)/2 pairs', async () => {
    expect(await workOf(CPU_NAIVE, scene)).toMatchObject({ candidates: all, tests: all, counted: 'formula' });
  });

  if (!radii && !halfExtents) {
    it('cpu-grid and cpu-tight test the pairs of the same or adjacent cells', async () => {
      const near = countPairs(scene, areNear(scene, positions));
      for (const engine of [CPU_GRID, CPU_TIGHT]) {
        expect(await workOf(engine, scene), engine.name).toMatchObject({ candidates: near, tests: near });
      }
    });
  }

  const along = (axis: number) => (body: number) => positions[dimensions * body + axis] as number;
  const meetAlong = (axis: number) => (a: number, b: number) =>
    Math.abs(along(axis)(a) - along(axis)(b)) <= extentIn(scene, a, axis) + extentIn(scene, b, axis);

  it('the sweeps propose pairs whose intervals meet; they test balls only if near along the next axis', async () => {
    const bodies = Array.from({ length: count }, (_, body) => body);
    const variances = Array.from({ length: dimensions }, (_, axis) => {
      const mean = bodies.reduce((sum, body) => sum + along(axis)(body), 0) / count;
      return bodies.reduce((sum, body) => sum + (along(axis)(body) - mean) ** 2, 0);
    });
    const widest = variances.indexOf(Math.max(...variances));
    for (const [name, axis] of [
      ['cpu-sweep', 0],
      ['cpu-sweep-coherent', 0],
      ['cpu-sweep-widest', widest],
    ] as const) {
      const meet = meetAlong(axis);
      const next = along((axis + 1) % dimensions);
      const isNear = (a: number, b: number) =>
        Math.abs(next(a) - next(b)) < radiusIn(scene, a) + radiusIn(scene, b);
      const candidates = countPairs(scene, meet);
      const tests = countPairs(scene, (a, b) => meet(a, b) && (halfExtents !== undefined || isNear(a, b)));
      expect(await workOf(engineNamed(name), scene), name).toMatchObject({
        candidates,
        tests,
        counted: 'loop',
      });
    }
  });

  if (!halfExtents) {
    it('a sweep on the GPU tests pairs whose intervals along x meet', () => {
      const x = along(0);
      const reach = (a: number, b: number) => radiusIn(scene, a) + radiusIn(scene, b);
      const meeting = countPairs(scene, (a, b) => Math.abs(x(a) - x(b)) < reach(a, b));
      expect(workOfSweep(scene, positions)).toMatchObject({ candidates: meeting, tests: meeting });
    });
  }

  const sorted = CPU_ENGINES.filter((engine) => SORTED.test(engine.name) && !refusalOf(engine, scene));
  it.each(sorted)('$name counts the tests that it makes', async (engine) => {
    const spy = vi.spyOn(SortedBodies.prototype, 'testSlots');
    const runner = await engine.open(scene);
    runner.place(positions);
    runner.build();
    const { count: pairs } = runner.query();
    const tests = spy.mock.calls.length;
    spy.mockRestore();
    expect(tests).toBeGreaterThanOrEqual(pairs);
    const work = runner.countWork?.(positions);
    expect(work?.tests).toBe(tests);
    if (!engine.name.includes('hash') && engine.name !== 'cpu-teschner') expect(work?.candidates).toBe(tests);
    expect(runner.query().count).toBe(pairs);
  });

  if (!halfExtents) {
    it.each(HASHES)(
      '%s proposes the bodies in later slots of the buckets around a body',
      async (name, hash, buckets) => {
        const cells = Array.from({ length: count }, (_, body) =>
          [0, 1, 2].map((axis) =>
            axis < dimensions ? Math.floor(along(axis)(body) / (2 * scene.radius)) : 0,
          ),
        );
        const bucketOf = ([x = 0, y = 0, z = 0]: readonly number[]) =>
          hashCell(HASH_NUMBERS[hash], dimensions === 3, x, y, z) % buckets;
        const own = cells.map(bucketOf);
        const offsets = dimensions === 3 ? [-1, 0, 1] : [0];
        const around = cells.map(([x = 0, y = 0, z = 0]) =>
          offsets.flatMap((dz) =>
            [-1, 0, 1].flatMap((dy) => [-1, 0, 1].map((dx) => bucketOf([x + dx, y + dy, z + dz]))),
          ),
        );
        // Slots are in the order of buckets and, inside a bucket, in the order of ids.
        let candidates = 0;
        countPairs(scene, (a, b) => {
          const [first, second] = (own[a] as number) <= (own[b] as number) ? [a, b] : [b, a];
          candidates += (around[first] as number[]).filter((bucket) => bucket === own[second]).length;
          return false;
        });
        expect((await workOf(engineNamed(name), scene)).candidates).toBe(candidates);
      },
    );
  }

  it('cpu-boxes proposes the pairs that its sweeps compare; it tests balls only if their boxes meet', async () => {
    const finder = createCpuBoxPairs({ dimensions });
    finder.build(boxesOf(scene));
    const { order } = finder as unknown as { order: { corners: Float32Array } };
    let reads = 0;
    // A sweep reads the low end along y of its own box, and of each candidate.
    order.corners = watched(order.corners, (index) => {
      if (index % CORNERS === 1) reads++;
    });
    const spy = vi.spyOn(BoxSweep.prototype as unknown as { sweep: () => void }, 'sweep');
    const meeting = finder.countPairs();
    const candidates = reads - spy.mock.calls.length;
    spy.mockRestore();
    const tests = halfExtents ? candidates : meeting;
    expect(await workOf(engineNamed('cpu-boxes'), scene)).toMatchObject({
      candidates,
      tests,
      counted: 'loop',
    });
  });

  it('cpu-box-cells proposes pairs in one bucket, and tests once each pair whose boxes share a cell', async () => {
    const axes = [0, 1, 2].slice(0, dimensions);
    const bodies = Array.from({ length: count }, (_, body) => body);
    const edges = Float32Array.from(bodies, (body) =>
      Math.max(...axes.map((axis) => 2 * extentIn(scene, body, axis))),
    ).sort();
    const inverse = 1 / (edges[Math.floor(0.9 * count)] as number);
    const touched = bodies.map((body) =>
      [0, 1, 2].map((axis) => {
        if (axis >= dimensions) return [0];
        const half = extentIn(scene, body, axis);
        const first = Math.floor((along(axis)(body) - half) * inverse);
        const last = Math.floor((along(axis)(body) + half) * inverse);
        return Array.from({ length: last - first + 1 }, (_, step) => first + step);
      }),
    ) as [number[], number[], number[]][];
    const buckets = touched.map(([xs, ys, zs]) =>
      xs.flatMap((x) =>
        ys.flatMap((y) => zs.map((z) => mixHash(x, y, z) % 2 ** Math.ceil(Math.log2(2 * count + 1)))),
      ),
    );
    let candidates = 0;
    const tests = countPairs(scene, (a, b) => {
      for (const bucket of buckets[a] as number[]) {
        candidates += (buckets[b] as number[]).filter((other) => other === bucket).length;
      }
      return axes.every((axis) => touched[a]?.[axis]?.some((cell) => touched[b]?.[axis]?.includes(cell)));
    });
    const work = await workOf(engineNamed('cpu-box-cells'), scene);
    expect(work).toMatchObject({ candidates, tests, counted: 'loop' });
  });

  it('cpu-chunks proposes the pairs that its sweeps compare; it tests balls only if their boxes meet', async () => {
    const finder = createCpuBoxChunks({ dimensions });
    finder.build(boxesOf(scene));
    const { order } = finder as unknown as { order: { corners: Float32Array } };
    let reads = 0;
    // The sweeps read the low end along x once per member, and once per candidate.
    order.corners = watched(order.corners, (index) => {
      if (index % CORNERS === 0) reads++;
    });
    const meeting = finder.countPairs();
    const candidates = reads - finder.members;
    const tests = halfExtents ? candidates : meeting;
    expect(await workOf(engineNamed('cpu-chunks'), scene)).toMatchObject({
      candidates,
      tests,
      counted: 'loop',
    });
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

it('cpu-grid counts candidates in cells wider than a diameter if the box is mostly empty', async () => {
  const scene = createBenchScene('huge', { dimensions: 2, count: COUNT });
  const edge = (scene.max[0] as number) - (scene.min[0] as number);
  const near = countPairs(scene, areNear(scene, scene.frame(0), edge / Math.sqrt(16 * COUNT)));
  expect((await workOf(CPU_GRID, scene)).tests).toBe(near);
});

describe('packages', () => {
  const scenes = ['uniform', 'line-y', 'mixed', 'boxes-long'].map((name) =>
    createBenchScene(name, { dimensions: 2, count: 300 }),
  );
  const accepted = scenes.flatMap((scene) =>
    PEERS.filter((peer) => !refusalOf(peer, scene)).map(
      (peer) => [peer.name, scene.name, peer, scene] as const,
    ),
  );

  it.each(accepted)(
    '%s counts as many distance tests as it makes, in the scene %s',
    { tags: 'case' },
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

    if (!scene.radii && !scene.halfExtents) {
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
        // A search reads two coordinates per body, including those of its own body.
        expect((await workOf(engineNamed('kdbush'), scene)).candidates).toBe(reads / 2 - count);
      });
    }

    it(`flatbush reads as many boxes as are counted, in the scene ${scene.name}`, async () => {
      const index = new Flatbush(count, 16, Float32Array);
      const box = (body: number) => {
        const [halfX, halfY] = [extentIn(scene, body, 0), extentIn(scene, body, 1)];
        return [x(body) - halfX, y(body) - halfY, x(body) + halfX, y(body) + halfY].map(Math.fround) as [
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
      expect((await workOf(engineNamed('flatbush'), scene)).candidates).toBe(reads - count);
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
        const [halfX, halfY] = [extentIn(scene, body, 0), extentIn(scene, body, 1)];
        return { minX: x(body) - halfX, minY: y(body) - halfY, maxX: x(body) + halfX, maxY: y(body) + halfY };
      });
      const tree = new Spied();
      tree.load(items);
      reads = 0;
      // If a node lies inside the searched box, the tree takes all items of the node without reading their boxes.
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
      expect((await workOf(engineNamed('rbush'), scene)).candidates).toBe(reads + without - count);
    });
  }

  it('map-hash makes the same tests as cpu-grid, but proposes each pair from both sides', async () => {
    const [scene] = scenes as [BenchScene];
    const { tests } = await workOf(CPU_GRID, scene);
    const hash = await workOf(engineNamed('map-hash'), scene);
    expect(hash).toMatchObject({ candidates: 2 * tests, tests, counted: 'loop' });
  });
});
