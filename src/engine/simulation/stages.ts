/**
 * Makes stages from passes, bound to the copies that hold the state, for a simulation's changes and queries.
 *
 * One substep: integrate + count, scan, scatter, gather, then for each iteration: partner (only with restitution),
 * resolve. The count is a pass of its own with variable radii, because it also counts the finer entries of cells, and
 * with `continuous`, because paths are followed before it.
 * Outputs: stages, to record or to time. Creating a stage swaps the copies as the stage will leave them, so record
 * stages in the order in which they were created. Bind groups are created once.
 */
import type { Settings } from '../../core/contact/settings';
import type { Gpu } from '../../gpu/device';
import { checkKernels } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import type { Stage } from '../../gpu/stage';
import type { CcdBinding } from '../../passes/solve/ccd';
import type { CellSort } from '../grid/cell-sort';
import type { PairState } from '../queries/pair-query';
import type { Ccd } from './ccd';
import type { ParticleCopies } from './particle-copies';
import type { SimulationPasses } from './passes';

/** The input of stages: parameters, number of particles, and settings. */
export interface Recording {
  readonly shared: SharedBinding;
  readonly count: number;
  readonly settings: Settings;
}

export class SimulationStages {
  private readonly groups = new Map<string, unknown>();

  constructor(
    private readonly gpu: Gpu,
    private readonly passes: SimulationPasses,
    private readonly sort: CellSort,
    private readonly copies: ParticleCopies,
    /** Undefined without `continuous`. */
    private readonly ccd: Ccd | undefined,
    /** With levels the sort counts by itself, because it also counts finer entries. */
    private readonly hasLevels: boolean,
  ) {}

  step(recording: Recording): Stage[] {
    return this.orAsBefore(() => this.substeps(recording));
  }

  separate(recording: Recording, rounds: number): Stage[] {
    return this.orAsBefore(() =>
      Array.from({ length: rounds }, () => [...this.sorting(recording), this.separateOnce(recording)]).flat(),
    );
  }

  /** Sorts the particles that are marked as leaving behind all others. */
  retire(recording: Recording): Stage[] {
    const { copies } = this;
    const { retire } = this.passes;
    const { shared, count } = recording;
    const group = this.group(`retire ${copies.nameOf('position', 'id')}`, () =>
      retire.bind({ leaving: copies.leaving, ...copies.now }),
    );
    return this.orAsBefore(() => [
      { name: 'retire', encode: (pass) => retire.encode(pass, shared, group, count) },
      ...this.sorting(recording),
    ]);
  }

  /** Sorts the state into the other copies. `counted`: another pass has done the count. */
  sorting({ shared, count }: Recording, counted = false): Stage[] {
    const { copies } = this;
    copies.beforeChange();
    const binding = this.group(`sort ${copies.nameOf('position', 'velocity', 'id')}`, () =>
      this.sort.bind(copies.now, copies.spare),
    );
    copies.swap('position', 'velocity', 'id');
    return this.sort.stages(shared, binding, count, counted);
  }

  /** Needs a sorted state. */
  measure({ shared, count, settings }: Recording): Stage {
    const { copies } = this;
    const { measure } = this.passes[settings.broadPhase];
    const { position, velocity, id } = copies.now;
    const key = `measure ${settings.broadPhase} ${copies.nameOf('position', 'velocity', 'id')}`;
    const group = this.group(key, () =>
      measure.bind({
        position,
        velocity,
        id_in: id,
        ...this.cells,
      }),
    );
    return { name: 'measure', encode: (pass) => measure.encode(pass, shared, group, count) };
  }

  /** The buffers that a search for pairs reads, after a sort. */
  get sorted(): PairState {
    const { position, id } = this.copies.now;
    return { position_in: position, id_in: id, ...this.cells };
  }

  /** Measures how far the fastest particle would move in the time step of the parameters. Changes nothing. */
  farthest({ shared, count }: Recording, ccd: Ccd): Stage {
    return ccd.farthest(shared, this.ccdBinding(ccd), count);
  }

