/** Wraps box-intersect, whose query also builds its structure. */
import type { CpuEngine } from '../harness/engine';
import { loadPeer } from './load';
import { Overlaps } from './overlaps';

export const BOX_INTERSECT: CpuEngine = {
  name: 'box-intersect',
  peer: 'box-intersect',
  backend: 'cpu',
  boxes: true,
  about:
    'Interval trees and sweeps: the build updates one box array per body; everything else happens in the query.',
  async open(scene) {
    const { default: boxIntersect } = await loadPeer('box-intersect', () => import('box-intersect'));
    const { count, dimensions } = scene;
    const overlaps = new Overlaps(scene);
    const query = () => {
      overlaps.clear();
      boxIntersect(boxes, (a, b) => overlaps.testPair(a, b));
      return overlaps;
    };
    const boxes = Array.from({ length: count }, () => new Array<number>(2 * dimensions).fill(0));
    return {
      place: (positions) => overlaps.place(positions),
      build() {
        const { positions } = overlaps;
        for (let body = 0; body < count; body++) {
          const box = boxes[body] as number[];
          for (let axis = 0; axis < dimensions; axis++) {
            const centre = positions[body * dimensions + axis] as number;
            const half = overlaps.extentOf(body, axis);
            box[axis] = centre - half;
            box[dimensions + axis] = centre + half;
          }
        }
      },
      query,
      countWork: () => ({ tests: overlaps.countTests(query), counted: 'package' }),
    };
  },
};
