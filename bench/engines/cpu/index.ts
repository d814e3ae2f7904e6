import type { CpuEngine } from '../../harness/engine';
import { CPU_BOX_CELLS } from './box-cells';
import { CPU_BOXES, CPU_CHUNKS } from './boxes';
import { CPU_MORTON, CPU_ROWS } from './cells';
import { CPU_GRID } from './grid';
import { CPU_HASHES, CPU_TESCHNER } from './hash-tables';
import { CPU_NAIVE } from './naive';
import { CPU_SWEEP, CPU_SWEEP_COHERENT, CPU_SWEEP_WIDEST } from './sweep';
import { CPU_TIGHT } from './tight';
import { CPU_BVH } from './trees/bvh';
import { CPU_KD_TREE } from './trees/kd-tree';
import { CPU_LOOSE_QUADTREE, CPU_QUADTREE } from './trees/quadtree';

export const CPU_ENGINES: readonly CpuEngine[] = [
  CPU_NAIVE,
  CPU_GRID,
  CPU_TIGHT,
  CPU_ROWS,
  CPU_MORTON,
  CPU_TESCHNER,
  ...CPU_HASHES,
  CPU_SWEEP,
  CPU_SWEEP_WIDEST,
  CPU_SWEEP_COHERENT,
  CPU_CHUNKS,
  CPU_QUADTREE,
  CPU_LOOSE_QUADTREE,
  CPU_KD_TREE,
  CPU_BVH,
  CPU_BOXES,
  CPU_BOX_CELLS,
];
