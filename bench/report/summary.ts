/** Describes a record in sentences derived from its numbers. */
import { crossingOf } from '../../src/core/base/curves';
import { BACKENDS, type Backend, TUTORIAL } from '../harness/engine';
import {
  type BenchRecord,
  DENSE_GRID,
  type Growth,
  growthsOf,
  hitRatio,
  isYardstick,
  NAIVE,
  type Outcome,
  type Status,
  testsPerBody,
} from '../harness/record';
import {
  type Case,
  describeCounts,
  describeRange,
  type Group,
  groupsOf,
  isFaster,
  isTimed,
  spansOf,
  type Timed,
  unique,
} from './cases';
import {
  formatCount,
  formatCountOf,
  formatFigure,
  formatList,
  formatRatio,
  formatShare,
  formatTime,
} from './format';
import { describeStructures, describeVariants } from './structures';

export interface Chapter {
  readonly title: string;
  readonly sentences: readonly string[];
}

/** If more engines than this are within the noise, they are counted, not named. */
const MOST_NAMED = 4;

const BACKEND_NAMES: Readonly<Record<Backend, string>> = { gpu: 'the GPU', cpu: 'the CPU' };

export function summarise(record: BenchRecord): Chapter[] {
  const groups = groupsOf(record.outcomes);
  const growths = growthsOf(record.outcomes);
  const chapters: Chapter[] = [
    { title: 'What was checked', sentences: describeChecks(record.outcomes) },
    { title: 'How it was timed', sentences: describeTiming(record) },
    { title: 'Fastest engines', sentences: groups.flatMap(describeFastest) },
    { title: 'Where the dense grid is not the right choice', sentences: describeDenseGrid(groups) },
    {
      title: 'Other structures, compared with the dense grid',
      sentences: groups.flatMap(describeStructures),
    },
    { title: 'One change at a time', sentences: groups.flatMap(describeVariants) },
    { title: 'Compared with packages', sentences: groups.flatMap(describePeers) },
    {
      title: 'Compared with grids written for this task alone',
      sentences: groups.flatMap(describeYardsticks),
    },
    {
      title: 'Number of bodies from which an engine beats testing all pairs',
      sentences: describeCrossovers(growths),
    },
    { title: 'How many distances are tested', sentences: groups.flatMap(describeWork) },
    { title: 'How times grow', sentences: describeGrowths(growths) },
    { title: 'Compared with copying memory', sentences: groups.flatMap(describeBytes) },
  ];
  return chapters.filter(({ sentences }) => sentences.length > 0);
}

function describeChecks(outcomes: readonly Outcome[]): string[] {
  const withStatus = (status: Status) => outcomes.filter((outcome) => outcome.status === status);
  const timed = withStatus('timed');
  const sentences = [
    `${formatCount(timed.length)} of ${formatCountOf(outcomes.length, 'run')} ${timed.length === 1 ? 'was' : 'were'} timed. Each timed run found the right pairs before timing, and the right pairs of another frame afterwards.`,
  ];
  for (const [status, did] of [
    ['wrong', 'found wrong pairs'],
    ['failed', 'failed'],
  ] as const) {
    const matching = withStatus(status);
    if (matching.length === 0) continue;
    const named = unique(
      matching.map(({ engine, scene, dimensions }) => `${engine} on ${scene} ${dimensions}D`),
    );
    sentences.push(
      `${formatCountOf(matching.length, 'run')} ${did} and ${matching.length === 1 ? 'has' : 'have'} no time: ${formatList(named)}.`,
    );
  }
  const counted: readonly (readonly [Status, string])[] = [
    ['skipped', 'would have taken too long'],
    ['stopped', 'took longer than the limit'],
    [
      'refused',
      'lacked memory, a package, a program or a GPU, or had a scene or count that the engine does not accept',
    ],
  ];
  for (const [status, did] of counted) {
    const matching = withStatus(status);
    if (matching.length > 0) sentences.push(`${formatCountOf(matching.length, 'run')} ${did}.`);
  }
  return sentences;
}

/** A clock is fine enough if its step is at most this share of a sample. */
const FINE_ENOUGH = 0.01;

/** With a greater load per core at the start, times count as less certain. */
const MOST_BUSY = 0.5;

