/** The sheet that times the visitor's particles with several sizes of cells. */
import { GpuError } from '../../index';
import { smallestDiameter } from '../../scenes';
import { openCpuEngine } from '../engines/cpu-engine';
import { openGpuEngine } from '../engines/gpu-engine';
import { STEP_SECONDS } from '../model/choices';
import type { Choices } from '../model/fields';
import { formatCount, formatMilliseconds, formatReal } from '../support/format';
import { type Engine, explain, type Run, stateOf } from '../view/engine';
import type { Session } from '../view/session';
import { cellChart } from './cell-chart';
import { suggestFor } from './cell-suggestion';
import { type CellTiming, describeTimings, runCellSweep, sizesFor } from './cell-sweep';
import type { Chart } from './chart';

const COLUMNS = ['Size', 'Cells', 'Occupied', 'Fullest', 'Candidates', 'Step'] as const;

const ABOUT =
  'Sizes are in diameters of the smallest particle. Each size starts from the state that you see. The sizes take turns in three rounds, and the least time counts. Your own run waits and goes on afterwards. Press a size to use it.';

class Cancelled extends Error {}

export class CellsSheet {
  private readonly sheet = element('dialog', { className: 'help scale', id: 'cells-sheet' });
  private readonly plot = element('div', { className: 'plot', id: 'cells-plot', role: 'img' });
  private readonly status = element('span', { id: 'cells-status', role: 'status' });
  private readonly again = element('button', { id: 'cells-again', type: 'button' });
  private readonly words = element('ul', { id: 'cells-words' });
  private readonly rows = element('tbody', { id: 'cells-rows' });
  private readonly notes = element('ul', { id: 'cells-notes', className: 'hint' });
  private chart: Chart<readonly CellTiming[]> | undefined;
  private cancel: (() => void) | undefined;
  private sweeping: Promise<void> | undefined;

  constructor(
    private readonly session: Session,
    private readonly choose: (change: Partial<Choices>) => void,
    /** Waits for starts in progress, then holds the visitor's run until the returned function is called. */
    private readonly hold: () => Promise<() => void>,
  ) {
    this.build();
    this.sheet.addEventListener('close', () => {
      this.cancel?.();
      this.chart?.destroy();
      this.chart = undefined;
    });
    this.again.addEventListener('click', () => {
      if (this.cancel) this.cancel();
      else this.sweep();
    });
  }

  /** Waits until an earlier, cancelled sweep has ended. Then starts a new one. */
  async open(): Promise<void> {
    this.sheet.showModal();
    await this.sweeping;
    if (this.sheet.open) this.sweep();
  }

