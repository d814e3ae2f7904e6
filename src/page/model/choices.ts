/**
 * The choices of a fresh page and of each scene, the limits of an engine for them, and the simulation that they
 * describe. Everything here is plain data and pure functions.
 */

import { defaultSettings } from '../../core/contact/settings';
import type { ObstaclesGiven } from '../../core/obstacles/obstacles';
import type { Checkpoint, SimulationOptions } from '../../core/simulation/simulation';
import type { Dimensions } from '../../core/world/world';
import {
  createScene,
  DEFAULT_SEED,
  type Drive,
  type Driven,
  findScene,
  Random,
  type Scene,
  sceneOptions,
} from '../../scenes';
import { formatCount, formatTimes } from '../support/format';
import { passesOf } from './checks';
import { type Choices, FEWEST_PARTICLES, FIELD_NAMES, type FieldName, MOST_PARTICLES } from './fields';
import { FLUID_OVERLAYS, NO_OVERLAYS } from './overlays';
import { type Method, methodOf } from './scenes';
import type { ViewSettings } from './simulation-view';

/** Length of a step in seconds at time scale 1. Independent of the screen's rate, so that runs repeat. */
export const STEP_SECONDS = 1 / 60;

const FIRST_SCENE = 'pile';

/** The fields that a scene sets; all others keep their values. */
type OfScene = Pick<Choices, 'gravity' | 'boxWidth' | 'restitution' | 'friction' | 'substeps'>;

function ofScene(scene: string, dimensions: Dimensions): OfScene {
  const definition = findScene(scene);
  if (definition && definition.method !== 'collisions') {
    const { gravity, substeps } = definition;
    const { restitution, friction } = defaultSettings(dimensions);
    return { gravity, boxWidth: 1, restitution, friction, substeps };
  }
  const { settings } = createScene(scene, { dimensions, count: 1 });
  const { restitution, friction, substeps } = defaultSettings(dimensions);
  return {
    gravity: Math.abs(settings.gravity?.[1] ?? 0),
    // The pile has room to spill into.
    boxWidth: scene === FIRST_SCENE ? 2.5 : 1,
    restitution: settings.restitution ?? restitution,
    friction: settings.friction ?? friction,
    substeps: settings.substeps ?? substeps,
  };
}

/** Returns the choices that a link may leave out. */
export function defaultChoices(scene: string = FIRST_SCENE, dimensions: Dimensions = 2): Choices {
  return {
    scene,
    dimensions,
    count: 4000,
    size: 1,
    spread: 1,
    seed: DEFAULT_SEED,
    timeScale: 1,
    transfer: 'flip',
    flipShare: 0.97,
    broadPhase: 'grid',
    engine: 'gpu',
    colour: 'speed',
    fluidAs: 'surface',
    pointer: 'look',
    brush: 20,
    ...NO_OVERLAYS,
    ...ofScene(scene, dimensions),
  };
}

/** Returns the choices with another scene and the fields that it sets. */
export function chooseScene(choices: Choices, scene: string): Choices {
  return { ...choices, scene, ...ofScene(scene, choices.dimensions) };
}

export function changedFields(from: Choices, to: Choices): FieldName[] {
  return FIELD_NAMES.filter((name) => from[name] !== to[name]);
}

/** A limit on the number of particles, and its reason in words. */
export interface Cap {
  readonly most: number;
  readonly reason: string;
}

/**
 * Distance tests (n² per pass) with which a step takes about a second, at most two. Chrome takes a device away if its
 * work takes ten seconds, and the page must still respond to a visitor who goes back to the grid. A weak GPU does some
 * 2e10 tests a second, so the default settings allow 50,000 particles. SwiftShader takes 10 to 45 ns per test, so
 * 30,000 particles would take minutes per step. There the cliff is visible at 3,000 already; scale-sheet.ts shows it
 * beyond that. The CPU engine tests each pair once, in 2 to 4 ns, and does 30,000 particles with a single substep.
 */
