/**
 * `npm run bench:fluid`: times a substep of the fluid and its stages on dam breaks, on the GPU in Node. Options:
 *
 * - `--cpu` times substeps on the CPU, without their stages.
 * - `--cells` lists the numbers n of cells along the tank's height, such as 64,128.
 * - `--square` (2D only) makes a tank of n² cells. A quarter of it is full, with n² particles.
 * - `--queue` is the number of substeps that are submitted before the host waits (default 1).
 * - `--dimensions` (default 2), `--substeps` to time (default 5), and `--warm-up` substeps before them (default 3).
 * - `--json` prints JSON.
 *
 * Before and after timing, the residual must be within the tolerance, and no particle may be lost.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { commitOf } from '../src/cli/commit';
import { requestGpu } from '../src/index';
import { createCpuFluid, createFluid, type FluidMeasures } from '../src/methods/fluid';
import { openDawn } from '../src/node/dawn';
import { testPreference } from '../src/testing/environment';
import { damBreak } from '../src/verify/fluid';

const { values } = parseArgs({
  options: {
    cells: { type: 'string', default: '64,128,256' },
    dimensions: { type: 'string', default: '2' },
    substeps: { type: 'string', default: '5' },
    'warm-up': { type: 'string', default: '3' },
    square: { type: 'boolean', default: false },
    queue: { type: 'string', default: '1' },
    cpu: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

/** `stages` and `total` are median milliseconds. `total` is the time of a whole substep. */
interface Result {
  readonly dimensions: 2 | 3;
  readonly cells: readonly number[];
  readonly particles: number;
  readonly iterations: number;
  readonly stages: Readonly<Record<string, number>>;
  readonly total: number;
}

const WARM_UP = Number(values['warm-up']);
const QUEUE = Number(values.queue);
const DT = 1 / 240;

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}

function checkState(measures: FluidMeasures): void {
  const { residual, unconverged, nonFinite, outside } = measures;
  if (residual <= 1e-4 && unconverged + nonFinite + outside === 0) return;
  throw new Error(
    `The state of the fluid is wrong: the residual must be at most 1e-4, and unconverged, nonFinite and outside must be 0, but they are ${JSON.stringify(measures)}.`,
  );
}

async function measure(dimensions: 2 | 3, height: number, substeps: number): Promise<Result> {
  const isSquare = values.square && dimensions === 2;
  const square = { cells: [height, height], fill: [{ min: [0, 0], max: [0.5, 0.5] }] };
  const options = damBreak(dimensions, height, isSquare ? square : {});
  const full = isSquare ? 0.5 : 0.75;
  const particles = Math.ceil((full * height) ** 2 * (dimensions === 2 ? 4 : (8 * height) / 4)) + 1;
  const times: Record<string, number[]> = {};
  const add = (name: string, time: number) => {
    const known = times[name] ?? [];
    times[name] = known;
    known.push(time);
  };
  if (values.cpu) {
    const fluid = createCpuFluid(options);
    for (let substep = 0; substep < WARM_UP; substep++) fluid.step(DT, 1);
    checkState(fluid.measure());
    for (let substep = 0; substep < substeps; substep++) {
      const began = performance.now();
      fluid.step(DT, 1);
      add('substep', performance.now() - began);
    }
    checkState(fluid.measure());
    return resultOf(fluid.measure(), fluid.count);
  }
  const { gpu: provider } = await openDawn({ driver: testPreference() });
  const cells = 8 * options.cells.reduce((product, count) => product * (count + 3), 1);
  const gpu = await requestGpu({ particles, dimensions, cells, gpu: provider });
  gpu.device.pushErrorScope('validation');
  const fluid = await createFluid(gpu, options);
  for (let substep = 0; substep < WARM_UP; substep++) fluid.step(DT, 1);
  checkState(await fluid.measure());
  for (let substep = 0; substep < substeps; substep++) {
    const { stages } = await fluid.profile(DT);
    for (const [name, time] of Object.entries(stages)) add(name, time);
    const began = performance.now();
    for (let queued = 0; queued < QUEUE; queued++) fluid.step(DT, 1);
    await gpu.device.queue.onSubmittedWorkDone();
    add('substep', (performance.now() - began) / QUEUE);
  }
  const measures = await fluid.measure();
  checkState(measures);
  const invalid = await gpu.device.popErrorScope();
  if (invalid) throw new Error(invalid.message);
  fluid.destroy();
  gpu.destroy();
  return resultOf(measures, fluid.count);

  function resultOf({ iterations }: FluidMeasures, count: number): Result {
    const { substep: all = [], ...single } = times;
    const stages = Object.fromEntries(Object.entries(single).map(([name, list]) => [name, median(list)]));
    return { dimensions, cells: options.cells, particles: count, iterations, stages, total: median(all) };
  }
}

const results: Result[] = [];
for (const dimensions of values.dimensions.split(',')) {
  for (const cells of values.cells.split(',')) {
    results.push(await measure(dimensions === '3' ? 3 : 2, Number(cells), Number(values.substeps)));
  }
}
const where = values.cpu ? 'on the CPU' : 'on the GPU';
const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, ${where}`;
if (values.json)
  process.stdout.write(`${JSON.stringify({ machine, commit: commitOf(), results }, undefined, 1)}\n`);
else {
  process.stdout.write(`${machine}\n`);
  for (const { dimensions, cells, particles, iterations, stages, total } of results) {
    const detail = Object.entries(stages).map(([name, time]) => `${name} ${time.toFixed(1)}`);
    process.stdout.write(
      `${dimensions}D, ${cells.join(' × ')} cells, ${particles} particles, ${iterations} iterations: ${total.toFixed(1)} ms per substep; ${detail.join(', ')}\n`,
    );
  }
}
process.exit(0);
