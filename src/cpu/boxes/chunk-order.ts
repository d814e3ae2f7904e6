/**
 * Divides space into chunks that hold about equally many boxes:
 *
 * 1. Low corners are radix-sorted along each axis.
 * 2. Cuts along the last axis divide space into slabs with about equally many low corners. Cuts along the axis before
 *    it divide each slab, and so on down to x. Each resulting chunk holds about MOST_BOXES low corners.
 * 3. Each box becomes a member of every chunk that it reaches into.
 *
 * A chunk contains its low bounds but not its high ones, so each point is in one chunk.
 *
 * Guarantee: n boxes have at most n (2 + 1 / NARROWEST)^d memberships. Proof: let M be the d-th root of the mean d-th
 * power of the extents along an axis. Cuts are at least NARROWEST · M apart, so a box of extent w reaches into at most
 * 2 + w / (NARROWEST · M) parts. Hölder's and Minkowski's inequalities bound the product over all axes, summed over all
 * boxes.
 */
import { type Dimensions, GREATEST_FLOAT } from '../../core/world/world';
import { FloatOrder } from '../shared/float-order';
import { CORNERS } from './order';

/** With fewer low corners per chunk, more boxes are in several chunks. With more, sweeps take longer. */
const MOST_BOXES = 48;

const NARROWEST = 2;

/**
 * The parts into which cuts along one axis divide each region. All of space is the only region of the last axis. The
 * parts along an axis are the regions of the axis before it.
 */
interface Cuts {
  /** The first part of each region, then the number of parts. */
  starts: Uint32Array;
  /** The low bound of each part: −∞ for the first part of a region, +∞ for unused parts. */
  lows: Float32Array;
}

export class ChunkOrder {
  invalid = 0;
  /** The first member of each chunk, then the number of members. */
  starts = new Uint32Array(1);
  /** The id of each member. Members of a chunk ascend by their low ends along the last axis. */
  members = new Uint32Array(0);
  /** The corners of each member. In 2D, z is 0. */
  corners = new Float32Array(0);
  /** Three low bounds per chunk, along x, y and z. In 2D, the bound along z is −∞. */
  bounds = new Float32Array(0);

  /** The number of valid boxes. A slot is an index among them. */
  private slots = 0;
  private ids = new Uint32Array(0);
  private boxes = new Float32Array(0);
  /** The part of each slot's low corner after the latest cuts; approximate if low ends are equal. */
  private partOf = new Uint32Array(0);
  private sorted = new Uint32Array(0);
  private order = new FloatOrder(0);
  private readonly cuts: Cuts[];
  /** A chunk and a slot per membership, in the order of `sorted`. */
  private memberships = new Uint32Array(0);
  private membershipWords = 0;

  constructor(readonly dimensions: Dimensions) {
    const none = { starts: new Uint32Array(0), lows: new Float32Array(0) };
    this.cuts = Array.from({ length: dimensions }, () => ({ ...none }));
  }

  get memoryBytes(): number {
    const { starts, members, corners, bounds, ids, boxes, partOf, sorted, memberships, order, cuts } = this;
    const arrays = [starts, members, corners, bounds, ids, boxes, partOf, sorted, memberships];
    const all = [...arrays, ...cuts.flatMap((cut) => [cut.starts, cut.lows])];
    return all.reduce((sum, { byteLength }) => sum + byteLength, order.memoryBytes);
  }

  get chunks(): number {
    return this.starts.length - 1;
  }

  get memberCount(): number {
    return this.starts.at(-1) as number;
  }

  build(boxes: Float32Array, count: number): void {
    this.collect(boxes, count);
    this.partOf.fill(0);
    let regions = 1;
    for (let axis = this.dimensions - 1; axis >= 0; axis--) regions = this.cut(axis, regions);
    this.assignAll(regions);
  }

  private collect(given: Float32Array, count: number): void {
    const { dimensions } = this;
    if (count > this.ids.length) {
      this.ids = new Uint32Array(count);
      this.boxes = new Float32Array(CORNERS * count);
      this.partOf = new Uint32Array(count);
      this.sorted = new Uint32Array(count);
      this.order = new FloatOrder(count);
    }
    const { ids, boxes } = this;
    let slots = 0;
    for (let id = 0; id < count; id++) {
      const first = 2 * dimensions * id;
      const base = CORNERS * slots;
      let valid = true;
      for (let axis = 0; axis < dimensions; axis++) {
        const low = given[first + axis] as number;
        const high = given[first + dimensions + axis] as number;
        // With a NaN, `low <= high` is false.
        if (!(low <= high && low >= -GREATEST_FLOAT && high <= GREATEST_FLOAT)) valid = false;
        boxes[base + axis] = low;
        boxes[base + 3 + axis] = high;
      }
      if (valid) ids[slots++] = id;
    }
    this.slots = slots;
    this.invalid = count - slots;
  }

