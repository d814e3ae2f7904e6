/**
 * The tool "Ask the grid": searches at the pointer in a grid with the run's cells, and marks what the search found,
 * tested and visited. It asks again when the particles have moved; one question runs at a time.
 */
import type { ParticleArrays } from '../../../index';
import { find, setText } from '../../support/dom';
import { formatCount, formatReal } from '../../support/format';
import { notify } from '../../support/notes';
import { nextTask } from '../../support/save';
import type { Answers, Question } from '../../view/answers';
import type { Ray, ScreenPosition } from '../../view/camera';
import { explain, type Frame, type Run } from '../../view/engine';
import { clearLayer, type Marks, overlaid } from '../../view/marks';
import { pick } from '../../view/pick';
import type { Session } from '../../view/session';
import type { Viewpoint } from '../../view/viewpoint';
import { type Answer, QueryMarks } from './query-marks';
import { questionOf } from './question';
import { cellsText, visitedBy } from './visited';

/** With more particles, the page would respond too slowly. */
const MOST_ASKED = 1_000_000;
/** Least milliseconds between two reads of the particles. */
const READ_MS = 200;
/** Asking may take this share of the page's time. */
const GREATEST_SHARE = 0.3;
/** A press that moves farther than this many CSS pixels is a drag. */
const CLICK_SLACK = 4;
/** Keep this equal to the condition in styles/narrow.css. */
const WIDE = '(min-width: 1000px)';
/** Least milliseconds between announcements to screen readers. */
const STATUS_MS = 2000;

export interface AskedPicture {
  readonly frame: Frame | undefined;
  readonly marks: Marks[];
}

export class QueryTool implements Marks {
  private readonly canvas = find('query-marks', HTMLCanvasElement);
  private readonly fold = find('query-fold', HTMLDetailsElement);
  private readonly list = find('query-key', HTMLElement);
  private pressed: { readonly at: ScreenPosition; readonly depth: number } | undefined;
  private from: readonly number[] | undefined;
  private to: readonly number[] | undefined;
  private isDrag = false;
  /** True after a drag, until the next press or run. Meanwhile hovering does not change the question. */
  private isPinned = false;
  private run: Run | undefined;
  private answers: Answers | undefined;
  private particles: ParticleArrays | undefined;
  private answer: Answer | undefined;
  private isStale = true;
  private isAsking = false;
  private asked = '';
  private nextRead = 0;
  private next = 0;
  private nextStatus = 0;

  constructor(
    private readonly session: Session,
    private readonly viewpoint: Viewpoint,
    private readonly picture: AskedPicture,
  ) {
    session.particlesChanged.listen(() => {
      this.isStale = true;
    });
    picture.marks.push(this);
    // In a wide window the style sheet hides the sign that opens the fold, so the fold must be open.
    const wide = matchMedia(WIDE);
    wide.addEventListener('change', () => {
      if (wide.matches) this.fold.open = true;
    });
  }

  private get isOn(): boolean {
    return this.session.choices.pointer === 'query' && this.session.run !== undefined;
  }

  get isCurrent(): boolean {
    return !this.isOn || (!this.isStale && !this.isAsking && this.asked === this.wanted);
  }

  /** `position` is undefined when the pointer is up. */
  at(position: ScreenPosition | undefined): void {
    if (!position) {
      this.isPinned = this.isDrag;
      this.pressed = undefined;
      return;
    }
    if (!this.pressed) {
      const ray = this.viewpoint.rayAt(position);
      this.pressed = { at: position, depth: this.depthAlong(ray) };
      this.isDrag = false;
      this.isPinned = false;
      this.from = pointAlong(ray, this.pressed.depth);
    }
    const { at, depth } = this.pressed;
    if (Math.hypot(position.x - at.x, position.y - at.y) > CLICK_SLACK) this.isDrag = true;
    this.to = pointAlong(this.viewpoint.rayAt(position), depth);
  }

  hover(position: ScreenPosition | undefined): void {
    if (!position || this.pressed || this.isPinned) return;
    const ray = this.viewpoint.rayAt(position);
    this.to = pointAlong(ray, this.depthAlong(ray));
    this.isDrag = false;
  }

  /** Call this in each frame, after the picture is drawn. */
  update(now: number): void {
    const { run } = this.session;
    this.canvas.hidden = !this.isOn;
    if (run !== this.run) this.forget(run);
    if (!this.isOn || !run) {
      this.fold.hidden = true;
      return;
    }
    const { count } = run.simulation;
    if (count > MOST_ASKED) {
      this.answer = undefined;
      this.fold.hidden = false;
      this.show([['queryFound', `The tool works with at most ${formatCount(MOST_ASKED)} particles.`]]);
    } else if (!this.isAsking && now >= this.next && !run.simulation.isBusy) {
      const isDue = this.isStale && now >= this.nextRead;
      if (isDue || this.asked !== this.wanted) this.ask(run, now, isDue || !this.particles);
    }
    this.mark();
  }

  get layers(): readonly HTMLCanvasElement[] {
    return this.isOn ? [this.canvas] : [];
  }