  /** The buffers that the sort wrote besides the state. */
  private get cells() {
    const { start, cellOfSlot, finerList, heavy } = this.sort;
    return { start, cell_of_slot: cellOfSlot, finer: finerList, crowd: heavy };
  }

  private substeps(recording: Recording): Stage[] {
    const { shared, count, settings } = recording;
    const { copies, ccd } = this;
    const { integrate } = this.passes;
    const stages: Stage[] = ccd ? [ccd.begin(shared, this.ccdBinding(ccd))] : [];
    for (let substep = 0; substep < settings.substeps; substep++) {
      const { position, velocity, id } = copies.now;
      const group = this.group(`integrate ${copies.nameOf('position', 'velocity', 'id')}`, () =>
        integrate.bind({
          position,
          velocity,
          counts: this.sort.counts,
          ranks: this.sort.ranks,
          id_in: id,
        }),
      );
      stages.push({ name: 'integrate', encode: (pass) => integrate.encode(pass, shared, group, count) });
      if (ccd) stages.push(ccd.stage(shared, this.ccdBinding(ccd), count));
      stages.push(...this.sorting(recording, !ccd && !this.hasLevels));
      stages.push(...this.respond(recording));
    }
    return stages;
  }

  private ccdBinding(ccd: Ccd): CcdBinding {
    const { copies, sort } = this;
    const { position, velocity, id } = copies.now;
    return this.group(`ccd ${copies.nameOf('position', 'velocity', 'id')}`, () =>
      ccd.bind({
        position_in: position,
        velocity_in: velocity,
        id_in: id,
        // Free as scratch, because it is not written before the sort.
        struck: copies.spare.velocity,
        start: sort.start,
      }),
    );
  }

  /** One pass of the contact law over the sorted state. */
  private respond({ shared, count, settings }: Recording): Stage[] {
    const { copies } = this;
    const { broadPhase, restitution } = settings;
    const { partner, respond } = this.passes[broadPhase];
    const key = `${broadPhase} ${copies.nameOf('position', 'velocity')}`;
    const { now, spare } = copies;
    const state = { position_in: now.position, velocity_in: now.velocity, ...this.cells };
    const stages: Stage[] = [];
    if (restitution > 0) {
      const group = this.group(`partner ${key}`, () =>
        partner.bind({ ...state, partner_out: copies.partner }),
      );
      stages.push({ name: 'partner', encode: (pass) => partner.encode(pass, shared, group, count) });
    }
    const group = this.group(`respond ${key}`, () =>
      respond.bind({
        ...state,
        position_out: spare.position,
        velocity_out: spare.velocity,
        partner_in: copies.partner,
      }),
    );
    stages.push({ name: 'resolve', encode: (pass) => respond.encode(pass, shared, group, count) });
    copies.swap('position', 'velocity');
    return stages;
  }

  private separateOnce({ shared, count, settings }: Recording): Stage {
    const { copies } = this;
    const { separate } = this.passes[settings.broadPhase];
    const group = this.group(`separate ${settings.broadPhase} ${copies.nameOf('position')}`, () =>
      separate.bind({
        position_in: copies.now.position,
        position_out: copies.spare.position,
        ...this.cells,
      }),
    );
    copies.swap('position');
    return { name: 'separate', encode: (pass) => separate.encode(pass, shared, group, count) };
  }

  /**
   * Returns the stages of a change. If the device is known to reject a kernel, throws and leaves the copies as before.
   */
  private orAsBefore(makeStages: () => Stage[]): Stage[] {
    return this.copies.orAsBefore(() => {
      const stages = makeStages();
      checkKernels(this.gpu, stages);
      return stages;
    });
  }

  /** Returns the bind groups of a name. They are made once per combination of copies. */
  private group<Group>(name: string, make: () => Group): Group {
    let group = this.groups.get(name) as Group | undefined;
    if (group === undefined) {
      group = make();
      this.groups.set(name, group);
    }
    return group;
  }
}
