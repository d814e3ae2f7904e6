/**
 * Bounding volume hierarchy: halves the box around the centres along its longest edge, down to leaves of few bodies.
 */
import type { CpuEngine, Work } from '../../../harness/engine';
import type { BenchScene } from '../../../harness/scenes';
import { SortedBodies } from '../sorted-bodies';
import { BoxTree } from './box-tree';

const LEAF = 4;

export const CPU_BVH: CpuEngine = {
  name: 'cpu-bvh',
  backend: 'cpu',
  boxes: true,
  about:
    'Bounding volume hierarchy: splits at the middle of the longest edge, down to leaves of at most 4 bodies; a query searches the tree once per body.',
  open(scene) {
    const tree = new Bvh(scene);
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

class Bvh {
  readonly bodies: SortedBodies;
  private readonly tree: BoxTree;

  constructor(private readonly scene: BenchScene) {
    this.bodies = new SortedBodies(scene);
    this.tree = new BoxTree(scene.dimensions, this.bodies);
  }

  get memoryBytes(): number {
    return this.bodies.memoryBytes + this.tree.memoryBytes;
  }

  build(): void {
    this.bodies.storeById();
    this.tree.clear();
    if (this.scene.count > 0) this.split(0, this.scene.count);
    this.tree.fit();
  }

  private split(begin: number, end: number): void {
    const { tree } = this;
    const node = tree.open(begin);
    if (end - begin <= LEAF) {
      tree.close(node, end, end);
      return;
    }
    const middle = this.partition(begin, end);
    this.split(begin, middle);
    this.split(middle, end);
    tree.close(node, begin, end);
  }

  /** Returns the first slot of the upper half. */
  private partition(begin: number, end: number): number {
    const { bodies, scene } = this;
    let longest = 0;
    let length = -1;
    let middle = 0;
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
      middle = (low + high) / 2;
    }
    // If all centres coincide, no plane divides them.
    if (length === 0) return (begin + end) >>> 1;
    let first = begin;
    let last = end - 1;
    while (first <= last) {
      if (bodies.centreOf(first, longest) <= middle) first++;
      else bodies.swap(first, last--);
    }
    return first;
  }

  query(): SortedBodies {
    this.tree.searchAll(false);
    return this.bodies;
  }

  countWork(): Work {
    return this.tree.countWork(false);
  }
}
