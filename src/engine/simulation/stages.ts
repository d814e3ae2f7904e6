/**
 * The stages of a simulation's changes and queries. CellSort makes those of the sort, Ccd those of continuous motion,
 * PairQuery those that list pairs, and SimulationStages all others.
 *
 * Passes that look for neighbours exist once per broad phase. The kernels of a step with the initial broad phase are
 * compiled when the simulation is created. Most others are compiled when they are first recorded.
 *
 * Integrate also counts the particles per cell, except in two cases. With variable radii the sort counts them, because
 * it also counts finer entries. With `continuous` the sort counts them, because ccd changes positions after Integrate.
 * Creating a stage already swaps the copies that the stage will write, so record stages in the order of their creation.
 */
import type { BroadPhase, Settings } from '../../core/contact/settings';
import type { SimulationPlan } from '../../core/simulation/plan';
import type { World } from '../../core/world/world';
import { createParts } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import { checkKernels } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import type { Stage } from '../../gpu/stage';
import { Measure } from '../../passes/measure/measure';
import type { Variant } from '../../passes/modules';
import { Pairs } from '../../passes/query/pairs';
import type { CcdBinding } from '../../passes/solve/ccd';
import { Integrate } from '../../passes/solve/integrate';
import { Partner } from '../../passes/solve/partner';
import { Resolve } from '../../passes/solve/resolve';
import { Retire } from '../../passes/solve/retire';
import type { CellSort } from '../grid/cell-sort';
import type { PairState } from '../queries/pair-query';
import type { Ccd } from './ccd';
import type { ParticleCopies } from './particle-copies';

/** Describes the stages of a step, roughly in the order of a substep, then the stage of `separate`. */
export const STEP_STAGES: Readonly<Record<string, string>> = {
  integrate: 'Moves particles and finds their cells',
  ccd: 'Follows fast particles to their first hit',
  finer: 'Lists small particles in the larger cells around them',
  count: 'Counts particles per cell',
  scan: 'Finds where each cell begins',
  crowd: 'Sorts crowded cells',
  scatter: 'Writes ids into their cells',
  gather: 'Reorders the state by cell',
  heavy: 'Finds particles with too many candidates',
  partner: 'Finds contacts that may bounce',
  resolve: 'Pushes overlapping particles apart',
  separate: 'Pushes overlapping particles apart',
};

export interface Recording {
  readonly shared: SharedBinding;
  readonly count: number;
  readonly settings: Settings;
}

/** The variant that kernels are linked for. Kernels have code for obstacles only if there is room for obstacles. */
export function variantOf({ world, obstacleCapacity }: SimulationPlan): World & Pick<Variant, 'obstacles'> {
  return obstacleCapacity > 0 ? { ...world, obstacles: true } : world;
}

export type SimulationPasses = Awaited<ReturnType<typeof createSimulationPasses>>;

export async function createSimulationPasses(gpu: Gpu, plan: SimulationPlan) {
  const { world } = plan;
  const parts = await createParts({
    integrate: Integrate.create(gpu, world, !plan.continuous),
    retire: Retire.create(gpu, world, 'first-use'),
    grid: createNeighbourPasses(gpu, plan, 'grid'),
    naive: createNeighbourPasses(gpu, plan, 'naive'),
  });
  const destroy = () => {
    parts.grid.destroy();
    parts.naive.destroy();
  };
  return { ...parts, destroy };
}

