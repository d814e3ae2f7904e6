/**
 * The state that all parts of the page share: the visitor's choices, the run and its engine. restarts.ts sets all
 * three, chooser.ts sets the choices too. All other parts only read them.
 */
import type { Drive } from '../../index';
import { movesObstacles } from '../../scenes';
import type { Selection } from '../model/opened';
import { Signal } from '../support/signal';
import type { Engine, Run } from './engine';

export class Session {
  run: Run | undefined;
  engine: Engine | undefined;
  /** Changes the run's gravity or obstacles over time. Undefined if the scene has no drive. */
  drive: Drive | undefined;
  /** The choices in effect in the run: the choices at its start, with the changes applied since then. */
  running: Selection | undefined;
  /** True if the CPU engine replaces the GPU engine that the visitor chose. Links still name the GPU. */
  isForced = false;
  /** Emitted when the choices, or values that depend on them, have changed. */
  readonly choicesChanged = new Signal();
  /** Emitted when the state of the particles has changed. */
  readonly particlesChanged = new Signal();

  constructor(public choices: Selection) {}

  /** The choices of the current run, even while a new one starts. Before the first run, the visitor's choices. */
  get present(): Selection {
    return this.running ?? this.choices;
  }

  /** Name for a file that is saved now, without its extension. */
  get stem(): string {
    const { opened, scene, dimensions } = this.present;
    const name = opened?.name.replace(/^cellstorm-|(-[23]d-[\d.]+s)?\.\w+$/g, '') ?? scene;
    return `cellstorm-${name}-${dimensions}d-${(this.run?.simulation.time ?? 0).toFixed(2)}s`;
  }

  get movesObstacles(): boolean {
    return movesObstacles(this.drive);
  }
}
