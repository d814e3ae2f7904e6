/**
 * Limits on what a hardware compiler makes of the kernels; `npm run bench:isa` shows which figures changed. Without
 * RADV or a C compiler the tests fail, unless CELLSTORM_ALLOW_NO_GPU=1 is set.
 */
import { describe, expect, test } from 'vitest';
import { buildDriver } from '../../../bench/isa/driver';
import { FAMILY_NAMES, type Family } from '../../../bench/isa/families';
import { isHot } from '../../../bench/isa/kernels';
import { type Figures, type Isa, measureIsa } from '../../../bench/isa/measure';
import { allowsNoGpu } from '../../../src/testing/environment';

/** The measurement takes three processes with 85 s of processor time each. */
const LIMIT_MS = 1_800_000;

interface Exception {
  readonly kernels: RegExp;
  readonly limit: Readonly<Partial<Record<Family, number>>>;
}

/** Kernels that spill scalar registers into vector registers, with the greatest number that was measured. */
const SCALAR_SPILLS: readonly Exception[] = [
  // In the ccd kernels, threads loop over paths.
  { kernels: /^solve\.ccd\.(?:meet|still)\.levels\b/, limit: { 'RDNA 3': 27, 'RDNA 2': 27, Vega: 39 } },
  { kernels: /^solve\.ccd\.meet\.periodic 3D/, limit: { Vega: 5 } },
  { kernels: /^measure\.rays\.(?:tally|fill)\..*periodic/, limit: { 'RDNA 3': 20, 'RDNA 2': 20, Vega: 22 } },
  { kernels: /^solve\.resolve\.grid\.respond\.levels\.boxes\.periodic.*heavy 3D/, limit: { Vega: 5 } },
];

/** The arrays of 256 counters per thread are only for software adapters. */
const ARRAYS_IN_MEMORY = /^sort\.radix_(?:count|scatter)\b.*\.8-bits /;

/** Hot kernels with less than half of the possible waves (32; Vega: 10), with the least number that was measured. */
const FEW_WAVES: readonly Exception[] = [
  // On RDNA 3, the 4,608 bytes of workgroup memory of heavy kernels with levels allow no more.
  { kernels: /^solve\.resolve\..*respond.*\.heavy 3D/, limit: { 'RDNA 3': 14 } },
  // For `taken` (core/contact/law.ts), a vector stays in registers while the kernel searches for obstacles.
  { kernels: /^solve\.resolve\..*respond.*levels\.boxes\.periodic\.obstacles 3D/, limit: { 'RDNA 2': 10 } },
  {
    kernels: /^solve\.resolve\..*respond\.(?:few-)?levels\.periodic\.obstacles 3D/,
    limit: { 'RDNA 2': 14, Vega: 3 },
  },
  {
    kernels: /^solve\.resolve\..*respond.*\.boxes\b.*\.(?:periodic\.obstacles|unbounded(?:\.obstacles)?) 3D/,
    limit: { 'RDNA 2': 12 },
  },
  { kernels: /^solve\.resolve\..*respond.*\.boxes\b.* 3D/, limit: { 'RDNA 2': 14, Vega: 3 } },
  { kernels: /^solve\.resolve\..*respond.*\.heavy 3D/, limit: { 'RDNA 2': 14 } },
  { kernels: /^solve\.resolve\..*respond.*\.boxes\b.* 2D/, limit: { Vega: 4 } },
  { kernels: /^solve\.resolve\..*respond\.unbounded\.obstacles\b.* 2D/, limit: { Vega: 4 } },
  { kernels: /^solve\.resolve\..*respond\.(?:few-)?levels\b.* 2D/, limit: { Vega: 4 } },
  // Exact kernels contain the contact law twice, because each thread collects neighbours before it computes their
  // contacts.
  {
    kernels: /^solve\.resolve\..*respond\b.*\.(?:obstacles\.exact|exact 3D)/,
    limit: { 'RDNA 2': 14, Vega: 3 },
  },
  { kernels: /^solve\.resolve\..*respond\b.*\.exact\b/, limit: { Vega: 4 } },
  {
    kernels: /^solve\.resolve\..*respond.*\.(?:obstacles|heavy|levels|few-levels)\b.* 3D/,
    limit: { Vega: 4 },
  },
  { kernels: /^solve\.(?:partner|resolve)\.grid\..*\.boxes\b.* 3D/, limit: { Vega: 4 } },
  { kernels: /^fluid\.particles\b.* 3D/, limit: { Vega: 4 } },
];

function limitOf(exceptions: readonly Exception[], family: Family, kernel: string): number | undefined {
  return exceptions.find(({ kernels, limit }) => kernels.test(kernel) && limit[family] !== undefined)?.limit[
    family
  ];
}

function isMissing(): boolean {
  try {
    buildDriver().remove();
    return false;
  } catch {
    return true;
  }
}

/** The first test starts to measure: `beforeAll` would do so even if the tier leaves out all tests. */
let measuring: Promise<Isa> | undefined;

async function measured(family: Family): Promise<[name: string, figures: Figures][]> {
  measuring ??= measureIsa();
  return [...(await measuring).families[family]];
}

const options = { tags: 'full', timeout: LIMIT_MS } as const;

describe.skipIf(allowsNoGpu() && isMissing()).each(FAMILY_NAMES)('on RADV for %s', (family) => {
  test('all kernels compile', options, async () => {
    expect((await measured(family)).length).toBeGreaterThan(1700);
  });

  test('no kernel spills vector registers, and none has arrays in memory', options, async () => {
    const spilling = (await measured(family)).filter(
      ([name, { spills, scratch }]) => spills > 0 || (scratch > 0 && !ARRAYS_IN_MEMORY.test(name)),
    );
    expect(spilling).toEqual([]);
  });

  test('kernels spill no scalar registers, except a few listed ones', options, async () => {
    const spilling = (await measured(family)).filter(
      ([name, { scalarSpills }]) => scalarSpills > (limitOf(SCALAR_SPILLS, family, name) ?? 0),
    );
    expect(spilling).toEqual([]);
  });

  test('hot kernels have at least half of the possible waves, except listed ones', options, async () => {
    const kernels = await measured(family);
    const most = Math.max(...kernels.map(([, { waves }]) => waves));
    const few = kernels.filter(
      ([name, { waves }]) => isHot(name) && waves < (limitOf(FEW_WAVES, family, name) ?? most / 2),
    );
    expect(few).toEqual([]);
  });
});
