import { expect, it } from 'vitest';
import {
  advance,
  distanceMoved,
  greatestSpeed,
  kineticEnergy,
  stepsIn,
  withRun,
} from '../../../../bench/physics/engine';

const state = { positions: new Float32Array(4), velocities: Float32Array.of(3, 4, 1, 0) };

it('advance takes the steps one by one, and withRun destroys the run even if its use fails', async () => {
  const calls: string[] = [];
  const engine = {
    name: 'counts',
    about: '',
    dimensions: [2] as const,
    open: () => ({
      step: () => void calls.push('step'),
      read: () => state,
      destroy: () => void calls.push('destroy'),
    }),
  };
  const scene = {
    dimensions: 2,
    min: [],
    max: [],
    gravity: [],
    friction: 0,
    restitution: 0,
    bodies: [],
    obstacles: [],
  } as const;
  const fails = withRun(engine, scene, async (run) => {
    expect(await advance(run, 2)).toBe(state);
    throw new Error('The roof fell in.');
  });
  await expect(fails).rejects.toThrow('The roof fell in.');
  expect(calls).toEqual(['step', 'step', 'destroy']);
  expect([stepsIn(0.25), stepsIn(7.5)]).toEqual([15, 450]);
});

it('kineticEnergy, greatestSpeed and distanceMoved are right for a small state', () => {
  expect(kineticEnergy(state)).toBe(13);
  expect(greatestSpeed(2, state)).toBe(5);
  const moved = { ...state, positions: Float32Array.of(9, 9, 0.6, 0.8) };
  expect(distanceMoved(2, state, moved, 1)).toBeCloseTo(1, 6);
});
