import { describe, expect, it } from 'vitest';
import type { BroadPhase } from '../../../../src/core/contact/settings';
import type { WorldKind } from '../../../../src/core/world/world';
import { createCpuSimulation } from '../../../../src/cpu';
import { portionWords } from '../../../../src/cpu/equal/search';
import type { ParticleState } from '../../../../src/cpu/shared/kernels';
import { HeldPairs } from '../../../../src/cpu/solver/held-pairs';
import { createNoise } from '../../../../src/testing/noise';
import { exactOverlap, vectorAt } from '../../../helpers/exact-pairs';
import { cubeOf } from '../../../helpers/inputs/cubes';
import { WORLD_KINDS } from '../../../helpers/inputs/obstacle-fields';
import { DIMENSIONS } from '../../../helpers/passes';

const COUNT = 120;
/**
 * Held pairs are a list of near pairs that several substeps use. The list stays valid until two particles may have come
 * nearer by this share of a diameter.
 */
const MARGIN = { 2: 0.5, 3: 0.15 } as const;

function stateOf(positions: Float32Array): ParticleState {
  const count = positions.length;
  const ids = Uint32Array.from({ length: count }, (_, id) => id);
  return { positions, positionWords: new Uint32Array(positions.buffer), ids } as ParticleState;
}

describe.each(DIMENSIONS)('held pairs in %dD', (dimensions) => {
  const slots = Uint32Array.from({ length: COUNT }, (_, slot) => slot);
  const margin = MARGIN[dimensions];

  /** Sorts random particles in a cube. Returns functions that search pairs and move the particles. */
  function hold(kind: WorldKind, edge: number, seed: number) {
    const world = cubeOf(kind, dimensions, edge, COUNT);
    const held = HeldPairs.create(world, COUNT, portionWords(COUNT)) as HeldPairs;
    const noise = createNoise(seed);
    const given = stateOf(Float32Array.from({ length: dimensions * COUNT }, () => edge * noise()));
    const state = stateOf(new Float32Array(dimensions * COUNT));
    held.sort(given, COUNT, state);
    const pairs = (broadPhase: BroadPhase = 'grid') => {
      const search = held.search(state, slots, broadPhase);
      const found: string[] = [];
      let last = -1;
      while (search.advance()) {
        const { words, length } = search.task;
        for (let word = 0; word < length; word += 2) {
          const [a, b] = [words[word] as number, words[word + 1] as number];
          expect(a * COUNT + b).toBeGreaterThan(last);
          expect(a).toBeLessThan(b);
          last = a * COUNT + b;
          found.push(`${a} ${b}`);
        }
      }
      return found;
    };
    const overlapping = () => {
      const found: string[] = [];
      for (let a = 0; a < COUNT; a++) {
        for (let b = a + 1; b < COUNT; b++) {
          const [first, second] = [a, b].map((slot) => vectorAt(state.positions, dimensions, slot));
          if (exactOverlap(first as number[], second as number[], 1, world.period)) found.push(`${a} ${b}`);
        }
      }
      return found;
    };
    /** Moves each particle along each axis by the same distance, and by up to `apart` more. */
    const move = (drift: number, apart: number) => {
      state.positions.forEach((at, word) => {
        const moved = at + drift + apart * noise();
        const period = world.period[word % dimensions] as number;
        state.positions[word] = period > 0 ? moved - period * Math.floor(moved / period) : moved;
      });
    };
    return { held, state, pairs, overlapping, move };
  }

  describe.each(WORLD_KINDS)('in a world that is %s', (kind) => {
    const edge = dimensions === 2 ? 12 : 5;
    const crowded = dimensions === 2 ? 5 : kind === 'periodic' ? 3.5 : 2.5;

    it('contain all overlapping pairs until two particles may have come nearer by the margin', () => {
      let met = 0;
      for (let seed = 1; seed <= 5; seed++) {
        const { held, state, pairs, overlapping, move } = hold(kind, edge, seed);
        const before = overlapping();
        pairs();
        // A common drift changes no distance.
        move(kind === 'bounded' ? 0 : 3.25, (0.99 * margin) / Math.sqrt(dimensions));
        expect(held.isValid(state)).toBe(true);
        const found = new Set(pairs());
        const after = overlapping();
        expect(after.filter((pair) => !found.has(pair))).toEqual([]);
        met += after.filter((pair) => !before.includes(pair)).length;
        move(0, 2 * margin);
        expect(held.isValid(state)).toBe(false);
      }
      // Some pairs overlap only after the move.
      expect(met).toBeGreaterThan(10);
    });

    it('are the same with either broad phase', () => {
      const [grid, naive] = (['grid', 'naive'] as const).map((broadPhase) =>
        hold(kind, edge, 7).pairs(broadPhase),
      );
      expect(naive).toEqual(grid);
      expect(grid?.length).toBeGreaterThan(100);
    });

    it('are searched anew if there are too many for the list', () => {
      const { held, state, pairs, overlapping } = hold(kind, crowded, 9);
      const found = pairs();
      expect(found.length).toBeGreaterThan(3 * COUNT);
      expect(found).toEqual(overlapping());
      expect(held.isValid(state)).toBe(false);
      expect(hold(kind, crowded, 9).pairs('naive')).toEqual(hold(kind, crowded, 9).pairs());
    });
  });

  it('are invalid once a position is not finite', () => {
    for (const nowhere of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const { held, state, pairs } = hold('bounded', 12, 1);
      pairs();
      expect(held.isValid(state)).toBe(true);
      state.positions[5] = nowhere;
      expect(held.isValid(state)).toBe(false);
    }
  });

  it('do not exist if a period is too short for wider cells; the simulation then sorts in each substep', () => {
    expect(HeldPairs.create(cubeOf('periodic', dimensions, 3, COUNT), COUNT, portionWords(COUNT))).toBe(
      undefined,
    );
    const simulation = createCpuSimulation({
      dimensions,
      min: [0, 0, 0].slice(0, dimensions),
      max: [3, 3, 3].slice(0, dimensions),
      periodic: true,
      radius: 0.5,
      positions: Float32Array.from(
        [0.25, 1, 1].slice(0, dimensions).concat([2.5, 1, 1].slice(0, dimensions)),
      ),
      velocities: new Float32Array(2 * dimensions),
    });
    simulation.step(1 / 60);
    const { positions } = simulation.read();
    expect(positions[0]).toBeGreaterThan(0.25);
    expect(positions[dimensions]).toBeLessThan(2.5);
  });
});
