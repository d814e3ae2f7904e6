import { describe, expect, it } from 'vitest';
import type { Ray } from '../../../../src/page/view/camera';
import { near, pick } from '../../../../src/page/view/pick';

function at(...numbers: number[]): Float32Array {
  return Float32Array.from(numbers);
}

function particlesAt(dimensions: number, positions: Float32Array, radii?: Float32Array) {
  const ids = Uint32Array.from({ length: positions.length / dimensions }, (_, index) => 10 + index);
  return { ids, positions, velocities: new Float32Array(positions.length), radii };
}

const POINT: Ray = { origin: [2, 3], direction: [0, 0], depth: 0 };

const LINE: Ray = { origin: [2, 3, 10], direction: [0, 0, -1], depth: 10 };

describe('a pointer', () => {
  it('picks the particle with the nearest centre in 2D', () => {
    const particles = particlesAt(2, at(2.4, 3, 2.2, 3, 5, 5, Number.NaN, 3));
    const simulation = { dimensions: 2, radius: 0.5 } as const;
    expect(pick(simulation, particles, POINT, 1)).toMatchObject({ id: 11, index: 1 });
    // Outside all particles, the nearest one within reach counts.
    expect(pick(simulation, particles, { ...POINT, origin: [5, 5.9] }, 0.5)).toMatchObject({ id: 12 });
    expect(pick(simulation, particles, { ...POINT, origin: [5, 6.1] }, 0.5)).toBeUndefined();
  });

  it('picks the first particle that the ray hits in 3D, and none behind the camera', () => {
    const particles = particlesAt(3, at(2, 3, 1, 2.4, 3, 5, 2, 3, 12));
    const simulation = { dimensions: 3, radius: 0.5 } as const;
    expect(pick(simulation, particles, LINE, 0)).toEqual({ id: 11, index: 1, depth: 5 });
    expect(pick({ ...simulation, radius: 0.25 }, particles, LINE, 0)).toEqual({ id: 10, index: 0, depth: 9 });
  });

  it("uses each particle's own radius, and a box's half extents", () => {
    const simulation = { dimensions: 2, radius: 4 } as const;
    const mixed = particlesAt(2, at(5, 3, 2, 4.5), at(4, 0.25));
    expect(pick(simulation, mixed, POINT, 0)).toMatchObject({ id: 10 });
    const halfExtents = at(0.1, 0.1, 1.5, 2);
    const boxes = { ...particlesAt(2, at(5, 3, 2, 5), at(0, 0)), halfExtents };
    expect(pick(simulation, boxes, POINT, 0)).toMatchObject({ id: 11 });
  });

  it('finds particles whose centre is within a given reach', () => {
    expect(near(2, at(2, 3, 2, 3.9, 2, 4, Number.NaN, 3), POINT, 1)).toEqual([0, 1]);
    expect(near(3, at(2, 3, 0, 2, 3.9, 9, 3, 3, 5, 2, 3, 11), LINE, 1)).toEqual([0, 1]);
  });
});
