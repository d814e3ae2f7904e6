/** Modules of searches around points, in boxes, along rays, and along the paths of solve/ccd.ts. */

import blockLevelsDense from '../../shaders/levels/block_dense.wgsl?raw';
import blockLevelsHashed from '../../shaders/levels/block_hashed.wgsl?raw';
import levelsHeld from '../../shaders/levels/occupied.wgsl?raw';
import segmentsLevelsDense from '../../shaders/levels/segments_dense.wgsl?raw';
import segmentsLevelsHashed from '../../shaders/levels/segments_hashed.wgsl?raw';
import block from '../../shaders/neighbours/block.wgsl?raw';
import blockDense from '../../shaders/neighbours/block_dense.wgsl?raw';
import blockUnbounded from '../../shaders/neighbours/block_unbounded.wgsl?raw';
import eachPoint from '../../shaders/neighbours/each_point.wgsl?raw';
import neighbours from '../../shaders/neighbours/neighbours.wgsl?raw';
import probeAround from '../../shaders/neighbours/probe_box.wgsl?raw';
import segments from '../../shaders/neighbours/segments.wgsl?raw';
import segmentsDense from '../../shaders/neighbours/segments_dense.wgsl?raw';
import segmentsUnbounded from '../../shaders/neighbours/segments_unbounded.wgsl?raw';
import path from '../../shaders/query/path.wgsl?raw';
import pathBlocks from '../../shaders/query/path_blocks.wgsl?raw';
import pathDense from '../../shaders/query/path_dense.wgsl?raw';
import pathLevelsDense from '../../shaders/query/path_levels_dense.wgsl?raw';
import pathLevelsHashed from '../../shaders/query/path_levels_hashed.wgsl?raw';
import pathUnbounded from '../../shaders/query/path_unbounded.wgsl?raw';
import sortStretch from '../../shaders/sort/sort_stretch.wgsl?raw';
import boxPeriodic from '../../shaders/world/box_periodic.wgsl?raw';
import boxStraight from '../../shaders/world/box_straight.wgsl?raw';
import type { WorldKind } from '../core/world/world';
import type { ShaderSource } from '../gpu/link';
import { type Breadth, LEVEL_TABLE, neighbourModules, PARTICLE, type Variant, worldModules } from './modules';

export const NEIGHBOURS: ShaderSource = { name: 'neighbours/neighbours.wgsl', text: neighbours };
export const EACH_POINT: ShaderSource = { name: 'neighbours/each_point.wgsl', text: eachPoint };
export const SORT_STRETCH: ShaderSource = { name: 'sort/sort_stretch.wgsl', text: sortStretch };
const HELD: ShaderSource = { name: 'levels/occupied.wgsl', text: levelsHeld };

const BOX_STRAIGHT: ShaderSource = { name: 'world/box_straight.wgsl', text: boxStraight };
const BLOCK_DENSE: ShaderSource = { name: 'neighbours/block_dense.wgsl', text: blockDense };

const BOX_PERIODIC: ShaderSource = { name: 'world/box_periodic.wgsl', text: boxPeriodic };
const BLOCK: ShaderSource = { name: 'neighbours/block.wgsl', text: block };

const BLOCKS: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [BOX_STRAIGHT, BLOCK_DENSE, BLOCK],
  periodic: [BOX_PERIODIC, BLOCK_DENSE, BLOCK],
  unbounded: [BOX_STRAIGHT, { name: 'neighbours/block_unbounded.wgsl', text: blockUnbounded }, BLOCK],
};

const BLOCK_LEVELS_DENSE: ShaderSource = { name: 'levels/block_dense.wgsl', text: blockLevelsDense };
const BLOCK_LEVELS_HASHED: ShaderSource = {
  name: 'levels/block_hashed.wgsl',
  text: blockLevelsHashed,
};

