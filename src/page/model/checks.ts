/**
 * How often a step asks whether two particles are near enough to touch, and what the page says about it. Pure.
 * Candidate pairs are counted once, however often they are looked at. Checks are how often the distance test is done: on the
 * GPU each particle gathers from all around it, so a pair is tested from both sides, and the particle meets itself too; the
 * CPU engine tests a pair once for both. Every substep does all of it, and with restitution once more, to find which
 * particles bounce off each other.
 */
import type { Settings } from '../../core/contact/settings';
import type { Measures, ParticleSimulation } from '../../core/simulation/simulation';
import { formatCount, formatCountOf } from '../support/format';

type Passes = Pick<Settings, 'substeps' | 'restitution'>;

/** How often a step goes over all candidates. */
export function passesOf({ substeps, restitution }: Passes): number {
  return substeps * (restitution > 0 ? 2 : 1);
}

export interface Checks {
  /** Of a step from this state. */
  readonly count: number;
  /** How the count comes about, and what is not in it. */
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
  const live = count - nonFinite;
  const each = backend === 'gpu' ? 2 * candidates + live : candidates;
  const passes = passesOf(settings);
  const sides = backend === 'gpu' ? 'from both sides, and each particle meets itself' : 'once for both';
  const rounds = [
    formatCountOf(settings.substeps, 'substep'),
    ...(settings.restitution > 0 ? ['2, since bounces look for partners first'] : []),
  ].join(' × ');
  // Where sizes differ, the GPU's loop leaves out cells that are too far for the two sizes.
  const isMixed = radiusRange !== undefined && settings.broadPhase === 'grid';
  const most = backend === 'gpu' && isMixed ? ' at most' : '';
  const levels =
    backend === 'cpu' && isMixed
      ? ' Of the levels that are shown, this engine uses those that pay, so candidates and the fullest cell are others than on the GPU.'
      : '';
  return {
    count: passes * each,
    explanation: `Distance tests of one step${most}, by who is in which cell now: ${formatCount(candidates)} candidate pairs, tested ${sides}: ${formatCount(each)}, × ${rounds}. Tests against obstacles and walls, and along the paths of fast particles, are not counted.${levels}`,
  };
}
