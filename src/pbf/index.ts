/**
 * cellstorm/pbf: a position-based fluid, written on the public API of cellstorm and nothing else.
 *
 *     const fluid = await createPositionFluid(gpu, { dimensions: 2, min, max, radius: 1, positions });
 *     fluid.step(1 / 60);
 */
export {
  createPositionFluid,
  type FluidMeasures,
  PositionFluid,
  type PositionFluidNumbers,
  type PositionFluidOptions,
  type PositionFluidSettings,
} from './fluid';
