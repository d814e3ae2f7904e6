import { describe, expect, it } from 'vitest';
import { HashGrid, type HashGridOptions } from '../../../../src/engine/grid/hash-grid';
import { expectRefusal, untouchableGpu } from '../../../helpers/inputs/untouchable-gpu';

const { NaN: NOT_A_NUMBER } = Number;

describe('HashGrid.create rejects', () => {
  const good: HashGridOptions = { dimensions: 3, min: [0, 0, 0], max: [9, 9, 9], diameter: 1, capacity: 10 };

  it.each<[string, string, object, RegExp]>([
    ['dimensions', '1', { dimensions: 1 }, /2 or 3/],
    ['capacity', '-1', { capacity: -1 }, /a whole number from 0/],
    ['capacity', 'undefined', { capacity: undefined }, /a whole number from 0/],
    ['diameter', '0', { diameter: 0 }, /from 2\^-40 to 2\^60/],
    ['diameter', 'NaN', { diameter: NOT_A_NUMBER }, /from 2\^-40/],
    ['world.cellSize', '0.5', { cellSize: 0.5 }, /at least the largest diameter, 1/],
    ['world.min', '[0, 0]', { min: [0, 0] }, /3 finite numbers/],
    ['world.max[2]', '0', { max: [9, 9, 0] }, /at least world\.min\[2\] \+ one diameter/],
    [
      'the number of cells in the world',
      '[3002, 3002, 3002]',
      { max: [3000, 3000, 3000] },
      /2147483644 in all/,
    ],
    ['options.size', '2', { size: 2 }, /one of min, max, periodic, unbounded/],
  ])('%s = %s', async (argument, value, changes, accepted) => {
    const options = { ...good, ...changes } as HashGridOptions;
    await expectRefusal(HashGrid.create(untouchableGpu(), options), argument, value, accepted);
  });

  it('options that exceed a limit of the device', async () => {
    const attempt = HashGrid.create(untouchableGpu(), { ...good, capacity: 9_000_000 });
    await expect(attempt).rejects.toMatchObject({ name: 'LimitError', limit: 'maxStorageBufferBindingSize' });
    const wide = HashGrid.create(untouchableGpu(), { ...good, max: [400, 400, 400] });
    await expect(wide).rejects.toThrow(/^10 particles in 64964808 cells need a buffer of \d+ bytes/);
  });

  it('a capacity that is too large for a grid with levels, and says how many particles fit', async () => {
    // In a box with 8 levels, the list of finer entries takes 7 words per particle, more than a position.
    const radii = { smallest: 1, largest: 128 };
    const levelled = (capacity: number) =>
      HashGrid.create(untouchableGpu(), { dimensions: 2, min: [0, 0], max: [1024, 1024], radii, capacity });
    const fits = Math.floor((128 * 2 ** 20) / (4 * 7));
    const limit = { name: 'LimitError', limit: 'maxStorageBufferBindingSize' };
    await expect(levelled(9_000_000)).rejects.toMatchObject({ ...limit, fits });
    await expect(levelled(fits + 1)).rejects.toMatchObject(limit);
    await expect(levelled(fits)).rejects.toThrow(/was used/);
  });
});
