/**
 * The radix-sorted chunk method:
 *
 * 1. Each body gets a box around its motion in a step.
 * 2. Low corners are radix-sorted along each axis.
 * 3. Cuts along the last axis divide the world into slabs with equally many bodies. Cuts along the second-last axis
 *    divide each slab, and so on down to x. Each of the resulting chunks contains about MOST_BODIES low corners.
 * 4. A sweep along the last axis compares the bodies of a chunk.
 *
 * A body may be in several chunks. Only the chunk that contains the low corner of the intersection of two boxes reports
 * their pair; both boxes reach into that chunk. Cuts are at least NARROWEST mean box widths apart; otherwise every body
 * of a crowd would be in several narrow chunks. So a chunk with a crowd may contain more than MOST_BODIES low corners.
 */

import type { CpuEngine, Work } from '../../harness/engine';
import { PairSink } from '../../harness/pair-sink';
import type { BenchScene } from '../../harness/scenes';
import { FloatOrder } from './float-order';

/** With fewer low corners per chunk, more bodies are copied into several chunks. With more, sweeps take longer. */
const MOST_BODIES = 48;

/** Least width of a chunk, in mean box widths. */
const NARROWEST = 2;

export const CPU_CHUNKS: CpuEngine = {
  name: 'cpu-chunks',
  backend: 'cpu',
  about:
    "Puts a box around each body's motion, radix-sorts the boxes along each axis, cuts them into chunks of few bodies and sweeps each chunk; typed arrays.",
  open(scene) {
    const chunks = new Chunks(scene);
    return {
      place: (positions) => chunks.place(positions),
      build: () => chunks.build(),
      query: () => chunks.query(),
      countWork: () => chunks.countWork(),
      get memoryBytes() {
        return chunks.memoryBytes;
      },
    };
  },
};

/**
 * The parts that the cuts along one axis make of each region. A region is a part that the cuts along the previous axis
 * made.
 */
interface Cuts {
  /** The first part of each region, then the number of parts. */
  starts: Uint32Array;
  /** The lower bound of each part: −∞ for the first part of a region, +∞ for unused parts. */
  lows: Float32Array;
}

export class Chunks {
  private readonly sink = new PairSink();
  private readonly order: FloatOrder;
  /** The box of each body: its low end along axis a at index a, its high end at index dimensions + a. */
  private readonly boxes: Float32Array;
  private readonly cuts: Cuts[];
  /** The part of each body: after the latest cuts, it contains the body's low corner. */
  private readonly partOf: Uint32Array;
  /** Bodies in the order of their low ends along the last axis. */
  private readonly sorted: Uint32Array;
  /** A chunk and a body per assignment, in the order of `sorted`. */
  private assignments = new Uint32Array(0);
  private assignmentsLength = 0;
  /**
   * The first member of each chunk, then the number of members. The members of a chunk are the bodies assigned to it.
   */
  private starts = new Uint32Array(1);
  /** The body of each member. */
  private members = new Uint32Array(0);
  /** The members' boxes, copied so that a sweep reads consecutive memory. */
  private memberBoxes = new Float32Array(0);
  private corners = new Float32Array(0);
  private positions = new Float32Array(0);
  /** Positions of the previous frame; undefined for the first frame, and if bodies do not move. */
  private earlier: Float32Array | undefined;

  constructor(private readonly scene: BenchScene) {
    const { dimensions, count } = scene;
    this.order = new FloatOrder(count);
    this.boxes = new Float32Array(2 * dimensions * count);
    this.partOf = new Uint32Array(count);
    this.sorted = new Uint32Array(count);
    this.cuts = Array.from({ length: dimensions }, () => ({
      starts: new Uint32Array(0),
      lows: new Float32Array(0),
    }));
  }

