/** Hands out ticks to both engines, and compares their hashes. */
import { DT } from './rules';

/** A slow page runs this many ticks per frame at most; the game then takes longer. */
const MOST_PER_FRAME = 4;
/** The page hands out at most this many ticks beyond the slower engine's last picture. */
const MOST_AHEAD = 8;

/** Counts the ticks to hand out. The clock decides when they are handed out, never what happens in them. */
export class TickQueue {
  /** Ticks handed out so far. */
  given = 0;
  private readonly shown = [0, 0];
  private rest = 0;

  /** Returns how many ticks to hand out. `seconds`: the time since the last call. */
  take(seconds: number): number {
    this.rest += seconds / DT;
    const ahead = this.given - Math.min(...this.shown);
    const count = Math.max(0, Math.min(Math.floor(this.rest), MOST_PER_FRAME, MOST_AHEAD - ahead));
    // Drop the time for which no ticks were handed out, so that the game does not hurry afterwards.
    this.rest = Math.min(this.rest - count, 1);
    this.given += count;
    return count;
  }

  show(player: number, tick: number): void {
    this.shown[player] = tick;
  }

  reset(): void {
    this.given = 0;
    this.rest = 0;
    this.shown.fill(0);
  }
}

export interface Compared {
  readonly tick: number;
  readonly isEqual: boolean;
  /** Comparisons so far. */
  readonly count: number;
  /** The tick of the first hashes that differed. */
  readonly differsSince: number | undefined;
}

export class HashPairs {
  private readonly waiting: readonly Map<number, string>[] = [new Map(), new Map()];
  private count = 0;
  private differsSince: number | undefined;

  /** Takes the hash of a player. Returns a comparison if the other player's hash of this tick is there, too. */
  add(player: number, tick: number, hash: string): Compared | undefined {
    const other = this.waiting[1 - player];
    const otherHash = other?.get(tick);
    if (otherHash === undefined) {
      this.waiting[player]?.set(tick, hash);
      return undefined;
    }
    other?.delete(tick);
    this.count++;
    const isEqual = hash === otherHash;
    if (!isEqual) this.differsSince ??= tick;
    return { tick, isEqual, count: this.count, differsSince: this.differsSince };
  }

  reset(): void {
    for (const hashes of this.waiting) hashes.clear();
    this.count = 0;
    this.differsSince = undefined;
  }
}
