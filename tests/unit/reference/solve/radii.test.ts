import { describe, expect, it } from 'vitest';
import { massShare } from '../../../../src/core/contact/law';
import { deriveSubstep } from '../../../../src/core/contact/settings';
import type { SimulationOptions } from '../../../../src/core/simulation/simulation';
import { hashState } from '../../../../src/core/state/hash';
import { decodeCheckpoint, encodeCheckpoint } from '../../../../src/core/state/state-file';
import { areWithinReach } from '../../../../src/core/world/levels';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { bruteForceLevelPairs } from '../../../../src/reference/grid/levels';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { inPairs } from '../../../helpers/inputs/pairs';
import { variableCrowds, WORLD_CASES } from '../../../helpers/inputs/variable-crowds';
import { variableOptions } from '../../../helpers/inputs/variable-simulations';
import { fc, runs } from '../../../helpers/properties';

const DIMENSIONS = [2, 3] as const;
const CASES = WORLD_CASES.flatMap((kind) => DIMENSIONS.map((dimensions) => [kind, dimensions] as const));

/** Returns a simulation of two discs that overlap by 1/4. Their radii are 1 and 1/2, so their masses are 1 and 1/4. */
function pair(changes: Partial<SimulationOptions>, velocities = [0, 0, 0, 0]): ReferenceSimulation {
  return new ReferenceSimulation({
    dimensions: 2,
    min: [0, 0],
    max: [8, 8],
    positions: new Float32Array([3, 4, 4.25, 4]),
    velocities: Float32Array.from(velocities),
    radii: new Float32Array([1, 0.5]),
    substeps: 1,
    relaxation: 0.5,
    friction: 0,
    ...changes,
  });
}

describe('candidates with variable radii', () => {
  it.each(CASES)(
    'are the particles in the same or adjacent cells of the higher level, in a world of the kind %s in %dD',
    (kind, dimensions) => {
      fc.assert(
        fc.property(variableCrowds(kind, dimensions, 40), ({ world: given, positions, radiusOf }) => {
          const grid = buildGrid(given, positions, undefined, undefined, { radii: radiusOf });
          const { world } = grid;
          const inCells = grid.start[world.cellCount] as number;
          const slots = Array.from({ length: inCells }, (_, slot) => slot);
          const { ids, candidates } = grid;
          for (const slot of slots) {
            const near = slots.filter(
              (other) =>
                other !== slot &&
                areWithinReach(world, positions, radiusOf, ids[slot] as number, ids[other] as number),
            );
            expect(candidates?.[slot]).toEqual(near);
          }
          expect(candidates?.slice(inCells).flat()).toEqual([]);
          const pairs = bruteForceLevelPairs(world, positions, radiusOf);
          for (let word = 0; word < pairs.length; word += 2) {
            const [a, b] = [pairs[word] as number, pairs[word + 1] as number];
            expect(candidates?.[grid.slots[a] as number]).toContain(grid.slots[b]);
          }
        }),
        runs(40),
      );
    },
  );
});

