import type { Dimensions } from '../../../src/core/world/world';
import type { Case, GroupName, Sizes } from '../measure';
import { bedCases } from './bed';
import { bounceCases } from './bounce';
import { cornerCases } from './corner';
import { impactCases } from './impact';
import { overlapCases } from './overlap';
import { pileCases } from './pile';
import { pressedCases } from './pressed';
import { ratioCases } from './ratio';
import { sizesCases } from './sizes';
import { slopeCases } from './slope';
import { standingCases } from './standing';
import { tileCases } from './tiles';

const CASES_OF: Readonly<Record<GroupName, (dimensions: Dimensions, sizes: Sizes) => Case[]>> = {
  slope: (dimensions) => [...slopeCases(dimensions), ...cornerCases(dimensions)],
  standing: standingCases,
  ratio: (dimensions) => [...ratioCases(dimensions), ...bedCases(dimensions)],
  overlap: (dimensions) => [...overlapCases(dimensions), ...pressedCases(dimensions)],
  impact: (dimensions) => [...impactCases(dimensions), ...sizesCases(dimensions)],
  bounce: (dimensions, sizes) => [...bounceCases(dimensions, sizes), ...tileCases(dimensions)],
  pile: pileCases,
};

export function casesOf(group: GroupName, dimensions: readonly Dimensions[], sizes: Sizes): Case[] {
  return dimensions.flatMap((dimension) => CASES_OF[group](dimension, sizes));
}
