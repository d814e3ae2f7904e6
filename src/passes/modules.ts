/**
 * Chooses modules, bindings, flags and labels for a variant. search-modules.ts has the modules of searches around
 * points, in boxes and along rays and paths.
 */

import finite from '../../shaders/base/finite.wgsl?raw';
import hash from '../../shaders/base/hash.wgsl?raw';
import params from '../../shaders/base/params.wgsl?raw';
import particle from '../../shaders/base/particle.wgsl?raw';
import levelsDense from '../../shaders/levels/dense.wgsl?raw';
import levelsHashed from '../../shaders/levels/hashed.wgsl?raw';
import levels from '../../shaders/levels/levels.wgsl?raw';
import probeLevels from '../../shaders/levels/probe.wgsl?raw';
import probeLayers from '../../shaders/levels/probe_layers.wgsl?raw';
import levelTable from '../../shaders/levels/table_hashed.wgsl?raw';
import eachHeavy from '../../shaders/neighbours/each_heavy.wgsl?raw';
import eachHeavyMarked from '../../shaders/neighbours/each_heavy_marked.wgsl?raw';
import eachParticle from '../../shaders/neighbours/each_particle.wgsl?raw';
import heavyList from '../../shaders/neighbours/heavy_list.wgsl?raw';
import heavyWords from '../../shaders/neighbours/heavy_words.wgsl?raw';
import probeBounded from '../../shaders/neighbours/probe_bounded.wgsl?raw';
import probeNaive from '../../shaders/neighbours/probe_naive.wgsl?raw';
import probeRows from '../../shaders/neighbours/probe_rows.wgsl?raw';
import rowsPeriodic from '../../shaders/neighbours/rows_periodic.wgsl?raw';
import rowsUnbounded from '../../shaders/neighbours/rows_unbounded.wgsl?raw';
import obstaclesCells from '../../shaders/obstacles/cells.wgsl?raw';
import obstaclesDense from '../../shaders/obstacles/dense.wgsl?raw';
import obstacles from '../../shaders/obstacles/obstacles.wgsl?raw';
import probeObstacles from '../../shaders/obstacles/probe_cells.wgsl?raw';
import probeObstaclesTree from '../../shaders/obstacles/probe_tree.wgsl?raw';
import obstaclesTree from '../../shaders/obstacles/tree.wgsl?raw';
import obstaclesUnbounded from '../../shaders/obstacles/unbounded.wgsl?raw';
import contact from '../../shaders/solve/contact.wgsl?raw';
import contactLaw from '../../shaders/solve/contact_law.wgsl?raw';
import stretch from '../../shaders/sort/stretch.wgsl?raw';
import worldBounded from '../../shaders/world/bounded.wgsl?raw';
import cellsDense from '../../shaders/world/cells_dense.wgsl?raw';
import worldPeriodic from '../../shaders/world/periodic.wgsl?raw';
import spacePeriodic from '../../shaders/world/space_periodic.wgsl?raw';
import spaceStraight from '../../shaders/world/space_straight.wgsl?raw';
import worldUnbounded from '../../shaders/world/unbounded.wgsl?raw';
import type { BroadPhase } from '../core/contact/settings';
import { OBSTACLE_PARTNER } from '../core/obstacles/obstacles';
import { LEAF_BITS, TREE_HEADER, TREE_MARGIN } from '../core/obstacles/tree';
import { hasFiner } from '../core/world/cells';
import type { ExactModules } from '../core/world/types';
import type { Dimensions, WorldKind } from '../core/world/world';
import type { Bindings } from '../gpu/bindings';
import { storedFloats } from '../gpu/layout';
import type { ShaderSource } from '../gpu/link';

export const PARAMS: ShaderSource = { name: 'base/params.wgsl', text: params };
export const CONTACT: ShaderSource = { name: 'solve/contact.wgsl', text: contact };
export const CONTACT_LAW: ShaderSource = { name: 'solve/contact_law.wgsl', text: contactLaw };
export const EACH_PARTICLE: ShaderSource = { name: 'neighbours/each_particle.wgsl', text: eachParticle };
const HEAVY_LIST: ShaderSource = { name: 'neighbours/heavy_list.wgsl', text: heavyList };
/** A workgroup handles one heavy particle at a time. */
export const EACH_HEAVY: readonly ShaderSource[] = [
  HEAVY_LIST,
  { name: 'neighbours/each_heavy.wgsl', text: eachHeavy },
];
/** Like EACH_HEAVY, for kernels that list neighbours by ascending id. */
export const EACH_HEAVY_MARKED: readonly ShaderSource[] = [
  HEAVY_LIST,
  { name: 'neighbours/each_heavy_marked.wgsl', text: eachHeavyMarked },
];
export const STRETCH: ShaderSource = { name: 'sort/stretch.wgsl', text: stretch };
const SPACE_STRAIGHT: ShaderSource = { name: 'world/space_straight.wgsl', text: spaceStraight };
const SPACE_PERIODIC: ShaderSource = { name: 'world/space_periodic.wgsl', text: spacePeriodic };
const CELLS_DENSE: ShaderSource = { name: 'world/cells_dense.wgsl', text: cellsDense };
const HASH: ShaderSource = { name: 'base/hash.wgsl', text: hash };
export const FINITE: ShaderSource = { name: 'base/finite.wgsl', text: finite };
export const PARTICLE: ShaderSource = { name: 'base/particle.wgsl', text: particle };

