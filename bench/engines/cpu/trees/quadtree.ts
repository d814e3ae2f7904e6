/**
 * Quadtrees, in 3D octrees. A cell with more than MOST_BODIES bodies is divided into four (3D: eight) half as wide.
 *
 * - Plain: a body belongs to the smallest cell that contains it whole, so bodies of cells side by side do not overlap.
 *   A body on a cell's middle line stays in that cell, however small the body is.
 * - Loose: a body belongs to the smallest cell that contains its centre and is no smaller than the body. The cell's box
 *   is twice as wide as the cell, so that it contains the whole body. Boxes of adjacent cells intersect.
 */
import type { CpuEngine, Work } from '../../../harness/engine';
import type { BenchScene } from '../../../harness/scenes';
import { SortedBodies } from '../sorted-bodies';
import { BoxTree } from './box-tree';

const MOST_BODIES = 8;
/** Without this limit, cells with coincident bodies would be divided without end. */
const MOST_LEVELS = 32;
/** One group for each of up to eight smaller cells, and one for bodies that stay. */
const GROUPS = 9;

function quadtree(loose: boolean): CpuEngine {
  const kind = loose
    ? 'cells with loose bounds, twice as wide, so that no small body is kept in a large cell'
    : 'a body that crosses the middle of a cell stays there';
  return {
    name: loose ? 'cpu-loose-quadtree' : 'cpu-quadtree',
    backend: 'cpu',
    boxes: true,
    about: `Quadtree, in 3D an octree, with at most 8 bodies per undivided cell: ${kind}.`,
    open(scene) {
      const tree = new Quadtree(scene, loose);
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
}

export const CPU_QUADTREE = quadtree(false);
export const CPU_LOOSE_QUADTREE = quadtree(true);

class Quadtree {
  readonly bodies: SortedBodies;
  private readonly tree: BoxTree;
  /** The end of each group of slots of a divided cell, per level. */
  private readonly groupEnds: Uint32Array[] = [];
  private readonly next = new Uint32Array(GROUPS);
  private readonly corner: readonly number[];
  private readonly edge: number;

  constructor(
    private readonly scene: BenchScene,
    private readonly loose: boolean,
  ) {
    const { dimensions, min, max, radius } = scene;
    this.bodies = new SortedBodies(scene);
    this.tree = new BoxTree(dimensions, this.bodies);
    this.corner = min.map((low) => low - radius);
    const longest = Math.max(...max.map((high, axis) => high - (min[axis] as number)));
    this.edge = 2 ** Math.ceil(Math.log2(longest + 2 * radius));
  }

  get memoryBytes(): number {
    return this.bodies.memoryBytes + this.tree.memoryBytes;
  }

  build(): void {
    this.bodies.storeById();
    this.tree.clear();
    const [x = 0, y = 0, z = 0] = this.corner;
    if (this.scene.count > 0) this.divide(0, this.scene.count, 0, x, y, z, this.edge);
  }

  /** Makes the nodes of a cell and of all cells in it. The cell's bodies have the slots from `begin` to `end` − 1. */
  private divide(
    begin: number,
    end: number,
    level: number,
    x: number,
    y: number,
    z: number,
    edge: number,
  ): void {
    const { tree, scene, loose } = this;
    const node = tree.open(begin);
    const margin = loose ? edge / 2 : 0;
    tree.setBound(node, 0, x - margin, x + edge + margin);
    tree.setBound(node, 1, y - margin, y + edge + margin);
    if (scene.dimensions === 3) tree.setBound(node, 2, z - margin, z + edge + margin);
    if (end - begin <= MOST_BODIES || level === MOST_LEVELS) {
      tree.close(node, end, end);
      return;
    }
    const half = edge / 2;
    const ends = this.groupBodies(begin, end, level, x + half, y + half, z + half, half);
    const ownEnd = ends[0] as number;
    for (let child = 0; child < 2 ** scene.dimensions; child++) {
      const first = ends[child] as number;
      const last = ends[child + 1] as number;
      if (first === last) continue;
      const [right, upper, far] = [child & 1, (child >> 1) & 1, child >> 2];
      this.divide(first, last, level + 1, x + right * half, y + upper * half, z + far * half, half);
    }
    tree.close(node, ownEnd, end);
  }

  /** Sorts the slots: first the bodies that stay, then those of each smaller cell. Returns the groups' ends. */
  private groupBodies(
    begin: number,
    end: number,
    level: number,
    middleX: number,
    middleY: number,
    middleZ: number,
    half: number,
  ): Uint32Array {
    const { bodies, groupEnds, next } = this;
    const ends = groupEnds[level] ?? new Uint32Array(GROUPS);
    groupEnds[level] = ends;
    ends.fill(0);
    for (let slot = begin; slot < end; slot++) {
      const group = this.groupOf(slot, middleX, middleY, middleZ, half);
      ends[group] = (ends[group] as number) + 1;
    }
    let sum = begin;
    for (let group = 0; group < GROUPS; group++) {
      next[group] = sum;
      sum += ends[group] as number;
      ends[group] = sum;
    }
    for (let group = 0; group < GROUPS; group++) {
      while ((next[group] as number) < (ends[group] as number)) {
        const slot = next[group] as number;
        const own = this.groupOf(slot, middleX, middleY, middleZ, half);
        const target = next[own] as number;
        next[own] = target + 1;
        if (target !== slot) bodies.swap(slot, target);
      }
    }
    return ends;
  }

  /** Returns 0 if the body stays in its cell, otherwise one more than the number of the smaller cell. */
  private groupOf(slot: number, middleX: number, middleY: number, middleZ: number, half: number): number {
    const { bodies, loose, scene } = this;
    let child = 0;
    for (let axis = 0; axis < scene.dimensions; axis++) {
      const middle = axis === 0 ? middleX : axis === 1 ? middleY : middleZ;
      const centre = bodies.centreOf(slot, axis);
      const extent = bodies.halfOf(slot, axis);
      if (loose) {
        if (2 * extent > half) return 0;
        if (centre >= middle) child |= 1 << axis;
      } else if (centre - extent > middle) child |= 1 << axis;
      // A box that ends at the middle overlaps the boxes that begin there.
      else if (centre + extent >= middle) return 0;
    }
    return child + 1;
  }

  query(): SortedBodies {
    this.tree.searchAll(!this.loose);
    return this.bodies;
  }

  countWork(): Work {
    return this.tree.countWork(!this.loose);
  }
}
