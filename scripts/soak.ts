/**
 * `npm run test:soak`: steps simulations while particles come and go, and creates and destroys each kind of public GPU
 * object many times. Memory must stay flat, and no id may be lost. `--only` selects gpu-steps, cpu-steps or cycles;
 * `--out` is relative to the root of the repository. Exits with 1 if anything failed.
 */
import { parseArgs } from 'node:util';
import { runCycles } from './soak/cycles';
import { runCpuSteps, runGpuSteps } from './soak/steps';
import { driverName } from './trust/device';
import { runParts, wholeNumber } from './trust/results';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '100000' },
    cycles: { type: 'string', default: '500' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '22' },
    out: { type: 'string', default: 'tests/trust/soak.json' },
  },
});
const steps = wholeNumber('steps', values.steps);
const cycles = wholeNumber('cycles', values.cycles);
const seed = wholeNumber('seed', values.seed);

await runParts(
  {
    'gpu-steps': (part) => runGpuSteps(part, steps, seed),
    'cpu-steps': (part) => runCpuSteps(part, steps, seed),
    cycles: (part) => runCycles(part, cycles),
  },
  {
    command: `npm run test:soak -- --steps ${steps} --cycles ${cycles} --seed ${seed}`,
    only: values.only,
    file: values.out,
    about: { driver: await driverName(), node: process.versions.node },
  },
);
