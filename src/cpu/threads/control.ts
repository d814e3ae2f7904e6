/**
 * How the threads of a team share work. A job is a number of batches, and each thread has a part of them. Threads claim
 * batches one by one from their own part, then from the parts of the others. So a thread mostly gets batches whose data
 * are in its cache, and a worker that starts late or is busy takes fewer batches. The owner waits only for workers that
 * have joined the job.
 *
 * The owner opens a job by making JOB odd and closes it by making JOB even. A worker joins by adding 1 to ACTIVE, and
 * then checks that the job is still open. The owner closes the job and then waits until ACTIVE is 0. So either the
 * worker sees that the job is closed, or the owner waits for the worker. Only after that does the owner change the
 * parameters of the job.
 */

/** Indices of the control words. */
export const JOB = 0;
/** Number of threads. */
export const PARTS = 1;
export const BATCHES = 2;
export const ACTIVE = 3;
/** 1 if a batch failed on a worker. */
export const FAILED = 4;
/** 1 if workers must end. */
export const ENDED = 5;
/** Number of messages that the owner has sent. A worker reads all of them before it joins a job. */
export const MAIL = 6;
/** NEXT is the counter of the first part. The others follow every STRIDE words, so each has a cache line of its own. */
const NEXT = 16;
const STRIDE = 16;

/** The word that is 1 once a worker has started. */
export function readyWord(thread: number): number {
  return NEXT + STRIDE * thread + 1;
}

export function createControl(threads: number): Int32Array {
  const control = new Int32Array(new SharedArrayBuffer(4 * (NEXT + STRIDE * threads)));
  control[PARTS] = threads;
  return control;
}

/** The owner calls this before it opens a job. */
export function offerBatches(control: Int32Array, batches: number): void {
  control[BATCHES] = batches;
  for (let part = 0; part < (control[PARTS] as number); part++) control[NEXT + STRIDE * part] = 0;
}

/** The part of one thread in the work of a team. */
export interface Member {
  /** Reads the parameters of a job. */
  begin(): void;
  perform(batch: number): void;
}

/** The threads of an object. Without a team, it works in one thread. */
export interface Threading<Team> {
  readonly team?: Team;
  /** Why there is no team, if one was asked for. */
  readonly warnings?: readonly string[];
}

/**
 * How often a thread reads a word (for about ten microseconds) before it sleeps. Waking takes longer than most waits.
 */
const SPINS = 4000;

/** Waits a short time until a word differs from `value`. Returns whether it does. */
export function spin(control: Int32Array, word: number, value: number): boolean {
  for (let round = 0; round < SPINS; round++) if (Atomics.load(control, word) !== value) return true;
  return false;
}

/** Performs batches until all are claimed. `thread` is 0 for the owner, and from 1 on for workers. */
export function claimBatches(control: Int32Array, member: Member, thread: number): void {
  const parts = control[PARTS] as number;
  const batches = control[BATCHES] as number;
  for (let turn = 0; turn < parts; turn++) {
    const part = (thread + turn) % parts;
    const first = Math.floor((part * batches) / parts);
    const end = Math.floor(((part + 1) * batches) / parts);
    for (;;) {
      const batch = first + Atomics.add(control, NEXT + STRIDE * part, 1);
      if (batch >= end) break;
      member.perform(batch);
    }
  }
}

/** Performs batches of jobs until there is a message to read (returns true) or the team ends (returns false). */
export function serveJobs(control: Int32Array, member: Member, thread: number, messages: number): boolean {
  let handled = 0;
  for (;;) {
    const job = Atomics.load(control, JOB);
    if (Atomics.load(control, ENDED) !== 0) return false;
    if (Atomics.load(control, MAIL) > messages) return true;
    if (job % 2 !== 0 && job !== handled) {
      handled = job;
      join(control, member, thread, job);
    } else if (!spin(control, JOB, job)) {
      Atomics.wait(control, JOB, job);
    }
  }
}

function join(control: Int32Array, member: Member, thread: number, job: number): void {
  Atomics.add(control, ACTIVE, 1);
  try {
    if (Atomics.load(control, JOB) === job) {
      member.begin();
      claimBatches(control, member, thread);
    }
  } catch (error) {
    Atomics.store(control, FAILED, 1);
    throw error;
  } finally {
    if (Atomics.sub(control, ACTIVE, 1) === 1) Atomics.notify(control, ACTIVE);
  }
}
