/** Purpose: every pair is looked at: what is fastest for a few bodies, and what the others must beat. */
import type { CpuEngine } from '../../harness/engine';
import { PairSink } from '../../harness/pair-sink';

export const CPU_NAIVE: CpuEngine = {
  name: 'cpu-naive',
  backend: 'cpu',
  about: 'All n(n−1)/2 pairs, two loops over typed arrays.',
  open({ dimensions, radius, radii }) {
    const sink = new PairSink();
    let placed = new Float32Array(0);
    return {
      place(positions) {
        placed = positions as Float32Array<ArrayBuffer>;
      },
      build() {},
      query() {
        sink.clear();
        const positions = placed;
        const count = positions.length / dimensions;
        for (let a = 0; a < count; a++) {
          const x = positions[a * dimensions] as number;
          const y = positions[a * dimensions + 1] as number;
          const z = dimensions === 3 ? (positions[a * dimensions + 2] as number) : 0;
          for (let b = a + 1; b < count; b++) {
            const dx = (positions[b * dimensions] as number) - x;
            const dy = (positions[b * dimensions + 1] as number) - y;
            const dz = dimensions === 3 ? (positions[b * dimensions + 2] as number) - z : 0;
            const reach = radii ? (radii[a] as number) + (radii[b] as number) : 2 * radius;
            if (dx * dx + dy * dy + dz * dz < reach * reach) sink.add(a, b);
          }
        }
        return sink;
      },
    };
  },
};
