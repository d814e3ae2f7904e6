/**
 * Counts a step's distance tests ("checks"). The GPU tests each pair from both sides, and each particle with itself;
 * the CPU tests a pair once. With restitution, finding partners takes as many tests again.
 */
import type { Measures, ParticleSimulation, Settings } from '../../index';
import { formatCount, formatCountOf } from '../support/format';

type Passes = Pick<Settings, 'substeps' | 'restitution'>;

export function passesOf({ substeps, restitution }: Passes): number {
  return substeps * (restitution > 0 ? 2 : 1);
}

export interface Checks {
  readonly count: number;
  readonly explanation: string;
}

export function checksOf(
  { candidates, count, nonFinite }: Pick<Measures, 'candidates' | 'count' | 'nonFinite'>,
  {
    backend,
    settings,
    radiusRange,
  }: Pick<ParticleSimulation, 'backend' | 'radiusRange'> & { readonly settings: Settings },
): Checks {
  const finiteCount = count - nonFinite;
  const each = backend === 'gpu' ? 2 * candidates + finiteCount : candidates;
  const passes = passesOf(settings);
  const sides = backend === 'gpu' ? 'from both sides, and each particle with itself' : 'once each';
  const rounds =
    settings.restitution > 0 ? 'two passes each, because bounces look for partners first' : 'one pass each';
  // With variable radii, the GPU skips cells out of reach, so it may do fewer tests than counted here.
  const hasLevels = radiusRange !== undefined && settings.broadPhase === 'grid';
  const most = backend === 'gpu' && hasLevels ? 'at most ' : '';
  const levels =
    backend === 'cpu' && hasLevels
      ? ' On the GPU, candidates and fullest cell differ, because this engine uses only the levels that save time.'
      : '';
  return {
    count: passes * each,
    explanation: `A pass tests ${formatCount(candidates)} candidate pairs ${sides}: ${most}${formatCount(each)} tests. A step has ${formatCountOf(settings.substeps, 'substep')} of ${rounds}. This assumes that particles stay in their cells, and leaves out obstacles, walls and paths of fast particles.${levels}`,
  };
}
