/** Prepares the drawing of a fluid, with all its shaders. Runs under Deno for fluid.test.ts. */
import type { Dimensions } from '../../../src/core/world/world';
import { planFluid } from '../../../src/methods/fluid/options';
import { createLayouts } from '../../../src/page/view/draw-pipelines';
import { FluidView } from '../../../src/page/view/fluid/view';
import { openDevice } from './device';

export interface ViewReport {
  readonly isReady: boolean;
  readonly complaints: readonly string[];
}

const { gpu, complaints } = await openDevice();

export default async (dimensions: Dimensions): Promise<ViewReport> => {
  const { device } = gpu;
  const plan = planFluid({ dimensions, cells: new Array(dimensions).fill(8), cellSize: 0.125 });
  const buffer = () => device.createBuffer({ size: 4 * plan.lattice.size, usage: GPUBufferUsage.STORAGE });
  const buffers = { kinds: buffer(), fullness: buffer(), velocity: buffer(), pressure: buffer() };
  const layouts = createLayouts(device);
  const lent = { format: 'rgba8unorm', samples: 4, isSoftware: false, layouts } as const;
  const view = new FluidView(device, { plan, buffers }, lent);
  for (const colour of ['speed', 'value', 'age'] as const) await view.prepare(colour);
  const isReady = view.isReady('age');
  view.destroy();
  for (const made of Object.values(buffers)) made.destroy();
  return { isReady, complaints: complaints.splice(0) };
};
