/**
 * Host of shaders/query/chunks.wgsl, chunk_members.wgsl and chunk_pairs.wgsl: divides space into chunks of boxes, and
 * finds the pairs of each chunk.
 */
import membersText from '../../../shaders/query/chunk_members.wgsl?raw';
import pairsText from '../../../shaders/query/chunk_pairs.wgsl?raw';
import tableText from '../../../shaders/query/chunk_table.wgsl?raw';
import text from '../../../shaders/query/chunks.wgsl?raw';
import { WORKGROUP_SIZE } from '../../core/base/constants';
import type { Dimensions } from '../../core/world/world';
import type { Bindings } from '../../gpu/bindings';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { FINITE, PARAMS, STRETCH } from '../modules';
import { SORT_STRETCH } from '../search-modules';

export const CHUNKS_FIELDS = {
  axis: 'u32',
  starts: 'extent',
  lows: 'extent',
  regions: 'extent',
  invalid_region: 'u32',
  most_members: 'u32',
} as const;

/** With fewer boxes per chunk, more boxes are in several chunks. With more, sweeps take longer. */
export const BOXES_PER_CHUNK = 48;

export const MEASURE_THREADS = 16 * WORKGROUP_SIZE;

export const CHUNK_STEPS = [
  'measure',
  'first_keys',
  'cut',
  'next_keys',
  'tally_members',
  'fill_members',
  'tally_pairs',
  'fill_pairs',
  'order_pairs',
] as const;
export type ChunkStep = (typeof CHUNK_STEPS)[number];

const BOXES = { boxes: 'read array<Stored>' } as const;
const TABLE = { table: 'read array<u32>' } as const;
const MEMBERS = { member_keys: 'read array<u32>', member_ids: 'read array<u32>' } as const;
const PAIRS = { tallies: 'write array<atomic<u32>>', member_offsets: 'read array<u32>' } as const;

const BINDINGS: Readonly<Record<ChunkStep, Bindings>> = {
  measure: { ...BOXES, partials: 'write array<vec2f>', refused: 'write array<atomic<u32>>' },
  first_keys: { ...BOXES, keys: 'write array<vec2u>', ids: 'write array<u32>' },
  cut: { keys: 'read array<vec2u>', partials: 'read array<vec2f>', table: 'write array<u32>' },
  next_keys: {
    ...BOXES,
    ...TABLE,
    keys: 'write array<vec2u>',
    ids: 'read array<u32>',
    order: 'write array<u32>',
  },
  tally_members: { ...BOXES, ...TABLE, order: 'read array<u32>', tallies: 'write array<u32>' },
  fill_members: {
    ...BOXES,
    ...TABLE,
    order: 'read array<u32>',
    offsets: 'read array<u32>',
    member_keys: 'write array<u32>',
    member_ids: 'write array<u32>',
    refused: 'write array<u32>',
  },
  tally_pairs: { ...BOXES, ...TABLE, ...MEMBERS, ...PAIRS },
  fill_pairs: {
    ...BOXES,
    ...TABLE,
    ...MEMBERS,
    ...PAIRS,
    offsets: 'read array<u32>',
    pairs: 'write array<vec2u>',
  },
  order_pairs: { ...PAIRS, offsets: 'read array<u32>', pairs: 'write array<vec2u>' },
};

const ENTRY_POINTS: Partial<Record<ChunkStep, string>> = {
  tally_members: 'find_members',
  fill_members: 'find_members',
  tally_pairs: 'find_pairs',
  fill_pairs: 'find_pairs',
};

export type ChunkKernels = Readonly<Record<ChunkStep, Kernel>>;

export function describeChunks(dimensions: Dimensions, step: ChunkStep): KernelDescription {
  const table = { name: 'query/chunk_table.wgsl', text: tableText };
  const kernel = step.endsWith('members')
    ? { name: 'query/chunk_members.wgsl', text: membersText }
    : step.endsWith('pairs')
      ? { name: 'query/chunk_pairs.wgsl', text: pairsText }
      : { name: 'query/chunks.wgsl', text };
  const bindings = BINDINGS[step];
  return {
    label: `measure.chunks.${step}`,
    dimensions,
    sources: [PARAMS, FINITE, table, ...(step === 'order_pairs' ? [STRETCH, SORT_STRETCH] : []), kernel],
    entryPoint: ENTRY_POINTS[step] ?? step,
    bindings: { chunks: 'uniform Chunks', ...bindings },
    flags: {
      SPACE: dimensions === 3,
      READS_BOXES: 'boxes' in bindings,
      READS_TABLE: 'table' in bindings,
      FILL: step.startsWith('fill'),
      ORDER: step === 'order_pairs',
      MEASURE: step === 'measure',
      FIRST_KEYS: step === 'first_keys',
      NEXT_KEYS: step === 'next_keys',
      CUT: step === 'cut',
    },
    constants: { BOXES_PER_CHUNK, MEASURE_THREADS },
  };
}

export async function createChunkKernels(gpu: Gpu, dimensions: Dimensions): Promise<ChunkKernels> {
  const kernels = CHUNK_STEPS.map((step) => Kernel.create(gpu, describeChunks(dimensions, step)));
  const created = await Promise.all(kernels);
  return Object.fromEntries(
    CHUNK_STEPS.map((step, index) => [step, created[index]]),
  ) as unknown as ChunkKernels;
}

/** The layout of the chunk table: first the numbers of parts, then three sections per axis. */
export interface ChunkRoom {
  /** Per axis, the first word of a section: the first part of each region. */
  readonly starts: readonly number[];
  /** Per axis, the first word of a section: the low bound of each part. */
  readonly lows: readonly number[];
  /** Per axis, the first word of a section: the region of each part. */
  readonly regions: readonly number[];
  readonly words: number;
  readonly mostRegions: number;
  readonly mostChunks: number;
}

/**
 * A region of s boxes is divided along axis a into at most 1 + (s / BOXES_PER_CHUNK)^(1 / (a + 1)) parts. The root is
 * concave, so the number of all parts is greatest for equal regions.
 */
export function chunkRoom(dimensions: Dimensions, boxes: number): ChunkRoom {
  const [starts, lows, regionsOfParts] = [[], [], []] as [number[], number[], number[]];
  let words: number = dimensions;
  let regions = 1;
  let mostRegions = 1;
  const chunks = boxes / BOXES_PER_CHUNK;
  for (let axis = dimensions - 1; axis >= 0; axis--) {
    mostRegions = regions;
    const share = 1 / (axis + 1);
    // A little more, because WGSL rounds roots.
    const parts = regions + Math.ceil(1.001 * regions ** (1 - share) * chunks ** share) + 1;
    starts[axis] = words;
    lows[axis] = words + regions + 1;
    regionsOfParts[axis] = words + regions + 1 + parts;
    words += regions + 1 + 2 * parts;
    regions = parts;
  }
  return { starts, lows, regions: regionsOfParts, words, mostRegions, mostChunks: regions };
}
