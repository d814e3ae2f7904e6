/** Wraps `createCpuBoxPairs`. Takes the boxes around discs and balls too, and then tests these themselves. */
import { createCpuBoxPairs } from '../../../src/cpu';
import type { CpuEngine } from '../../harness/engine';
import { Overlaps } from '../../peers/overlaps';

export const CPU_BOXES: CpuEngine = {
  name: 'cpu-boxes',
  backend: 'cpu',
  boxes: true,
  about: 'createCpuBoxPairs: sorts boxes into rows, on levels by their size, and sweeps along the rows.',
  open(scene) {
    const { dimensions, count, halfExtents } = scene;
    const overlaps = new Overlaps(scene);
    const finder = createCpuBoxPairs({ dimensions });
    const boxes = new Float32Array(2 * dimensions * count);
    let memory: number | undefined;
    return {
      place: (positions) => overlaps.place(positions),
      build() {
        const { positions } = overlaps;
        for (let body = 0; body < count; body++) {
          for (let axis = 0; axis < dimensions; axis++) {
            const centre = positions[body * dimensions + axis] as number;
            const half = overlaps.extentOf(body, axis);
            boxes[2 * dimensions * body + axis] = centre - half;
            boxes[2 * dimensions * body + dimensions + axis] = centre + half;
          }
        }
        finder.build(boxes);
        // Later, the finder's memory includes a long list of pairs.
        memory ??= boxes.byteLength + finder.memoryBytes;
      },
      query() {
        if (halfExtents) return finder.collectPairs();
        overlaps.clear();
        finder.forEachPair((a, b) => overlaps.testPair(a, b));
        return overlaps;
      },
      get memoryBytes() {
        return memory;
      },
    };
  },
};
