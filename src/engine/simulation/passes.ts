/**
 * Creates the passes of a simulation, except the sort and continuous motion. The kernels of a step with the initial
 * broad phase are compiled at once, all others when they are first recorded.
 */
import type { BroadPhase } from '../../core/contact/settings';
import type { SimulationPlan } from '../../core/simulation/plan';
import type { World } from '../../core/world/world';
import { createParts } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import { Measure } from '../../passes/measure/measure';
import type { Variant } from '../../passes/modules';
import { Pairs } from '../../passes/query/pairs';
import { Integrate } from '../../passes/solve/integrate';
import { Partner } from '../../passes/solve/partner';
import { Resolve } from '../../passes/solve/resolve';
import { Retire } from '../../passes/solve/retire';

export interface NeighbourPasses {
  readonly partner: Partner;
  readonly respond: Resolve;
  readonly pushApart: Resolve;
  readonly measure: Measure;
  readonly pairs: Pairs;
  destroy(): void;
}

export interface SimulationPasses extends Readonly<Record<BroadPhase, NeighbourPasses>> {
  readonly integrate: Integrate;
  readonly retire: Retire;
  destroy(): void;
}

/** Kernels have code for obstacles only if there is room for obstacles. */
export function variantOf({ world, obstacleCapacity }: SimulationPlan): World & Pick<Variant, 'obstacles'> {
  return obstacleCapacity > 0 ? { ...world, obstacles: true } : world;
}

export async function createSimulationPasses(gpu: Gpu, plan: SimulationPlan): Promise<SimulationPasses> {
  const { world } = plan;
  const { integrate, retire, grid, naive } = await createParts({
    integrate: Integrate.create(gpu, world, !plan.continuous),
    retire: Retire.create(gpu, world, 'first-use'),
    grid: createNeighbourPasses(gpu, plan, 'grid'),
    naive: createNeighbourPasses(gpu, plan, 'naive'),
  });
  const destroy = () => {
    grid.destroy();
    naive.destroy();
  };
  return { integrate, retire, grid, naive, destroy };
}

async function createNeighbourPasses(
  gpu: Gpu,
  plan: SimulationPlan,
  broadPhase: BroadPhase,
): Promise<NeighbourPasses> {
  const { world, settings } = plan;
  const variant = variantOf(plan);
  const compilation = broadPhase === settings.broadPhase ? 'now' : 'first-use';
  const passes = await createParts({
    partner: Partner.create(gpu, variant, broadPhase, compilation),
    respond: Resolve.create(gpu, variant, broadPhase, 'respond', compilation),
    pushApart: Resolve.create(gpu, variant, broadPhase, 'pushApart', 'first-use'),
    measure: Measure.create(gpu, variant, broadPhase, 'first-use', plan.radiusRange),
    pairs: Pairs.create(gpu, world, broadPhase, 'first-use'),
  });
  return { ...passes, destroy: () => passes.measure.destroy() };
}
