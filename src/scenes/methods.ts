/** Scenes of flocks, particle life and the position-based fluid. method-scene.ts generates their particles. */
import type { FlockSceneDefinition, LifeSceneDefinition, PositionFluidSceneDefinition } from './definition';
import { EARTH_GRAVITY } from './scene';

export const SPLASH: PositionFluidSceneDefinition = {
  name: 'splash',
  description: 'A position-based fluid: a column flows around a ball, leaps over a step and returns.',
  method: 'pbf',
  gravity: EARTH_GRAVITY,
  substeps: 2,
};

export const MURMURATION: FlockSceneDefinition = {
  name: 'murmuration',
  description: 'A flock: birds fly like the birds near them and part before a hunter.',
  method: 'flock',
  gravity: 0,
  substeps: 1,
};

export const LIFE: LifeSceneDefinition = {
  name: 'particle-life',
  description:
    'Particle life: a table says which species attracts which. Shapes form that move by themselves.',
  method: 'life',
  gravity: 0,
  substeps: 1,
};