const MOST_CHECKS = { gpu: 2e10, software: 7.2e7, cpu: 9e8 } as const;
export const MOST_ON_CPU = 50_000;

/** With up to this many passes per step, a step with the grid may have as many particles as the device holds. */
const USUAL_PASSES = 64;
/**
 * Particles times passes with which a step with the grid takes seconds, not tens of seconds. A pass over the neighbours
 * of one particle takes about 2 ns on a weak GPU, 0.9 µs on SwiftShader and 0.16 µs on the CPU engine.
 */
const MOST_MOVES = { gpu: 1e9, software: 8e6, cpu: 1.2e7 } as const;

/** The machine that choices run on. */
export interface Hardware {
  /** True if the CPU emulates the GPU. */
  readonly isSoftware: boolean;
  /** The number of particles that both the GPU and the page can hold. */
  readonly most: number;
}

type Capping = 'engine' | 'scene' | 'broadPhase' | 'count' | 'substeps' | 'restitution';

export function capOf(
  choices: Pick<Choices, Capping>,
  { isSoftware, most: held }: Hardware,
): Cap | undefined {
  const { engine, scene, broadPhase, count, substeps } = choices;
  const method = methodOf(choices);
  if (method !== 'collisions') return capOfMethod(method, engine, { isSoftware, most: held });
  const isNaive = broadPhase === 'naive';
  if (isNaive || scene === 'one-cell') {
    const checks = MOST_CHECKS[engine === 'cpu' ? 'cpu' : isSoftware ? 'software' : 'gpu'];
    const most = Math.max(FEWEST_PARTICLES, floorToTwoDigits(Math.sqrt(checks / passesOf(choices))));
    const pairs = formatCount((most * (most - 1)) / 2);
    const cause = isNaive ? 'Naive tests every pair' : 'With all particles in one cell, every pair is tested';
    const remedy = isNaive ? 'the grid takes more' : 'other scenes take more';
    const times = formatTimes((count / most) ** 2);
    return {
      most,
      reason: `${cause}, ${pairs} of them at ${formatCount(most)} particles in ${substeps === 1 ? 'the substep' : `each of ${substeps} substeps`}, so it is capped there; ${remedy}${substeps > 1 ? ', and so do fewer substeps' : ''}. With ${formatCount(count)} a step would take about ${times} times as long.`,
    };
  }
  const passes = passesOf(choices);
  const moves = MOST_MOVES[engine === 'cpu' ? 'cpu' : isSoftware ? 'software' : 'gpu'];
  const most =
    passes > USUAL_PASSES ? Math.max(FEWEST_PARTICLES, floorToTwoDigits(moves / passes)) : MOST_PARTICLES;
  if (engine === 'cpu' && most >= MOST_ON_CPU) {
    return {
      most: MOST_ON_CPU,
      reason: `The CPU engine runs on one thread, so this page gives it at most ${formatCount(MOST_ON_CPU)} particles.`,
    };
  }
  if (engine === 'gpu' && most >= held && held < MOST_PARTICLES) {
    const why = isSoftware
      ? 'The processor emulates the GPU here'
      : 'That is what this device and the page hold';
    return { most: held, reason: `At most ${formatCount(held)} particles run. ${why}.` };
  }
  if (most >= MOST_PARTICLES) return undefined;
  return {
    most,
    reason: `A step of ${formatCount(passes)} passes over all particles (one per substep, two if particles bounce) is capped at ${formatCount(most)} particles here; fewer passes take more.`,
  };
}

/** Numbers of particles with which a step of a method takes a second or two. */
const MOST_OF_METHOD = {
  fluid: { gpu: 8_000_000, software: 50_000, cpu: 20_000 },
  flock: { gpu: 4_000_000, software: 200_000, cpu: 20_000 },
} as const;
const METHOD_WORDS = { fluid: 'a fluid', flock: 'a flock' } as const;

