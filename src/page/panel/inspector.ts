/**
 * Purpose: the inspector: a card that tells what the grid does for one particle, and marks in the picture: a ring around it,
 * the cells that are probed, and what becomes of each candidate, by shape and dash. Inputs: the page's run and what it looks
 * at; a pointer, keys or an id that is typed. It asks the simulation who is where a few times a second while time passes, and
 * less often where that takes long; while paused what it tells is exact.
 */
import type { ParticleArrays } from '../../core/simulation/simulation';
import type { World } from '../../core/world/world';
import { toCss } from '../model/colour';
import { MOST_ID } from '../session/link';
import { find } from '../support/dom';
import { formatCount, formatReal } from '../support/format';
import { nextTask } from '../support/save';
import { project, type Ray } from '../view/camera';
import { explain, type Frame, type Run } from '../view/engine';
import { type Candidate, type Inspected, inspectAll, MOST_INSPECTED, type ProbedCell } from '../view/inspect';
import { pick } from '../view/pick';

const INTERVAL_MS = 250;
/** Asking takes at most this share of the time, and where it takes longer than this, it waits until time stands still. */
const GREATEST_SHARE = 0.2;
const LONGEST_MS = 200;
/** CSS pixels from a particle at which it is still pointed at, and that a click may move. */
const NEAR_POINTER = 12;
const CLICK_SLACK = 4;
/** Rows and ids that the card shows. */
const MOST_ROWS = 60;
const MOST_IDS = 9;

/** What is inspected. */
export interface InspectorSite {
  readonly run: Run | undefined;
  readonly frame: Frame | undefined;
  readonly stage: HTMLElement;
  readonly isPlaying: boolean;
  /** Whether dragging moves particles, not the picture. */
  readonly isToolChosen: boolean;
  rayAt(place: { readonly x: number; readonly y: number }): Ray;
}

interface Snapshot {
  readonly run: Run;
  readonly particles: ParticleArrays;
  readonly inspect: (id: number) => Inspected | undefined;
}

