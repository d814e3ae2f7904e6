/** Scenes of flocks, particle life and the position-based fluid. method-scene.ts generates their particles. */
import type { FlockSceneDefinition, LifeSceneDefinition, PositionFluidSceneDefinition } from './definition';
import { EARTH_GRAVITY } from './scene';

export const SPLASH: PositionFluidSceneDefinition = {
  name: 'splash',
  description: 'A position-based fluid flows around a ball and over a step.',
  method: 'pbf',
  gravity: EARTH_GRAVITY,
  substeps: 2,
};

export const MURMURATION: FlockSceneDefinition = {
  name: 'murmuration',
  description: 'A flock of birds parts before a hunter.',
  method: 'flock',
  gravity: 0,
  substeps: 1,
};

export const LIFE: LifeSceneDefinition = {
  name: 'particle-life',
  description: 'Particle life: a table says which species attracts which.',
  method: 'life',
  gravity: 0,
  substeps: 1,
};
