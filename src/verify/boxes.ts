/**
 * Compares the overlapping pairs of many boxes with an oracle that uses no cells. Among the boxes are points, slivers,
 * very large boxes and invalid ones. Overlap tests only compare coordinates, so there is one right answer.
 */
import { createCpuBoxChunks } from '../cpu/boxes/chunks';
import { createCpuBoxPairs } from '../cpu/boxes/pairs';
import { BoxChunks } from '../engine/box-chunks';
import { BoxPairs } from '../engine/box-pairs';
import { createBuffers, createParts } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { toStored } from '../gpu/layout';
import { bruteForceBoxPairs, sweepBoxPairs } from '../reference/query/box-pairs';
import { Random, type Scene } from '../scenes';

/** The oracle takes too long for more boxes. */
export const MOST_BOXES = 70_000;

const BRUTE_FORCE_LIMIT = 1024;

/** Extents are multiples of diameter / STEPS, but a sliver's thickness is a multiple of diameter / STEPS / 1024. */
const STEPS = 64;
/** Extent of the largest boxes, in diameters. */
const LARGEST = 32;
/** BoxChunks gets room for MOST_MEMBERS^dimensions memberships per box. */
const MOST_MEMBERS = 2.5;

interface Found {
  readonly pairs: ArrayLike<number>;
  readonly invalid: number;
}

export async function checkBoxes(
  gpu: Gpu | undefined,
  scene: Scene,
): Promise<{ readonly pass: boolean; readonly detail: string }> {
  const { dimensions, count } = scene;
  const boxes = makeBoxes(scene);
  const oracle = count <= BRUTE_FORCE_LIMIT ? bruteForceBoxPairs : sweepBoxPairs;
  const expected = oracle(dimensions, boxes);
  const invalid = countInverted(scene);
  const answers = gpu
    ? await askGpu(gpu, scene, boxes, expected.length / 2)
    : [createCpuBoxPairs({ dimensions }), createCpuBoxChunks({ dimensions })].map((finder) => {
        finder.build(boxes);
        return { pairs: finder.findPairs().pairs, invalid: finder.invalid };
      });
  for (const [method, got] of answers.entries()) {
    const by = method === 0 ? '' : ' by chunks';
    const length = Math.max(got.pairs.length, expected.length);
    for (let word = 0; word < length; word += 2) {
      if (got.pairs[word] === expected[word] && got.pairs[word + 1] === expected[word + 1]) continue;
      const [one, other] = [got.pairs, expected].map((pairs) =>
        word < pairs.length ? `${pairs[word]} and ${pairs[word + 1]}` : 'none',
      );
      return { pass: false, detail: `pair ${word / 2}${by} is ${one} instead of ${other}` };
    }
    if (got.invalid !== invalid) {
      return { pass: false, detail: `${got.invalid} boxes are reported invalid${by} instead of ${invalid}` };
    }
  }
  return {
    pass: true,
    detail: `${expected.length / 2} pairs of boxes, by cells and by chunks; ${invalid} of ${count} boxes are invalid`,
  };
}

/** One box in this many begins where the previous one ends. */
const TOUCHING = 8;
/** One box in this many is invalid: along x, its low corner is above its high corner. */
const INVERTED = 50;

function countInverted({ count }: Scene): number {
  return Math.floor(count / INVERTED);
}

function makeBoxes({ dimensions, count, positions, radius, seed }: Scene): Float32Array {
  const random = new Random(seed + 1);
  const boxes = new Float32Array(2 * dimensions * count);
  const diameters = (most: number) => (2 * radius * random.between(0, most * STEPS)) / STEPS;
  for (let box = 0; box < count; box++) {
    const kind = random.below(16);
    const along = random.below(dimensions);
    const giant = random.below(Math.max(64, count >> 3)) === 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const before = 2 * dimensions * (box - 1) + dimensions + axis;
      const touches = box % TOUCHING === TOUCHING - 1;
      const low = (touches ? boxes[before] : positions[dimensions * box + axis]) as number;
      const isLong = kind === 1 && axis === along;
      const extent = kind === 0 ? 0 : isLong ? diameters(4) : diameters(1) / (kind === 1 ? 1024 : 1);
      const first = 2 * dimensions * box + axis;
      boxes[first] = low;
      boxes[first + dimensions] = low + (giant ? 2 * radius * LARGEST : extent);
    }
    if (box % INVERTED !== INVERTED - 1) continue;
    const high = boxes[2 * dimensions * box] as number;
    boxes[2 * dimensions * box] = Math.max(high + 1, high * 2);
    boxes[2 * dimensions * box + dimensions] = high;
  }
  return boxes;
}

async function askGpu(gpu: Gpu, scene: Scene, boxes: Float32Array, pairs: number): Promise<Found[]> {
  const { dimensions, count, radius } = scene;
  const packed = toStored(dimensions, boxes);
  const options = { dimensions, capacity: count, pairs: Math.max(1, pairs) };
  // Allows twice the largest extent, because high corners are rounded.
  const extents = { smallest: radius, largest: 4 * radius * LARGEST };
  const members = Math.ceil(MOST_MEMBERS ** dimensions * count);
  const parts = await createParts({
    cells: BoxPairs.create(gpu, { ...options, extents }),
    chunks: BoxChunks.create(gpu, { ...options, members }),
    input: createBuffers(gpu, 'verify', { boxes: packed.byteLength }),
  });
  const { cells, chunks, input } = parts;
  try {
    if (count > 0) gpu.device.queue.writeBuffer(input.buffers.boxes, 0, packed);
    const encoder = gpu.device.createCommandEncoder({ label: 'verify.boxes' });
    for (const finder of [cells, chunks]) finder.encode(encoder, { boxes: input.buffers.boxes, count });
    gpu.device.queue.submit([encoder.finish()]);
    const [byCells, byChunks] = [await cells.read(), await chunks.read()];
    // A list that is too short, or boxes that are too large, must fail the check.
    return [{ ...byCells, invalid: byCells.invalid + byCells.tooLarge }, byChunks].map((got) => ({
      ...got,
      pairs: got.found === pairs ? got.pairs : [got.found],
    }));
  } finally {
    for (const part of Object.values(parts)) part.destroy();
  }
}
