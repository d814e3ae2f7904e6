/** Default choices, limits of engines, and a run's options. */

import { defaultSettings } from '../../core/contact/settings';
import {
  type Checkpoint,
  createScene,
  type Dimensions,
  type Drive,
  type Driven,
  type ObstaclesGiven,
  type Scene,
  type SimulationOptions,
} from '../../index';
import {
  changeScene,
  DEFAULT_SEED,
  findScene,
  Random,
  type SceneChanges,
  scaleScene,
  sceneOptions,
  smallestDiameter,
} from '../../scenes';
import { formatCount, formatReal, formatTimes } from '../support/format';
import { passesOf } from './checks';
import {
  type Choices,
  type EngineKind,
  FIELD_NAMES,
  type FieldName,
  LEAST_LIMIT,
  MOST_PARTICLES,
} from './fields';
import { FLUID_OVERLAYS, NO_OVERLAYS } from './overlays';
import { METHOD_WORDS, type Method, methodOf } from './scenes';
import type { ViewSettings } from './simulation-view';

/** Simulated seconds per step at time scale 1. They do not depend on the frame rate, so that runs repeat. */
export const STEP_SECONDS = 1 / 60;

const FIRST_SCENE = 'pile';

/** The fields of a scene's world that have values of their own in each scene. */
export type WorldFields = Pick<
  Choices,
  'periodicX' | 'periodicY' | 'periodicZ' | 'unbounded' | 'walls' | 'crowds' | 'continuous' | 'cellSize'
>;
type SceneFields = Pick<Choices, 'gravity' | 'boxWidth' | 'restitution' | 'friction' | 'substeps'> &
  WorldFields;

type WorldGiven = { readonly [Name in keyof WorldFields]?: WorldFields[Name] | undefined } & {
  readonly periodic?: readonly boolean[] | undefined;
};

/** Returns the choices that describe a world. Default: a box with walls. */
export function worldFields({
  periodic = [],
  unbounded = false,
  walls = true,
  crowds = false,
  continuous = false,
  cellSize = 1,
}: WorldGiven = {}): WorldFields {
  const [periodicX = false, periodicY = false, periodicZ = false] = periodic;
  return { periodicX, periodicY, periodicZ, unbounded, walls, crowds, continuous, cellSize };
}

export function worldOf(choices: Choices): WorldFields {
  const { periodicX, periodicY, periodicZ } = choices;
  return worldFields({ ...choices, periodic: [periodicX, periodicY, periodicZ] });
}

function fieldsOfScene(scene: string, dimensions: Dimensions): SceneFields {
  const definition = findScene(scene);
  if (definition && definition.method !== 'collisions') {
    const { gravity, substeps } = definition;
    const { restitution, friction } = defaultSettings(dimensions);
    return { gravity, boxWidth: 1, restitution, friction, substeps, ...worldFields() };
  }
  const made = createScene(scene, { dimensions, count: 1 });
  const { settings, world, periodic, cellSize } = made;
  const { restitution, friction, substeps } = defaultSettings(dimensions);
  return {
    gravity: Math.abs(settings.gravity?.[1] ?? 0),
    // Give the pile room to spill into.
    boxWidth: scene === FIRST_SCENE ? 2.5 : 1,
    restitution: settings.restitution ?? restitution,
    friction: settings.friction ?? friction,
    substeps: settings.substeps ?? substeps,
    ...worldFields({
      periodic: Array.isArray(periodic) ? periodic : repeat(periodic === true, dimensions),
      unbounded: world === 'unbounded',
      walls: settings.walls,
      crowds: made.crowds ?? made.radii !== undefined,
      continuous: made.continuous,
      cellSize: cellSize && cellSize / smallestDiameter(made),
    }),
  };
}

function repeat(value: boolean, dimensions: Dimensions): boolean[] {
  return new Array<boolean>(dimensions).fill(value);
}

