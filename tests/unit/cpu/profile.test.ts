import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../src/cpu';
import { createCpuFluid } from '../../../src/methods/fluid';
import { createScene, sceneOptions } from '../../../src/scenes';
import { FOUNTAIN } from '../../helpers/inputs/fluids';

describe('a profile of the CPU engine', () => {
  const begin = (changes: object) => {
    const scene = createScene('gas', { dimensions: 2, count: 400 });
    return createCpuSimulation(sceneOptions(scene, changes));
  };

  it('gives the same bits as a step', () => {
    const settings = { substeps: 3, restitution: 0.5 };
    const [timed, stepped] = [begin(settings), begin(settings)];
    for (let step = 0; step < 4; step++) {
      timed.profile(1 / 60);
      stepped.step(1 / 60);
    }
    expect(timed.measure().hash).toBe(stepped.measure().hash);
    expect(timed.time).toBe(stepped.time);
  });

  it('names the stages in their order, with times that add up to the total', () => {
    const { source, stages, total } = begin({ restitution: 0 }).profile(1 / 60);
    expect(source).toBe('wall-clock');
    expect(Object.keys(stages)).toEqual(['integrate', 'sort', 'resolve']);
    expect(total).toBeGreaterThan(0);
    expect(Object.values(stages).reduce((sum, time) => sum + time, 0)).toBeCloseTo(total, 6);
    expect(Object.keys(begin({ restitution: 0.5 }).profile(1 / 60).stages)).toEqual([
      'integrate',
      'sort',
      'partner',
      'resolve',
    ]);
  });

  it('has no stages for a step of 0 s, and rejects an invalid time', () => {
    const simulation = begin({});
    expect(simulation.profile(0)).toEqual({ source: 'wall-clock', stages: {}, total: 0 });
    expect(() => simulation.profile(-1)).toThrow(/dt is -1/);
    expect(simulation.time).toBe(0);
  });
});

describe('a profile of the CPU fluid', () => {
  it('gives the same bits as a substep, and names the stages like the GPU, with times that add up to the total', () => {
    const still = { ...FOUNTAIN, obstacles: [] };
    const [timed, stepped] = [createCpuFluid(still), createCpuFluid(still)];
    for (let step = 0; step < 12; step++) stepped.step(1 / 120, 1);
    for (let step = 0; step < 11; step++) timed.profile(1 / 120);
    const { source, stages, total } = timed.profile(1 / 120);
    expect(timed.measure()).toEqual(stepped.measure());
    expect(source).toBe('wall-clock');
    expect(Object.keys(stages)).toEqual([
      ...['sort', 'cells', 'transfer', 'faces', 'pressure', 'extrapolate', 'particles', 'separate', 'energy'],
      'drain',
    ]);
    expect(Object.values(stages).reduce((sum, time) => sum + time, 0)).toBeCloseTo(total, 6);
  });

  it('has no stages for a step of 0 s, and rejects an invalid time', () => {
    const fluid = createCpuFluid(FOUNTAIN);
    expect(fluid.profile(0)).toEqual({ source: 'wall-clock', stages: {}, total: 0 });
    expect(() => fluid.profile(-1)).toThrow(/dt is -1/);
    expect(fluid.time).toBe(0);
  });
});
