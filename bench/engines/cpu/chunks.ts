/**
 * The radix-sorted chunk method. Each body gets a box around its motion in a step, and the boxes' low corners are
 * radix-sorted along each axis. Space is cut along the last axis into slabs with equally many bodies. Each slab is cut
 * along the axis before, and so on down to x, where a cut follows every `MOST_BODIES` bodies. Inside each chunk, all
 * bodies that reach into it are swept along the last axis.
 *
 * Each pair is reported once, although bodies may be in several chunks: the low corner of the intersection of two boxes
 * is in exactly one chunk, and both boxes reach into that one. So a chunk reports the pairs whose shared low corner is
 * not below its own.
 * A cut is at least NARROWEST mean box widths from the one before. Otherwise a crowd of overlapping bodies would be cut
 * in vain: its bodies would only be copied to more chunks. The chunk of such a crowd holds more than MOST_BODIES.
 */

import type { CpuEngine } from '../../harness/engine';
import { PairSink } from '../../harness/pair-sink';
import type { BenchScene } from '../../harness/scenes';
import { FloatOrder } from './float-order';

/** Most bodies with their low corner in a chunk. With fewer, more bodies are copied; with more, sweeps are longer. */
const MOST_BODIES = 48;

/** Least width of a chunk, in mean box widths. */
const NARROWEST = 2;

export const CPU_CHUNKS: CpuEngine = {
  name: 'cpu-chunks',
  backend: 'cpu',
  about:
    "Boxes around each body's motion, radix-sorted along each axis, cut into chunks of few bodies, each swept; typed arrays.",
  open(scene) {
    const chunks = new Chunks(scene);
    return {
      place: (positions) => chunks.place(positions),
      build: () => chunks.build(),
      query: () => chunks.query(),
      get memoryBytes() {
        return chunks.memoryBytes;
      },
    };
  },
};

/** The cuts of one axis: each region of the axis before is cut into consecutive regions. */
interface Cuts {
  /** First part of each region of the axis before, then the end. */
  starts: Uint32Array;
  /** Lower bound of each part; infinite for parts that are not used. */
  lows: Float32Array;
}

class Chunks {
  private readonly sink = new PairSink();
  private readonly order: FloatOrder;
  /** Corners of each box, low then high: axis a at a and dimensions + a. */
  private readonly boxes: Float32Array;
  private readonly cuts: Cuts[];
  /** Region of a body's low corner on the last axis that was cut. */
  private readonly homes: Uint32Array;
  /** Bodies in the order of their low corner along the last axis. */
  private readonly sorted: Uint32Array;
  /** Pairs of chunk and body, in the order of dealing. */
  private dealt = new Uint32Array(0);
  private dealtLength = 0;
  /** First member of each chunk, then the end; the members' bodies; and their boxes, side by side. */
  private starts = new Uint32Array(1);
  private members = new Uint32Array(0);
  private memberBoxes = new Float32Array(0);
  /** Low corner of each chunk. */
  private corners = new Float32Array(0);
  private positions = new Float32Array(0);
  private earlier: Float32Array | undefined;

  constructor(private readonly scene: BenchScene) {
    const { dimensions, count } = scene;
    this.order = new FloatOrder(count);
    this.boxes = new Float32Array(2 * dimensions * count);
    this.homes = new Uint32Array(count);
    this.sorted = new Uint32Array(count);
    this.cuts = Array.from({ length: dimensions }, () => ({
      starts: new Uint32Array(0),
      lows: new Float32Array(0),
    }));
  }

  get memoryBytes(): number {
    const { boxes, homes, sorted, dealt, starts, members, memberBoxes, corners, cuts, order } = this;
    const arrays = [boxes, homes, sorted, dealt, starts, members, memberBoxes, corners];
    const own = arrays.reduce((sum, { byteLength }) => sum + byteLength, order.memoryBytes);
    return cuts.reduce((sum, cut) => sum + cut.starts.byteLength + cut.lows.byteLength, own);
  }

  place(positions: Float32Array): void {
    // If bodies do not move between builds, there is no motion from one frame to the next.
    this.earlier = this.scene.moves && this.positions.length > 0 ? this.positions : undefined;
    this.positions = positions as Float32Array<ArrayBuffer>;
  }

  build(): void {
    const { dimensions } = this.scene;
    this.bound();
    this.homes.fill(0);
    let regions = 1;
    for (let axis = dimensions - 1; axis >= 0; axis--) regions = this.cut(axis, regions);
    this.deal(regions);
  }

