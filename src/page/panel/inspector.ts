import { MOST_ID } from '../session/link';
import type { Picture } from '../session/picture';
import type { Stepper } from '../session/stepper';
import { find } from '../support/dom';
import { formatCount, formatReal } from '../support/format';
import { nextTask } from '../support/save';
import type { PointerTools } from '../tools/pointer-tools';
import { explain, type Run } from '../view/engine';
import { type Inspected, inspectAll, MOST_INSPECTED } from '../view/inspect';
import { pick } from '../view/pick';
import type { Session } from '../view/session';
import type { Viewpoint } from '../view/viewpoint';
import { Marks, type Snapshot } from './inspector-marks';
import {
  candidateTable,
  cellText,
  countsText,
  element,
  idsText,
  probeTables,
  ringText,
  vectorText,
} from './inspector-tables';

const INTERVAL_MS = 250;
/** Asking takes at most this share of the time, and where it takes longer than this, it waits until time stands still. */
const GREATEST_SHARE = 0.2;
const LONGEST_MS = 200;
/** CSS pixels from a particle at which it is still pointed at, and that a click may move. */
const NEAR_POINTER = 12;
const CLICK_SLACK = 4;

export class Inspector {
  private readonly card = find('inspector', HTMLElement);
  private readonly idField = find('inspected', HTMLInputElement);
  private readonly body = find('inspector-body', HTMLElement);
  private readonly status = find('inspector-status', HTMLElement);
  private readonly marks = find('marks', HTMLCanvasElement);
  private snapshot: Snapshot | undefined;
  private chosen: number | undefined;
  /** Whether a pointer that only passes leaves the choice alone. */
  private isPinned = false;
  private told: Inspected | undefined;
  private isStale = true;
  private isAsking = false;
  private next = 0;
  /** Milliseconds that going over the last answer took. */
  private took = 0;

  constructor(
    private readonly session: Session,
    private readonly picture: Picture,
    private readonly viewpoint: Viewpoint,
    private readonly stepper: Stepper,
    private readonly tools: PointerTools,
  ) {
    session.changed.listen(() => {
      this.isStale = true;
    });
    // It scrolls, by keys too.
    this.body.tabIndex = 0;
    this.body.dataset.scrolls = '';
    this.idField.addEventListener('change', () => {
      const id = this.idField.valueAsNumber;
      if (Number.isInteger(id) && id >= 0 && id <= MOST_ID) {
        this.isPinned = true;
        this.choose(id);
      } else if (this.chosen !== undefined) this.idField.value = String(this.chosen);
    });
    find('inspector-previous', HTMLButtonElement).addEventListener('click', () => this.step(-1));
    find('inspector-next', HTMLButtonElement).addEventListener('click', () => this.step(1));
    find('inspector-close', HTMLButtonElement).addEventListener('click', () => this.toggle());
    this.listen(viewpoint.stage);
  }

  get isOpen(): boolean {
    return !this.card.hidden;
  }

  /** Whether what it tells is about the state as it is. */
  get isCurrent(): boolean {
    return !this.isOpen || (!this.isStale && !this.isAsking);
  }

  toggle(): void {
    const hadFocus = this.card.contains(document.activeElement);
    this.card.hidden = this.isOpen;
    if (hadFocus) find('inspect', HTMLElement).focus();
    this.marks.hidden = !this.isOpen;
    this.isPinned = false;
    this.next = 0;
    if (this.isOpen) this.isStale = true;
  }

  /** Who is told of. */
  get inspected(): number | undefined {
    return this.isOpen ? this.chosen : undefined;
  }

  /** Stays with a particle. */
  open(id: number): void {
    if (!this.isOpen) this.toggle();
    this.isPinned = true;
    this.choose(id);
  }

  /** The next particle by id, or the one before. */
  step(by: 1 | -1): void {
    const { snapshot, chosen } = this;
    if (!this.isOpen || !snapshot) return;
    const { ids } = snapshot.particles;
    if (ids.length === 0) return;
    const after = ids.findIndex((id) => id >= (chosen ?? 0));
    const place = (after < 0 ? ids.length : after) + (by > 0 && ids[after] !== chosen ? 0 : by);
    this.isPinned = true;
    this.choose(ids[(place + ids.length) % ids.length] as number);
  }

