/**
 * Films the page, live or in exact frames. A film that ends early is saved, unless the visitor discards it. A note then
 * says why it ended.
 */
import { STEP_SECONDS } from '../../model/choices';
import type { Picture } from '../../session/picture';
import type { Restarts } from '../../session/restarts';
import type { Stepper } from '../../session/stepper';
import { find } from '../../support/dom';
import { notify } from '../../support/notes';
import { nextTask, saveFile } from '../../support/save';
import { whileWaiting } from '../../support/waiting';
import { explain, explainMissingGpu, type Run } from '../../view/engine';
import type { Session } from '../../view/session';
import type { Viewpoint } from '../../view/viewpoint';
import type { ExactFilm } from './exact-film';
import { type LiveFilm, openLiveFilm } from './live-film';

/** An exact film has one frame per step. At time scale 1, a second of film shows a simulated second. */
const FRAMES_PER_SECOND = 60;
/** The browser keeps a film in memory until it is saved. */
const MOST_EXACT_SECONDS = 60;
const MOST_LIVE_SECONDS = 300;
const SHOW_MS = 200;
const LOST = 'The GPU was lost.';

export class Film {
  private live: LiveFilm | undefined;
  private isExact = false;
  private stem = '';
  private ending: 'save' | 'discard' | undefined;
  private clock: ReturnType<typeof setInterval> | undefined;
  private readonly bar = find('recording', HTMLElement);
  private readonly text = find('recording-text', HTMLElement);
  private readonly progress = find('recording-progress', HTMLProgressElement);
  private readonly seconds = find('film-seconds', HTMLInputElement);

  constructor(
    private readonly session: Session,
    private readonly restarts: Pick<Restarts, 'losses'>,
    private readonly stepper: Stepper,
    private readonly viewpoint: Viewpoint,
    private readonly picture: Picture,
  ) {
    this.seconds.max = String(MOST_EXACT_SECONDS);
    find('recording-stop', HTMLButtonElement).addEventListener('click', () => this.end('save'));
    find('recording-discard', HTMLButtonElement).addEventListener('click', () => this.end('discard'));
    // A hidden page draws nothing, so a live film pauses; an exact film goes on.
    document.addEventListener('visibilitychange', () => {
      this.live?.pause(document.hidden);
      if (this.live && !document.hidden)
        notify('The film leaves out the time during which the page was hidden.');
    });
    addEventListener('beforeunload', (event) => {
      if (this.isBusy) event.preventDefault();
    });
  }

  get isBusy(): boolean {
    return this.live !== undefined || this.isExact;
  }

  toggle(): void {
    if (this.isBusy) this.end('save');
    else this.startLive();
  }

  private end(how: 'save' | 'discard'): void {
    if (this.isExact) this.ending = how;
    else this.endLive(how === 'save' ? '' : undefined);
  }

  startLive(): void {
    const canvas = this.session.engine?.canvas;
    if (!canvas || this.isBusy) return;
    let live: LiveFilm;
    try {
      live = openLiveFilm(canvas, stageColour());
    } catch (error) {
      notify(explain(error));
      return;
    }
    this.live = live;
    live.failed.then((reason) => {
      if (this.live === live) this.endLive(reason);
    });
    this.show('');
    const { session, restarts } = this;
    const { losses } = restarts;
    const update = () => {
      if (restarts.losses > losses) this.endLive(LOST);
      else if (live.seconds > MOST_LIVE_SECONDS) this.endLive(`${MOST_LIVE_SECONDS} s is the longest film.`);
      else this.show(`Recording ${formatClock(live.seconds)}`);
    };
    update();
    this.clock = setInterval(update, SHOW_MS);
    this.stem = session.stem;
    this.picture.watch((layers) => {
      // After a device loss, the new run goes on from an earlier time: leave its pictures out.
      if (restarts.losses > losses) return;
      live.show(layers);
      this.stem = session.stem;
    });
    notify('');
  }

  /** `why`: what ended the film; '' if the visitor saves it, undefined if the visitor discards it. */
  private async endLive(why: string | undefined): Promise<void> {
    // Read these now, because another film may begin while this one is being saved.
    const { live, stem } = this;
    if (!live) return;
    this.live = undefined;
    clearInterval(this.clock);
    this.picture.watch(undefined);
    this.hide();
    const blob = await live.stop();
    if (why === undefined) {
      notify('The film is discarded.');
    } else if (blob.size === 0) {
      notify(`Nothing was recorded. ${why}`.trim());
    } else {
      saveFile(blob, `${stem}.${live.extension}`);
      notify(`${why ? 'The film ended early and is saved.' : 'The film is saved.'} ${why}`.trim());
    }
  }

  async startExact(): Promise<void> {
    const { session, seconds } = this;
    const { run } = session;
    const canvas = session.engine?.canvas;
    if (!canvas || !run || this.isBusy) return;
    const length = seconds.valueAsNumber;
    if (!(length >= 1 && length <= MOST_EXACT_SECONDS)) {
      notify(`An exact film lasts 1 to ${MOST_EXACT_SECONDS} seconds.`);
      return;
    }
    this.isExact = true;
    this.ending = undefined;
    notify('');
    this.show('Getting ready', 0);
    let film: ExactFilm | undefined;
    let why = '';
    const total = Math.round(length * FRAMES_PER_SECOND);
    try {
      const { openExactFilm } = await whileWaiting(import('./exact-film'));
      film = await openExactFilm(canvas, stageColour(), FRAMES_PER_SECOND);
      why = await this.shootAll(film, run, total);
    } catch (error) {
      why = explainMissingGpu(error);
    }
    await this.endExact(film, total, why);
    this.isExact = false;
    this.hide();
  }

  /** Returns what ended the film early, or ''. */
  private async shootAll(film: ExactFilm, run: Run, total: number): Promise<string> {
    const { session, restarts, stepper } = this;
    const { losses } = restarts;
    stepper.film(true);
    try {
      while (film.frames < total && !this.ending) {
        await stepper.caughtUp();
        if (restarts.losses > losses) return LOST;
        if (session.run !== run) return 'Another simulation started.';
        await this.shoot(film, run);
        this.show(`Frame ${film.frames} of ${total}`, film.frames / total);
        await nextTask();
      }
      return this.ending ? 'It was stopped.' : '';
    } finally {
      stepper.film(false);
    }
  }

  private async shoot(film: ExactFilm, run: Run): Promise<void> {
    const { session, stepper, viewpoint, picture } = this;
    stepper.step(run);
    viewpoint.drift(STEP_SECONDS);
    await stepper.answered();
    for (const marks of picture.marks) await marks.catchUp();
    if (run !== session.run) return;
    await picture.take(run, (canvas) => {
      this.stem = session.stem;
      return film.add(canvas);
    });
  }

  private async endExact(film: ExactFilm | undefined, total: number, why: string): Promise<void> {
    if (!film || film.frames === 0 || this.ending === 'discard') {
      await film?.cancel().catch(() => undefined);
      notify(this.ending === 'discard' ? 'The film is discarded.' : `There is no film. ${why}`);
      return;
    }
    try {
      saveFile(await film.finish(), `${this.stem}-exact.${film.extension}`);
      const frames = film.frames < total ? `the first ${film.frames} of ${total} frames` : `${total} frames`;
      notify(`The film of ${frames} is saved. ${why}`.trim());
    } catch (error) {
      notify(`The film could not be finished. ${why} ${explain(error)}`);
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

function stageColour(): string {
  return getComputedStyle(document.documentElement).getPropertyValue('--stage');
}

function formatClock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
