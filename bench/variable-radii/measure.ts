/**
 * Measures how long finding all pairs of particles with different radii takes. The contenders take turns. With
 * particles in random order, the grids of both engines must first find the same pairs as CpuIndex. Simulations must
 * first measure the same number of contacts.
 */
import type { Dimensions, WorldOptions } from '../../src/core/world/world';
import { createCpuGrid, createCpuIndex, createCpuLevelGrid } from '../../src/cpu';
import { HashGrid } from '../../src/engine/grid/hash-grid';
import { createSimulation } from '../../src/engine/simulation/simulation';
import { type Gpu, requestGpu } from '../../src/gpu/device';
import { toBodies, toStored } from '../../src/gpu/layout';
import { createScene, worldOptions } from '../../src/scenes';

export interface RadiiRequest {
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly repeats: number;
}

export interface RadiiRow {
  /** `push`: a simulation sorts and pushes apart once, instead of listing pairs. */
  readonly engine: 'cpu' | 'gpu' | 'push';
  readonly dimensions: Dimensions;
  readonly particles: string;
  /** The order of particles in memory: `random`, or `canonical`, which is the order of cells. */
  readonly order: string;
  readonly pairs: number;
  /** Bytes per particle, without the list of pairs. */
  readonly bytes: number;
  readonly median: number;
  readonly least: number;
  /** `least` ÷ the `least` of equal particles in a bounded world, on the same engine and in the same order. */
  readonly timesEqual: number;
}

interface Particles {
  readonly name: string;
  readonly world: WorldOptions;
  readonly positions: Float32Array;
  /** Undefined if all radii are 0.5. */
  readonly radii?: Float32Array;
}

interface Contender {
  readonly row: Omit<RadiiRow, 'median' | 'least' | 'timesEqual' | 'bytes'>;
  readonly bytes: () => number;
  run(): void | Promise<void>;
}

const RANGE = { smallest: 1, largest: 64 } as const;
const WARM_UP = 3;

export async function measureRadii(request: RadiiRequest, provider?: GPU): Promise<RadiiRow[]> {
  const { dimensions, count, repeats } = request;
  const gpu = provider
    ? await requestGpu({ particles: count, cells: 12 * count, dimensions, gpu: provider })
    : undefined;
  const contenders: Contender[] = [];
  for (const particles of kinds(dimensions, count)) {
    const expected = pairsOfIndex(dimensions, particles);
    const inOrder = reorder(particles, dimensions, gridOf(particles, count).ids());
    for (const [order, given] of [
      ['random', particles],
      ['canonical', inOrder],
    ] as const) {
      contenders.push(contendCpu(given, request, order, order === 'random' ? expected : undefined));
    }
    if (!gpu) continue;
    contenders.push(await contendGpu(gpu, particles, request, expected));
    contenders.push(await contendPush(gpu, particles, request, expected.length / 2));
  }
  const times = contenders.map((): number[] => []);
  for (let repeat = 0; repeat < WARM_UP + repeats; repeat++) {
    for (const [index, contender] of contenders.entries()) {
      const begin = performance.now();
      await contender.run();
      if (repeat >= WARM_UP) times[index]?.push(performance.now() - begin);
    }
  }
  const least = times.map((some) => Math.min(...some));
  return contenders.map(({ row, bytes }, index): RadiiRow => {
    const equal = contenders.findIndex(
      (other) => other.row.engine === row.engine && other.row.order === row.order,
    );
    const sorted = (times[index] as number[]).toSorted((a, b) => a - b);
    return {
      ...row,
      bytes: bytes(),
      median: sorted[sorted.length >> 1] as number,
      least: least[index] as number,
      timesEqual: (least[index] as number) / (least[equal] as number),
    };
  });
}

/** Returns the particles to compare. Equal ones in a bounded world come first: all others are compared with them. */
function kinds(dimensions: Dimensions, count: number): Particles[] {
  const equal = createScene('uniform', { dimensions, count });
  const world = worldOptions(equal);
  const [mixed, ...others] = ['mixed', 'one-large', 'mixed-periodic'].map((name): Particles => {
    const scene = createScene(name, { dimensions, count });
    return {
      name,
      world: worldOptions(scene),
      positions: scene.positions,
      radii: scene.radii as Float32Array,
    };
  }) as [Particles, ...Particles[]];
  return [
    { name: 'equal', world, positions: equal.positions },
    mixed,
    ...others,
    { ...mixed, name: 'mixed-unbounded', world: { dimensions, unbounded: true } },
    { name: 'equal-periodic', world: { ...world, periodic: true }, positions: equal.positions },
  ];
}

