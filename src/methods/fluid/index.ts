/**
 * cellstorm/fluid: a fluid (FLIP, PIC or APIC) that moves particles by means of a staggered lattice.
 *
 *     const fluid = await createFluid(gpu, {
 *       dimensions: 2, cells: [256, 128], cellSize: 1 / 64, fill: [{ min, max }],
 *     });
 *     fluid.step(1 / 60);
 *     const { volume, residual } = await fluid.measure();
 *
 * @module cellstorm/fluid
 */
export type { FluidCheckpoint } from './checkpoint';
export { CpuFluid, createCpuFluid } from './cpu-fluid';
export type { Emitter } from './emitters';
export { createFluid, Fluid } from './fluid';
export type { BallObstacle, BoxObstacle, ObstacleOptions } from './obstacles';
export type { FluidOptions, FluidPlan } from './options';
export type { FluidMeasures } from './reference/measure';
export type { FluidRegion } from './regions';
export type { FluidSettings, FluidSettingsOptions, Transfer } from './settings';
export type { FluidFields, FluidParticles, NewFluid } from './shape';
export { fluidWarnings, type WarningFigures } from './warnings';
