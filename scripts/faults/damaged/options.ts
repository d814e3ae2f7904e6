/** Calls public creators and functions with damaged options, then uses most of the created objects. */
import { suggestCellSize } from '../../../src/core/world/cell-size';
import {
  type CpuGrid,
  type CpuLevelGrid,
  createCpuBoxChunks,
  createCpuBoxPairs,
  createCpuGrid,
  createCpuGridParticles,
  createCpuIndex,
  createCpuLevelGrid,
  createCpuSimulation,
  sweptBox,
} from '../../../src/cpu';
import { BoxChunks } from '../../../src/engine/box-chunks';
import { BoxPairs } from '../../../src/engine/box-pairs';
import { GridParticles } from '../../../src/engine/grid/grid-particles';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { packRays, type Ray } from '../../../src/engine/queries/rays';
import { RadixSort } from '../../../src/engine/radix-sort';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { type Gpu, wrapDevice } from '../../../src/gpu/device';
import { createCpuFlock, createCpuLife, createFlock, createLife } from '../../../src/methods/flock';
import { createCpuFluid, createFluid } from '../../../src/methods/fluid';
import { createCpuPositionFluid, createPositionFluid } from '../../../src/methods/pbf';
import { openDevice } from '../../trust/device';
import { harmObject, type Noise, pick } from './harm';

const DT = 1 / 64;

const positions = Float32Array.of(1, 1, 1.5, 1.25, 3, 3, 6, 5);
const velocities = Float32Array.of(1, 0, 0, 1, -1, 0, 0, 0);
const space = Float32Array.of(1, 1, 1, 1.5, 1.25, 1, 3, 3, 3, 6, 5, 4);
const plane = { dimensions: 2, min: [0, 0], max: [8, 8] };
const cube = { dimensions: 3, min: [0, 0, 0], max: [8, 8, 8] };
const settings = {
  gravity: [0, -9.8],
  restitution: 0.5,
  friction: 0.2,
  substeps: 2,
  relaxation: 0.3,
  walls: true,
};

const SIMULATIONS: readonly object[] = [
  { ...plane, radius: 0.5, positions, velocities, capacity: 8, ...settings, broadPhase: 'grid' },
  { ...plane, radius: 0.5, periodic: true, positions, obstacles: Float32Array.of(4, 4), obstacleCapacity: 3 },
  {
    ...cube,
    periodic: [true, false, true],
    radius: 0.5,
    positions: space,
    continuous: true,
    longestStep: 16,
  },
  { dimensions: 2, unbounded: true, radius: 0.5, positions, cellSize: 1, crowds: true },
  {
    ...cube,
    radii: Float32Array.of(0.5, 1, 0.75, 0.5),
    radiusRange: { smallest: 0.25, largest: 1 },
    positions: space,
  },
  {
    ...plane,
    radii: Float32Array.of(0, 0.5, 0, 0.5),
    halfExtents: Float32Array.of(0.5, 0.25, 0, 0, 0.25, 0.5, 0, 0),
    boxes: true,
    positions,
    obstacles: { positions: Float32Array.of(4, 4), radii: Float32Array.of(0.5) },
  },
];
const GRIDS: readonly object[] = [
  { ...plane, diameter: 1, capacity: 8, cellSize: 1.5, crowds: false },
  { dimensions: 2, unbounded: true, diameter: 1, capacity: 8 },
];
const LEVEL_GRIDS: readonly object[] = [
  { ...cube, periodic: true, radii: { smallest: 0.25, largest: 1 }, capacity: 8 },
];
const PARTICLES: readonly object[] = [
  { ...plane, diameter: 1, positions, velocities, capacity: 6, periodic: true },
];
const FLUIDS: readonly object[] = [
  {
    dimensions: 2,
    cells: [8, 8],
    cellSize: 0.25,
    fill: [
      { min: [0, 0], max: [1, 1] },
      { centre: [1.5, 1.5], radius: 0.25, velocity: [0, -1] },
    ],
    particlesPerCell: 4,
    capacity: 300,
    density: 1000,
    transfer: 'flip',
    obstacles: [{ shape: 'ball', position: [1, 0.5], radius: 0.25, velocity: [0, 0] }],
    gravity: [0, -9.8],
    blend: 0.95,
    tolerance: 1e-4,
    mostIterations: 12,
    correction: 0.3,
    separation: 1,
    substeps: 2,
    restraint: 0.001,
    emitters: [{ min: [0, 1.5], max: [0.5, 2], velocity: [1, 0] }],
    drains: [{ min: [1.5, 0], max: [2, 0.5] }],
  },
];
const FLOCKS: readonly object[] = [
  {
    ...plane,
    periodic: true,
    perception: 1,
    positions,
    velocities,
    obstacles: Float32Array.of(4, 4, 0.5),
    hunters: Float32Array.of(2, 2),
    fear: 2,
    spacing: 0.5,
    fastest: 4,
    slowest: 1,
  },
];
const LIVES: readonly object[] = [
  {
    ...plane,
    periodic: true,
    reach: 1,
    positions,
    species: Uint32Array.of(0, 1, 0, 1),
    attraction: [
      [0.5, -0.25],
      [0.75, 0.125],
    ],
    strength: 10,
    halfLife: 0.04,
    core: 0.3,
  },
];
const PBFS: readonly object[] = [
  {
    ...plane,
    radius: 1,
    positions,
    velocities,
    density: 8,
    obstacles: [
      { shape: 'ball', position: [4, 4], radius: 0.5 },
      { shape: 'box', position: [6, 2], halfExtents: [0.5, 0.5] },
    ],
    gravity: [0, -9.8],
    iterations: 3,
    viscosity: 0.02,
    vorticity: 0.1,
    tension: 0.1,
    pressure: 5e-4,
    softness: 1,
  },
];

