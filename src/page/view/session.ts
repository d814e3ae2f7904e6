/** State that the page's parts share. restarts.ts sets all of it; chooser.ts also sets `choices` and `isForced`. */
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
  /** The run's choices: those at its start, with the changes applied since. */
  running: Selection | undefined;
  /** True if the CPU engine replaces the chosen GPU engine. Links still name the GPU engine. */
  isForced = false;
  /** Emitted when the choices, or values that depend on them, have changed. */
  readonly choicesChanged = new Signal();
  readonly particlesChanged = new Signal();

  constructor(public choices: Selection) {}

  /** The current run's choices, even while a new run starts. Before the first run, the visitor's choices. */
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
