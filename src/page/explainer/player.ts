/**
 * Moves through the steps. The URL `#count-12` names step 12 of the stage `count`, or its last step if the stage has
 * fewer.
 */
import { isCharacter, isIgnored, letChoose } from '../support/character-keys';
import { find, setText } from '../support/dom';
import { ArrayView, describeEntries } from './array-view';
import { make } from './dom';
import { findStep } from './trace';
import { STAGES, type Stage, type Step, type Trace } from './trace-recorder';
import { WorldPicture } from './world-picture';

/** Browsers limit how often the URL may change. */
const ADDRESS_DELAY_MS = 300;

/** Keys act only while the bottom of the steps is at least this many CSS pixels below the top of the window. */
const LEAST_VISIBLE = 100;

interface Key {
  /** A `KeyboardEvent.key`. */
  readonly name: string;
  readonly shown: string;
  readonly does: string;
  readonly act: (player: Player) => void;
}

const KEYS: readonly Key[] = [
  { name: ' ', shown: 'space', does: 'play or pause', act: (player) => player.playOrPause() },
  { name: 'ArrowLeft', shown: '←', does: 'one step back', act: (player) => player.go(-1) },
  { name: 'ArrowRight', shown: '→', does: 'one step forward', act: (player) => player.go(1) },
  { name: ',', shown: ',', does: 'previous stage', act: (player) => player.goStage(-1) },
  { name: '.', shown: '.', does: 'next stage', act: (player) => player.goStage(1) },
  { name: 'Home', shown: 'Home', does: 'first step', act: (player) => player.show(0) },
  { name: 'End', shown: 'End', does: 'last step', act: (player) => player.show(Number.POSITIVE_INFINITY) },
];

export class Player {
  private index = 0;
  private timer: number | undefined;
  private addressTimer: number | undefined;
  private readonly arrays: ArrayView;
  private readonly world: WorldPicture;
  private readonly links = new Map<Stage, HTMLAnchorElement>();
  private readonly scrub = find('scrub', HTMLInputElement);
  private readonly speed = find('speed', HTMLSelectElement);

  constructor(readonly trace: Trace) {
    this.world = new WorldPicture(find('world', SVGSVGElement), trace.scene);
    this.arrays = new ArrayView(find('arrays', HTMLElement), trace);
    this.scrub.max = String(trace.steps.length - 1);
    for (const { name, title } of STAGES) {
      const link = make('a', { href: `#${name}` }, title);
      this.links.set(name, link);
      find('stages', HTMLElement).append(link);
    }
    for (const { name, shown, does } of KEYS) {
      const key = make('kbd', isCharacter(name) ? { 'data-character': '' } : {}, shown);
      const pair = make('div', {}, make('dt', {}, key), make('dd', {}, does));
      find('keys', HTMLElement).append(pair);
    }
    this.listen();
    this.show(this.readAddress() ?? 0);
  }

  get step(): Step {
    return this.trace.steps[this.index] as Step;
  }

  get isPlaying(): boolean {
    return this.timer !== undefined;
  }

  show(index: number): void {
    this.index = Math.min(this.trace.steps.length - 1, Math.max(0, index));
    const { step } = this;
    this.world.show(step);
    this.arrays.show(step);
    setText('text', step.text);
    setText('entries', describeEntries(step));
    setText('place', `${this.index + 1} of ${this.trace.steps.length}`);
    for (const sample of find('legend', HTMLElement).querySelectorAll<HTMLElement>('[data-stages]')) {
      sample.hidden = !sample.dataset.stages?.split(' ').includes(step.stage);
    }
    const title = STAGES.find(({ name }) => name === step.stage)?.title;
    this.scrub.value = String(this.index);
    this.scrub.setAttribute(
      'aria-valuetext',
      `${title}, step ${this.index + 1} of ${this.trace.steps.length}`,
    );
    for (const [name, link] of this.links) {
      if (name === step.stage) link.setAttribute('aria-current', 'step');
      else link.removeAttribute('aria-current');
    }
    window.clearTimeout(this.addressTimer);
    this.addressTimer = window.setTimeout(() => this.writeAddress(), ADDRESS_DELAY_MS);
  }