/** Returns the defaults. Links leave out choices that equal them. */
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
    iterations: 4,
    viscosity: 0.02,
    vorticity: 0,
    tension: 0,
    pressure: 5e-4,
    softness: 1,
    kinds: 6,
    attraction: 'chain',
    tableSeed: 1,
    strength: 10,
    halfLife: 0.04,
    core: 0.3,
    broadPhase: 'grid',
    engine: 'auto',
    colour: usualColour(scene),
    fluidAs: 'surface',
    pointer: 'look',
    brush: 20,
    query: 'near',
    nearestCount: 8,
    ...NO_OVERLAYS,
    ...fieldsOfScene(scene, dimensions),
  };
}

export function chooseScene(choices: Choices, scene: string): Choices {
  const usual = usualColour(scene);
  // Only particle life has species, by which it is coloured at first.
  const colour = usual === 'species' || choices.colour === 'species' ? usual : choices.colour;
  return { ...choices, scene, colour, ...fieldsOfScene(scene, choices.dimensions) };
}

function usualColour(scene: string): Choices['colour'] {
  return methodOf({ scene }) === 'life' ? 'species' : 'speed';
}

export function changedFields(from: Choices, to: Choices): FieldName[] {
  return FIELD_NAMES.filter((name) => from[name] !== to[name]);
}

export interface Cap {
  readonly most: number;
  readonly reason: string;
}

/**
 * The most distance tests per step. A pass over n particles counts as n² tests. A step at the limit takes one to three
 * seconds; Chrome destroys a device whose work takes ten seconds. A weak GPU does about 2e10 tests per second.
 * SwiftShader takes 10 to 45 ns per test. The CPU engine takes 2 to 4 ns per test, but does only half of the n² tests.
 */
const MOST_CHECKS = { gpu: 2e10, software: 7.2e7, cpu: 9e8 } as const;
export const MOST_ON_CPU = 50_000;

/**
 * If a step has at most this many passes, MOST_MOVES does not limit the number of particles in the grid. MOST_CHECKS
 * limits the scene `one-cell` in any case.
 */
const USUAL_PASSES = 64;
/**
 * Greatest product of particles and passes in the grid. A step at this limit takes some seconds. A pass takes about
 * 2 ns per particle on a weak GPU, 0.9 µs on SwiftShader, 0.16 µs on the CPU engine.
 */
const MOST_MOVES = { gpu: 1e9, software: 8e6, cpu: 1.2e7 } as const;

export interface Hardware {
  /** The engine, if the choice is 'auto'. Default: the GPU. */
  readonly kind?: EngineKind | undefined;
  readonly isSoftware: boolean;
  /** Particles that both the GPU and the page can hold. */
  readonly most: number;
}

/** Returns the limits of an engine's hardware. For the CPU engine or no engine, only the page's own limit applies. */
export function hardwareOf(
  engine:
    | { readonly kind: EngineKind; readonly isSoftware: boolean; most(dimensions: Dimensions): number }
    | undefined,
  { dimensions }: Pick<Choices, 'dimensions'>,
): Hardware {
  const most = engine?.kind === 'gpu' ? engine.most(dimensions) : MOST_PARTICLES;
  return { kind: engine?.kind, isSoftware: engine?.isSoftware ?? false, most };
}

type Capping =
  | 'engine'
  | 'scene'
  | 'dimensions'
  | 'broadPhase'
  | 'cellSize'
  | 'count'
  | 'substeps'
  | 'restitution';

/** Returns the greatest number of particles and the reason for it; undefined if there is no limit. */
export function capOf(choices: Pick<Choices, Capping>, hardware: Hardware): Cap | undefined {
  const cap = capOfEngine(choices, hardware);
  const ofCells = capOfCells(choices, hardware);
  return ofCells && ofCells.most < (cap?.most ?? Number.POSITIVE_INFINITY) ? ofCells : cap;
}