describe('the contact law with variable radii', () => {
  it('shares a push by mass', () => {
    const simulation = pair({});
    simulation.separate();
    // The push is half of 1/4. The heavy disc moves by a fifth of that.
    const share = massShare(2, 1, 0.5);
    expect(share).toBeCloseTo(1 / 5, 6);
    const { positions } = simulation.read();
    expect([3 - (positions[0] as number), (positions[2] as number) - 4.25]).toEqual([
      expect.closeTo(share / 8, 6),
      expect.closeTo((1 - share) / 8, 6),
    ]);
  });

  it('bounces by mass, keeping momentum and energy', () => {
    const simulation = pair({ restitution: 1, relaxation: 0.01 }, [1, 0, -1, 0]);
    const before = simulation.measure();
    simulation.step(1 / 1024);
    const after = simulation.measure();
    // The masses are 1 and 1/4, the velocities before 1 and −1.
    const { velocities } = simulation.read();
    expect([...velocities]).toEqual([expect.closeTo(0.2, 6), 0, expect.closeTo(2.2, 6), 0]);
    expect(after.kineticEnergy).toBeCloseTo(before.kineticEnergy, 6);
    expect(after.momentum[0]).toBeCloseTo(3 / 4, 6);
  });

  it('takes from each disc its share of the sliding, and keeps momentum', () => {
    const simulation = pair({ friction: 1 }, [1, 1, -1, -1]);
    simulation.step(1 / 16);
    const [, heavy, , light] = simulation.read().velocities as unknown as [number, number, number, number];
    expect(heavy).toBeLessThan(1);
    expect(light).toBeGreaterThan(-1);
    expect((light + 1) / (1 - heavy)).toBeCloseTo(4, 4);
  });

  it.each(DIMENSIONS)(
    'keeps momentum in pairs without gravity in %dD, with radii from 1/64 to 1',
    (dimensions) => {
      for (const restitution of [0, 0.5]) {
        const request = { dimensions, kind: 'periodic', count: 60, ratio: 64 } as const;
        const options = inPairs(variableOptions(request, { friction: 0.5, restitution }));
        const simulation = new ReferenceSimulation(options);
        const before = simulation.measure();
        expect(before.contacts).toBe(30);
        for (let step = 0; step < 4; step++) simulation.step(1 / 60);
        const after = simulation.measure();
        expect(after.kineticEnergy).toBeLessThan(0.95 * before.kineticEnergy);
        after.momentum.forEach((along, axis) => {
          expect(along).toBeCloseTo(before.momentum[axis] as number, 4);
        });
      }
    },
  );

  it.each(DIMENSIONS)(
    'keeps momentum among many particles in %dD with restitution 1, friction and radii from 1/64 to 1',
    (dimensions) => {
      const request = { dimensions, kind: 'periodic', count: 60, ratio: 64 } as const;
      const simulation = new ReferenceSimulation(variableOptions(request, { friction: 0.5, restitution: 1 }));
      const before = simulation.measure();
      expect(before.contacts).toBeGreaterThan(10);
      for (let step = 0; step < 4; step++) simulation.step(1 / 60);
      const after = simulation.measure();
      expect(after.hash).not.toBe(before.hash);
      after.momentum.forEach((along, axis) => {
        expect(along).toBeCloseTo(before.momentum[axis] as number, 4);
      });
    },
  );

  it.each(DIMENSIONS)(
    'limits changes of velocity in pairs of equal particles to calmSpeed, and keeps momentum but for gravity, in %dD',
    (dimensions) => {
      const gravity = new Array<number>(dimensions).fill(0).with(0, 0.01);
      const request = { dimensions, kind: 'periodic', count: 60, ratio: 8 } as const;
      const crowd = variableOptions(request, { friction: 0, gravity, substeps: 1 });
      const equal = crowd.radii.map((_, id) => crowd.radii[id & ~1] as number);
      const options = inPairs({ ...crowd, radii: equal }, false);
      // Put every other pair at rest, so that only gravity and pushes change its velocities.
      for (let pair = 0; pair < 30; pair += 2) {
        options.velocities.fill(0, 2 * dimensions * pair, 2 * dimensions * (pair + 1));
      }
      const simulation = new ReferenceSimulation(options);
      const before = simulation.measure();
      expect(before.contacts).toBe(30);
      const largest = simulation.radius;
      const weight = options.radii.reduce((sum, radius) => sum + (radius / largest) ** dimensions, 0);
      simulation.step(1 / 60);
      simulation.measure().momentum.forEach((along, axis) => {
        const gained = (weight * (gravity[axis] as number)) / 60;
        expect(along - (before.momentum[axis] as number)).toBeCloseTo(gained, 4);
      });
      // Pairs overlap by a quarter of a diameter. In such weak gravity, pushSpeed is so small that pushes strain the
      // contacts. So `limit` (law.ts) reduces the change of velocity of many particles at rest to calmSpeed.
      const { calmSpeed } = deriveSubstep(simulation.world, 2 * largest, simulation.settings, 1 / 60);
      const { velocities } = simulation.read();
      const changes = Array.from(options.radii, (_, id) =>
        Math.hypot(
          ...gravity.map((along, axis) => {
            const index = dimensions * id + axis;
            return (velocities[index] as number) - (options.velocities[index] as number) - along / 60;
          }),
        ),
      );
      const limited = changes.filter((change) => Math.abs(change - calmSpeed) < 1e-6);
      expect(calmSpeed).toBeGreaterThan(1e-4);
      expect(limited.length).toBeGreaterThan(10);
    },
  );

  it('pushes coincident particles apart along an axis, whatever their sizes', () => {
    const simulation = pair({ positions: new Float32Array([4, 4, 4, 4]) });
    simulation.separate();
    const { positions } = simulation.read();
    const moved = Math.hypot(...Array.from(positions, (coordinate) => coordinate - 4));
    expect(moved).toBeCloseTo(0.75 * Math.hypot(1 / 5, 4 / 5), 5);
  });

  it('keeps each particle its own radius away from walls', () => {
    const simulation = pair({ positions: new Float32Array([0, 8, 8, 0]) }, [-1, 1, 1, -1]);
    simulation.step(1 / 60);
    expect([...simulation.read().positions]).toEqual([1, 7, 7.5, 0.5]);
    simulation.set({ walls: false });
    simulation.step(1 / 60);
    const { positions } = simulation.read();
    expect(simulation.measure().outside).toBe(0);
    expect([...positions]).toEqual([1, 7, 7.5, 0.5]);
  });

  it.each(DIMENSIONS)(
    'gives the same bits as a simulation of one radius if radii are equal and nothing bounces, in %dD',
    (dimensions) => {
      const scene = createScene('packing', { dimensions, count: 300, seed: 5 });
      const changes = { restitution: 0, gravity: scene.settings.gravity ?? new Array(dimensions).fill(-4) };
      const plain = new ReferenceSimulation(sceneOptions(scene, changes));
      const mixed = new ReferenceSimulation({
        ...sceneOptions(scene, changes),
        radius: undefined,
        cellSize: plain.world.cellSize,
        radii: new Float32Array(scene.count).fill(scene.radius),
      });
      expect(plain.world.cellSize).toBe(1);
      for (let step = 0; step < 3; step++) {
        plain.step(1 / 60);
        mixed.step(1 / 60);
      }
      const { radii, loads, ...state } = mixed.read();
      expect(state).toEqual(plain.read());
      // Some particles carry loads, which must not change the shares of equal particles.
      expect(loads?.filter((load) => load > 0.1).length).toBeGreaterThan(20);
      expect(radii?.every((radius) => radius === scene.radius)).toBe(true);
      const { hash: ownHash, ...measures } = mixed.measure();
      const { hash: plainHash, ...expected } = plain.measure();
      expect(measures).toEqual(expected);
      expect(ownHash).not.toBe(plainHash);
    },
  );
});

