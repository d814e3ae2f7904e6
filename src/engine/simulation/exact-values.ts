/** The parameters of shaders in exact simulations, and their modules. Loaded only if there is such a simulation. */
import type { Substep } from '../../core/contact/settings';
import { exponentOf, packFactor } from '../../core/exact/integers';
import { type Quanta, withExactCells } from '../../core/exact/quanta';
import { deriveExactSubstep } from '../../core/exact/substep';
import type { World } from '../../core/world/world';
import type { ExactValues } from '../../gpu/params';
import { EXACT_MODULES } from '../../passes/solve/exact';

/** Returns the world with the cells and the modules that shaders need. */
export function exactWorld(world: World, quanta: Quanta): World {
  return withExactCells(world, quanta, EXACT_MODULES);
}

/** Returns the parameters of a substep of step number `step`. */
export function exactValuesOf(quanta: Quanta, substep: Substep, step: number): ExactValues {
  const exact = deriveExactSubstep(quanta, substep, step);
  return {
    // Floats only find candidates.
    diameter_squared: quanta.searchDiameter ** 2,
    quantum: quanta.length,
    extent: quanta.extent,
    quanta_bits: exponentOf(quanta.diameter),
    gained: exact.gained,
    dither: exact.dither,
    gain: exact.meanGain,
    exact_dt: packFactor(exact.dt),
    exact_relaxation: packFactor(exact.halfRelaxation),
    push_rate: packFactor(exact.pushRate),
    wall_rate: packFactor(exact.wallRate),
    exact_friction: packFactor(exact.friction),
    exact_grip: packFactor(exact.gripShare),
    rebound: packFactor(exact.rebound),
    half_rebound: packFactor(exact.halfRebound),
    damping: packFactor(exact.damping),
    most_overlap: exact.mostOverlap,
    most_depth: exact.mostDepth,
    exact_rest_speed: exact.restSpeed,
    exact_push_speed: exact.pushSpeed,
    exact_kick_speed: exact.kickSpeed,
  };
}
