/** Tests every pair, which is fastest for a few bodies. */
import type { CpuEngine, CpuRunner } from '../../harness/engine';
import { PairSink } from '../../harness/pair-sink';
import type { BenchScene } from '../../harness/scenes';
import { Overlaps } from '../../peers/overlaps';
import { allPairsOf } from '../work';

export const CPU_NAIVE: CpuEngine = {
  name: 'cpu-naive',
  backend: 'cpu',
  boxes: true,
  about: 'Tests all n(n−1)/2 pairs in two loops over typed arrays.',
  open(scene) {
    const { dimensions, count, radius, radii } = scene;
    if (scene.halfExtents) return openBoxes(scene);
    const sink = new PairSink();
    const radiusOf = radii ?? new Float32Array(count).fill(radius);
    const flat = new Float32Array(count);
    let current: Float32Array = flat;
    const axes = Array.from({ length: dimensions }, () => new Float32Array(count));
    const [xs = flat, ys = flat, zs = flat] = axes;
    return {
      place(positions) {
        current = positions;
      },
      build() {
        axes.forEach((along, axis) => {
          for (let body = 0; body < count; body++) along[body] = current[body * dimensions + axis] as number;
        });
      },
      query() {
        sink.clear();
        for (let a = 0; a < count; a++) {
          const x = xs[a] as number;
          const y = ys[a] as number;
          const z = zs[a] as number;
          const radiusA = radiusOf[a] as number;
          for (let b = a + 1; b < count; b++) {
            const dx = (xs[b] as number) - x;
            const dy = (ys[b] as number) - y;
            const dz = (zs[b] as number) - z;
            const reach = radiusA + (radiusOf[b] as number);
            if (dx * dx + dy * dy + dz * dz < reach * reach) sink.add(a, b);
          }
        }
        return sink;
      },
      countWork: () => allPairsOf(count),
      memoryBytes: 4 * dimensions * count,
    };
  },
};

function openBoxes(scene: BenchScene): CpuRunner {
  const overlaps = new Overlaps(scene);
  return {
    place: (positions) => overlaps.place(positions),
    build: () => undefined,
    query() {
      overlaps.clear();
      for (let a = 0; a < scene.count; a++) {
        for (let b = a + 1; b < scene.count; b++) overlaps.testPair(a, b);
      }
      return overlaps;
    },
    countWork: () => allPairsOf(scene.count),
    memoryBytes: 4 * scene.dimensions * scene.count,
  };
}
