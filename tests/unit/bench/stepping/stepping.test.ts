import { describe, expect, it } from 'vitest';
import { DT, measureStepping, steppingEngines, whatIsWrong } from '../../../../bench/stepping/measure';
import { createScene } from '../../../../src/scenes';
import { DIMENSIONS } from '../../../helpers/passes';

const COUNT = 60;
const scene = createScene('pile', { dimensions: 2, count: COUNT });
const still = new Float32Array(2 * COUNT);
const cases = DIMENSIONS.flatMap((dimensions) =>
  steppingEngines(dimensions).map((engine) => ({ name: engine.name, engine, dimensions })),
);

describe.each(cases)('$name in $dimensions dimensions', ({ engine, dimensions }) => {
  const scene = createScene('pile', { dimensions, count: COUNT });

  it('lets the top body fall freely, and reports its velocity', async () => {
    const stepper = await engine.open(scene, 1);
    const steps = 4;
    for (let step = 0; step < steps; step++) stepper.step(DT);
    const top = stepper.positions().reduce((best, value, index, all) => {
      return index % dimensions === 1 && value > (all[best] as number) ? index : best;
    }, 1);
    const [, gravity = 0] = scene.settings?.gravity ?? [];
    const expected = gravity * steps * DT;
    expect((stepper.velocities()[top] as number) / expected).toBeCloseTo(1, 1);
    expect(stepper.positions()[top]).toBeLessThan(scene.positions[top] as number);
    stepper.destroy();
  });

  it('gets a timing, and ends with little overlap', async () => {
    const record = await measureStepping({ engine, dimensions, count: COUNT, steps: 120, limit: 20_000 });
    expect(record.wrong).toBeUndefined();
    expect(record.steps).toBe(120);
    expect(record.median).toBeGreaterThan(0);
    expect(record.p95).toBeGreaterThanOrEqual(record.median as number);
    expect(record.greatestOverlap).toBeLessThan(0.5);
    expect(record.kineticEnergy).toBeLessThan(5);
    expect(JSON.parse(JSON.stringify(record))).toEqual(record);
  });
});

it('there is a rigid-body engine for each number of dimensions', () => {
  expect(steppingEngines(2).map(({ name }) => name)).toEqual([
    'cellstorm/cpu',
    'rapier2d',
    'box2d3',
    'matter-js',
  ]);
  expect(steppingEngines(3, ['rapier3d', 'box2d3']).map(({ name }) => name)).toEqual(['rapier3d']);
});

it('a state is wrong if bodies are missing, not finite or outside the box', () => {
  expect(whatIsWrong(scene, scene.positions, still)).toBeUndefined();
  expect(whatIsWrong(scene, scene.positions.slice(2), still)).toMatch(/59 of 60 bodies left/);
  expect(whatIsWrong(scene, scene.positions.with(3, Number.NaN), still)).toMatch(/not finite/);
  expect(whatIsWrong(scene, scene.positions.with(5, -1), still)).toMatch(
    /^Body 2 is outside .* -1 along y\.$/,
  );
});
