/** The sheet that measures a step at several numbers of particles (sizes), with grid and with naive. */
import { type BroadPhase, GpuError } from '../../index';
import { openCpuEngine } from '../engines/cpu-engine';
import { openGpuEngine } from '../engines/gpu-engine';
import { STEP_SECONDS, simulationOptions } from '../model/choices';
import type { Choices, EngineKind } from '../model/fields';
import { find, setText } from '../support/dom';
import {
  formatCount,
  formatCountOf,
  formatMilliseconds,
  formatShare,
  formatTimes,
  titleOf,
} from '../support/format';
import { type Clock, type Engine, explain } from '../view/engine';
import type { Session } from '../view/session';
import { type Chart, COMPACT } from './chart';
import { classicView } from './classic-view';
import { logChart, TESTS, TIMES } from './log-chart';
import { headWith, rowWith } from './rows';
import {
  type Cell,
  type CountedRun,
  type Curves,
  describeCurves,
  pairsOf,
  rowsOf,
  runSweep,
  SIZES,
} from './sweep';

const NOTHING: Curves = { grid: [], naive: [] };

const METHODS: Readonly<Record<Clock, string>> = {
  gpu: 'Median of several steps after a warm-up: the sum of all stages, by the timestamps of the GPU. Below 2 ms it is the mean instead, because browsers round timestamps.',
  page: "Median of several batches of steps after a warm-up, by the page's clock from submission to completion. Below 2 ms it is the mean instead.",
};

const TESTS_LABEL =
  'Candidates against the number of particles on logarithmic axes: grid as a line, naive dashed; the table below has the numbers';

const ESTIMATES =
  'A value with ≈ was not timed: it is an estimate from the last measured time and the growth of the curve.';

const WORK_HEADS = [
  'Particles',
  'Candidates',
  'Candidates per particle',
  'Hit ratio',
  'Memory, grid',
  'Memory, naive',
] as const;

const WORK_HINT =
  'Work of the grid. A candidate is a pair in the same cell or in adjacent cells. If radii vary, some may stay untested. Hit ratio: pairs that touch ÷ candidates. Memory: the whole simulation.';

const BYTES = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

class Cancelled extends Error {}

export class ScaleSheet {
  private readonly sheet = find('scale', HTMLDialogElement);
  private readonly again = find('scale-again', HTMLButtonElement);
  private readonly plot = find('scale-plot', HTMLElement);
  private readonly testsPlot = document.createElement('div');
  private readonly work = document.createElement('table');
  private readonly workRows = document.createElement('tbody');
  private charts: readonly Chart<Curves>[] = [];
  private cancel: (() => void) | undefined;
  private sweeping: Promise<void> | undefined;

  constructor(
    private readonly session: Session,
    /** Waits for starts in progress, then holds the visitor's run until the returned function is called. */
    private readonly hold: () => Promise<() => void>,
  ) {
    this.testsPlot.className = 'plot';
    this.testsPlot.setAttribute('role', 'img');
    this.testsPlot.setAttribute('aria-label', TESTS_LABEL);
    this.plot.before(captionWith('Time of a step'));
    this.plot.after(captionWith('Candidates: pairs to test'), this.testsPlot);
    this.buildWork();
    find('scale-method', HTMLElement).after(...classicView());
    find('scale-close', HTMLButtonElement).addEventListener('click', () => this.sheet.close());
    // Escape closes the sheet, too.
    this.sheet.addEventListener('close', () => {
      this.cancel?.();
      for (const chart of this.charts) chart.destroy();
      this.charts = [];
    });
    this.again.addEventListener('click', () => {
      if (this.cancel) this.cancel();
      else this.sweep();
    });
  }

  private buildWork(): void {
    const head = document.createElement('thead');
    head.append(headWith(WORK_HEADS));
    const caption = document.createElement('caption');
    caption.textContent = WORK_HINT;
    this.work.id = 'scale-work';
    this.work.append(caption, head, this.workRows);
    find('scale-estimates', HTMLElement).after(this.work);
  }

  /** Waits until an earlier, cancelled sweep has ended. Then starts a new one. */
  async open(): Promise<void> {
    this.sheet.showModal();
    await this.sweeping;
    if (this.sheet.open) this.sweep();
  }

  private sweep(): void {
    this.sweeping ??= this.runOnce().finally(() => {
      this.sweeping = undefined;
    });
  }

