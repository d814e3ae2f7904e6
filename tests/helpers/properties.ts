/**
 * fast-check with fewer runs per property, as thorough.ts decides. A property that sets `numRuns` itself keeps that
 * number.
 */
import fc from 'fast-check';
import { atGate, THOROUGH } from './thorough';

/** The default of fast-check. */
const RUNS = 100;

if (!THOROUGH) fc.configureGlobal({ numRuns: atGate(RUNS) });

export { fc };
