/**
 * The live plot of a step's stages: a chart, and a list of the times, which screen readers can read. If chart.ts fails
 * to load, a visible plot tries again every AGAIN_MS while steps are timed.
 */
import { type Stacked, StageHistory } from '../session/stages';
import { onAppearance } from '../support/appearance';
import { find } from '../support/dom';
import { formatMilliseconds } from '../support/format';
import { Later } from '../support/later';
import type { StepTime } from '../view/engine';
import type { Chart } from './chart';

/** Time between updates of the numbers, long enough to read them. */
const READING_MS = 1000;
const AGAIN_MS = 10_000;

export class StagePlot {
  private readonly history = new StageHistory();
  private readonly holder = find('stages-plot', HTMLElement);
  private readonly list = find('stages', HTMLElement);
  private readonly about = find('stages-about', HTMLElement);
  private readonly clock = find('stages-clock', HTMLElement);
  private readonly charts = new Later(() => import('./chart'));
  /** From this time on, by the page's clock, chart.ts may be loaded again. */
  private again = Number.NEGATIVE_INFINITY;
  private chart: Chart<Stacked> | undefined;
  private isSeen = false;
  private read = Number.NEGATIVE_INFINITY;
  /** True while the numbers do not show the latest step. */
  private isNew = false;
  private names: readonly string[] = [];

  constructor() {
    new IntersectionObserver(([entry]) => {
      this.isSeen = entry?.isIntersecting ?? false;
      this.again = Number.NEGATIVE_INFINITY;
      this.draw();
    }).observe(this.holder);
    onAppearance(() => this.paintList());
  }

  /** Call this for a new engine, because it may have other stages. */
  clear(): void {
    this.history.clear();
    this.read = Number.NEGATIVE_INFINITY;
    this.isNew = false;
    this.rebuild();
    this.clock.textContent = 'Nothing is timed yet.';
  }

  update(stepTime: StepTime | undefined, now: number): void {
    if (stepTime && this.history.add(stepTime, now)) {
      this.isNew = true;
      if (this.history.names.join() !== this.names.join()) this.rebuild();
      this.draw();
    }
    if (!stepTime || !this.isNew || now < this.read + READING_MS) return;
    this.isNew = false;
    this.read = now;
    this.write();
    this.clock.textContent = stepTime.stages ? CLOCKS[stepTime.clock] + this.history.note : NO_STAGES;
  }

  private rebuild(): void {
    this.names = this.history.names;
    this.list.replaceChildren(
      ...this.names.map((name) => {
        const item = document.createElement('li');
        item.append(...['', name, ''].map(textInSpan));
        return item;
      }),
    );
    this.about.replaceChildren(
      ...this.names.flatMap((name) => {
        const [term, text] = [document.createElement('dt'), document.createElement('dd')];
        term.textContent = name;
        text.textContent = this.charts.part?.STAGE_HINTS[name] ?? '';
        return [term, text];
      }),
    );
    find('stages-fold', HTMLElement).hidden = this.names.length === 0;
    this.write();
    this.paintList();
    this.chart?.destroy();
    this.chart = undefined;
    this.draw();
  }

  private write(): void {
    const { latest } = this.history;
    this.names.forEach((name, index) => {
      const value = this.list.children[index]?.lastElementChild;
      const time = latest[name];
      if (value) value.textContent = time === undefined ? '–' : formatMilliseconds(time);
    });
  }

  private paintList(): void {
    const colours = this.charts.part?.bandColours(this.names.length) ?? [];
    colours.forEach((colour, index) => {
      const swatch = this.list.children[index]?.firstElementChild;
      if (swatch instanceof HTMLElement) swatch.style.background = colour;
    });
  }

  private draw(): void {
    if (!this.isSeen || this.names.length === 0) return;
    const { charts } = this;
    if (charts.part) {
      this.chart ??= charts.part.stackedChart(this.holder, this.names.length);
      this.chart.set(this.history.stacked());
      return;
    }
    const now = performance.now();
    if (charts.isLoading || now < this.again) return;
    this.again = now + AGAIN_MS;
    // If the load fails, the list still shows the numbers.
    charts.get().then(
      () => this.rebuild(),
      () => undefined,
    );
  }
}

function textInSpan(text: string): HTMLSpanElement {
  const span = document.createElement('span');
  span.textContent = text;
  return span;
}

const CLOCKS = {
  gpu: 'By the timestamps of the GPU, which most browsers round to 0.1 ms',
  page: "By the page's clock",
} as const;
const NO_STAGES =
  "This GPU gives no timestamps, so steps are timed as a whole, by the page's clock, from submission to completion";
