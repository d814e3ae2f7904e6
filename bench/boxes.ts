/**
 * Compares CpuBoxPairs with three hand-written methods that find all overlapping boxes on one CPU thread:
 *
 * - all pairs, for at most ALL_PAIRS_LIMIT boxes
 * - sort and sweep along the axis on which positions vary most
 * - hashed cells, so wide that nine in ten boxes are no wider than a cell
 *
 *   node scripts/run.mjs bench/boxes.ts [--json] [--sizes 1000,10000,100000] [--dimensions 2,3] [--rounds 7]
 *
 * All methods must first find the same pairs, by checksum. They take turns; the table shows medians. The script times
 * bundled sources, because a development server's modules run slower.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { longerList } from './harness/pair-sink';
import { bundle, median, round as toFigure } from './shared.mjs';

type Dimensions = 2 | 3;

/** Two ids per pair, the lower first. */
class Found {
  words = new Uint32Array(1 << 16);
  length = 0;

  add(first: number, second: number): void {
    if (this.length === this.words.length) this.words = longerList(this.words, this.length, 2 * this.length);
    this.words[this.length++] = first < second ? first : second;
    this.words[this.length++] = first < second ? second : first;
  }
}

interface Contender {
  readonly name: string;
  readonly most: number;
  find(): { readonly count: number; readonly pairs: Uint32Array };
}

