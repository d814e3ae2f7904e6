/** Makes default choices and the options of a run, and says which fields have an effect. */

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
import { type Choices, FIELD_NAMES, type FieldName } from './fields';
import { checkCells } from './limits';
import { FLUID_OVERLAYS, NO_OVERLAYS } from './overlays';
import { type Method, methodOf } from './scenes';
import type { ViewSettings } from './simulation-view';

/** Simulated seconds per step at time scale 1. It does not depend on the frame rate, so that runs are repeatable. */
export const STEP_SECONDS = 1 / 60;

const FIRST_SCENE = 'pile';

/** Fields of the world that have their own values in each scene. */
export type WorldFields = Pick<
  Choices,
  'periodicX' | 'periodicY' | 'periodicZ' | 'unbounded' | 'walls' | 'crowds' | 'continuous' | 'cellSize'
>;
type SceneFields = Pick<Choices, 'gravity' | 'boxWidth' | 'restitution' | 'friction' | 'substeps'> &
  WorldFields;

type WorldGiven = { readonly [Name in keyof WorldFields]?: WorldFields[Name] | undefined } & {
  readonly periodic?: readonly boolean[] | undefined;
};

/** Returns the fields of a scene's world. Default: a box with walls. */
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

/** Returns the default choices of a scene. Links leave out choices that equal them. */
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
  // Particle life is coloured by species at first; other methods have no species.
  const colour = usual === 'species' || choices.colour === 'species' ? usual : choices.colour;
  return { ...choices, scene, colour, ...fieldsOfScene(scene, choices.dimensions) };
}

function usualColour(scene: string): Choices['colour'] {
  return methodOf({ scene }) === 'life' ? 'species' : 'speed';
}

export function changedFields(from: Choices, to: Choices): FieldName[] {
  return FIELD_NAMES.filter((name) => from[name] !== to[name]);
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
  const options = sceneOptions(scene, { ...settingsOf(choices), ...widened(scene, choices) });
  checkCells(options);
  return { options, drive };
}

function widened(scene: Scene, { boxWidth }: Choices): Partial<Pick<SimulationOptions, 'max'>> {
  if (scene.world === 'unbounded' || boxWidth === 1) return {};
  const max = [...scene.max];
  const left = scene.min[0] ?? 0;
  max[0] = left + Math.ceil(((max[0] ?? 0) - left) * boxWidth);
  return { max };
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
    // Leave out the cell size if it is the scene's own, so that with variable radii the engine can choose one.
    cellSize: cellSize === fieldsOfScene(scene, dimensions).cellSize ? undefined : cellSize,
  };
}

export function gravityVector({ dimensions, gravity }: Choices): number[] {
  return Array.from({ length: dimensions }, (_, axis) => (axis === 1 ? -gravity : 0));
}

/** The methods for which a field has an effect. Fields that are not listed have an effect for every method. */
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
/** Fields of fluids; the CPU engine supports none of these. */
const FLUID_PICTURE_FIELDS: readonly string[] = ['fluidAs', ...FLUID_OVERLAYS];

/** Returns whether a field means something in these choices. If not, its control is hidden. */
export function isUsed(name: FieldName, choices: Choices): boolean {
  const { dimensions, unbounded, periodicX, periodicY, periodicZ } = choices;
  if (!(FIELDS_OF_METHODS[name]?.includes(methodOf(choices)) ?? true)) return false;
  if (unbounded && FIELDS_OF_BOXES.includes(name)) return false;
  if (name === 'periodicZ') return dimensions === 3;
  return name !== 'walls' || !(periodicX && periodicY && (periodicZ || dimensions === 2));
}

/** Says why a visible field cannot be changed; '' if it can. */
export function refusalOfField(
  name: FieldName,
  choices: Choices & {
    readonly opened?: { readonly checkpoint: Pick<Checkpoint, 'radiusRange'> } | undefined;
  },
): string {
  const { scene, engine, transfer, spread, attraction, unbounded, opened } = choices;
  const radiiVary = opened ? opened.checkpoint.radiusRange !== undefined : spread > 1 || !canSpread(scene);
  if (FLUID_PICTURE_FIELDS.includes(name) && engine === 'cpu') {
    return 'The CPU engine draws fluids only as particles.';
  }
  if (name === 'flipShare' && transfer !== 'flip') return 'Only FLIP can be mixed with PIC.';
  if (name === 'tableSeed' && attraction !== 'random' && attraction !== 'mutual') {
    return 'Only random tables have a number.';
  }
  if (name === 'buckets' && !unbounded) return 'Only unbounded worlds have buckets that cells can share.';
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
/** Drawn walls are rows of balls. The pointer can add at least this many balls without a new start. */
const SPARE_OBSTACLES = 4000;

type ContinuedState = Pick<Checkpoint, 'dimensions' | 'ids' | 'obstacles'>;

/**
 * Returns capacities for the scene, a continued state and the chosen tool; never less than those in `before`. `most`
 * limits only the room for added particles.
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

/** Returns the scene with the chosen radii. Positions and the box stay as they are. */
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

/** Returns obstacles with radii, which they need if particles have radii. */
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
