import { describe, expect, it, test } from 'vitest';
import { sizeRatioWarning } from '../../../../src/core/contact/size-ratio';
import { createCpuSimulation } from '../../../../src/cpu/index';

function onTop(dimensions: 2 | 3, ratio: number, substeps: number) {
  const edge = 4 * ratio;
  const middle = edge / 2;
  const at = (y: number) => (dimensions === 2 ? [middle, y] : [middle, y, middle]);
  return createCpuSimulation({
    dimensions,
    min: new Array<number>(dimensions).fill(0),
    max: new Array<number>(dimensions).fill(edge),
    positions: Float32Array.of(...at(1), ...at(2 + ratio)),
    radii: Float32Array.of(1, ratio),
    gravity: dimensions === 2 ? [0, -9.81] : [0, -9.81, 0],
    substeps,
  });
}

/** Returns the lowest gap below the upper ball from 1.5 to 2 seconds, as a share of the lower ball's diameter. */
function lowestGap(dimensions: 2 | 3, ratio: number, substeps: number): number {
  const simulation = onTop(dimensions, ratio, substeps);
  let lowest = Number.POSITIVE_INFINITY;
  for (let step = 1; step <= 120; step++) {
    simulation.step(1 / 60);
    const height = simulation.read().positions[dimensions + 1] as number;
    if (step >= 90) lowest = Math.min(lowest, (height - ratio) / 2);
  }
  return lowest;
}

function namedSubsteps(dimensions: 2 | 3, ratio: number, substeps: number): number | undefined {
  const named = /Set `substeps` to (\d+)\.$/.exec(sizeRatioWarning(onTop(dimensions, ratio, substeps)) ?? '');
  return named ? Number(named[1]) : undefined;
}

describe('sizeRatioWarning', () => {
  it.each([
    [3, 20, 8],
    [3, 25, 8],
    [2, 100, 8],
  ] as const)(
    'says nothing in %dD at ratio %d with %d substeps, and the ball sinks by less than 2%',
    (dimensions, ratio, substeps) => {
      expect(sizeRatioWarning(onTop(dimensions, ratio, substeps))).toBeUndefined();
      expect(lowestGap(dimensions, ratio, substeps)).toBeGreaterThan(0.98);
    },
  );

  it('warns early: in 3D a ball of radius 28 still rests within 2% with 8 substeps', () => {
    expect(namedSubsteps(3, 28, 8)).toBe(9);
    expect(lowestGap(3, 28, 8)).toBeGreaterThan(0.98);
    expect(lowestGap(3, 36, 8)).toBeLessThan(0.98);
  });

  it.each([
    [3, 40, 8, 13],
    [3, 100, 8, 31],
    [2, 100, 4, 6],
  ] as const)(
    'names the needed substeps in %dD at ratio %d with %d substeps: %d',
    (dimensions, ratio, substeps, needed) => {
      expect(sizeRatioWarning(onTop(dimensions, ratio, substeps))).toBe(
        `The largest radius is ${ratio} times the smallest. With ${substeps} substeps the largest particles sink into the smallest ones below them. Set \`substeps\` to ${needed}.`,
      );
      expect(lowestGap(dimensions, ratio, substeps)).toBeLessThan(0.98);
    },
  );

  it.each([2, 3] as const)('names enough substeps in %dD at ratios up to 100', (dimensions) => {
    for (const ratio of [1.5, 3, 5, 10, 15, 20, 30, 40, 60, 80, 90, 95, 100]) {
      const needed = namedSubsteps(dimensions, ratio, 1) ?? 1;
      expect(namedSubsteps(dimensions, ratio, needed)).toBeUndefined();
      expect(lowestGap(dimensions, ratio, needed), `ratio ${ratio}, ${needed} substeps`).toBeGreaterThan(
        0.98,
      );
    }
  });

  it('names enough substeps for the weaker relaxation of balls among boxes, also on an obstacle', () => {
    const create = (substeps: number) =>
      createCpuSimulation({
        dimensions: 3,
        min: [0, 0, 0],
        max: [88, 88, 88],
        boxes: true,
        positions: Float32Array.of(44, 3, 44, 44, 24, 44),
        radii: Float32Array.of(1, 20),
        obstacles: {
          positions: Float32Array.of(44, 1, 44),
          radii: Float32Array.of(0),
          halfExtents: Float32Array.of(44, 1, 44),
        },
        gravity: [0, -9.81, 0],
        substeps,
      });
    const lowest = (substeps: number) => {
      const simulation = create(substeps);
      let least = Number.POSITIVE_INFINITY;
      for (let step = 1; step <= 120; step++) {
        simulation.step(1 / 60);
        if (step >= 90) least = Math.min(least, ((simulation.read().positions[4] as number) - 22) / 2);
      }
      return least;
    };
    expect(create(8).warnings[0]).toMatch(/^The largest radius is 20 times .* Set `substeps` to 9\.$/);
    expect(lowest(8)).toBeLessThan(lowest(9));
    expect(create(9).warnings).toEqual([]);
    expect(lowest(9)).toBeGreaterThan(0.98);
  });

  it('says if more substeps are needed than are allowed', () => {
    expect(sizeRatioWarning(onTop(3, 1000, 8))).toMatch(
      /^The largest radius is 1000 times .* To hold them takes 296 substeps, more than the 256 that are allowed/,
    );
  });

  it('says nothing if all radii are equal, or without gravity', () => {
    const { settings: usual } = onTop(3, 2, 8);
    const radiusRange = { smallest: 0.001, largest: 0.001 };
    expect(sizeRatioWarning({ dimensions: 2, radiusRange, settings: usual })).toBeUndefined();
    expect(
      sizeRatioWarning({
        ...onTop(3, 1000, 8),
        dimensions: 3,
        radiusRange: undefined,
        settings: onTop(3, 2, 8).settings,
      }),
    ).toBeUndefined();
    const settings = { ...onTop(3, 2, 8).settings, gravity: [0, 0, 0] };
    expect(
      sizeRatioWarning({ dimensions: 3, radiusRange: { smallest: 1, largest: 1000 }, settings }),
    ).toBeUndefined();
  });
});

test('simulation.warnings has the warning only if the settings and the last time step need it', () => {
  const simulation = onTop(3, 40, 8);
  const words = sizeRatioWarning(simulation);
  expect(words).toMatch(/Set `substeps` to 13\.$/);
  expect(simulation.warnings).toEqual([words]);
  simulation.step(1 / 240);
  expect(simulation.warnings).toEqual([]);
  simulation.measure();
  simulation.step(0);
  expect(simulation.warnings).toEqual([]);
  simulation.step(1 / 60);
  expect(simulation.warnings).toEqual([words]);
  simulation.set({ substeps: 13 });
  expect(simulation.warnings).toEqual([]);
  const forgotten = Promise.resolve() as unknown as typeof simulation;
  expect(() => sizeRatioWarning(forgotten)).toThrow(
    /^simulation is a Promise \(did you forget `await`\?\), but/,
  );
});
