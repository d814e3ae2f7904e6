/** Tests that restoring rejects values that are no checkpoints. For a Promise, the error suggests `await`. */
import { describe, expect, test } from 'vitest';
import { checkCheckpoint } from '../../../../src/core/simulation/checkpoint';
import { checkSameKind } from '../../../../src/core/simulation/particles-checkpoint';
import { checkLifeCheckpoint } from '../../../../src/methods/flock/life-options';
import { checkFlockCheckpoint } from '../../../../src/methods/flock/options';
import { checkFluidCheckpoint } from '../../../../src/methods/fluid/checkpoint';
import { checkFluidCheckpoint as checkPositionFluidCheckpoint } from '../../../../src/methods/pbf/options';

const any = { lattice: {} } as never;

describe.each<[string, (checkpoint: never) => void]>([
  ['a simulation', (checkpoint) => checkCheckpoint(checkpoint, any)],
  ['particles', (checkpoint) => checkSameKind(checkpoint, 2)],
  ['a flock', (checkpoint) => checkFlockCheckpoint(checkpoint, any, any)],
  ['life', (checkpoint) => checkLifeCheckpoint(checkpoint, any)],
  ['a fluid', (checkpoint) => checkFluidCheckpoint(checkpoint, any)],
  ['a position-based fluid', (checkpoint) => checkPositionFluidCheckpoint(checkpoint, any)],
])('restoring %s', (_, check) => {
  test.each([
    [Promise.resolve(), 'checkpoint is a Promise (did you forget `await`?)'],
    [undefined, 'checkpoint is undefined'],
    [{}, 'checkpoint is an object'],
  ])('rejects a value without a version: %s', (given, problem) => {
    expect(() => check(given as never)).toThrow(
      `${problem}, but it must be a checkpoint with its version, such as the result of \`await simulation.checkpoint()\`.`,
    );
  });

  test('rejects a version other than 1', () => {
    expect(() => check({ version: 2 } as never)).toThrow('checkpoint.version is 2, but it must be 1.');
  });
});
