/** Shows a card about one particle, and marks over the picture. Reads particles seldom, to keep the page quick. */
import { MOST_ID } from '../session/link';
import type { Picture } from '../session/picture';
import type { Stepper } from '../session/stepper';
import { find } from '../support/dom';
import { formatCount, formatReal } from '../support/format';
import { nextTask } from '../support/save';
import type { PointerTools } from '../tools/pointer-tools';
import { explain, type Run } from '../view/engine';
import { type Inspected, inspectAll, MOST_INSPECTED } from '../view/inspect';
import { clearLayer, overlaid } from '../view/marks';
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
/** Inspecting may take this share of the page's time. */
const GREATEST_SHARE = 0.2;
/** If inspecting takes longer, the inspector waits until the run is paused. */
const LONGEST_MS = 200;
/** The pointer selects a particle within this many CSS pixels. */
const NEAR_POINTER = 12;
/** A press that moves farther than this many CSS pixels is no click. */
const CLICK_SLACK = 4;

export class Inspector {
  private readonly card = find('inspector', HTMLElement);
  private readonly idField = find('inspected', HTMLInputElement);
  private readonly body = find('inspector-body', HTMLElement);
  private readonly status = find('inspector-status', HTMLElement);
  private readonly marks = find('marks', HTMLCanvasElement);
  private snapshot: Snapshot | undefined;
  private chosen: number | undefined;
  /** If true, pointing at another particle does not select it. */
  private isPinned = false;
  private details: Inspected | undefined;
  private isStale = true;
  private isReading = false;
  private next = 0;
  /** Milliseconds that inspecting the last state took. */
  private took = 0;

