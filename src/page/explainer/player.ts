/**
 * Moves through the steps of a method. The URL `#count-12` names step 12 of the stage `count`, or the stage's last step
 * if it has fewer.
 */
import { isCharacter, isIgnored, letChoose } from '../support/character-keys';
import { find, setText } from '../support/dom';
import { ArrayView, describeEntries } from './array-view';
import { readChoice, writeChoice } from './choice';
import { ChoiceView } from './choice-view';
import { make } from './dom';
import { STAGES, type Stage, stagesOf } from './methods';
import { Mover } from './mover';
import { type Choice, createScene, nearestAllowed, PARTS_PER_UNIT } from './scene';
import { createTrace, findParticle, findStep } from './trace';
import type { Step, Trace } from './trace-recorder';
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
  trace: Trace;
  private choice: Choice;
  private index = 0;
  private timer: number | undefined;
  private addressTimer: number | undefined;
  private readonly arrays = new ArrayView(find('arrays', HTMLElement));
  private readonly world: WorldPicture;
  private readonly choices: ChoiceView;
  private readonly links = new Map<Stage, HTMLAnchorElement>();
  private readonly scrub = find('scrub', HTMLInputElement);
  private readonly speed = find('speed', HTMLSelectElement);

  constructor() {
    const svg = find('world', SVGSVGElement);
    this.world = new WorldPicture(svg);
    this.choices = new ChoiceView((changed) => this.choose(changed));
    this.choice = readChoice(window.location.search);
    this.trace = createTrace(createScene(this.choice));
    for (const { name, shown, does } of KEYS) {
      const key = make('kbd', isCharacter(name) ? { 'data-character': '' } : {}, shown);
      const pair = make('div', {}, make('dt', {}, key), make('dd', {}, does));
      find('keys', HTMLElement).append(pair);
    }
    new Mover(svg, {
      at: (id) => this.partsOf(id),
      count: () => this.choice.count,
      hold: (isHeld) => {
        // While a particle is held, keep the text's height: another height would shift the picture under the pointer.
        const telling = find('telling', HTMLElement);
        telling.style.minHeight = isHeld ? `${telling.offsetHeight}px` : '';
      },
      move: (id, to) => {
        const allowed = nearestAllowed(this.choice.method, to);
        this.choose({ moved: new Map(this.choice.moved).set(id, allowed) }, id);
      },
      pick: (id) => {
        this.pause();
        this.show(findParticle(this.trace, this.step.stage, id) ?? this.index);
      },
    });
    this.listen();
    this.showChoice();
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
    this.world.show(this.trace, step);
    this.arrays.show(this.trace, step);
    setText('text', step.text);
    setText('detail', step.detail);
    setText('entries', describeEntries(step));
    setText('place', `${this.index + 1} of ${this.trace.steps.length}`);
    for (const sample of find('legend', HTMLElement).querySelectorAll<HTMLElement>('span')) {
      const { stages = step.stage, methods = this.choice.method } = sample.dataset;
      sample.hidden =
        !stages.split(' ').includes(step.stage) || !methods.split(' ').includes(this.choice.method);
    }
    const title = STAGES[step.stage];
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

  /**
   * 1 goes to the next stage. −1 goes to the start of this stage or, from there, to the start of the previous stage.
   */
  goStage(by: 1 | -1): void {
    this.pause();
    const stages = stagesOf(this.choice.method);
    const own = stages.indexOf(this.step.stage);
    const back = this.step.index > 0 ? own : own - 1;
    const stage = stages[Math.min(stages.length - 1, Math.max(0, by > 0 ? own + 1 : back))];
    this.show(findStep(this.trace, stage ?? '', 0));
  }

  /**
   * Changes the choice. In the new trace, shows this stage's step about `particle`. If there is none, shows the stage's
   * step with the same number.
   */
  choose(changed: Partial<Choice>, particle?: number): void {
    this.pause();
    const { stage, index } = this.step;
    this.choice = { ...this.choice, ...changed };
    this.trace = createTrace(createScene(this.choice));
    this.showChoice();
    const about = particle === undefined ? undefined : findParticle(this.trace, stage, particle);
    this.show(about ?? findStep(this.trace, stage, index));
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

  private showChoice(): void {
    this.choices.show(this.choice);
    this.scrub.max = String(this.trace.steps.length - 1);
    const stages = stagesOf(this.choice.method);
    if (stages.join() === [...this.links.keys()].join()) return;
    this.links.clear();
    for (const stage of stages) this.links.set(stage, make('a', { href: `#${stage}` }, STAGES[stage]));
    find('stages', HTMLElement).replaceChildren(...this.links.values());
  }

  private partsOf(id: number): [number, number] {
    const { positions, offset } = this.trace.scene;
    // The box begins one unit from the edge of the picture.
    const [x = 0, y = 0] = offset.map(
      (by, axis) => ((positions[2 * id + axis] ?? 0) + by - 1) * PARTS_PER_UNIT,
    );
    return [x, y];
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
    // A focused control keeps its own keys. The slider's own arrow keys, Home and End move through the steps, too.
    const isPress = event.key === ' ' && target.matches('button, input:not([type=range])');
    const isMove = event.key.length > 1 && target.matches('input:not([type=checkbox])');
    if (!key || isPress || isMove || target.matches('select') || isIgnored(event.key)) return;
    event.preventDefault();
    key.act(this);
  }

  private readAddress(hash = window.location.hash): number | undefined {
    const [, stage = '', index = '0'] = /^#([a-z]+)(?:-(\d+))?$/.exec(hash) ?? [];
    const isKnown = this.trace.steps.some((step) => step.stage === stage);
    return isKnown ? findStep(this.trace, stage, Number(index)) : undefined;
  }

  private writeAddress(): void {
    const { stage, index } = this.step;
    // If the URL names another part of the page, keep it until the visitor moves through the steps.
    const [, named = ''] = /^#([a-z-]+)/.exec(window.location.hash) ?? [];
    const isElsewhere = this.index === 0 && !(named in STAGES);
    const hash = isElsewhere ? window.location.hash : this.index === 0 ? '' : `#${stage}-${index}`;
    const { pathname, search } = window.location;
    window.history.replaceState(null, '', `${pathname}${writeChoice(this.choice, search)}${hash}`);
  }
}
