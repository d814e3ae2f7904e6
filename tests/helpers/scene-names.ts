/** Scenes that the reference and the passes for one radius can run: equal radii, and no drive. */
import { sceneNames } from '../../src/scenes';

export const EQUAL_RADIUS_SCENES = sceneNames({ variableRadii: false, driven: false });
