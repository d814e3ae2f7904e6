/**
 * Makes the stages of a simulation's changes and queries. Creating a stage already swaps the copies that the stage will
 * write, so record stages in the order of their creation.
 * Integrate counts the particles per cell, unless the sort must: with variable radii it also counts finer entries, and
 * with `continuous` ccd changes positions after the integration.
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
    private readonly ccd: Ccd | undefined,
    private readonly hasLevels: boolean,
  ) {}

  step(recording: Recording): Stage[] {
    return this.checked(() => this.substeps(recording));
  }

  pushApart(recording: Recording, rounds: number): Stage[] {
    return this.checked(() =>
      Array.from({ length: rounds }, () => [...this.sorting(recording), this.pushing(recording)]).flat(),
    );
  }

  /** Sorts the particles that are marked for removal behind all others. */
  retire(recording: Recording): Stage[] {
    const { copies } = this;
    const { retire } = this.passes;
    const { shared, count } = recording;
    const group = this.group(`retire ${copies.keyOf('position', 'id')}`, () =>
      retire.bind({ leaving: copies.leaving, ...copies.now }),
    );
    return this.checked(() => [
      { name: 'retire', encode: (pass) => retire.encode(pass, shared, group, count) },
      ...this.sorting(recording),
    ]);
  }

  /** `counted`: another pass has already counted the particles. */
  sorting({ shared, count }: Recording, counted = false): Stage[] {
    const { copies } = this;
    copies.beforeChange();
    const binding = this.group(`sort ${copies.keyOf('position', 'velocity', 'id')}`, () =>
      this.sort.bind(copies.now, copies.spare),
    );
    copies.swap('position', 'velocity', 'id');
    return this.sort.stages(shared, binding, count, counted);
  }

  /** The state must be sorted. */
  measure({ shared, count, settings }: Recording): Stage {
    const { copies } = this;
    const { measure } = this.passes[settings.broadPhase];
    const { position, velocity, id } = copies.now;
    const key = `measure ${settings.broadPhase} ${copies.keyOf('position', 'velocity', 'id')}`;
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

  /** Valid after a sort. */
  get sorted(): PairState {
    const { position, id } = this.copies.now;
    return { position_in: position, id_in: id, ...this.cells };
  }

  /** Measures the greatest distance that a particle may move, in its own diameters. */
  farthest({ shared, count }: Recording, ccd: Ccd): Stage {
    return ccd.farthest(shared, this.ccdBinding(ccd), count);
  }

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
      const group = this.group(`integrate ${copies.keyOf('position', 'velocity', 'id')}`, () =>
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
    return this.group(`ccd ${copies.keyOf('position', 'velocity', 'id')}`, () =>
      ccd.bind({
        position_in: position,
        velocity_in: velocity,
        id_in: id,
        // The spare copy holds no state until the sort writes it.
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
    const key = `${broadPhase} ${copies.keyOf('position', 'velocity')}`;
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

  private pushing({ shared, count, settings }: Recording): Stage {
    const { copies } = this;
    const { pushApart } = this.passes[settings.broadPhase];
    const group = this.group(`pushApart ${settings.broadPhase} ${copies.keyOf('position')}`, () =>
      pushApart.bind({
        position_in: copies.now.position,
        position_out: copies.spare.position,
        ...this.cells,
      }),
    );
    copies.swap('position');
    return { name: 'separate', encode: (pass) => pushApart.encode(pass, shared, group, count) };
  }

  /** Throws, and undoes the swaps, if the device is known to reject a kernel. */
  private checked(makeStages: () => Stage[]): Stage[] {
    return this.copies.undoIfThrows(() => {
      const stages = makeStages();
      checkKernels(this.gpu, stages);
      return stages;
    });
  }

  private group<Group>(key: string, make: () => Group): Group {
    let group = this.groups.get(key) as Group | undefined;
    if (group === undefined) {
      group = make();
      this.groups.set(key, group);
    }
    return group;
  }
}
