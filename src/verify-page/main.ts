/**
 * Runs the page verify.html: the checks of `cellstorm verify` on the visitor's GPU, with the options in the address.
 * Programs read the report from the promise `window.cellstormVerify`, or as JSON from #result.
 */
import { CellstormError, describeCount } from '../core/base/errors';
import { openAppearance } from '../page/support/appearance';
import { find, setText } from '../page/support/dom';
import {
  conclusionOf,
  PAGE_COUNTS,
  REPORT_PATH,
  type VerifyAnswer,
  type VerifyReport,
} from '../verify/answers';
import type { VerifyCase } from '../verify/verify';
import { addressOf, readAddress } from './address';
import { make, SceneList } from './scene-list';

/** Most mismatches in the verdict; the list of starting states shows all. */
const MOST_LISTED = 10;

declare global {
  interface Window {
    /** Resolves with the report when the run ends, or when it cannot begin. */
    cellstormVerify?: Promise<VerifyReport>;
  }
}

/** The version of cellstorm; set by vite.config.ts, because an imported package.json would be one more chunk. */
declare const BUILT_VERSION: string;

class VerifyPage {
  private readonly go = find('go', HTMLButtonElement);
  private readonly copy = find('copy', HTMLButtonElement);
  private readonly fold = find('fold', HTMLButtonElement);
  private readonly bar = find('bar', HTMLProgressElement);
  private readonly list = new SceneList(find('scenes', HTMLElement));
  private worker: Worker | undefined;
  private json = '';
  private cases: VerifyReport['cases'] = [];
  private adapter = 'none';
  /** Answers are posted one after another, so that they arrive in order. */
  private posted: Promise<unknown> = Promise.resolve();
  private resolve: (report: VerifyReport) => void = () => undefined;
  readonly report = new Promise<VerifyReport>((resolve) => {
    this.resolve = resolve;
  });

  constructor() {
    setText('browser', navigator.userAgent);
    find('plan', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      this.restart();
    });
    this.go.addEventListener('click', () => {
      if (this.worker) this.stop('The run was stopped.');
      else location.reload();
    });
    this.copy.addEventListener('click', () => this.copyJson());
    this.fold.addEventListener('click', () => {
      const isOpen = this.fold.getAttribute('aria-pressed') !== 'true';
      this.fold.setAttribute('aria-pressed', String(isOpen));
      this.list.foldAll(isOpen);
    });
    try {
      const { options, reports } = readAddress(location.search);
      this.fillIn();
      this.start(options, reports);
    } catch (error) {
      this.stop(error instanceof CellstormError ? error.message : String(error));
    }
  }

  private start(options: VerifyReport['options'], reports: boolean): void {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<VerifyAnswer>) => {
      if (worker !== this.worker) return;
      if (reports) this.post(data);
      this.receive(data);
    });
    worker.addEventListener('error', ({ message }) =>
      this.stop(`The worker failed: ${message || 'it could not be started'}.`),
    );
    worker.postMessage(options);
  }

  private receive(answer: VerifyAnswer): void {
    switch (answer.kind) {
      case 'scenes':
        this.offer(answer.scenes);
        break;
      case 'began':
        this.adapter = answer.adapter;
        setText('adapter', answer.adapter);
        setText('status', 'Checking.');
        break;
      case 'progress':
        this.bar.max = answer.total;
        this.bar.value = answer.done;
        setText(
          'doing',
          `${answer.what} (${Math.floor(answer.done) + 1} of ${answer.total} starting states)`,
        );
        break;
      case 'case':
        this.cases = [...this.cases, answer.found];
        this.list.add(answer.found);
        this.fold.disabled = false;
        break;
      case 'ended':
        this.end(answer.report);
        break;
    }
  }

  private end(report: VerifyReport): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.bar.hidden = true;
    this.go.textContent = 'Run again';
    this.json = JSON.stringify(report, undefined, 1);
    this.copy.disabled = false;
    setText('doing', '');
    setText('status', report.error === undefined ? 'Done.' : 'The run ended early.');
    const verdict = find('verdict', HTMLElement);
    verdict.hidden = false;
    verdict.dataset.pass = String(report.pass);
    setText('verdict-title', report.pass ? 'Pass' : report.error === undefined ? 'Mismatch' : 'No result');
    setText('conclusion', conclusionOf(report));
    const remarks = [
      ...report.cases
        .filter(({ pass }) => !pass)
        .slice(0, MOST_LISTED)
        .map(describeMismatch),
      ...report.complaints.map((text) => `The GPU reported: ${text}`),
      ...report.notes,
    ];
    find('remarks', HTMLElement).replaceChildren(...remarks.map((text) => make('li', text)));
    setText('result', this.json);
    this.resolve(report);
  }

  private stop(error: string): void {
    const report: VerifyReport = {
      version: BUILT_VERSION,
      runtime: navigator.userAgent,
      adapter: this.adapter,
      options: {},
      cases: this.cases,
      complaints: [],
      notes: [],
      seconds: performance.now() / 1000,
      hash: '',
      pass: false,
      error,
    };
    if (new URLSearchParams(location.search).has('report')) this.post({ kind: 'ended', report });
    this.end(report);
  }

  private post(answer: VerifyAnswer): void {
    const send = () => fetch(REPORT_PATH, { method: 'POST', body: JSON.stringify(answer) });
    this.posted = this.posted.then(send).catch(() => undefined);
  }

  private async copyJson(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.json);
      setText('status', 'The JSON is on the clipboard.');
    } catch {
      setText('status', 'The browser blocks the clipboard; the JSON is in the element #result.');
    }
  }

  private fillIn(): void {
    const parameters = new URLSearchParams(location.search);
    for (const name of ['count', 'steps', 'seed'])
      find(name, HTMLInputElement).value = parameters.get(name) ?? '';
    find('count', HTMLInputElement).placeholder = PAGE_COUNTS.join();
    const dimensions = parameters.get('dimensions') ?? '2,3';
    for (const box of boxesOf('dimensions')) box.checked = dimensions.includes(box.value);
  }

  private offer(scenes: readonly string[]): void {
    const chosen = new URLSearchParams(location.search).get('scene')?.split(',');
    const labels = scenes.map((scene) => {
      const box = make('input');
      Object.assign(box, { type: 'checkbox', name: 'scene', value: scene });
      box.checked = chosen?.includes(scene) ?? true;
      return make('label', box, make('span', scene));
    });
    find('scene-choices', HTMLElement).replaceChildren(...labels);
  }

  /** Opens the page again with the choices in its address. */
  private restart(): void {
    const chosen = (name: string) => {
      const boxes = boxesOf(name);
      const checked = boxes.filter((box) => box.checked);
      return checked.length === boxes.length ? '' : checked.map(({ value }) => value).join();
    };
    const typed = (name: string) => find(name, HTMLInputElement).value.trim();
    for (const name of ['scene', 'dimensions']) {
      if (boxesOf(name).some((box) => box.checked)) continue;
      setText('plan-note', `No ${name === 'scene' ? 'scene' : 'dimension'} is chosen: choose at least one.`);
      return;
    }
    location.search = addressOf(
      {
        scene: chosen('scene'),
        dimensions: chosen('dimensions'),
        count: typed('count'),
        steps: typed('steps'),
        seed: typed('seed'),
      },
      location.search,
    );
  }
}

function describeMismatch({ scene, dimensions, count, check, detail }: VerifyCase): string {
  return `${scene} ${dimensions}D, ${describeCount(count)}, ${check}: ${detail}`;
}

function boxesOf(name: string): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`)];
}

openAppearance(location.search);
window.cellstormVerify = new VerifyPage().report;
