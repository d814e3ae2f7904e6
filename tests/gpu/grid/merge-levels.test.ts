/** Tests that the GPU merges as many levels as core/world/merged-levels.ts. */
import { describe, expect } from 'vitest';
import { mergedWord } from '../../../src/core/world/cells';
import { mergeLevels } from '../../../src/core/world/merged-levels';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { toBodies } from '../../../src/gpu/layout';
import { createNoise } from '../../../src/testing/noise';
import { gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords } from '../../helpers/passes';

describe.each(DIMENSIONS)('merged levels in %dD', (dimensions) => {
  gpuTest(
    'are those of the reference for any density, for few particles, for invalid ones and for coincident ones',
    async (device, tools) => {
      const capacity = 3000;
      const grid = await HashGrid.create(tools.wrap(), {
        dimensions,
        unbounded: true,
        radii: { smallest: 1, largest: 64 },
        capacity,
      });
      const { world } = grid;
      const chosen: number[] = [];
      const scatter = (count: number, edge: number, coincident: number, at: number) => {
        const noise = createNoise(count + edge);
        const positions = Float32Array.from({ length: dimensions * count }, (_, index) =>
          index < dimensions * coincident ? at : (noise() - 0.5) * edge,
        );
        const radii = Float32Array.from({ length: count }, (_, index) =>
          index % 97 === 5 ? 65 : 64 ** noise(),
        );
        for (let index = 7; index < positions.length; index += 131) positions[index] = Number.NaN;
        return { positions, radii };
      };
      // If the coincident particles are at this position, the sample contains all of them, so no level is merged.
      let crowded = 1;
      const mergesAny = (at: number) => {
        const { positions, radii } = scatter(capacity, 1e6, 2980, at);
        return mergeLevels(world, positions, radii) !== world;
      };
      while (mergesAny(crowded)) crowded++;
      for (const [count, edge, coincident, at] of [
        [capacity, 10, 0, 0],
        [capacity, 50, 0, 0],
        [capacity, 200, 0, 0],
        [capacity, 700, 0, 0],
        [capacity, 3000, 0, 0],
        [capacity, 1e6, 0, 0],
        [2049, 300, 0, 0],
        [2047, 300, 0, 0],
        [33, 40, 0, 0],
        [16, 40, 0, 0],
        [1, 40, 0, 0],
        [0, 40, 0, 0],
        [capacity, 1e6, 100, crowded],
        [capacity, 1e6, 2980, crowded],
        [capacity, 1e6, 2980, crowded + 1],
      ] as const) {
        const { positions, radii } = scatter(count, edge, coincident, at);
        const encoder = device.createCommandEncoder();
        grid.encode(encoder, {
          positions: tools.upload('bodies', toBodies(dimensions, positions, { radii })),
          count,
        });
        device.queue.submit([encoder.finish()]);
        const words = await readWords(tools, grid.start, mergedWord(world) + 1);
        const merged = Math.log2(mergeLevels(world, positions, radii).cellSize / world.cellSize);
        expect(words.at(-1), `${count} in ${edge}`).toBe(merged);
        chosen.push(merged);
      }
      expect(new Set(chosen).size).toBeGreaterThan(4);
      grid.destroy();
    },
    SHARED,
  );
});
