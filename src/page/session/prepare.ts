/**
 * What is done to a run before it is seen: colours, tools, overlays and a fluid's look are made ready, what there is to
 * be seen is measured, and an earlier state is put in. What cannot be as it was chosen is said in a sentence.
 */

import { type Scale, scaleFor } from '../model/colour';
import type { Chosen } from '../model/opened';
import { boxAround, type SeenBox, worldBox } from '../model/seen-box';
import type { State } from '../model/simulation-view';
import { isUnloaded } from '../support/chunk-errors';
import { explain, type Run } from '../view/engine';

/** What a run is drawn with. */
export interface Prepared {
  readonly scale: Scale;
  /** Why colours, overlays or what the pointer does are not as chosen, else ''. */
  readonly refusal: string;
}

/** Gets ready to draw in the chosen colours, or where that cannot be by speed; the tool and the overlays too. */
export async function prepare(run: Run, choices: Chosen): Promise<Prepared> {
  const { colour, opened, pointer } = choices;
  const refusal = await run.prepare(colour);
  if (refusal) await run.prepare('speed');
  const untaught = await run.prepareTool(pointer).then(
    () => '',
    (error: unknown) => {
      if (isUnloaded(error)) return explain(error);
      throw error;
    },
  );
  const withheld = await run.prepareOverlays(choices);
  const unshown = await run.prepareFluid(choices.fluidAs);
  const velocities = opened?.checkpoint.velocities ?? run.options.velocities;
  const options = { ...run.options, velocities };
  return {
    scale: scaleFor(refusal ? 'speed' : colour, run.simulation, options),
    refusal: refusal || withheld || unshown || untaught,
  };
}

/** What there is to be seen of a run. */
export async function seenOf({ simulation }: Run): Promise<SeenBox> {
  const { world } = simulation;
  return world.kind === 'unbounded' ? boxAround(simulation, await simulation.read()) : worldBox(world);
}

/** A state of an earlier time; the settings stay as they are chosen now. */
export function goOnFrom(run: Run, checkpoint: State): void {
  const { settings } = run.simulation;
  run.restore(checkpoint);
  run.simulation.set(settings);
}