const VERDICTS = {
  contact: 'contact',
  apart: 'too far',
  stranger: 'other cell',
  itself: 'itself',
} as const;

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

  constructor(private readonly site: InspectorSite) {
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
    this.listen(site.stage);
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
    if (this.isOpen) this.touch();
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

  /** The state is another one. */
  touch(): void {
    this.isStale = true;
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
    const { run } = this.site;
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
    const { run } = this.site;
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
    return this.site.isPlaying && this.took > LONGEST_MS && this.snapshot?.run === this.site.run;
  }

  private async ask(run: Run, began: number): Promise<void> {
    this.isStale = false;
    this.isAsking = true;
    try {
      const particles = await run.simulation.read();
      if (run !== this.site.run) return;
      const { world, radius } = run.simulation;
      // Without the wait for steps that were under way: that is no work of the page's.
      const answered = performance.now();
      this.snapshot = { run, particles, inspect: inspectAll(world, radius, particles) };
      this.took = performance.now() - answered;
      this.chosen ??= this.middle();
      this.tell();
    } catch (error) {
      if (run === this.site.run) this.showSentence(explain(error));
    } finally {
      this.isAsking = false;
      // Another one has taken its place, and may stand still.
      if (run !== this.site.run) this.isStale = true;
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
      parts.push(element('p', 'It is set aside, since it is not finite: nobody probes for it.'));
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
    const { frame, stage } = this.site;
    if (!frame) return undefined;
    const { x, y, width, height } = frame.viewport.free;
    const { left, top } = stage.getBoundingClientRect();
    return this.at({ x: left + x + width / 2, y: top + y + height / 2 }, Number.POSITIVE_INFINITY);
  }

  private at(place: { readonly x: number; readonly y: number }, pixels: number): number | undefined {
    const { snapshot, site } = this;
    if (!snapshot || !site.frame) return undefined;
    const within = pixels / site.frame.sight.pixelsPerUnit;
    return pick(snapshot.run.simulation, snapshot.particles, site.rayAt(place), within)?.id;
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
      if (!this.isOpen || !isClick || this.site.isToolChosen) return;
      const id = this.at({ x: clientX, y: clientY }, NEAR_POINTER);
      this.isPinned = id !== undefined;
      if (id !== undefined) this.choose(id);
    });
  }

  /** Paints the marks for the present look at the world. */
  private mark(): void {
    const { frame } = this.site;
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

class Marks {
  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly frame: Frame,
    private readonly snapshot: Snapshot,
  ) {}

  paint(told: Inspected): void {
    const { context, frame } = this;
    const { overlay } = frame.theme;
    for (const cell of told.probe) this.outline(cell, cell === told.own);
    for (const candidate of told.candidates) {
      if (candidate.verdict === 'itself') continue;
      this.join(told, candidate);
    }
    const place = this.toScreen(told.position);
    if (!place) return;
    const { x, y, scale } = place;
    const radius = Math.max(5, told.radius * scale + 3);
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    this.stroke(overlay.first, 2.5);
  }

  private outline({ min, max }: ProbedCell, isOwn: boolean): void {
    const { context, frame } = this;
    context.beginPath();
    const corners = Array.from({ length: 2 ** min.length }, (_, bits) =>
      this.toScreen(min.map((low, axis) => (bits & (1 << axis) ? (max[axis] as number) : low))),
    );
    corners.forEach((from, bits) => {
      for (let axis = 0; axis < min.length; axis++) {
        const to = corners[bits | (1 << axis)];
        if (bits & (1 << axis) || !from || !to) continue;
        context.moveTo(from.x, from.y);
        context.lineTo(to.x, to.y);
      }
    });
    context.globalAlpha = isOwn ? 1 : min.length === 3 ? 0.3 : 0.75;
    this.stroke(frame.theme.overlay.first, isOwn ? 2 : 1);
    context.globalAlpha = 1;
  }

  private join(told: Inspected, { index, verdict }: Candidate): void {
    const { context, snapshot, frame } = this;
    const { particles, run } = snapshot;
    const { world } = run.simulation;
    const { dimensions, period } = world;
    const there = Array.from(particles.positions.subarray(dimensions * index, dimensions * (index + 1)));
    const apart = there.map((along, axis) => along - (told.position[axis] as number));
    const way = apart.map((along, axis) => {
      const length = period[axis] as number;
      return length > 0 ? along - length * Math.round(along / length) : along;
    });
    const isAround = way.some(
      (along, axis) => Math.abs(along - (apart[axis] as number)) > world.cellSize / 2,
    );
    const { overlay } = frame.theme;
    const isContact = verdict === 'contact';
    const colour = isContact ? overlay.contact : overlay.candidate;
    // Across an end of the world half of the way from either side.
    const share = isAround ? 0.5 : 1;
    for (const [from, sign] of isAround
      ? ([
          [told.position, 1],
          [there, -1],
        ] as const)
      : ([[told.position, 1]] as const)) {
      const [first, second] = [
        this.toScreen(from),
        this.toScreen(from.map((along, axis) => along + sign * share * (way[axis] as number))),
      ];
      if (!first || !second) continue;
      context.beginPath();
      context.moveTo(first.x, first.y);
      context.lineTo(second.x, second.y);
      context.setLineDash(isContact ? [] : verdict === 'apart' ? [4, 4] : [1, 4]);
      this.stroke(colour, isContact ? 2.5 : 1.25);
      context.setLineDash([]);
    }
    const end = this.toScreen(there);
    if (!end) return;
    const { x, y } = end;
    context.beginPath();
    if (isContact) context.arc(x, y, 4, 0, 2 * Math.PI);
    else if (verdict === 'stranger') context.rect(x - 3.5, y - 3.5, 7, 7);
    else {
      context.moveTo(x - 3.5, y - 3.5);
      context.lineTo(x + 3.5, y + 3.5);
      context.moveTo(x - 3.5, y + 3.5);
      context.lineTo(x + 3.5, y - 3.5);
    }
    this.stroke(colour, 1.75);
    if (!isContact) return;
    context.fillStyle = toCss(colour);
    context.fill();
  }

  /** With a casing, so that it is seen on whatever is behind. */
  private stroke(colour: readonly [number, number, number], width: number): void {
    const { context, frame } = this;
    context.strokeStyle = toCss(frame.theme.background);
    context.lineWidth = width + 1.5;
    context.stroke();
    context.strokeStyle = toCss(colour);
    context.lineWidth = width;
    context.stroke();
  }

  /** CSS pixels, and how many of them a unit of length is there; undefined behind the eye. */
  private toScreen(
    point: readonly number[],
  ): { readonly x: number; readonly y: number; readonly scale: number } | undefined {
    const { sight, viewport } = this.frame;
    const { x, y, distance } = project(sight, viewport, point);
    if (point.length === 2) return { x, y, scale: sight.pixelsPerUnit };
    return distance > 0 ? { x, y, scale: (sight.pixelsPerUnit * sight.distance) / distance } : undefined;
  }
}

