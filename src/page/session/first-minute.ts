/** Opens a URL without choices: measures the device, and chooses a scene that should reach 60 frames a second. */
import type { Timing } from '../../core/base/curves';
import { defaultChoices, STEP_SECONDS, simulationOptions } from '../model/choices';
import { chooseOpening, lowerOpening, type Opening, PROBED_COUNTS, stepBudget } from '../model/opening';
import type { Engine } from '../view/engine';
import type { Session } from '../view/session';
import type { Meter } from './meter';
import type { Restarts } from './restarts';
import type { Stepper } from './stepper';

/** After this time, no further count is measured. */
const MOST_PROBE_MS = 400;
/** These steps are not timed, because drivers and JavaScript engines compile late. */
const WARM_STEPS = 6;
const SAMPLES = 4;
const STEPS_PER_SAMPLE = 2;

/** The frame rate is read at these intervals. */
const WATCH_MS = 2500;
const MOST_LOWERED = 2;

/** `threads` is how many threads the processor runs at once. `clock` returns milliseconds. */
export async function measureOpening(
  engine: Pick<Engine, 'kind' | 'start'>,
  threads: number,
  clock = () => performance.now(),
): Promise<Opening> {
  const { kind } = engine;
  const timings: Timing[] = [];
  const began = clock();
  for (const count of PROBED_COUNTS[kind]) {
    const milliseconds = await timeStep(engine, count);
    timings.push({ count, milliseconds });
    const isLate = clock() - began > MOST_PROBE_MS;
    if (isLate || milliseconds > stepBudget({ kind, threads })) break;
  }
  return chooseOpening({ kind, timings, threads });
}

/** Returns the least time of a step: other work only adds to it. */
async function timeStep(engine: Pick<Engine, 'start'>, count: number): Promise<number> {
  const run = await engine.start(simulationOptions(defaultChoices(), count));
  try {
    await run.timeSteps(STEP_SECONDS, WARM_STEPS);
    let least = Number.POSITIVE_INFINITY;
    for (let sample = 0; sample < SAMPLES; sample++) {
      const { milliseconds, discarded } = await run.timeSteps(STEP_SECONDS, STEPS_PER_SAMPLE);
      if (!discarded) least = Math.min(least, milliseconds);
    }
    return least;
  } finally {
    run.destroy();
  }
}

interface Parts {
  readonly session: Session;
  readonly restarts: Pick<Restarts, 'isBusy' | 'request'>;
  readonly stepper: Pick<Stepper, 'isPlaying' | 'isHeld' | 'isFilmed'>;
  readonly meter: Pick<Meter, 'framesPerSecond'>;
}

/**
 * Lowers the number of particles if the frame rate is too low and the visitor has chosen nothing. `before` is an
 * earlier rate that was too low. Only a second low rate counts, because other work may stall the page for a moment.
 */
export function watchFrames(parts: Parts, left = MOST_LOWERED, before?: number): void {
  if (left === 0) return;
  setTimeout(() => {
    const { session, restarts, stepper, meter } = parts;
    const { opening } = session;
    if (!opening || !session.isUntouched) return;
    const isResting = !stepper.isPlaying || stepper.isHeld || stepper.isFilmed || document.hidden;
    if (isResting || restarts.isBusy) {
      watchFrames(parts, left);
      return;
    }
    const rate = meter.framesPerSecond;
    const lower = lowerOpening(opening, Math.max(rate, before ?? 0));
    if (!lower) return;
    if (before === undefined) {
      watchFrames(parts, left, rate);
      return;
    }
    session.open(lower);
    restarts.request(session.choices);
    watchFrames(parts, left - 1);
  }, WATCH_MS);
}