function describeTiming({ outcomes, machine, ended }: BenchRecord): string[] {
  const timed = outcomes.filter(isTimed);
  const apart = timed.filter((outcome) => outcome.apart);
  const coarse = timed.filter(({ stepShare = 0 }) => stepShare > FINE_ENOUGH);
  const discarded = outcomes.reduce((sum, outcome) => sum + (outcome.discarded ?? 0), 0);
  const nameAll = (named: readonly Outcome[]) =>
    formatList(unique(named.map(({ engine, scene, dimensions }) => `${engine} on ${scene} ${dimensions}D`)));
  const { load = 0, cores } = machine;
  return [
    ...(load > MOST_BUSY * cores
      ? [
          `The machine was busy when the run began, with a load of ${load.toFixed(1)} on ${formatCountOf(cores, 'core')}, so times are longer and less certain.`,
        ]
      : []),
    ...(ended === undefined ? ['The run was cut off, so cases are missing.'] : []),
    ...(apart.length > 0
      ? [
          `${formatCountOf(apart.length, 'run')} ${apart.length === 1 ? 'was' : 'were'} timed alone, because memory did not suffice for all engines of the case together or because a device was lost: ${nameAll(apart)}.`,
        ]
      : []),
    ...(coarse.length > 0
      ? [
          `${formatCountOf(coarse.length, 'run')} ${coarse.length === 1 ? 'was' : 'were'} so short that a step of the clock is more than 1% of a sample: ${nameAll(coarse)}.`,
        ]
      : []),
    ...(discarded > 0
      ? [
          `${formatCountOf(discarded, 'sample')} ${discarded === 1 ? 'was' : 'were'} discarded, because the device's clock ran backwards.`,
        ]
      : []),
  ];
}

function describeFastest({ name, cases }: Group): string[] {
  const winners = cases.flatMap(({ count, timed }) => {
    const [best, ...others] = timed.filter((outcome) => !isYardstick(outcome));
    if (!best || others.length === 0) return [];
    return [{ count, value: { best, close: others.filter((other) => !isFaster(best, other)) } }];
  });
  const spans = spansOf(winners, (a, b) => a.best.engine === b.best.engine);
  if (spans.length === 0) return [];
  const parts = spans.map(({ counts, values }) => {
    const close = unique(values.flatMap((value) => value.close.map(({ engine }) => engine)));
    const times = describeRange(
      values.map(({ best }) => best.total.median),
      formatTime,
    );
    const named = close.length > MOST_NAMED ? [`${close.length} others`] : close;
    const closeText = close.length === 0 ? '' : `, ${formatList(named)} within the noise`;
    return `${values[0]?.best.engine} ${describeCounts(counts)} (${times}${closeText})`;
  });
  return [`${name}: ${formatList(parts)}.`];
}

function describeDenseGrid(groups: readonly Group[]): string[] {
  return [
    ...BACKENDS.flatMap((backend) => describeRivals(groups, backend)),
    ...groups.flatMap(describeSmallCounts),
  ];
}

interface Rival {
  readonly engine: string;
  /** Time of the grid ÷ time of this engine; undefined if the grid has no time. */
  readonly ratio?: number;
  readonly status: Status;
  readonly reason?: string | undefined;
}

function describeRivals(groups: readonly Group[], backend: Backend): string[] {
  const grid = DENSE_GRID[backend];
  const compared = groups.flatMap(({ cases }) =>
    cases.flatMap(({ timed }) => {
      const same = timed.filter((outcome) => isChoice(outcome, backend));
      const own = same.find(({ engine }) => engine === grid);
      return own && same.length > 1 ? [{ own, best: same[0] as Timed }] : [];
    }),
  );
  const wins = compared.filter(({ own, best }) => own === best || !isFaster(best, own)).length;
  const sentences = groups.flatMap(({ name, cases }) => {
    const rivals = cases.map((one) => ({ count: one.count, value: rivalOf(one, backend) }));
    const isSame = (a?: Rival, b?: Rival) => a?.engine === b?.engine && a?.status === b?.status;
    return spansOf(rivals, isSame).flatMap(({ counts, values: all }) => {
      const values = all.filter((rival) => rival !== undefined);
      if (values.length === 0) return [];
      const [first] = values;
      const where = describeCounts(counts);
      const ratios = values.flatMap(({ ratio }) => ratio ?? []);
      if (first && ratios.length === 0) {
        return `${name}: ${grid} ${ABSENT[first.status]} ${where}; ${first.engine} is the fastest there. ${first.reason ?? ''}`.trim();
      }
      return `${name}: ${first?.engine} is ${describeRange(ratios, formatRatio)} times as fast as ${grid} ${where}.`;
    });
  });
  const where = groups.flatMap(({ name, cases }) => {
    const rivals = cases.map((one) => ({ count: one.count, value: rivalOf(one, backend) !== undefined }));
    const spans = spansOf(rivals, (a, b) => a === b).filter(({ values: [hasRival] }) => hasRival);
    return spans.length > 0
      ? [`${name} ${formatList(spans.map(({ counts }) => describeCounts(counts)))}`]
      : [];
  });
  const verdict =
    where.length > 0
      ? `On ${BACKEND_NAMES[backend]}, choose another engine than ${grid} for ${formatList(where)}.`
      : `On ${BACKEND_NAMES[backend]}, ${grid} is the right choice in every case here.`;
  if (compared.length === 0) return where.length > 0 ? [verdict, ...sentences] : [];
  return [
    `${verdict} ${grid} was the fastest, or as fast within the noise, in ${formatCount(wins)} of the ${formatCountOf(compared.length, 'case')} in which other engines were timed too.`,
    ...sentences,
  ];
}

