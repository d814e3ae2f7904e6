/**
 * Measures the speed of plain arithmetic in several threads relative to one. This is about the number of free cores,
 * but at most the number of threads.
 */
import { Worker } from 'node:worker_threads';

const ROUNDS = 1_000_000;
const SAMPLES = 20;

/** The work, as text, because workers run it too. */
const WORK = `(rounds) => {
  let value = 1.1;
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    value = value * 1.0000001 + 0.1;
    sum += Math.sqrt(value);
  }
  return sum;
}`;

const WORKER = `
  const words = require('node:worker_threads').workerData;
  const work = ${WORK};
  for (let turn = 0; turn >= 0; turn = Atomics.load(words, 0)) {
    work(${ROUNDS});
    Atomics.add(words, 1, 1);
    Atomics.notify(words, 1);
    Atomics.wait(words, 0, turn);
  }`;

export interface Probe {
  /** Returns the speed relative to one thread: the number of threads if each has a core. */
  gain(): number;
  end(): void;
}

export async function openProbe(threads: number): Promise<Probe> {
  // The turn, and the number of workers that have finished.
  const words = new Int32Array(new SharedArrayBuffer(8));
  const work = new Function(`return ${WORK}`)() as (rounds: number) => number;
  const workers = Array.from(
    { length: threads - 1 },
    () => new Worker(WORKER, { eval: true, workerData: words, execArgv: [] }),
  );
  const awaitWorkers = () => {
    for (let done = 0; done < threads - 1; done = Atomics.load(words, 1)) Atomics.wait(words, 1, done);
    Atomics.store(words, 1, 0);
  };
  awaitWorkers();
  let alone = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const began = performance.now();
    work(ROUNDS);
    alone = Math.min(alone, performance.now() - began);
  }
  return {
    gain() {
      const began = performance.now();
      Atomics.add(words, 0, 1);
      Atomics.notify(words, 0);
      work(ROUNDS);
      awaitWorkers();
      return (threads * alone) / (performance.now() - began);
    },
    end() {
      Atomics.store(words, 0, -1);
      Atomics.notify(words, 0);
      for (const worker of workers) worker.unref();
    },
  };
}