  private cut(axis: number, regions: number): number {
    const { boxes, partOf, order, slots, dimensions } = this;
    const { keys } = order;
    let powers = 0;
    for (let slot = 0; slot < slots; slot++) {
      const low = boxes[CORNERS * slot + axis] as number;
      keys[slot] = low;
      const extent = (boxes[CORNERS * slot + 3 + axis] as number) - low;
      powers += dimensions === 2 ? extent * extent : extent * extent * extent;
    }
    const narrowest = NARROWEST * (powers / Math.max(1, slots)) ** (1 / dimensions);
    const ascending = order.sort(slots);
    if (axis === dimensions - 1) this.sorted.set(ascending.subarray(0, slots));

    const sizes = new Uint32Array(regions);
    for (let slot = 0; slot < slots; slot++) {
      const region = partOf[slot] as number;
      sizes[region] = (sizes[region] as number) + 1;
    }
    const cuts = this.cuts[axis] as Cuts;
    cuts.starts = new Uint32Array(regions + 1);
    let parts = 0;
    for (let region = 0; region < regions; region++) {
      cuts.starts[region] = parts;
      const size = sizes[region] as number;
      // Rounding up keeps chunks small.
      const partsHere = Math.max(1, Math.ceil((size / MOST_BOXES) ** (1 / (axis + 1))));
      parts += partsHere;
      sizes[region] = Math.ceil(size / partsHere);
    }
    cuts.starts[regions] = parts;
    cuts.lows = new Float32Array(parts).fill(Number.POSITIVE_INFINITY);
    for (let region = 0; region < regions; region++) {
      cuts.lows[cuts.starts[region] as number] = Number.NEGATIVE_INFINITY;
    }

    // For each region: the part being filled, its number of slots, and the least coordinate of the next cut.
    const current = cuts.starts.slice(0, regions);
    const filled = new Uint32Array(regions);
    const nextCut = new Float64Array(regions).fill(Number.NEGATIVE_INFINITY);
    for (let index = 0; index < slots; index++) {
      const slot = ascending[index] as number;
      const region = partOf[slot] as number;
      const low = keys[slot] as number;
      if (filled[region] === 0) nextCut[region] = low + narrowest;
      if ((filled[region] as number) >= (sizes[region] as number) && low >= (nextCut[region] as number)) {
        const next = (current[region] as number) + 1;
        if (next < (cuts.starts[region + 1] as number)) {
          current[region] = next;
          cuts.lows[next] = low;
          filled[region] = 0;
          nextCut[region] = low + narrowest;
        }
      }
      filled[region] = (filled[region] as number) + 1;
      partOf[slot] = current[region] as number;
    }
    return parts;
  }

  private assignAll(chunks: number): void {
    const { sorted, ids, boxes, slots, dimensions } = this;
    this.starts = new Uint32Array(chunks + 1);
    this.bounds = new Float32Array(3 * chunks).fill(Number.NEGATIVE_INFINITY);
    this.findBounds(dimensions - 1, 0, []);
    this.membershipWords = 0;
    for (let index = 0; index < slots; index++) this.assign(sorted[index] as number, dimensions - 1, 0);

    const { starts, memberships, membershipWords } = this;
    let sum = 0;
    for (let chunk = 0; chunk <= chunks; chunk++) {
      const size = starts[chunk] as number;
      starts[chunk] = sum;
      sum += size;
    }
    if (this.members.length < sum) {
      this.members = new Uint32Array(Math.ceil(1.25 * sum));
      this.corners = new Float32Array(CORNERS * this.members.length);
    }
    const { members, corners } = this;
    for (let word = 0; word < membershipWords; word += 2) {
      const chunk = memberships[word] as number;
      const slot = memberships[word + 1] as number;
      const index = starts[chunk] as number;
      starts[chunk] = index + 1;
      members[index] = ids[slot] as number;
      for (let end = 0; end < CORNERS; end++) {
        corners[CORNERS * index + end] = boxes[CORNERS * slot + end] as number;
      }
    }
    // The loop advanced each start to the start of the next chunk.
    starts.copyWithin(1, 0, chunks);
    starts[0] = 0;
  }

  private findBounds(axis: number, region: number, above: readonly number[]): void {
    const { starts, lows } = this.cuts[axis] as Cuts;
    for (let part = starts[region] as number; part < (starts[region + 1] as number); part++) {
      const bounds = [lows[part] as number, ...above];
      if (axis > 0) this.findBounds(axis - 1, part, bounds);
      else this.bounds.set(bounds, 3 * part);
    }
  }

  private assign(slot: number, axis: number, region: number): void {
    const { cuts, boxes } = this;
    const { starts, lows } = cuts[axis] as Cuts;
    const high = boxes[CORNERS * slot + 3 + axis] as number;
    const end = starts[region + 1] as number;
    let part = lastNotAbove(lows, starts[region] as number, end, boxes[CORNERS * slot + axis] as number);
    do {
      if (axis > 0) this.assign(slot, axis - 1, part);
      else this.add(part, slot);
      part++;
    } while (part < end && (lows[part] as number) <= high);
  }

  private add(chunk: number, slot: number): void {
    const { starts, membershipWords } = this;
    starts[chunk] = (starts[chunk] as number) + 1;
    if (membershipWords + 2 > this.memberships.length) {
      const longer = new Uint32Array(2 * this.memberships.length + 4 * this.slots + 2);
      longer.set(this.memberships);
      this.memberships = longer;
    }
    this.memberships[membershipWords] = chunk;
    this.memberships[membershipWords + 1] = slot;
    this.membershipWords = membershipWords + 2;
  }
}

/**
 * Returns the last index in [first, end) whose number is at most `value`. The numbers must ascend there, and the first
 * must not exceed `value`.
 */
function lastNotAbove(values: Float32Array, first: number, end: number, value: number): number {
  let low = first;
  let high = end;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) <= value) low = middle;
    else high = middle;
  }
  return low;
}
