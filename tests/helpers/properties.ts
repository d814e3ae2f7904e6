/** Purpose: fast-check with as many runs of a property as the gate has time for; see thorough.ts. Properties that say their own number keep it. */
import fc from 'fast-check';
import { THOROUGH } from './thorough';

const RUNS = 40;

if (!THOROUGH) fc.configureGlobal({ numRuns: RUNS });

export { fc };
