import { sceneNames } from '../../src/scenes';

export const EQUAL_RADIUS_SCENES = sceneNames({ variableRadii: false, driven: false });

export const EQUAL_RADIUS_CASES = EQUAL_RADIUS_SCENES.flatMap((name) => [
  [name, 2] as const,
  [name, 3] as const,
]);
