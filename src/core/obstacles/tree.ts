/**
 * A bounding-box tree of bodies of any sizes. shaders/obstacles/tree.wgsl reads the words of nodeBits().
 * Guarantees: the tree does not depend on the order of the input. A search visits every body whose box, or an image of
 * it, overlaps the query box.
 * Ordering: after each node come all nodes of its first subtree, then all of its second. Bodies are in the order of
 * their leaves. Each node stores where a search continues if it skips the subtree, so no stack is needed.
 */
import { extentAlong, type Sizes } from '../particles/shapes';
import type { Dimensions, World } from '../world/world';

/** Greatest number of bodies per leaf, a power of two. It is above 1, because a node costs more than a body. */
export const LEAF_BODIES = 4;

/**
 * This many low bits of a leaf word hold the number of bodies; the bits above hold the index of the first body. Inner
 * nodes hold 0.
 */
export const LEAF_BITS = 3;

/** Number of words before the nodes. They hold the number of nodes, and the index of the word at which bodies begin. */
export const TREE_HEADER = 2;

export interface StaticBodies extends Sizes {
  readonly positions: Float32Array;
}

export function nodesOf(bodies: number): number {
  return Math.max(0, 2 * Math.ceil(bodies / LEAF_BODIES) - 1);
}

/** Returns the words per node: centre and half extents, the node to skip to, and the leaf word. */
export function nodeWords(dimensions: Dimensions): number {
  return 2 * dimensions + 2;
}

/** Margin of overlap tests, as a share of distance + reach + period: many times the rounding error. */
export const TREE_MARGIN = 2 ** -18;

export class ObstacleTree {
  readonly count: number;
  readonly nodes: number;
  readonly bodies: StaticBodies;
  private readonly boxes: Float32Array;
  private readonly links: Uint32Array;
  private readonly middle = new Float64Array(3);
  private readonly half = new Float64Array(3);

  constructor(
    private readonly world: Pick<World, 'dimensions' | 'period'>,
    given: StaticBodies,
  ) {
    const { dimensions } = world;
    this.count = given.positions.length / dimensions;
    this.nodes = nodesOf(this.count);
    this.boxes = new Float32Array(2 * dimensions * this.nodes);
    this.links = new Uint32Array(2 * this.nodes);
    const canonical = canonicalBodies(dimensions, given);
    const order = Uint32Array.from({ length: this.count }, (_, body) => body);
    if (this.count > 0)
      new Builder(dimensions, canonical, order, this.boxes, this.links).build(0, this.count);
    this.bodies = reorder(canonical, order, dimensions);
  }

  /** Visits, in ascending order, each body whose box overlaps the given one, and perhaps others nearby. */
  visit(low: readonly number[], high: readonly number[], visit: (body: number) => void): void {
    const { boxes, links, nodes, world, middle, half } = this;
    const { dimensions, period } = world;
    const mask = (1 << LEAF_BITS) - 1;
    for (let axis = 0; axis < dimensions; axis++) {
      middle[axis] = ((low[axis] as number) + (high[axis] as number)) / 2;
      half[axis] = ((high[axis] as number) - (low[axis] as number)) / 2;
    }
    for (let node = 0; node < nodes; ) {
      let overlaps = true;
      for (let axis = 0; overlaps && axis < dimensions; axis++) {
        const first = 2 * dimensions * node + axis;
        const length = period[axis] as number;
        let apart = Math.abs((middle[axis] as number) - (boxes[first] as number));
        if (length > 0) apart = Math.abs(apart - length * Math.round(apart / length));
        const reach = (half[axis] as number) + (boxes[first + dimensions] as number);
        const margin = TREE_MARGIN * (reach + apart + length);
        overlaps = !(apart > reach + margin);
      }
      const leaf = links[2 * node + 1] as number;
      if (overlaps) {
        const begin = leaf >>> LEAF_BITS;
        for (let body = begin; body < begin + (leaf & mask); body++) visit(body);
      }
      node = overlaps ? node + 1 : (links[2 * node] as number);
    }
  }

