/** Purpose: other people's packages, each used as its authors recommend; imported when first opened. */
import type { CpuEngine } from '../harness/engine';

export const PEERS: readonly CpuEngine[] = [];