function capOfMethod(
  method: Exclude<Method, 'collisions'>,
  engine: Choices['engine'],
  { isSoftware, most: held }: Hardware,
): Cap {
  const words = METHOD_WORDS[method];
  const on = engine === 'cpu' ? 'cpu' : isSoftware ? 'software' : 'gpu';
  const most = Math.min(MOST_OF_METHOD[method][on], engine === 'cpu' ? MOST_ON_CPU : held);
  const why = {
    cpu: 'The CPU engine runs on one thread',
    software: 'The processor emulates the GPU here',
    gpu: 'That is what this page gives it',
  } as const;
  return { most, reason: `At most ${formatCount(most)} particles of ${words} run. ${why[on]}.` };
}

export function floorToTwoDigits(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return unit * Math.floor(value / unit);
}

export function effectiveCount(choices: Choices, hardware: Hardware): number {
  return Math.min(choices.count, capOf(choices, hardware)?.most ?? choices.count);
}

export function settingsOf(choices: Choices): ViewSettings {
  const { broadPhase, restitution, friction, substeps, flipShare } = choices;
  const gravity = gravityVector(choices);
  if (methodOf(choices) === 'fluid') return { substeps, gravity, flipShare };
  return { broadPhase, restitution, friction, substeps, gravity };
}

export function simulationOptions(choices: Choices, count: number): SimulationOptions {
  return startOfScene(choices, count).options;
}

/** Returns the options of a simulation of the chosen scene, and the scene's drive. */
export function startOfScene(
  choices: Choices,
  count: number,
): { readonly options: SimulationOptions; readonly drive: Drive | undefined } {
  const { dimensions, seed } = choices;
  const scene = resize(createScene(choices.scene, { dimensions, count, seed }), choices);
  const { drive } = scene;
  if (scene.world === 'unbounded') return { options: sceneOptions(scene, settingsOf(choices)), drive };
  const max = [...scene.max];
  const left = scene.min[0] ?? 0;
  max[0] = left + Math.ceil(((max[0] ?? 0) - left) * choices.boxWidth);
  return { options: sceneOptions(scene, { ...settingsOf(choices), max }), drive };
}

export function gravityVector({ dimensions, gravity }: Choices): number[] {
  return Array.from({ length: dimensions }, (_, axis) => (axis === 1 ? -gravity : 0));
}

/** The methods on which these fields have an effect. All other fields apply to every method. */
const FIELDS_OF_METHODS: Readonly<Partial<Record<FieldName, readonly Method[]>>> = {
  size: ['collisions'],
  spread: ['collisions'],
  restitution: ['collisions'],
  friction: ['collisions'],
  broadPhase: ['collisions'],
  gravity: ['collisions', 'fluid'],
  substeps: ['collisions', 'fluid'],
  transfer: ['fluid'],
  flipShare: ['fluid'],
  fluidAs: ['fluid'],
  velocityArrows: ['fluid'],
  pressureMap: ['fluid'],
  solidCells: ['fluid'],
};
/** Fields that change how fluids are drawn. The CPU engine does not support them. */
const FLUID_LOOKS: readonly string[] = ['fluidAs', ...FLUID_OVERLAYS];

/** For each field that only some methods use, returns why it has no effect on the choices; '' if it has one. */
export function refusedFields(
  choices: Pick<Choices, 'scene' | 'transfer' | 'engine'> & { readonly opened?: unknown },
): ReadonlyMap<FieldName, string> {
  const method = methodOf(choices);
  const refuse = (name: string, methods: readonly Method[]) => {
    if (!methods.includes(method)) {
      return method === 'collisions'
        ? 'Only fluids have this.'
        : `This has no effect on ${METHOD_WORDS[method]}.`;
    }
    if (FLUID_LOOKS.includes(name) && choices.engine === 'cpu') {
      return 'The CPU engine draws fluids only as particles.';
    }
    return name === 'flipShare' && choices.transfer !== 'flip' ? 'Only FLIP is mixed with PIC.' : '';
  };
  return new Map(
    Object.entries(FIELDS_OF_METHODS).map(([name, methods]) => [name as FieldName, refuse(name, methods)]),
  );
}

