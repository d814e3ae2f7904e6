/** Wraps flatbush's packed Hilbert R-tree: stores a box per body, and searches with each box. */
import type { CpuEngine, Work } from '../harness/engine';
import { loadPeer } from './load';
import { Overlaps, refuse3D } from './overlaps';

/** The arrays of flatbush's tree: boxes of bodies, then of nodes, and for each box its body or its first child. */
interface Tree {
  readonly _boxes: Float32Array;
  readonly _indices: Uint32Array;
  readonly _levelBounds: readonly number[];
  readonly nodeSize: number;
}

export const FLATBUSH: CpuEngine = {
  name: 'flatbush',
  peer: 'flatbush',
  backend: 'cpu',
  boxes: true,
  about:
    'Packed Hilbert R-tree: Float32Array boxes in nodes of 16; a query searches once per body, with a filter instead of a list of results.',
  refuse: refuse3D,
  async open(scene) {
    const { default: Flatbush } = await loadPeer('flatbush', () => import('flatbush'));
    const { count } = scene;
    const overlaps = new Overlaps(scene);
    const create = () => new Flatbush(count, 16, Float32Array);
    let index: ReturnType<typeof create> | undefined;
    /** Repeats the search. Each body whose box is compared is a candidate. */
    function countWork(positions: Float32Array): Work {
      let candidates = 0;
      let tests = 0;
      if (!index) return { candidates, tests, counted: 'loop' };
      const { _boxes: boxes, _indices: indices, _levelBounds: bounds, nodeSize } = index as unknown as Tree;
      for (let body = 0; body < count; body++) {
        const x = positions[2 * body] as number;
        const y = positions[2 * body + 1] as number;
        const halfX = overlaps.extentOf(body, 0);
        const halfY = overlaps.extentOf(body, 1);
        const [minX, minY] = [Math.fround(x - halfX), Math.fround(y - halfY)];
        const [maxX, maxY] = [Math.fround(x + halfX), Math.fround(y + halfY)];
        const walk = (node: number, level: number): void => {
          const end = Math.min(node + 4 * nodeSize, bounds[level] as number);
          for (let box = node; box < end; box += 4) {
            const other = indices[box >> 2] as number;
            const meets =
              (boxes[box] as number) <= maxX &&
              (boxes[box + 1] as number) <= maxY &&
              (boxes[box + 2] as number) >= minX &&
              (boxes[box + 3] as number) >= minY;
            if (level > 0) {
              if (meets) walk(other, level - 1);
              continue;
            }
            if (other !== body) candidates++;
            if (meets && other > body) tests++;
          }
        };
        walk(boxes.length - 4, bounds.length - 1);
      }
      return { candidates, tests, counted: 'loop' };
    }

    return {
      place: (positions) => overlaps.place(positions),
      countWork,
      build() {
        // flatbush rejects an empty index.
        if (count === 0) return;
        const { positions } = overlaps;
        index = create();
        for (let body = 0; body < count; body++) {
          const x = positions[2 * body] as number;
          const y = positions[2 * body + 1] as number;
          const halfX = overlaps.extentOf(body, 0);
          const halfY = overlaps.extentOf(body, 1);
          index.add(x - halfX, y - halfY, x + halfX, y + halfY);
        }
        index.finish();
      },
      query() {
        const { positions } = overlaps;
        overlaps.clear();
        let body = 0;
        const take = (other: number) => {
          if (other > body) overlaps.testPair(body, other);
          return false;
        };
        for (; body < count && index; body++) {
          const x = positions[2 * body] as number;
          const y = positions[2 * body + 1] as number;
          const halfX = overlaps.extentOf(body, 0);
          const halfY = overlaps.extentOf(body, 1);
          index.search(
            Math.fround(x - halfX),
            Math.fround(y - halfY),
            Math.fround(x + halfX),
            Math.fround(y + halfY),
            take,
          );
        }
        return overlaps;
      },
      get memoryBytes() {
        return index?.data.byteLength;
      },
    };
  },
};
