/**
 * The WGSL modules that kernels are linked from, by what they offer.
 */

import finite from '../../shaders/base/finite.wgsl?raw';
import hash from '../../shaders/base/hash.wgsl?raw';
import params from '../../shaders/base/params.wgsl?raw';
import particle from '../../shaders/base/particle.wgsl?raw';
import levelsDense from '../../shaders/levels/dense.wgsl?raw';
import levelsHashed from '../../shaders/levels/hashed.wgsl?raw';
import levels from '../../shaders/levels/levels.wgsl?raw';
import probeLevels from '../../shaders/levels/probe.wgsl?raw';
import probeLevelsDense from '../../shaders/levels/probe_dense.wgsl?raw';
import probeLevelsHashed from '../../shaders/levels/probe_hashed.wgsl?raw';
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
import { LEAF_BITS, TREE_HEADER } from '../core/obstacles/tree';
import { hasFiner } from '../core/world/cells';
import type { Dimensions, WorldKind } from '../core/world/world';
import type { Bindings } from '../gpu/bindings';
import { storedFloats } from '../gpu/layout';
import type { ShaderSource } from '../gpu/link';

export const PARAMS: ShaderSource = { name: 'base/params.wgsl', text: params };
export const CONTACT: ShaderSource = { name: 'solve/contact.wgsl', text: contact };
export const CONTACT_LAW: ShaderSource = { name: 'solve/contact_law.wgsl', text: contactLaw };
/** The entry point around a kernel's begin, visit and finish; its name is `each_particle`. */
export const EACH_PARTICLE: ShaderSource = { name: 'neighbours/each_particle.wgsl', text: eachParticle };
const HEAVY_LIST: ShaderSource = { name: 'neighbours/heavy_list.wgsl', text: heavyList };
/** The same for heavy particles; its name is `each_heavy`. */
export const EACH_HEAVY: readonly ShaderSource[] = [
  HEAVY_LIST,
  { name: 'neighbours/each_heavy.wgsl', text: eachHeavy },
];
/** The same where neighbours are listed by id. */
export const EACH_HEAVY_MARKED: readonly ShaderSource[] = [
  HEAVY_LIST,
  { name: 'neighbours/each_heavy_marked.wgsl', text: eachHeavyMarked },
];
/** Which places of a list are whose. */
export const STRETCH: ShaderSource = { name: 'sort/stretch.wgsl', text: stretch };
const STRAIGHT: ShaderSource = { name: 'world/space_straight.wgsl', text: spaceStraight };
const WRAPPED: ShaderSource = { name: 'world/space_periodic.wgsl', text: spacePeriodic };
const DENSE: ShaderSource = { name: 'world/cells_dense.wgsl', text: cellsDense };
const HASH: ShaderSource = { name: 'base/hash.wgsl', text: hash };
const FINITE: ShaderSource = { name: 'base/finite.wgsl', text: finite };
/** The structs of a particle and its neighbour. */
export const PARTICLE: ShaderSource = { name: 'base/particle.wgsl', text: particle };

const WORLDS: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [STRAIGHT, DENSE, { name: 'world/bounded.wgsl', text: worldBounded }],
  periodic: [WRAPPED, DENSE, { name: 'world/periodic.wgsl', text: worldPeriodic }],
  unbounded: [STRAIGHT, HASH, { name: 'world/unbounded.wgsl', text: worldUnbounded }],
};

const LEVELS: ShaderSource = { name: 'levels/levels.wgsl', text: levels };
const LEVELS_DENSE: ShaderSource = { name: 'levels/dense.wgsl', text: levelsDense };
const LEVELS_HASHED: ShaderSource = { name: 'levels/hashed.wgsl', text: levelsHashed };

/** The same with variable radii. */
const LEVEL_WORLDS: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [STRAIGHT, LEVELS_DENSE, LEVELS],
  periodic: [WRAPPED, LEVELS_DENSE, LEVELS],
  unbounded: [STRAIGHT, HASH, LEVELS_HASHED, LEVELS],
};

/** The words that note heavy particles in grids with levels. */
export const HEAVY_WORDS: ShaderSource = { name: 'neighbours/heavy_words.wgsl', text: heavyWords };
const LEVELS_PROBE: ShaderSource = { name: 'levels/probe.wgsl', text: probeLevels };
const DENSE_PROBE: ShaderSource = { name: 'levels/probe_dense.wgsl', text: probeLevelsDense };
const HASHED_PROBE: ShaderSource = { name: 'levels/probe_hashed.wgsl', text: probeLevelsHashed };

const LEVEL_PROBES: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [HEAVY_WORDS, DENSE_PROBE, LEVELS_PROBE],
  periodic: [HEAVY_WORDS, DENSE_PROBE, LEVELS_PROBE],
  unbounded: [HEAVY_WORDS, HASHED_PROBE, LEVELS_PROBE],
};

const ROWS: ShaderSource = { name: 'neighbours/probe_rows.wgsl', text: probeRows };
const NAIVE: ShaderSource = { name: 'neighbours/probe_naive.wgsl', text: probeNaive };

const GRID_PROBES: Readonly<Record<WorldKind, readonly ShaderSource[]>> = {
  bounded: [{ name: 'neighbours/probe_bounded.wgsl', text: probeBounded }],
  periodic: [{ name: 'neighbours/rows_periodic.wgsl', text: rowsPeriodic }, ROWS],
  unbounded: [{ name: 'neighbours/rows_unbounded.wgsl', text: rowsUnbounded }, ROWS],
};

