/**
 * Purpose: the panel: reads its controls, shows choices, notes and figures. Markup is in index.html; from
 * here only text goes in, never markup.
 */
import type { Measures } from '../core/simulation';
import { ALL_SCENES } from '../scenes';
import { type Theme, toCss } from './colour';
import type { Engine, StepTime } from './engine';
import {
  type Choices,
  countToSlider,
  formatCount,
  formatReal,
  MOST_TYPED,
  SLIDER_STEPS,
  sliderToCount,
} from './state';

/** An unbounded world has no box to draw. */
const DRAWN = ALL_SCENES.filter(({ world }) => world !== 'unbounded');

/** What a visitor asks for. */
export interface PanelEvents {
  choose(change: Partial<Choices>): void;
  playOrPause(): void;
  stepOnce(): void;
  reset(): void;
}

export class Panel {
  private readonly scene = find('scene', HTMLSelectElement);
  private readonly count = find('count', HTMLInputElement);
  private readonly countSlider = find('count-slider', HTMLInputElement);
  private readonly gravity = find('gravity', HTMLInputElement);
  private readonly boxWidth = find('box-width', HTMLInputElement);
  private readonly fold = find('fold', HTMLButtonElement);

  constructor(private readonly events: PanelEvents) {
    for (const { name } of DRAWN) {
      const option = document.createElement('option');
      option.value = name;
      option.textContent = titleOf(name);
      this.scene.append(option);
    }
    this.countSlider.max = String(SLIDER_STEPS);
    this.count.max = String(MOST_TYPED);
    this.listen();
  }

  showChoices(choices: Choices, count: number): void {
    this.scene.value = choices.scene;
    setText('scene-hint', DRAWN.find(({ name }) => name === choices.scene)?.description ?? '');
    this.count.value = String(count);
    this.countSlider.value = String(countToSlider(count));
    this.countSlider.setAttribute('aria-valuetext', `${formatCount(count)} particles`);
    this.gravity.value = String(choices.gravity);
    this.boxWidth.value = String(choices.boxWidth);
    this.showSliderValues();
    checkRadio('dimensions', String(choices.dimensions));
    checkRadio('broad-phase', choices.broadPhase);
    checkRadio('engine', choices.engine);
  }

  showPlaying(isPlaying: boolean): void {
    find('play', HTMLButtonElement).dataset.playing = String(isPlaying);
    setText('play-label', isPlaying ? 'Pause' : 'Play');
  }

  showEngine({ kind, name, isSoftware }: Engine): void {
    const badge = find('badge', HTMLElement);
    badge.dataset.engine = kind;
    if (kind === 'cpu') badge.textContent = 'CPU engine';
    else badge.textContent = isSoftware ? 'Software GPU' : `GPU · ${name}`;
    badge.title = kind === 'gpu' && isSoftware ? `${name}, played by the processor` : name;
  }

  /** Why the chosen engine is not the one that runs; stays until another note, or '' to take it away. */
  showEngineNote(text: string): void {
    showNote('engine-note', text);
  }

  /** Something to know now, replaced by the next one; '' takes it away. */
  notify(text: string): void {
    showNote('notice', text);
  }

  /** Where the visitor cannot choose the GPU. */
  setGpuAvailable(isAvailable: boolean): void {
    for (const radio of radios('engine')) if (radio.value === 'gpu') radio.disabled = !isAvailable;
  }

  showMeasures(measures: Measures | undefined): void {
    if (!measures) return;
    const { count, candidates, contacts, greatestOccupancy, kineticEnergy, hash } = measures;
    const all = (count * (count - 1)) / 2;
    setText('particles', formatCount(count));
    setText('contacts', formatCount(contacts));
    setText('candidates', formatCount(candidates));
    setText('avoided', all > 0 ? formatShare(1 - candidates / all) : '–');
    setText(
      'avoided-hint',
      `Each of ${formatCount(count)} against each other would be n(n − 1)/2 = ${formatCount(all)} checks.`,
    );
    setText('fullest', formatCount(greatestOccupancy));
    setText('energy', formatReal(kineticEnergy));
    setText('hash', hash);
  }

