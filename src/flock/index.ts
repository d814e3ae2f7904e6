/**
 * cellstorm/flock: boids and particle life, written on the public API of cellstorm and nothing else.
 *
 *     const flock = await createFlock(gpu, { dimensions: 2, min, max, periodic: true, perception: 1, positions });
 *     const life = await createLife(gpu, { dimensions: 2, min, max, reach: 1, positions, species, attraction });
 */
export {
  createFlock,
  Flock,
  type FlockOptions,
  type FlockSettings,
  type FlockState,
  flockSettings,
} from './flock';
export {
  type Attraction,
  createLife,
  Life,
  type LifeNumbers,
  type LifeOptions,
  type LifeSettings,
} from './life';
