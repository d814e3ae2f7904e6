import { describe, expect, it } from 'vitest';
import { CellOrder } from '../../../../src/cpu/equal/order';
import type { ParticleState } from '../../../../src/cpu/shared/kernels';
import { defineLattice } from '../../../../src/cpu/shared/lattice';
import { EqualObstacles } from '../../../../src/cpu/solver/equal-obstacles';
import { createNoise } from '../../../../src/testing/noise';
import { exactOverlap, vectorAt } from '../../../helpers/exact-pairs';
import { cubeOf } from '../../../helpers/inputs/cubes';
import { WORLD_KINDS } from '../../../helpers/inputs/obstacle-fields';
import { DIMENSIONS } from '../../../helpers/passes';

const COUNT = 100;

describe.each(DIMENSIONS)('the obstacles of a particle in %dD', (dimensions) => {
  it.each(WORLD_KINDS)('are those that overlap it, also across ends, in a world that is %s', (kind) => {
    const world = cubeOf(kind, dimensions, 4, COUNT);
    const noise = createNoise(11);
    const scatter = () =>
      Float32Array.from({ length: dimensions * COUNT }, () => Math.floor(32 * noise()) / 8);
    const [positions, fixed] = [scatter(), scatter()];
    const obstacles = new EqualObstacles(defineLattice(world), 1, COUNT);
    obstacles.load({ positions: fixed });
    const state = { positions } as ParticleState;
    // The search numbers obstacles by slot.
    const slots = obstacles.bodies.positions;
    const [found, expected]: [string[], string[]] = [[], []];
    for (let slot = 0; slot < COUNT; slot++) {
      const overlaps = obstacles.find(state, slot);
      found.push(overlaps.obstacles.slice(0, overlaps.count).sort().join());
      const own = vectorAt(positions, dimensions, slot);
      const near = Array.from({ length: COUNT }, (_, id) => id).filter((id) =>
        exactOverlap(own, vectorAt(slots, dimensions, id), 1, world.period),
      );
      expected.push(near.join());
    }
    expect(found).toEqual(expected);
  });

  it('need memory for a table of cells unless the world is unbounded', () => {
    const tables = WORLD_KINDS.map((kind) => {
      const lattice = defineLattice(cubeOf(kind, dimensions, 4, COUNT));
      const { memoryBytes } = new EqualObstacles(lattice, 1, COUNT);
      const sorted = 4 * dimensions * COUNT + new CellOrder(lattice, COUNT).memoryBytes;
      return [memoryBytes - sorted, lattice.rows * lattice.rowStride] as const;
    });
    const expected = tables.map(([, cells], index) =>
      WORLD_KINDS[index] === 'unbounded' ? 0 : 4 * (cells + 1),
    );
    expect(tables.map(([bytes]) => bytes)).toEqual(expected);
  });
});
