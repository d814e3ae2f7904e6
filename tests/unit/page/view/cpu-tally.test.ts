import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import { DENSITY_REACH } from '../../../../src/page/model/colour';
import { createCpuTally } from '../../../../src/page/view/cpu-tally';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { DIMENSIONS } from '../../../helpers/passes';

describe.each(DIMENSIONS)('counts around particles in %dD', (dimensions) => {
  it.each([
    ['contacts', 'uniform'],
    ['density', 'uniform'],
    ['density', 'periodic'],
    ['contacts', 'mixed'],
  ] as const)('equal findPairs or brute force: %s of the scene %s, with gaps in the ids', (counted, name) => {
    const options = sceneOptions(createScene(name, { dimensions, count: 300 }));
    const simulation = createCpuSimulation(options);
    const count = createCpuTally(simulation, options, counted);
    simulation.remove([0, 7, 150]);
    const particles = simulation.read();
    const { ids, positions } = particles;
    const expected = new Uint32Array(ids.length);
    const meet = (index: number) => {
      expected[index] = (expected[index] as number) + 1;
    };
    if (counted === 'contacts') {
      for (const id of simulation.findPairs().pairs) meet(ids.indexOf(id));
    } else {
      const { period } = simulation.world;
      const reach = 2 * simulation.radius * DENSITY_REACH;
      ids.forEach((_, first) => {
        ids.forEach((_other, second) => {
          const ways = Array.from({ length: dimensions }, (_axis, axis) => {
            const way = Math.abs(
              (positions[dimensions * first + axis] as number) -
                (positions[dimensions * second + axis] as number),
            );
            return Math.min(way, (period[axis] || Number.POSITIVE_INFINITY) - way);
          });
          if (first !== second && Math.hypot(...ways) < reach) meet(first);
        });
      });
    }
    expect(Math.max(...expected)).toBeGreaterThan(0);
    expect(count(particles)).toEqual(expected);
    // Contacts are those of the simulation's present state, but density is that of the given particles.
    simulation.step(1 / 60);
    const later = count(simulation.read());
    expect(later.length).toBe(ids.length);
    expect(count(particles)).toEqual(counted === 'density' ? expected : later);
  });
});
