import { expect, it } from 'vitest';
import { BoxOrder } from '../../../../src/cpu/boxes/order';

it.each([1, 3, 10])('evenly spread boxes of size %d are also spread evenly over rows', (size) => {
  const count = 512;
  const spacing = 0.25;
  const order = new BoxOrder(2, [0, 0]);
  const boxes = Float32Array.from({ length: 4 * count }, (_, word) => {
    const low = word % 2 === 0 ? 0 : spacing * Math.floor(word / 4);
    return word % 4 < 2 ? low : low + size;
  });
  order.build(boxes, count);
  const { starts, slots } = order;
  expect(slots).toBe(count);
  const rows = Array.from(starts.subarray(1), (end, row) => end - (starts[row] as number));
  // A row holds 16 boxes, or the boxes that begin within the length of one box if these are more. The first and the
  // last row also take the boxes beyond the ends of the rows: a fiftieth of all boxes each.
  expect(Math.max(...rows)).toBeLessThanOrEqual(Math.max(16, size / spacing) + Math.ceil(count / 50) + 1);
});
