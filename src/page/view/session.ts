/**
 * State that the page's parts share. restarts.ts sets the choices, the run and its engine; chooser.ts also sets the
 * choices.
 */
import type { Drive } from '../../index';
import { movesObstacles } from '../../scenes';
import type { Selection } from '../model/opened';
import { Signal } from '../support/signal';
import type { Engine, Run } from './engine';

export class Session {
  run: Run | undefined;
  engine: Engine | undefined;
  /** Undefined if the scene has no drive. */
  drive: Drive | undefined;
  /** The run's choices: at its start, with changes applied since. */
  running: Selection | undefined;
  /** True if the CPU engine replaces the chosen GPU, which links still name. */
  isForced = false;
  /** Emitted when the choices, or values that depend on them, have changed. */
  readonly choicesChanged = new Signal();
  readonly particlesChanged = new Signal();

  constructor(public choices: Selection) {}

  /** The current run's choices, even while a new one starts. Before the first run, the visitor's. */
  get present(): Selection {
    return this.running ?? this.choices;
  }

  /** Start of a saved file's name. */
  get stem(): string {
    const { opened, scene, dimensions } = this.present;
    const name = opened?.name.replace(/^cellstorm-|(-[23]d-[\d.]+s)?\.\w+$/g, '') ?? scene;
    return `cellstorm-${name}-${dimensions}d-${(this.run?.simulation.time ?? 0).toFixed(2)}s`;
  }

  get movesObstacles(): boolean {
    return movesObstacles(this.drive);
  }
}
