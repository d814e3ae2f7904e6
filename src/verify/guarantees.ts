/** Checks the engine's guarantees over long runs. Findings report the measured figures, even if a check fails. */
import type { SettingsOptions } from '../core/contact/settings';
import type { Measures, SimulationOptions } from '../core/simulation/simulation';
import type { Dimensions } from '../core/world/world';
import { createScene, type Scene, sceneOptions } from '../scenes';
import { checkContinuous } from './ccd';
import type { Finding } from './finding';
import { type OnCheckStep, type OnStep, SILENT } from './progress';
import { open, type Subject } from './simulations';
import type { VerifyCase } from './verify';

const STEPS = 1000;
const PILE_COUNT = 10_000;
const GAS_COUNT = 2000;
const MIXED_PILE_COUNT = 2000;
const BULLETS_COUNT = 10_000;
/** Greatest root mean square speed at rest, in diameters of the smallest particle per second. */
const REST_SPEED = 0.1;

export async function* verifyGuarantees(
  subject: Subject,
  dimensions: readonly Dimensions[],
  onCheckStep: OnCheckStep = SILENT,
): AsyncGenerator<VerifyCase> {
  for (const dimension of dimensions) {
    const progressOf =
      (what: string): OnStep =>
      (done, total) =>
        onCheckStep(`${what} ${dimension}D`, done, total);
    const gas = createScene('gas', { dimensions: dimension, count: GAS_COUNT });
    const pile = createScene('pile', { dimensions: dimension, count: PILE_COUNT });
    yield report(gas, 'conserves', await checkConservation(subject, gas, progressOf('gas')));
    yield report(gas, '1,000 steps', await checkLongRepeats(subject, gas, progressOf('gas again')));
    yield report(pile, 'settles', await checkRest(subject, pile, progressOf('pile')));
    const mixed = createScene('mixed-pile', { dimensions: dimension, count: MIXED_PILE_COUNT });
    yield report(mixed, 'settles', await checkRest(subject, mixed, progressOf('mixed pile')));
    const bullets = createScene('bullets', { dimensions: dimension, count: BULLETS_COUNT });
    const openOne = (options: SimulationOptions) => open(subject, options);
    yield report(bullets, 'no tunnelling', await checkContinuous(openOne, bullets));
  }
}

function report(scene: Scene, check: string, finding: Finding): VerifyCase {
  const { name, dimensions, count } = scene;
  return { scene: name, dimensions, count, check, ...finding };
}

async function run(
  subject: Subject,
  scene: Scene,
  changes: SettingsOptions,
  onStep: OnStep,
  restoreAt?: number,
): Promise<{ before: Measures; after: Measures }> {
  const simulation = await open(subject, sceneOptions(scene, changes));
  try {
    const before = await simulation.measure();
    for (let step = 0; step < STEPS; step++) {
      simulation.step(1 / 60);
      if (step === restoreAt) {
        const checkpoint = await simulation.checkpoint();
        simulation.step(1 / 60);
        simulation.restore(checkpoint);
      }
      // Waits for the device at times, because its queue is limited.
      if (step % 50 === 49) {
        await simulation.measure();
        onStep(step + 1, STEPS);
      }
    }
    return { before, after: await simulation.measure() };
  } finally {
    simulation.destroy();
  }
}

/** Checks that a gas keeps its momentum and energy. There are no walls, because walls change momentum. */
async function checkConservation(subject: Subject, scene: Scene, onStep: OnStep): Promise<Finding> {
  const { before, after } = await run(subject, scene, { walls: false }, onStep);
  const momentum = Math.hypot(...before.momentum);
  const lost =
    Math.hypot(...before.momentum.map((value, axis) => value - (after.momentum[axis] as number))) / momentum;
  const energy = Math.abs(after.kineticEnergy / before.kineticEnergy - 1);
  return {
    pass: lost <= 1e-4 && energy <= 0.02,
    detail: `relative change over ${STEPS} steps: momentum ${lost.toExponential(1)}, energy ${energy.toExponential(1)}`,
  };
}

async function checkLongRepeats(subject: Subject, scene: Scene, onStep: OnStep): Promise<Finding> {
  const hashes: string[] = [];
  const restores = [undefined, undefined, STEPS / 2];
  for (const [index, restoreAt] of restores.entries()) {
    const onStepOfRun: OnStep = (done, total) => onStep(index * total + done, restores.length * total);
    hashes.push((await run(subject, scene, {}, onStepOfRun, restoreAt)).after.hash);
  }
  return {
    pass: new Set(hashes).size === 1,
    detail: `hashes of three runs, the last one restored halfway: ${hashes.join(', ')}`,
  };
}

async function checkRest(subject: Subject, scene: Scene, onStep: OnStep): Promise<Finding> {
  const { after } = await run(subject, scene, {}, onStep);
  const { radii, radius, radiusRange, dimensions } = scene;
  const diameter = 2 * (radiusRange?.smallest ?? radius);
  const mean = after.meanOverlap / diameter;
  const deepest = after.deepestOverlap / diameter;
  const weights = radii ? radii.reduce((sum, own) => sum + (own / radius) ** dimensions, 0) : after.count;
  const speed = Math.sqrt((2 * after.kineticEnergy) / weights) / diameter;
  const percent = (share: number) => `${(100 * share).toFixed(2)}%`;
  return {
    pass: mean <= 0.02 && deepest <= 0.1 && speed <= REST_SPEED && after.outside === 0,
    detail: `mean overlap ${percent(mean)}, deepest ${percent(deepest)} of a diameter, rms speed ${speed.toFixed(3)} diameters/s, ${after.outside} outside`,
  };
}
