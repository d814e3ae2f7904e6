import { expect, test } from 'vitest';
import { openWebGpu } from '../../../src/node';

test.each([
  [null, 'options is null, but it must be an object with some of driver.'],
  ['software', 'options is "software", but it must be an object with some of driver.'],
  [
    { drivers: 'software' },
    'options.drivers is "software", but it must be left out or renamed to one of driver.',
  ],
  [{ driver: 'vulkan' }, 'driver is "vulkan", but it must be one of auto, '],
])('openWebGpu rejects the options %j', async (options, message) => {
  await expect(openWebGpu(options as never)).rejects.toThrow(message);
});
