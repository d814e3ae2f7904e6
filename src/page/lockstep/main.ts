/**
 * Runs the page lockstep.html: two engines, each in a worker of its own, which get the same inputs at the same ticks.
 * The page compares their hashes after every HASH_EVERY ticks.
 */
import { onAppearance, openAppearance } from '../support/appearance';
import { find, setText } from '../support/dom';
import { type Answer, HASH_EVERY, type Order, type Picture } from './messages';
import { PictureView } from './picture-view';
import type { Input, Tool } from './rules';
import { type Compared, HashPairs, TickQueue } from './ticks';

const SIDES = ['left', 'right'] as const;
const NAMES = { gpu: 'GPU engine', cpu: 'CPU engine' } as const;

declare global {
  interface Window {
    /** Tests and scripts read this. */
    lockstep?: Pick<LockstepPage, 'tick' | 'shown' | 'compared'>;
  }
}

class LockstepPage {
  readonly compared: Compared[] = [];
  private readonly queue = new TickQueue();
  private readonly pairs = new HashPairs();
  private readonly play = find('play', HTMLButtonElement);
  private readonly mistake = find('mistake', HTMLButtonElement);
  private readonly views = SIDES.map(
    (side, player) =>
      new PictureView(find(`${side}-stage`, HTMLButtonElement), find(side, HTMLCanvasElement), player),
  );
  private readonly workers = SIDES.map((_, player) => this.startWorker(player));
  /** The tick of the pictures that are shown. */
  shown = 0;
  /** Pictures that wait for the other player's picture of the same tick; by player, then by tick. */
  private readonly pictures: readonly Map<number, Picture>[] = [new Map(), new Map()];
  /** The inputs of ticks whose pictures are not drawn yet. */
  private readonly inputs = new Map<number, readonly Input[]>();
  private game = 0;
  private started = 0;
  private mistakeAt: number | undefined;
  private willMistake = false;
  private hasFailed = false;
  private last: number | undefined;
  // If the visitor asked for less motion, the page starts paused.
  private isPlaying = !matchMedia('(prefers-reduced-motion: reduce)').matches;

  constructor() {
    onAppearance(() => {
      for (const view of this.views) view.draw();
    });
    this.play.addEventListener('click', () => this.setPlaying(!this.isPlaying));
    find('reset', HTMLButtonElement).addEventListener('click', () => this.reset());
    this.mistake.addEventListener('click', () => {
      this.willMistake = true;
      this.mistake.disabled = true;
      if (!this.isPlaying) this.setPlaying(true);
    });
    this.setPlaying(this.isPlaying);
    this.order(0, { kind: 'start', engine: 'gpu' });
    this.order(1, { kind: 'start', engine: 'cpu' });
  }

  /** Number of ticks handed out to the engines. */
  get tick(): number {
    return this.queue.given;
  }