  get memoryBytes(): number {
    const { boxes, partOf, sorted, assignments, starts, members, memberBoxes, corners, cuts, order } = this;
    const arrays = [boxes, partOf, sorted, assignments, starts, members, memberBoxes, corners];
    const own = arrays.reduce((sum, { byteLength }) => sum + byteLength, order.memoryBytes);
    return cuts.reduce((sum, cut) => sum + cut.starts.byteLength + cut.lows.byteLength, own);
  }

  place(positions: Float32Array): void {
    this.earlier = this.scene.moves && this.positions.length > 0 ? this.positions : undefined;
    this.positions = positions as Float32Array<ArrayBuffer>;
  }

  build(): void {
    const { dimensions } = this.scene;
    this.computeBoxes();
    this.partOf.fill(0);
    let regions = 1;
    for (let axis = dimensions - 1; axis >= 0; axis--) regions = this.cut(axis, regions);
    this.assignAll(regions);
  }

  private computeBoxes(): void {
    const { boxes, positions, earlier = positions, scene } = this;
    const { dimensions, radius, radii, count } = scene;
    for (let body = 0; body < count; body++) {
      const own = radii ? (radii[body] as number) : radius;
      for (let axis = 0; axis < dimensions; axis++) {
        const now = positions[body * dimensions + axis] as number;
        const before = earlier[body * dimensions + axis] as number;
        const box = 2 * body * dimensions + axis;
        boxes[box] = (now < before ? now : before) - own;
        boxes[box + dimensions] = (now > before ? now : before) + own;
      }
    }
  }

  /** Cuts each region along an axis. Returns the number of parts. */
  private cut(axis: number, regions: number): number {
    const { boxes, partOf, order, scene } = this;
    const { dimensions, count } = scene;
    const { keys } = order;
    let width = 0;
    for (let body = 0; body < count; body++) {
      const low = boxes[2 * body * dimensions + axis] as number;
      keys[body] = low;
      width += (boxes[2 * body * dimensions + dimensions + axis] as number) - low;
    }
    const narrowest = count > 0 ? (NARROWEST * width) / count : 0;
    const ascending = order.sort();
    if (axis === dimensions - 1) this.sorted.set(ascending);

    const sizes = new Uint32Array(regions);
    for (let body = 0; body < count; body++) {
      const region = partOf[body] as number;
      sizes[region] = (sizes[region] as number) + 1;
    }
    const cuts = this.cuts[axis] as Cuts;
    cuts.starts = new Uint32Array(regions + 1);
    let parts = 0;
    for (let region = 0; region < regions; region++) {
      cuts.starts[region] = parts;
      const size = sizes[region] as number;
      // Rounding up keeps chunks small.
      const partsHere = Math.max(1, Math.ceil((size / MOST_BODIES) ** (1 / (axis + 1))));
      parts += partsHere;
      sizes[region] = Math.ceil(size / partsHere);
    }
    cuts.starts[regions] = parts;
    cuts.lows = new Float32Array(parts).fill(Number.POSITIVE_INFINITY);
    for (let region = 0; region < regions; region++) {
      cuts.lows[cuts.starts[region] as number] = Number.NEGATIVE_INFINITY;
    }

    // For each region: the part being filled, its number of bodies, and the least coordinate of the next cut.
    const current = cuts.starts.slice(0, regions);
    const filled = new Uint32Array(regions);
    const nextCut = new Float64Array(regions).fill(Number.NEGATIVE_INFINITY);
    for (let index = 0; index < count; index++) {
      const body = ascending[index] as number;
      const region = partOf[body] as number;
      const low = keys[body] as number;
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
      partOf[body] = current[region] as number;
    }
    return parts;
  }

