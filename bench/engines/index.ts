/** Lists all engines, in the order of `--list`. */
import type { Engine } from '../harness/engine';
import { PEERS } from '../peers';
import { CPU_ENGINES } from './cpu';
import { GPU_ENGINES } from './gpu';
import { createCudaGrids } from './native/cuda';

/**
 * `native` is the path of the native engines' program. Without it, the field `absent` of these engines says why they do
 * not run.
 */
export function listEngines(native?: string): readonly Engine[] {
  return [...GPU_ENGINES, ...createCudaGrids(native), ...CPU_ENGINES, ...PEERS];
}
