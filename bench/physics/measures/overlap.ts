/**
 * Measures what deep overlaps at the start do. Bodies start in one of two ways:
 *
 * - Without gravity, they have small random velocities, or only one of them moves. If all of them move, pushing them
 *   apart must not add kinetic energy.
 * - With gravity, they are at rest. No body may become faster than a body that has fallen through the world.
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

/** The number of seeds for each gravity in GRAVITIES. */
const STARTS = 6;
/** The number of seeds for each entry of SLOW. */
const SLOW_STARTS = 8;
/** 32-bit floats hold the multiples of 1/UNITS in these worlds exactly. */
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

const GRAVITIES = [0.1, GRAVITY, 50] as const;

/** Crowds that gained energy in an old version. */
const ROUGH: readonly (Crowd & { readonly friction: number; readonly restitution: number })[] = [
  { count: 60, edge: 1, friction: 10, restitution: 0 },
  { count: 60, edge: 1, friction: 0.2, restitution: 0.5 },
  { count: 200, edge: 3, friction: 1, restitution: 0 },
];

/** The crowds that take longest to come apart. */
const SLOW = [
  { friction: 0.2, restitution: 0 },
  { friction: 10, restitution: 0 },
  { friction: 10, restitution: 0.5 },
] as const;

const WORLD = 20;
const MOST_SPEED = 1;
/**
 * Bodies with a smaller overlap, in diameters, count as apart. A push removes only a share of an overlap, so pushes
 * alone never end one.
 */
const APART = 1e-3;

export function crowdScene(
  dimensions: Dimensions,
  { count, edge }: Crowd,
  {
    world,
    gravity,
    speed,
    friction = 0.2,
    restitution = 0,
    seed = 1,
  }: {
    readonly world: number;
    readonly gravity: number;
    readonly speed: number;
    readonly friction?: number;
    readonly restitution?: number;
    readonly seed?: number;
  },
): PhysicsScene {
  const random = new Random(seed);
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
    friction,
    restitution,
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

const DRIFTING = { world: WORLD, gravity: 0, speed: MOST_SPEED } as const;

function driftingCase(dimensions: Dimensions, name: string, scene: PhysicsScene): Case {
  return {
    group: 'overlap',
    dimensions,
    scene: name,
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
      { name: 'greatest speed, to 1 s', unit: 'of a fall', bar: { most: 1 } },
      // Has no limit, because bodies may land before all are apart.
      { name: 'least of the deepest overlaps, to 1 s', unit: 'diameters' },
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

function startsCase(dimensions: Dimensions, gravity: number): Case {
  const crowd = { count: 200, edge: 3 };
  return {
    group: 'overlap',
    dimensions,
    scene: `${describe(dimensions, crowd)} at rest, gravity ${gravity}, ${STARTS} starts`,
    figures: [{ name: 'greatest speed, to 1 s', unit: 'of a fall', bar: { most: 1 } }],
    run: async (engine) => {
      const fall = Math.sqrt(2 * gravity * WORLD);
      let greatest = 0;
      for (let seed = 1; seed <= STARTS; seed++) {
        const scene = crowdScene(dimensions, crowd, { world: WORLD, gravity, speed: 0, seed });
        await withRun(engine, scene, (run) =>
          watchSecond(run, (state) => {
            greatest = Math.max(greatest, greatestSpeed(dimensions, state) / fall);
          }),
        );
      }
      return [greatest];
    },
  };
}

function slowCase(dimensions: Dimensions, { friction, restitution }: (typeof SLOW)[number]): Case {
  const crowd = { count: 200, edge: 3 };
  return {
    group: 'overlap',
    dimensions,
    scene: `${describe(dimensions, crowd)}, friction ${friction}, restitution ${restitution}, ${SLOW_STARTS} starts`,
    figures: [{ name: 'deepest overlap after 1 s', unit: 'diameters', bar: { most: APART } }],
    run: async (engine) => {
      let greatest = 0;
      for (let seed = 1; seed <= SLOW_STARTS; seed++) {
        const scene = crowdScene(dimensions, crowd, { ...DRIFTING, friction, restitution, seed });
        const { positions } = await withRun(engine, scene, (run) => advance(run, stepsIn(1)));
        greatest = Math.max(greatest, measureOverlaps(dimensions, positions, DIAMETER).deepest);
      }
      return [greatest];
    },
  };
}

/** Only the first body moves. Its contacts act on all others at once, so the energy has no limit. */
function oneMovesCase(dimensions: Dimensions): Case {
  const crowd = { count: 60, edge: 1 };
  const scene = crowdScene(dimensions, crowd, DRIFTING);
  const bodies = scene.bodies.map((body, index) => (index === 0 ? body : { ...body, velocity: undefined }));
  const name = `${describe(dimensions, crowd)}, one moves`;
  const { figures, ...one } = driftingCase(dimensions, name, { ...scene, bodies });
  return {
    ...one,
    figures: figures.map(({ bar, ...figure }) => (figure.unit === 'diameters' ? { ...figure, bar } : figure)),
  };
}

export function overlapCases(dimensions: Dimensions): Case[] {
  return [
    ...CROWDS.map((crowd) =>
      driftingCase(dimensions, describe(dimensions, crowd), crowdScene(dimensions, crowd, DRIFTING)),
    ),
    ...ROUGH.map(({ friction, restitution, ...crowd }) =>
      driftingCase(
        dimensions,
        `${describe(dimensions, crowd)}, friction ${friction}, restitution ${restitution}`,
        crowdScene(dimensions, crowd, { ...DRIFTING, friction, restitution }),
      ),
    ),
    ...SLOW.map((slow) => slowCase(dimensions, slow)),
    oneMovesCase(dimensions),
    ...RESTING.map((resting) => restingCase(dimensions, resting)),
    ...GRAVITIES.map((gravity) => startsCase(dimensions, gravity)),
  ];
}
