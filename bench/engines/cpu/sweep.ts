/**
 * Sweep and prune: sorts intervals along an axis by their lower ends, then compares each interval with later ones that
 * begin before its end. The engines differ in the axis and in how a build sorts.
 */
import { FloatOrder } from '../../../src/cpu/shared/float-order';
import type { CpuEngine, Work } from '../../harness/engine';
import { PairSink } from '../../harness/pair-sink';
import type { BenchScene } from '../../harness/scenes';

interface SweepKind {
  readonly name: string;
  readonly about: string;
  readonly byDefault?: false;
  /** Chooses the axis along which the positions of a frame vary most, instead of x. */
  readonly widest?: boolean;
  /** Moves each body to its new slot by insertion, beginning with the order of the last build. */
  readonly coherent?: boolean;
}

function sweep({ name, about, byDefault, ...kind }: SweepKind): CpuEngine {
  return {
    name,
    backend: 'cpu',
    boxes: true,
    byDefault,
    about,
    open(scene) {
      const sweep = new Sweep(scene, kind);
      return {
        place: (positions) => {
          sweep.positions = positions;
        },
        build: () => sweep.build(),
        query: () => sweep.query(),
        countWork: () => sweep.countWork(),
        memoryBytes: sweep.memoryBytes,
      };
    },
  };
}

export const CPU_SWEEP = sweep({
  name: 'cpu-sweep',
  about:
    'Sweep and prune: every build radix-sorts intervals along x, and a query sweeps over them; typed arrays.',
});

export const CPU_SWEEP_WIDEST = sweep({
  name: 'cpu-sweep-widest',
  about: 'cpu-sweep along the axis on which positions vary most. Every build finds this axis anew.',
  widest: true,
});

export const CPU_SWEEP_COHERENT = sweep({
  name: 'cpu-sweep-coherent',
  about:
    'cpu-sweep, but only the first build radix-sorts. Later builds sort the last order by insertion, which is quick if little moves.',
  coherent: true,
});

/** Numbers per slot: three for the centre, swept axis first, then half of each edge or, without boxes, the radius. */
const STRIDE = 6;
const RADIUS = 3;

class Sweep {
  positions = new Float32Array(0) as Float32Array;
  private readonly sink = new PairSink();
  private readonly order: FloatOrder;
  private readonly ids: Uint32Array;
  private readonly begins: Float32Array;
  private readonly bodies: Float32Array;
  /** The swept axis, then the others. */
  private axes: readonly number[];
  private isSorted = false;

  constructor(
    private readonly scene: BenchScene,
    private readonly kind: Pick<SweepKind, 'widest' | 'coherent'>,
  ) {
    const { count, dimensions } = scene;
    this.order = new FloatOrder(count);
    this.ids = new Uint32Array(count);
    this.begins = new Float32Array(count);
    this.bodies = new Float32Array(STRIDE * count);
    this.axes = [0, 1, 2].slice(0, dimensions);
  }

  get memoryBytes(): number {
    const { order, ids, begins, bodies } = this;
    return order.memoryBytes + ids.byteLength + begins.byteLength + bodies.byteLength;
  }

  build(): void {
    if (this.kind.widest) this.chooseAxis();
    const { scene, order, positions } = this;
    const { dimensions, count, radius, radii, halfExtents } = scene;
    const [axis = 0] = this.axes;
    const { keys } = order;
    for (let body = 0; body < count; body++) {
      const at = body * dimensions + axis;
      const half = halfExtents ? (halfExtents[at] as number) : radii ? (radii[body] as number) : radius;
      keys[body] = (positions[at] as number) - half;
    }
    if (this.kind.coherent && this.isSorted) this.sortByInsertion();
    else this.ids.set(order.sort());
    this.isSorted = true;
    this.store();
  }

  private chooseAxis(): void {
    const { scene, positions } = this;
    const { dimensions, count } = scene;
    const variances = this.axes.map((_, axis) => {
      let sum = 0;
      let squares = 0;
      for (let at = axis; at < dimensions * count; at += dimensions) {
        const position = positions[at] as number;
        sum += position;
        squares += position * position;
      }
      return squares / count - (sum / count) ** 2;
    });
    const widest = count > 0 ? variances.indexOf(Math.max(...variances)) : 0;
    this.axes = variances.map((_, index) => (widest + index) % dimensions);
  }