  /** To be called every frame. */
  update(now: number): void {
    const { run } = this.session;
    if (!this.isOpen || !run) return;
    if (this.snapshot && this.snapshot.run !== run) {
      this.snapshot = undefined;
      this.isStale = true;
    }
    const { count } = run.simulation;
    if (count > MOST_INSPECTED) {
      this.isStale = false;
      this.showSentence(
        `The inspector goes over all particles on the page's own thread, so it takes at most ${formatCount(MOST_INSPECTED)}; there are ${formatCount(count)}.`,
      );
    } else if (this.isStale && !this.isAsking && now >= this.next && !this.isWaiting) {
      this.ask(run, now);
    }
    this.mark();
  }

  /** Resolves when what it tells is about the state as it is, however long that takes; for films. */
  async catchUp(): Promise<void> {
    while (this.isAsking) await nextTask();
    const { run } = this.session;
    if (this.isOpen && run && run.simulation.count <= MOST_INSPECTED) await this.ask(run, performance.now());
  }

  /** What lies over the picture; of the last frame, see update(). */
  get layers(): readonly HTMLCanvasElement[] {
    return this.isOpen ? [this.marks] : [];
  }

  /** A picture with the marks over it; while closed the picture itself. To be called in the task that drew it. */
  laidOver(picture: HTMLCanvasElement): HTMLCanvasElement {
    const both = document.createElement('canvas');
    const context = both.getContext('2d');
    if (!this.isOpen || !context) return picture;
    this.mark();
    Object.assign(both, { width: picture.width, height: picture.height });
    context.drawImage(picture, 0, 0);
    context.drawImage(this.marks, 0, 0, both.width, both.height);
    return both;
  }

  /** Until time stands still. */
  private get isWaiting(): boolean {
    return this.stepper.isPlaying && this.took > LONGEST_MS && this.snapshot?.run === this.session.run;
  }

  private async ask(run: Run, began: number): Promise<void> {
    this.isStale = false;
    this.isAsking = true;
    try {
      const particles = await run.simulation.read();
      if (run !== this.session.run) return;
      const { world, radius } = run.simulation;
      // Without the wait for steps that were under way: that is no work of the page's.
      const answered = performance.now();
      this.snapshot = { run, particles, inspect: inspectAll(world, radius, particles) };
      this.took = performance.now() - answered;
      this.chosen ??= this.middle();
      this.tell();
    } catch (error) {
      if (run === this.session.run) this.showSentence(explain(error));
    } finally {
      this.isAsking = false;
      // Another one has taken its place, and may stand still.
      if (run !== this.session.run) this.isStale = true;
      this.next = began + Math.max(INTERVAL_MS, this.took / GREATEST_SHARE);
    }
  }

  private choose(id: number): void {
    if (id === this.chosen) return;
    this.chosen = id;
    this.tell();
    // Said once, not whenever time passes.
    const { told } = this;
    this.status.textContent = told ? `Particle ${id}: ${countsText(told)}.` : this.body.textContent;
  }

  private tell(): void {
    const { snapshot, chosen } = this;
    if (!snapshot || chosen === undefined) return;
    this.told = snapshot.inspect(chosen);
    if (document.activeElement !== this.idField || this.told) this.idField.value = String(chosen);
    const { ids } = snapshot.particles;
    if (this.told) {
      this.show(this.told, snapshot);
    } else {
      const last = ids.at(-1);
      this.showSentence(
        last === undefined
          ? 'There are no particles.'
          : `No particle has the id ${chosen}; ids go from ${formatCount(ids[0] as number)} to ${formatCount(last)}.`,
      );
    }
  }

  private showSentence(text: string): void {
    this.told = undefined;
    if (this.body.textContent !== text) this.body.replaceChildren(element('p', text));
  }