/** Returns whether users could choose this engine. */
function isChoice(outcome: Outcome, backend: Backend): boolean {
  return outcome.backend === backend && !isYardstick(outcome);
}

function rivalOf({ outcomes, timed }: Case, backend: Backend): Rival | undefined {
  const grid = outcomes.find(({ engine }) => engine === DENSE_GRID[backend]);
  const best = timed.find((outcome) => isChoice(outcome, backend));
  if (!grid || !best) return undefined;
  const { engine } = best;
  const { status, reason } = grid;
  if (!isTimed(grid)) return { engine, status, reason };
  return isFaster(best, grid) ? { engine, status, ratio: grid.total.median / best.total.median } : undefined;
}

const ABSENT: Readonly<Record<Status, string>> = {
  timed: 'was timed',
  wrong: 'found wrong pairs',
  failed: 'failed',
  skipped: 'would have taken too long',
  stopped: 'took too long',
  refused: 'was refused',
};

/** Names the number of bodies below which the CPU's grid is faster, because submitting work to a GPU costs time. */
function describeSmallCounts({ name, cases }: Group): string[] {
  const curveOf = (engine: string) =>
    cases.flatMap(({ count, timed }) => {
      const own = timed.find((outcome) => outcome.engine === engine);
      return own ? [{ count, milliseconds: own.total.median }] : [];
    });
  const crossing = crossingOf(curveOf(DENSE_GRID.cpu), curveOf(DENSE_GRID.gpu));
  if (!crossing || crossing.kind === 'second-always') return [];
  const where =
    crossing.kind === 'at'
      ? `below about ${formatAbout(crossing.count)} bodies`
      : 'at the largest count at which both were timed';
  return [`${name}: ${DENSE_GRID.cpu} is faster than ${DENSE_GRID.gpu} ${where}.`];
}

function formatAbout(count: number): string {
  return formatCount(Number(count.toPrecision(2)));
}

function describePeers({ name, cases }: Group): string[] {
  const compareWith = (isRival: (outcome: Timed) => boolean) =>
    cases.flatMap(({ count, timed }) => {
      const own = timed.find(({ engine }) => engine === DENSE_GRID.cpu);
      const rival = timed.find(isRival);
      if (!own || !rival) return [];
      const ratio = rival.total.median / own.total.median;
      const times = `${rival.engine}, ${formatTime(rival.total.median)} against ${formatTime(own.total.median)}`;
      return [`${formatRatio(ratio)} times as long ${describeCounts([count])} (${times})`];
    });
  const packages = compareWith(({ peer }) => peer !== undefined && peer !== TUTORIAL);
  const tutorial = compareWith(({ peer }) => peer === TUTORIAL);
  return [
    ...(packages.length > 0
      ? [`${name}: the best package takes ${formatList(packages)}, compared with ${DENSE_GRID.cpu}.`]
      : []),
    ...(tutorial.length > 0
      ? [`${name}: the hash of ${TUTORIAL} takes ${formatList(tutorial)}, compared with ${DENSE_GRID.cpu}.`]
      : []),
  ];
}

