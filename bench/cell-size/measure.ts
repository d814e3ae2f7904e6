/**
 * Times searches with cells of different sizes and counts their candidates. A contender is a method with cells of one
 * size. Contenders take turns, and all must first find the same number of contacts.
 */
import { latticeCoordinate } from '../../src/core/world/cells';
import {
  cellsSpanned,
  type Dimensions,
  defineWorld,
  type World,
  type WorldOptions,
} from '../../src/core/world/world';
import { type CpuGrid, createCpuGrid } from '../../src/cpu';
import { HashGrid } from '../../src/engine/grid/hash-grid';
import { createSimulation } from '../../src/engine/simulation/simulation';
import { createBuffers } from '../../src/gpu/buffers';
import { type Gpu, requestGpu } from '../../src/gpu/device';
import { toStored } from '../../src/gpu/layout';
import { Readback } from '../../src/gpu/readback';
import { Random } from '../../src/scenes/random';

export interface CellSizeRequest {
  readonly dimensions: Dimensions;
  readonly count: number;
  /** Particles per square or cube with an edge of one diameter. */
  readonly density: number;
  /** Widths of cells, in diameters. */
  readonly sizes: readonly number[];
  readonly repeats: number;
  readonly methods: readonly Method[];
}

/**
 * - `cpu pairs`: builds the grid and finds all pairs.
 * - `gpu push`: sorts a simulation's particles and pushes them apart once.
 * - `cpu near`: queries the neighbours within one diameter of a particle.
 * - `gpu near`: sorts the particles, then counts neighbours within one diameter in a custom kernel. If cells are
 *   narrower than a diameter, `candidates` and `ranges` may be too high: they count as many cells on every side as a
 *   diameter spans, but the kernel visits only the cells that a box around the particle touches.
 */
export const METHODS = ['cpu pairs', 'gpu push', 'cpu near', 'gpu near'] as const;
export type Method = (typeof METHODS)[number];

export interface CellSizeRow {
  readonly method: Method;
  readonly dimensions: Dimensions;
  readonly density: number;
  /** Width of a cell, in diameters. */
  readonly size: number;
  /** Cells of the grid per particle. */
  readonly cells: number;
  /** Rows of cells that the search around one particle visits, on average. */
  readonly ranges: number;
  /** Candidates and contacts per particle. A pair counts for both of its particles. */
  readonly candidates: number;
  readonly contacts: number;
  /** Nanoseconds per particle. */
  readonly median: number;
  readonly least: number;
}

const SEED = 1;
/** Timed runs of `cpu near` query only every fifth particle, because queries are slow. */
const STRIDE = 5;
/** A low relaxation gives all repeats nearly the same workload. */
const RELAXATION = 0.01;

interface Contender {
  readonly row: Omit<CellSizeRow, 'median' | 'least'>;
  readonly particles: number;
  run(): void | Promise<void>;
  destroy?(): Promise<void>;
}

export async function measureCellSizes(request: CellSizeRequest, provider: GPU): Promise<CellSizeRow[]> {
  const { dimensions, count, density, repeats } = request;
  const edge = Math.ceil((count / density) ** (1 / dimensions));
  const corner = (value: number) => new Array<number>(dimensions).fill(value);
  const box = { dimensions, min: corner(0), max: corner(edge) };
  const random = new Random(SEED);
  const positions = Float32Array.from(
    { length: dimensions * count },
    () => random.between(0, 1024 * edge - 1) / 1024,
  );
  const contenders: Contender[] = [];
  for (const size of request.sizes) {
    const sized = { ...box, cellSize: size };
    for (const method of request.methods) {
      // These methods visit only adjacent cells, so cells must be at least a diameter wide.
      if (size < 1 && (method === 'cpu pairs' || method === 'gpu push')) continue;
      if (method === 'cpu pairs') contenders.push(contendPairs(sized, positions, request, size));
      if (method === 'gpu push')
        contenders.push(await contendPush(sized, positions, request, size, provider));
      if (method === 'cpu near') contenders.push(contendNear(box, positions, request, size));
      if (method === 'gpu near')
        contenders.push(await contendKernel(box, positions, request, size, provider));
    }
  }
  const [first] = contenders as [Contender];
  for (const { row } of contenders) {
    if (row.contacts === first.row.contacts && row.contacts > 0) continue;
    throw new Error(
      `${row.method} with cells of ${row.size} finds ${row.contacts} contacts per particle, but it must find more than 0, and as many as ${first.row.method} with cells of ${first.row.size}: ${first.row.contacts}.`,
    );
  }
  const times = contenders.map((): number[] => []);
  for (let repeat = 0; repeat <= repeats; repeat++) {
    for (const [index, { run, particles }] of contenders.entries()) {
      const began = performance.now();
      await run();
      if (repeat > 0) times[index]?.push((1e6 * (performance.now() - began)) / particles);
    }
  }
  for (const { destroy } of contenders) await destroy?.();
  return contenders.map(({ row }, index) => {
    const sorted = (times[index] as number[]).sort((a, b) => a - b);
    return { ...row, median: sorted[sorted.length >> 1] as number, least: sorted[0] as number };
  });
}

