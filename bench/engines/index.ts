/** Purpose: every engine of the benchmark, in the order in which tables list them. */
import type { Engine } from '../harness/engine';
import { PEERS } from '../peers';
import { CPU_ENGINES } from './cpu';
import { GPU_ENGINES } from './gpu';
import { createCudaGrids } from './native/cuda';

/** `native`: the program of those that are one. */
export function listEngines(native?: string): readonly Engine[] {
  return [...GPU_ENGINES, ...createCudaGrids(native), ...CPU_ENGINES, ...PEERS];
}