  private startWorker(player: number): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => this.receive(player, data));
    worker.addEventListener('error', ({ message }) =>
      this.fail(`A worker failed: ${message || 'it could not be started'}.`),
    );
    return worker;
  }

  private order(player: number, order: Order): void {
    this.workers[player]?.postMessage(order);
  }

  private receive(player: number, answer: Answer): void {
    if (this.hasFailed) return;
    if (answer.kind === 'started') this.welcome(player, answer);
    else if (answer.kind === 'failed') this.fail(answer.message);
    else if (answer.game !== this.game) return;
    else if (answer.kind === 'picture') {
      this.queue.show(player, answer.tick);
      this.showPicture(player, answer);
    } else {
      setText(`${SIDES[player]}-hash`, answer.hash);
      setText(`${SIDES[player]}-tick`, String(answer.tick));
      const compared = this.pairs.add(player, answer.tick, answer.hash);
      if (compared) this.showCompared(compared);
    }
  }

  /** Shows pictures of the same tick only, so that they can be compared. */
  private showPicture(player: number, picture: Picture): void {
    const { tick } = picture;
    this.pictures[player]?.set(tick, picture);
    if (!this.pictures.every((pictures) => pictures.has(tick))) return;
    this.shown = tick;
    this.pictures.forEach((pictures, of) => {
      this.views[of]?.show(pictures.get(tick) as Picture, this.inputs.get(tick - 1) ?? []);
      pictures.delete(tick);
    });
    for (const old of this.inputs.keys()) if (old < tick - 1) this.inputs.delete(old);
  }

  private welcome(player: number, answer: Extract<Answer, { kind: 'started' }>): void {
    const { engine, device, problem } = answer;
    setText(`${SIDES[player]}-name`, NAMES[engine]);
    setText(`${SIDES[player]}-device`, device);
    find(SIDES[player] ?? '', HTMLCanvasElement).ariaLabel =
      `Discs of the ${NAMES[engine]}, ${SIDES[player]}`;
    if (problem !== '') {
      setText('note', `${problem} So the CPU engine computes both pictures, in two threads.`);
      find('note', HTMLElement).hidden = false;
    }
    this.started++;
    if (this.started < SIDES.length) return;
    this.showWaiting();
    for (const button of document.querySelectorAll('button')) button.disabled = false;
    requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    const seconds = this.isPlaying ? (now - (this.last ?? now)) / 1000 : 0;
    this.last = now;
    const first = this.queue.given;
    const count = this.queue.take(seconds);
    if (count > 0) {
      const tool: Tool = find('pour', HTMLInputElement).checked ? 'pour' : 'tilt';
      const ticks = Array.from({ length: count }, () => this.views.flatMap((view) => view.inputs(tool)));
      for (const [index, inputs] of ticks.entries()) this.inputs.set(first + index, inputs);
      for (const player of SIDES.keys()) {
        this.order(player, { kind: 'ticks', ticks, hasMistake: this.willMistake && player === 0 });
      }
      if (this.willMistake) this.mistakeAt = first;
      this.willMistake = false;
    }
    requestAnimationFrame((next) => this.frame(next));
  }

  private setPlaying(isPlaying: boolean): void {
    this.isPlaying = isPlaying;
    this.play.textContent = isPlaying ? 'Pause' : 'Play';
    if (this.started === SIDES.length && this.compared.length === 0) this.showWaiting();
  }

  private reset(): void {
    this.game++;
    this.queue.reset();
    this.pairs.reset();
    this.inputs.clear();
    for (const pictures of this.pictures) pictures.clear();
    this.compared.length = 0;
    this.mistakeAt = undefined;
    this.willMistake = false;
    this.mistake.disabled = false;
    for (const side of SIDES) for (const part of ['hash', 'tick']) setText(`${side}-${part}`, '–');
    for (const player of SIDES.keys()) this.order(player, { kind: 'reset', game: this.game });
    this.showWaiting();
  }

  private showWaiting(): void {
    this.showVerdict(
      'unknown',
      this.isPlaying ? 'Running' : 'Paused',
      `The first hashes are compared after ${HASH_EVERY} ticks.`,
    );
  }

  private showCompared(compared: Compared): void {
    this.compared.push(compared);
    const { tick, isEqual, count, differsSince } = compared;
    if (isEqual && differsSince === undefined) {
      const times = count === 1 ? 'once' : `${count} times`;
      this.showVerdict(
        'equal',
        'Equal',
        `At tick ${tick}, both hashes are equal. Compared ${times}, never different.`,
      );
    } else {
      const why =
        this.mistakeAt === undefined
          ? 'Please report this, with your browser and your graphics card.'
          : `In tick ${this.mistakeAt}, the left engine used a gravity that was off by 0.001.`;
      this.showVerdict(
        'different',
        'Different',
        `At tick ${tick}, the hashes ${isEqual ? 'are equal again' : 'differ'}. They first differed at tick ${differsSince}. ${why}`,
      );
    }
  }

  private showVerdict(state: 'unknown' | 'equal' | 'different', title: string, text: string): void {
    find('verdict', HTMLElement).dataset.state = state;
    setText('verdict-title', title);
    setText('verdict-text', text);
  }

  private fail(message: string): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.isPlaying = false;
    for (const id of ['play', 'mistake', 'reset']) find(id, HTMLButtonElement).disabled = true;
    this.showVerdict('different', 'Stopped', message);
  }
}

openAppearance(location.search);
window.lockstep = new LockstepPage();
