/** Steps a simulation in several threads. Guarantee: the bits are those of one thread; step-member.ts says why. */
import type { Substep } from '../../../core/contact/settings';
import { SharedMemory } from '../../shared/memory';
import { LedTeam } from '../../threads/led-team';
import { Team } from '../../threads/team';
import { LEAST_SUBSTEPS, widestOf } from '../held-pairs';
import { type StepJob, StepMember, type StepMemberOptions, type StepPhase } from './step-member';

export class StepTeam extends LedTeam<StepMember> {
  private current: 0 | 1 = 0;
  private count = 0;
  private batches = 1;
  private size = 1;
  private isHeld = false;
  private isFirst = false;
  /** Whether the lists hold all pairs of the present order. */
  private isListed = false;

  static start({ world, capacity, diameter, obstacleCapacity, threads }: StepMemberOptions): StepTeam {
    // Workers get copies of these options, so leave out other properties of the argument.
    const options = { world, capacity, diameter, obstacleCapacity, threads };
    const memory = new SharedMemory();
    const member = new StepMember(options, memory, true);
    const start = { kind: 'simulation', options, buffers: memory.buffers } as const;
    return new StepTeam(member, new Team(options.threads, start));
  }

  /**
   * Does in several threads what CpuSimulation.play does in one. `current` is the copy that holds the state now.
   * Returns the copy that holds the state at the end.
   */
  play(
    current: 0 | 1,
    count: number,
    substeps: number,
    substep: Substep,
    done: (stage: string) => void,
  ): 0 | 1 {
    const { held } = this.member.neighbours;
    const mayHold = substeps > 1 && held !== undefined;
    this.current = current;
    this.count = count;
    ({ batches: this.batches, size: this.size } = this.member.batchesFor(count));
    this.isHeld = false;
    this.isListed = false;
    this.run('integrate', substep);
    done('integrate');
    let sorted = -LEAST_SUBSTEPS;
    for (let index = 0; index < substeps; index++) {
      if (index === 0 || !this.isValid()) {
        this.isHeld = mayHold && index - sorted >= LEAST_SUBSTEPS;
        sorted = index;
        this.sort(substep);
      }
      done('sort');
      this.resolve(substep, index + 1 < substeps, done);
    }
    return this.current;
  }

  private isValid(): boolean {
    const { neighbours, ranges } = this.member;
    const { held, order } = neighbours;
    if (!this.isHeld || !this.isListed || !held) return false;
    const { dimensions } = order.lattice;
    return held.isWithinMargin(held.activeCount === 0 ? 0 : widestOf(dimensions, ranges, this.batches));
  }

  /** Sorts the particles and lists their pairs. */
  private sort(substep: Substep): void {
    const { member, isHeld, count } = this;
    const { neighbours } = member;
    const phases = member.orderPhases(isHeld);
    this.run('keys', substep);
    const parts = phases.plan(this.batches, count);
    this.run('scatter', substep);
    this.run('place', substep, parts);
    phases.complete(count);
    this.swap();
    if (isHeld) neighbours.held?.forget();
    this.run('list', substep);
    this.isFirst = true;
    this.isListed = member.hasListed(isHeld && neighbours.held ? neighbours.held.most : undefined);
    if (this.isListed) this.run('exchange', substep);
  }

  private resolve(substep: Substep, continues: boolean, done: (stage: string) => void): void {
    if (!this.isListed) {
      this.member.resolveAlone(this.jobFor('resolve', substep, continues), done);
      return;
    }
    if (substep.restitution > 0) {
      this.run('partners', substep);
      done('partner');
    }
    this.run('resolve', substep, this.batches, continues);
    this.isFirst = false;
    this.swap();
    done('resolve');
  }

  private swap(): void {
    this.current = this.current === 0 ? 1 : 0;
  }

  private jobFor(phase: StepPhase, substep: Substep, continues: boolean): StepJob {
    const { current, count, size, isHeld, isFirst } = this;
    return { phase, current, count, size, isHeld, substep, continues, isFirst };
  }

  private run(phase: StepPhase, substep: Substep, batches = this.batches, continues = false): void {
    this.member.prepare(this.jobFor(phase, substep, continues));
    this.crew.run(this.member, batches);
  }
}
