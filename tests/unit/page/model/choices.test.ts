import { describe, expect, it } from 'vitest';
import { planSimulation } from '../../../../src/core/simulation/plan';
import { defaultChoices, roomFor, simulationOptions, startOfScene } from '../../../../src/page/model/choices';
import type { Choices } from '../../../../src/page/model/fields';
import { capOf, effectiveCount } from '../../../../src/page/model/limits';
import { readLink } from '../../../../src/page/session/link';

const HARDWARE = { isSoftware: false, most: 100_000_000 };

const SOFTWARE = { isSoftware: true, most: 1_000_000 };

describe('choices', () => {
  it('scale particles or vary their sizes, and give equal sizes for equal seeds', () => {
    const choices = { ...defaultChoices('uniform'), count: 200 };
    const usual = simulationOptions(choices, 200);
    const half = simulationOptions({ ...choices, size: 0.5 }, 200);
    expect(half.radius).toBe((usual.radius as number) / 2);
    expect(half.positions).toEqual(usual.positions);
    const spread = simulationOptions({ ...choices, spread: 8, seed: 5 }, 200);
    expect(spread.radius).toBeUndefined();
    const radii = spread.radii as Float32Array;
    expect(Math.max(...radii)).toBeLessThanOrEqual(usual.radius as number);
    expect(Math.min(...radii)).toBeGreaterThanOrEqual((usual.radius as number) / 8);
    expect(Math.max(...radii) / Math.min(...radii)).toBeGreaterThan(6);
    expect(simulationOptions({ ...choices, spread: 8, seed: 5 }, 200).radii).toEqual(radii);
    expect(simulationOptions({ ...choices, spread: 8, seed: 6 }, 200).radii).not.toEqual(radii);
    const other = simulationOptions({ ...choices, seed: 6 }, 200);
    expect(other.positions).not.toEqual(usual.positions);
  });

  it('give each obstacle a radius if particles vary in size', () => {
    const choices = { ...defaultChoices('obstacles'), spread: 4 };
    const { obstacles } = simulationOptions(choices, 300);
    expect(obstacles).toMatchObject({ radii: expect.any(Float32Array) });
  });

  it('are capped at counts that the engine can simulate', () => {
    const many = { ...defaultChoices(), count: 1_000_000 };
    expect(effectiveCount(many, HARDWARE)).toBe(1_000_000);
    expect(effectiveCount({ ...many, engine: 'cpu' }, HARDWARE)).toBe(50_000);
    expect(effectiveCount({ ...many, broadPhase: 'naive' }, SOFTWARE)).toBe(3000);
    const beyond = readLink('?count=1e99');
    for (const hardware of [HARDWARE, SOFTWARE, { isSoftware: false, most: 123_456 }]) {
      expect(effectiveCount(beyond, hardware)).toBe(hardware.most);
    }
    const { reason } = capOf(beyond, { isSoftware: false, most: 123_456 }) ?? {};
    expect(reason).toBe('At most 123,456 particles run. That is what this device and the page hold.');
  });
});

describe('the width of cells', () => {
  const start = (cellSize: number, changes: Partial<Choices> = {}) =>
    startOfScene({ ...defaultChoices('periodic'), count: 60, cellSize, ...changes }, 60);

  it('is rejected in the words of the page if fewer than three cells fit along a periodic axis', () => {
    expect(() => start(8)).toThrow(
      'Cell size is 8, but it must be at most 4.66 here, because 3 cells must fit along a periodic axis of 14 diameters; more particles make it longer.',
    );
    expect(() => start(4.67)).toThrow(/at most 4\.66/);
    expect(planSimulation(start(4.66).options).world.cells).toEqual([3, 3]);
  });

  it('may be larger if no axis is periodic', () => {
    for (const changes of [{ periodicX: false, periodicY: false }, { unbounded: true }]) {
      expect(start(8, changes).options.cellSize).toBe(8);
    }
  });
});

describe('the cap on naive', () => {
  const many = { ...defaultChoices(), broadPhase: 'naive' as const, count: 30_000 };

  it('keeps a step short, whatever its substeps and passes', () => {
    expect(effectiveCount(many, HARDWARE)).toBe(30_000);
    expect(effectiveCount(many, SOFTWARE)).toBe(3000);
    expect(effectiveCount({ ...many, engine: 'cpu' }, HARDWARE)).toBe(10_000);
    expect(effectiveCount({ ...many, engine: 'cpu', substeps: 1 }, HARDWARE)).toBe(30_000);
    expect(effectiveCount({ ...many, substeps: 1 }, SOFTWARE)).toBe(8400);
    expect(effectiveCount({ ...many, substeps: 256, restitution: 1 }, SOFTWARE)).toBe(370);
    expect(effectiveCount({ ...many, broadPhase: 'grid', scene: 'one-cell' }, SOFTWARE)).toBe(3000);
    expect(effectiveCount({ ...many, broadPhase: 'grid' }, SOFTWARE)).toBe(30_000);
  });

  it('states the cost of more particles', () => {
    expect(capOf(many, SOFTWARE)?.reason).toMatch(
      /every pair: 4,498,500 pairs with 3,000 .* 8 substeps.*limit.*With 30,000 .* 100 times as long/,
    );
  });
});

function at(...numbers: number[]): Float32Array {
  return Float32Array.from(numbers);
}

describe('the room of a simulation', () => {
  const choices = { ...defaultChoices(), count: 100 };
  const options = simulationOptions(choices, 100);
  const held = { dimensions: 2, ids: Uint32Array.of(0, 150), obstacles: at(1, 1, 2, 2, 3, 3) } as const;

  it('holds the present particles and obstacles, and those that the pointer may add', () => {
    expect(roomFor(choices, options)).toEqual({ capacity: 100, obstacleCapacity: 0 });
    expect(roomFor({ pointer: 'add' }, options)).toEqual({ capacity: 2100, obstacleCapacity: 0 });
    expect(roomFor({ pointer: 'wall' }, options)).toEqual({ capacity: 100, obstacleCapacity: 4000 });
    expect(roomFor(choices, options, held)).toEqual({ capacity: 151, obstacleCapacity: 3 });
    expect(roomFor({ pointer: 'wall' }, options, held)).toEqual({ capacity: 151, obstacleCapacity: 4003 });
    // The room never shrinks, because the visitor may go back to a state that needs it.
    const before = { capacity: 900, obstacleCapacity: 5000 };
    expect(roomFor({ pointer: 'wall' }, options, held, before)).toEqual(before);
    const many = simulationOptions({ ...choices, count: 10_000 }, 10_000);
    expect(roomFor({ pointer: 'add' }, many).capacity).toBe(15_000);
    // The limit caps the room for new particles, but present particles always have room.
    expect(roomFor({ pointer: 'add', most: 12_000 }, many).capacity).toBe(12_000);
    expect(roomFor({ pointer: 'add', most: 9000 }, many).capacity).toBe(10_000);
  });
});
