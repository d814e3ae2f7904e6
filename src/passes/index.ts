/**
 * Purpose: every kernel in every variant, for the tests that compile them all and hold bindings and layouts
 * against the WGSL. A new pass is added here.
 */
import type { BroadPhase } from '../core/settings';
import type { Dimensions } from '../core/world';
import type { KernelDescription } from '../gpu/kernel';
import { Count } from './count';
import { Gather } from './gather';
import { Integrate } from './integrate';
import { Measure } from './measure';
import { Pairs } from './pairs';
import { Partner } from './partner';
import { Resolve } from './resolve';
import { Retire } from './retire';
import { Scan } from './scan';
import { Scatter } from './scatter';

const BROAD_PHASES: readonly BroadPhase[] = ['grid', 'naive'];

export function describeKernels(dimensions: Dimensions, subgroups: boolean): KernelDescription[] {
  return [
    Count.describe(dimensions, false),
    Count.describe(dimensions, true),
    ...Scan.describe(dimensions, false),
    ...(subgroups ? Scan.describe(dimensions, true) : []),
    Scatter.describe(dimensions, false),
    Scatter.describe(dimensions, true),
    Gather.describe(dimensions, false),
    Gather.describe(dimensions, true),
    Integrate.describe(dimensions),
    Retire.describe(dimensions),
    ...BROAD_PHASES.flatMap((broadPhase) => [
      Partner.describe(dimensions, broadPhase),
      Resolve.describe(dimensions, broadPhase, 'respond'),
      Resolve.describe(dimensions, broadPhase, 'separate'),
      Measure.describe(dimensions, broadPhase),
      Pairs.describe(dimensions, broadPhase, 'tally'),
      Pairs.describe(dimensions, broadPhase, 'fill'),
    ]),
  ];
}