function contendPairs(
  options: WorldOptions,
  positions: Float32Array,
  { dimensions, count, density }: CellSizeRequest,
  size: number,
): Contender {
  const grid = createCpuGrid({ ...options, diameter: 1, capacity: count });
  const ordered = inCellOrder(grid, positions);
  grid.build(ordered);
  const contacts = (2 * grid.countPairs()) / count;
  const { candidates, ranges } = countCandidates(grid.world, ordered, 0, 1);
  const cells = grid.world.cellCount / count;
  return {
    row: { method: 'cpu pairs', dimensions, density, size, cells, ranges, candidates, contacts },
    particles: count,
    run() {
      grid.build(ordered);
      grid.collectPairs();
    },
  };
}

async function contendPush(
  options: WorldOptions,
  positions: Float32Array,
  { dimensions, count, density }: CellSizeRequest,
  size: number,
  provider: GPU,
): Promise<Contender> {
  const { cellCount } = defineWorld(options, 1);
  const gpu = await openGpu(provider, { particles: count, cells: cellCount, dimensions });
  const { queue } = gpu.device;
  const settings = { relaxation: RELAXATION, walls: false };
  const simulation = await createSimulation(gpu, { ...options, radius: 0.5, positions, ...settings });
  const measures = await simulation.measure();
  const { candidates, ranges } = countCandidates(simulation.world, positions, 0, 1);
  if (candidates !== (2 * measures.candidates) / count) {
    throw new Error(
      `countCandidates finds ${candidates} candidates per particle, but the GPU reports ${(2 * measures.candidates) / count}.`,
    );
  }
  return {
    row: {
      method: 'gpu push',
      dimensions,
      density,
      size,
      cells: cellCount / count,
      ranges,
      candidates,
      contacts: (2 * measures.contacts) / count,
    },
    particles: count,
    async run() {
      simulation.separate(1);
      await queue.onSubmittedWorkDone();
    },
    async destroy() {
      const after = await simulation.measure();
      if (after.count !== count || after.nonFinite > 0)
        throw new Error(
          `After timing, ${after.count} of ${count} particles are left and ${after.nonFinite} are not finite.`,
        );
      simulation.destroy();
      await close(gpu);
    },
  };
}

const SCOPES = ['validation', 'out-of-memory', 'internal'] as const;

async function openGpu(
  provider: GPU,
  limits: { readonly particles: number; readonly cells: number; readonly dimensions: Dimensions },
): Promise<Gpu> {
  const gpu = await requestGpu({ ...limits, gpu: provider });
  for (const scope of SCOPES) gpu.device.pushErrorScope(scope);
  return gpu;
}

async function close(gpu: Gpu): Promise<void> {
  for (const _ of SCOPES) {
    const error = await gpu.device.popErrorScope();
    if (error) throw new Error(`The device reported: ${error.message}`);
  }
  gpu.destroy();
}

const COUNT_NEIGHBOURS = `alias Own = u32;
fn begin(particle: Particle) -> Own { return 0u; }
fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) { *own += 1u; }
fn finish(own: Own, particle: Particle) { neighbours[particle.slot] = own; }`;

async function contendKernel(
  options: WorldOptions,
  positions: Float32Array,
  { dimensions, count, density }: CellSizeRequest,
  size: number,
  provider: GPU,
): Promise<Contender> {
  const { cellCount } = defineWorld(options, size);
  const gpu = await openGpu(provider, { particles: count, cells: cellCount, dimensions });
  const { queue } = gpu.device;
  // `diameter` sets only the width of cells here.
  const grid = await HashGrid.create(gpu, { ...options, diameter: size, capacity: count });
  const ordered = inCellOrder(createCpuGrid({ ...options, diameter: size, capacity: count }), positions);
  const kernel = await grid.kernel({
    label: 'neighbours',
    code: COUNT_NEIGHBOURS,
    radius: 1,
    buffers: { neighbours: { type: 'array<u32>', access: 'write' } },
  });
  const stored = toStored(dimensions, ordered);
  const owned = await createBuffers(gpu, 'bench', { positions: stored.byteLength, neighbours: 4 * count });
  queue.writeBuffer(owned.buffers.positions, 0, stored);
  const search = () => {
    const encoder = gpu.device.createCommandEncoder({ label: 'bench' });
    grid.encode(encoder, { positions: owned.buffers.positions, count });
    kernel.encode(encoder, { buffers: { neighbours: owned.buffers.neighbours } });
    return encoder;
  };
  const readback = new Readback(gpu, 'bench');
  const encoder = search();
  const reading = readback.record(encoder, [{ buffer: owned.buffers.neighbours, size: 4 * count }]);
  queue.submit([encoder.finish()]);
  const [found] = (await reading.finish()) as [ArrayBuffer];
  const contacts = new Uint32Array(found).reduce((sum, neighbours) => sum + neighbours, 0) / count;
  const { candidates, ranges } = countCandidates(grid.world, ordered, 0, cellsSpanned(grid.world, 1));
  return {
    row: {
      method: 'gpu near',
      dimensions,
      density,
      size,
      cells: cellCount / count,
      ranges,
      candidates,
      contacts,
    },
    particles: count,
    async run() {
      queue.submit([search().finish()]);
      await queue.onSubmittedWorkDone();
    },
    async destroy() {
      readback.destroy();
      owned.destroy();
      grid.destroy();
      await close(gpu);
    },
  };
}

