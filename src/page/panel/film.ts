/**
 * Films of the page, live or of exact frames: starts and ends them, shows their progress, and saves them. A film that
 * ends early is saved as far as it goes, with a note that says why. Loaded with the first film.
 */
import { find } from '../support/dom';
import { nextTask, saveFile } from '../support/save';
import { whileWaiting } from '../support/waiting';
import { explain, explainMissingGpu } from '../view/engine';
import type { ExactFilm } from './exact-film';
import { type LiveFilm, openLiveFilm } from './live-film';

/** The parts of the page that a film uses. */
export interface FilmSubject {
  /** Identifies the present run; it changes if another run starts. */
  readonly take: object | undefined;
  readonly canvas: HTMLCanvasElement | undefined;
  /** Devices lost so far. */
  readonly losses: number;
  /** File name for the present moment, without its extension. */
  readonly stem: string;
  /** While `isFilmed`, only shoot() takes steps. */
  takeSteps(isFilmed: boolean): void;
  /** Resolves when the GPU has few pending submissions. */
  caughtUp(): Promise<void>;
  /** Takes a step and passes its picture, with all that lies over it, to `take`, in the task that drew it. */
  shoot(take: (picture: HTMLCanvasElement) => Promise<void>): Promise<void>;
  /**
   * From now on passes every picture and the layers over it, from bottom to top, to `see`, in the task that drew them.
   * Passes unchanged pictures repeatedly. Undefined ends this.
   */
  watch(see: ((layers: readonly HTMLCanvasElement[]) => void) | undefined): void;
  notify(text: string): void;
}

/** An exact film has one frame per step, so it runs at the speed of simulated time at time scale 1. */
const FRAMES_PER_SECOND = 60;
/** Limits, since a film is kept in memory until it is saved. */
const MOST_EXACT_SECONDS = 60;
const MOST_LIVE_SECONDS = 300;
const SHOW_MS = 200;
const LOST = 'The GPU was lost.';

export class Film {
  private live: LiveFilm | undefined;
  private isExact = false;
  /** File name for the last picture in the film. */
  private stem = '';
  /** How the visitor ended an exact film early; undefined if not. */
  private ending: 'save' | 'discard' | undefined;
  private clock: ReturnType<typeof setInterval> | undefined;
  private readonly bar = find('recording', HTMLElement);
  private readonly text = find('recording-text', HTMLElement);
  private readonly progress = find('recording-progress', HTMLProgressElement);
  private readonly seconds = find('film-seconds', HTMLInputElement);

  constructor(private readonly subject: FilmSubject) {
    this.seconds.max = String(MOST_EXACT_SECONDS);
    find('recording-stop', HTMLButtonElement).addEventListener('click', () => this.end('save'));
    find('recording-discard', HTMLButtonElement).addEventListener('click', () => this.end('discard'));
    // A hidden page draws nothing, so a live film pauses; an exact film goes on.
    document.addEventListener('visibilitychange', () => {
      this.live?.pause(document.hidden);
      if (this.live && !document.hidden)
        subject.notify('The film leaves out the time during which the page was hidden.');
    });
    addEventListener('beforeunload', (event) => {
      if (this.isBusy) event.preventDefault();
    });
  }

  get isBusy(): boolean {
    return this.live !== undefined || this.isExact;
  }

  /** Starts a live film, or ends and saves the present film. */
  toggle(): void {
    if (this.isBusy) this.end('save');
    else this.startLive();
  }

  private end(how: 'save' | 'discard'): void {
    if (this.isExact) this.ending = how;
    else this.endLive(how === 'save' ? '' : undefined);
  }

  startLive(): void {
    const { canvas } = this.subject;
    if (!canvas || this.isBusy) return;
    let live: LiveFilm;
    try {
      live = openLiveFilm(canvas, stageColour());
    } catch (error) {
      this.subject.notify(explain(error));
      return;
    }
    this.live = live;
    live.failed.then((reason) => {
      if (this.live === live) this.endLive(reason);
    });
    this.show('');
    const { subject } = this;
    const { losses } = subject;
    const update = () => {
      if (subject.losses > losses) this.endLive(LOST);
      else if (live.seconds > MOST_LIVE_SECONDS) this.endLive(`${MOST_LIVE_SECONDS} s is the longest film.`);
      else this.show(`Recording ${formatClock(live.seconds)}`);
    };
    update();
    this.clock = setInterval(update, SHOW_MS);
    this.stem = subject.stem;
    subject.watch((layers) => {
      // After a device loss, the picture is from another time.
      if (subject.losses > losses) return;
      live.show(layers);
      this.stem = subject.stem;
    });
    subject.notify('');
  }

