/** Scenes of flocks, particle life and the position-based fluid. method-scene.ts generates their particles. */
import type { FlockSceneDefinition, LifeSceneDefinition, PositionFluidSceneDefinition } from './definition';
import { EARTH_GRAVITY } from './scene';

export const SPLASH: PositionFluidSceneDefinition = {
  name: 'splash',
  description:
    'A position-based fluid: a column is let go, flows around a ball, leaps over a step and comes back.',
  method: 'pbf',
  gravity: EARTH_GRAVITY,
  substeps: 2,
};

export const MURMURATION: FlockSceneDefinition = {
  name: 'murmuration',
  description: 'A flock: birds fly like the birds near them and part before a hunter. The sky wraps around.',
  method: 'flock',
  gravity: 0,
  substeps: 1,
};

export const LIFE: LifeSceneDefinition = {
  name: 'particle-life',
  description:
    'Particle life: a table says which species attracts which. Shapes form that move by themselves. The world wraps around.',
  method: 'life',
  gravity: 0,
  substeps: 1,
};
