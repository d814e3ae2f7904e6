/** Wraps kdbush's k-d tree, used as its author advises: coordinates in a typed array, and one array for all results. */
import type { CpuEngine } from '../harness/engine';
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
    return {
      place: (positions) => overlaps.place(positions),
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
