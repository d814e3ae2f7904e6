/**
 * Sweep and prune: sorts intervals along x by their lower ends, then compares each interval with later ones that begin
 * before its end. Each build sorts anew, which costs little compared with the sweep.
 */
import type { CpuEngine } from '../../harness/engine';
import { PairSink } from '../../harness/pair-sink';
import { FloatOrder } from './float-order';

export const CPU_SWEEP: CpuEngine = {
  name: 'cpu-sweep',
  backend: 'cpu',
  about:
    'Sweep and prune: every build radix-sorts intervals along x, and a query sweeps over them; typed arrays.',
  open({ dimensions, count, radius, radii }) {
    const sink = new PairSink();
    const order = new FloatOrder(count);
    const ids = new Uint32Array(count);
    const begins = new Float32Array(count);
    // Four floats per body, in sorted order: its centre and radius.
    const bodies = new Float32Array(4 * count);
    let current = new Float32Array(0);

    function build(): void {
      const positions = current;
      const { keys } = order;
      for (let body = 0; body < count; body++) {
        keys[body] = (positions[body * dimensions] as number) - (radii ? (radii[body] as number) : radius);
      }
      const sorted = order.sort();
      for (let slot = 0; slot < count; slot++) {
        const body = sorted[slot] as number;
        const from = body * dimensions;
        ids[slot] = body;
        begins[slot] = keys[body] as number;
        bodies[4 * slot] = positions[from] as number;
        bodies[4 * slot + 1] = positions[from + 1] as number;
        bodies[4 * slot + 2] = dimensions === 3 ? (positions[from + 2] as number) : 0;
        bodies[4 * slot + 3] = radii ? (radii[body] as number) : radius;
      }
    }

    function query(): PairSink {
      sink.clear();
      for (let slot = 0; slot < count; slot++) {
        const x = bodies[4 * slot] as number;
        const y = bodies[4 * slot + 1] as number;
        const z = bodies[4 * slot + 2] as number;
        const own = bodies[4 * slot + 3] as number;
        // Round to 32 bits, like `begins`; otherwise the loop could miss a pair.
        const end = Math.fround(x + own);
        for (let other = slot + 1; other < count && (begins[other] as number) <= end; other++) {
          const reach = own + (bodies[4 * other + 3] as number);
          const dy = (bodies[4 * other + 1] as number) - y;
          if (dy >= reach || dy <= -reach) continue;
          const dx = (bodies[4 * other] as number) - x;
          const dz = (bodies[4 * other + 2] as number) - z;
          if (dx * dx + dy * dy + dz * dz < reach * reach) {
            sink.add(ids[slot] as number, ids[other] as number);
          }
        }
      }
      return sink;
    }

    return {
      place(positions) {
        current = positions as Float32Array<ArrayBuffer>;
      },
      build,
      query,
      memoryBytes: order.memoryBytes + ids.byteLength + begins.byteLength + bodies.byteLength,
    };
  },
};
