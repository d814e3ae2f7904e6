/**
 * `npm run test:faults`: provokes faults. Each case must end with the right result or the right error. Parts:
 *
 * - lost: loses devices
 * - memory: takes memory away
 * - limits: lowers limits
 * - scenes: compares random scenes with brute force
 * - damage: damages files, tables, addresses and options
 *
 * Exits with 1 if anything failed. `--gpu-scenes` is the number of scenes that also run on the GPU. `--only TEXT`
 * selects the parts whose names contain the text. `--object TEXT` limits the parts lost, memory and limits to objects
 * whose names contain the text. `--out` is relative to the root.
 */
import { parseArgs } from 'node:util';
import { runDamage } from './faults/damage';
import { runLimits } from './faults/limits';
import { runLost } from './faults/lost';
import { runMemory } from './faults/memory';
import { runScenes } from './faults/scenes';
import { driverName } from './trust/device';
import { runParts, wholeNumber } from './trust/results';

const { values } = parseArgs({
  options: {
    scenes: { type: 'string', default: '10000' },
    'gpu-scenes': { type: 'string', default: '1000' },
    files: { type: 'string', default: '20000' },
    only: { type: 'string', default: '' },
    object: { type: 'string', default: '' },
    seed: { type: 'string', default: '22' },
    out: { type: 'string', default: 'tests/trust/faults.json' },
  },
});
const scenes = wholeNumber('scenes', values.scenes);
const onGpu = wholeNumber('gpu-scenes', values['gpu-scenes']);
const files = wholeNumber('files', values.files);
const seed = wholeNumber('seed', values.seed);

await runParts(
  {
    'lost-destroyed': (part) => runLost(part, 'destroyed', values.object),
    'lost-unknown': (part) => runLost(part, 'unknown', values.object),
    memory: (part) => runMemory(part, values.object),
    limits: (part) => runLimits(part, values.object),
    scenes: (part) => runScenes(part, scenes, onGpu, seed),
    damage: (part) => runDamage(part, files, seed),
  },
  {
    command: `npm run test:faults -- --scenes ${scenes} --gpu-scenes ${onGpu} --files ${files} --seed ${seed}`,
    only: values.only,
    file: values.out,
    about: { driver: await driverName(), node: process.versions.node },
  },
);
