/** Lists the kernels of this folder in the variants that the engine uses. Tests compile them. Add new passes here. */
import type { BroadPhase } from '../core/contact/settings';
import type { Dimensions, WorldKind } from '../core/world/world';
import type { KernelDescription } from '../gpu/kernel';
import { BoxBodies } from './grid/box-bodies';
import { Count } from './grid/count';
import { Crowd } from './grid/crowd';
import { FinerEntries } from './grid/finer-entries';
import { Gather } from './grid/gather';
import { MERGE_STEPS, MergeLevels } from './grid/merge-levels';
import { SCAN_SHAPES, SCAN_STEPS, Scan } from './grid/scan';
import { Scatter } from './grid/scatter';
import { Measure } from './measure/measure';
import { type Breadth, splitsCrowds, type Variant } from './modules';
import { BOX_SEARCHERS, Boxes } from './query/boxes';
import { CHUNK_STEPS, describeChunks } from './query/chunks';
import { ListCount } from './query/list-count';
import { Near } from './query/near';
import { Nearest } from './query/nearest';
import { PairEventsPass } from './query/pair-events';
import { type PairShape, Pairs } from './query/pairs';
import { RAYS_STEPS, Rays } from './query/rays';
import { CCD_PLANS, CCD_STEPS, CcdPass, STEPS_AT_OBSTACLES } from './solve/ccd';
import { EXACT_MODULES } from './solve/exact';
import { Integrate } from './solve/integrate';
import { Partner } from './solve/partner';
import { Resolve } from './solve/resolve';
import { Retire } from './solve/retire';
import { RADIX_SHAPES, Radix } from './sort/radix';

const BROAD_PHASES: readonly BroadPhase[] = ['grid', 'naive'];

const BREADTHS: readonly Breadth[] = ['narrow', 'wide'];

const KINDS: readonly WorldKind[] = ['bounded', 'periodic', 'unbounded'];

const EXACT_KINDS: readonly WorldKind[] = ['bounded', 'periodic'];

export function describeKernels(dimensions: Dimensions): KernelDescription[] {
  return [
    ...describeScan(dimensions),
    ...(dimensions === 2 ? describeRadix() : []),
    Retire.describe({ dimensions }),
    Retire.describe({ dimensions, levels: 1 }),
    Retire.describe({ dimensions, levels: 1, boxes: true }),
    ...ListCount.describe(dimensions, 65_535, 1, false),
    ...ListCount.describe(dimensions, 65_535, 1, true),
    ...ListCount.describe(dimensions, 65_535, 2, false),
    ...ListCount.describe(dimensions, 65_535, 2, true),
    ...PairEventsPass.describe(dimensions),
    ...CHUNK_STEPS.map((step) => describeChunks(dimensions, step)),
    ...[0, 1].flatMap((levels) =>
      CCD_PLANS.map((step) => CcdPass.describe({ dimensions, kind: 'bounded', levels }, step)),
    ),
    ...KINDS.flatMap((kind) => describeVariant({ dimensions, kind })),
    ...KINDS.flatMap((kind) => describeCcd({ dimensions, kind })),
    ...KINDS.flatMap((kind) => describeCcd({ dimensions, kind, levels: 1 })),
    ...KINDS.flatMap((kind) => describeCcd({ dimensions, kind, levels: 1, boxes: true })),
    ...KINDS.flatMap((kind) => describeObstacles({ dimensions, kind, obstacles: true })),
    ...KINDS.flatMap((kind) => describeCrowds({ dimensions, kind, crowds: true })),
    ...KINDS.flatMap((kind) => describeContacts({ dimensions, kind, crowds: true, obstacles: true }, 'grid')),
    ...KINDS.flatMap((kind) => describeLevels({ dimensions, kind, crowds: true, levels: 3 })),
    ...KINDS.flatMap((kind) =>
      RAYS_STEPS.map((step) => Rays.describe({ dimensions, kind, levels: 3 }, step)),
    ),
    ...KINDS.flatMap((kind) =>
      describeSizedSimulation({ dimensions, kind, crowds: true, levels: 3, boxes: true }),
    ),
    // Worlds with too few levels for finer entries have other kernels.
    ...KINDS.flatMap((kind) => describeLevels({ dimensions, kind, crowds: true, levels: 1 })),
    ...KINDS.flatMap((kind) =>
      describeSizedSimulation({ dimensions, kind, crowds: true, levels: 1, boxes: true }),
    ),
    ...[false, true].flatMap((boxes) => [
      ...KINDS.flatMap((kind) =>
        describeObstacles({ dimensions, kind, crowds: true, levels: 3, boxes, obstacles: true }),
      ),
      ...KINDS.flatMap((kind) =>
        describeObstacles({ dimensions, kind, crowds: true, levels: 1, boxes, obstacles: true }),
      ),
    ]),
    ...EXACT_KINDS.flatMap((kind) => describeExact({ dimensions, kind, exact: EXACT_MODULES })),
    ...EXACT_KINDS.flatMap((kind) => describeExactObstacles({ dimensions, kind, exact: EXACT_MODULES })),
    ...[false, true].flatMap((boxes) =>
      MERGE_STEPS.map((step) =>
        MergeLevels.describe({ dimensions, kind: 'unbounded', levels: 3, boxes }, step),
      ),
    ),
    Crowd.describeClear({ dimensions }),
    ...Object.values(Crowd.describeMerges({ dimensions }, 'entries')),
    ...Object.values(Crowd.describeMerges({ dimensions }, 'finer')),
    Crowd.describeClose({ dimensions }),
  ];
}