function gridOf({ world, positions, radii }: Particles, capacity: number) {
  if (radii) {
    const grid = createCpuLevelGrid({ ...world, radii: RANGE, capacity });
    const build = () => grid.build(positions, radii);
    build();
    return { build, ids: () => grid.ids(), grid };
  }
  const grid = createCpuGrid({ ...world, diameter: 1, capacity });
  const build = () => grid.build(positions);
  build();
  return { build, ids: () => grid.ids(), grid };
}

function reorder(particles: Particles, dimensions: Dimensions, ids: Uint32Array): Particles {
  const positions = new Float32Array(particles.positions.length);
  ids.forEach((id, slot) => {
    positions.set(particles.positions.subarray(dimensions * id, dimensions * (id + 1)), dimensions * slot);
  });
  const { radii } = particles;
  return radii
    ? { ...particles, positions, radii: Float32Array.from(ids, (id) => radii[id] as number) }
    : { ...particles, positions };
}

function contendCpu(
  particles: Particles,
  { dimensions, count }: RadiiRequest,
  order: string,
  expected?: Uint32Array,
): Contender {
  const { build, grid } = gridOf(particles, count);
  const bytes = grid.memoryBytes / count;
  const { count: pairs, pairs: found } = grid.findPairs();
  if (expected) checkEqual(`cpu, ${particles.name}`, found, expected);
  return {
    row: { engine: 'cpu', dimensions, particles: particles.name, order, pairs },
    bytes: () => bytes,
    run() {
      build();
      grid.collectPairs();
    },
  };
}

async function contendGpu(
  gpu: Gpu,
  { name, world, positions, radii }: Particles,
  { dimensions, count }: RadiiRequest,
  expected: Uint32Array,
): Promise<Contender> {
  const stored = radii ? toBodies(dimensions, positions, { radii }) : toStored(dimensions, positions);
  const grid = await HashGrid.create(gpu, {
    ...world,
    ...(radii ? { radii: RANGE } : { diameter: 1 }),
    capacity: count,
  });
  const pairs = await grid.pairs({ capacity: expected.length / 2 + 2 });
  const input = gpu.device.createBuffer({
    label: 'bench.positions',
    size: stored.byteLength,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  });
  gpu.device.queue.writeBuffer(input, 0, stored);
  const run = async () => {
    const encoder = gpu.device.createCommandEncoder();
    grid.encode(encoder, { positions: input, count });
    pairs.encode(encoder);
    gpu.device.queue.submit([encoder.finish()]);
    await gpu.device.queue.onSubmittedWorkDone();
  };
  await run();
  checkEqual(`gpu, ${name}`, (await pairs.read()).pairs, expected);
  return {
    row: { engine: 'gpu', dimensions, particles: name, order: 'random', pairs: expected.length / 2 },
    bytes: () => grid.memoryBytes / count,
    run,
  };
}

/** With so low a relaxation, at most a few contacts change over all runs. */
const RELAXATION = 0.01;

async function contendPush(
  gpu: Gpu,
  { name, world, positions, radii }: Particles,
  { dimensions, count }: RadiiRequest,
  pairs: number,
): Promise<Contender> {
  const sizes = radii ? { radii } : { radius: 0.5 };
  const options = { ...world, ...sizes, positions, relaxation: RELAXATION };
  const simulation = await createSimulation(gpu, options);
  const { contacts } = await simulation.measure();
  if (contacts !== pairs) throw new Error(`push, ${name} has ${contacts} contacts instead of ${pairs}.`);
  return {
    row: { engine: 'push', dimensions, particles: name, order: 'canonical', pairs },
    bytes: () => simulation.memoryBytes / count,
    async run() {
      simulation.separate(1);
      await gpu.device.queue.onSubmittedWorkDone();
    },
  };
}

/** CpuIndex searches independently of the grids. */
function pairsOfIndex(dimensions: Dimensions, { world, positions, radii }: Particles): Uint32Array {
  const count = positions.length / dimensions;
  const { cellSize: _, crowds: __, ...bounds } = world;
  const index = createCpuIndex({ ...bounds, capacity: count });
  for (let id = 0; id < count; id++) {
    index.add(positions.subarray(dimensions * id, dimensions * (id + 1)), radii?.[id] ?? 0.5);
  }
  return index.findPairs().pairs;
}

function checkEqual(engine: string, got: Uint32Array, expected: Uint32Array): void {
  const wrong = expected.findIndex((word, index) => word !== got[index]);
  if (got.length !== expected.length || wrong >= 0) {
    throw new Error(
      `${engine} finds ${got.length / 2} pairs, ${expected.length / 2} are expected; the first difference is at word ${wrong}.`,
    );
  }
}
