/**
 * A tree of boxes over sorted bodies. Nodes are stored in depth-first order, parents first, and so are the slots of
 * their bodies. A search needs no stack: it goes on to the next node, or jumps to the first node after the subtree.
 */
import type { Work } from '../../../harness/engine';
import type { SortedBodies } from '../sorted-bodies';

const FIRST_NODES = 256;

export class BoxTree {
  private nodes = 0;
  private capacity = FIRST_NODES;
  /** The low corner, then the high corner of each node. */
  boxes: Float32Array;
  /** First slot of the node's own bodies. */
  private begins = new Uint32Array(FIRST_NODES);
  /** End of the node's own slots. The slots of its descendants follow. */
  private ownEnds = new Uint32Array(FIRST_NODES);
  /** End of the slots of the whole subtree. */
  private ends = new Uint32Array(FIRST_NODES);
  /** The first node after the subtree. */
  private skips = new Uint32Array(FIRST_NODES);

  constructor(
    private readonly dimensions: number,
    private readonly bodies: SortedBodies,
  ) {
    this.boxes = new Float32Array(2 * dimensions * FIRST_NODES);
  }

  get memoryBytes(): number {
    const { boxes, begins, ownEnds, ends, skips } = this;
    return [begins, ownEnds, ends, skips].reduce((sum, { byteLength }) => sum + byteLength, boxes.byteLength);
  }

  clear(): void {
    this.nodes = 0;
  }

  /** Begins a node and returns its number. Open its descendants next, then call `close`. */
  open(begin: number): number {
    if (this.nodes === this.capacity) this.grow();
    this.begins[this.nodes] = begin;
    return this.nodes++;
  }

  close(node: number, ownEnd: number, end: number): void {
    this.ownEnds[node] = ownEnd;
    this.ends[node] = end;
    this.skips[node] = this.nodes;
  }

  /** Rounds to 32 bits, as a search does, so that the search misses no box. */
  setBound(node: number, axis: number, low: number, high: number): void {
    const { dimensions, boxes } = this;
    const at = 2 * dimensions * node + axis;
    boxes[at] = low;
    boxes[at + dimensions] = high;
  }

  fit(): void {
    const { dimensions, boxes, begins, ownEnds, skips, bodies } = this;
    for (let node = this.nodes - 1; node >= 0; node--) {
      for (let axis = 0; axis < dimensions; axis++) {
        let low = Number.POSITIVE_INFINITY;
        let high = Number.NEGATIVE_INFINITY;
        for (let slot = begins[node] as number; slot < (ownEnds[node] as number); slot++) {
          const centre = bodies.centreOf(slot, axis);
          const half = bodies.halfOf(slot, axis);
          if (centre - half < low) low = centre - half;
          if (centre + half > high) high = centre + half;
        }
        for (let child = node + 1; child < (skips[node] as number); child = skips[child] as number) {
          const at = 2 * dimensions * child + axis;
          if ((boxes[at] as number) < low) low = boxes[at] as number;
          if ((boxes[at + dimensions] as number) > high) high = boxes[at + dimensions] as number;
        }
        this.setBound(node, axis, low, high);
      }
    }
  }

  /**
   * Searches the tree once per body and collects each pair from its lower slot. Set `disjoint` if the boxes of siblings
   * do not intersect: a search then begins at the node of its body, not at the root.
   */
  searchAll(disjoint: boolean): void {
    const { bodies, begins, ownEnds, dimensions } = this;
    bodies.clear();
    for (let node = 0; node < this.nodes; node++) {
      const end = ownEnds[node] as number;
      for (let slot = begins[node] as number; slot < end; slot++) {
        if (dimensions === 2) this.search2D(slot, disjoint ? node : 0);
        else this.search3D(slot, disjoint ? node : 0);
      }
    }
  }

