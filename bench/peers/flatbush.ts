/** Wraps flatbush's packed Hilbert R-tree: stores a box per body, and searches with each box. */
import type { CpuEngine } from '../harness/engine';
import { loadPeer } from './load';
import { Overlaps, refuse3D } from './overlaps';

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
    return {
      place: (positions) => overlaps.place(positions),
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