  showRates(framesPerSecond: number, stepTime: StepTime | undefined, seconds: number): void {
    setText('time', `${seconds.toFixed(2)} s`);
    setText('fps', framesPerSecond > 0 ? `${framesPerSecond.toFixed(0)} fps` : 'paused');
    setText('step-time', stepTime ? formatMilliseconds(stepTime.milliseconds) : '–');
    if (stepTime) find('step-time', HTMLElement).title = CLOCKS[stepTime.clock];
  }

  showLegend(theme: Theme, speedScale: number): void {
    find('legend-bar', HTMLElement).style.background =
      `linear-gradient(to right, ${theme.stops.map((stop) => toCss(stop)).join(', ')})`;
    setText('legend-end', `${formatReal(speedScale)} units/s`);
  }

  private listen(): void {
    const { events } = this;
    find('controls', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
    find('play', HTMLButtonElement).addEventListener('click', () => events.playOrPause());
    find('step', HTMLButtonElement).addEventListener('click', () => events.stepOnce());
    find('reset', HTMLButtonElement).addEventListener('click', () => events.reset());
    this.scene.addEventListener('change', () => events.choose({ scene: this.scene.value }));
    this.countSlider.addEventListener('input', () => {
      const count = sliderToCount(Number(this.countSlider.value));
      this.count.value = String(count);
      this.countSlider.setAttribute('aria-valuetext', `${formatCount(count)} particles`);
    });
    this.countSlider.addEventListener('change', () =>
      events.choose({ count: sliderToCount(Number(this.countSlider.value)) }),
    );
    this.count.addEventListener('change', () => events.choose({ count: this.count.valueAsNumber }));
    this.gravity.addEventListener('input', () => {
      this.showSliderValues();
      events.choose({ gravity: this.gravity.valueAsNumber });
    });
    this.boxWidth.addEventListener('input', () => this.showSliderValues());
    this.boxWidth.addEventListener('change', () => events.choose({ boxWidth: this.boxWidth.valueAsNumber }));
    onRadio('dimensions', (value) => events.choose({ dimensions: value === '3' ? 3 : 2 }));
    onRadio('broad-phase', (value) => events.choose({ broadPhase: value === 'naive' ? 'naive' : 'grid' }));
    onRadio('engine', (value) => events.choose({ engine: value === 'cpu' ? 'cpu' : 'gpu' }));
    this.fold.addEventListener('click', () => {
      const isOpen = this.fold.getAttribute('aria-expanded') !== 'true';
      this.fold.setAttribute('aria-expanded', String(isOpen));
      find('body', HTMLElement).hidden = !isOpen;
    });
  }

  private showSliderValues(): void {
    setText(
      'gravity-value',
      this.gravity.valueAsNumber === 0 ? 'none' : this.gravity.valueAsNumber.toFixed(1),
    );
    setText('box-width-value', `× ${this.boxWidth.valueAsNumber}`);
  }
}

/** An element that index.html has. */
export function find<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}.`);
  return element;
}

function setText(id: string, text: string): void {
  const element = find(id, HTMLElement);
  if (element.textContent !== text) element.textContent = text;
}

function showNote(id: string, text: string): void {
  setText(id, text);
  find(id, HTMLElement).hidden = text === '';
}

function radios(name: string): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>(`input[type=radio][name=${name}]`)];
}

function checkRadio(name: string, value: string): void {
  for (const radio of radios(name)) radio.checked = radio.value === value;
}

function onRadio(name: string, choose: (value: string) => void): void {
  for (const radio of radios(name)) radio.addEventListener('change', () => choose(radio.value));
}

/** `one-cell` as `One cell`. */
function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Digits enough to tell a share from 1. */
function formatShare(share: number): string {
  const percent = 100 * share;
  const decimals = percent > 99 && percent < 100 ? Math.min(6, 1 + Math.ceil(-Math.log10(100 - percent))) : 1;
  return `${percent.toFixed(percent === 0 || percent === 100 ? 0 : decimals)}%`;
}

const CLOCKS = {
  gpu: 'By the timestamps of the GPU',
  page: "By the page's clock, from hand-over to completion",
} as const;

function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 0.01) return '< 0.01 ms';
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0)} ms`;
}
