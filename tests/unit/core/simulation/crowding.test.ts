import { describe, expect, it } from 'vitest';
import { CROWDED } from '../../../../src/core/base/constants';
import { crowdingWarning } from '../../../../src/core/simulation/crowding';
import { defineWorld } from '../../../../src/core/world/world';
import { createCpuSimulation } from '../../../../src/cpu';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';

const BOX = { dimensions: 2, min: [0, 0], max: [8, 8] } as const;

/** Puts `count` particles into the cell from 2 to 3, and three elsewhere. */
function crowd(count: number): Float32Array {
  const positions = new Float32Array(2 * (count + 3)).fill(6.5);
  for (let index = 0; index < 2 * count; index++) positions[index] = 2 + ((index * 37) % 64) / 64;
  return positions;
}

describe('crowding', () => {
  it.each([
    [CROWDED, 0],
    [CROWDED + 1, CROWDED + 1],
  ])('is measured: in a cell with %i particles, %i of them are crowded', (count, crowded) => {
    const options = { ...BOX, radius: 0.5, positions: crowd(count) };
    for (const simulation of [new ReferenceSimulation(options), createCpuSimulation(options)]) {
      expect(simulation.measure()).toMatchObject({ crowded, greatestOccupancy: count });
    }
    const unbounded = { dimensions: 2, unbounded: true, radius: 0.5, positions: crowd(count) } as const;
    for (const simulation of [new ReferenceSimulation(unbounded), createCpuSimulation(unbounded)]) {
      expect(simulation.measure()).toMatchObject({ crowded, greatestOccupancy: count });
    }
  });

  it('is explained in a message with counts and advice', () => {
    const measures = { count: 1000, crowded: 400, greatestOccupancy: 250 };
    const world = (crowds: boolean) => defineWorld({ ...BOX, crowds }, 1);
    const plain = crowdingWarning(measures, { backend: 'gpu', world: world(false) });
    expect(plain).toMatch(
      /^400 of 1000 particles are in cells with more than 128 particles \(the fullest has 250\)\. /,
    );
    expect(plain).toContain('`crowds: true`');
    for (const [backend, crowds] of [
      ['gpu', true],
      ['cpu', false],
    ] as const) {
      const warning = crowdingWarning(measures, { backend, world: world(crowds) });
      expect(warning).toMatch(/ A smaller radius or a larger world would make steps faster\.$/);
    }
    const none = { ...measures, crowded: 0 };
    expect(crowdingWarning(none, { backend: 'gpu', world: world(false) })).toBeUndefined();
  });

  it('has an option in every world; the option is off by default and must be true or false', () => {
    expect(defineWorld(BOX, 1).crowds).toBe(false);
    expect(defineWorld({ ...BOX, crowds: true }, 1).crowds).toBe(true);
    expect(defineWorld({ dimensions: 3, unbounded: true, crowds: true }, 1).crowds).toBe(true);
    expect(() => defineWorld({ ...BOX, crowds: 1 as unknown as boolean }, 1)).toThrow(
      'world.crowds is 1, but it must be true or false.',
    );
  });
});

it('crowdingWarning rejects a Promise of measures, wrong measures, and a wrong simulation', () => {
  const simulation = { backend: 'cpu', world: defineWorld(BOX, 1) } as const;
  expect(() => crowdingWarning(Promise.resolve() as never, simulation)).toThrow(
    /^measures is a Promise \(did you forget `await`\?\), /,
  );
  const measures = { count: 1, crowded: 1, greatestOccupancy: 1 };
  for (const wrong of [undefined, null, 5, {}]) {
    expect(() => crowdingWarning(wrong as never, simulation)).toThrow(/^measures is /);
    expect(() => crowdingWarning(measures, wrong as never)).toThrow(/^simulation is /);
  }
});
