/**
 * cellstorm/cpu: particle collisions without a GPU, for Node, workers, and pages without WebGPU.
 *
 *     const simulation = createCpuSimulation({ dimensions: 2, radius: 0.5, min: [0, 0], max: [100, 100], positions });
 *     simulation.step(1 / 60);
 *     const { contacts } = simulation.measure();
 *
 *     const shared = createCpuSimulation({ dimensions: 2, radius: 0.5, min, max, positions, threads: 4 });
 *
 *     const pebbles = createCpuSimulation({ dimensions: 2, min, max, positions, radii });
 *
 *     const grid = createCpuGrid({ dimensions: 2, min: [0, 0], max: [100, 100], diameter: 1, capacity: 10_000 });
 *     grid.build(positions);
 *     grid.forEachPair((first, second) => …);
 *     const { ids } = grid.nearest([50, 50], 8);
 *
 *     const levels = createCpuLevelGrid({ dimensions: 2, min, max, radii: { smallest: 1, largest: 8 }, capacity: 99 });
 *     levels.build(positions, radii);
 *
 *     const index = createCpuIndex({ dimensions: 2, min: [0, 0], max: [100, 100], capacity: 10_000, radius: 0.5 });
 *     const id = index.add([3, 4]);
 *     index.move(id, [3.1, 4]);
 *     index.overlapping(id, (other) => …);
 *
 *     const { pairs } = findOverlaps(boxes, { dimensions: 3 });
 *
 *     const particles = createCpuGridParticles({ dimensions: 2, min, max, diameter: 1, positions, velocities });
 *
 * A world is a box, a periodic box (`periodic: true`), or unbounded (`unbounded: true`).
 * This module needs no DOM, no Node and no WebGPU. Only the option `threads` needs workers.
 *
 * @module cellstorm/cpu
 */

export { ArgumentError, CellstormError, DestroyedError, LimitError } from '../core/base/errors';
export type { StageTimes } from '../core/base/stage-times';
export type { BroadPhase, Settings, SettingsOptions } from '../core/contact/settings';
export { sizeRatioWarning } from '../core/contact/size-ratio';
export type { ObstacleBodies, ObstaclesGiven } from '../core/obstacles/obstacles';
export { type SweptBodies, sweptBox } from '../core/particles/swept';
export { crowdingWarning } from '../core/simulation/crowding';
export { type PairEvents, pairEvents } from '../core/simulation/pair-events';
export type { ParticlesCheckpoint } from '../core/simulation/particles-checkpoint';
export type { PlacedArrays, PlacedOptions, PlacedParticles } from '../core/simulation/placed';
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
} from '../core/simulation/simulation';
export type { Bounds, BoundsOptions } from '../core/world/bounds';
export {
  type CellSizeOptions,
  type CellSizeSuggestion,
  type RadiiOfParticles,
  suggestCellSize,
} from '../core/world/cell-size';
export type { Dimensions, RadiusRange, World, WorldKind, WorldOptions } from '../core/world/world';
export { type BoxChunksOptions, CpuBoxChunks, createCpuBoxChunks } from './boxes/chunks';
export {
  type BoxPairsOptions,
  CpuBoxPairs,
  createCpuBoxPairs,
  findOverlaps,
  type Overlaps,
} from './boxes/pairs';
export type { Nearest } from './equal/nearest';
export { CpuGrid, type GridOptions } from './grid/grid';
export { CpuGridParticles, createCpuGridParticles } from './grid/grid-particles';
export { CpuLevelGrid, type CpuLevelGridOptions, createCpuLevelGrid } from './grid/level-grid';
export { CpuIndex, type CpuIndexOptions, createCpuIndex } from './live';
export type { RayHits } from './shared/ray-walk';
export { CpuSimulation } from './solver/simulation';
export type { CpuSimulationBuffers } from './solver/state';
export {
  type CpuGridOptions,
  type CpuSimulationOptions,
  createCpuGrid,
  createCpuSimulation,
} from './threaded';