function describeScan(dimensions: Dimensions): KernelDescription[] {
  return Object.values(SCAN_SHAPES).flatMap((shape) =>
    SCAN_STEPS.map((step) => Scan.describe(dimensions, step, shape)),
  );
}

/** Keys have no dimensions, so only 2D lists these kernels. */
function describeRadix(): KernelDescription[] {
  return Object.values(RADIX_SHAPES).flatMap((shape) =>
    [false, true].flatMap((wide) =>
      [false, true].flatMap((payload) => Radix.describe({ wide, payload, shape })),
    ),
  );
}

function describeVariant(variant: Variant): KernelDescription[] {
  return [
    Count.describe(variant, false),
    Count.describe(variant, true),
    Scatter.describe(variant, false),
    Scatter.describe(variant, true),
    Gather.describe(variant, false),
    Gather.describe(variant, true),
    Integrate.describe(variant),
    Integrate.describe(variant, false),
    ...BREADTHS.flatMap((breadth) => describeQueries(variant, breadth)),
    ...describeBoxSearches(variant),
    ...RAYS_STEPS.map((step) => Rays.describe(variant, step)),
    ...BROAD_PHASES.flatMap((broadPhase) => [
      ...describeContacts(variant, broadPhase),
      Measure.describe(variant, broadPhase),
      ...describePairs(variant, broadPhase),
    ]),
  ];
}

function describeExact(variant: Variant): KernelDescription[] {
  return [
    // This kernel is the same in every kind of world.
    ...(variant.kind === 'bounded' ? [Retire.describe(variant)] : []),
    Scatter.describe(variant, true),
    Gather.describe(variant, true),
    Integrate.describe(variant),
    ...BROAD_PHASES.flatMap((broadPhase) => [
      ...describeContacts(variant, broadPhase),
      Measure.describe(variant, broadPhase),
      ...describePairs(variant, broadPhase),
    ]),
  ];
}

function describeExactObstacles(variant: Variant): KernelDescription[] {
  return [
    // These three kernels sort obstacles, which have no ids and no velocities.
    Count.describe(variant, false),
    Scatter.describe(variant, false),
    Gather.describe(variant, false),
    ...BROAD_PHASES.flatMap((broadPhase) => [
      ...describeContacts({ ...variant, obstacles: true }, broadPhase),
      Measure.describe({ ...variant, obstacles: true }, broadPhase),
    ]),
  ];
}