/**
 * How far a neighbour loop looks: one cell on, or as many as the kernel says. Where there are levels: as far as particles
 * overlap, or around points as far as the kernel says.
 */
export type Breadth = 'narrow' | 'wide';

/** The variant that a kernel is compiled for. */
export interface Variant {
  readonly dimensions: Dimensions;
  readonly kind: WorldKind;
  /** Whether the work on crowded cells is split. */
  readonly crowds?: boolean;
  /** Levels of cells where each particle has a radius of its own, or 0. */
  readonly levels?: number | undefined;
  /** Whether particles may be boxes: only where there are levels. */
  readonly boxes?: boolean | undefined;
  /** Whether there are particles that never move. */
  readonly obstacles?: boolean;
  /** With levels: whether to look at all adjacent cells, instead of those within reach only. */
  readonly wholeBlocks?: boolean;
}

/** Parameters, and where positions and cells are. */
export function worldModules({ kind, levels }: Variant): ShaderSource[] {
  return [PARAMS, FINITE, ...(levels ? LEVEL_WORLDS : WORLDS)[kind]];
}

/** Bindings that the neighbour loop of a variant needs in addition. */
export function finerBinding({ levels }: Variant): Bindings {
  return levels ? { finer: 'read array<u32>' } : {};
}

/** Flags of body.wgsl. */
export function bodyFlags({
  levels,
  boxes,
}: Pick<Variant, 'levels' | 'boxes'>): Readonly<Record<string, boolean>> {
  return { VARIABLE_RADII: (levels ?? 0) > 0, HAS_BOXES: boxes === true };
}

/**
 * In a box of too few levels for finer entries no kernel looks for any. Worlds without an end with as few are too rare for kernels of
 * their own.
 */
function looksForFiner({ kind, levels = 0 }: Variant): boolean {
  return levels > 0 && (kind === 'unbounded' || hasFiner({ kind, levels }));
}

/** Flags that the modules of a variant ask for. */
export function worldFlags(variant: Variant): Readonly<Record<string, boolean>> {
  return {
    ...bodyFlags(variant),
    HAS_FINER: looksForFiner(variant),
    WRAPS: variant.kind === 'periodic',
    WHOLE_BLOCKS: variant.wholeBlocks === true,
  };
}

/** Flags of kernels over neighbours that heavy particles may have a kernel of their own of. */
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

/** Modules that a kernel needs in addition if particles may be boxes. */
export function shapeModules({ boxes }: Variant): ShaderSource[] {
  return boxes ? [CONTACT] : [];
}

/** The list of heavy particles: a buffer of its own, or the end of the finer entries. */
export function heavyBinding({ levels }: Variant, heavy: boolean): Bindings {
  return heavy && !levels ? { crowd: 'read array<u32>' } : {};
}

/** The same with the neighbour loop; the kernel that follows defines what particle.wgsl asks for. */
export function neighbourModules(variant: Variant, broadPhase: BroadPhase): ShaderSource[] {
  const { kind, levels } = variant;
  const inGrid = levels ? LEVEL_PROBES[kind] : GRID_PROBES[kind];
  const probe = broadPhase === 'naive' ? [NAIVE] : inGrid;
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

/** Bindings of obstacles in a kernel that has `start`. */
export function obstacleStores({ obstacles: has, levels }: Variant): ShaderSource[] {
  return has ? [OBSTACLES, levels ? OBSTACLE_TREE : OBSTACLE_CELLS] : [];
}

/** The loop over obstacles, where a variant has any: of those of many sizes over their tree, else over rows of cells. */
export function obstacleModules(variant: Variant): ShaderSource[] {
  const { obstacles: has, kind, levels } = variant;
  if (!has) return [];
  const probe = levels
    ? [TREE_PROBE]
    : [OBSTACLE_ROWS[kind === 'unbounded' ? 'hashed' : 'dense'], OBSTACLE_PROBE];
  return [...obstacleStores(variant), ...probe];
}

/** Constants of obstacles, for kernels that come with and without. */
export function obstacleConstants({
  obstacles: has,
  dimensions,
}: Pick<Variant, 'obstacles' | 'dimensions'>): Readonly<Record<string, number>> {
  if (!has) return {};
  return { OBSTACLE_PARTNER, OBSTACLE_WORDS: storedFloats(dimensions), TREE_HEADER, LEAF_BITS };
}

/** Whether kernels over neighbours come in two: for most particles, and for the heavy ones. */
export function splitsCrowds({ crowds }: Variant, broadPhase: BroadPhase): boolean {
  return crowds === true && broadPhase === 'grid';
}

/** For labels: what tells the kernel from the others of its name. */
export function variantName(variant: Variant): string {
  return `${worldName(variant)}${variant.crowds && !variant.levels ? '.crowds' : ''}`;
}

/** The name where crowds make no difference. Grids of particles with radii of their own are all made for them. */
export function worldName(variant: Variant, breadth: Breadth = 'narrow'): string {
  const { kind, levels, boxes, obstacles: has, wholeBlocks } = variant;
  const sizes = looksForFiner(variant) ? '.levels' : levels ? '.few-levels' : '';
  const name = kind === 'bounded' ? '' : `.${kind}`;
  const wide = breadth === 'wide' ? '.wide' : '';
  return `${sizes}${boxes ? '.shaped' : ''}${wide}${name}${has ? '.obstacles' : ''}${wholeBlocks ? '.whole-blocks' : ''}`;
}
