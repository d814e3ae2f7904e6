/** Builds a grid and searches it for pairs in several threads; see grid-member.ts. */
import type { PairList } from '../../core/simulation/simulation';
import { makeRoom } from '../shared/lattice';
import { SharedMemory } from '../shared/memory';
import { LedTeam } from '../threads/led-team';
import { Team } from '../threads/team';
import { GridMember, type GridMemberOptions, type GridPhase } from './grid-member';

/** When the list of pairs grows, it gets room for at least this many pairs per particle of the capacity. */
const PAIRS_EACH = 2;

export class GridTeam extends LedTeam<GridMember> {
  static start(options: GridMemberOptions): GridTeam {
    const memory = new SharedMemory();
    const member = new GridMember(options, memory);
    return new GridTeam(
      member,
      new Team(options.threads, { kind: 'grid', options, buffers: memory.buffers }),
    );
  }

  build(positions: Float32Array, count: number): void {
    const { member } = this;
    const { phases } = member;
    const { batches, size } = member.batchesFor(count);
    const words = new Uint32Array(positions.buffer, positions.byteOffset, positions.length);
    member.inputWords.set(words.subarray(0, phases.order.lattice.dimensions * count));
    this.run('keys', batches, count, size);
    const parts = phases.plan(batches, count);
    this.run('scatter', batches, count, size);
    this.run('place', parts, count, size);
    phases.complete(count);
  }

  countPairs(): number {
    return this.search('count').words / 2;
  }

  collectPairs(): PairList {
    const { member } = this;
    let { batches, words } = this.search('collect');
    if (words > member.found.length) {
      this.makeRoom(words);
      ({ batches, words } = this.search('collect'));
    }
    this.run('copy', batches, 0, 0);
    return { count: words / 2, pairs: member.found };
  }

  private search(phase: 'count' | 'collect'): { readonly batches: number; readonly words: number } {
    const { member } = this;
    const { activeCount } = member.order;
    const { batches, size } = member.batchesFor(activeCount);
    this.run(phase, batches, activeCount, size);
    return { batches, words: member.arrange(batches) };
  }

  private makeRoom(words: number): void {
    const { capacity } = this.member.options;
    const room = Math.max(Math.ceil(1.25 * words), 2 * PAIRS_EACH * capacity);
    const mail = makeRoom(
      () => [new SharedArrayBuffer(4 * room), new SharedArrayBuffer(4 * room)],
      () => words / 2,
    );
    this.member.receive(mail);
    this.crew.send(mail);
  }

  private run(phase: GridPhase, batches: number, count: number, size: number): void {
    this.member.prepare(phase, count, size);
    this.crew.run(this.member, batches);
  }
}
