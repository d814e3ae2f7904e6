import { describe, expect, it } from 'vitest';
import type { Substep } from '../../../../src/core/contact/settings';
import type { ParticleState, SlotPairs } from '../../../../src/cpu/shared/kernels';
import type { Response } from '../../../../src/cpu/solver/contact';
import { PLANE_CONTACT } from '../../../../src/cpu/solver/plane-contact';
import { SPACE_CONTACT } from '../../../../src/cpu/solver/space-contact';

describe.each([
  [2, PLANE_CONTACT],
  [3, SPACE_CONTACT],
] as const)('the fastest approaching contact in %dD', (dimensions, { findPartners }) => {
  it('of two particles at one position is measured along the axis that their slots determine', () => {
    const speeds = [2, 3, 4].slice(0, dimensions);
    for (let axis = 0; axis < dimensions; axis++) {
      const other = axis === 0 ? dimensions : axis;
      const velocities = new Float32Array(4 * dimensions);
      velocities.set(speeds);
      const approaches = new Float64Array(4).fill(-0.5);
      const partners = new Int32Array(4).fill(-1);
      findPartners(
        { words: Uint32Array.of(0, other), length: 2 } as unknown as SlotPairs,
        { positions: new Float32Array(4 * dimensions).fill(1), velocities } as unknown as ParticleState,
        { approaches, partners } as unknown as Response,
        {} as Substep,
      );
      // The normal points against the axis, from the other particle to slot 0.
      const speed = -(speeds[axis] as number);
      expect([approaches[0], approaches[other]]).toEqual([speed, speed]);
      expect([partners[0], partners[other]]).toEqual([other, 0]);
    }
  });
});
