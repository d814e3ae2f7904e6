import { expect, it } from 'vitest';
import { GREATEST_SPEED_BITS } from '../../../../src/core/base/constants';
import { GREATEST_SPEED } from '../../../../src/core/world/limits';

it('the greatest speed has the bits of the constant in the shaders', () => {
  expect(new Uint32Array(Float32Array.of(GREATEST_SPEED).buffer)[0]).toBe(GREATEST_SPEED_BITS);
});