const ALL_PAIRS_LIMIT = 10_000;
const WARM_UP = 3;
/** Boxes per unit square or cube. */
const DENSITY: Readonly<Record<Dimensions, number>> = { 2: 1, 3: 1 };

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '1000,10000,100000' },
    dimensions: { type: 'string', default: '2,3' },
    rounds: { type: 'string', default: '7' },
    scenes: { type: 'string' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const allDimensions = values.dimensions.split(',').map(Number) as Dimensions[];
const rounds = Number(values.rounds);

function createNoise(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e37_79b9) >>> 0;
    let hash = Math.imul(state ^ (state >>> 16), 0x21f0_aaad);
    hash = Math.imul(hash ^ (hash >>> 15), 0x735a_2d97);
    return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** Each function returns the edge of a box along `axis`. `longAxis` is an axis drawn at random for each box. */
const SCENES: Readonly<Record<string, (noise: () => number, axis: number, longAxis: number) => number>> = {
  uniform: (noise) => 0.3 + 0.6 * noise(),
  'equal size': () => 0.7,
  // Large boxes are rare, so that the list of pairs stays short.
  mixed: (noise) => 0.1 * Math.min(64, 1 / Math.sqrt(noise() + 1e-9)),
  slivers: (_noise, axis, longAxis) => (axis === longAxis ? 5 : 0.1),
  points: () => 0,
};

function scatter(dimensions: Dimensions, count: number, scene: string): Float32Array {
  const noise = createNoise(count + dimensions);
  const extent = SCENES[scene] as (typeof SCENES)[string];
  const edge = (count / DENSITY[dimensions]) ** (1 / dimensions);
  const boxes = new Float32Array(2 * dimensions * count);
  for (let box = 0; box < count; box++) {
    const longAxis = Math.floor(noise() * dimensions);
    // A box of `mixed` is equally wide along all axes.
    const same = scene === 'mixed' ? extent(noise, 0, longAxis) : undefined;
    for (let axis = 0; axis < dimensions; axis++) {
      const low = Math.fround(noise() * edge);
      boxes[2 * dimensions * box + axis] = low;
      boxes[2 * dimensions * box + dimensions + axis] = low + (same ?? extent(noise, axis, longAxis));
    }
  }
  return boxes;
}

function overlap(dimensions: number, boxes: Float32Array, a: number, b: number): boolean {
  const first = 2 * dimensions * a;
  const second = 2 * dimensions * b;
  for (let axis = 0; axis < dimensions; axis++) {
    if ((boxes[first + axis] as number) > (boxes[second + dimensions + axis] as number)) return false;
    if ((boxes[second + axis] as number) > (boxes[first + dimensions + axis] as number)) return false;
  }
  return true;
}

function allPairs(dimensions: Dimensions, boxes: Float32Array): Contender {
  const found = new Found();
  const count = boxes.length / (2 * dimensions);
  return {
    name: 'all pairs',
    most: ALL_PAIRS_LIMIT,
    find() {
      found.length = 0;
      for (let a = 0; a < count; a++) {
        for (let b = a + 1; b < count; b++) if (overlap(dimensions, boxes, a, b)) found.add(a, b);
      }
      return { count: found.length / 2, pairs: found.words };
    },
  };
}

function sortAndSweep(dimensions: Dimensions, boxes: Float32Array): Contender {
  const found = new Found();
  const stride = 2 * dimensions;
  const count = boxes.length / stride;
  const keys = new Float64Array(count);
  const sorted = new Float32Array(boxes.length);
  const ids = new Uint32Array(count);
  const number = new Float32Array(1);
  const bits = new Uint32Array(number.buffer);
  return {
    name: 'sort and sweep',
    most: Number.POSITIVE_INFINITY,
    find() {
      found.length = 0;
      let best = 0;
      let greatest = -1;
      for (let axis = 0; axis < dimensions; axis++) {
        let sum = 0;
        let squares = 0;
        for (let box = 0; box < count; box++) {
          const low = boxes[stride * box + axis] as number;
          sum += low;
          squares += low * low;
        }
        const variance = squares / count - (sum / count) ** 2;
        if (variance > greatest) {
          greatest = variance;
          best = axis;
        }
      }
      // `key` ascends with the low end. Key and id are packed into one number, because a typed array sorts many times
      // faster without a comparison function.
      for (let box = 0; box < count; box++) {
        number[0] = boxes[stride * box + best] as number;
        const word = bits[0] as number;
        const key = (word & 0x8000_0000 ? ~word : word | 0x8000_0000) >>> 0;
        keys[box] = key * 2 ** 21 + box;
      }
      keys.sort();
      for (let index = 0; index < count; index++) {
        const id = (keys[index] as number) % 2 ** 21;
        ids[index] = id;
        for (let word = 0; word < stride; word++) {
          sorted[stride * index + word] = boxes[stride * id + word] as number;
        }
      }
      for (let a = 0; a < count; a++) {
        const high = sorted[stride * a + dimensions + best] as number;
        for (let b = a + 1; b < count && (sorted[stride * b + best] as number) <= high; b++) {
          if (overlap(dimensions, sorted, a, b)) found.add(ids[a] as number, ids[b] as number);
        }
      }
      return { count: found.length / 2, pairs: found.words };
    },
  };
}

/**
 * Enters each box in every cell that the box touches. Only the cell that contains the low corner of the intersection of
 * two boxes reports their pair.
 */
function hashedCells(dimensions: Dimensions, boxes: Float32Array): Contender {
  const found = new Found();
  const stride = 2 * dimensions;
  const count = boxes.length / stride;
  const buckets = 2 ** Math.ceil(Math.log2(2 * count));
  const starts = new Uint32Array(buckets + 1);
  let entries = new Uint32Array(0);
  let cells = new Int32Array(0);
  const bucketOf = (x: number, y: number, z: number) => {
    let hash = Math.imul(x, 0x8da6_b343) ^ Math.imul(y, 0xd816_3841) ^ Math.imul(z, 0xcb1a_b31f);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a_2d39);
    return (hash ^ (hash >>> 15)) & (buckets - 1);
  };
  const extents = Float32Array.from({ length: count }, (_, box) => {
    let extent = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const low = boxes[stride * box + axis] as number;
      extent = Math.max(extent, (boxes[stride * box + dimensions + axis] as number) - low);
    }
    return extent;
  }).sort();
  const inverse = 1 / Math.max(extents[Math.floor(0.9 * count)] as number, 1);
  const visitCells = (box: number, visit: (x: number, y: number, z: number) => void) => {
    const at = stride * box;
    const cell = (word: number) => Math.floor((boxes[at + word] as number) * inverse);
    const zs = dimensions === 3 ? [cell(2), cell(5)] : [0, 0];
    for (let z = zs[0] as number; z <= (zs[1] as number); z++) {
      for (let y = cell(1); y <= cell(dimensions + 1); y++) {
        for (let x = cell(0); x <= cell(dimensions); x++) visit(x, y, z);
      }
    }
  };
  return {
    name: 'hashed cells',
    most: Number.POSITIVE_INFINITY,
    find() {
      found.length = 0;
      starts.fill(0);
      let total = 0;
      for (let box = 0; box < count; box++) {
        visitCells(box, (x, y, z) => {
          const bucket = bucketOf(x, y, z);
          starts[bucket + 1] = (starts[bucket + 1] as number) + 1;
          total++;
        });
      }
      // The next loops turn each count into the end of its bucket, then lower each end to the start.
      if (entries.length < total) {
        entries = new Uint32Array(total);
        cells = new Int32Array(3 * total);
      }
      for (let bucket = 0; bucket < buckets; bucket++) {
        starts[bucket + 1] = (starts[bucket + 1] as number) + (starts[bucket] as number);
      }
      for (let box = count - 1; box >= 0; box--) {
        visitCells(box, (x, y, z) => {
          const bucket = bucketOf(x, y, z) + 1;
          const entry = (starts[bucket] as number) - 1;
          starts[bucket] = entry;
          entries[entry] = box;
          cells[3 * entry] = x;
          cells[3 * entry + 1] = y;
          cells[3 * entry + 2] = z;
        });
      }
      for (let bucket = 1; bucket <= buckets; bucket++) {
        const end = bucket < buckets ? (starts[bucket + 1] as number) : total;
        for (let one = starts[bucket] as number; one < end; one++) {
          const a = entries[one] as number;
          for (let two = one + 1; two < end; two++) {
            const b = entries[two] as number;
            if (!overlap(dimensions, boxes, a, b)) continue;
            let isHere = true;
            for (let axis = 0; axis < 3; axis++) {
              const cell = cells[3 * one + axis] as number;
              if (cells[3 * two + axis] !== cell) isHere = false;
              if (axis >= dimensions) continue;
              const low = Math.max(boxes[stride * a + axis] as number, boxes[stride * b + axis] as number);
              if (Math.floor(low * inverse) !== cell) isHere = false;
            }
            if (isHere) found.add(a, b);
          }
        }
      }
      return { count: found.length / 2, pairs: found.words };
    },
  };
}

