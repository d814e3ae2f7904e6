/** Wraps kdbush's k-d tree, used as its author advises: coordinates in a typed array, and one array for all results. */
import type { CpuEngine, Work } from '../harness/engine';
import { loadPeer } from './load';
import { Overlaps, refuse3D } from './overlaps';

export const KDBUSH: CpuEngine = {
  name: 'kdbush',
  peer: 'kdbush',
  backend: 'cpu',
  about: 'k-d tree: Float32Array coordinates in nodes of 64; a query calls withinInto once per body.',
  refuse(scene) {
    if (scene.radii)
      return 'It stores points without radii, so every query would have to use the largest radius.';
    return refuse3D(scene);
  },
  async open(scene) {
    const { default: KDBush } = await loadPeer('kdbush', () => import('kdbush'));
    const { count, radius } = scene;
    const overlaps = new Overlaps(scene);
    const create = () => new KDBush(count, 64, Float32Array);
    const near = new Uint32Array(count);
    let index: ReturnType<typeof create> | undefined;
    /** Repeats the search of `withinInto`, which tests the distance of each body that it reads. */
    function countWork(positions: Float32Array): Work {
      let candidates = 0;
      let tests = 0;
      const reach = 2 * radius;
      const stack: number[] = [];
      for (let body = 0; body < count && index; body++) {
        const { ids, coords, nodeSize } = index;
        const x = positions[2 * body] as number;
        const y = positions[2 * body + 1] as number;
        const take = (entry: number): void => {
          const other = ids[entry] as number;
          if (other === body) return;
          candidates++;
          tests++;
          const dx = (coords[2 * entry] as number) - x;
          const dy = (coords[2 * entry + 1] as number) - y;
          // `testPair` tests each found pair again.
          if (other > body && dx * dx + dy * dy <= reach * reach) tests++;
        };
        stack.push(0, count - 1, 0);
        while (stack.length > 0) {
          const axis = stack.pop() as number;
          const right = stack.pop() as number;
          const left = stack.pop() as number;
          if (right - left <= nodeSize) {
            for (let entry = left; entry <= right; entry++) take(entry);
            continue;
          }
          const middle = (left + right) >> 1;
          take(middle);
          const own = axis === 0 ? x : y;
          const cut = coords[2 * middle + axis] as number;
          if (own - reach <= cut) stack.push(left, middle - 1, 1 - axis);
          if (own + reach >= cut) stack.push(middle + 1, right, 1 - axis);
        }
      }
      return { candidates, tests, counted: 'loop' };
    }

    return {
      place: (positions) => overlaps.place(positions),
      countWork,
      build() {
        const { positions } = overlaps;
        index = create();
        for (let body = 0; body < count; body++) {
          index.add(positions[2 * body] as number, positions[2 * body + 1] as number);
        }
        index.finish();
      },
      query() {
        const { positions } = overlaps;
        overlaps.clear();
        for (let body = 0; body < count && index; body++) {
          const x = positions[2 * body] as number;
          const y = positions[2 * body + 1] as number;
          const found = index.withinInto(x, y, 2 * radius, near);
          for (let entry = 0; entry < found; entry++) {
            const other = near[entry] as number;
            if (other > body) overlaps.testPair(body, other);
          }
        }
        return overlaps;
      },
      get memoryBytes() {
        return index?.data.byteLength;
      },
    };
  },
};