/** Assumes one particle per square (cube) of a diameter: then wide cells make many candidates. */
function capOfCells(
  choices: Pick<Choices, Capping>,
  { kind = 'gpu', isSoftware }: Hardware,
): Cap | undefined {
  const { dimensions, broadPhase, cellSize } = choices;
  const engine = choices.engine === 'auto' ? kind : choices.engine;
  if (methodOf(choices) !== 'collisions' || broadPhase === 'naive' || cellSize <= 1) return undefined;
  const checks = MOST_CHECKS[engine === 'cpu' ? 'cpu' : isSoftware ? 'software' : 'gpu'] / passesOf(choices);
  const candidates = (3 * cellSize) ** dimensions;
  const most = floorToTwoDigits(Math.max(LEAST_LIMIT, Math.sqrt(checks), checks / candidates));
  return {
    most,
    reason: `With cells of ${formatReal(cellSize)} diameters, a particle can have ${formatCount(candidates)} candidates. So at most ${formatCount(most)} particles run here; smaller cells allow more.`,
  };
}

function capOfEngine(
  choices: Pick<Choices, Capping>,
  { kind = 'gpu', isSoftware, most: deviceMost }: Hardware,
): Cap | undefined {
  const { scene, broadPhase, count, substeps } = choices;
  const engine = choices.engine === 'auto' ? kind : choices.engine;
  const method = methodOf(choices);
  if (method !== 'collisions') return capOfMethod(method, engine, { isSoftware, most: deviceMost });
  const isNaive = broadPhase === 'naive';
  if (isNaive || scene === 'one-cell') {
    const checks = MOST_CHECKS[engine === 'cpu' ? 'cpu' : isSoftware ? 'software' : 'gpu'];
    const most = Math.max(LEAST_LIMIT, floorToTwoDigits(Math.sqrt(checks / passesOf(choices))));
    const pairs = formatCount((most * (most - 1)) / 2);
    const cause = isNaive ? 'Naive tests every pair' : 'With all particles in one cell, every pair is tested';
    const remedy = isNaive ? 'the grid allows more' : 'other scenes allow more';
    const times = formatTimes((count / most) ** 2);
    return {
      most,
      reason: `${cause}: ${pairs} pairs with ${formatCount(most)} particles in ${substeps === 1 ? 'the substep' : `each of ${substeps} substeps`}. That is the limit here; ${remedy}${substeps > 1 ? ', and so do fewer substeps' : ''}. With ${formatCount(count)} particles a step would take about ${times} times as long.`,
    };
  }
  const passes = passesOf(choices);
  const moves = MOST_MOVES[engine === 'cpu' ? 'cpu' : isSoftware ? 'software' : 'gpu'];
  const most =
    passes > USUAL_PASSES ? Math.max(LEAST_LIMIT, floorToTwoDigits(moves / passes)) : MOST_PARTICLES;
  if (engine === 'cpu' && most >= MOST_ON_CPU) {
    return {
      most: MOST_ON_CPU,
      reason: `The CPU engine runs on one thread, so this page gives it at most ${formatCount(MOST_ON_CPU)} particles.`,
    };
  }
  if (engine === 'gpu' && most >= deviceMost && deviceMost < MOST_PARTICLES) {
    const why = isSoftware
      ? 'The processor emulates the GPU here'
      : 'That is what this device and the page hold';
    return { most: deviceMost, reason: `At most ${formatCount(deviceMost)} particles run. ${why}.` };
  }
  if (most >= MOST_PARTICLES) return undefined;
  return {
    most,
    reason: `A step of ${formatCount(passes)} passes over all particles (one per substep, two if particles bounce) allows ${formatCount(most)} particles here; fewer passes allow more.`,
  };
}

/** Greatest number of particles of each method. With this number, a step takes a second or two. */
const MOST_OF_METHOD = {
  fluid: { gpu: 8_000_000, software: 50_000, cpu: 20_000 },
  pbf: { gpu: 1_000_000, software: 20_000, cpu: 20_000 },
  flock: { gpu: 4_000_000, software: 200_000, cpu: 20_000 },
  life: { gpu: 1_000_000, software: 50_000, cpu: 20_000 },
} as const;

function capOfMethod(
  method: Exclude<Method, 'collisions'>,
  engine: EngineKind,
  { isSoftware, most: deviceMost }: Hardware,
): Cap {
  const words = METHOD_WORDS[method];
  const on = engine === 'cpu' ? 'cpu' : isSoftware ? 'software' : 'gpu';
  const most = Math.min(MOST_OF_METHOD[method][on], engine === 'cpu' ? MOST_ON_CPU : deviceMost);
  const why = {
    cpu: 'The CPU engine runs on one thread',
    software: 'The processor emulates the GPU here',
    gpu: 'This page allows no more',
  } as const;
  return { most, reason: `For ${words}, the limit is ${formatCount(most)} particles. ${why[on]}.` };
}

