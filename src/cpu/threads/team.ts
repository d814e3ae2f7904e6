/**
 * The workers of one simulation or grid, and the thread that owns them. Workers start in the background. The owner's
 * thread works on each job too, so a job ends even without workers.
 */
import { checkInteger } from '../../core/base/checks';
import { CellstormError } from '../../core/base/errors';
import {
  ACTIVE,
  claimBatches,
  createControl,
  ENDED,
  FAILED,
  JOB,
  MAIL,
  type Member,
  offerBatches,
  readyWord,
  spin,
} from './control';

export const MAX_THREADS = 64;

/** The first message to a worker: plain data and shared memory. */
export interface Start {
  readonly kind: 'simulation' | 'grid';
  readonly control: Int32Array;
  /** The worker's number, from 1 on. */
  readonly thread: number;
  readonly options: unknown;
  readonly buffers: readonly SharedArrayBuffer[];
}

/** A later message: more memory. */
export type Mail = readonly SharedArrayBuffer[];

/** Runs jobs. Tests use another crew, whose members are all in one thread. */
export interface Crew {
  /** Number of threads: the owner's, and those of the workers that have started. */
  readonly threads: number;
  readonly warnings: readonly string[];
  /** Runs all batches of a job, in `member` and in the workers. */
  run(member: Member, batches: number): void;
  send(mail: Mail): void;
  /** Throws if a job has failed. */
  check(): void;
  end(): void;
}

/** The methods that a Worker has both in browsers and in Node. */
interface AnyWorker {
  postMessage(message: unknown): void;
  terminate(): unknown;
}

interface NodeWorker extends AnyWorker {
  on(event: string, listener: (value: unknown) => void): void;
  unref(): void;
}

/** A job fails if a worker is still busy with it after this number of waits, each of a tenth of a second. */
const MOST_WAITS = 300;

export function checkThreads(threads: unknown): number {
  if (threads === undefined) return 1;
  checkInteger('threads', threads as number, 1, MAX_THREADS);
  return threads as number;
}

/** Says why there can be no workers here; undefined if there can be. */
export function whyNoWorkers(): string | undefined {
  if (typeof SharedArrayBuffer === 'undefined') {
    return 'SharedArrayBuffer is missing. A page has it if the server sends the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';
  }
  if (typeof Worker === 'undefined' && nodeThreads() === undefined) return 'Worker is missing';
  return undefined;
}

export class Team implements Crew {
  readonly warnings: string[] = [];
  private readonly control: Int32Array;
  /** Maps workers to their numbers. */
  private readonly workers = new Map<AnyWorker, number>();
  private broken: CellstormError | undefined;

  constructor(
    /** Threads to use, the owner's included. */
    private readonly wanted: number,
    start: Omit<Start, 'control' | 'thread'>,
    private readonly mostWaits = MOST_WAITS,
  ) {
    this.control = createControl(wanted);
    for (let thread = 1; thread < wanted; thread++) {
      this.start({ ...start, control: this.control, thread });
    }
  }

  get threads(): number {
    const threads = [...this.workers.values()];
    return 1 + threads.filter((thread) => Atomics.load(this.control, readyWord(thread)) === 1).length;
  }

  check(): void {
    if (this.broken) throw this.broken;
  }

  run(member: Member, batches: number): void {
    const { control } = this;
    offerBatches(control, batches);
    Atomics.add(control, JOB, 1);
    Atomics.notify(control, JOB);
    try {
      member.begin();
      claimBatches(control, member, 0);
    } finally {
      Atomics.add(control, JOB, 1);
      this.awaitWorkers();
    }
    if (Atomics.load(control, FAILED) !== 0) this.stop('A worker failed');
  }

  send(mail: Mail): void {
    for (const worker of this.workers.keys()) worker.postMessage(mail);
    Atomics.add(this.control, MAIL, 1);
    Atomics.add(this.control, JOB, 2);
    Atomics.notify(this.control, JOB);
  }

  end(): void {
    Atomics.store(this.control, ENDED, 1);
    Atomics.add(this.control, JOB, 2);
    Atomics.notify(this.control, JOB);
    for (const worker of this.workers.keys()) void worker.terminate();
    this.workers.clear();
  }

  /** Waits until the batches in progress end. A browser's main thread may not sleep, so it spins: batches are short. */
  private awaitWorkers(): void {
    const { control } = this;
    let sleeps = true;
    let began: number | undefined;
    for (let waits = 0; ; ) {
      const active = Atomics.load(control, ACTIVE);
      if (active === 0) return;
      if (spin(control, ACTIVE, active)) continue;
      if (sleeps) {
        try {
          if (Atomics.wait(control, ACTIVE, active, 100) === 'timed-out') waits++;
        } catch {
          sleeps = false;
        }
      } else {
        began ??= performance.now();
        waits = (performance.now() - began) / 100;
      }
      if (waits >= this.mostWaits) this.stop('A worker stopped while it was working');
    }
  }

  private stop(what: string): never {
    this.end();
    this.broken = new CellstormError(
      `${what}, so the state of this object is incomplete. Create a new one (a simulation from its last checkpoint).`,
    );
    throw this.broken;
  }

  private start(start: Start): void {
    try {
      this.workers.set(this.open(start), start.thread);
    } catch (error) {
      this.lose(error);
    }
  }

  private open(start: Start): AnyWorker {
    // Deno has both kinds of workers. Prefer Node's, because they can be unreferenced.
    const threads = nodeThreads();
    if (threads) {
      const file: string = import.meta.url;
      const worker = new threads.Worker(new URL('../thread.js', file));
      worker.on('error', (error) => this.lose(error, worker));
      worker.on('exit', () => this.lose('it ended', worker));
      // An idle worker must not keep the process alive.
      worker.unref();
      worker.postMessage(start);
      return worker;
    }
    // The comment below keeps Vite from bundling the worker into the project's own pages. The build removes the
    // comment, so that bundlers of users find the worker's file.
    const worker = new Worker(new URL(/* @vite-ignore */ '../thread.js', import.meta.url), {
      type: 'module',
    });
    worker.onerror = (event) => {
      event.preventDefault();
      this.lose(event.message || 'its file could not be loaded', worker);
    };
    worker.postMessage(start);
    return worker;
  }

  /** Drops a worker that could not start or has ended. The rest of the team goes on. */
  private lose(reason: unknown, worker?: AnyWorker): void {
    if (worker && !this.workers.delete(worker)) return;
    const { wanted, warnings } = this;
    const message = reason instanceof Error ? reason.message : String(reason);
    const warning = `threads is ${wanted}, but at least one worker is missing (${message}). The other threads do its work.`;
    if (!warnings.includes(warning)) warnings.push(warning);
  }
}

interface NodeThreads {
  readonly Worker: new (file: URL) => NodeWorker;
}

/** Node has its workers in a module. A function of `process` finds it, so bundlers for browsers see no import. */
function nodeThreads(): NodeThreads | undefined {
  const { process } = globalThis as {
    readonly process?: { getBuiltinModule?(name: string): NodeThreads | undefined };
  };
  return process?.getBuiltinModule?.('node:worker_threads');
}
