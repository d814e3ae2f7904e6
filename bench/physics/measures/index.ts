/** Lists all cases of bench:physics. */
import type { Dimensions } from '../../../src/core/world/world';
import { type Case, GROUP_NAMES, type GroupName, type Sizes } from '../measure';
import { bounceCases } from './bounce';
import { overlapCases } from './overlap';
import { pileCases } from './pile';
import { ratioCases } from './ratio';
import { slopeCases } from './slope';
import { standingCases } from './standing';

const CASES_OF: Readonly<Record<GroupName, (dimensions: Dimensions, sizes: Sizes) => Case[]>> = {
  slope: slopeCases,
  standing: standingCases,
  ratio: ratioCases,
  overlap: overlapCases,
  bounce: bounceCases,
  pile: pileCases,
};

/** Returns the cases of these groups, in the order of GROUP_NAMES. */
export function casesOf(
  groups: readonly GroupName[],
  dimensions: readonly Dimensions[],
  sizes: Sizes,
): Case[] {
  return GROUP_NAMES.filter((name) => groups.includes(name)).flatMap((name) =>
    dimensions.flatMap((dimension) => CASES_OF[name](dimension, sizes)),
  );
}
