/**
 * Wraps `createCpuBoxPairs` and `createCpuBoxChunks`. If bodies are discs or balls, the engine searches their bounding
 * boxes, then tests the discs or balls of each pair.
 */
import type { PairList } from '../../../src/core/simulation/simulation';
import type { Dimensions } from '../../../src/core/world/world';
import { type CpuBoxChunks, type CpuBoxPairs, createCpuBoxChunks, createCpuBoxPairs } from '../../../src/cpu';
import type { ChunkOrder } from '../../../src/cpu/boxes/chunk-order';
import { type BoxOrder, CORNERS } from '../../../src/cpu/boxes/order';
import type { CpuEngine, Work } from '../../harness/engine';
import { Overlaps } from '../../peers/overlaps';

interface Boxes {
  readonly name: string;
  readonly about: string;
  create(options: { readonly dimensions: Dimensions }): CpuBoxPairs | CpuBoxChunks;
  countCandidates(order: unknown): number;
}

function boxEngine({ name, about, create, countCandidates }: Boxes): CpuEngine {
  return {
    name,
    backend: 'cpu',
    boxes: true,
    about,
    open(scene) {
      const { dimensions, count, halfExtents } = scene;
      const overlaps = new Overlaps(scene);
      const finder = create({ dimensions });
      const boxes = new Float32Array(2 * dimensions * count);
      let memory: number | undefined;
      function query(): PairList {
        if (halfExtents) return finder.collectPairs();
        overlaps.clear();
        finder.forEachPair((a, b) => overlaps.testPair(a, b));
        return overlaps;
      }

      return {
        place: (positions) => overlaps.place(positions),
        build() {
          const { positions } = overlaps;
          for (let body = 0; body < count; body++) {
            for (let axis = 0; axis < dimensions; axis++) {
              const centre = positions[body * dimensions + axis] as number;
              const half = overlaps.extentOf(body, axis);
              boxes[2 * dimensions * body + axis] = centre - half;
              boxes[2 * dimensions * body + dimensions + axis] = centre + half;
            }
          }
          finder.build(boxes);
          // Read the memory once: after a query it includes a long list of pairs.
          memory ??= boxes.byteLength + finder.memoryBytes;
        },
        query,
        /** Comparing two boxes is a test. Discs and balls are tested only if their boxes overlap. */
        countWork(): Work {
          const candidates = countCandidates((finder as unknown as { readonly order: unknown }).order);
          const tests = halfExtents ? candidates : overlaps.countTests(query);
          return { candidates, tests, counted: 'loop' };
        },
        get memoryBytes() {
          return memory;
        },
      };
    },
  };
}

export const CPU_BOXES = boxEngine({
  name: 'cpu-boxes',
  about: 'createCpuBoxPairs: sorts boxes into rows, on levels by their size, and sweeps along the rows.',
  create: createCpuBoxPairs,
  countCandidates: (order) => countInRows(order as BoxOrder),
});

export const CPU_CHUNKS = boxEngine({
  name: 'cpu-chunks',
  about:
    'createCpuBoxChunks: radix-sorts boxes along each axis, cuts space into chunks of few boxes and sweeps each chunk.',
  create: createCpuBoxChunks,
  countCandidates: (order) => countInChunks(order as ChunkOrder),
});

/**
 * Counts the candidates of the sweep in src/cpu/boxes/chunks.ts: pairs of boxes in the same chunk that meet along the
 * last axis.
 */
function countInChunks({ starts, corners, dimensions }: ChunkOrder): number {
  let candidates = 0;
  const lowOf = (member: number) => corners[CORNERS * member + dimensions - 1] as number;
  for (let chunk = 0; chunk + 1 < starts.length; chunk++) {
    const end = starts[chunk + 1] as number;
    for (let member = starts[chunk] as number; member < end; member++) {
      const high = corners[CORNERS * member + 2 + dimensions] as number;
      let other = member + 1;
      while (other < end && lowOf(other) <= high) other++;
      candidates += other - member - 1;
    }
  }
  return candidates;
}

/**
 * Counts the candidates of the sweep in src/cpu/boxes/sweep.ts: pairs of boxes in the same row or in neighbouring rows
 * that meet along x.
 */
function countInRows(order: BoxOrder): number {
  const { starts, levelRows, levels, corners } = order;
  let candidates = 0;
  const lowOf = (slot: number) => corners[CORNERS * slot] as number;
  const sweep = (slot: number, from: number, end: number) => {
    const high = corners[CORNERS * slot + 3] as number;
    let other = from;
    while (other < end && lowOf(other) <= high) other++;
    candidates += other - from;
  };
  const sweepRows = (row: number, otherRow: number) => {
    let slot = starts[row] as number;
    let other = starts[otherRow] as number;
    const end = starts[row + 1] as number;
    const otherEnd = starts[otherRow + 1] as number;
    if (row === otherRow) for (; slot < end; slot++) sweep(slot, slot + 1, end);
    while (slot < end && other < otherEnd) {
      if (lowOf(slot) <= lowOf(other)) sweep(slot++, other, otherEnd);
      else sweep(other++, slot, end);
    }
  };
  for (let level = 0; level < levels; level++) {
    const first = levelRows[level] as number;
    const width = order.rowsAt(0, level);
    for (let row = first; row < (levelRows[level + 1] as number); row++) {
      if (starts[row] === starts[row + 1]) continue;
      const y = (row - first) % width;
      const z = (row - first - y) / width;
      for (let higher = level; higher < levels; higher++) {
        const shift = higher - level;
        const rowsY = order.rowsAt(0, higher);
        const lastY = Math.min(rowsY - 1, (y + 1) >> shift);
        const lastZ = Math.min(order.rowsAt(1, higher) - 1, (z + 1) >> shift);
        for (let otherZ = Math.max(0, (z >> shift) - 1); otherZ <= lastZ; otherZ++) {
          for (let otherY = Math.max(0, (y >> shift) - 1); otherY <= lastY; otherY++) {
            const other = (levelRows[higher] as number) + otherZ * rowsY + otherY;
            if (other >= row) sweepRows(row, other);
          }
        }
      }
    }
  }
  return candidates;
}