  private sortByInsertion(): void {
    const { ids, order } = this;
    const { keys } = order;
    for (let slot = 1; slot < ids.length; slot++) {
      const body = ids[slot] as number;
      const key = keys[body] as number;
      let target = slot;
      while (target > 0 && (keys[ids[target - 1] as number] as number) > key) {
        ids[target] = ids[target - 1] as number;
        target--;
      }
      ids[target] = body;
    }
  }

  private store(): void {
    const { scene, positions, ids, begins, bodies, axes } = this;
    const { dimensions, count, radius, radii, halfExtents } = scene;
    const { keys } = this.order;
    const [first = 0, second = 1, third = 0] = axes;
    for (let slot = 0; slot < count; slot++) {
      const body = ids[slot] as number;
      const from = body * dimensions;
      begins[slot] = keys[body] as number;
      bodies[STRIDE * slot] = positions[from + first] as number;
      bodies[STRIDE * slot + 1] = positions[from + second] as number;
      if (dimensions === 3) bodies[STRIDE * slot + 2] = positions[from + third] as number;
      if (halfExtents) {
        axes.forEach((axis, index) => {
          bodies[STRIDE * slot + RADIUS + index] = halfExtents[from + axis] as number;
        });
      } else bodies[STRIDE * slot + RADIUS] = radii ? (radii[body] as number) : radius;
    }
  }

  query(): PairSink {
    this.sink.clear();
    if (this.scene.halfExtents) this.sweepBoxes();
    else this.sweepBalls();
    return this.sink;
  }

  private sweepBalls(): void {
    const { sink, ids, begins, bodies, scene } = this;
    const { count } = scene;
    for (let slot = 0; slot < count; slot++) {
      const x = bodies[STRIDE * slot] as number;
      const y = bodies[STRIDE * slot + 1] as number;
      const z = bodies[STRIDE * slot + 2] as number;
      const own = bodies[STRIDE * slot + RADIUS] as number;
      // Round to 32 bits, like `begins`; otherwise the loop could miss a pair.
      const end = Math.fround(x + own);
      for (let other = slot + 1; other < count && (begins[other] as number) <= end; other++) {
        const reach = own + (bodies[STRIDE * other + RADIUS] as number);
        const dy = (bodies[STRIDE * other + 1] as number) - y;
        if (dy >= reach || dy <= -reach) continue;
        const dx = (bodies[STRIDE * other] as number) - x;
        const dz = (bodies[STRIDE * other + 2] as number) - z;
        if (dx * dx + dy * dy + dz * dz < reach * reach) sink.add(ids[slot] as number, ids[other] as number);
      }
    }
  }

  private sweepBoxes(): void {
    const { sink, ids, begins, bodies, scene } = this;
    const { count } = scene;
    for (let slot = 0; slot < count; slot++) {
      const y = bodies[STRIDE * slot + 1] as number;
      const z = bodies[STRIDE * slot + 2] as number;
      const halfY = bodies[STRIDE * slot + RADIUS + 1] as number;
      const halfZ = bodies[STRIDE * slot + RADIUS + 2] as number;
      const end = Math.fround((bodies[STRIDE * slot] as number) + (bodies[STRIDE * slot + RADIUS] as number));
      for (let other = slot + 1; other < count && (begins[other] as number) <= end; other++) {
        const at = STRIDE * other;
        const reachY = halfY + (bodies[at + RADIUS + 1] as number);
        if (Math.abs((bodies[at + 1] as number) - y) > reachY) continue;
        const reachZ = halfZ + (bodies[at + RADIUS + 2] as number);
        if (Math.abs((bodies[at + 2] as number) - z) > reachZ) continue;
        sink.add(ids[slot] as number, ids[other] as number);
      }
    }
  }

  /**
   * Counts what `query` does. Bodies whose intervals meet are candidates. Boxes are then always tested, balls only if
   * they are near along the second axis.
   */
  countWork(): Work {
    const { begins, bodies, scene } = this;
    const { count, halfExtents } = scene;
    let candidates = 0;
    let tests = 0;
    for (let slot = 0; slot < count; slot++) {
      const y = bodies[STRIDE * slot + 1] as number;
      const own = bodies[STRIDE * slot + RADIUS] as number;
      const end = Math.fround((bodies[STRIDE * slot] as number) + own);
      for (let other = slot + 1; other < count && (begins[other] as number) <= end; other++) {
        candidates++;
        const reach = own + (bodies[STRIDE * other + RADIUS] as number);
        if (halfExtents || Math.abs((bodies[STRIDE * other + 1] as number) - y) < reach) tests++;
      }
    }
    return { candidates, tests, counted: 'loop' };
  }
}
