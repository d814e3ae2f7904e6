/**
 * cellstorm: exact, deterministic particle collisions on WebGPU.
 *
 *     const gpu = await requestGpu({ particles: 1_000_000, dimensions: 2 });
 *     const simulation = await createSimulation(gpu, { dimensions: 2, capacity: 1_000_000, radius: 0.5 });
 *     simulation.step(1 / 60);
 *     const { contacts, candidates } = await simulation.measure();
 *     const pairs = await simulation.findPairs();
 *
 * This entry point uses neither the DOM nor Node. `cellstorm/cpu` has the engine that needs no GPU.
 *
 * @module cellstorm
 */

export {
  ArgumentError,
  CellstormError,
  DestroyedError,
  GpuError,
  LimitError,
} from './core/base/errors';
export type { StageTimes } from './core/base/stage-times';
export type { ContinuousCounts } from './core/ccd/law';
export type { BroadPhase, Settings, SettingsOptions } from './core/contact/settings';
export { sizeRatioWarning } from './core/contact/size-ratio';
export type { ObstacleBodies, ObstaclesGiven } from './core/obstacles/obstacles';
export type { KeyKind } from './core/particles/keys';
export { type SweptBodies, sweptBox } from './core/particles/swept';
export { crowdingWarning } from './core/simulation/crowding';
export { type PairEvents, pairEvents } from './core/simulation/pair-events';
export type { ParticlesCheckpoint } from './core/simulation/particles-checkpoint';
export type { PlacedArrays, PlacedOptions, PlacedParticles } from './core/simulation/placed';
export type {
  Checkpoint,
  ExactArrays,
  FoundPairs,
  Measures,
  NewParticles,
  PairList,
  ParticleArrays,
  ParticleSimulation,
  SimulationOptions,
} from './core/simulation/simulation';
export {
  type CellSizeOptions,
  type CellSizeSuggestion,
  type RadiiOfParticles,
  suggestCellSize,
} from './core/world/cell-size';
export { type Walls, wallsOf } from './core/world/walls';
export type { Dimensions, RadiusRange, World, WorldKind, WorldOptions } from './core/world/world';
export { BoxChunks, type BoxChunksOptions, type ListedBoxChunks } from './engine/box-chunks';
export { BoxPairs, type BoxPairsInput, type BoxPairsOptions, type ListedBoxPairs } from './engine/box-pairs';
export {
  GridKernel,
  type GridKernelInput,
  type GridKernelOptions,
  type KernelBuffer,
  type KernelField,
} from './engine/grid/grid-kernel';
export { GridParticles, type GridParticlesOptions, type PerParticle } from './engine/grid/grid-particles';
export { HashGrid, type HashGridInput, type HashGridOptions } from './engine/grid/hash-grid';
export { GridBoxes, type GridBoxesInput, type GridBoxesOptions } from './engine/queries/boxes';
export type { ListedPairs } from './engine/queries/counted-list';
export { EventList, GridEvents, type GridEventsOptions, type ListedEvents } from './engine/queries/events';
export {
  GridNear,
  type GridNearInput,
  type GridNearOptions,
  type ListedNeighbours,
} from './engine/queries/near';
export {
  GridNearest,
  type GridNearestInput,
  type GridNearestOptions,
  MOST_NEAREST,
  type NearestNeighbours,
} from './engine/queries/nearest';
export { GridPairs, type GridPairsOptions } from './engine/queries/pairs';
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
} from './engine/queries/rays';
export { RadixSort, type RadixSortInput, type RadixSortOptions } from './engine/radix-sort';
export {
  BYTES_PER_CELL,
  bytesPerParticle,
  estimateMemory,
  type MemoryOptions,
} from './engine/simulation/memory';
export type { SimulationBuffers } from './engine/simulation/particle-copies';
export { createSimulation, Simulation } from './engine/simulation/simulation';
export {
  type Gpu,
  type GpuRequest,
  type GreatestCount,
  greatestCount,
  requestGpu,
  wrapDevice,
} from './gpu/device';

export {
  applyDrive,
  type CollisionSceneDefinition,
  createScene,
  type Drivable,
  type Drive,
  type Driven,
  type FlockSceneDefinition,
  type FluidSceneDefinition,
  type LifeSceneDefinition,
  type PositionFluidSceneDefinition,
  SCENES,
  type Scene,
  type SceneDefinition,
  type SceneFlag,
  type SceneRequest,
  sceneNames,
  strengthOf,
} from './scenes';