  private build(): void {
    const { sheet, plot, status, again, words, rows, notes } = this;
    plot.ariaLabel = 'Time of a step against the size of cells; the table below has the numbers';
    const title = element('h2', { id: 'cells-title', textContent: 'Cell size and step time' });
    const close = element('button', { id: 'cells-close', type: 'button', textContent: 'Close' });
    close.addEventListener('click', () => sheet.close());
    const header = element('header', {}, title, close);
    const heads = COLUMNS.map((text) => element('th', { scope: 'col', textContent: text }));
    const table = element('table', {}, element('thead', {}, element('tr', {}, ...heads)), rows);
    const progress = element('p', { className: 'progress' }, status, again);
    const about = element('p', { className: 'hint', textContent: ABOUT });
    sheet.setAttribute('aria-labelledby', 'cells-title');
    sheet.setAttribute('closedby', 'any');
    sheet.append(header, about, plot, progress, words, table, notes);
    document.body.append(sheet);
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
    this.notes.replaceChildren();
    this.status.textContent = 'Opening an engine.';
    let engine: Engine | undefined;
    let release: (() => void) | undefined;
    try {
      release = await this.hold();
      const { run, choices } = this.session;
      if (!run) throw new Cancelled();
      const suggestion = await suggestFor(run);
      const suggested = suggestion && suggestion.cellSize / suggestion.diameter;
      const chosen = run.simulation.world.cellSize / smallestDiameter(run.simulation);
      this.show([], suggested, chosen);
      const state = await stateOf(run);
      const opening = openFor(choices, run);
      engine = await Promise.race([opening, cancelled]).catch((error: unknown) => {
        // If the visitor cancels before the engine is ready, destroy the engine as soon as it is.
        opening.then((late) => late.destroy()).catch(() => undefined);
        throw error;
      });
      const opened = engine;
      const lost = opened.lost.then((reason): never => {
        throw new GpuError('lost', `The GPU was lost (${reason.trim()}).`);
      });
      const { kind } = run.simulation.world;
      await runCellSweep({
        sizes: sizesFor(
          suggested ?? 1,
          chosen,
          kind === 'unbounded' || run.simulation.radiusRange !== undefined,
        ),
        dimensions: run.simulation.dimensions,
        start: (size) => startWith(opened, run, state, size, choices.timeScale),
        ended: Promise.race([lost, cancelled]),
        breathe: () => new Promise((done) => setTimeout(done)),
        onSize: (size, round, rounds) => {
          this.status.textContent = `Timing cells of ${formatReal(size)} diameters, round ${round} of ${rounds}.`;
        },
        onTiming: (timings) => this.show(timings, suggested, chosen),
        onNote: (note) => this.notes.append(element('li', { textContent: note })),
      });
      this.status.textContent = 'Done.';
    } catch (error) {
      const why = error instanceof Cancelled ? 'Cancelled.' : explain(error);
      this.status.textContent = `${why} Earlier times stay.`;
    } finally {
      engine?.destroy();
      release?.();
      this.cancel = undefined;
      this.again.textContent = 'Run again';
    }
  }

  private show(timings: readonly CellTiming[], suggested: number | undefined, chosen: number): void {
    if (this.sheet.open) {
      this.chart ??= cellChart(this.plot, suggested, chosen);
      this.chart.set(timings);
    }
    const sentences = describeTimings(timings, suggested, chosen);
    this.words.replaceChildren(...sentences.map((text) => element('li', { textContent: text })));
    this.rows.replaceChildren(
      ...timings.map(({ size, cells, occupied, fullest, candidates, milliseconds }) => {
        const use = element('button', { type: 'button', textContent: formatReal(size) });
        use.ariaLabel = `Use cells of ${formatReal(size)} diameters`;
        use.addEventListener('click', () => {
          this.sheet.close();
          this.choose({ cellSize: size });
        });
        const texts = [
          ...[cells, occupied, fullest, candidates].map(formatCount),
          formatMilliseconds(milliseconds),
        ];
        return element(
          'tr',
          {},
          element('th', { scope: 'row' }, use),
          ...texts.map((textContent) => element('td', { textContent })),
        );
      }),
    );
  }
}

async function openFor({ engine, dimensions }: Choices, { simulation }: Run): Promise<Engine> {
  if (engine === 'cpu') return openCpuEngine();
  const { capacity, world } = simulation;
  return openGpuEngine({ particles: capacity, dimensions, cells: world.cellCount });
}

async function startWith(
  engine: Engine,
  { options, simulation }: Run,
  state: Awaited<ReturnType<typeof stateOf>>,
  size: number,
  timeScale: number,
) {
  const unit = smallestDiameter(simulation);
  // If radii vary, size 1 lets the engine choose the cells, as in the control Cell size.
  const isChosen = simulation.radiusRange === undefined || size > 1;
  const run = await engine.start({ ...options, cellSize: isChosen ? size * unit : undefined });
  try {
    run.restore(state);
    const measured = await run.simulation.measure();
    const { world, count } = run.simulation;
    const {
      occupiedCells = 0,
      greatestOccupancy = 0,
      candidates = 0,
    } = 'figures' in measured ? {} : measured;
    return {
      count,
      measures: {
        size: Number((world.cellSize / unit).toPrecision(4)),
        cells: world.cellCount,
        occupied: occupiedCells,
        fullest: greatestOccupancy,
        candidates,
      },
      timeSteps: (batch: number) => run.timeSteps(STEP_SECONDS * timeScale, batch),
      destroy: () => run.destroy(),
    };
  } catch (error) {
    run.destroy();
    throw error;
  }
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: readonly Node[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
