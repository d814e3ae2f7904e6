/** Purpose: fast-check with as many runs of a property as the gate has time for; see thorough.ts. Properties that say their own number keep it, or say `atGate`. */
import fc from 'fast-check';
import { atGate, THOROUGH } from './thorough';

/** As many as fast-check would. */
const RUNS = 100;

if (!THOROUGH) fc.configureGlobal({ numRuns: atGate(RUNS) });

export { fc };
