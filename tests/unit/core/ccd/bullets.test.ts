import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import { createScene, sceneOptions, wallOf } from '../../../../src/scenes';
import {
  bulletsBeforeSizedWall,
  bulletsBeforeWall,
  countPassed,
  DT,
  nearestPair,
  WALLS,
} from '../../../helpers/inputs/bullets';
import { DIMENSIONS } from '../../../helpers/passes';
import { few } from './discs';

describe.each(DIMENSIONS)('bullets in %dD', (dimensions) => {
  const stopAtTheWall = (count: number, substeps: number) => {
    const { wall, ...options } = bulletsBeforeWall(dimensions, count);
    for (const continuous of [true, false]) {
      const simulation = createCpuSimulation({ ...options, substeps, continuous });
      simulation.step(DT);
      const passed = countPassed(options, simulation.read().positions, wall);
      if (!continuous) {
        // Obstacles stop the few bullets that are inside the wall after a substep.
        expect(passed).toBeGreaterThan(0.9 * count);
        continue;
      }
      expect(passed).toBe(0);
      const { swept, paths, hits, held } = simulation.continuousCounts();
      expect(swept).toBeGreaterThan(0.9 * count);
      expect(paths).toBeGreaterThan(0.9 * count * substeps);
      expect(hits).toBeGreaterThan(0.5 * count);
      expect(held).toBe(0);
    }
  };

  it('do not pass a wall one diameter thick in one substep, but pass it without continuous motion', () => {
    stopAtTheWall(400, 1);
  });

  it('do not pass a wall one diameter thick in 8 substeps, but pass it without continuous motion', () => {
    stopAtTheWall(400, 8);
  });

  // docs/fast-movers.md promises this number.
  it('do not pass a wall one diameter thick if there are 10,000 bullets', { tags: 'full' }, () => {
    stopAtTheWall(10_000, 1);
  });

  it.each(WALLS)(
    'do not pass a wall of obstacles of many sizes (%s), but pass it without continuous motion',
    (kind) => {
      const { wall, ...options } = bulletsBeforeSizedWall(dimensions, 400, kind);
      for (const continuous of [true, false]) {
        const simulation = createCpuSimulation({ ...options, substeps: 1, continuous });
        simulation.step(DT);
        const passed = countPassed(options, simulation.read().positions, wall);
        expect(passed).toBe(continuous ? 0 : simulation.count);
        if (!continuous) continue;
        const { hits, held } = simulation.continuousCounts();
        expect(hits).toBeGreaterThan(200);
        expect(held).toBe(0);
      }
    },
  );

  it('pass neither a wall of movable particles nor each other', () => {
    const { wall, obstacles, ...options } = bulletsBeforeWall(dimensions, 400);
    const own = options.positions as Float32Array;
    const positions = new Float32Array([...own, ...(obstacles as Float32Array)]);
    const velocities = new Float32Array(positions.length);
    velocities.set(options.velocities as Float32Array);
    const both = { ...options, positions, velocities, substeps: 1, continuous: true };
    const simulation = createCpuSimulation(both);
    simulation.step(DT);
    const after = simulation.read().positions;
    // The wall does not move in this substep, so the bullets must stay before it.
    expect(countPassed(options, after.subarray(0, own.length), wall)).toBe(0);
    expect(simulation.continuousCounts().hits).toBeGreaterThan(100);
    expect(nearestPair(dimensions, after)).toBeGreaterThan(0.9);
    const off = createCpuSimulation({ ...both, continuous: false });
    off.step(DT);
    expect(countPassed(options, off.read().positions.subarray(0, own.length), wall)).toBe(400);
  });

  const stopAtThinBoxes = (count: number) => {
    const scene = createScene('mixed-bullets', { dimensions, count, seed: 5 });
    const wall = wallOf(scene);
    const behind = (positions: Float32Array) =>
      scene.positions.reduce((sum, begin, index) => {
        const passes = index % dimensions === 0 && begin < wall && (positions[index] as number) >= wall;
        return sum + Number(passes);
      }, 0);
    const bullets = behind(new Float32Array(scene.positions.length).fill(wall));
    expect(bullets).toBeGreaterThan(0.75 * count);
    for (const continuous of [true, false]) {
      const simulation = createCpuSimulation(sceneOptions(scene, { continuous }));
      simulation.step(1 / 60);
      expect(behind(simulation.read().positions)).toBe(continuous ? 0 : bullets);
    }
  };

  it('do not pass a wall of thin boxes if they are balls and boxes themselves', () => {
    stopAtThinBoxes(1000);
  });

  it('do not pass a wall of thin boxes if they are 10,000 balls and boxes', { tags: 'full' }, () => {
    stopAtThinBoxes(10_000);
  });
});

describe('bullets in heaps', () => {
  for (const seed of [1, 2, 3, 4]) {
    const tier = seed === 1 ? {} : { tags: 'full' };
    it(`are not pushed through the wall at which their paths ended, seed ${seed}`, tier, () => {
      const scene = createScene('bullets', { dimensions: 3, count: 257, seed });
      const simulation = createCpuSimulation({ ...sceneOptions(scene), restitution: 0.9, friction: 0.5 });
      for (let step = 0; step < 12; step++) simulation.step(1 / 60);
      expect(countPassed(scene, simulation.read().positions, wallOf(scene))).toBe(0);
    });
  }

  it('come to rest on each other, as they do without continuous motion', { tags: 'full' }, () => {
    const speeds = [false, true].map((continuous) => {
      const columns = 12;
      const positions = Array.from({ length: 20 * columns }, (_, index) => [
        1 + 2 * (index % columns) + 0.2 * Math.sin(index),
        1 + 2 * Math.floor(index / columns),
      ]).flat();
      const simulation = few(
        positions,
        positions.map(() => 0),
        { max: [24, 60], gravity: [0, -100], friction: 0.2, substeps: 8, continuous },
      );
      let paths = 0;
      for (let step = 0; step < 400; step++) {
        simulation.step(1 / 60);
        if (continuous) paths += simulation.continuousCounts().paths;
      }
      if (continuous) expect(paths).toBeGreaterThan(1000);
      return Math.sqrt((2 * simulation.measure().kineticEnergy) / simulation.count);
    });
    expect(speeds[0]).toBeLessThan(0.1);
    expect(speeds[1]).toBeLessThan(0.1);
  });
});
