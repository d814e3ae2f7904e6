/**
 * Prepares a run before it is drawn: its colours, tools, overlays and a fluid's look. Also measures the box to look at,
 * and restores earlier states. If something cannot be as chosen, returns a sentence that says why.
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
  /** Why colours, overlays, the fluid's look or the tool are not as chosen; '' if they are. */
  readonly refusal: string;
}

/** Prepares the chosen colours (or speed, if they are refused), the tool, the overlays and the fluid's look. */
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

/** Returns the box to look at. */
export async function seenOf({ simulation }: Run): Promise<SeenBox> {
  const { world } = simulation;
  return world.kind === 'unbounded' ? boxAround(simulation, await simulation.read()) : worldBox(world);
}

/** Restores a state, but keeps the present settings. */
export function goOnFrom(run: Run, checkpoint: State): void {
  const { settings } = run.simulation;
  run.restore(checkpoint);
  run.simulation.set(settings);
}
