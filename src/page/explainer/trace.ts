/** Records one substep of a method, as steps. src/reference computes it. */
import type { Stage } from './methods';
import { createScene } from './scene';
import { tracePairs, traceProbe, tracePush } from './trace-contacts';
import { Recorder, type Trace } from './trace-recorder';
import { traceCount, traceHash, traceOrder, traceScatter, traceSum } from './trace-sort';

export function createTrace(scene = createScene()): Trace {
  const recorder = new Recorder(scene);
  if (scene.method === 'naive') {
    tracePush(recorder, tracePairs(recorder));
  } else {
    traceHash(recorder);
    traceCount(recorder);
    traceSum(recorder);
    traceScatter(recorder);
    const grid = traceOrder(recorder);
    traceProbe(recorder, grid);
    tracePush(recorder, grid);
  }
  return { scene, steps: recorder.steps };
}

/**
 * Returns the index in `steps` of a stage's step with the number `index`, counted from 0. If the stage has fewer steps,
 * returns the index of its last step; if the trace lacks the stage, returns 0.
 */
export function findStep({ steps }: Trace, stage: Stage | string, index: number): number {
  const first = steps.findIndex((step) => step.stage === stage);
  if (first < 0) return 0;
  const last = steps.findLastIndex((step) => step.stage === stage);
  return Math.min(last, first + Math.max(0, Number.isFinite(index) ? Math.floor(index) : 0));
}

export function findParticle({ steps }: Trace, stage: Stage, particle: number): number | undefined {
  const index = steps.findIndex((step) => step.stage === stage && step.focus.particle === particle);
  return index < 0 ? undefined : index;
}
