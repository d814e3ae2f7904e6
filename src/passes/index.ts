/**
 * Purpose: every kernel in every variant, for the tests that compile them all and hold bindings and layouts
 * against the WGSL. A new pass is added here.
 */
import type { BroadPhase } from '../core/settings';
import type { Dimensions, WorldKind } from '../core/world';
import type { KernelDescription } from '../gpu/kernel';
import { BOX_SEARCHERS, Boxes } from './boxes';
import { Count } from './count';
import { Gather } from './gather';
import { Integrate } from './integrate';
import { ListCount } from './list-count';
import { Measure } from './measure';
import type { Variant } from './modules';
import { Near } from './near';
import { Pairs } from './pairs';
import { Partner } from './partner';
import { RAYS_STEPS, Rays } from './rays';
import { Resolve } from './resolve';
import { Retire } from './retire';
import { Scan } from './scan';
import { Scatter } from './scatter';

const BROAD_PHASES: readonly BroadPhase[] = ['grid', 'naive'];

const KINDS: readonly WorldKind[] = ['bounded', 'periodic', 'unbounded'];

export function describeKernels(dimensions: Dimensions, subgroups: boolean): KernelDescription[] {
  return [
    ...Scan.describe(dimensions, false),
    ...(subgroups ? Scan.describe(dimensions, true) : []),
    Retire.describe(dimensions),
    ...ListCount.describe(dimensions, 65_535, 1),
    ...ListCount.describe(dimensions, 65_535, 2),
    ...KINDS.flatMap((kind) => describeVariant({ dimensions, kind })),
  ];
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
    Near.describe(variant, 'tally'),
    Near.describe(variant, 'fill'),
    ...BOX_SEARCHERS.flatMap((searcher) => [
      Boxes.describe(variant, 'tally', searcher, 65_535),
      Boxes.describe(variant, 'fill', searcher, 65_535),
    ]),
    ...RAYS_STEPS.map((step) => Rays.describe(variant, step)),
    ...BROAD_PHASES.flatMap((broadPhase) => [
      Partner.describe(variant, broadPhase),
      Resolve.describe(variant, broadPhase, 'respond'),
      Resolve.describe(variant, broadPhase, 'separate'),
      Measure.describe(variant, broadPhase),
      Pairs.describe(variant, broadPhase, 'tally'),
      Pairs.describe(variant, broadPhase, 'fill'),
    ]),
  ];
}