export function floorToTwoDigits(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return unit * Math.floor(value / unit);
}

export function effectiveCount(choices: Choices, hardware: Hardware): number {
  return Math.min(choices.count, capOf(choices, hardware)?.most ?? choices.count);
}

export function settingsOf(choices: Choices): ViewSettings {
  const { broadPhase, restitution, friction, substeps, flipShare, walls } = choices;
  const gravity = gravityVector(choices);
  switch (methodOf(choices)) {
    case 'fluid':
      return { substeps, gravity, flipShare };
    case 'pbf': {
      const { iterations, viscosity, vorticity, tension, pressure, softness } = choices;
      return { substeps, gravity, iterations, viscosity, vorticity, tension, pressure, softness };
    }
    case 'life': {
      const { attraction, tableSeed, strength, halfLife, core } = choices;
      return { attraction, tableSeed, strength, halfLife, core };
    }
    default:
      return { broadPhase, restitution, friction, substeps, gravity, walls };
  }
}

export function simulationOptions(choices: Choices, count: number): SimulationOptions {
  return startOfScene(choices, count).options;
}

export function startOfScene(
  choices: Choices,
  count: number,
): { readonly options: SimulationOptions; readonly drive: Drive | undefined } {
  const { dimensions, seed } = choices;
  const sized = resize(createScene(choices.scene, { dimensions, count, seed }), choices);
  const scene = changeScene(sized, sceneChanges(sized, choices));
  const { drive } = scene;
  if (scene.world === 'unbounded' || choices.boxWidth === 1) {
    return { options: sceneOptions(scene, settingsOf(choices)), drive };
  }
  const max = [...scene.max];
  const left = scene.min[0] ?? 0;
  max[0] = left + Math.ceil(((max[0] ?? 0) - left) * choices.boxWidth);
  return { options: sceneOptions(scene, { ...settingsOf(choices), max }), drive };
}

function sceneChanges({ radii }: Scene, choices: Choices): SceneChanges {
  const { scene, dimensions, unbounded, periodicX, periodicY, periodicZ, continuous } = choices;
  const { crowds, cellSize } = choices;
  return {
    periodic: [periodicX, periodicY, periodicZ].slice(0, dimensions),
    unbounded,
    continuous,
    // With variable radii, crowds cannot be off.
    crowds: radii ? undefined : crowds,
    // The scene's own size stays as it is: with variable radii, the engine may choose it.
    cellSize: cellSize === fieldsOfScene(scene, dimensions).cellSize ? undefined : cellSize,
  };
}

export function gravityVector({ dimensions, gravity }: Choices): number[] {
  return Array.from({ length: dimensions }, (_, axis) => (axis === 1 ? -gravity : 0));
}

/** The methods on which a field has an effect. Other fields suit every method. */
const FIELDS_OF_METHODS: Readonly<Partial<Record<FieldName, readonly Method[]>>> = {
  size: ['collisions'],
  spread: ['collisions'],
  periodicX: ['collisions'],
  periodicY: ['collisions'],
  periodicZ: ['collisions'],
  unbounded: ['collisions'],
  walls: ['collisions'],
  crowds: ['collisions'],
  continuous: ['collisions'],
  restitution: ['collisions'],
  friction: ['collisions'],
  broadPhase: ['collisions'],
  cellSize: ['collisions'],
  gravity: ['collisions', 'fluid', 'pbf'],
  substeps: ['collisions', 'fluid', 'pbf'],
  transfer: ['fluid'],
  flipShare: ['fluid'],
  fluidAs: ['fluid'],
  velocityArrows: ['fluid'],
  pressureMap: ['fluid'],
  solidCells: ['fluid'],
  iterations: ['pbf'],
  viscosity: ['pbf'],
  vorticity: ['pbf'],
  tension: ['pbf'],
  pressure: ['pbf'],
  softness: ['pbf'],
  kinds: ['life'],
  attraction: ['life'],
  tableSeed: ['life'],
  strength: ['life'],
  halfLife: ['life'],
  core: ['life'],
};
const FIELDS_OF_BOXES: readonly FieldName[] = ['boxWidth', 'periodicX', 'periodicY', 'periodicZ', 'walls'];
/** The fields of fluids that the CPU engine does not support. */
const FLUID_PICTURE_FIELDS: readonly string[] = ['fluidAs', ...FLUID_OVERLAYS];

