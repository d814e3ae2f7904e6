import { describe, expect, it } from 'vitest';
import { integrate } from '../../../../src/reference/solve/integrate';
import { PLAIN_WORLDS } from '../../../helpers/inputs/worlds';

describe('integrate', () => {
  it('changes velocity first, then moves by the new velocity', () => {
    const moved = integrate(
      PLAIN_WORLDS[2],
      { dt: 0.125, gravity: [0, -8] },
      { positions: new Float32Array([1, 2]), velocities: new Float32Array([1, 2]) },
    );
    expect([...moved.velocities]).toEqual([1, 1]);
    expect([...moved.positions]).toEqual([1.125, 2.125]);
  });

  it('keeps the bits of particles that are not finite, and moves the others', () => {
    const words = new Uint32Array([0x7fc1_2345, 0x3f80_0000, 0x3f80_0000, 0x3f80_0000]);
    const state = { positions: new Float32Array(words.buffer), velocities: new Float32Array(4).fill(8) };
    const moved = integrate(PLAIN_WORLDS[2], { dt: 0.125, gravity: [0, 0] }, state);
    expect([...new Uint32Array(moved.positions.buffer)]).toEqual([
      ...words.slice(0, 2),
      0x4000_0000,
      0x4000_0000,
    ]);
    expect([...moved.velocities]).toEqual([8, 8, 8, 8]);
  });
});
