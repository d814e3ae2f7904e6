import { describe, expect, it } from 'vitest';
import { coincidentNormal, findContact } from '../../../../src/reference/solve/contact';
import { PLAIN_WORLDS } from '../../../helpers/inputs/worlds';

describe('a contact', () => {
  const substep = { diameter: 1 };
  it('has a normal from the other particle to this one, and the overlap', () => {
    const positions = new Float32Array([0.75, 0, 0, 0]);
    expect(findContact(PLAIN_WORLDS[2], substep, { positions }, 0, 1)).toEqual({
      normal: [1, 0],
      overlap: 0.25,
    });
    expect(findContact(PLAIN_WORLDS[2], substep, { positions }, 1, 0)).toEqual({
      normal: [-1, 0],
      overlap: 0.25,
    });
  });

  it('does not exist if particles only touch, or are not finite', () => {
    expect(
      findContact(PLAIN_WORLDS[2], substep, { positions: new Float32Array([1, 0, 0, 0]) }, 0, 1),
    ).toBeUndefined();
    expect(
      findContact(PLAIN_WORLDS[2], substep, { positions: new Float32Array([Number.NaN, 0, 0, 0]) }, 0, 1),
    ).toBeUndefined();
  });

  it('gives two coincident particles opposite normals', () => {
    for (const dimensions of [2, 3]) {
      for (let slot = 0; slot < 6; slot++) {
        for (let other = 0; other < 6; other++) {
          if (slot === other) continue;
          const normal = coincidentNormal(dimensions, slot, other);
          expect(Math.hypot(...normal)).toBe(1);
          expect(coincidentNormal(dimensions, other, slot)).toEqual(
            normal.map((along) => (along === 0 ? 0 : -along)),
          );
        }
      }
    }
  });
});