const WORLDS: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [SPACE_STRAIGHT, CELLS_DENSE, { name: 'world/bounded.wgsl', text: worldBounded }],
  periodic: [SPACE_PERIODIC, CELLS_DENSE, { name: 'world/periodic.wgsl', text: worldPeriodic }],
  unbounded: [SPACE_STRAIGHT, HASH, { name: 'world/unbounded.wgsl', text: worldUnbounded }],
};

const LEVELS: ShaderSource = { name: 'levels/levels.wgsl', text: levels };
const LEVELS_DENSE: ShaderSource = { name: 'levels/dense.wgsl', text: levelsDense };
const LEVELS_HASHED: ShaderSource = { name: 'levels/hashed.wgsl', text: levelsHashed };

const LEVEL_WORLDS: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [SPACE_STRAIGHT, LEVELS_DENSE, LEVELS],
  periodic: [SPACE_PERIODIC, LEVELS_DENSE, LEVELS],
  unbounded: [SPACE_STRAIGHT, HASH, LEVELS_HASHED, LEVELS],
};

export const HEAVY_WORDS: ShaderSource = { name: 'neighbours/heavy_words.wgsl', text: heavyWords };
const PROBE_LEVELS: ShaderSource = { name: 'levels/probe.wgsl', text: probeLevels };
const PROBE_LAYERS: ShaderSource = { name: 'levels/probe_layers.wgsl', text: probeLayers };
/** Needs the binding `start`. */
export const LEVEL_TABLE: ShaderSource = { name: 'levels/table_hashed.wgsl', text: levelTable };

const LEVEL_PROBES: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [HEAVY_WORDS, PROBE_LAYERS, PROBE_LEVELS],
  periodic: [HEAVY_WORDS, PROBE_LAYERS, PROBE_LEVELS],
  unbounded: [HEAVY_WORDS, LEVEL_TABLE, PROBE_LAYERS, PROBE_LEVELS],
};

const PROBE_ROWS: ShaderSource = { name: 'neighbours/probe_rows.wgsl', text: probeRows };
const PROBE_NAIVE: ShaderSource = { name: 'neighbours/probe_naive.wgsl', text: probeNaive };

const GRID_PROBES: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [{ name: 'neighbours/probe_bounded.wgsl', text: probeBounded }],
  periodic: [{ name: 'neighbours/rows_periodic.wgsl', text: rowsPeriodic }, PROBE_ROWS],
  unbounded: [{ name: 'neighbours/rows_unbounded.wgsl', text: rowsUnbounded }, PROBE_ROWS],
};

/**
 * The range of a neighbour loop:
 * - `narrow` visits adjacent cells or, with variable radii, all cells that may hold overlapping particles.
 * - `wide` visits all cells within the kernel's reach.
 */
export type Breadth = 'narrow' | 'wide';

export interface Variant {
  readonly dimensions: Dimensions;
  readonly kind: WorldKind;
  readonly crowds?: boolean;
  /** With variable radii, the number of levels; otherwise 0. */
  readonly levels?: number | undefined;
  /** True if particles may be boxes. Needs levels. */
  readonly boxes?: boolean | undefined;
  readonly obstacles?: boolean;
  /** In exact simulations: the modules of solve/exact.ts. Positions and velocities are then whole numbers. */
  readonly exact?: ExactModules | undefined;
  /** With levels: true if the neighbour loop visits all adjacent cells instead of those within reach. */
  readonly wholeBlocks?: boolean;
}

export function worldModules({ kind, levels, exact }: Variant): ShaderSource[] {
  if (exact) return [PARAMS, FINITE, ...exact.world];
  return [PARAMS, FINITE, ...(levels ? LEVEL_WORLDS : WORLDS)[kind]];
}

export function finerBinding({ levels }: Variant): Bindings {
  return levels ? { finer: 'read array<u32>' } : {};
}

export function bodyFlags({
  levels,
  boxes,
  exact,
}: Pick<Variant, 'levels' | 'boxes' | 'exact'>): Readonly<Record<string, boolean>> {
  return { VARIABLE_RADII: (levels ?? 0) > 0, HAS_BOXES: boxes === true, EXACT: exact !== undefined };
}