function describeObstacles(variant: Variant): KernelDescription[] {
  const { levels } = variant;
  // The kernels of CcdPass are the same for one level and for several.
  const hasCcd = levels !== 1;
  const ccd = hasCcd ? STEPS_AT_OBSTACLES.map((step) => CcdPass.describe(variant, step)) : [];
  const probing = BROAD_PHASES.flatMap((broadPhase) => [
    ...describeContacts(variant, broadPhase),
    Measure.describe(variant, broadPhase),
  ]);
  return [...ccd, ...probing];
}

/** Leaves out CCD_PLANS, whose kernels are the same in every kind of world. */
function describeCcd(variant: Variant): KernelDescription[] {
  const steps = CCD_STEPS.filter((step) => !CCD_PLANS.includes(step));
  return steps.map((step) => CcdPass.describe(variant, step));
}

function describeCrowds(variant: Variant): KernelDescription[] {
  return [
    Crowd.describeHeavy(variant),
    Scatter.describe(variant, false),
    Scatter.describe(variant, true),
    Gather.describe(variant, false),
    Gather.describe(variant, true),
    ...describeContacts(variant, 'grid'),
    ...describePairs(variant, 'grid'),
  ];
}

function describeContacts(variant: Variant, broadPhase: BroadPhase): KernelDescription[] {
  return heavyVariants(variant, broadPhase).flatMap((heavy) => [
    // The search for partners is the same with and without obstacles.
    ...(variant.obstacles ? [] : [Partner.describe(variant, broadPhase, heavy)]),
    Resolve.describe(variant, broadPhase, 'respond', heavy),
    Resolve.describe(variant, broadPhase, 'pushApart', heavy),
  ]);
}

function describePairs(
  variant: Variant,
  broadPhase: BroadPhase,
  shape: PairShape = 'ball',
): KernelDescription[] {
  return heavyVariants(variant, broadPhase).flatMap((heavy) => [
    Pairs.describe(variant, broadPhase, 'tally', shape, heavy),
    Pairs.describe(variant, broadPhase, 'fill', shape, heavy),
  ]);
}

function heavyVariants(variant: Variant, broadPhase: BroadPhase): boolean[] {
  return splitsCrowds(variant, broadPhase) ? [false, true] : [false];
}

function describeQueries(variant: Variant, breadth: Breadth): KernelDescription[] {
  return [
    Near.describe(variant, 'tally', breadth),
    Near.describe(variant, 'fill', breadth),
    Nearest.describe(variant, breadth),
  ];
}

function describeBoxSearches(variant: Variant): KernelDescription[] {
  return BOX_SEARCHERS.flatMap((searcher) => [
    Boxes.describe(variant, 'tally', searcher),
    Boxes.describe(variant, 'fill', searcher),
  ]);
}

function describeLevels(variant: Variant): KernelDescription[] {
  return [
    ...(variant.kind === 'periodic' ? [] : describeBoxes(variant)),
    ...describeQueries(variant, 'wide'),
    ...describeBoxSearches(variant),
    Count.describe(variant, false),
    Scatter.describe(variant, false),
    Gather.describe(variant, false),
    ...describeSizedSimulation(variant),
  ];
}

function describeSizedSimulation(variant: Variant): KernelDescription[] {
  return [
    Integrate.describe(variant),
    Count.describe(variant, true),
    FinerEntries.describe(variant, 'clear'),
    FinerEntries.describe(variant, 'note'),
    FinerEntries.describe(variant, 'list'),
    FinerEntries.describe(variant, 'order'),
    Crowd.describeHeavy(variant),
    Scatter.describe(variant, true),
    Gather.describe(variant, true),
    ...BROAD_PHASES.flatMap((broadPhase) => [
      Measure.describe(variant, broadPhase),
      ...describePairs(variant, broadPhase),
      ...describeContacts(variant, broadPhase),
    ]),
  ];
}

/** BoxPairs uses only the kernels for unbounded worlds. Tests also compile those for bounded worlds. */
function describeBoxes(variant: Variant): KernelDescription[] {
  return [BoxBodies.describe(variant), ...describePairs(variant, 'grid', 'box')];
}
