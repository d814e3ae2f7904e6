/** The benchmark page: a worker measures, and the page shows results as they arrive. */

import { version } from '../../package.json';
import { openAppearance } from '../../src/page/support/appearance';
import { find } from '../../src/page/support/dom';
import { saveFile } from '../../src/page/support/save';
import { type BenchRecord, FORMAT, FORMAT_VERSION, type Outcome } from '../harness/record';
import { formatCountOf } from '../report/format';
import { element } from '../report/markup';
import { detectFlags, flagsInAddress } from './flags';
import type { Answer, Choice, MeasuredMachine, NamedPlan, Question } from './messages';
import { render } from './render';
import { Results } from './results';

declare global {
  interface Window {
    /** For tests and the console. */
    bench?: { readonly record: BenchRecord | undefined; readonly isRunning: boolean };
  }
}

const LIMIT_MS = 1000;
const SEED = 1;
const FEWEST_ROUNDS = 3;
const MOST_ROUNDS = 99;
const FIRST_SCENES = ['uniform'];

/** The worker's URL, relative to the page. vite.config.ts sets it. */
declare const BENCH_WORKER: string;

/** The commit of the page's source; empty if the source had no git history. */
declare const BUILT_COMMIT: string;

const PROCESSOR = 'a processor that the browser does not name';

class BenchPage {
  private readonly form = find('plan', HTMLFormElement);
  private readonly go = find('go', HTMLButtonElement);
  private readonly save = find('save', HTMLButtonElement);
  private readonly bar = find('bar', HTMLProgressElement);
  private readonly results = new Results();
  private worker: Worker | undefined;
  private isOffered = false;
  private plan: NamedPlan | undefined;
  private began = '';
  private outcomes: Outcome[] = [];
  private machine: MeasuredMachine | undefined;
  record: BenchRecord | undefined;
  isRunning = false;