  go(by: number): void {
    this.pause();
    this.show(this.index + by);
  }

  /** −1 goes to the start of this stage or, from there, of the previous one. */
  goStage(by: 1 | -1): void {
    this.pause();
    const own = STAGES.findIndex(({ name }) => name === this.step.stage);
    const back = this.step.index > 0 ? own : own - 1;
    const stage = STAGES[Math.min(STAGES.length - 1, Math.max(0, by > 0 ? own + 1 : back))];
    this.show(findStep(this.trace, stage?.name ?? '', 0));
  }

  playOrPause(): void {
    if (this.isPlaying) {
      this.pause();
      return;
    }
    if (this.index === this.trace.steps.length - 1) this.show(0);
    this.tick();
    this.showPlaying();
  }

  pause(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    this.showPlaying();
  }

  private tick(): void {
    this.timer = window.setTimeout(() => {
      this.show(this.index + 1);
      if (this.index === this.trace.steps.length - 1) this.pause();
      else this.tick();
    }, 1000 / Number(this.speed.value));
  }

  private showPlaying(): void {
    find('play', HTMLButtonElement).dataset.playing = String(this.isPlaying);
    setText('play-label', this.isPlaying ? 'Pause' : 'Play');
    // While the steps play, screen readers must not read out each text.
    find('telling', HTMLElement).setAttribute('aria-live', this.isPlaying ? 'off' : 'polite');
  }

  private listen(): void {
    const acts = {
      first: () => this.go(Number.NEGATIVE_INFINITY),
      back: () => this.go(-1),
      play: () => this.playOrPause(),
      forward: () => this.go(1),
      last: () => this.go(Number.POSITIVE_INFINITY),
    };
    for (const [id, act] of Object.entries(acts)) find(id, HTMLButtonElement).addEventListener('click', act);
    this.scrub.addEventListener('input', () => {
      this.pause();
      this.show(this.scrub.valueAsNumber);
    });
    this.showPlaying();
    letChoose(find('character-keys', HTMLInputElement));
    document.addEventListener('keydown', (event) => this.press(event));
    window.addEventListener('hashchange', ({ newURL }) => {
      // By now, writeAddress may have replaced location.hash.
      const index = this.readAddress(new URL(newURL).hash);
      if (index === undefined || index === this.index) return;
      this.pause();
      this.show(index);
    });
  }

  private press(event: KeyboardEvent): void {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return;
    // Below the steps, these keys must scroll the page.
    if (find('steps', HTMLElement).getBoundingClientRect().bottom < LEAST_VISIBLE) return;
    const key = KEYS.find(({ name }) => name === event.key);
    // A focused control keeps its own keys. The slider's arrows, Home and End move through the steps anyway.
    const isPress = event.key === ' ' && target.matches('button, input:not([type=range])');
    const isMove = event.key.length > 1 && target.matches('input:not([type=checkbox])');
    if (!key || isPress || isMove || target.matches('select') || isIgnored(event.key)) return;
    event.preventDefault();
    key.act(this);
  }

  private readAddress(hash = window.location.hash): number | undefined {
    const [, stage = '', index = '0'] = /^#([a-z]+)(?:-(\d+))?$/.exec(hash) ?? [];
    return STAGES.some(({ name }) => name === stage) ? findStep(this.trace, stage, Number(index)) : undefined;
  }

  private writeAddress(): void {
    const { stage, index } = this.step;
    const hash = this.index === 0 ? '' : `#${stage}-${index}`;
    // If the URL names another part of the page, keep it until the visitor moves through the steps.
    if (this.index === 0 && this.readAddress() === undefined) return;
    const { pathname, search } = window.location;
    window.history.replaceState(null, '', `${pathname}${search}${hash}`);
  }
}
