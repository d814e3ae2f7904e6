/** Decides which engine a start needs and, if the URL has no choices, which scene the first engine starts. */
import { automaticEngine, explainAutomatic, type GpuKind } from '../model/automatic';
import { changedFields } from '../model/choices';
import type { EngineKind } from '../model/fields';
import type { Selection } from '../model/opened';
import type { Opening } from '../model/opening';
import type { Engine } from '../view/engine';
import type { Session } from '../view/session';

export class EngineChoice {
  kind: EngineKind = 'gpu';
  /** Measures the first engine and chooses its scene. Undefined if the URL has choices, and after the first start. */
  measure: ((engine: Engine) => Promise<Opening>) | undefined;
  private gpu: GpuKind | undefined;

  constructor(
    private readonly session: Session,
    private readonly look: () => Promise<GpuKind>,
  ) {}

  async decide(choices: Selection): Promise<EngineKind> {
    this.kind = choices.engine === 'auto' ? await this.automatic(choices) : choices.engine;
    return this.kind;
  }

  /** Returns the scene that suits the engine, unless the visitor has chosen something meanwhile. */
  async openScene(engine: Engine, choices: Selection, isOutdated: () => boolean): Promise<Selection> {
    const { measure, session } = this;
    this.measure = undefined;
    // If measuring fails, the usual scene starts.
    const opening = await measure?.(engine).catch(() => undefined);
    if (!opening || isOutdated() || changedFields(choices, session.choices).length > 0) return choices;
    session.open(opening);
    return session.choices;
  }

  /** Says what the page chose for the visitor and why; '' if it chose nothing. */
  explain(choices: Selection, kind: EngineKind): string {
    const { session } = this;
    return [
      choices.engine === 'auto' ? explainAutomatic(kind, this.gpu ?? 'none') : '',
      session.isUntouched ? session.opening?.why : '',
    ]
      .filter(Boolean)
      .join(' ');
  }

  private async automatic(choices: Selection): Promise<EngineKind> {
    // Do not return to a GPU that failed before.
    if (this.session.isForced) return 'cpu';
    this.gpu ??= await this.look();
    return automaticEngine(choices, this.gpu);
  }
}

/** Leaves 'auto' as it is, because 'auto' means the CPU engine after a GPU has failed. */
export function onCpu(choices: Selection): Selection {
  return choices.engine === 'auto' ? choices : { ...choices, engine: 'cpu' };
}