function element(tag: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function vectorText(vector: readonly number[]): string {
  return vector.map(formatReal).join(', ');
}

/** Cells of a box are counted with those around it that are always empty. */
function ringText({ kind, period }: World): string {
  const hasRing = kind !== 'unbounded' && period.some((length) => length === 0);
  return hasRing ? ', counting the ring' : '';
}

function cellText({ cell }: ProbedCell): string {
  return cell.join(', ');
}

/** Some ids of a slice, around one. */
function idsText(ids: readonly number[], id: number): string {
  const first = Math.max(0, Math.min(ids.indexOf(id) - (MOST_IDS >> 1), ids.length - MOST_IDS));
  const some = ids.slice(first, first + MOST_IDS).map((one) => (one === id ? `[${one}]` : String(one)));
  return [...(first > 0 ? ['…'] : []), ...some, ...(first + MOST_IDS < ids.length ? ['…'] : [])].join(' ');
}

function captioned(caption: string): HTMLTableElement {
  const table = document.createElement('table');
  table.append(element('caption', caption));
  return table;
}

/** The probed cells as they lie in the picture, upwards is up; in space a table for each layer. */
function probeTables({ probe, own }: Inspected, dimensions: number): HTMLElement[] {
  return Array.from({ length: probe.length / 9 }, (_, place) => {
    const cells = probe.slice(9 * place, 9 * place + 9);
    const level = cells[0]?.level;
    const which = [
      ...(level === undefined ? [] : [`level ${level}`]),
      ...(dimensions === 3 ? [`z ${cells[0]?.cell[2]}`] : []),
    ].join(', ');
    const title = `Probed cells: particles, first slot${which ? `; ${which}` : ''}`;
    const table = captioned(place === 0 ? title : which);
    table.className = 'probe';
    for (let row = 2; row >= 0; row--) {
      const line = element('tr');
      for (const cell of cells.slice(3 * row, 3 * row + 3)) {
        const entry = element('td', String(cell.ids.length));
        entry.append(element('small', cell.start === cell.end ? '–' : `${cell.start}`));
        const where = element('span', `, cell ${cellText(cell)}, before slot ${cell.end}`);
        where.className = 'unseen';
        entry.append(where);
        entry.dataset.hint = `Cell ${cellText(cell)}: from slot ${cell.start}, before ${cell.end}`;
        if (cell === own) entry.className = 'own';
        line.append(entry);
      }
      table.append(line);
    }
    return table;
  });
}

/** Candidates, contacts and strangers, in words. */
function countsText({ candidates }: Inspected): string {
  const count = (wanted: Candidate['verdict']) =>
    candidates.filter(({ verdict }) => verdict === wanted).length;
  const [contacts, strangers] = [count('contact'), count('stranger')];
  const tested = contacts + count('apart');
  const more = strangers > 0 ? `; ${formatCount(strangers)} of other cells in the same buckets` : '';
  return `${formatCount(tested)} ${tested === 1 ? 'candidate' : 'candidates'}, ${formatCount(contacts)} in contact${more}`;
}

function candidateTable(told: Inspected): HTMLElement {
  const { candidates } = told;
  const others = candidates
    .filter(({ verdict }) => verdict !== 'itself')
    .sort((first, second) => first.distance - second.distance);
  const table = captioned(countsText(told));
  const head = element('tr');
  for (const name of ['Id', 'Verdict', 'Apart / touch at']) {
    const cell = element('th', name);
    cell.setAttribute('scope', 'col');
    head.append(cell);
  }
  table.append(head);
  for (const { id, verdict, distance, reach, overlap } of others.slice(0, MOST_ROWS)) {
    const row = element('tr');
    row.dataset.verdict = verdict;
    const by = verdict === 'stranger' ? '' : ` by ${formatReal(Math.abs(overlap))}`;
    const texts = [String(id), `${VERDICTS[verdict]}${by}`, `${formatReal(distance)} / ${formatReal(reach)}`];
    row.append(...texts.map((text) => element('td', text)));
    table.append(row);
  }
  if (others.length > MOST_ROWS) {
    const row = element('tr');
    const more = element('td', `and ${formatCount(others.length - MOST_ROWS)} more, farther away`);
    more.setAttribute('colspan', '3');
    row.append(more);
    table.append(row);
  }
  return table;
}
