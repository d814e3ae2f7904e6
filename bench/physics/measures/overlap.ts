/**
 * Measures what deep overlaps at the start do, with restitution 0. Bodies start in one of two ways:
 *
 * - Without gravity, they have small random velocities. Pushing them apart must not add kinetic energy.
 * - With gravity, they are at rest. After one step, no body may be faster than a body that has fallen through the
 *   world. Later speeds have no limit, because bodies then also fall.
 */
import type { Dimensions } from '../../../src/core/world/world';
import { Random } from '../../../src/scenes';
import {
  advance,
  greatestSpeed,
  kineticEnergy,
  type PhysicsRun,
  type PhysicsState,
  stepsIn,
  withRun,
} from '../engine';
import type { Case } from '../measure';
import { measureOverlaps } from '../overlaps';
import { GRAVITY, type PhysicsScene, vector } from '../scene';

const SEED = 1;
/** 32-bit floats hold multiples of 1/UNITS exactly. */
const UNITS = 1024;
const DIAMETER = 1;

interface Crowd {
  readonly count: number;
  readonly edge: number;
}

const CROWDS: readonly Crowd[] = [
  { count: 12, edge: 1 },
  { count: 60, edge: 1 },
  { count: 200, edge: 3 },
];

const RESTING: readonly (Crowd & { readonly gravity: number; readonly world: number })[] = [
  ...CROWDS.map((crowd) => ({ ...crowd, gravity: 50, world: 20 })),
  { count: 50, edge: 1, gravity: GRAVITY, world: 40 },
];

const WORLD = 20;
const MOST_SPEED = 1;
/**
 * Bodies with a smaller overlap, in diameters, count as apart. Contacts remove only a share of an overlap, so overlaps
 * never reach 0.
 */
const APART = 1e-3;

export function crowdScene(
  dimensions: Dimensions,
  { count, edge }: Crowd,
  { world, gravity, speed }: { readonly world: number; readonly gravity: number; readonly speed: number },
): PhysicsScene {
  const random = new Random(SEED);
  const low = (world - edge) / 2;
  const vectorOf = (next: () => number) => Array.from({ length: dimensions }, next);
  const bodies = Array.from({ length: count }, () => ({
    position: vectorOf(() => low + (edge * random.below(UNITS)) / UNITS),
    velocity: vectorOf(() => (speed * random.between(-UNITS, UNITS)) / UNITS),
    size: DIAMETER / 2,
  }));
  return {
    dimensions,
    min: vector(dimensions, 0, 0),
    max: vector(dimensions, world, world, world),
    gravity: vector(dimensions, 0, -gravity),
    friction: 0.2,
    restitution: 0,
    bodies,
    obstacles: [],
  };
}

const describe = (dimensions: Dimensions, { count, edge }: Crowd) =>
  `${count} ${dimensions === 2 ? 'discs' : 'balls'} in ${new Array(dimensions).fill(edge).join(' × ')}`;

/** Advances by one second, and calls `onState` after each step. */
async function watchSecond(run: PhysicsRun, onState: (state: PhysicsState) => void): Promise<PhysicsState> {
  for (let step = 1; step < stepsIn(1); step++) onState(await advance(run, 1));
  const end = await advance(run, 1);
  onState(end);
  return end;
}

function driftingCase(dimensions: Dimensions, crowd: Crowd): Case {
  const scene = crowdScene(dimensions, crowd, { world: WORLD, gravity: 0, speed: MOST_SPEED });
  return {
    group: 'overlap',
    dimensions,
    scene: describe(dimensions, crowd),
    figures: [
      { name: 'energy after one step', unit: 'of the start', bar: { most: 1 } },
      { name: 'energy after 1 s', unit: 'of the start', bar: { most: 1 } },
      { name: 'greatest energy, to 1 s', unit: 'of the start', bar: { most: 1 } },
      { name: 'deepest overlap after 1 s', unit: 'diameters', bar: { most: APART } },
    ],
    run: (engine) =>
      withRun(engine, scene, async (run) => {
        const start = kineticEnergy(await run.read());
        const energies: number[] = [];
        const end = await watchSecond(run, (state) => energies.push(kineticEnergy(state) / start));
        const { deepest } = measureOverlaps(dimensions, end.positions, DIAMETER);
        return [energies[0] as number, energies.at(-1) as number, Math.max(...energies), deepest];
      }),
  };
}

function restingCase(dimensions: Dimensions, resting: (typeof RESTING)[number]): Case {
  const { gravity, world } = resting;
  const scene = crowdScene(dimensions, resting, { world, gravity, speed: 0 });
  return {
    group: 'overlap',
    dimensions,
    scene: `${describe(dimensions, resting)} at rest, gravity ${gravity}`,
    figures: [
      { name: 'greatest speed after one step', unit: 'of a fall', bar: { most: 1 } },
      { name: 'greatest speed, to 1 s', unit: 'of a fall' },
      // Has no limit, because bodies may land before all are apart.
      { name: 'deepest overlap at its least, to 1 s', unit: 'diameters' },
    ],
    run: (engine) =>
      withRun(engine, scene, async (run) => {
        const fall = Math.sqrt(2 * gravity * world);
        const speeds: number[] = [];
        const depths: number[] = [];
        await watchSecond(run, (state) => {
          speeds.push(greatestSpeed(dimensions, state) / fall);
          depths.push(measureOverlaps(dimensions, state.positions, DIAMETER).deepest);
        });
        return [speeds[0] as number, Math.max(...speeds), Math.min(...depths)];
      }),
  };
}

export function overlapCases(dimensions: Dimensions): Case[] {
  return [
    ...CROWDS.map((crowd) => driftingCase(dimensions, crowd)),
    ...RESTING.map((resting) => restingCase(dimensions, resting)),
  ];
}