  get byteLength(): number {
    const { positions, radii, halves, bulks } = this.bodies;
    const arrays = [this.boxes, this.links, positions, radii, halves, bulks];
    return arrays.reduce((sum, array) => sum + (array?.byteLength ?? 0), 0);
  }

  nodeBits(): Uint32Array {
    const { boxes, links, nodes } = this;
    const { dimensions } = this.world;
    const stride = nodeWords(dimensions);
    const words = new Uint32Array(TREE_HEADER + stride * nodes);
    const floats = new Float32Array(words.buffer);
    words[0] = nodes;
    words[1] = words.length;
    for (let node = 0; node < nodes; node++) {
      const first = TREE_HEADER + stride * node;
      floats.set(boxes.subarray(2 * dimensions * node, 2 * dimensions * (node + 1)), first);
      words.set(links.subarray(2 * node, 2 * node + 2), first + 2 * dimensions);
    }
    return words;
  }
}

class Builder {
  private next = 0;
  private readonly keys: Float64Array;

  constructor(
    private readonly dimensions: Dimensions,
    private readonly bodies: StaticBodies,
    private readonly order: Uint32Array,
    private readonly boxes: Float32Array,
    private readonly links: Uint32Array,
  ) {
    this.keys = new Float64Array(order.length);
  }

  /** Builds the node of the bodies from `first` to `end` − 1 of `order`, and all nodes below it. */
  build(first: number, end: number): void {
    const { links, order, keys, dimensions } = this;
    const node = this.next++;
    const axis = this.enclose(node, first, end);
    const count = end - first;
    if (count <= LEAF_BODIES) {
      links[2 * node + 1] = (first << LEAF_BITS) | count;
    } else {
      for (let index = first; index < end; index++) {
        const body = order[index] as number;
        keys[body] = this.bodies.positions[dimensions * body + axis] as number;
      }
      // Split so that all leaves except the last are full.
      const middle = first + LEAF_BODIES * Math.ceil(count / (2 * LEAF_BODIES));
      select(order, keys, first, end - 1, middle);
      this.build(first, middle);
      this.build(middle, end);
    }
    links[2 * node] = this.next;
  }

  /** Stores the box of a node. Returns the axis along which the centres are farthest apart. */
  private enclose(node: number, first: number, end: number): number {
    const { dimensions, bodies, order, boxes } = this;
    let widest = 0;
    let width = -1;
    for (let axis = 0; axis < dimensions; axis++) {
      let [low, high, lowest, highest] = [Infinity, -Infinity, Infinity, -Infinity];
      for (let index = first; index < end; index++) {
        const body = order[index] as number;
        const centre = bodies.positions[dimensions * body + axis] as number;
        const extent = extentAlong(dimensions, bodies, body, axis, 0);
        low = Math.min(low, centre - extent);
        high = Math.max(high, centre + extent);
        lowest = Math.min(lowest, centre);
        highest = Math.max(highest, centre);
      }
      const middle = Math.fround((low + high) / 2);
      boxes[2 * dimensions * node + axis] = middle;
      boxes[2 * dimensions * node + dimensions + axis] = Math.max(high - middle, middle - low);
      if (highest - lowest > width) {
        width = highest - lowest;
        widest = axis;
      }
    }
    return widest;
  }
}

/** Orders bodies by coordinates, then by sizes. */
function canonicalOrder(dimensions: Dimensions, { positions, radii, halves }: StaticBodies): Uint32Array {
  const compareBy = (numbers: Float32Array | undefined, stride: number, a: number, b: number): number => {
    if (!numbers) return 0;
    for (let axis = 0; axis < stride; axis++) {
      const apart = (numbers[stride * a + axis] as number) - (numbers[stride * b + axis] as number);
      if (apart !== 0) return apart;
    }
    return 0;
  };
  const compare = (a: number, b: number) =>
    compareBy(positions, dimensions, a, b) ||
    compareBy(radii, 1, a, b) ||
    compareBy(halves, dimensions, a, b);
  const { order, runs } = orderByFirst(dimensions, positions);
  for (let run = 1; run < runs.length; run++) {
    const bodies = order.subarray(runs[run - 1], runs[run]);
    if (!isAscending(bodies, compare)) bodies.sort(compare);
  }
  return order;
}