  /** Assigns each body to all chunks that its box reaches into. */
  private assignAll(chunks: number): void {
    const { sorted, scene, boxes } = this;
    const { dimensions, count } = scene;
    this.starts = new Uint32Array(chunks + 1);
    this.corners = new Float32Array(dimensions * chunks);
    this.markCorners(dimensions - 1, 0, []);
    this.assignmentsLength = 0;
    for (let index = 0; index < count; index++) this.assign(sorted[index] as number, dimensions - 1, 0);

    const { starts, assignments, assignmentsLength } = this;
    let sum = 0;
    for (let chunk = 0; chunk <= chunks; chunk++) {
      const size = starts[chunk] as number;
      starts[chunk] = sum;
      sum += size;
    }
    if (this.members.length < sum) {
      this.members = new Uint32Array(Math.ceil(1.25 * sum));
      this.memberBoxes = new Float32Array(2 * dimensions * this.members.length);
    }
    const { members, memberBoxes } = this;
    for (let word = 0; word < assignmentsLength; word += 2) {
      const chunk = assignments[word] as number;
      const body = assignments[word + 1] as number;
      const index = starts[chunk] as number;
      starts[chunk] = index + 1;
      members[index] = body;
      for (let side = 0; side < 2 * dimensions; side++) {
        memberBoxes[2 * dimensions * index + side] = boxes[2 * dimensions * body + side] as number;
      }
    }
    // The loop advanced starts[i] to the start of chunk i + 1.
    starts.copyWithin(1, 0, chunks);
    starts[0] = 0;
  }

  private assign(body: number, axis: number, region: number): void {
    const { cuts, boxes, scene } = this;
    const { starts, lows } = cuts[axis] as Cuts;
    const box = 2 * scene.dimensions * body + axis;
    const high = boxes[box + scene.dimensions] as number;
    const end = starts[region + 1] as number;
    let part = lastNotAbove(lows, starts[region] as number, end, boxes[box] as number);
    do {
      if (axis > 0) this.assign(body, axis - 1, part);
      else this.add(part, body);
      part++;
    } while (part < end && (lows[part] as number) <= high);
  }

  private add(chunk: number, body: number): void {
    const { starts, assignmentsLength } = this;
    starts[chunk] = (starts[chunk] as number) + 1;
    if (assignmentsLength + 2 > this.assignments.length) {
      const longer = new Uint32Array(2 * this.assignments.length + 4 * this.scene.count + 2);
      longer.set(this.assignments);
      this.assignments = longer;
    }
    this.assignments[assignmentsLength] = chunk;
    this.assignments[assignmentsLength + 1] = body;
    this.assignmentsLength = assignmentsLength + 2;
  }

  private markCorners(axis: number, region: number, above: readonly number[]): void {
    const { starts, lows } = this.cuts[axis] as Cuts;
    for (let part = starts[region] as number; part < (starts[region + 1] as number); part++) {
      const corner = [lows[part] as number, ...above];
      if (axis > 0) this.markCorners(axis - 1, part, corner);
      else this.corners.set(corner, this.scene.dimensions * part);
    }
  }

  query(): PairSink {
    this.sink.clear();
    if (this.scene.dimensions === 2) this.sweep2D();
    else this.sweep3D();
    return this.sink;
  }

  private sweep2D(): void {
    const { starts, members, memberBoxes, corners } = this;
    for (let chunk = 0; chunk + 1 < starts.length; chunk++) {
      const cornerX = corners[2 * chunk] as number;
      const cornerY = corners[2 * chunk + 1] as number;
      const end = starts[chunk + 1] as number;
      for (let index = starts[chunk] as number; index < end; index++) {
        const lowX = memberBoxes[4 * index] as number;
        const highX = memberBoxes[4 * index + 2] as number;
        const highY = memberBoxes[4 * index + 3] as number;
        for (let other = index + 1; other < end; other++) {
          const otherY = memberBoxes[4 * other + 1] as number;
          if (otherY > highY) break;
          const otherX = memberBoxes[4 * other] as number;
          if (otherX > highX || (memberBoxes[4 * other + 2] as number) < lowX) continue;
          // Another chunk reports a pair whose intersection begins below this corner. Along y, the intersection begins
          // at the low end of `other`, because the members are sorted along y.
          if (otherY < cornerY || (otherX < cornerX && lowX < cornerX)) continue;
          this.testPair(members[index] as number, members[other] as number);
        }
      }
    }
  }

