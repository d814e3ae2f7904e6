/** The explainer's methods, which find contacts, with their stages and arrays. */

export const STAGES = {
  hash: 'Hash',
  count: 'Count',
  sum: 'Prefix sum',
  scatter: 'Scatter',
  order: 'Canonical order',
  probe: 'Probe',
  pairs: 'All pairs',
  push: 'Push apart',
} as const;

export type Stage = keyof typeof STAGES;

interface ArrayKind {
  /** The array has an entry for each of these. Arrays by cell or bucket end with three more entries. */
  readonly of: 'particle' | 'cell' | 'bucket' | 'entry' | 'slot';
  /** Numbers per entry. */
  readonly components: 1 | 2;
  readonly holds: string;
  /** Digits after the decimal point. */
  readonly digits?: number;
}

/** The engine uses the names counts, ranks, start, entries and ids, too. */
export const ARRAYS = {
  positions: { of: 'particle', components: 2, digits: 2, holds: 'positions, x above y' },
  cells: { of: 'particle', components: 1, holds: 'the cell of each particle' },
  ranks: { of: 'particle', components: 1, holds: 'particles that entered its cell earlier' },
  counts: { of: 'cell', components: 1, holds: 'particles in each cell' },
  start: { of: 'cell', components: 1, holds: 'where each cell begins' },
  entries: { of: 'entry', components: 1, holds: 'ids by cell, in order of arrival' },
  ids: { of: 'slot', components: 1, holds: 'ids by cell, ascending' },
  sorted: { of: 'slot', components: 2, digits: 2, holds: 'positions by slot, x above y' },
  lattices: { of: 'slot', components: 2, holds: 'cells by slot, x above y' },
  candidates: { of: 'slot', components: 1, holds: 'other particles in its nine cells' },
  contacts: { of: 'slot', components: 1, holds: 'particles that overlap it' },
  moved: { of: 'slot', components: 2, digits: 2, holds: 'positions after the push' },
} as const satisfies Record<string, ArrayKind>;

export type ArrayName = keyof typeof ARRAYS;

interface MethodKind {
  readonly title: string;
  readonly lead: string;
  /** The stages in order, and the arrays that each shows. */
  readonly shown: Readonly<Partial<Record<Stage, readonly ArrayName[]>>>;
  /** The differences from ARRAYS. */
  readonly arrays: Readonly<Partial<Record<ArrayName, Partial<ArrayKind>>>>;
}

export const METHODS = {
  grid: {
    title: 'Grid',
    lead: 'Each particle looks only into the nine cells around it. These are the passes that cellstorm runs on a GPU.',
    shown: {
      hash: ['positions', 'cells'],
      count: ['cells', 'ranks', 'counts'],
      sum: ['counts', 'start'],
      scatter: ['cells', 'ranks', 'start', 'entries'],
      order: ['positions', 'start', 'entries', 'ids', 'sorted'],
      probe: ['start', 'ids', 'sorted', 'candidates', 'contacts'],
      push: ['ids', 'sorted', 'contacts', 'moved'],
    },
    arrays: {},
  },
  hashed: {
    title: 'Hashed grid',
    lead: 'An unbounded world has no last cell, so the cells share the 128 buckets of a table. The passes stay the same.',
    shown: {
      hash: ['positions', 'cells'],
      count: ['cells', 'ranks', 'counts'],
      sum: ['counts', 'start'],
      scatter: ['cells', 'ranks', 'start', 'entries'],
      order: ['positions', 'start', 'entries', 'ids', 'sorted', 'lattices'],
      probe: ['start', 'ids', 'sorted', 'lattices', 'candidates', 'contacts'],
      push: ['ids', 'sorted', 'contacts', 'moved'],
    },
    arrays: {
      cells: { holds: 'the bucket of each particle' },
      ranks: { holds: 'particles that entered its bucket earlier' },
      counts: { of: 'bucket', holds: 'particles in each bucket' },
      start: { of: 'bucket', holds: 'where each bucket begins' },
      entries: { holds: 'ids by bucket, in order of arrival' },
      ids: { holds: 'ids by bucket, ascending' },
    },
  },
  naive: {
    title: 'Naive loop',
    lead: 'Without a grid, every pair of particles is tested. Nothing is sorted, but twice the particles take about four times the tests.',
    shown: {
      pairs: ['positions', 'candidates', 'contacts'],
      push: ['positions', 'contacts', 'moved'],
    },
    arrays: {
      candidates: { of: 'particle', holds: 'tests of it so far' },
      contacts: { of: 'particle' },
      moved: { of: 'particle' },
    },
  },
} as const satisfies Record<string, MethodKind>;

export type Method = keyof typeof METHODS;

export const METHOD_NAMES = Object.keys(METHODS) as Method[];

export function stagesOf(method: Method): Stage[] {
  return Object.keys(METHODS[method].shown) as Stage[];
}

export function shownArrays(method: Method, stage: Stage): readonly ArrayName[] {
  const { shown }: MethodKind = METHODS[method];
  return shown[stage] ?? [];
}

export function arrayOf(method: Method, name: ArrayName): ArrayKind {
  const { arrays }: MethodKind = METHODS[method];
  return { ...ARRAYS[name], ...arrays[name] };
}