function checksum({ count, pairs }: { readonly count: number; readonly pairs: Uint32Array }): number {
  let sum = 0;
  for (let word = 0; word < 2 * count; word += 2) {
    const mixed = Math.imul((pairs[word] as number) ^ 0x9e37_79b9, 0x85eb_ca6b) ^ (pairs[word + 1] as number);
    sum = (sum + Math.imul(mixed ^ (mixed >>> 15), 0xc2b2_ae35)) >>> 0;
  }
  return sum;
}

const { cpu } = await bundle<{ cpu: typeof import('../src/cpu/index') }>({ cpu: 'src/cpu/index.ts' });
const results: Record<string, string | number>[] = [];
for (const dimensions of allDimensions) {
  for (const scene of values.scenes?.split(',') ?? Object.keys(SCENES)) {
    for (const size of sizes) {
      const boxes = scatter(dimensions, size, scene);
      const finder = cpu.createCpuBoxPairs({ dimensions });
      const contenders: Contender[] = [
        {
          name: 'CpuBoxPairs',
          most: Number.POSITIVE_INFINITY,
          find: () => {
            finder.build(boxes);
            return finder.collectPairs();
          },
        },
        {
          name: 'CpuBoxPairs, pairs sorted',
          most: Number.POSITIVE_INFINITY,
          find: () => {
            finder.build(boxes);
            return finder.findPairs();
          },
        },
        hashedCells(dimensions, boxes),
        sortAndSweep(dimensions, boxes),
        allPairs(dimensions, boxes),
      ].filter(({ most }) => size <= most);
      const answers = contenders.map((contender) => {
        const found = contender.find();
        return `${found.count} pairs, checksum ${checksum(found)}`;
      });
      for (const [index, answer] of answers.entries()) {
        if (answer === answers[0]) continue;
        throw new Error(`${contenders[index]?.name} found ${answer}, but CpuBoxPairs found ${answers[0]}.`);
      }
      const times = contenders.map((): number[] => []);
      for (let round = -WARM_UP; round < rounds; round++) {
        for (const [index, contender] of contenders.entries()) {
          const begin = performance.now();
          contender.find();
          if (round >= 0) times[index]?.push(performance.now() - begin);
        }
      }
      const own = median(times[0] as number[]);
      for (const [index, { name }] of contenders.entries()) {
        const took = median(times[index] as number[]);
        results.push({
          space: `${dimensions}D`,
          scene,
          boxes: size,
          structure: name,
          pairs: Number.parseInt(answers[index] as string, 10),
          ms: toFigure(took),
          'relative to CpuBoxPairs': toFigure(took / own),
        });
      }
    }
  }
}
if (values.json) {
  const machine = cpus()[0]?.model ?? 'unknown';
  console.log(JSON.stringify({ machine, node: process.version, load: loadavg()[0], results }, undefined, 2));
} else {
  const load = (loadavg()[0] as number).toFixed(1);
  console.log(
    `All overlapping boxes, one thread: ${cpus()[0]?.model}, Node ${process.version}, load ${load}, median of ${rounds}\n`,
  );
  const columns = Object.keys(results[0] ?? {});
  console.log(`| ${columns.join(' | ')} |\n|${columns.map(() => ' --- |').join('')}`);
  for (const row of results) console.log(`| ${columns.map((column) => row[column]).join(' | ')} |`);
}