  private show(told: Inspected, { run, particles }: Snapshot): void {
    const { world, count } = run.simulation;
    const { own, slot } = told;
    const size = told.halves
      ? (['Half edges', vectorText(told.halves)] as const)
      : (['Radius', formatReal(told.radius)] as const);
    const facts: (readonly [string, string])[] = [
      ['Position', vectorText(told.position)],
      ['Velocity', vectorText(told.velocity)],
      size,
    ];
    if (own) {
      facts.push(
        ['Cell', `${cellText(own)}${own.level === undefined ? ringText(world) : `, level ${own.level}`}`],
        [world.kind === 'unbounded' ? 'Bucket' : 'Index', formatCount(own.bucket)],
        ['Slot', `${formatCount(slot)} of ${formatCount(count)}`],
        ['Its slice', `from slot ${formatCount(own.start)}, before ${formatCount(own.end)}`],
        ['Ids in it', idsText(own.ids, told.id)],
      );
    }
    const list = element('dl');
    for (const [term, text] of facts) {
      const row = element('div');
      row.append(element('dt', term), element('dd', text));
      list.append(row);
    }
    const parts: HTMLElement[] = [list];
    if (own) {
      parts.push(...probeTables(told, world.dimensions), candidateTable(told));
    } else {
      parts.push(element('p', 'It is set aside because it is not finite, so it has no neighbours.'));
    }
    if (this.took > LONGEST_MS) {
      parts.push(element('p', 'To go over so many takes long: while time passes this stays as it is.'));
    }
    const { scrollTop } = this.body;
    this.body.replaceChildren(...parts);
    this.body.scrollTop = scrollTop;
    this.body.dataset.time = String(run.simulation.time);
    this.body.dataset.count = String(particles.ids.length);
  }

  /** Whoever is in the middle of the picture. */
  private middle(): number | undefined {
    const { frame } = this.picture;
    if (!frame) return undefined;
    const { x, y, width, height } = frame.viewport.free;
    const { left, top } = this.viewpoint.stage.getBoundingClientRect();
    return this.at({ x: left + x + width / 2, y: top + y + height / 2 }, Number.POSITIVE_INFINITY);
  }

  private at(place: { readonly x: number; readonly y: number }, pixels: number): number | undefined {
    const { snapshot, viewpoint } = this;
    const { frame } = this.picture;
    if (!snapshot || !frame) return undefined;
    const within = pixels / frame.sight.pixelsPerUnit;
    return pick(snapshot.run.simulation, snapshot.particles, viewpoint.rayAt(place), within)?.id;
  }

  /** A pointer that passes shows whom it passes over; a click keeps that one, and one beside all lets go. */
  private listen(stage: HTMLElement): void {
    let down: { readonly x: number; readonly y: number } | undefined;
    let place: { readonly x: number; readonly y: number } | undefined;
    const follow = () => {
      const id = place && this.at(place, NEAR_POINTER);
      place = undefined;
      if (id !== undefined && !this.isPinned) this.choose(id);
    };
    stage.addEventListener('pointermove', ({ buttons, clientX, clientY }) => {
      if (!this.isOpen || buttons !== 0 || this.isPinned) return;
      // Once a frame.
      if (!place) requestAnimationFrame(follow);
      place = { x: clientX, y: clientY };
    });
    stage.addEventListener('pointerdown', ({ clientX, clientY, isPrimary }) => {
      down = isPrimary ? { x: clientX, y: clientY } : undefined;
    });
    stage.addEventListener('pointerup', ({ clientX, clientY }) => {
      const isClick = down && Math.hypot(clientX - down.x, clientY - down.y) <= CLICK_SLACK;
      down = undefined;
      if (!this.isOpen || !isClick || this.tools.isChosen) return;
      const id = this.at({ x: clientX, y: clientY }, NEAR_POINTER);
      this.isPinned = id !== undefined;
      if (id !== undefined) this.choose(id);
    });
  }

  /** Paints the marks for the present look at the world. */
  private mark(): void {
    const { frame } = this.picture;
    const context = this.marks.getContext('2d');
    if (!frame || !context) return;
    const { viewport } = frame;
    const { pixelRatio } = viewport;
    const [width, height] = [viewport.width, viewport.height].map((size) => Math.round(size * pixelRatio));
    if (this.marks.width !== width) this.marks.width = width as number;
    if (this.marks.height !== height) this.marks.height = height as number;
    context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
    context.clearRect(0, 0, viewport.width, viewport.height);
    const { told, snapshot } = this;
    if (told && snapshot) new Marks(context, frame, snapshot).paint(told);
  }
}