  /** `why`: what ended the film; '' if the visitor did, undefined if the visitor discards it. */
  private async endLive(why: string | undefined): Promise<void> {
    // Another film may begin while this one is being saved.
    const { live, stem, subject } = this;
    if (!live) return;
    this.live = undefined;
    clearInterval(this.clock);
    subject.watch(undefined);
    this.hide();
    const blob = await live.stop();
    if (why === undefined) {
      subject.notify('The film is discarded.');
    } else if (blob.size === 0) {
      subject.notify(`Nothing was recorded. ${why}`.trim());
    } else {
      saveFile(blob, `${stem}.${live.extension}`);
      subject.notify(`${why ? 'The film ended early and is saved.' : 'The film is saved.'} ${why}`.trim());
    }
  }

  async startExact(): Promise<void> {
    const { subject, seconds } = this;
    const { canvas, take } = subject;
    if (!canvas || !take || this.isBusy) return;
    const length = seconds.valueAsNumber;
    if (!(length >= 1 && length <= MOST_EXACT_SECONDS)) {
      subject.notify(
        `An exact film lasts 1 to ${MOST_EXACT_SECONDS} seconds, not ${seconds.value || 'none'}.`,
      );
      return;
    }
    this.isExact = true;
    this.ending = undefined;
    subject.notify('');
    this.show('Getting ready', 0);
    let film: ExactFilm | undefined;
    let why = '';
    const total = Math.round(length * FRAMES_PER_SECOND);
    try {
      const { openExactFilm } = await whileWaiting(import('./exact-film'));
      film = await openExactFilm(canvas, stageColour(), FRAMES_PER_SECOND);
      why = await this.shootAll(film, take, total);
    } catch (error) {
      why = explainMissingGpu(error);
    }
    await this.endExact(film, total, why);
    this.isExact = false;
    this.hide();
  }

  /** Returns why there are fewer frames than requested; '' if there are not. */
  private async shootAll(film: ExactFilm, take: object, total: number): Promise<string> {
    const { subject } = this;
    const { losses } = subject;
    subject.takeSteps(true);
    try {
      while (film.frames < total && !this.ending) {
        await subject.caughtUp();
        const { canvas } = subject;
        if (subject.losses > losses) return LOST;
        if (subject.take !== take || !canvas) return 'Another simulation started.';
        await subject.shoot((picture) => {
          this.stem = subject.stem;
          return film.add(picture);
        });
        this.show(`Frame ${film.frames} of ${total}`, film.frames / total);
        await nextTask();
      }
      return this.ending ? 'It was stopped.' : '';
    } finally {
      subject.takeSteps(false);
    }
  }

  private async endExact(film: ExactFilm | undefined, total: number, why: string): Promise<void> {
    const { subject } = this;
    if (!film || film.frames === 0 || this.ending === 'discard') {
      await film?.cancel().catch(() => undefined);
      subject.notify(this.ending === 'discard' ? 'The film is discarded.' : `There is no film. ${why}`);
      return;
    }
    try {
      saveFile(await film.finish(), `${this.stem}-exact.${film.extension}`);
      const frames = film.frames < total ? `the first ${film.frames} of ${total} frames` : `${total} frames`;
      subject.notify(`The film of ${frames} is saved. ${why}`.trim());
    } catch (error) {
      subject.notify(`The film could not be finished. ${why} ${explain(error)}`);
    }
  }

  private show(text: string, share?: number): void {
    this.bar.hidden = false;
    if (this.text.textContent !== text) this.text.textContent = text;
    this.progress.hidden = share === undefined;
    this.progress.value = share ?? 0;
  }

  private hide(): void {
    this.bar.hidden = true;
  }
}

/** Returns the colour around the picture. */
function stageColour(): string {
  return getComputedStyle(document.documentElement).getPropertyValue('--stage');
}

function formatClock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
