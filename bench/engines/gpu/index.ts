import type { GpuEngine } from '../../harness/engine';
import { GPU_BOXES, GPU_CHUNKS } from './boxes';
import { GPU_BVH } from './bvh';
import { GPU_MORTON, GPU_ROWS } from './cells';
import { GPU_GRID, GPU_HASHED, GPU_LEVELS } from './grids';
import { GPU_NAIVE } from './naive';
import { GPU_SWEEP } from './sweep';

export const GPU_ENGINES: readonly GpuEngine[] = [
  GPU_NAIVE,
  GPU_GRID,
  GPU_HASHED,
  GPU_LEVELS,
  GPU_ROWS,
  GPU_MORTON,
  GPU_SWEEP,
  GPU_BVH,
  GPU_BOXES,
  GPU_CHUNKS,
];