  private search2D(slot: number, from: number): void {
    const { bodies, boxes, begins, ownEnds, ends, skips } = this;
    const [x, y] = [bodies.centreOf(slot, 0), bodies.centreOf(slot, 1)];
    const [halfX, halfY] = [bodies.halfOf(slot, 0), bodies.halfOf(slot, 1)];
    const lowX = Math.fround(x - halfX);
    const lowY = Math.fround(y - halfY);
    const highX = Math.fround(x + halfX);
    const highY = Math.fround(y + halfY);
    const last = skips[from] as number;
    let node = from;
    while (node < last) {
      const box = 4 * node;
      if (
        (ends[node] as number) <= slot + 1 ||
        (boxes[box] as number) > highX ||
        (boxes[box + 1] as number) > highY ||
        (boxes[box + 2] as number) < lowX ||
        (boxes[box + 3] as number) < lowY
      ) {
        node = skips[node] as number;
        continue;
      }
      const begin = begins[node] as number;
      const end = ownEnds[node] as number;
      for (let other = begin > slot ? begin : slot + 1; other < end; other++) bodies.testSlots(slot, other);
      node++;
    }
  }

  private search3D(slot: number, from: number): void {
    const { bodies, boxes, begins, ownEnds, ends, skips } = this;
    const [x, y, z] = [bodies.centreOf(slot, 0), bodies.centreOf(slot, 1), bodies.centreOf(slot, 2)];
    const [halfX, halfY, halfZ] = [bodies.halfOf(slot, 0), bodies.halfOf(slot, 1), bodies.halfOf(slot, 2)];
    const lowX = Math.fround(x - halfX);
    const lowY = Math.fround(y - halfY);
    const lowZ = Math.fround(z - halfZ);
    const highX = Math.fround(x + halfX);
    const highY = Math.fround(y + halfY);
    const highZ = Math.fround(z + halfZ);
    const last = skips[from] as number;
    let node = from;
    while (node < last) {
      const box = 6 * node;
      if (
        (ends[node] as number) <= slot + 1 ||
        (boxes[box] as number) > highX ||
        (boxes[box + 1] as number) > highY ||
        (boxes[box + 2] as number) > highZ ||
        (boxes[box + 3] as number) < lowX ||
        (boxes[box + 4] as number) < lowY ||
        (boxes[box + 5] as number) < lowZ
      ) {
        node = skips[node] as number;
        continue;
      }
      const begin = begins[node] as number;
      const end = ownEnds[node] as number;
      for (let other = begin > slot ? begin : slot + 1; other < end; other++) bodies.testSlots(slot, other);
      node++;
    }
  }

  /** Counts what `searchAll` does. A search tests each of its candidates, so both numbers are equal. */
  countWork(disjoint: boolean): Work {
    const { bodies, boxes, begins, ownEnds, ends, skips, dimensions } = this;
    const doesMiss = (slot: number, node: number) => {
      for (let axis = 0; axis < dimensions; axis++) {
        const at = 2 * dimensions * node + axis;
        const centre = bodies.centreOf(slot, axis);
        const half = bodies.halfOf(slot, axis);
        if ((boxes[at] as number) > Math.fround(centre + half)) return true;
        if ((boxes[at + dimensions] as number) < Math.fround(centre - half)) return true;
      }
      return false;
    };
    let candidates = 0;
    for (let home = 0; home < this.nodes; home++) {
      const from = disjoint ? home : 0;
      for (let slot = begins[home] as number; slot < (ownEnds[home] as number); slot++) {
        let node = from;
        while (node < (skips[from] as number)) {
          if ((ends[node] as number) <= slot + 1 || doesMiss(slot, node)) {
            node = skips[node] as number;
            continue;
          }
          const first = Math.max(begins[node] as number, slot + 1);
          candidates += Math.max(0, (ownEnds[node] as number) - first);
          node++;
        }
      }
    }
    return { candidates, tests: candidates, counted: 'loop' };
  }

  private grow(): void {
    this.capacity *= 2;
    const longer = (words: Uint32Array<ArrayBuffer>) => {
      const copy = new Uint32Array(this.capacity);
      copy.set(words);
      return copy;
    };
    this.begins = longer(this.begins);
    this.ownEnds = longer(this.ownEnds);
    this.ends = longer(this.ends);
    this.skips = longer(this.skips);
    const boxes = new Float32Array(2 * this.dimensions * this.capacity);
    boxes.set(this.boxes);
    this.boxes = boxes;
  }
}
