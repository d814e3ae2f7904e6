/**
 * `npm run bench:methods`: measures time per step and memory of boids, particle life and the position-based fluid, on
 * the GPU in Node.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type Dimensions, type Gpu, requestGpu } from '../src/index';
import { createFlock, createLife } from '../src/methods/flock';
import { createPositionFluid } from '../src/methods/pbf';
import { openDawn } from '../src/node/dawn';
import { testPreference } from '../src/testing/environment';
import { createNoise, scatterIn } from '../src/testing/noise';
import { median } from './shared.mjs';

const { values } = parseArgs({
  options: { counts: { type: 'string', default: '10000,100000' }, repeats: { type: 'string', default: '5' } },
});
const counts = values.counts.split(',').map(Number);
const repeats = Number(values.repeats);
if (![...counts, repeats].every((number) => Number.isInteger(number) && number > 0)) {
  process.stderr.write(
    `--counts is ${values.counts} and --repeats is ${values.repeats}, but both must be whole numbers greater than 0; --counts may list several, separated by commas.\n`,
  );
  process.exit(2);
}
const NEIGHBOURS = 10;
const SPECIES = 6;
const WARM_UP_STEPS = 5;

interface Method {
  readonly count: number;
  readonly memoryBytes: number;
  step(dt: number): void;
  destroy(): void;
}

/** Scatters particles so that each has ten neighbours on average within a distance of 1. */
function scattered(dimensions: Dimensions, count: number) {
  const ball = dimensions === 2 ? Math.PI : (4 / 3) * Math.PI;
  const edge = ((count * ball) / NEIGHBOURS) ** (1 / dimensions);
  const [min, max] = [0, edge].map((value) => new Array<number>(dimensions).fill(value)) as [
    number[],
    number[],
  ];
  return { dimensions, min, max, periodic: true, positions: scatterIn(createNoise(1), min, max, count) };
}

function block(dimensions: Dimensions, count: number) {
  const side = Math.round(count ** (1 / dimensions));
  const positions = Float32Array.from({ length: dimensions * side ** dimensions }, (_, index) => {
    const [id, axis] = [Math.floor(index / dimensions), index % dimensions];
    return ((Math.floor(id / side ** axis) % side) + 0.5) / 2;
  });
  const max = new Array<number>(dimensions).fill(side / 2).with(0, side);
  return { dimensions, min: max.map(() => 0), max, radius: 1, positions };
}

const METHODS: Readonly<
  Record<string, (gpu: Gpu, dimensions: Dimensions, count: number) => Promise<Method>>
> = {
  boids: (gpu, dimensions, count) => createFlock(gpu, { ...scattered(dimensions, count), perception: 1 }),
  life: (gpu, dimensions, count) =>
    createLife(gpu, {
      ...scattered(dimensions, count),
      reach: 1,
      species: Uint8Array.from({ length: count }, (_, id) => id % SPECIES),
      attraction: Array.from({ length: SPECIES }, (_, row) =>
        Array.from({ length: SPECIES }, (__, column) => Math.sin(1 + 3 * row + 7 * column)),
      ),
    }),
  'position-based fluid': (gpu, dimensions, count) => createPositionFluid(gpu, block(dimensions, count)),
};

const { gpu: provider } = await openDawn({ driver: testPreference() });
const machine = `median of ${repeats}, ${cpus()[0]?.model.trim()}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`;
process.stdout.write(`${machine}\n`);
for (const count of counts) {
  for (const dimensions of [2, 3] as const) {
    const gpu = await requestGpu({ particles: count, cells: 20 * count, dimensions, gpu: provider });
    for (const [name, create] of Object.entries(METHODS)) {
      const method = await create(gpu, dimensions, count);
      const time = async () => {
        const begin = performance.now();
        method.step(1 / 60);
        await gpu.device.queue.onSubmittedWorkDone();
        return performance.now() - begin;
      };
      for (let step = 0; step < WARM_UP_STEPS; step++) await time();
      const times: number[] = [];
      for (let repeat = 0; repeat < repeats; repeat++) times.push(await time());
      const bytes = (method.memoryBytes / method.count).toFixed(0);
      process.stdout.write(
        `${name}, ${dimensions}D, ${method.count}: ${median(times).toFixed(1)} ms per step (least ${Math.min(...times).toFixed(1)}), ${bytes} bytes per particle\n`,
      );
      method.destroy();
    }
    gpu.destroy();
  }
}
process.exit(0);
