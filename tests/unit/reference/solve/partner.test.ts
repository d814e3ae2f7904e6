import { describe, expect, it } from 'vitest';
import { NO_PARTNER } from '../../../../src/core/base/constants';
import type { SettingsOptions } from '../../../../src/core/contact/settings';
import { type Dimensions, defineWorld } from '../../../../src/core/world/world';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { findPartners } from '../../../../src/reference/solve/partner';
import { repeat } from '../../../../src/scenes/scene';
import { substepOf } from '../../../helpers/passes';

/** A substep takes 1/8 s. */
function setUp(dimensions: Dimensions, changes: SettingsOptions = {}, edge = 8, centred = false) {
  const world = defineWorld(
    {
      dimensions,
      min: repeat(centred ? -edge : 0, dimensions),
      max: repeat(edge, dimensions),
      cellSize: 1.25,
    },
    1,
  );
  const usual = { substeps: 1, relaxation: 0.5, friction: 0 };
  return { world, substep: substepOf(world, { ...usual, ...changes }, 0.125) };
}

describe('the partner', () => {
  const partnersOf = (changes: SettingsOptions, positions: number[], velocities: number[]) => {
    const { world, substep } = setUp(2, { restitution: 1, ...changes });
    const grid = buildGrid(world, Float32Array.from(positions), Float32Array.from(velocities));
    const partners = findPartners(world, substep, grid);
    return Array.from(grid.slots, (slot) => {
      const partner = partners[slot] as number;
      return partner === NO_PARTNER ? -1 : grid.ids[partner];
    });
  };

  it('is the fastest approaching contact', () => {
    // Particle 1 touches both others, and particle 2 approaches it faster.
    expect(partnersOf({}, [3, 3, 3.75, 3, 4.5, 3], [1, 0, 0, 0, -2, 0])).toEqual([1, 2, 1]);
  });

  it('is absent for particles that are at rest, that separate, or that do not touch', () => {
    expect(partnersOf({}, [3, 3, 3.75, 3], [0, 0, 0, 0])).toEqual([-1, -1]);
    expect(partnersOf({}, [3, 3, 3.75, 3], [-1, 0, 1, 0])).toEqual([-1, -1]);
    expect(partnersOf({}, [3, 3, 4, 3], [1, 0, -1, 0])).toEqual([-1, -1]);
  });

  it('is absent if the contact approaches at most at the speed that gravity adds in eight substeps', () => {
    // The limit is 8 · 2 · 0.125 = 2. Particles that approach at exactly this speed have no partner.
    const gravity = [0, -2];
    expect(partnersOf({ gravity }, [3, 3, 3.75, 3], [2, 0, 0, 0])).toEqual([-1, -1]);
    expect(partnersOf({ gravity }, [3, 3, 3.75, 3], [2.25, 0, 0, 0])).toEqual([1, 0]);
  });

  it('is the particle in the lower slot if two approach equally fast', () => {
    expect(partnersOf({}, [3, 3, 3.75, 3, 4.5, 3], [1, 0, 0, 0, -1, 0])).toEqual([1, 0, 1]);
  });
});
