/**
 * The tags that leave tests out of `npm test`, and the seed of fast-check. `npm run test:all` runs everything;
 * `npm test` leaves out
 * - tests tagged `full`;
 * - about seven eighths of the tests tagged `case`, each of which is one of many like it; a hash of the name decides;
 * - about 70% of a property's random cases.
 */
export const TIERS = {
  full: 'Runs only in npm run test:all.',
  case: 'One of many similar cases: npm test runs an eighth of them, chosen by their names; npm run test:all runs all.',
} as const;

/** The environment variable in which vitest.config.ts passes on the option --mode. */
export const TIER_VARIABLE = 'CELLSTORM_TIER';
export const SEED_VARIABLE = 'CELLSTORM_SEED';

const CASES_PER_RUN_CASE = 8;
const SHARE_OF_RUNS = 0.3;
const USUAL_SEED = 20_240_229;

export type Tier = 'default' | 'all';
const tier: Tier = process.env[TIER_VARIABLE] === 'all' ? 'all' : 'default';
export const runsAll = tier === 'all';

/** The seed of fast-check's random cases. `npm run test:fuzz` sets another one. */
export const seed = Number(process.env[SEED_VARIABLE] ?? USUAL_SEED);
export const isUsualSeed = seed === USUAL_SEED;

/** Returns the number of random cases in a tier. `runs` is their number in the tier `all`. */
export function runsOf(runs: number, of: Tier = tier): number {
  return of === 'all' ? runs : Math.ceil(SHARE_OF_RUNS * runs);
}

/** Returns whether a tier leaves out a test. `fullName` is the test's name after the names of its suites. */
export function isLeftOut(tags: readonly string[], fullName: string, of: Tier = tier): boolean {
  if (of === 'all') return false;
  return tags.includes('full') || (tags.includes('case') && hashOf(fullName) % CASES_PER_RUN_CASE !== 0);
}

/** FNV-1a, then MurmurHash3's last rounds, so that names with numbers in sequence get no regular hashes. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
