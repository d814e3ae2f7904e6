/** Takes one choice after another: refuses it with a message, applies it to the run, or starts a new run. */
import { changedFields, chooseScene, roomFor } from '../model/choices';
import { type Choices, type FieldName, fieldOf, MOST_PARTICLES, refusalOf } from '../model/fields';
import { type Cap, capOf } from '../model/limits';
import { describeOpened, type Opened, refuseOpened, type Selection } from '../model/opened';
import { formatCount } from '../support/format';
import { notify, showEngineNote } from '../support/notes';
import { whileWaiting } from '../support/waiting';
import type { ToolHost } from '../tools/tools';
import { explain, type Run } from '../view/engine';
import type { Session } from '../view/session';
import { type Picture, prepare } from './picture';
import type { Restarts } from './restarts';

export class Chooser implements ToolHost {
  /** Resolves when inTurn() and renewals have no work left. */
  private preparing: Promise<void> = Promise.resolve();

  constructor(
    private readonly session: Session,
    private readonly restarts: Restarts,
    private readonly picture: Picture,
    private readonly load: (choices: Selection) => Promise<void>,
  ) {
    restarts.adjusted.listen((run) => this.prepare(run));
  }

  async settled(): Promise<void> {
    await this.preparing;
  }

  get cap(): Cap | undefined {
    return capOf(this.session.choices, this.restarts.hardware);
  }

  /** The most particles that the engine runs with the grid, whatever the scene. */
  get mostParticles(): number {
    const cap = capOf({ ...this.session.choices, scene: '', broadPhase: 'grid' }, this.restarts.hardware);
    return cap?.most ?? MOST_PARTICLES;
  }

  choose(change: Partial<Choices>): void {
    const { session, restarts } = this;
    const refusal = Object.entries(change)
      .map(([name, value]) => refusalOf(name as FieldName, value))
      .find((sentence) => sentence !== undefined);
    if (refusal !== undefined) {
      this.refuse(refusal);
      return;
    }
    const before = session.choices;
    // Choosing a scene also sets the fields of that scene, and closes the file.
    const base = change.scene ? { ...chooseScene(before, change.scene), opened: undefined } : before;
    const after: Selection = { ...base, ...change };
    const effects = new Set(changedFields(before, after).map((name) => fieldOf(name).effect));
    const leaves = before.opened !== after.opened;
    if (effects.size === 0 && !leaves) return;
    this.clearNotes();
    const tooMany = refuseOpened(after, restarts.hardware);
    if (tooMany !== undefined) {
      this.refuse(tooMany);
      return;
    }
    const { run } = session;
    const startsOver = leaves || effects.has('start') || restarts.countOf(before) !== restarts.countOf(after);
    const cap = capOf(after, restarts.hardware);
    if (!startsOver && run && cap && run.simulation.count > cap.most) {
      this.refuse(`There are ${formatCount(run.simulation.count)} particles. ${cap.reason}`);
      return;
    }
    session.choices = after;
    if (change.engine) session.isForced = false;
    if (startsOver || (!run && !restarts.isBusy)) restarts.request(after);
    // A run that is being started adopts the choice.
    else if (!run || restarts.isBusy) session.choicesChanged.emit();
    else restarts.adjust(run);
    if (!startsOver && effects.has('renew')) {
      this.preparing = whileWaiting(this.preparing.then(() => restarts.renew()));
    }
  }

  /** Requests a run from a file. If the start fails, a note says why. */
  async open(opened: Opened): Promise<void> {
    const { session, restarts } = this;
    this.clearNotes();
    const chosen = { ...session.choices, ...opened.choices, opened };
    const tooMany = refuseOpened(chosen, restarts.hardware);
    session.choices = tooMany === undefined ? chosen : { ...chosen, broadPhase: 'grid' };
    restarts.request(session.choices);
    await restarts.settled();
    if (session.present.opened !== opened) return;
    const grid = tooMany === undefined ? '' : ` ${tooMany} The grid is chosen instead.`;
    notify(`${describeOpened(opened)}${grid}`);
  }

  /** Prepares colours, overlays and the tool, and makes room for the tool. */
  prepare(run: Run): void {
    this.inTurn(run, async () => {
      const { session, restarts } = this;
      const { choices } = session;
      await this.load(choices);
      const { scale, refusal } = await prepare(run, choices);
      if (run !== session.run) return;
      if (refusal) notify(refusal);
      this.picture.colour(scale);
      const { capacity, obstacleCapacity } = roomFor({ ...choices, most: this.cap?.most }, run.options);
      const { simulation } = run;
      // Tools add no obstacles to a method.
      const isShort =
        simulation.capacity < (capacity ?? 0) ||
        (!simulation.method && simulation.obstacleCapacity < (obstacleCapacity ?? 0));
      if (isShort) await restarts.makeRoom();
    });
  }

  prepareTool(): void {
    if (this.session.run) this.prepare(this.session.run);
  }

  makeRoom(): void {
    this.restarts.makeRoom();
  }

  /** Calls `act` after earlier calls have finished, unless another run has replaced `run`. Shows errors of `act`. */
  inTurn(run: Run, act: () => Promise<void>): void {
    const { session } = this;
    this.preparing = whileWaiting(
      this.preparing.then(async () => {
        if (run !== session.run) return;
        try {
          await act();
        } catch (error) {
          if (run === session.run) notify(explain(error));
        }
      }),
    );
  }

  private refuse(why: string): void {
    notify(why);
    this.session.choicesChanged.emit();
  }

  clearNotes(): void {
    const { engine, isForced } = this.session;
    notify('');
    if (engine && !isForced) showEngineNote('');
  }
}
