/**
 * The state that all parts of the page share: the visitor's choices, and the run with its engine. restarts.ts writes
 * the run, chooser.ts the choices; the others read.
 */
import { type Drive, movesObstacles } from '../../scenes';
import type { Chosen } from '../model/opened';
import { Signal } from '../support/signal';
import type { Engine, Run } from './engine';

export class Session {
  run: Run | undefined;
  engine: Engine | undefined;
  /** Changes gravity or obstacles of the run as time passes. */
  drive: Drive | undefined;
  /** The choices that the run was started with and has taken since. */
  running: Chosen | undefined;
  /** True if the CPU runs although the visitor chose the GPU. A link still says GPU, for other devices. */
  isForced = false;
  /** The choices, or what follows from them, have changed. */
  readonly chosen = new Signal();
  /** The state of the particles has changed. */
  readonly changed = new Signal();

  constructor(public choices: Chosen) {}

  /** The choices of the run, even while another one is being started; the visitor's choices before the first run. */
  get present(): Chosen {
    return this.running ?? this.choices;
  }

  /** Name for a file that is saved now, without its extension. */
  get stem(): string {
    const { opened, scene, dimensions } = this.present;
    const name = opened?.name.replace(/^cellstorm-|(-[23]d-[\d.]+s)?\.\w+$/g, '') ?? scene;
    return `cellstorm-${name}-${dimensions}d-${(this.run?.simulation.time ?? 0).toFixed(2)}s`;
  }

  /** True if the scene moves its obstacles with each step. */
  get movesObstacles(): boolean {
    return movesObstacles(this.drive);
  }
}
