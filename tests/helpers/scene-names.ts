/** Scenes that the reference and the passes for one radius can run: equal radii, and no drive. */
import { sceneNames } from '../../src/scenes';

export const EQUAL_RADIUS_SCENES = sceneNames({ variableRadii: false, driven: false });

/** Each of these scenes in 2D and in 3D, as arguments of `test.each`. */
export const EQUAL_RADIUS_CASES = EQUAL_RADIUS_SCENES.flatMap((name) => [
  [name, 2] as const,
  [name, 3] as const,
]);
