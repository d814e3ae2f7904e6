/** The processor time of each thread of this process, in milliseconds, on Linux; elsewhere empty. */
import { readdirSync, readFileSync } from 'node:fs';

const TASKS = '/proc/self/task';

export type ThreadTimes = ReadonlyMap<string, number>;

export function threadTimes(): ThreadTimes {
  try {
    return new Map(readdirSync(TASKS).map((task) => [task, timeOf(task)]));
  } catch {
    return new Map();
  }
}

/** Returns milliseconds. Linux updates `schedstat` only a few times per time slice, so add up times of many turns. */
function timeOf(task: string): number {
  const [nanoseconds] = readFileSync(`${TASKS}/${task}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Returns the times of the `threads` busiest threads, descending. */
export function busiest(before: ThreadTimes, after: ThreadTimes, threads: number): number[] {
  const times = [...after].map(([task, time]) => time - (before.get(task) ?? 0));
  return times.sort((a, b) => b - a).slice(0, threads);
}
