/** Tests pairs of particles with hundreds or thousands of neighbours. A workgroup handles each of these particles. */
import { describe, expect } from 'vitest';
import type { Dimensions } from '../../../src/core/world/world';
import { findOverlaps } from '../../../src/cpu';
import { BoxPairs } from '../../../src/engine/box-pairs';
import { HashGrid, type HashGridOptions } from '../../../src/engine/grid/hash-grid';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { toBodies, toStored } from '../../../src/gpu/layout';
import { Random } from '../../../src/scenes';
import { countHeavy } from '../../helpers/inputs/variable-simulations';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, withDirectDispatches } from '../../helpers/passes';

/** A unit is a length of 1 / UNITS. With whole numbers of units, nothing is rounded. */
const UNITS = 32;
const EDGE = 64;
const LARGEST = 40;

interface Crowd {
  readonly dimensions: Dimensions;
  readonly positions: Float32Array;
  readonly radii: Float32Array;
}

/** Returns particles among which those listed in `large` overlap most others. */
function crowdOf(dimensions: Dimensions, count: number, large: readonly number[]): Crowd {
  const random = new Random(7);
  const positions = Float32Array.from(
    { length: dimensions * count },
    () => random.between(0, EDGE * UNITS) / UNITS,
  );
  const radii = Float32Array.from({ length: count }, () => random.between(4, 16) / UNITS);
  for (const body of large) {
    radii[body] = LARGEST;
    positions.fill(EDGE / 2 + (body % 3), dimensions * body, dimensions * (body + 1));
  }
  return { dimensions, positions, radii };
}

function overlapping({ dimensions, positions, radii }: Crowd): Uint32Array {
  const pairs: number[] = [];
  for (let i = 0; i < radii.length; i++) {
    for (let j = i + 1; j < radii.length; j++) {
      let squared = 0;
      for (let axis = 0; axis < dimensions; axis++) {
        squared +=
          ((positions[dimensions * i + axis] as number) - (positions[dimensions * j + axis] as number)) ** 2;
      }
      if (squared < ((radii[i] as number) + (radii[j] as number)) ** 2) pairs.push(i, j);
    }
  }
  return Uint32Array.from(pairs);
}

async function search(
  tools: GpuTools,
  options: HashGridOptions,
  stored: Float32Array,
  capacity: number,
  isDirect = false,
): Promise<{ readonly heavy: number; readonly found: number; readonly pairs: Uint32Array }> {
  const grid = await HashGrid.create(tools.wrap(), options);
  const pairs = await grid.pairs({ capacity });
  const positions = tools.upload('positions', stored);
  const encoder = tools.wrap().device.createCommandEncoder();
  grid.encode(encoder, { positions, count: options.capacity });
  if (isDirect) withDirectDispatches(3, () => pairs.encode(encoder));
  else pairs.encode(encoder);
  tools.wrap().device.queue.submit([encoder.finish()]);
  const listed = await pairs.read();
  const heavy = await countHeavy(tools, grid);
  grid.destroy();
  return { heavy, found: listed.found, pairs: listed.pairs };
}

describe.each(DIMENSIONS)('pairs of heavy particles in %dD', (dimensions) => {
  const count = 1400;
  const crowd = crowdOf(dimensions, count, [0, 701, count - 1]);
  const expected = overlapping(crowd);
  const corner = (value: number) => new Array<number>(dimensions).fill(value);
  const world = dimensions === 2 ? { min: corner(0), max: corner(EDGE + 64) } : { unbounded: true };

  gpuTest(
    'equal brute force for a few large particles among small ones, whatever their ids',
    async (_, tools) => {
      expect(expected.length).toBeGreaterThan(4 * count);
      const radii = { smallest: 1 / 8, largest: LARGEST };
      const options = { dimensions, ...world, capacity: count, radii };
      const bodies = toBodies(dimensions, crowd.positions, crowd);
      const all = await search(tools, options, bodies, expected.length);
      expect(all.heavy).toBeGreaterThanOrEqual(3);
      expect(all.found).toBe(expected.length / 2);
      expectArraysEqual(all.pairs, expected, 'pairs');
      const direct = await search(tools, options, bodies, expected.length, true);
      expectArraysEqual(direct.pairs, expected, 'pairs with direct dispatches');
      const short = await search(tools, options, bodies, 500);
      expect(short.found).toBe(expected.length / 2);
      expect(short.pairs.length).toBe(0);
    },
    SHARED,
  );

  gpuTest(
    'are found by a simulation, even if it steps meanwhile',
    async (_, tools) => {
      const options = { dimensions, ...world, positions: crowd.positions, radii: crowd.radii };
      const simulation = await createSimulation(tools.wrap(), options);
      const found = simulation.findPairs();
      simulation.step(1 / 64);
      expectArraysEqual((await found).pairs, expected, 'pairs');
      simulation.destroy();
    },
    SHARED,
  );
});

gpuTest(
  'pairs of a crowd in one cell equal brute force',
  async (_, tools) => {
    // In a periodic world, one crowded row of cells makes its particles heavy.
    const count = 420;
    const positions = Float32Array.from({ length: 2 * count }, (__, index) => 4 + (index % 29) / 64);
    const options = {
      dimensions: 2,
      min: [0, 0],
      max: [16, 16],
      periodic: true,
      crowds: true,
      diameter: 1,
      capacity: count,
    } as const;
    const most = (count * (count - 1)) / 2;
    const { heavy, pairs } = await search(tools, options, toStored(2, positions), most);
    expect(heavy).toBe(count);
    const radii = new Float32Array(count).fill(0.5);
    expectArraysEqual(pairs, overlapping({ dimensions: 2, positions, radii }), 'pairs');
  },
  SHARED,
);

gpuTest(
  'pairs of boxes list a large box once with each of more than a thousand others',
  async (_, tools) => {
    const count = 1400;
    const crowd = crowdOf(3, count, [0, 701]);
    const boxes = Float32Array.from({ length: 6 * count }, (__, index) => {
      const box = Math.floor(index / 6);
      const centre = crowd.positions[3 * box + (index % 3)] as number;
      const radius = crowd.radii[box] as number;
      return index % 6 < 3 ? centre - radius : centre + radius;
    });
    const gpu = tools.wrap();
    const { pairs: expected } = findOverlaps(boxes, { dimensions: 3 });
    const extents = { smallest: 0.25, largest: 2 * LARGEST };
    const finder = await BoxPairs.create(gpu, {
      dimensions: 3,
      capacity: count,
      pairs: expected.length,
      extents,
    });
    const input = tools.upload('boxes', toStored(3, boxes));
    const encoder = gpu.device.createCommandEncoder();
    finder.encode(encoder, { boxes: input, count });
    gpu.device.queue.submit([encoder.finish()]);
    expectArraysEqual((await finder.read()).pairs, expected, 'pairs');
    expect(await countHeavy(tools, finder)).toBeGreaterThanOrEqual(2);
    finder.destroy();
  },
  SHARED,
);
