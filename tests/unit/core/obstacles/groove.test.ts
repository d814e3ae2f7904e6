import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import { readNow } from './engines';

const FRICTION = 0.5;
const GRAVITY = 9.81;
/** Half of the distance between two rows of balls. A ball between them touches each row 53° from its lowest point. */
const HALF = 0.8;
const LENGTH = 6;
/** So narrow that a row of balls is almost as smooth as a rod. */
const SPACING = 0.02;

/** Creates a simulation of a ball in the groove between two rows, which slope by `degrees` along z. */
function openGroove(degrees: number, exact: boolean) {
  const angle = (degrees * Math.PI) / 180;
  const centres: number[] = [];
  for (let z = 0; z <= LENGTH; z += SPACING) centres.push(2 - HALF, 1, z, 2 + HALF, 1, z);
  return createCpuSimulation({
    dimensions: 3,
    min: [0, 0, 0],
    max: [4, 4, LENGTH],
    radius: 0.5,
    positions: Float32Array.from([2, 1 + Math.sqrt(1 - HALF * HALF), 1]),
    obstacles: Float32Array.from(centres),
    gravity: [0, -GRAVITY * Math.cos(angle), GRAVITY * Math.sin(angle)],
    friction: FRICTION,
    restitution: 0,
    exact,
  });
}

function advance(simulation: ReturnType<typeof openGroove>, steps: number): number {
  for (let step = 0; step < steps; step++) simulation.step(1 / 60);
  return readNow(simulation).positions[2] as number;
}

describe.each([
  ['a ball', false],
  ['an exact ball', true],
] as const)('%s in a groove', (_, exact) => {
  // Both sides together press 1 / 0.6 times as much as a floor, so friction holds up to 39.8° instead of 26.6°.
  it('stands at 35°, because friction grows with how hard both sides press together', () => {
    const simulation = openGroove(35, exact);
    const before = advance(simulation, 60);
    expect(Math.abs(advance(simulation, 60) - before)).toBeLessThan(1e-4);
  });

  it('slides at 50°, with the acceleration of Coulomb', () => {
    const simulation = openGroove(50, exact);
    const angle = (50 * Math.PI) / 180;
    const acceleration = GRAVITY * (Math.sin(angle) - (FRICTION / 0.6) * Math.cos(angle));
    const moved = advance(simulation, 60) - 1;
    expect(Math.abs(moved / (acceleration / 2) - 1)).toBeLessThan(0.05);
  });
});
