/** The host's part of exact simulations. It is loaded only if there is such a simulation. */
import type { Substep } from '../../core/contact/settings';
import { toExactObstacles } from '../../core/exact/convert';
import { exponentOf, packFactor } from '../../core/exact/integers';
import type { Quanta } from '../../core/exact/quanta';
import { deriveExactSubstep } from '../../core/exact/substep';
import type { World } from '../../core/world/world';
import type { ExactValues } from '../../gpu/params';
import { EXACT_MODULES } from '../../passes/solve/exact';

export { checkExactArrays } from '../../core/exact/arrays';
export { checkExactBodies, checkExactObstacles } from '../../core/exact/bodies';
export { toExact, toFloats, wrapExactly } from '../../core/exact/convert';
export { checkExactStep } from '../../core/exact/step';

/** Returns the world with the cells and the modules that shaders need. See shaders/world/exact.wgsl for the cells. */
export function exactWorld(world: World, { diameter, extent }: Quanta): World {
  const cells = extent.map((size, axis) => {
    const inside = Math.max(1, Math.floor(size / diameter));
    return (world.period[axis] as number) > 0 ? inside : inside + 2;
  });
  const cellCount = cells.reduce((product, count) => product * count, 1);
  return Object.freeze({ ...world, cells: Object.freeze(cells), cellCount, exact: EXACT_MODULES });
}

/** Returns the bits of the positions of obstacles, in whole numbers. */
export function obstacleBits(quanta: Quanta, positions: Float32Array): Float32Array {
  return new Float32Array(toExactObstacles(quanta, positions).buffer);
}

/** Returns the parameters of a substep of step number `step`. */
export function exactValuesOf(quanta: Quanta, substep: Substep, step: number): ExactValues {
  const exact = deriveExactSubstep(quanta, substep, step);
  return {
    // Floats only find candidates.
    diameter_squared: quanta.searchDiameter ** 2,
    // Devices may flush the smallest floats to 0, so the engines agree on a multiple of 2⁻³¹.
    restitution: exact.restitution,
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
