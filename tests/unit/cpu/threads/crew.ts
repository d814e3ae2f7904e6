/** Stand-ins for threads: members that share memory like workers, but take turns in one thread. */
import { createGrid, type GridOptions } from '../../../../src/cpu/grid/grid';
import { GridMember } from '../../../../src/cpu/grid/grid-member';
import { GridTeam } from '../../../../src/cpu/grid/grid-team';
import { GivenMemory, SharedMemory } from '../../../../src/cpu/shared/memory';
import { createSimulation } from '../../../../src/cpu/solver/simulation';
import { StepMember } from '../../../../src/cpu/solver/team/step-member';
import { StepTeam } from '../../../../src/cpu/solver/team/step-team';
import type { CpuSimulationOptions } from '../../../../src/cpu/threaded';
import type { Member } from '../../../../src/cpu/threads/control';
import type { Crew, Mail } from '../../../../src/cpu/threads/team';

interface Receiver extends Member {
  receive?(mail: Mail): void;
}

export class TurnCrew implements Crew {
  readonly warnings = [];
  jobs = 0;

  constructor(private readonly others: readonly Receiver[]) {}

  get threads(): number {
    return 1 + this.others.length;
  }

  run(member: Member, batches: number): void {
    this.jobs++;
    const members = [member, ...this.others];
    for (const each of members) each.begin();
    // The last batch comes first, because threads may perform batches in any order.
    for (let batch = batches - 1; batch >= 0; batch--) {
      members[(this.jobs + 5 * batch) % members.length]?.perform(batch);
    }
  }

  send(mail: Mail): void {
    for (const other of this.others) other.receive?.(mail);
  }

  check(): void {}

  end(): void {}
}

export function createTurnSimulation(options: CpuSimulationOptions, threads: number) {
  let crew = new TurnCrew([]);
  const simulation = createSimulation(options, ({ world, capacity, diameter, obstacleCapacity }) => {
    const of = { world, capacity, diameter, obstacleCapacity, threads };
    const memory = new SharedMemory();
    const owner = new StepMember(of, memory, true);
    const others = Array.from(
      { length: threads - 1 },
      () => new StepMember(of, new GivenMemory(memory.buffers)),
    );
    crew = new TurnCrew(others);
    return { team: new StepTeam(owner, crew) };
  });
  return { simulation, crew };
}

export function createTurnGrid(options: GridOptions, threads: number) {
  let crew = new TurnCrew([]);
  const grid = createGrid(options, (plan) => {
    const of = { ...plan, threads };
    const memory = new SharedMemory();
    const owner = new GridMember(of, memory);
    const others = Array.from(
      { length: threads - 1 },
      () => new GridMember(of, new GivenMemory(memory.buffers)),
    );
    crew = new TurnCrew(others);
    return { team: new GridTeam(owner, crew) };
  });
  return { grid, crew };
}
