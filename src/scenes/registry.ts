import { checkKnownKeys } from '../core/base/checks';
import { ArgumentError } from '../core/base/errors';
import { BOXES_PERIODIC, CRATES, TERRACES } from './boxes';
import { BRAZIL_NUT } from './brazil-nut';
import { BULLETS, MIXED_BULLETS } from './bullets';
import type {
  CollisionSceneDefinition,
  FlockSceneDefinition,
  FluidSceneDefinition,
  LifeSceneDefinition,
  PositionFluidSceneDefinition,
  SceneDefinition,
  SceneMethod,
} from './definition';
import { DRUM, HOURGLASS } from './granular';
import { LIFE, MURMURATION, SPLASH } from './methods';
import { GAS, LATTICE, PACKING, PILE } from './ordered';
import { CLUSTERED, CROWDS, NEGATIVE, OBSTACLES, ONE_CELL, UNIFORM } from './scattered';
import { DAM_BREAK, FOUNTAIN, TWO_DROPS, WAVE_TANK } from './tanks';
import { MIXED, MIXED_PERIODIC, MIXED_PILE, MIXED_WIDE, ONE_LARGE } from './variable-radii';
import { CHANNEL, COLLIDING_CELLS, FAR_APART, PERIODIC } from './worlds';

/** Every scene, in the order in which the page and the command line list them. */
export const SCENES: readonly SceneDefinition[] = [
  UNIFORM,
  GAS,
  PILE,
  PACKING,
  CLUSTERED,
  ONE_CELL,
  LATTICE,
  NEGATIVE,
  PERIODIC,
  CHANNEL,
  FAR_APART,
  COLLIDING_CELLS,
  CROWDS,
  OBSTACLES,
  BULLETS,
  MIXED_PILE,
  MIXED_WIDE,
  MIXED,
  MIXED_PERIODIC,
  ONE_LARGE,
  CRATES,
  BOXES_PERIODIC,
  TERRACES,
  MIXED_BULLETS,
  HOURGLASS,
  DRUM,
  BRAZIL_NUT,
  DAM_BREAK,
  TWO_DROPS,
  WAVE_TANK,
  FOUNTAIN,
  SPLASH,
  MURMURATION,
  LIFE,
];

interface DefinitionOf {
  readonly collisions: CollisionSceneDefinition;
  readonly fluid: FluidSceneDefinition;
  readonly pbf: PositionFluidSceneDefinition;
  readonly flock: FlockSceneDefinition;
  readonly life: LifeSceneDefinition;
}

/** The properties by which `sceneNames` selects scenes. */
export type SceneFlag = 'variableRadii' | 'hasBoxes' | 'driven' | 'continuous';

const FLAGS: readonly SceneFlag[] = ['variableRadii', 'hasBoxes', 'driven', 'continuous'];

export function scenesOf<Method extends SceneMethod>(method: Method): readonly DefinitionOf[Method][] {
  return SCENES.filter((scene): scene is DefinitionOf[Method] => scene.method === method);
}

/** Returns the names of the collision scenes whose flags have the given values. Default: all collision scenes. */
export function sceneNames(flags: Readonly<Partial<Record<SceneFlag, boolean>>> = {}): readonly string[] {
  checkKnownKeys('flags', flags, FLAGS);
  for (const [flag, value] of Object.entries(flags)) {
    if (value !== undefined && typeof value !== 'boolean')
      throw new ArgumentError(`flags.${flag}`, value, 'true or false');
  }
  const wanted = Object.entries(flags) as [SceneFlag, boolean | undefined][];
  return scenesOf('collisions')
    .filter((scene) =>
      wanted.every(([flag, value]) => value === undefined || (scene[flag] ?? false) === value),
    )
    .map(({ name }) => name);
}

export function findScene(name: string): SceneDefinition | undefined {
  return SCENES.find((scene) => scene.name === name);
}

export function isDriven(name: string): boolean {
  return sceneNames({ driven: true }).includes(name);
}

export function requireScene<Method extends SceneMethod>(method: Method, name: string): DefinitionOf[Method] {
  const scenes = scenesOf(method);
  const found = scenes.find((scene) => scene.name === name);
  if (!found)
    throw new ArgumentError('scene', name, `one of ${scenes.map((scene) => scene.name).join(', ')}`);
  return found;
}
