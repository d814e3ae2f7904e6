/** Lists all engines, in the order of `--list`. */
import type { Engine } from '../harness/engine';
import { PEERS } from '../peers';
import { CPU_ENGINES } from './cpu';
import { GPU_ENGINES } from './gpu';
import { createCudaGrids } from './native/cuda';

/** `native` is the path of the native engines' program. If it is left out, their field `absent` says so. */
export function listEngines(native?: string): readonly Engine[] {
  return [...GPU_ENGINES, ...createCudaGrids(native), ...CPU_ENGINES, ...PEERS];
}
