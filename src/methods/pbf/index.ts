/**
 * cellstorm/pbf: a position-based fluid.
 *
 *     const fluid = await createPositionFluid(gpu, { dimensions: 2, min, max, radius: 1, positions });
 *     fluid.step(1 / 60);
 *
 * createCpuPositionFluid takes the same options, needs no GPU and returns no promise.
 *
 * @module cellstorm/pbf
 */
export { CpuPositionFluid, createCpuPositionFluid } from './cpu-fluid';
export { createPositionFluid, PositionFluid } from './fluid';
export type { BallObstacle, BoxObstacle, ObstacleOptions } from './obstacles';
export type {
  FluidMeasures,
  PositionFluidCheckpoint,
  PositionFluidNumbers,
  PositionFluidOptions,
  PositionFluidSettings,
  PositionFluidState,
} from './options';