const LEVEL_BLOCKS: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [BOX_STRAIGHT, BLOCK_LEVELS_DENSE, BLOCK],
  periodic: [BOX_PERIODIC, BLOCK_LEVELS_DENSE, BLOCK],
  unbounded: [BOX_STRAIGHT, BLOCK_LEVELS_HASHED, BLOCK],
};

const SEGMENTS: ShaderSource = { name: 'neighbours/segments.wgsl', text: segments };
const SEGMENTS_DENSE: ShaderSource = { name: 'neighbours/segments_dense.wgsl', text: segmentsDense };
const SEGMENTS_UNBOUNDED: ShaderSource = {
  name: 'neighbours/segments_unbounded.wgsl',
  text: segmentsUnbounded,
};

const SEGMENT_MODULES: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [SEGMENTS_DENSE, SEGMENTS],
  periodic: [SEGMENTS_DENSE, SEGMENTS],
  unbounded: [SEGMENTS_UNBOUNDED, SEGMENTS],
};

const SEGMENTS_LEVELS_DENSE: ShaderSource = {
  name: 'levels/segments_dense.wgsl',
  text: segmentsLevelsDense,
};
const SEGMENTS_LEVELS_HASHED: ShaderSource = {
  name: 'levels/segments_hashed.wgsl',
  text: segmentsLevelsHashed,
};

const LEVEL_SEGMENTS: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [HELD, SEGMENTS_LEVELS_DENSE, SEGMENTS],
  periodic: [HELD, SEGMENTS_LEVELS_DENSE, SEGMENTS],
  unbounded: [HELD, SEGMENTS_LEVELS_HASHED, SEGMENTS],
};

const PROBE_AROUND: ShaderSource = { name: 'neighbours/probe_box.wgsl', text: probeAround };

const PATH: ShaderSource = { name: 'query/path.wgsl', text: path };
const PATH_BLOCKS: ShaderSource = { name: 'query/path_blocks.wgsl', text: pathBlocks };
const PATH_DENSE: ShaderSource = { name: 'query/path_dense.wgsl', text: pathDense };

const PATHS: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [PATH, PATH_DENSE],
  periodic: [PATH, PATH_DENSE],
  unbounded: [PATH, PATH_BLOCKS, { name: 'query/path_unbounded.wgsl', text: pathUnbounded }],
};

const PATH_LEVELS_DENSE: ShaderSource = { name: 'query/path_levels_dense.wgsl', text: pathLevelsDense };
const PATH_LEVELS_HASHED: ShaderSource = { name: 'query/path_levels_hashed.wgsl', text: pathLevelsHashed };

const LEVEL_PATHS: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [HELD, PATH, PATH_LEVELS_DENSE],
  periodic: [HELD, PATH, PATH_LEVELS_DENSE],
  unbounded: [HELD, PATH, PATH_BLOCKS, LEVEL_TABLE, PATH_LEVELS_HASHED],
};

/** The kernel's own module must define the functions that base/particle.wgsl lists. */
export function searchModules(variant: Variant, breadth: Breadth): ShaderSource[] {
  if (breadth === 'narrow') return neighbourModules(variant, 'grid');
  return [...segmentModules(variant), PARTICLE, PROBE_AROUND];
}

/** A block is all the cells that a box of positions touches; with levels, only the cells of one level. */
export function blockModules(variant: Variant): ShaderSource[] {
  return [...worldModules(variant), ...(variant.levels ? LEVEL_BLOCKS : BLOCKS)[variant.kind]];
}

/** The kernel must declare `start` and, in unbounded worlds, also `cell_of_slot`. */
export function segmentModules(variant: Variant): ShaderSource[] {
  const { kind, levels } = variant;
  return [...blockModules(variant), ...(levels ? LEVEL_SEGMENTS : SEGMENT_MODULES)[kind]];
}

/** The kernel must declare the bindings that segmentModules names. */
export function pathModules(variant: Variant): ShaderSource[] {
  const { kind, levels } = variant;
  return [...worldModules(variant), ...(levels ? LEVEL_PATHS : PATHS)[kind]];
}