/** Compares the grid with yardsticks. The ratios show the cost of checks, worlds, options and WebGPU. */
function describeYardsticks({ name, cases }: Group): string[] {
  return BACKENDS.flatMap((backend) => {
    const grid = DENSE_GRID[backend];
    const parts = new Map<string, string[]>();
    for (const { count, timed } of cases) {
      const own = timed.find(({ engine }) => engine === grid)?.total.median;
      if (!own) continue;
      for (const outcome of timed) {
        const { engine, device, total } = outcome;
        if (outcome.backend !== backend || !isYardstick(outcome) || total.median === 0) continue;
        const yardstick = device ? `${engine} on ${device}` : engine;
        const part = `${(own / total.median).toFixed(2)} times as long ${describeCounts([count])}`;
        parts.set(yardstick, [...(parts.get(yardstick) ?? []), part]);
      }
    }
    return [...parts].map(
      ([yardstick, ratios]) =>
        `${name}: compared with ${yardstick}, which is written for this task alone, ${grid} takes ${formatList(ratios)}.`,
    );
  });
}

function describeCrossovers(growths: readonly Growth[]): string[] {
  const groups = new Map<string, Growth[]>();
  for (const growth of growths) {
    if (growth.crossover === undefined) continue;
    const name = `${growth.scene} ${growth.dimensions}D compared with ${NAIVE[growth.backend]}`;
    groups.set(name, [...(groups.get(name) ?? []), growth]);
  }
  return [...groups].map(([name, group]) => {
    const names = (named: readonly Growth[]) => formatList(named.map(({ engine }) => engine));
    const always = group.filter(({ crossover }) => crossover === 0);
    const never = group.filter(({ crossover }) => crossover === Number.POSITIVE_INFINITY);
    const some = group
      .filter(({ crossover = 0 }) => crossover > 0 && Number.isFinite(crossover))
      .sort((a, b) => (a.crossover ?? 0) - (b.crossover ?? 0));
    const parts = [
      ...(always.length > 0 ? [`${names(always)} at every common count`] : []),
      ...some.map(({ engine, crossover = 0 }) => `${engine} from about ${formatAbout(crossover)} bodies on`),
      ...(never.length > 0
        ? [`${names(never)} ${never.length === 1 ? 'is' : 'are'} still slower at the largest common count`]
        : []),
    ];
    return `${name}: ${formatList(parts)}.`;
  });
}

function describeGrowths(growths: readonly Growth[]): string[] {
  const groups = new Map<string, Map<string, string[]>>();
  for (const { scene, dimensions, engine, exponent } of growths) {
    if (exponent === undefined) continue;
    const name = `${scene} ${dimensions}D`;
    const group = groups.get(name) ?? new Map<string, string[]>();
    groups.set(name, group);
    const power = exponent.toFixed(1);
    group.set(power, [...(group.get(power) ?? []), engine]);
  }
  return [...groups].map(([name, group]) => {
    const parts = [...group]
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([power, engines]) => `N^${power} (${engines.join(', ')})`);
    return `${name}: over the largest counts, the time of N bodies grows like ${formatList(parts)}.`;
  });
}

/**
 * States the tests of the dense grids, of the engine with the fewest tests and of all pairs, at the largest count for
 * which work is known.
 */
function describeWork({ name, cases }: Group): string[] {
  const last = cases.findLast(({ timed }) => timed.some(({ work }) => work));
  if (!last) return [];
  const counted = last.timed.filter(({ work }) => work);
  const fewest = counted.toSorted((a, b) => (testsPerBody(a) ?? 0) - (testsPerBody(b) ?? 0))[0];
  const describe = (outcome: Timed) =>
    `${outcome.engine} makes ${formatFigure(testsPerBody(outcome))} tests per body (${formatShare(hitRatio(outcome)) || 'none'} find a pair)`;
  const own = BACKENDS.flatMap((backend) => counted.filter(({ engine }) => engine === DENSE_GRID[backend]));
  const named = [...own, ...(fewest && !own.includes(fewest) ? [fewest] : [])];
  return [
    `${name}, ${formatCountOf(last.count, 'body', 'bodies')}: ${formatList(named.map(describe))}. All pairs would be ${formatFigure((last.count - 1) / 2)} tests per body.`,
  ];
}

function describeBytes({ name, cases }: Group): string[] {
  return BACKENDS.flatMap((backend) => {
    const own = cases
      .toReversed()
      .flatMap(({ timed }) => timed.filter(({ engine }) => engine === DENSE_GRID[backend]))[0];
    if (own?.bytesEquivalent === undefined) return [];
    const memory =
      own.memoryPerBody === undefined ? '' : `, and uses ${formatCount(own.memoryPerBody)} bytes per body`;
    return [
      `${name}: ${own.engine} ${describeCounts([own.count])} takes as long as copying ${formatCount(own.bytesEquivalent)} bytes per body${memory}.`,
    ];
  });
}