function isAscending(bodies: Uint32Array, compare: (a: number, b: number) => number): boolean {
  for (let index = 1; index < bodies.length; index++)
    if (compare(bodies[index - 1] as number, bodies[index] as number) > 0) return false;
  return true;
}

const EXACT_BITS = 53;

/**
 * Sorts bodies by the upper bits of the first coordinate. A key is a double: as many of the coordinate's 32 bits as
 * fit, then the index of the body. For up to two million bodies, all 32 fit. `runs` lists the beginning of each group
 * with equal bits, then the end.
 */
function orderByFirst(
  dimensions: Dimensions,
  positions: Float32Array,
): { order: Uint32Array; runs: number[] } {
  const count = positions.length / dimensions;
  const scale = 2 ** Math.ceil(Math.log2(Math.max(1, count)));
  const dropped = Math.max(0, 32 + Math.log2(scale) - EXACT_BITS);
  const keys = new Float64Array(count);
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);
  for (let body = 0; body < count; body++) {
    // Adding 0 turns −0 into 0.
    float[0] = (positions[dimensions * body] as number) + 0;
    const own = bits[0] as number;
    // These integers ascend with the float.
    const ascending = own >>> 31 ? ~own >>> 0 : (own | 0x8000_0000) >>> 0;
    keys[body] = (ascending >>> dropped) * scale + body;
  }
  keys.sort();
  const order = new Uint32Array(count);
  const runs: number[] = [];
  let last = -1;
  for (let index = 0; index < count; index++) {
    const key = keys[index] as number;
    const upper = Math.floor(key / scale);
    order[index] = key - upper * scale;
    if (upper !== last) runs.push(index);
    last = upper;
  }
  runs.push(count);
  return { order, runs };
}

/** Sorts bodies. The order of the result does not depend on the order of the input. */
export function canonicalBodies(dimensions: Dimensions, bodies: StaticBodies): StaticBodies {
  return reorder(bodies, canonicalOrder(dimensions, bodies), dimensions);
}

function reorder(
  { positions, radii, halves, bulks }: StaticBodies,
  order: Uint32Array,
  dimensions: number,
): StaticBodies {
  const take = (numbers: Float32Array, stride: number): Float32Array => {
    const reordered = new Float32Array(numbers.length);
    order.forEach((body, index) => {
      for (let axis = 0; axis < stride; axis++) {
        reordered[stride * index + axis] = numbers[stride * body + axis] as number;
      }
    });
    return reordered;
  };
  return {
    positions: take(positions, dimensions),
    ...(radii ? { radii: take(radii, 1) } : {}),
    ...(halves ? { halves: take(halves, dimensions) } : {}),
    ...(bulks ? { bulks: take(bulks, 1) } : {}),
  };
}

/** Partially sorts `order` from `first` to `last`: bodies with the lowest keys come before the index `middle`. */
function select(order: Uint32Array, keys: Float64Array, first: number, last: number, middle: number): void {
  const isBefore = (a: number, b: number) => {
    const apart = (keys[a] as number) - (keys[b] as number);
    return apart < 0 || (apart === 0 && a < b);
  };
  let [low, high] = [first, last];
  while (low < high) {
    const pivot = order[(low + high) >>> 1] as number;
    let [left, right] = [low, high];
    while (left <= right) {
      while (isBefore(order[left] as number, pivot)) left++;
      while (isBefore(pivot, order[right] as number)) right--;
      if (left > right) break;
      const swapped = order[left] as number;
      order[left++] = order[right] as number;
      order[right--] = swapped;
    }
    if (middle <= right) high = right;
    else if (middle >= left) low = left;
    else return;
  }
}