/** True if a spread of radii has an effect: in scenes of collisions whose particles have one radius. */
export function canSpread(scene: string): boolean {
  const definition = findScene(scene);
  return definition?.method === 'collisions' && !definition.variableRadii;
}

/** The least room for particles and for balls of walls that the pointer can add. */
const SPARE_PARTICLES = 2000;
const SPARE_OBSTACLES = 4000;

/** The parts of a continued state that need room. */
type Held = Pick<Checkpoint, 'dimensions' | 'ids' | 'obstacles'>;

/**
 * Returns room for the particles and obstacles of the scene and of a continued state, and for those that the chosen
 * tool may add. `most` limits the particles with those added. The room is never less than `before`.
 */
export function roomFor(
  {
    pointer,
    most = Number.POSITIVE_INFINITY,
  }: Pick<Choices, 'pointer'> & { readonly most?: number | undefined },
  {
    dimensions,
    positions,
    obstacles,
    capacity = 0,
  }: Pick<SimulationOptions, 'dimensions' | 'positions' | 'obstacles' | 'capacity'>,
  held?: Held,
  before: { readonly capacity: number; readonly obstacleCapacity: number } = {
    capacity: 0,
    obstacleCapacity: 0,
  },
): { readonly capacity: number; readonly obstacleCapacity: number } {
  const countOf = (given: ObstaclesGiven | undefined) =>
    (given === undefined ? 0 : ArrayBuffer.isView(given) ? given.length : given.positions.length) /
    dimensions;
  const count = Math.max((positions?.length ?? 0) / dimensions, (held?.ids.at(-1) ?? -1) + 1);
  const fixed = Math.max(countOf(obstacles), countOf(held?.obstacles));
  return {
    capacity: Math.max(
      before.capacity,
      capacity,
      count,
      pointer === 'add' ? Math.min(most, count + Math.max(SPARE_PARTICLES, count >> 1)) : 0,
    ),
    obstacleCapacity: Math.max(
      before.obstacleCapacity,
      pointer === 'wall' ? fixed + Math.max(SPARE_OBSTACLES, fixed) : fixed,
    ),
  };
}

/** Returns the scene with the chosen radii. Positions and the box stay. */
function resize(scene: Scene, { size, spread, seed }: Choices): Scene {
  const scaled = size === 1 ? scene : scale(scene, size);
  if (spread === 1 || scene.radii) return scaled;
  const { radius, count, cellSize: _ofOneRadius, obstacles, drive, ...rest } = scaled;
  const random = new Random(seed);
  const smallest = Math.fround(radius / spread);
  const radii = Float32Array.from({ length: count }, () =>
    Math.max(smallest, radius * spread ** -(random.nextBits() / 2 ** 32)),
  );
  const radiusRange = { smallest, largest: radius };
  return {
    ...rest,
    count,
    radius,
    radii,
    radiusRange,
    obstacles: withRadii(obstacles, scaled),
    drive: drive && ((time) => driveWithRadii(drive(time), scaled)),
  };
}

function scale(scene: Scene, size: number): Scene {
  const { radius, radii, radiusRange, halfExtents, cellSize } = scene;
  return {
    ...scene,
    radius: Math.fround(radius * size),
    radii: radii?.map((one) => one * size),
    radiusRange: radiusRange && {
      smallest: Math.fround(radiusRange.smallest * size),
      largest: Math.fround(radiusRange.largest * size),
    },
    halfExtents: halfExtents?.map((half) => half * size),
    cellSize: cellSize && cellSize * Math.max(1, size),
  };
}

/** Gives each obstacle a radius, as is required if particles have their own. */
function withRadii(
  obstacles: ObstaclesGiven | undefined,
  { radius, dimensions }: Scene,
): ObstaclesGiven | undefined {
  if (!(obstacles instanceof Float32Array)) return obstacles;
  return { positions: obstacles, radii: new Float32Array(obstacles.length / dimensions).fill(radius) };
}

function driveWithRadii({ gravity, obstacles }: Driven, scene: Scene): Driven {
  return { gravity, obstacles: withRadii(obstacles, scene) };
}
