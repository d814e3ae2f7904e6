import { describe, expect, it } from 'vitest';
import { held, pushed } from '../../../../src/page/tools/brush-law';
import type { Ray } from '../../../../src/page/view/camera';

function at(...numbers: number[]): Float32Array {
  return Float32Array.from(numbers);
}

function particlesAt(dimensions: number, positions: Float32Array, radii?: Float32Array) {
  const ids = Uint32Array.from({ length: positions.length / dimensions }, (_, index) => 10 + index);
  return { ids, positions, velocities: new Float32Array(positions.length), radii };
}

const POINT: Ray = { origin: [2, 3], direction: [0, 0], depth: 0 };

describe('the brush', () => {
  it('gives only the held particle a new velocity, towards its target and up to a limit', () => {
    const particles = particlesAt(2, at(1, 1, 4, 4));
    const grip = { id: 11, position: [4, 6], speed: 100 };
    expect(Array.from(held(2, particles, grip, 0.5))).toEqual([0, 0, 0, 1]);
    expect(Array.from(held(2, particles, { ...grip, speed: 0.5 }, 0.5))).toEqual([0, 0, 0, 0.5]);
    expect(Array.from(held(2, particles, { ...grip, position: [4, 4] }, 0.5))).toEqual([0, 0, 0, 0]);
    expect(Array.from(held(2, particles, { ...grip, id: 3 }, 0.5))).toEqual([0, 0, 0, 0]);
  });

  it('pushes distant particles less, and a particle at its centre not at all', () => {
    const particles = particlesAt(2, at(2, 3, 2, 4, 2, 5, 2, 3.5));
    const stroke = { ...POINT, reach: 2, force: 8 };
    expect(Array.from(pushed(2, particles, stroke, 0.5))).toEqual([0, 0, 0, 2, 0, 0, 0, 3]);
  });
});