describe('radii', () => {
  it.each(CASES)('stay with their particles in a world of the kind %s in %dD', (kind, dimensions) => {
    const options = variableOptions({ dimensions, kind, count: 40, ratio: 16 }, { capacity: 50 });
    const simulation = new ReferenceSimulation(options);
    const radiusOf = new Map([...options.radii].map((radius, id) => [id, radius]));
    simulation.step(1 / 60);
    simulation.remove([3, 17]);
    const added = new Float32Array([0.25, 0.75, 1]);
    const ids = simulation.add({ positions: new Float32Array(3 * dimensions).fill(1), radii: added });
    expect([...ids]).toEqual([3, 17, 40]);
    ids.forEach((id, index) => {
      radiusOf.set(id, added[index] as number);
    });
    simulation.step(1 / 60);
    const { ids: living, positions, velocities, radii } = simulation.read();
    expect([...(radii ?? [])]).toEqual(Array.from(living, (id) => radiusOf.get(id)));
    expect(simulation.measure().hash).toBe(hashState(dimensions, positions, velocities, living, { radii }));

    const restored = new ReferenceSimulation(options);
    restored.restore(decodeCheckpoint(encodeCheckpoint(simulation.checkpoint())));
    expect(restored.checkpoint()).toEqual(simulation.checkpoint());
    restored.step(1 / 60);
    simulation.step(1 / 60);
    expect(restored.measure()).toEqual(simulation.measure());
  });

  it.each(CASES)(
    'and loads continue from a file with the same bits, in a world of the kind %s in %dD',
    (kind, dimensions) => {
      const gravity = new Array<number>(dimensions).fill(0).with(1, -9.8);
      const options = variableOptions(
        { dimensions, kind, count: 100, ratio: 2, density: 4 },
        { gravity, substeps: 2 },
      );
      const straight = new ReferenceSimulation(options);
      for (let step = 0; step < 2; step++) straight.step(1 / 60);
      const checkpoint = straight.checkpoint();
      expect(checkpoint.loads?.filter((load) => load > 0).length).toBeGreaterThan(5);
      const stored = decodeCheckpoint(encodeCheckpoint(checkpoint));
      const { loads: _, ...unloaded } = stored;
      const [resumed, other] = [stored, unloaded].map((state) => {
        const simulation = new ReferenceSimulation(options);
        simulation.restore(state);
        return simulation;
      }) as [ReferenceSimulation, ReferenceSimulation];
      expect(other.read().loads).toEqual(new Float32Array(100));
      for (const simulation of [straight, resumed, other]) simulation.step(1 / 60);
      expect(resumed.read()).toEqual(straight.read());
      expect(other.measure().hash).not.toBe(straight.measure().hash);
    },
  );

  it.each(CASES)(
    'give the same pairs as brute force in a world of the kind %s in %dD',
    (kind, dimensions) => {
      const simulation = new ReferenceSimulation(
        variableOptions({ dimensions, kind, count: 120, ratio: 64 }),
      );
      const { positions, radii } = simulation.read();
      const expected = bruteForceLevelPairs(simulation.world, positions, radii as Float32Array);
      const { pairs, count, borderline } = simulation.findPairs();
      expect(borderline).toBe(0);
      expect(count).toBeGreaterThan(20);
      expect(pairs).toEqual(expected);
      const { contacts, candidates } = simulation.measure();
      expect(contacts).toBe(count);
      expect(candidates).toBeGreaterThan(contacts);
    },
  );
});
