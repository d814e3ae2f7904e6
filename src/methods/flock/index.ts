/**
 * cellstorm/flock: boids and particle life.
 *
 *     const flock = await createFlock(gpu, { dimensions: 2, min, max, periodic: true, perception: 1, positions });
 *     const life = await createLife(gpu, { dimensions: 2, min, max, reach: 1, positions, species, attraction });
 *
 * createCpuFlock and createCpuLife take the same options, need no GPU and return no promises.
 *
 * @module cellstorm/flock
 */
export { CpuFlock, createCpuFlock } from './cpu-flock';
export { CpuLife, createCpuLife } from './cpu-life';
export { createFlock, Flock } from './flock';
export { createLife, Life } from './life';
export type {
  Attraction,
  LifeCheckpoint,
  LifeNumbers,
  LifeOptions,
  LifeSettings,
  LifeState,
  NewLife,
} from './life-options';
export {
  type FlockCheckpoint,
  type FlockOptions,
  type FlockSettings,
  type FlockState,
  flockSettings,
} from './options';