function contendNear(
  options: WorldOptions,
  positions: Float32Array,
  { dimensions, count, density }: CellSizeRequest,
  size: number,
): Contender {
  // `diameter` sets only the width of cells here.
  const grid = createCpuGrid({ ...options, diameter: size, capacity: count });
  const ordered = inCellOrder(grid, positions);
  grid.build(ordered);
  const point = new Array<number>(dimensions).fill(0);
  let found = 0;
  const visit = (_: number, distanceSquared: number) => {
    found += distanceSquared < 1 ? 1 : 0;
  };
  const queryEach = (stride: number) => {
    found = 0;
    for (let id = 0; id < count; id += stride) {
      for (let axis = 0; axis < dimensions; axis++) point[axis] = ordered[dimensions * id + axis] as number;
      grid.near(point, 1, visit);
    }
    return found;
  };
  // A query around a particle also finds that particle.
  const contacts = (queryEach(1) - count) / count;
  const { candidates, ranges } = countCandidates(grid.world, ordered, 1, 1);
  const cells = grid.world.cellCount / count;
  return {
    row: { method: 'cpu near', dimensions, density, size, cells, ranges, candidates, contacts },
    particles: Math.ceil(count / STRIDE),
    run() {
      queryEach(STRIDE);
    },
  };
}

function inCellOrder(grid: CpuGrid, positions: Float32Array): Float32Array {
  const { dimensions } = grid.world;
  grid.build(positions);
  const ordered = new Float32Array(positions.length);
  grid.ids().forEach((id, slot) => {
    ordered.set(positions.subarray(dimensions * id, dimensions * (id + 1)), dimensions * slot);
  });
  return ordered;
}

/**
 * Counts candidates and ranges per particle, independently of the timed searches. Along every axis, a search box
 * consists of the cells within the distance `reach`, and of `spare` more cells on each side.
 */
function countCandidates(
  world: World,
  positions: Float32Array,
  reach: number,
  spare: number,
): { readonly candidates: number; readonly ranges: number } {
  const { dimensions, cells } = world;
  const [columns, rows] = cells as [number, number];
  const keyOf = (x: number, y: number, z: number) => (z * rows + y) * columns + x;
  const before = new Uint32Array(world.cellCount + 1);
  const particles = positions.length / dimensions;
  const coordinateOf = (particle: number, axis: number, offset: number) =>
    axis < dimensions
      ? latticeCoordinate(world, (positions[dimensions * particle + axis] as number) + offset, axis)
      : 0;
  for (let particle = 0; particle < particles; particle++) {
    const [x, y, z] = [0, 1, 2].map((axis) => coordinateOf(particle, axis, 0)) as [number, number, number];
    const key = keyOf(x, y, z);
    before[key + 1] = (before[key + 1] as number) + 1;
  }
  for (let key = 0; key < world.cellCount; key++) {
    before[key + 1] = (before[key + 1] as number) + (before[key] as number);
  }
  let candidates = 0;
  let ranges = 0;
  for (let particle = 0; particle < particles; particle++) {
    const [low, high] = [-1, 1].map((side) =>
      [0, 1, 2].map((axis) => {
        if (axis >= dimensions) return 0;
        const end = coordinateOf(particle, axis, side * reach) + side * spare;
        return Math.max(0, Math.min((cells[axis] as number) - 1, end));
      }),
    ) as [[number, number, number], [number, number, number]];
    for (let z = low[2]; z <= high[2]; z++) {
      for (let y = low[1]; y <= high[1]; y++) {
        const end = before[keyOf(high[0], y, z) + 1] as number;
        candidates += end - (before[keyOf(low[0], y, z)] as number);
        ranges++;
      }
    }
  }
  return { candidates: (candidates - particles) / particles, ranges: ranges / particles };
}
