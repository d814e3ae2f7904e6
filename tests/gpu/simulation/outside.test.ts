import { describe, expect } from 'vitest';
import { ArgumentError } from '../../../src/core/base/errors';
import { createCpuSimulation } from '../../../src/cpu';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { repeat } from '../../../src/scenes/scene';
import { gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS } from '../../helpers/passes';

describe.each(DIMENSIONS)('in %dD', (dimensions) => {
  const bare = { dimensions, radius: 0.5, capacity: 4, obstacleCapacity: 1 };
  const box = { min: repeat(0, dimensions), max: repeat(8, dimensions) };

  gpuTest(
    'bodies outside the default box are refused; a step moves particles outside another box into it if there are walls',
    async (_, tools) => {
      const gpu = tools.wrap();
      const far = new Float32Array(dimensions).fill(-100);
      for (const create of [
        async (options: typeof bare & object) => createCpuSimulation(options),
        (options: typeof bare & object) => createSimulation(gpu, options),
      ]) {
        const empty = await create(bare);
        expect(() => empty.add({ positions: far })).toThrow(ArgumentError);
        expect(() => empty.add({ positions: far })).toThrow(
          /^positions\[0\] \(particle 0\) is -100, but it must be in the default box \(set `min` and `max` /,
        );
        expect(empty.count).toBe(0);
        expect(() => empty.setObstacles(far)).toThrow(
          /^obstacles\[0\] \(obstacle 0\) is -100, .*default box/,
        );
        empty.destroy();
        for (const walls of [true, false]) {
          const chosen = await create({ ...bare, ...box, walls } as typeof bare);
          chosen.add({ positions: far });
          expect((await chosen.measure()).outside).toBe(1);
          chosen.step(1 / 60);
          expect(await chosen.measure()).toMatchObject({ outside: walls ? 0 : 1, kineticEnergy: 0 });
          const { positions } = await chosen.read();
          expect(positions).toEqual(new Float32Array(dimensions).fill(walls ? 0.5 : -100));
          chosen.destroy();
        }
      }
    },
    SHARED,
  );
});