  private async runOnce(): Promise<void> {
    const cancelled = new Promise<never>((_, reject) => {
      this.cancel = () => reject(new Cancelled());
    });
    cancelled.catch(() => undefined);
    this.again.textContent = 'Cancel';
    setText('scale-method', '');
    find('scale-notes', HTMLElement).replaceChildren();
    this.show(NOTHING);
    setText('scale-status', 'Opening an engine.');
    let engine: Engine | undefined;
    let release: (() => void) | undefined;
    try {
      release = await this.hold();
      const { choices } = this.session;
      const kind = this.session.engine?.kind ?? 'gpu';
      const opening = openFor(kind, choices);
      engine = await Promise.race([opening, cancelled]).catch((error: unknown) => {
        // If the visitor cancels before the engine is ready, destroy the engine as soon as it is.
        opening.then((late) => late.destroy()).catch(() => undefined);
        throw error;
      });
      const opened = engine;
      setText('scale-about', describe(choices, opened));
      const lost = opened.lost.then((reason): never => {
        throw new GpuError('lost', `The GPU was lost (${reason.trim()}).`);
      });
      await runSweep({
        start: (broadPhase, count) => startTimed(opened, choices, broadPhase, count),
        ended: Promise.race([lost, cancelled]),
        breathe: () => new Promise((done) => setTimeout(done)),
        onSize: (broadPhase, count) =>
          setText('scale-status', `Timing ${broadPhase} with ${formatCount(count)} particles.`),
        onTiming: (curves, clock) => {
          setText('scale-method', METHODS[clock]);
          this.show(curves);
        },
        onNote: (note) => addItem('scale-notes', note),
      });
      setText('scale-status', 'Done.');
    } catch (error) {
      const why = error instanceof Cancelled ? 'Cancelled.' : explain(error);
      setText('scale-status', `${why} Earlier times stay.`);
    } finally {
      engine?.destroy();
      release?.();
      this.cancel = undefined;
      this.again.textContent = 'Run again';
    }
  }

  private show(curves: Curves): void {
    if (this.sheet.open) {
      if (this.charts.length === 0) {
        this.charts = [logChart(this.plot, TIMES), logChart(this.testsPlot, TESTS)];
      }
      for (const chart of this.charts) chart.set(curves);
    }
    find('scale-words', HTMLElement).replaceChildren();
    for (const sentence of describeCurves(curves, this.session.choices.dimensions))
      addItem('scale-words', sentence);
    const rows = rowsOf(curves).map(({ count, pairs, tests, times, ratio }) =>
      rowWith([
        inBrief(count),
        tests === undefined ? '–' : inBrief(tests),
        inBrief(pairs),
        ...[times.grid, times.naive].map((cell) => formatCell(cell, formatMilliseconds)),
        formatCell(ratio, (value) => `× ${formatTimes(value)}`),
      ]),
    );
    find('scale-rows', HTMLElement).replaceChildren(...rows);
    find('scale-table', HTMLElement).hidden = rows.length === 0;
    const works = rowsOf(curves).flatMap(({ count, tests = 0, work }) =>
      work
        ? [
            rowWith([
              inBrief(count),
              inBrief(tests),
              formatTimes(work.perParticle),
              work.hitRatio === undefined ? '–' : formatShare(work.hitRatio),
              ...[work.memoryBytes, work.naiveMemoryBytes].map(inBytes),
            ]),
          ]
        : [],
    );
    this.workRows.replaceChildren(...works);
    this.work.hidden = works.length === 0;
    const hasEstimates = rowsOf(curves).some(({ ratio }) => ratio?.isEstimate);
    setText('scale-estimates', hasEstimates ? ESTIMATES : '');
  }
}

/** Opens an engine that is large enough for the largest size, if the hardware allows that. */
async function openFor(kind: EngineKind, { dimensions }: Choices): Promise<Engine> {
  if (kind === 'cpu') return openCpuEngine();
  return openGpuEngine({ particles: SIZES.at(-1) ?? 0, dimensions });
}

async function startTimed(
  engine: Engine,
  choices: Choices,
  broadPhase: BroadPhase,
  count: number,
): Promise<CountedRun> {
  const run = await engine.start(simulationOptions({ ...choices, broadPhase }, count));
  return {
    count: run.simulation.count,
    timeSteps: (batch) => run.timeSteps(STEP_SECONDS * choices.timeScale, batch),
    // Naive tests all pairs, so nothing is counted.
    countWork: async () => {
      const { memoryBytes } = run.simulation;
      if (broadPhase === 'naive') return { tests: pairsOf(run.simulation.count), memoryBytes };
      const measured = await run.simulation.measure();
      return 'candidates' in measured
        ? { tests: measured.candidates, contacts: measured.contacts, memoryBytes }
        : { tests: 0, memoryBytes };
    },
    destroy: () => run.destroy(),
  };
}

function describe({ scene, dimensions, substeps }: Choices, { kind, name, isSoftware }: Engine): string {
  const on = kind === 'cpu' ? 'the CPU engine' : isSoftware ? 'a software GPU' : `the GPU (${name})`;
  return `${titleOf(scene)} in ${dimensions}D on ${on}, ${formatCountOf(substeps, 'substep')} per step. Your own run waits and goes on afterwards.`;
}

/** Shortens large counts, so that the table fits a phone. */
function inBrief(count: number): string {
  return count < 1e5 ? formatCount(count) : COMPACT.format(count);
}

function inBytes(bytes: number | undefined): string {
  if (bytes === undefined) return '–';
  return `${BYTES.format(bytes).replace(/[KMB]?$/, (unit) => ` ${{ K: 'k', M: 'M', B: 'G' }[unit] ?? ''}`)}B`;
}

function formatCell(cell: Cell | undefined, format: (value: number) => string): string {
  if (!cell) return '–';
  return cell.isEstimate ? `≈ ${format(cell.value)}` : format(cell.value);
}

function captionWith(text: string): HTMLElement {
  const caption = document.createElement('p');
  caption.className = 'plot-caption';
  caption.textContent = text;
  return caption;
}

function addItem(id: string, text: string): void {
  const item = document.createElement('li');
  item.textContent = text;
  find(id, HTMLElement).append(item);
}