function readsFiner({ levels = 0 }: Variant): boolean {
  return hasFiner({ levels });
}

export function worldFlags(variant: Variant): Readonly<Record<string, boolean>> {
  return {
    ...bodyFlags(variant),
    HAS_FINER: readsFiner(variant),
    WRAPS: variant.kind === 'periodic',
    HASHED: variant.kind === 'unbounded',
    WHOLE_BLOCKS: variant.wholeBlocks === true,
  };
}

export function neighbourFlags(
  variant: Variant,
  broadPhase: BroadPhase,
  heavy: boolean,
): Readonly<Record<string, boolean>> {
  return {
    ...worldFlags(variant),
    CROWDS: splitsCrowds(variant, broadPhase),
    HEAVY: heavy,
    OBSTACLES: variant.obstacles === true,
  };
}

export function shapeModules({ boxes }: Variant): ShaderSource[] {
  return boxes ? [CONTACT] : [];
}

/** With levels, the buffer of finer entries holds the list of heavy particles. */
export function heavyBinding({ levels }: Variant, heavy: boolean): Bindings {
  return heavy && !levels ? { crowd: 'read array<u32>' } : {};
}

/** The kernel's own module must define the functions that base/particle.wgsl lists. */
export function neighbourModules(variant: Variant, broadPhase: BroadPhase): ShaderSource[] {
  const { kind, levels } = variant;
  const inGrid = levels ? LEVEL_PROBES[kind] : GRID_PROBES[kind];
  const probe = broadPhase === 'naive' ? [PROBE_NAIVE] : inGrid;
  return [...worldModules(variant), PARTICLE, ...probe];
}

const OBSTACLES: ShaderSource = { name: 'obstacles/obstacles.wgsl', text: obstacles };
const OBSTACLE_PROBE: ShaderSource = { name: 'obstacles/probe_cells.wgsl', text: probeObstacles };

const OBSTACLE_CELLS: ShaderSource = { name: 'obstacles/cells.wgsl', text: obstaclesCells };
const OBSTACLE_TREE: ShaderSource = { name: 'obstacles/tree.wgsl', text: obstaclesTree };
const TREE_PROBE: ShaderSource = { name: 'obstacles/probe_tree.wgsl', text: probeObstaclesTree };

const OBSTACLE_ROWS: Readonly<Record<'dense' | 'hashed', ShaderSource>> = {
  dense: { name: 'obstacles/dense.wgsl', text: obstaclesDense },
  hashed: { name: 'obstacles/unbounded.wgsl', text: obstaclesUnbounded },
};

/** These modules read obstacles from `start`. */
export function obstacleStores({ obstacles: has, levels }: Variant): ShaderSource[] {
  return has ? [OBSTACLES, levels ? OBSTACLE_TREE : OBSTACLE_CELLS] : [];
}

/** With variable radii, the loop over obstacles goes through their tree, otherwise through rows of cells. */
export function obstacleModules(variant: Variant): ShaderSource[] {
  const { obstacles: has, kind, levels, exact } = variant;
  if (!has) return [];
  const rows = OBSTACLE_ROWS[kind === 'unbounded' ? 'hashed' : 'dense'];
  const probe = levels ? [TREE_PROBE] : [rows, ...(exact?.obstacles ?? [OBSTACLE_PROBE])];
  return [...obstacleStores(variant), ...probe];
}

export function obstacleConstants({
  obstacles: has,
  dimensions,
}: Pick<Variant, 'obstacles' | 'dimensions'>): Readonly<Record<string, number>> {
  if (!has) return {};
  return { OBSTACLE_PARTNER, OBSTACLE_WORDS: storedFloats(dimensions), TREE_HEADER, TREE_MARGIN, LEAF_BITS };
}

/** Returns true if neighbour kernels have a second variant for heavy particles. */
export function splitsCrowds({ crowds }: Variant, broadPhase: BroadPhase): boolean {
  return crowds === true && broadPhase === 'grid';
}

/** With levels, `crowds` is always on, so labels leave it out. */
export function variantName(variant: Variant): string {
  return `${worldName(variant)}${variant.crowds && !variant.levels ? '.crowds' : ''}`;
}

/** Names variants of kernels that are the same with and without `crowds`. */
export function worldName(variant: Variant, breadth: Breadth = 'narrow'): string {
  const { kind, levels, boxes, obstacles: has, exact, wholeBlocks } = variant;
  const sizes = readsFiner(variant) ? '.levels' : levels ? '.few-levels' : '';
  const name = kind === 'bounded' ? '' : `.${kind}`;
  const wide = breadth === 'wide' ? '.wide' : '';
  return `${sizes}${boxes ? '.boxes' : ''}${wide}${name}${has ? '.obstacles' : ''}${exact ? '.exact' : ''}${wholeBlocks ? '.whole-blocks' : ''}`;
}
