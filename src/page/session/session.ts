/**
 * Purpose: what is chosen, and what follows from a choice: it is refused in words, taken by what runs, or starts over. What a
 * change takes is made ready one after the other.
 */
import { type Cap, capOf, changedFields, chooseScene, roomFor } from '../model/choices';
import type { Scale } from '../model/colour';
import { type Choices, type FieldName, fieldOf, MOST_PARTICLES, refusalOf } from '../model/fields';
import { type Chosen, describeOpened, type Opened, refuseOpened } from '../model/opened';
import { formatCount } from '../support/format';
import { whileWaiting } from '../support/waiting';
import { explain, type Run } from '../view/engine';
import { readLink } from './link';
import { prepare } from './prepare';
import type { Restarts } from './restarts';

/** What it needs of the page. */
export interface ChoosingSite {
  readonly run: Run | undefined;
  /** What was said about an earlier choice is over. */
  clearNotes(): void;
  notify(text: string): void;
  showChoices(): void;
  /** Loads what the page looks and works at such a run with. */
  prepareFor(choices: Chosen): Promise<void>;
  /** Colours that are ready. */
  colour(scale: Scale): void;
  /** The run takes changes. */
  adjust(run: Run): void;
}

export class Choosing {
  choices: Chosen = readLink(location.search);
  /** Colours, tools and questions that are not ready yet. */
  private preparing: Promise<void> = Promise.resolve();

  constructor(
    private readonly site: ChoosingSite,
    private readonly restarts: Restarts,
  ) {}

  /** Resolves when what was chosen is ready. */
  async settled(): Promise<void> {
    await this.preparing;
  }

  get cap(): Cap | undefined {
    return capOf(this.choices, this.restarts.hardware);
  }

  /** Particles that the engine takes, whatever scene they are of. */
  get mostParticles(): number {
    const cap = capOf({ ...this.choices, scene: '', broadPhase: 'grid' }, this.restarts.hardware);
    return cap?.most ?? MOST_PARTICLES;
  }

  choose(change: Partial<Choices>): void {
    const { site, restarts } = this;
    const refusal = Object.entries(change)
      .map(([name, value]) => refusalOf(name as FieldName, value))
      .find((sentence) => sentence !== undefined);
    if (refusal !== undefined) {
      this.refuse(refusal);
      return;
    }
    const before = this.choices;
    // A scene brings more than is said of it, and leaves a file.
    const base = change.scene ? { ...chooseScene(before, change.scene), opened: undefined } : before;
    const after: Chosen = { ...base, ...change };
    const effects = new Set(changedFields(before, after).map((name) => fieldOf(name).effect));
    const leaves = before.opened !== after.opened;
    if (effects.size === 0 && !leaves) return;
    site.clearNotes();
    const tooMany = refuseOpened(after, restarts.hardware);
    if (tooMany !== undefined) {
      this.refuse(tooMany);
      return;
    }
    const { run } = site;
    const startsOver = leaves || effects.has('start') || restarts.countOf(before) !== restarts.countOf(after);
    const cap = capOf(after, restarts.hardware);
    if (!startsOver && run && cap && run.simulation.count > cap.most) {
      this.refuse(`There are ${formatCount(run.simulation.count)} particles. ${cap.reason}`);
      return;
    }
    this.choices = after;
    if (change.engine) restarts.isForced = false;
    if (startsOver || (!run && !restarts.isBusy)) restarts.request(this.choices);
    // The run that is being started takes it over.
    else if (!run || restarts.isBusy) site.showChoices();
    else site.adjust(run);
  }

  /** Starts from a file; what cannot be leaves everything as it is, and says why. */
  async open(opened: Opened): Promise<void> {
    const { site, restarts } = this;
    site.clearNotes();
    const chosen = { ...this.choices, ...opened.choices, opened };
    const tooMany = refuseOpened(chosen, restarts.hardware);
    this.choices = tooMany === undefined ? chosen : { ...chosen, broadPhase: 'grid' };
    restarts.request(this.choices);
    await restarts.settled();
    if (restarts.present.opened !== opened) return;
    const grid = tooMany === undefined ? '' : ` ${tooMany} The grid is chosen instead.`;
    site.notify(`${describeOpened(opened)}${grid}`);
  }

  /** Other colours and tools, once what they take is there. */
  prepare(run: Run): void {
    this.inTurn(run, async () => {
      const { choices, site, restarts } = this;
      await site.prepareFor(choices);
      const { scale, refusal } = await prepare(run, choices);
      // Another run has been given its own meanwhile.
      if (run !== site.run) return;
      if (refusal) site.notify(refusal);
      site.colour(scale);
      const { capacity, obstacleCapacity } = roomFor({ ...choices, most: this.cap?.most }, run.options);
      const { simulation } = run;
      // Of what a method moves by itself there is never more.
      const isShort =
        simulation.capacity < (capacity ?? 0) ||
        (!simulation.method && simulation.obstacleCapacity < (obstacleCapacity ?? 0));
      if (isShort) await restarts.makeRoom();
    });
  }

  /** Does something for a run when what was asked for before is done; what goes wrong is said, as long as it runs. */
  inTurn(run: Run, act: () => Promise<void>): void {
    const { site } = this;
    this.preparing = whileWaiting(
      this.preparing.then(async () => {
        if (run !== site.run) return;
        try {
          await act();
        } catch (error) {
          if (run === site.run) site.notify(explain(error));
        }
      }),
    );
  }

  private refuse(why: string): void {
    this.site.notify(why);
    this.site.showChoices();
  }
}
