import type { CpuEngine } from '../../harness/engine';
import { CPU_CHUNKS } from './chunks';
import { CPU_GRID } from './grid';
import { CPU_NAIVE } from './naive';
import { CPU_SWEEP } from './sweep';
import { CPU_TIGHT } from './tight';

export const CPU_ENGINES: readonly CpuEngine[] = [CPU_NAIVE, CPU_GRID, CPU_TIGHT, CPU_SWEEP, CPU_CHUNKS];