  private bound(): void {
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

  /** Cuts the `regions` of the axis before along this axis. Returns the number of parts. */
  private cut(axis: number, regions: number): number {
    const { boxes, homes, order, scene } = this;
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
      const home = homes[body] as number;
      sizes[home] = (sizes[home] as number) + 1;
    }
    const cuts = this.cuts[axis] as Cuts;
    cuts.starts = new Uint32Array(regions + 1);
    let parts = 0;
    for (let region = 0; region < regions; region++) {
      cuts.starts[region] = parts;
      const size = sizes[region] as number;
      // Equally many parts along each remaining axis; rounding up keeps chunks small.
      const own = Math.max(1, Math.ceil((size / MOST_BODIES) ** (1 / (axis + 1))));
      parts += own;
      sizes[region] = Math.ceil(size / own);
    }
    cuts.starts[regions] = parts;
    cuts.lows = new Float32Array(parts).fill(Number.POSITIVE_INFINITY);
    for (let region = 0; region < regions; region++) {
      cuts.lows[cuts.starts[region] as number] = Number.NEGATIVE_INFINITY;
    }

    /**
     * For each region: the part of its next body, the bodies in that part, and the lowest coordinate of the next cut.
     */
    const current = cuts.starts.slice(0, regions);
    const filled = new Uint32Array(regions);
    const earliest = new Float64Array(regions).fill(Number.NEGATIVE_INFINITY);
    for (let index = 0; index < count; index++) {
      const body = ascending[index] as number;
      const home = homes[body] as number;
      const low = keys[body] as number;
      if (filled[home] === 0) earliest[home] = low + narrowest;
      if ((filled[home] as number) >= (sizes[home] as number) && low >= (earliest[home] as number)) {
        const next = (current[home] as number) + 1;
        if (next < (cuts.starts[home + 1] as number)) {
          current[home] = next;
          cuts.lows[next] = low;
          filled[home] = 0;
          earliest[home] = low + narrowest;
        }
      }
      filled[home] = (filled[home] as number) + 1;
      homes[body] = current[home] as number;
    }
    return parts;
  }

  /** Puts every body into every chunk that it reaches into, in the order of low corners along the last axis. */
  private deal(chunks: number): void {
    const { sorted, scene, boxes } = this;
    const { dimensions, count } = scene;
    this.starts = new Uint32Array(chunks + 1);
    this.corners = new Float32Array(dimensions * chunks);
    this.markCorners(dimensions - 1, 0, []);
    this.dealtLength = 0;
    for (let index = 0; index < count; index++) this.enter(sorted[index] as number, dimensions - 1, 0);

    const { starts, dealt, dealtLength } = this;
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
    for (let word = 0; word < dealtLength; word += 2) {
      const chunk = dealt[word] as number;
      const body = dealt[word + 1] as number;
      const index = starts[chunk] as number;
      starts[chunk] = index + 1;
      members[index] = body;
      for (let side = 0; side < 2 * dimensions; side++) {
        memberBoxes[2 * dimensions * index + side] = boxes[2 * dimensions * body + side] as number;
      }
    }
    // Each start has moved on to the start of the next chunk.
    starts.copyWithin(1, 0, chunks);
    starts[0] = 0;
  }

  private enter(body: number, axis: number, region: number): void {
    const { cuts, boxes, scene } = this;
    const { starts, lows } = cuts[axis] as Cuts;
    const box = 2 * scene.dimensions * body + axis;
    const high = boxes[box + scene.dimensions] as number;
    const end = starts[region + 1] as number;
    let part = lastNotAbove(lows, starts[region] as number, end, boxes[box] as number);
    do {
      if (axis > 0) this.enter(body, axis - 1, part);
      else this.add(part, body);
      part++;
    } while (part < end && (lows[part] as number) <= high);
  }

  private add(chunk: number, body: number): void {
    const { starts, dealtLength } = this;
    starts[chunk] = (starts[chunk] as number) + 1;
    if (dealtLength + 2 > this.dealt.length) {
      const longer = new Uint32Array(2 * this.dealt.length + 4 * this.scene.count + 2);
      longer.set(this.dealt);
      this.dealt = longer;
    }
    this.dealt[dealtLength] = chunk;
    this.dealt[dealtLength + 1] = body;
    this.dealtLength = dealtLength + 2;
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
    if (this.scene.dimensions === 2) this.sweepPlane();
    else this.sweepSpace();
    return this.sink;
  }

  private sweepPlane(): void {
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
          // Tests the greater of both low corners; along y that is the low corner of the later box.
          if (otherY < cornerY || (otherX < cornerX && lowX < cornerX)) continue;
          this.consider(members[index] as number, members[other] as number);
        }
      }
    }
  }

  private sweepSpace(): void {
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
          this.consider(members[index] as number, members[other] as number);
        }
      }
    }
  }

  private consider(a: number, b: number): void {
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

/** Returns the last of the ascending entries `begin` to `end` − 1 that is at most `value`; the first one is −∞. */
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
