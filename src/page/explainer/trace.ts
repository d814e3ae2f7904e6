/**
 * Records one substep of a method as steps of the explainer. The arrays of a step hold outputs of src/reference, but only
 * the entries that have been written so far.
 */
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
 * Returns the index in `steps` of step `index` of a stage. If the stage has fewer steps, returns that of its last step;
 * for a stage that the trace lacks, returns 0.
 */
export function findStep({ steps }: Trace, stage: Stage | string, index: number): number {
  const first = steps.findIndex((step) => step.stage === stage);
  if (first < 0) return 0;
  const last = steps.findLastIndex((step) => step.stage === stage);
  return Math.min(last, first + Math.max(0, Number.isFinite(index) ? Math.floor(index) : 0));
}

/** Returns the index in `steps` of the first step of a stage that is about a particle, if there is one. */
export function findParticle({ steps }: Trace, stage: Stage, particle: number): number | undefined {
  const index = steps.findIndex((step) => step.stage === stage && step.focus.particle === particle);
  return index < 0 ? undefined : index;
}