interface Creator {
  readonly name: string;
  readonly options: readonly object[];
  run(options: never, gpu: Gpu): unknown;
}

function creator<Options>(
  name: string,
  options: readonly object[],
  run: (options: Options, gpu: Gpu) => unknown,
): Creator {
  return { name, options, run };
}

async function use(made: Promise<Steppable> | Steppable): Promise<void> {
  const object = await made;
  try {
    await object.step(DT);
    await object.step(DT);
    // GPU objects are not read: their device has no driver and runs no kernels.
    if (object.backend === 'cpu') await object.read();
  } finally {
    object.destroy?.();
  }
}

interface Steppable {
  readonly backend: 'cpu' | 'gpu';
  step(dt: number): unknown;
  read(): unknown;
  destroy?(): void;
}

const CREATORS: readonly Creator[] = [
  creator('createCpuSimulation', SIMULATIONS, (options: Parameters<typeof createCpuSimulation>[0]) => {
    const simulation = createCpuSimulation(options);
    simulation.step(DT);
    simulation.findPairs();
    return simulation.measure();
  }),
  creator('createSimulation', SIMULATIONS, (options: Parameters<typeof createSimulation>[1], gpu) =>
    use(createSimulation(gpu, options)),
  ),
  creator('createCpuGrid', GRIDS, (options: Parameters<typeof createCpuGrid>[0]) =>
    search(createCpuGrid(options)),
  ),
  creator('createCpuLevelGrid', LEVEL_GRIDS, (options: Parameters<typeof createCpuLevelGrid>[0]) =>
    search(createCpuLevelGrid(options)),
  ),
  creator(
    'HashGrid.create',
    [...GRIDS, ...LEVEL_GRIDS],
    async (options: Parameters<typeof HashGrid.create>[1], gpu) =>
      (await HashGrid.create(gpu, options)).destroy(),
  ),
  creator(
    'createCpuIndex',
    [{ ...plane, capacity: 8, radius: 0.5, cellSize: 1 }],
    (options: Parameters<typeof createCpuIndex>[0]) => {
      const index = createCpuIndex(options);
      if (options.dimensions === 2 && index.capacity > 1) index.add([1, 1], 0.5);
      return index.findPairs();
    },
  ),
  creator(
    'createCpuBoxPairs',
    [{ dimensions: 2, period: [8, 0] }],
    (options: Parameters<typeof createCpuBoxPairs>[0]) => {
      const pairs = createCpuBoxPairs(options);
      pairs.build(new Float32Array(12));
      return pairs.findPairs();
    },
  ),
  creator('createCpuBoxChunks', [{ dimensions: 2 }], (options: Parameters<typeof createCpuBoxChunks>[0]) => {
    const chunks = createCpuBoxChunks(options);
    chunks.build(new Float32Array(12));
    return chunks.findPairs();
  }),
  creator(
    'sweptBox',
    [{ dimensions: 2, from: new Float32Array(4), to: new Float32Array(4), radius: 1 }],
    (bodies: Parameters<typeof sweptBox>[0]) => sweptBox(bodies),
  ),
  creator(
    'BoxChunks.create',
    [{ dimensions: 3, capacity: 8, pairs: 16, members: 20 }],
    async (options: Parameters<typeof BoxChunks.create>[1], gpu) =>
      (await BoxChunks.create(gpu, options)).destroy(),
  ),
  creator(
    'BoxPairs.create',
    [{ dimensions: 3, capacity: 8, pairs: 16, extents: { smallest: 0.5, largest: 4 } }],
    async (options: Parameters<typeof BoxPairs.create>[1], gpu) =>
      (await BoxPairs.create(gpu, options)).destroy(),
  ),
  creator(
    'RadixSort.create',
    [
      { capacity: 8, keys: 'f32', payload: true },
      { capacity: 8, keys: 'u32', bits: 12 },
    ],
    async (options: Parameters<typeof RadixSort.create>[1], gpu) =>
      (await RadixSort.create(gpu, options)).destroy(),
  ),
  creator('createCpuGridParticles', PARTICLES, (options: Parameters<typeof createCpuGridParticles>[0]) =>
    createCpuGridParticles(options).read(),
  ),
  creator(
    'GridParticles.create',
    PARTICLES.map((options) => ({
      ...options,
      sortVelocities: true,
      more: { heat: 'word' },
      label: 'heated',
    })),
    async (options: Parameters<typeof GridParticles.create>[1], gpu) => {
      const particles = await GridParticles.create(gpu, options);
      await particles.checkpoint();
      particles.destroy();
    },
  ),
  creator('createCpuFluid', FLUIDS, (options: Parameters<typeof createCpuFluid>[0]) =>
    use(createCpuFluid(options)),
  ),
  creator('createFluid', FLUIDS, (options: Parameters<typeof createFluid>[1], gpu) =>
    use(createFluid(gpu, options)),
  ),
  creator('createCpuFlock', FLOCKS, (options: Parameters<typeof createCpuFlock>[0]) =>
    use(createCpuFlock(options)),
  ),
  creator('createFlock', FLOCKS, (options: Parameters<typeof createFlock>[1], gpu) =>
    use(createFlock(gpu, options)),
  ),
  creator('createCpuLife', LIVES, (options: Parameters<typeof createCpuLife>[0]) =>
    use(createCpuLife(options)),
  ),
  creator('createLife', LIVES, (options: Parameters<typeof createLife>[1], gpu) =>
    use(createLife(gpu, options)),
  ),
  creator('createCpuPositionFluid', PBFS, (options: Parameters<typeof createCpuPositionFluid>[0]) =>
    use(createCpuPositionFluid(options)),
  ),
  creator('createPositionFluid', PBFS, (options: Parameters<typeof createPositionFluid>[1], gpu) =>
    use(createPositionFluid(gpu, options)),
  ),
  creator(
    'packRays',
    [{ dimensions: 2, rays: [{ origin: [0, 0], direction: [1, 0], greatestDistance: 8 }] }],
    ({ dimensions, rays }: { dimensions: 2; rays: readonly Ray[] }) => packRays(dimensions, rays),
  ),
  creator(
    'suggestCellSize',
    [{ radii: 0.5, options: { dimensions: 2, density: 1, engine: 'cpu', unbounded: true } }],
    ({ radii, options }: { radii: number; options: Parameters<typeof suggestCellSize>[1] }) =>
      suggestCellSize(radii, options),
  ),
];

function search(grid: CpuGrid | CpuLevelGrid): unknown {
  const origin = new Array<number>(grid.world.dimensions).fill(1);
  grid.nearest(origin, 2);
  grid.findInBox(origin, origin);
  return grid.findPairs();
}

let gpu: Gpu | undefined;

export async function damagedCall(
  noise: Noise,
): Promise<{ readonly name: string; readonly run: () => unknown }> {
  gpu ??= wrapDevice((await openDevice('driverless')).device);
  const device = gpu;
  const { name, options, run } = pick(noise, CREATORS);
  const harmed = harmObject(noise, pick(noise, options));
  return { name, run: () => run(harmed as never, device) };
}
