import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { defaultSettings } from '../../../../src/core/contact/settings';
import { checkCheckpoint } from '../../../../src/core/simulation/checkpoint';
import { describeWorld } from '../../../../src/core/simulation/particles-checkpoint';
import type { Checkpoint } from '../../../../src/core/simulation/simulation';
import { defineWorld } from '../../../../src/core/world/world';

describe('checkCheckpoint', () => {
  const world = defineWorld({ dimensions: 2, min: [0, 0], max: [9, 9] }, 1);
  const simulation = {
    dimensions: 2,
    radius: 0.5,
    radiusRange: undefined,
    world,
    obstacleCapacity: 0,
    capacity: 4,
    continuous: false,
    boxes: false,
    exact: false,
  } as const;
  const good: Checkpoint = {
    version: 1,
    dimensions: 2,
    radius: 0.5,
    min: [0, 0],
    max: [9, 9],
    time: 1,
    settings: defaultSettings(2),
    ids: new Uint32Array([0, 3]),
    positions: new Float32Array(4),
    velocities: new Float32Array(4),
  };

  it('accepts checkpoints of the same kind, including positions that are not finite', () => {
    expect(() => checkCheckpoint(good, simulation)).not.toThrow();
    expect(() =>
      checkCheckpoint({ ...good, positions: new Float32Array(4).fill(NaN) }, simulation),
    ).not.toThrow();
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['another version', { version: 2 }, /^checkpoint\.version is 2, but it must be 1\.$/],
    ['another radius', { radius: 1 }, /^checkpoint\.radius is 1, .*0\.5, like this/],
    ['another min', { min: [1, 0] }, /^checkpoint\.min is \[1, 0\], .*\[0, 0\], like/],
    ['no max', { max: undefined }, /^checkpoint\.max is undefined, /],
    ['other dimensions', { dimensions: 3 }, /^checkpoint\.dimensions is 3, .*2, like this simulation/],
    ['an id past the capacity', { ids: new Uint32Array([0, 4]) }, /^checkpoint\.ids\[1\] is 4, /],
    ['ids out of order', { ids: new Uint32Array([3, 0]) }, /^checkpoint\.ids\[1\] is 0, .*above 3/],
    ['the same id twice', { ids: new Uint32Array([3, 3]) }, /^checkpoint\.ids\[1\] is 3, /],
    ['ids in a plain array', { ids: [0, 3] }, /^checkpoint\.ids is \[0, 3\], .*Uint32Array/],
    ['no positions', { positions: undefined }, /^checkpoint\.positions is undefined, .*Float32Array/],
    ['a time that is not a number', { time: Number.NaN }, /^checkpoint\.time is NaN, /],
    ['wrong settings', { settings: { friction: -1 } }, /^friction is -1, /],
    [
      'too few positions',
      { positions: new Float32Array(3) },
      /^checkpoint\.positions is a Float32Array of length 3, .* 4 numbers/,
    ],
    [
      'too many velocities',
      { velocities: new Float32Array(6) },
      /^checkpoint\.velocities is a Float32Array of length 6, .* 4 numbers/,
    ],
  ])('rejects a checkpoint with %s: %j', (_, change, message) => {
    const checkpoint = { ...good, ...change } as unknown as Checkpoint;
    expect(() => checkCheckpoint(checkpoint, simulation)).toThrow(ArgumentError);
    expect(() => checkCheckpoint(checkpoint, simulation)).toThrow(message);
  });

  it('distinguishes an unbounded world from a box', () => {
    const unbounded = defineWorld({ dimensions: 2, unbounded: true }, 1);
    const free: Checkpoint = { ...good, ...describeWorld(unbounded) };
    expect(free).toMatchObject({ unbounded: true });
    expect(() => checkCheckpoint(free, { ...simulation, world: unbounded })).not.toThrow();
    expect(() => checkCheckpoint(good, { ...simulation, world: unbounded })).toThrow(
      /^checkpoint\.unbounded is undefined, but it must be true, like this simulation's world\.$/,
    );
    expect(() => checkCheckpoint(free, simulation)).toThrow(
      /^checkpoint\.unbounded is true, but it must be left out, since this simulation's world is a box\.$/,
    );
    expect(describeWorld(world)).toEqual({ min: [0, 0], max: [9, 9] });
  });

  it('distinguishes continuous simulations from others', () => {
    const following = { ...simulation, continuous: true };
    const followed: Checkpoint = { ...good, continuous: true };
    expect(() => checkCheckpoint(followed, following)).not.toThrow();
    expect(() => checkCheckpoint(good, following)).toThrow(
      /^checkpoint\.continuous is undefined, but it must be true, since this simulation was created with `continuous: true`\.$/,
    );
    expect(() => checkCheckpoint(followed, simulation)).toThrow(
      /^checkpoint\.continuous is true, but it must be left out, since this simulation was created without `continuous`\.$/,
    );
  });

  it('distinguishes variable radii from one radius', () => {
    const radiusRange = { smallest: 0.25, largest: 0.5 };
    const own = { ...simulation, radiusRange };
    const radii = new Float32Array([0.25, 0.5]);
    expect(() => checkCheckpoint({ ...good, radiusRange, radii }, own)).not.toThrow();
    expect(() => checkCheckpoint(good, own)).toThrow(
      /^checkpoint\.radiusRange is undefined, but it must be \{ smallest: 0\.25, largest: 0\.5 \}, like this simulation\.$/,
    );
    expect(() => checkCheckpoint({ ...good, radiusRange, radii }, simulation)).toThrow(
      /^checkpoint\.radiusRange is .*, but it must be left out, since all particles of this simulation have one radius\.$/,
    );
    expect(() => checkCheckpoint({ ...good, radii }, simulation)).toThrow(
      /^checkpoint\.radii is .*, but it must be left out, since all particles of this simulation have one radius\.$/,
    );
    expect(() => checkCheckpoint({ ...good, radiusRange }, own)).toThrow(
      /^checkpoint\.radii is undefined, .*a Float32Array of length 2, one radius per body\.$/,
    );
    const tooLarge = new Float32Array([0.25, 0.75]);
    expect(() => checkCheckpoint({ ...good, radiusRange, radii: tooLarge }, own)).toThrow(
      /^checkpoint\.radii\[1\] is 0\.75, .*from 0\.25 to 0\.5/,
    );
  });

  it('accepts `loads` if radii vary, and rejects wrong loads', () => {
    const radiusRange = { smallest: 0.25, largest: 0.5 };
    const own = { ...simulation, radiusRange };
    const sized = { ...good, radiusRange, radii: new Float32Array([0.25, 0.5]) };
    for (const loads of [undefined, new Float32Array([0, 2 ** 24])]) {
      expect(() => checkCheckpoint({ ...sized, loads }, own)).not.toThrow();
    }
    expect(() => checkCheckpoint({ ...good, loads: new Float32Array(2) }, simulation)).toThrow(
      /^checkpoint\.loads is .*, but it must be left out, since all particles of this simulation have one radius\.$/,
    );
    const outOfRange = [-1, Number.NaN, 2 ** 25].map((load) => new Float32Array([0, load]));
    for (const loads of [new Float32Array(3), [0, 0], new Float64Array(2), null, ...outOfRange]) {
      const wrong = { ...sized, loads } as unknown as Checkpoint;
      expect(() => checkCheckpoint(wrong, own)).toThrow(ArgumentError);
      expect(() => checkCheckpoint(wrong, own)).toThrow(
        /^checkpoint\.loads is .*, but it must be a Float32Array with 2 numbers from 0 to 16777216\.$/,
      );
    }
  });

  it('rejects more particles than the capacity, and a missing checkpoint', () => {
    expect(() => checkCheckpoint(good, { ...simulation, capacity: 1 })).toThrow(
      /^checkpoint\.ids\.length is 2, .*at most 1/,
    );
    expect(() => checkCheckpoint(undefined as unknown as Checkpoint, simulation)).toThrow(ArgumentError);
  });
});