  constructor(
    private readonly session: Session,
    private readonly picture: Picture,
    private readonly viewpoint: Viewpoint,
    private readonly stepper: Stepper,
    private readonly tools: PointerTools,
  ) {
    session.particlesChanged.listen(() => {
      this.isStale = true;
    });
    // Keys can scroll the body only if it is focusable.
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

  get isCurrent(): boolean {
    return !this.isOpen || (!this.isStale && !this.isReading);
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

  get inspected(): number | undefined {
    return this.isOpen ? this.chosen : undefined;
  }

  open(id: number): void {
    if (!this.isOpen) this.toggle();
    this.isPinned = true;
    this.choose(id);
  }

  /** Selects the next greater (1) or smaller (−1) id. The first id follows the last. */
  step(by: 1 | -1): void {
    const { snapshot, chosen } = this;
    if (!this.isOpen || !snapshot) return;
    const { ids } = snapshot.particles;
    if (ids.length === 0) return;
    const after = ids.findIndex((id) => id >= (chosen ?? 0));
    const index = (after < 0 ? ids.length : after) + (by > 0 && ids[after] !== chosen ? 0 : by);
    this.isPinned = true;
    this.choose(ids[(index + ids.length) % ids.length] as number);
  }

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
        `The inspector works with at most ${formatCount(MOST_INSPECTED)} particles, because it searches them on the page's own thread; there are ${formatCount(count)}.`,
      );
    } else if (this.isStale && !this.isReading && now >= this.next && !this.isWaiting) {
      this.read(run, now);
    }
    this.mark();
  }

  /** Resolves when the card shows the present state. */
  async catchUp(): Promise<void> {
    while (this.isReading) await nextTask();
    const { run } = this.session;
    if (this.isOpen && run && run.simulation.count <= MOST_INSPECTED) await this.read(run, performance.now());
  }

  get layers(): readonly HTMLCanvasElement[] {
    return this.isOpen ? [this.marks] : [];
  }

  /** Call this in the task that drew the picture. */
  laidOver(picture: HTMLCanvasElement): HTMLCanvasElement {
    if (!this.isOpen) return picture;
    this.mark();
    return overlaid(picture, this.marks);
  }

  private get isWaiting(): boolean {
    return this.stepper.isPlaying && this.took > LONGEST_MS && this.snapshot?.run === this.session.run;
  }

  private async read(run: Run, began: number): Promise<void> {
    this.isStale = false;
    this.isReading = true;
    try {
      const particles = await run.simulation.read();
      if (run !== this.session.run) return;
      const { world, radius } = run.simulation;
      // Do not time the wait for pending steps.
      const answered = performance.now();
      this.snapshot = { run, particles, inspect: inspectAll(world, radius, particles) };
      this.took = performance.now() - answered;
      this.chosen ??= this.idInMiddle();
      this.showChosen();
    } catch (error) {
      if (run === this.session.run) this.showSentence(explain(error));
    } finally {
      this.isReading = false;
      // A paused new run reports no change, so read it anyway.
      if (run !== this.session.run) this.isStale = true;
      this.next = began + Math.max(INTERVAL_MS, this.took / GREATEST_SHARE);
    }
  }

  private choose(id: number): void {
    if (id === this.chosen) return;
    this.chosen = id;
    this.showChosen();
    // Screen readers announce the status, so write it once per choice.
    const { details } = this;
    this.status.textContent = details ? `Particle ${id}: ${countsText(details)}.` : this.body.textContent;
  }

  private showChosen(): void {
    const { snapshot, chosen } = this;
    if (!snapshot || chosen === undefined) return;
    this.details = snapshot.inspect(chosen);
    if (document.activeElement !== this.idField || this.details) this.idField.value = String(chosen);
    const { ids } = snapshot.particles;
    if (this.details) {
      this.show(this.details, snapshot);
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
    this.details = undefined;
    if (this.body.textContent !== text) this.body.replaceChildren(element('p', text));
  }

  private show(details: Inspected, { run, particles }: Snapshot): void {
    const { world, count } = run.simulation;
    const { own, slot } = details;
    const size = details.halves
      ? (['Half edges', vectorText(details.halves)] as const)
      : (['Radius', formatReal(details.radius)] as const);
    const facts: (readonly [string, string])[] = [
      ['Position', vectorText(details.position)],
      ['Velocity', vectorText(details.velocity)],
      size,
    ];
    if (own) {
      facts.push(
        ['Cell', `${cellText(own)}${own.level === undefined ? ringText(world) : `, level ${own.level}`}`],
        [world.kind === 'unbounded' ? 'Bucket' : 'Index', formatCount(own.bucket)],
        ['Slot', `${formatCount(slot)} of ${formatCount(count)}`],
        ['Slice of slots', `from slot ${formatCount(own.start)}, before ${formatCount(own.end)}`],
        ['Ids in the cell', idsText(own.ids, details.id)],
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
      parts.push(...probeTables(details, world.dimensions), candidateTable(details));
    } else {
      parts.push(
        element('p', 'It is in quarantine because its position is not finite, so it has no neighbours.'),
      );
    }
    if (this.took > LONGEST_MS) {
      parts.push(
        element(
          'p',
          'Inspecting so many particles takes long, so this card is not updated while the simulation runs.',
        ),
      );
    }
    const { scrollTop } = this.body;
    this.body.replaceChildren(...parts);
    this.body.scrollTop = scrollTop;
    this.body.dataset.time = String(run.simulation.time);
    this.body.dataset.count = String(particles.ids.length);
  }

  private idInMiddle(): number | undefined {
    const { frame } = this.picture;
    if (!frame) return undefined;
    const { x, y, width, height } = frame.viewport.free;
    const { left, top } = this.viewpoint.stage.getBoundingClientRect();
    return this.idAt({ x: left + x + width / 2, y: top + y + height / 2 }, Number.POSITIVE_INFINITY);
  }

  private idAt(position: { readonly x: number; readonly y: number }, pixels: number): number | undefined {
    const { snapshot, viewpoint } = this;
    const { frame } = this.picture;
    if (!snapshot || !frame) return undefined;
    const within = pixels / frame.camera.pixelsPerUnit;
    return pick(snapshot.run.simulation, snapshot.particles, viewpoint.rayAt(position), within)?.id;
  }

  /** A click on a particle pins it. A click where there is no particle unpins the pinned one. */
  private listen(stage: HTMLElement): void {
    let down: { readonly x: number; readonly y: number } | undefined;
    let pointer: { readonly x: number; readonly y: number } | undefined;
    const follow = () => {
      const id = pointer && this.idAt(pointer, NEAR_POINTER);
      pointer = undefined;
      if (id !== undefined && !this.isPinned) this.choose(id);
    };
    stage.addEventListener('pointermove', ({ buttons, clientX, clientY }) => {
      if (!this.isOpen || buttons !== 0 || this.isPinned) return;
      // Search at most once per frame.
      if (!pointer) requestAnimationFrame(follow);
      pointer = { x: clientX, y: clientY };
    });
    stage.addEventListener('pointerdown', ({ clientX, clientY, isPrimary }) => {
      down = isPrimary ? { x: clientX, y: clientY } : undefined;
    });
    stage.addEventListener('pointerup', ({ clientX, clientY }) => {
      const isClick = down && Math.hypot(clientX - down.x, clientY - down.y) <= CLICK_SLACK;
      down = undefined;
      if (!this.isOpen || !isClick || this.tools.isChosen) return;
      const id = this.idAt({ x: clientX, y: clientY }, NEAR_POINTER);
      this.isPinned = id !== undefined;
      if (id !== undefined) this.choose(id);
    });
  }

  private mark(): void {
    const { frame } = this.picture;
    const context = frame && clearLayer(this.marks, frame.viewport);
    const { details, snapshot } = this;
    if (context && details && snapshot) new Marks(context, frame, snapshot).paint(details);
  }
}
