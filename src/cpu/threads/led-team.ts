/** The common part of the teams of a simulation and of a grid. */
import type { Member } from './control';
import { LEAST_PARTICLES } from './jobs';
import type { Crew } from './team';

export class LedTeam<Own extends Member> {
  constructor(
    readonly member: Own,
    protected readonly crew: Crew,
  ) {}

  get threads(): number {
    return this.crew.threads;
  }

  get warnings(): readonly string[] {
    return this.crew.warnings;
  }

  check(): void {
    this.crew.check();
  }

  isWorth(count: number): boolean {
    this.crew.check();
    return count >= LEAST_PARTICLES && this.crew.threads > 1;
  }

  end(): void {
    this.crew.end();
  }
}
