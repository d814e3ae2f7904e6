/**
 * Lowers each limit to one less than a creator needs. The creator must throw an error that names the limit, before it
 * creates any buffer. The needs are measured, or are WebGPU's defaults.
 */
import { LimitError } from '../../src/core/base/errors';
import { BoxPairs } from '../../src/engine/box-pairs';
import { HashGrid } from '../../src/engine/grid/hash-grid';
import { type Gpu, wrapDevice } from '../../src/gpu/device';
import { OWN, openDevice } from '../trust/device';
import { ALL_OBJECTS } from '../trust/objects';
import type { Figures, Part } from '../trust/results';
import { describeError, settle } from '../trust/time-limit';

/** Enough to make particle buffers larger than any buffer of a fixed size. */
const PARTICLES = 100_000;
const PATIENCE = 120;
/** With this maxComputeWorkgroupsPerDimension, all creators succeed. */
const ENOUGH_WORKGROUPS = 1024;

const USAGE_STORAGE = 0x80;

/** WebGPU's defaults. Devices in compatibility mode may have less. */
const DEFAULTS = {
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupStorageSize: 16_384,
  maxStorageBuffersPerShaderStage: 8,
} as const;

type Limit =
  | keyof typeof DEFAULTS
  | 'maxBufferSize'
  | 'maxStorageBufferBindingSize'
  | 'maxComputeWorkgroupsPerDimension';

interface Destroyable {
  destroy(): void;
}

interface Creator {
  readonly name: string;
  /** Creates what the creator needs. Returns a function that calls the creator. */
  prepare(gpu: Gpu): Promise<() => Promise<Destroyable>>;
  /** True for a list of a grid, which checks only buffer sizes: the grid has checked the other limits. */
  readonly isList?: boolean;
}

const EDGE = 400;
const createGrid = (gpu: Gpu, capacity: number) =>
  HashGrid.create(gpu, { dimensions: 2, min: [0, 0], max: [EDGE, EDGE], diameter: 1, capacity });

const list = (name: string, create: (grid: HashGrid) => Promise<Destroyable>): Creator => ({
  name,
  isList: true,
  async prepare(gpu) {
    const grid = await createGrid(gpu, 64);
    return () => create(grid);
  },
});

const CREATORS: readonly Creator[] = [
  ...ALL_OBJECTS.filter(({ name }) => name !== 'HashGrid' && name !== 'BoxPairs').map(
    ({ name, create }): Creator => ({ name, prepare: async (gpu) => () => create(gpu, PARTICLES) }),
  ),
  { name: 'HashGrid', prepare: async (gpu) => () => createGrid(gpu, PARTICLES) },
  {
    name: 'BoxPairs',
    prepare: async (gpu) => () =>
      BoxPairs.create(gpu, {
        dimensions: 3,
        capacity: PARTICLES,
        pairs: 16 * PARTICLES,
        extents: { smallest: 0.5, largest: 2 },
      }),
  },
  list('grid.pairs', (grid) => grid.pairs({ capacity: PARTICLES })),
  list('grid.near', (grid) => grid.near({ points: 64, capacity: PARTICLES })),
  list('grid.nearest', (grid) => grid.nearest({ points: PARTICLES, k: 4 })),
  list('grid.inBoxes', (grid) => grid.inBoxes({ boxes: 64, capacity: PARTICLES })),
  list('grid.alongRays', (grid) => grid.alongRays({ rays: 64, capacity: PARTICLES })),
];

export async function runLimits(part: Part, name: string): Promise<Figures> {
  const needs: Record<string, unknown> = {};
  for (const creator of CREATORS.filter((each) => each.name.includes(name))) {
    const own = await measureNeeds(creator);
    for (const [limit, need] of Object.entries(own) as [Limit, number][]) {
      const where = `creating ${creator.name} with a ${limit} of ${need - 1}`;
      const { outcome, created, live } = await createWith(creator, limit, need - 1);
      part.judge(faultOf(where, outcome, limit, created, live));
    }
    needs[creator.name] = own;
    part.say(`${creator.name}: ${JSON.stringify(own)}`);
  }
  return { particles: PARTICLES, needs };
}

async function measureNeeds(creator: Creator): Promise<Partial<Record<Limit, number>>> {
  const { device } = await openDevice('driverless');
  const create = await creator.prepare(wrapDevice(device));
  const needs = { maxBufferSize: 0, maxStorageBufferBindingSize: 0 };
  const { createBuffer } = device;
  device.createBuffer = (descriptor) => {
    const { size, usage, label } = descriptor;
    if (!label?.startsWith(OWN)) {
      needs.maxBufferSize = Math.max(needs.maxBufferSize, size);
      if (usage & USAGE_STORAGE) {
        needs.maxStorageBufferBindingSize = Math.max(needs.maxStorageBufferBindingSize, size);
      }
    }
    return createBuffer.call(device, descriptor);
  };
  await create();
  device.destroy();
  if (creator.isList) return needs;
  return { ...needs, ...DEFAULTS, maxComputeWorkgroupsPerDimension: await leastWorkgroups(creator) };
}

async function leastWorkgroups(creator: Creator): Promise<number> {
  let [low, high] = [0, ENOUGH_WORKGROUPS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const { outcome } = await createWith(creator, 'maxComputeWorkgroupsPerDimension', middle);
    if (outcome !== 'hangs' && 'value' in outcome) high = middle;
    else low = middle;
  }
  return high;
}

async function createWith(creator: Creator, limit: Limit, value: number) {
  const { device, live } = await openDevice('driverless');
  const { limits } = device;
  let isLowered = !creator.isList;
  const lowered = new Proxy(limits, {
    get: (target, name) => (name === limit && isLowered ? value : Reflect.get(target, name, target)),
  });
  Object.defineProperty(device, 'limits', { value: lowered });
  const create = await creator.prepare(wrapDevice(device));
  isLowered = true;
  live.forget();
  let created = 0;
  const { createBuffer } = device;
  device.createBuffer = (descriptor) => {
    created++;
    return createBuffer.call(device, descriptor);
  };
  const outcome = await settle(create, PATIENCE);
  const left = String(live);
  device.destroy();
  return { outcome, created, live: left };
}

function faultOf(
  where: string,
  outcome: Awaited<ReturnType<typeof settle>>,
  limit: string,
  created: number,
  live: string,
): string | undefined {
  if (outcome === 'hangs') return `${where}: the promise hangs`;
  if ('value' in outcome) return `${where}: the promise resolves`;
  const { error } = outcome;
  const isRight = error instanceof LimitError && error.limit === limit && error.message.includes(limit);
  if (!isRight) return `${where}: ${describeError(error)}`;
  return created > 0 ? `${where}: ${created} buffers were created first; still alive: ${live}` : undefined;
}
