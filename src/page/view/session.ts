/** The state that the page's parts share. restarts.ts sets most of it. */
import type { Drive } from '../../index';
import { movesObstacles } from '../../scenes';
import { changedFields, chooseScene } from '../model/choices';
import type { Selection } from '../model/opened';
import type { Opening } from '../model/opening';
import { Signal } from '../support/signal';
import type { Engine, Run } from './engine';

export class Session {
  run: Run | undefined;
  engine: Engine | undefined;
  /** Undefined if the scene has no drive. */
  drive: Drive | undefined;
  /** The run's choices: those at its start, and the changes since. */
  running: Selection | undefined;
  /** The scene that the page chose for a URL without choices, with all choices of that time. */
  opening: (Opening & { readonly all: Selection }) | undefined;
  /** Says what the page chose for the visitor and why; '' if it chose nothing. */
  why = '';
  /** True if the CPU engine replaces a GPU that failed. Links keep the visitor's choice of engine. */
  isForced = false;
  /** Emitted when the choices or what depends on them have changed, and when a choice was refused. */
  readonly choicesChanged = new Signal();
  readonly particlesChanged = new Signal();

  constructor(public choices: Selection) {}

  /** The run's choices, even while a new run starts. Before the first run, the visitor's. */
  get present(): Selection {
    return this.running ?? this.choices;
  }

  open(opening: Opening): void {
    const { scene, dimensions, count } = opening.choices;
    this.choices = { ...chooseScene({ ...this.choices, dimensions }, scene), count };
    this.opening = { ...opening, all: this.choices };
  }

  /** True while the page shows what it chose itself. */
  get isUntouched(): boolean {
    const { opening, choices } = this;
    return opening !== undefined && !choices.opened && changedFields(opening.all, choices).length === 0;
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