/** Returns whether a field means something in these choices. Controls of other fields are hidden. */
export function isUsed(name: FieldName, choices: Choices): boolean {
  const { dimensions, unbounded, periodicX, periodicY, periodicZ } = choices;
  if (!(FIELDS_OF_METHODS[name]?.includes(methodOf(choices)) ?? true)) return false;
  if (unbounded && FIELDS_OF_BOXES.includes(name)) return false;
  if (name === 'periodicZ') return dimensions === 3;
  return name !== 'walls' || !(periodicX && periodicY && (periodicZ || dimensions === 2));
}

/** Says why a field that is used cannot be changed; '' if it can. */
export function refusalOfField(
  name: FieldName,
  choices: Choices & {
    readonly opened?: { readonly checkpoint: Pick<Checkpoint, 'radiusRange'> } | undefined;
  },
): string {
  const { scene, engine, transfer, spread, attraction, opened } = choices;
  const radiiVary = opened ? opened.checkpoint.radiusRange !== undefined : spread > 1 || !canSpread(scene);
  if (FLUID_PICTURE_FIELDS.includes(name) && engine === 'cpu') {
    return 'The CPU engine draws fluids only as particles.';
  }
  if (name === 'flipShare' && transfer !== 'flip') return 'Only FLIP can be mixed with PIC.';
  if (name === 'tableSeed' && attraction !== 'random' && attraction !== 'mutual') {
    return 'Only random tables have a number.';
  }
  if (name === 'spread' && !canSpread(scene)) return 'This scene has radii of its own.';
  if (name === 'unbounded' && defaultChoices(scene).unbounded) return 'This scene has no box.';
  if (name === 'crowds' && radiiVary) return 'Always on if radii vary.';
  return name === 'crowds' && engine === 'cpu' ? 'The CPU engine does not need this.' : '';
}

export function canSpread(scene: string): boolean {
  const definition = findScene(scene);
  return definition?.method === 'collisions' && !definition.variableRadii;
}

/** The pointer can add at least this many particles without a new start, if the engine's limit allows as many. */
const SPARE_PARTICLES = 2000;
/** The pointer can add at least this many balls of walls without a new start. */
const SPARE_OBSTACLES = 4000;

type ContinuedState = Pick<Checkpoint, 'dimensions' | 'ids' | 'obstacles'>;

/**
 * Returns capacities that suffice for the scene, a continued state and the chosen tool, and that are never less than
 * those in `before`. Only the room for added particles is limited by `most`.
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
  continued?: ContinuedState,
  before: { readonly capacity: number; readonly obstacleCapacity: number } = {
    capacity: 0,
    obstacleCapacity: 0,
  },
): { readonly capacity: number; readonly obstacleCapacity: number } {
  const countOf = (given: ObstaclesGiven | undefined) =>
    (given === undefined ? 0 : ArrayBuffer.isView(given) ? given.length : given.positions.length) /
    dimensions;
  const count = Math.max((positions?.length ?? 0) / dimensions, (continued?.ids.at(-1) ?? -1) + 1);
  const fixed = Math.max(countOf(obstacles), countOf(continued?.obstacles));
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

/** Applies the chosen radii. Positions and the box stay as they are. */
function resize(scene: Scene, { size, spread, seed }: Choices): Scene {
  const scaled = size === 1 ? scene : scaleScene(scene, size);
  if (spread === 1 || scene.radii) return scaled;
  const { radius, count, cellSize: _cellSize, obstacles, drive, ...rest } = scaled;
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

/** Gives obstacles radii, which they need if particles have radii. */
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
