import { describe, expect, it } from 'vitest';
import { LimitError } from '../../../../src/core/base/errors';
import type { SimulationOptions } from '../../../../src/core/simulation/simulation';
import { createSimulation } from '../../../../src/engine/simulation/simulation';
import { expectRefusal, type Limits, untouchableGpu } from '../../../helpers/inputs/untouchable-gpu';

const { NaN: NOT_A_NUMBER, POSITIVE_INFINITY: INFINITE } = Number;

describe('createSimulation rejects', () => {
  const good: SimulationOptions = {
    dimensions: 2,
    radius: 0.5,
    min: [0, 0],
    max: [10, 10],
    positions: Float32Array.of(1, 1, 2, 2),
  };

  it.each<[string, string, object, RegExp]>([
    ['dimensions', '4', { dimensions: 4 }, /2 or 3/],
    ['dimensions', 'undefined', { dimensions: undefined }, /2 or 3/],
    ['radius', '0', { radius: 0 }, /greater than 0/],
    ['radius', '-1', { radius: -1 }, /greater than 0/],
    ['radius', 'NaN', { radius: NOT_A_NUMBER }, /greater than 0/],
    ['radius', 'Infinity', { radius: INFINITE }, /greater than 0/],
    ['radius', '"1"', { radius: '1' }, /greater than 0/],
    ['radius', 'undefined', { radius: undefined }, /greater than 0/],
    ['positions[3] (particle 1)', 'NaN', { positions: Float32Array.of(1, 1, 2, NOT_A_NUMBER) }, /finite/],
    ['positions[0] (particle 0)', 'Infinity', { positions: Float32Array.of(1e39, 1) }, /finite/],
    ['positions', '[1, 2]', { positions: [1, 2] }, /a Float32Array with 2 numbers per particle/],
    ['positions.length', '3', { positions: new Float32Array(3) }, /2 \(2 numbers for each of 1/],
    ['velocities[1] (particle 0)', 'Infinity', { velocities: Float32Array.of(0, INFINITE, 0, 0) }, /finite/],
    ['velocities.length', '2', { velocities: new Float32Array(2) }, /4 \(2 numbers for each of 2/],
    ['velocities', 'a Float64Array of length 4', { velocities: new Float64Array(4) }, /a Float32Array/],
    ['capacity', '-1', { capacity: -1 }, /a whole number from 0 to 2147483647/],
    ['capacity', '1.5', { capacity: 1.5 }, /a whole number/],
    ['capacity', 'NaN', { capacity: NOT_A_NUMBER }, /a whole number/],
    ['capacity', '2147483648', { capacity: 2 ** 31 }, /from 0 to 2147483647/],
    ['positions', '2 particles', { capacity: 1 }, /at most 1 particle \(/],
    ['world.cellSize', '0.99', { cellSize: 0.99 }, /at least the largest diameter, 1/],
    ['world.cellSize', 'NaN', { cellSize: NOT_A_NUMBER }, /a finite number/],
    ['world.min', '[0]', { min: [0] }, /2 finite numbers/],
    ['world.min[1]', 'NaN', { min: [0, NOT_A_NUMBER] }, /a finite number/],
    ['world.max[0]', 'Infinity', { max: [INFINITE, 10] }, /a finite number/],
    ['world.max[1]', '0.5', { max: [10, 0.5] }, /at least world\.min\[1\] \+ one diameter = 1/],
    ['the number of cells in the world', '[1000002, 12]', { max: [1e6, 10] }, /at most 524288 along an axis/],
    ['the number of cells in the world', '[500002, 500002]', { max: [5e5, 5e5] }, /and 2147483644 in all/],
    ['gravity', '[1, 2, 3]', { gravity: [1, 2, 3] }, /2 finite numbers/],
    ['restitution', '2', { restitution: 2 }, /from 0 to 1/],
    ['friction', '-1', { friction: -1 }, /from 0 to 10/],
    ['substeps', '0', { substeps: 0 }, /from 1 to 256/],
    ['relaxation', '0', { relaxation: 0 }, /from 0\.01 to 1/],
    ['walls', '1', { walls: 1 }, /true or false/],
    ['broadPhase', '"tree"', { broadPhase: 'tree' }, /'grid' or 'naive'/],
    ['options.raduis', '1', { raduis: 1 }, /one of .*radius/],
  ])('%s = %s', async (argument, value, changes, accepted) => {
    const options = { ...good, ...changes } as SimulationOptions;
    await expectRefusal(createSimulation(untouchableGpu(), options), argument, value, accepted);
  });

  it.each([undefined, null, 7])('the options %s', async (options) => {
    const attempt = createSimulation(untouchableGpu(), options as unknown as SimulationOptions);
    await expect(attempt).rejects.toThrow(/^options is .*, but it must be an object/);
  });

  it.each<[string, Limits, Partial<SimulationOptions>, RegExp]>([
    [
      'maxStorageBufferBindingSize',
      {},
      { capacity: 17_000_000 },
      /^17000000 particles in \d+ cells need a buffer of 136000000 bytes, but .* request it with particles: 17000000, cells: \d+\.$/,
    ],
    [
      'maxStorageBufferBindingSize',
      {},
      { max: [6000, 6000] },
      /^2 particles in 36024004 cells need a buffer of \d+ bytes/,
    ],
    ['maxBufferSize', { maxBufferSize: 500 }, {}, /maxBufferSize of 500; request/],
    [
      'maxStorageBuffersPerShaderStage',
      { maxStorageBuffersPerShaderStage: 4 },
      {},
      /^This device's maxStorageBuffersPerShaderStage is 4, but cellstorm needs 8\.$/,
    ],
    [
      'maxComputeInvocationsPerWorkgroup',
      { maxComputeInvocationsPerWorkgroup: 128 },
      {},
      /is 128, but cellstorm needs 256/,
    ],
    [
      'maxComputeWorkgroupStorageSize',
      { maxComputeWorkgroupStorageSize: 1024 },
      {},
      /is 1024, but cellstorm needs 16384/,
    ],
    [
      'maxComputeWorkgroupsPerDimension',
      { maxComputeWorkgroupsPerDimension: 2 },
      { capacity: 1025 },
      /^1025 particles need 5 workgroups, .* of 2 holds 4: at most 1024 particles fit\.$/,
    ],
  ])('options that exceed the limit %s', async (limit, limits, changes, message) => {
    const attempt = createSimulation(untouchableGpu(limits), { ...good, ...changes });
    await expect(attempt).rejects.toBeInstanceOf(LimitError);
    await expect(attempt).rejects.toMatchObject({ limit, message: expect.stringMatching(message) });
  });

  it('no options that stay within the limits, and then uses the device', async () => {
    const fits = { ...good, capacity: 1024, max: [100, 100] };
    const attempt = createSimulation(untouchableGpu({ maxComputeWorkgroupsPerDimension: 2 }), fits);
    await expect(attempt).rejects.toThrow(/was used/);
    const large = { ...good, capacity: 2 ** 24, max: [5788, 5788] };
    await expect(createSimulation(untouchableGpu(), large)).rejects.toThrow(/was used/);
  });
});
