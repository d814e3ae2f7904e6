/**
 * cellstorm: exact, deterministic particle collisions on WebGPU.
 *
 *     const gpu = await requestGpu({ particles: 1_000_000, dimensions: 2 });
 *     const simulation = await createSimulation(gpu, { dimensions: 2, capacity: 1_000_000, radius: 0.5 });
 *     simulation.step(1 / 60);
 *     const { contacts, candidates } = await simulation.measure();
 *     const pairs = await simulation.findPairs();
 *
 * This entry point uses neither the DOM nor Node. `cellstorm/cpu` offers the same shape without a GPU.
 */

export {
  type CellSizeOptions,
  type CellSizeSuggestion,
  type RadiiOfParticles,
  suggestCellSize,
} from './core/cell-size';
/** What is built on this refuses arguments in the same words. */
export {
  checkDimensions,
  checkFinite,
  checkInteger,
  checkKnownKeys,
  checkPacked,
  checkPositive,
  checkRange,
  checkVector,
} from './core/checks';
export { crowdingWarning } from './core/crowding';
export {
  ArgumentError,
  CellstormError,
  DestroyedError,
  GpuError,
  LimitError,
} from './core/errors';
export type { KeyKind } from './core/keys';
export { type NumberRanges, resolveNumbers } from './core/numbers';
export type { ObstacleBodies, ObstaclesGiven } from './core/obstacles';
export { type PairEvents, pairEvents } from './core/pair-events';
export type { ParticlesCheckpoint } from './core/particles-checkpoint';
export type { MethodOptions, PlacedArrays, PlacedOptions, PlacedParticles } from './core/placed';
export { METHOD_OPTION_NAMES, placedOf } from './core/placed';
export { PlacedMethod } from './core/placed-method';
export type { BroadPhase, Settings, SettingsOptions } from './core/settings';
export type {
  Checkpoint,
  FoundPairs,
  Measures,
  NewParticles,
  PairList,
  ParticleArrays,
  ParticleSimulation,
  SimulationOptions,
} from './core/simulation';
export type { StageTimes } from './core/stage-times';
export { type Walls, wallsOf } from './core/walls';
export type { Dimensions, RadiusRange, World, WorldOptions } from './core/world';
export { BoxPairs, type BoxPairsInput, type BoxPairsOptions, type ListedBoxPairs } from './engine/box-pairs';
export type { ListedPairs } from './engine/counted-list';
export { GridBoxes, type GridBoxesInput, type GridBoxesOptions } from './engine/grid-boxes';
export { EventList, GridEvents, type GridEventsOptions, type ListedEvents } from './engine/grid-events';
export {
  GridKernel,
  type GridKernelInput,
  type GridKernelOptions,
  type KernelBuffer,
} from './engine/grid-kernel';
export {
  GridNear,
  type GridNearInput,
  type GridNearOptions,
  type ListedNeighbours,
} from './engine/grid-near';
export {
  GridNearest,
  type GridNearestInput,
  type GridNearestOptions,
  MOST_NEAREST,
  type NearestNeighbours,
} from './engine/grid-nearest';
export { GridPairs, type GridPairsOptions } from './engine/grid-pairs';
export { GridParticles, type GridParticlesOptions, type PerParticle } from './engine/grid-particles';
export {
  GridFirstHits,
  type GridFirstHitsOptions,
  GridRays,
  type GridRaysInput,
  type GridRaysOptions,
  type ListedFirstHits,
  type ListedHits,
  packRays,
  type Ray,
} from './engine/grid-rays';
export { HashGrid, type HashGridInput, type HashGridOptions } from './engine/hash-grid';
export { BYTES_PER_CELL, bytesPerParticle, estimateMemory, type MemoryOptions } from './engine/memory';
export { RadixSort, type RadixSortInput, type RadixSortOptions } from './engine/radix-sort';
export { createSimulation, Simulation, type SimulationBuffers } from './engine/simulation';
export { SortedGrid } from './engine/sorted-grid';
export { SortedParticles } from './engine/sorted-particles';
export { type Gpu, type GpuRequest, greatestCount, requestGpu, wrapDevice } from './gpu/device';

export {
  applyDrive,
  createMixedScene,
  createScene,
  type Drivable,
  type Drive,
  type Driven,
  MIXED_SCENE_NAMES,
  type MixedScene,
  SCENE_NAMES,
  type Scene,
  strengthOf,
} from './scenes';
