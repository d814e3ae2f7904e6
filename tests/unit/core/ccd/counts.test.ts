import { describe, expect, it } from 'vitest';
import { CellstormError } from '../../../../src/core/base/errors';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';
import { few } from './discs';

describe('continuousCounts and advance', () => {
  it('count the particles that needed substeps, and those too fast for them', () => {
    // The particles move 1/16, 1/2 and 8 diameters per step of 1/64 s. Per substep this is 1/128, 1/16 and 1.
    const speeds = [4, 0, 32, 0, 512, 0];
    const simulation = few([2, 1, 2, 4, 2, 7], speeds, { substeps: 8 });
    simulation.step(1 / 64);
    expect(simulation.continuousCounts()).toEqual({ substepped: 1, swept: 1, paths: 8, hits: 0, held: 0 });
  });

  it('use more substeps than set if the fastest particle needs them, unless it needs too many', () => {
    const simulation = few([2, 1, 2, 4], [3, 0, 47, 0], { substeps: 8 });
    // 47 / 64 of a diameter takes twelve substeps of at most a sixteenth.
    expect(simulation.advance(1 / 64)).toBe(12);
    expect(simulation.continuousCounts()).toEqual({ substepped: 1, swept: 0, paths: 0, hits: 0, held: 0 });
    expect(simulation.advance(1 / 64, 11)).toBe(8);
    expect(simulation.continuousCounts().swept).toBe(1);
    expect(simulation.advance(1 / 64, 256)).toBe(12);
    expect(simulation.advance(1 / 1024)).toBe(8);
    expect(simulation.settings.substeps).toBe(8);
    expect(simulation.time).toBeCloseTo(3 / 64 + 1 / 1024, 10);
  });

  it('choose substeps for the particle that moves farthest in its own diameters, including gravity', () => {
    const simulation = few([2, 1, 20, 4], [3, 0, 40, 0], {
      radius: undefined,
      radii: new Float32Array([0.25, 2]),
      gravity: [0, -64],
      substeps: 2,
    });
    // Gravity adds at most 1 to each speed. (3 + 1) / 64 is two sixteenths of the diameter 0.5, and (40 + 1) / 64 is
    // 2.6 sixteenths of the diameter 4.
    expect(simulation.advance(1 / 64)).toBe(3);
    const reference = new ReferenceSimulation({
      dimensions: 2,
      radii: new Float32Array([2]),
      min: [0, 0],
      max: [64, 8],
      positions: new Float32Array([20, 4]),
      velocities: new Float32Array([40, 0]),
      continuous: true,
      substeps: 1,
    });
    expect(reference.advance(1 / 64, 3)).toBe(3);
  });

  it('reject calls without `continuous`, and wrong arguments', () => {
    const plain = few([2, 4], [0, 0], { continuous: false });
    const sentence =
      /^(continuousCounts|advance) needs a simulation that was created with `continuous: true`\.$/;
    expect(() => plain.continuousCounts()).toThrow(CellstormError);
    expect(() => plain.continuousCounts()).toThrow(sentence);
    expect(() => plain.advance(1 / 64)).toThrow(sentence);
    const simulation = few([2, 4], [0, 0]);
    expect(() => simulation.advance(1 / 64, 0)).toThrow(/^most is 0, but/);
    expect(() => simulation.advance(Number.NaN)).toThrow(/^dt is NaN, but/);
    expect(() => few([2, 4], [0, 0], { continuous: 1 as unknown as boolean })).toThrow(
      /^continuous is 1, but/,
    );
  });
});
