import { expect, it } from 'vitest';
import { StateSubmissions } from '../../../../src/engine/simulation/submissions';
import type { Gpu } from '../../../../src/gpu/device';
import type { Readback } from '../../../../src/gpu/readback';

it('closes the error scope if the work after timed stages cannot be recorded', () => {
  let scopes = 0;
  const device = {
    pushErrorScope() {
      scopes++;
    },
    async popErrorScope() {
      scopes--;
      return null;
    },
    createCommandEncoder: () => ({}),
    queue: { onSubmittedWorkDone: async () => {} },
  };
  const gpu = { device, timestamps: false, checkAlive() {} } as unknown as Gpu;
  const fail = () => {
    throw new Error('cannot record');
  };
  expect(() => new StateSubmissions(gpu).time({} as Readback, [], fail)).toThrow('cannot record');
  expect(scopes).toBe(0);
});
