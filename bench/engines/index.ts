/** Purpose: every engine of the benchmark, in the order in which tables list them. */
import type { Engine } from '../harness/engine';
import { PEERS } from '../peers';
import { CPU_ENGINES } from './cpu';
import { GPU_ENGINES } from './gpu';

export const ENGINES: readonly Engine[] = [...GPU_ENGINES, ...CPU_ENGINES, ...PEERS];