  async catchUp(): Promise<void> {
    while (this.isAsking) await nextTask();
    const { run } = this.session;
    if (this.isOn && run && run.simulation.count <= MOST_ASKED) await this.ask(run, performance.now(), true);
  }

  laidOver(picture: HTMLCanvasElement): HTMLCanvasElement {
    if (!this.isOn) return picture;
    this.mark();
    return overlaid(picture, this.canvas);
  }

  private forget(run: Run | undefined): void {
    this.run = run;
    this.answers?.destroy();
    this.answers = undefined;
    this.particles = undefined;
    this.answer = undefined;
    this.isStale = true;
    this.from = undefined;
    this.to = undefined;
    this.isPinned = false;
  }

  private get question(): Question | undefined {
    const { run, choices } = this.session;
    if (!run) return undefined;
    const to = this.to ?? this.middle();
    const from = this.from ?? this.middle();
    return questionOf(choices, run.simulation, { from, to, isDrag: this.isDrag });
  }

  private get wanted(): string {
    return JSON.stringify(this.question) ?? '';
  }

  private middle(): readonly number[] {
    const ray = this.viewpoint.rayAt(this.viewpoint.middle);
    return pointAlong(ray, ray.depth);
  }

  /** Returns the depth of the nearest particle on the ray. In 2D, or if there is none, returns the ray's own depth. */
  private depthAlong(ray: Ray): number {
    const { run, particles } = this;
    if (!run || !particles || run.simulation.dimensions === 2) return ray.depth;
    return pick(run.simulation, particles, ray, 0)?.depth ?? ray.depth;
  }

  private async ask(run: Run, began: number, reads: boolean): Promise<void> {
    this.isAsking = true;
    const isLatest = () => run === this.session.run && run === this.run;
    let worked = 0;
    try {
      if (reads) {
        this.isStale = false;
        const particles = await run.simulation.read();
        if (!isLatest()) return;
        const started = performance.now();
        const answers = this.answers ?? (await run.createAnswers());
        if (!isLatest()) {
          if (answers !== this.answers) answers.destroy();
          return;
        }
        this.answers = answers;
        answers.build(particles);
        this.particles = particles;
        worked = performance.now() - started;
      }
      const { answers, particles, question, wanted } = this;
      if (!answers || !particles) return;
      this.asked = wanted;
      if (!question) {
        this.answer = undefined;
        return;
      }
      const found = await answers.ask(question);
      if (!isLatest()) return;
      const started = performance.now();
      const { radius, backend } = run.simulation;
      const visited = visitedBy(answers.world, particles, question, { radius, backend });
      this.answer = { question, found, visited, particles, radius };
      this.describe(this.answer, run);
      worked += performance.now() - started;
    } catch (error) {
      if (isLatest()) {
        this.asked = this.wanted;
        notify(explain(error));
      }
    } finally {
      this.isAsking = false;
      this.next = began + worked / GREATEST_SHARE;
      if (reads) this.nextRead = Math.max(this.next, began + READ_MS);
    }
  }

  private describe({ question, found, visited, particles }: Answer, run: Run): void {
    const { backend } = run.simulation;
    const all = particles.ids.length;
    const results = found.indices.length;
    const first = found.distances?.[0];
    const where = {
      near: () => `within ${lengthText((question as { radius: number }).radius)}`,
      nearest: () => `nearest, at most ${lengthText((question as { radius: number }).radius)} away`,
      box: () => 'in the box',
      ray: () => `along the ray${first !== undefined ? `, the first after ${lengthText(first)}` : ''}`,
    }[question.kind]();
    const tested = visited.tested.length;
    this.fold.hidden = false;
    setText('query-title', backend === 'gpu' ? 'Answer of the GPU' : 'Answer of the CPU');
    this.show([
      ['queryFound', `${formatCount(results)} found ${where}`],
      ['queryTested', `${formatCount(tested)} of ${formatCount(all)} particles tested`],
      visited.isAll
        ? ['queryCells', 'No cells: fewer particles than cells in reach, so all particles are tested']
        : ['queryCells', cellsText(visited, run.simulation.dimensions)],
    ]);
    const now = performance.now();
    if (now < this.nextStatus) return;
    this.nextStatus = now + STATUS_MS;
    setText('query-status', `${formatCount(results)} found, ${formatCount(tested)} tested.`);
  }

  private show(lines: readonly (readonly [overlay: string, text: string])[]): void {
    if (this.list.textContent === lines.map(([, text]) => text).join('')) return;
    this.list.replaceChildren(
      ...lines.map(([overlay, text]) => {
        const line = document.createElement('li');
        line.dataset.overlay = overlay;
        line.textContent = text;
        return line;
      }),
    );
  }

  private mark(): void {
    const { frame } = this.picture;
    const context = frame && clearLayer(this.canvas, frame.viewport);
    if (context && this.answer) new QueryMarks(context, frame).paint(this.answer);
  }
}

function lengthText(length: number): string {
  return `${formatReal(length)} ${length === 1 ? 'unit' : 'units'}`;
}

function pointAlong({ origin, direction }: Ray, depth: number): number[] {
  return origin.map((from, axis) => from + depth * (direction[axis] ?? 0));
}