async function createNeighbourPasses(gpu: Gpu, plan: SimulationPlan, broadPhase: BroadPhase) {
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

interface Pass<Buffers, Group> {
  bind(buffers: Buffers): Group;
  encode(pass: GPUComputePassEncoder, shared: SharedBinding, group: Group, count: number): void;
}

export class SimulationStages {
  /** The bind groups of each pass. Their key says which copies hold the state. */
  private readonly groups = new Map<object, Map<string, unknown>>();

  constructor(
    private readonly gpu: Gpu,
    private readonly passes: SimulationPasses,
    private readonly sort: CellSort,
    private readonly copies: ParticleCopies,
    private readonly ccd: Ccd | undefined,
    private readonly hasLevels: boolean,
  ) {}

  step(recording: Recording): Stage[] {
    return this.checked(() => this.substeps(recording));
  }

  pushApart(recording: Recording, rounds: number): Stage[] {
    return this.checked(() =>
      Array.from({ length: rounds }, () => [...this.sorting(recording), this.separate(recording)]).flat(),
    );
  }

  /** Sorts the particles that are marked for removal behind all others. */
  retire(recording: Recording): Stage[] {
    const { leaving, now } = this.copies;
    return this.checked(() => [
      this.stage('retire', this.passes.retire, recording, () => ({ leaving, ...now })),
      ...this.sorting(recording),
    ]);
  }

  /** Returns the stages of a sort. `counted` is true if another pass has already counted the particles of each cell. */
  sorting({ shared, count }: Recording, counted = false): Stage[] {
    const { copies, sort } = this;
    copies.beforeChange();
    const binding = this.group(sort, () => sort.bind(copies.now, copies.spare));
    copies.swap('position', 'velocity', 'id');
    return sort.stages(shared, binding, count, counted);
  }

  /** Measures the state, which must be sorted. */
  measure(recording: Recording): Stage {
    const { measure } = this.passes[recording.settings.broadPhase];
    const { position, velocity, id } = this.copies.now;
    return this.stage('measure', measure, recording, () => ({
      position,
      velocity,
      id_in: id,
      ...this.cells,
    }));
  }

  get sorted(): PairState {
    const { position, id } = this.copies.now;
    return { position_in: position, id_in: id, ...this.cells };
  }

  farthest({ shared, count }: Recording, ccd: Ccd): Stage {
    return ccd.farthest(shared, this.ccdBinding(ccd), count);
  }

  private get cells() {
    const { start, cellOfSlot, finerList, heavy } = this.sort;
    return { start, cell_of_slot: cellOfSlot, finer: finerList, crowd: heavy };
  }

  private substeps(recording: Recording): Stage[] {
    const { shared, count, settings } = recording;
    const { ccd } = this;
    const stages: Stage[] = ccd ? [ccd.begin(shared, this.ccdBinding(ccd))] : [];
    for (let substep = 0; substep < settings.substeps; substep++) {
      stages.push(this.integrate(recording));
      if (ccd) stages.push(ccd.stage(shared, this.ccdBinding(ccd), count));
      stages.push(...this.sorting(recording, !ccd && !this.hasLevels));
      if (settings.restitution > 0) stages.push(this.partner(recording));
      stages.push(this.resolve(recording));
    }
    return stages;
  }

  private integrate(recording: Recording): Stage {
    const { position, velocity, id } = this.copies.now;
    const { counts, ranks } = this.sort;
    return this.stage('integrate', this.passes.integrate, recording, () => ({
      position,
      velocity,
      counts,
      ranks,
      id_in: id,
    }));
  }

  private ccdBinding(ccd: Ccd): CcdBinding {
    const { now, spare } = this.copies;
    return this.group(ccd, () =>
      ccd.bind({
        position_in: now.position,
        velocity_in: now.velocity,
        id_in: now.id,
        // The spare copy can serve as scratch memory, because it holds no state until the sort writes it.
        struck: spare.velocity,
        start: this.sort.start,
      }),
    );
  }

  private partner(recording: Recording): Stage {
    const { now, partner } = this.copies;
    return this.stage('partner', this.passes[recording.settings.broadPhase].partner, recording, () => ({
      position_in: now.position,
      velocity_in: now.velocity,
      partner_out: partner,
      id_in: now.id,
      ...this.cells,
    }));
  }

  private resolve(recording: Recording): Stage {
    const { copies } = this;
    const { now, spare, partner } = copies;
    const stage = this.stage(
      'resolve',
      this.passes[recording.settings.broadPhase].respond,
      recording,
      () => ({
        position_in: now.position,
        velocity_in: now.velocity,
        position_out: spare.position,
        velocity_out: spare.velocity,
        partner_in: partner,
        id_in: now.id,
        ...this.cells,
      }),
    );
    copies.swap('position', 'velocity');
    return stage;
  }

  private separate(recording: Recording): Stage {
    const { copies } = this;
    const { now, spare } = copies;
    const { pushApart } = this.passes[recording.settings.broadPhase];
    const stage = this.stage('separate', pushApart, recording, () => ({
      position_in: now.position,
      position_out: spare.position,
      id_in: now.id,
      ...this.cells,
    }));
    copies.swap('position');
    return stage;
  }

  /** Throws, and undoes the swaps, if the device is known to reject a kernel. */
  private checked(makeStages: () => Stage[]): Stage[] {
    return this.copies.undoIfThrows(() => {
      const stages = makeStages();
      checkKernels(this.gpu, stages);
      return stages;
    });
  }

  private stage<Buffers, Group>(
    name: string,
    pass: Pass<Buffers, Group>,
    { shared, count }: Recording,
    buffers: () => Buffers,
  ): Stage {
    const group = this.group(pass, () => pass.bind(buffers()));
    return { name, encode: (encoder) => pass.encode(encoder, shared, group, count) };
  }

  private group<Group>(owner: object, make: () => Group): Group {
    const key = this.copies.key;
    let groups = this.groups.get(owner) as Map<string, Group> | undefined;
    if (!groups) {
      groups = new Map();
      this.groups.set(owner, groups);
    }
    let group = groups.get(key);
    if (group === undefined) {
      group = make();
      groups.set(key, group);
    }
    return group;
  }
}
