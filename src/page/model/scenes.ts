import { findScene, type SceneMethod } from '../../scenes';

export type Method = SceneMethod;

/** Particles from a file always collide. */
export function methodOf({ scene, opened }: { readonly scene: string; readonly opened?: unknown }): Method {
  return opened ? 'collisions' : (findScene(scene)?.method ?? 'collisions');
}
