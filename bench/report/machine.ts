import type { OwnDevice } from '../harness/engine';
import type { BenchRecord, Machine, Outcome } from '../harness/record';
import { formatCopies, formatCount, formatList, formatTime } from './format';

/** Returns names and values that describe the machine and the run. Leaves out unknown values. */
export function describeMachine({ machine, ...record }: BenchRecord): (readonly [string, string])[] {
  const { cpu, cores, load, runtime, copyBytesPerMs, copyBytes, adapter, driver, flags } = machine;
  const { gpuCopyBytesPerMs, gpuCopyBytes = 0 } = machine;
  const { version, commit, seed, repeat, limit, began, ended } = record;
  const entries: (readonly [string, string | undefined])[] = [
    ['processor', `${cpu}, ${cores} cores`],
    ['load at the start of the run', load?.toFixed(1)],
    ['run by', runtime],
    ['one thread copies', formatCopies(copyBytesPerMs, copyBytes)],
    ['adapter', adapter],
    ['driver', driver],
    ['flags', flags?.join(' ')],
    ['the GPU copies', gpuCopyBytesPerMs && formatCopies(gpuCopyBytesPerMs, gpuCopyBytes)],
    ['GPU timed by', adapter && describeGpuClock(machine)],
    ...describeDevices(machine, record.outcomes),
    ['cellstorm', `${version}${commit ? `, commit ${commit}` : ''}`],
    ['seed', String(seed)],
    ['rounds', String(repeat)],
    ['limit of a build and query', formatTime(limit)],
    ['began', began],
    ['ended', ended ?? 'never: the run was cut off, so cases are missing'],
  ].map(([name, value]) => [name as string, value as string | undefined]);
  return entries.flatMap(([name, value]) => (value ? [[name, value]] : []));
}

/** Returns, per device of native engines, the engines' names and a description. */
export function describeDevices(
  { devices = [] }: Machine,
  outcomes: readonly Outcome[],
): (readonly [string, string])[] {
  return devices.map((device) => {
    const engines = outcomes.filter((outcome) => outcome.device === device.name).map(({ engine }) => engine);
    const { name, copyBytesPerMs, copyBytes } = device;
    return [
      formatList([...new Set(engines)]) || 'native engines',
      `${name}, copies ${formatCopies(copyBytesPerMs, copyBytes)}, timed by ${describeOwnClock(device)}`,
    ];
  });
}

function describeOwnClock({ clock, clockStep }: OwnDevice): string {
  return `${clock === 'wall' ? 'the wall clock' : clock} in steps of ${formatCount(clockStep)} ns`;
}

export function describeGpuClock({ gpuClock, gpuClockStep = 0 }: Machine): string {
  if (gpuClock === 'timestamps') return `timestamps in steps of ${formatCount(gpuClockStep)} ns`;
  return `the wall clock, with ${formatTime(gpuClockStep / 1e6)} per empty submission`;
}
