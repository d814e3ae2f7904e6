import { findScene, type SceneMethod } from '../../scenes';

export type Method = SceneMethod;

/** Returns the method of a scene. Particles from a file always collide. */
export function methodOf({ scene, opened }: { readonly scene: string; readonly opened?: unknown }): Method {
  return opened ? 'collisions' : (findScene(scene)?.method ?? 'collisions');
}

/** The words for each method in a sentence such as 'This has no effect on a flock.' */
export const METHOD_WORDS: Readonly<Record<Exclude<Method, 'collisions'>, string>> = {
  fluid: 'a fluid',
  pbf: 'a position-based fluid',
  flock: 'a flock',
  life: 'particle life',
};