  private sweep3D(): void {
    const { starts, members, memberBoxes, corners } = this;
    for (let chunk = 0; chunk + 1 < starts.length; chunk++) {
      const cornerX = corners[3 * chunk] as number;
      const cornerY = corners[3 * chunk + 1] as number;
      const cornerZ = corners[3 * chunk + 2] as number;
      const end = starts[chunk + 1] as number;
      for (let index = starts[chunk] as number; index < end; index++) {
        const lowX = memberBoxes[6 * index] as number;
        const lowY = memberBoxes[6 * index + 1] as number;
        const highX = memberBoxes[6 * index + 3] as number;
        const highY = memberBoxes[6 * index + 4] as number;
        const highZ = memberBoxes[6 * index + 5] as number;
        for (let other = index + 1; other < end; other++) {
          const otherZ = memberBoxes[6 * other + 2] as number;
          if (otherZ > highZ) break;
          const otherX = memberBoxes[6 * other] as number;
          if (otherX > highX || (memberBoxes[6 * other + 3] as number) < lowX) continue;
          const otherY = memberBoxes[6 * other + 1] as number;
          if (otherY > highY || (memberBoxes[6 * other + 4] as number) < lowY) continue;
          if (otherZ < cornerZ || (otherX < cornerX && lowX < cornerX)) continue;
          if (otherY < cornerY && lowY < cornerY) continue;
          this.testPair(members[index] as number, members[other] as number);
        }
      }
    }
  }

  /** Counts what sweep2D or sweep3D does: a pair of boxes is a candidate, and a test if this chunk reports it. */
  countWork(): Work {
    const { starts, memberBoxes, corners, scene } = this;
    const { dimensions } = scene;
    const last = dimensions - 1;
    const side = (member: number, axis: number) => memberBoxes[2 * dimensions * member + axis] as number;
    let candidates = 0;
    let tests = 0;
    for (let chunk = 0; chunk + 1 < starts.length; chunk++) {
      const end = starts[chunk + 1] as number;
      for (let index = starts[chunk] as number; index < end; index++) {
        const high = side(index, dimensions + last);
        for (let other = index + 1; other < end && side(other, last) <= high; other++) {
          candidates++;
          let isTested = true;
          for (let axis = 0; axis < dimensions; axis++) {
            const low = Math.max(side(index, axis), side(other, axis));
            const meets = low <= Math.min(side(index, dimensions + axis), side(other, dimensions + axis));
            isTested &&= meets && low >= (corners[dimensions * chunk + axis] as number);
          }
          if (isTested) tests++;
        }
      }
    }
    return { candidates, tests, counted: 'loop' };
  }

  private testPair(a: number, b: number): void {
    const { positions, scene, sink } = this;
    const { dimensions, radius, radii } = scene;
    const dx = (positions[a * dimensions] as number) - (positions[b * dimensions] as number);
    const dy = (positions[a * dimensions + 1] as number) - (positions[b * dimensions + 1] as number);
    let squared = dx * dx + dy * dy;
    if (dimensions === 3) {
      const dz = (positions[a * dimensions + 2] as number) - (positions[b * dimensions + 2] as number);
      squared += dz * dz;
    }
    const reach = radii ? (radii[a] as number) + (radii[b] as number) : 2 * radius;
    if (squared < reach * reach) sink.add(a, b);
  }
}

/** Returns the last index from `begin` to `end` − 1 whose number is at most `value`. The numbers ascend from −∞. */
function lastNotAbove(lows: Float32Array, begin: number, end: number, value: number): number {
  let low = begin;
  let high = end;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((lows[middle] as number) <= value) low = middle;
    else high = middle;
  }
  return low;
}
