/** The page's end of the connection to the CPU engine, which runs in a worker or, if there is none, in the page. */
import { CellstormError, DestroyedError } from '../../index';
import {
  type Answer,
  type CallName,
  type Port,
  type Question,
  type Result,
  type Seen,
  unpackError,
  type Values,
} from './cpu-calls';

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export class CpuLink {
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;
  private broken: Error | undefined;

  constructor(
    private readonly port: Port,
    readonly isWorker: boolean,
    private readonly end: () => void,
  ) {
    port.onmessage = ({ data }: MessageEvent<Answer>) => {
      const call = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.error) call?.reject(unpackError(data.error));
      else call?.resolve(data);
    };
  }

  /** Calls the engine, which answers calls in their order. */
  ask<Name extends CallName>(
    name: Name,
    ...values: Values<Name>
  ): Promise<{ readonly result: Result<Name>; readonly seen: Seen | undefined }> {
    if (this.broken) return Promise.reject(this.broken);
    const question: Question = { id: this.asked++, name, values };
    const answered = new Promise<Answer>((resolve, reject) => {
      this.waiting.set(question.id, { resolve, reject });
    });
    try {
      this.port.postMessage(question, []);
    } catch (error) {
      this.waiting.delete(question.id);
      return Promise.reject(error);
    }
    return answered.then(({ result, seen }) => ({ result: result as Result<Name>, seen }));
  }

  /** Rejects all calls that wait for an answer, and all later ones. */
  fail(error: Error): void {
    this.broken ??= error;
    for (const { reject } of this.waiting.values()) reject(this.broken);
    this.waiting.clear();
  }

  close(): void {
    this.fail(new DestroyedError('run'));
    this.end();
  }
}

export async function openLink(): Promise<CpuLink> {
  const { serve, WORKER_URL } = await import('./cpu-worker');
  const worker = await startWorker(WORKER_URL);
  if (worker) {
    const link = new CpuLink(worker, true, () => worker.terminate());
    const stopped = ({ message }: ErrorEvent) =>
      link.fail(new CellstormError(`The CPU engine stopped (${message || 'no reason given'}). Press Reset.`));
    worker.addEventListener('error', stopped);
    worker.addEventListener('messageerror', () =>
      link.fail(new CellstormError('The page could not read an answer of the CPU engine. Press Reset.')),
    );
    return link;
  }
  const { port1, port2 } = new MessageChannel();
  serve(port2);
  return new CpuLink(port1, false, () => port1.close());
}

/** The page ends a worker that is not ready after this time, and runs the engine itself. */
const MOST_WAIT_MS = 20_000;

async function startWorker(url: string): Promise<Worker | undefined> {
  let worker: Worker;
  try {
    worker = new Worker(trusted(url), { type: 'module', name: 'cellstorm CPU engine' });
  } catch {
    return undefined;
  }
  const isReady = await new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), MOST_WAIT_MS);
    worker.onmessage = () => resolve(true);
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(false);
    };
  });
  worker.onmessage = null;
  worker.onerror = null;
  if (isReady) return worker;
  worker.terminate();
  return undefined;
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

/** The page's security policy demands Trusted Types. `url` is one of the page's own files, so it needs no check. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy('cellstorm', { createScriptURL: (own) => own });
  return policy?.createScriptURL(url) ?? url;
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;