  constructor() {
    find('flags', HTMLInputElement).value = flagsInAddress(location.search);
    this.open();
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.isRunning) this.stop();
      else this.start();
    });
    this.save.addEventListener('click', () => this.saveRecord());
  }

  private open(): Worker {
    // The name of the worker's Web Lock. It is random, because all pages of a site share locks.
    const name = `cellstorm-bench-${Math.random()}`;
    const worker = new Worker(new URL(BENCH_WORKER, document.baseURI), { type: 'module', name });
    this.worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      if (data.kind === 'locked') {
        // No event reports that the browser ended a worker, but then its lock becomes free.
        navigator.locks.request(name, () =>
          this.lose(worker, 'the browser ended its worker, perhaps because memory ran out'),
        );
      } else if (worker === this.worker) this.receive(data);
    });
    worker.addEventListener('error', ({ message }) =>
      this.lose(worker, message || 'its worker could not be started'),
    );
    return worker;
  }

  /** Ends a worker that failed, because its state is unknown. The next start opens another worker. */
  private lose(worker: Worker, reason: string): void {
    if (worker !== this.worker) return;
    this.worker = undefined;
    worker.terminate();
    const remedy = this.isOffered ? 'Press Start to try again.' : 'Reload the page to try again.';
    this.fail(`The benchmark failed: ${reason}. ${remedy}`);
    this.go.disabled = !this.isOffered;
  }

  private receive(answer: Exclude<Answer, { kind: 'locked' }>): void {
    // Ignore late answers of a run that failed.
    if (!this.isRunning && answer.kind !== 'choices') return;
    switch (answer.kind) {
      case 'choices': {
        // A later worker offers the same choices.
        if (this.isOffered) break;
        this.isOffered = true;
        const { engines, scenes, missingGpu } = answer;
        for (const backend of ['gpu', 'cpu'] as const) {
          const offered = engines.filter((engine) => engine.backend === backend);
          const isMissing = backend === 'gpu' && missingGpu !== undefined;
          const checked = isMissing ? [] : offered.filter(({ byDefault }) => byDefault);
          this.offer(`${backend}-engines`, 'engine', offered, checked, isMissing);
        }
        this.offer(
          'scenes',
          'scene',
          scenes,
          scenes.filter(({ name }) => FIRST_SCENES.includes(name)),
          false,
        );
        const note = find('gpu-note', HTMLElement);
        note.hidden = missingGpu === undefined;
        note.textContent = `${missingGpu ?? ''} Engines on the CPU still run.`;
        this.go.disabled = false;
        this.say('Ready.');
        break;
      }
      case 'progress':
        this.bar.max = answer.total;
        this.bar.value = answer.done;
        find('doing', HTMLElement).textContent = `Now: ${answer.what}.`;
        break;
      case 'outcome': {
        this.outcomes.push(answer.outcome);
        this.machine = answer.machine;
        this.results.add(answer.outcome);
        const { scene, dimensions, count } = answer.outcome;
        this.say(`Results of ${scene} ${dimensions}D with ${formatCountOf(count, 'body', 'bodies')}.`);
        break;
      }
      case 'ended': {
        this.finish(answer.stopped ? undefined : new Date().toISOString());
        const timed = this.outcomes.filter(({ status }) => status === 'timed').length;
        const wrong = this.outcomes.filter(({ status }) => status === 'wrong' || status === 'failed').length;
        this.end(
          `${answer.stopped ? 'Stopped' : 'Done'}: ${timed} of ${formatCountOf(this.outcomes.length, 'run')} timed${wrong > 0 ? `, ${wrong} wrong or failed` : ''}.`,
        );
        break;
      }
      case 'failed':
        this.fail(answer.reason);
        break;
    }
  }

  private offer(
    id: string,
    name: string,
    choices: readonly Choice[],
    checked: readonly Choice[],
    disabled: boolean,
  ): void {
    const labels = choices.map((choice) => {
      const about = `${name}-${choice.name}`;
      const label = render(
        element(
          'div',
          { class: 'choice' },
          element(
            'label',
            {},
            element('input', { type: 'checkbox', name, value: choice.name, 'aria-describedby': about }),
            element('span', {}, choice.name),
          ),
          element('p', { id: about }, choice.about.replaceAll('`', '')),
        ),
      ) as HTMLElement;
      const box = label.querySelector('input');
      if (box) {
        box.checked = checked.includes(choice);
        box.disabled = disabled;
      }
      return label;
    });
    find(id, HTMLElement).replaceChildren(...labels);
  }

  private start(): void {
    const data = new FormData(this.form);
    const all = (name: string) => data.getAll(name).map(String);
    const rounds = Number(data.get('rounds'));
    const plan: NamedPlan = {
      engines: all('engine'),
      scenes: all('scene'),
      dimensions: all('dimensions').map((text) => (text === '3' ? 3 : 2)),
      counts: all('count').map(Number),
      seed: SEED,
      repeat: rounds,
      limit: LIMIT_MS,
    };
    const missing = (['engines', 'scenes', 'dimensions', 'counts'] as const).find(
      (name) => plan[name].length === 0,
    );
    if (missing) {
      this.refuse(`No ${missing === 'counts' ? 'number of bodies' : missing} chosen: choose at least one.`);
      return;
    }
    if (!Number.isInteger(rounds) || rounds < FEWEST_ROUNDS || rounds > MOST_ROUNDS) {
      this.refuse(
        `Rounds is ${data.get('rounds')}, but it must be a whole number from ${FEWEST_ROUNDS} to ${MOST_ROUNDS}.`,
      );
      return;
    }
    this.plan = plan;
    this.began = new Date().toISOString();
    this.outcomes = [];
    this.machine = undefined;
    this.record = undefined;
    this.results.clear(plan.engines);
    this.isRunning = true;
    this.save.disabled = true;
    this.go.textContent = 'Stop';
    this.bar.hidden = false;
    this.bar.removeAttribute('value');
    find('found', HTMLElement).hidden = false;
    find('choices', HTMLDetailsElement).open = false;
    this.say('Running.');
    this.ask({ kind: 'run', plan });
  }

  private refuse(sentence: string): void {
    find('choices', HTMLDetailsElement).open = true;
    this.say(sentence);
  }

  private stop(): void {
    this.go.disabled = true;
    this.say('Stopping after the current sample.');
    this.ask({ kind: 'stop' });
  }

  private end(sentence: string): void {
    this.isRunning = false;
    this.go.disabled = false;
    this.go.textContent = 'Start';
    this.bar.hidden = true;
    find('doing', HTMLElement).textContent = '';
    this.say(sentence);
  }

  private fail(sentence: string): void {
    this.finish(undefined);
    const saved = this.record ? ' The results so far can be saved.' : '';
    this.end(`${sentence}${saved}`);
  }

  /** Makes a record of the outcomes. `ended` is undefined if cases are missing. */
  private finish(ended: string | undefined): void {
    const { machine, isRunning } = this;
    if (!isRunning || !machine) return;
    this.record = this.recordOf(machine, ended);
    this.results.conclude(this.record);
    this.save.disabled = false;
  }

  private ask(question: Question): void {
    (this.worker ?? this.open()).postMessage(question);
  }

  private say(sentence: string): void {
    const status = find('status', HTMLElement);
    if (status.textContent !== sentence) status.textContent = sentence;
  }

  private recordOf(measured: MeasuredMachine, ended: string | undefined): BenchRecord {
    const { userAgent, hardwareConcurrency } = navigator;
    const flags = detectFlags(find('flags', HTMLInputElement).value);
    return {
      format: FORMAT,
      formatVersion: FORMAT_VERSION,
      version,
      commit: BUILT_COMMIT || undefined,
      began: this.began,
      ended,
      seed: SEED,
      repeat: this.plan?.repeat ?? 0,
      limit: LIMIT_MS,
      machine: { cpu: PROCESSOR, cores: hardwareConcurrency, runtime: userAgent, flags, ...measured },
      outcomes: this.outcomes,
    };
  }

  private saveRecord(): void {
    const text = `${JSON.stringify(this.record, undefined, 1)}\n`;
    const name = `cellstorm-bench-${this.began.slice(0, 10)}.json`;
    saveFile(new Blob([text], { type: 'application/json' }), name);
  }
}

openAppearance(location.search);
window.bench = new BenchPage();
