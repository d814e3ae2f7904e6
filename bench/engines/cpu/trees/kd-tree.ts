/**
 * k-d tree: the median along the axis of greatest spread divides each range of slots, down to ranges of few bodies. The
 * tree needs no nodes: the middle slot of a range holds the median, and the slots before and after it are the two
 * halves.
 */
import type { CpuEngine, Work } from '../../../harness/engine';
import type { BenchScene } from '../../../harness/scenes';
import { SortedBodies } from '../sorted-bodies';

const LEAF = 8;
/** Room for the begins and ends of 64 ranges. A tree of 2³² bodies has fewer levels. */
const STACK = 128;

export const CPU_KD_TREE: CpuEngine = {
  name: 'cpu-kd-tree',
  backend: 'cpu',
  about:
    'k-d tree: medians along the axis of greatest spread, down to ranges of 8 bodies; a query searches the tree once per body.',
  open(scene) {
    const tree = new KdTree(scene);
    return {
      place: (positions) => tree.bodies.place(positions),
      build: () => tree.build(),
      query: () => tree.query(),
      countWork: () => tree.countWork(),
      get memoryBytes() {
        return tree.memoryBytes;
      },
    };
  },
};

class KdTree {
  readonly bodies: SortedBodies;
  /** Per range, indexed by its middle slot: the axis that divides it. */
  private readonly axes: Uint8Array;
  /** Per range, indexed by its middle slot: the greatest radius. */
  private readonly greatest: Float32Array;
  private readonly stack = new Uint32Array(STACK);

  constructor(private readonly scene: BenchScene) {
    this.bodies = new SortedBodies(scene);
    this.axes = new Uint8Array(scene.count);
    this.greatest = new Float32Array(scene.count);
  }

  get memoryBytes(): number {
    return this.bodies.memoryBytes + this.axes.byteLength + this.greatest.byteLength;
  }

  build(): void {
    this.bodies.storeById();
    this.divide(0, this.scene.count);
  }

  private divide(begin: number, end: number): void {
    if (end - begin <= LEAF) return;
    const { bodies, axes, greatest, scene } = this;
    const middle = (begin + end) >>> 1;
    let longest = 0;
    let length = -1;
    for (let axis = 0; axis < scene.dimensions; axis++) {
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      for (let slot = begin; slot < end; slot++) {
        const centre = bodies.centreOf(slot, axis);
        if (centre < low) low = centre;
        if (centre > high) high = centre;
      }
      if (high - low <= length) continue;
      longest = axis;
      length = high - low;
    }
    let radius = 0;
    for (let slot = begin; slot < end; slot++) radius = Math.max(radius, bodies.halfOf(slot, 0));
    this.select(begin, end - 1, middle, longest);
    axes[middle] = longest;
    greatest[middle] = radius;
    this.divide(begin, middle);
    this.divide(middle + 1, end);
  }

  /** Moves the median to slot `middle`, lower coordinates before it and higher ones after it. */
  private select(begin: number, end: number, middle: number, axis: number): void {
    const { bodies } = this;
    let [low, high] = [begin, end];
    while (low < high) {
      const pivot = this.medianOfThree(low, high, axis);
      let left = low;
      let right = high;
      while (left <= right) {
        while (bodies.centreOf(left, axis) < pivot) left++;
        while (bodies.centreOf(right, axis) > pivot) right--;
        if (left > right) break;
        bodies.swap(left++, right--);
      }
      if (middle <= right) high = right;
      else if (middle >= left) low = left;
      else return;
    }
  }

  private medianOfThree(low: number, high: number, axis: number): number {
    const { bodies } = this;
    const a = bodies.centreOf(low, axis);
    const b = bodies.centreOf((low + high) >>> 1, axis);
    const c = bodies.centreOf(high, axis);
    return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }

  query(): SortedBodies {
    const { bodies, scene } = this;
    bodies.clear();
    for (let slot = 0; slot < scene.count; slot++) this.search(slot);
    return bodies;
  }

  /** Finds the overlapping bodies in higher slots. */
  private search(slot: number): void {
    const { bodies, axes, greatest, stack, scene } = this;
    const own = bodies.halfOf(slot, 0);
    stack[0] = 0;
    stack[1] = scene.count;
    let depth = 2;
    while (depth > 0) {
      const end = stack[--depth] as number;
      const begin = stack[--depth] as number;
      if (end <= slot + 1) continue;
      if (end - begin <= LEAF) {
        for (let other = begin > slot ? begin : slot + 1; other < end; other++) bodies.testSlots(slot, other);
        continue;
      }
      const middle = (begin + end) >>> 1;
      const axis = axes[middle] as number;
      const reach = own + (greatest[middle] as number);
      const apart = bodies.centreOf(slot, axis) - bodies.centreOf(middle, axis);
      if (middle > slot) bodies.testSlots(slot, middle);
      if (apart < reach) {
        stack[depth++] = begin;
        stack[depth++] = middle;
      }
      if (apart > -reach) {
        stack[depth++] = middle + 1;
        stack[depth++] = end;
      }
    }
  }

  /** Counts what `query` does. A search tests each of its candidates, so both numbers are equal. */
  countWork(): Work {
    const { bodies, axes, greatest, scene } = this;
    let candidates = 0;
    const count = (slot: number, begin: number, end: number): void => {
      if (end - begin <= LEAF) {
        candidates += Math.max(0, end - Math.max(begin, slot + 1));
        return;
      }
      const middle = (begin + end) >>> 1;
      const axis = axes[middle] as number;
      const reach = bodies.halfOf(slot, 0) + (greatest[middle] as number);
      const apart = bodies.centreOf(slot, axis) - bodies.centreOf(middle, axis);
      if (middle > slot) candidates++;
      if (apart < reach) count(slot, begin, middle);
      if (apart > -reach) count(slot, middle + 1, end);
    };
    for (let slot = 0; slot < scene.count; slot++) count(slot, 0, scene.count);
    return { candidates, tests: candidates, counted: 'loop' };
  }
}
