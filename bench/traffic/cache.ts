/**
 * A model of a GPU's L2: lines of 128 bytes with four sectors each, 16 ways, the least recently used line leaves.
 * Loads, updates and atomics fetch missing sectors from memory. Stores do not, because memory accepts parts of sectors.
 * A sector that was written goes to memory when its line leaves.
 */

export const SECTOR_BYTES = 32;
const SECTORS_PER_LINE = 4;
export const LINE_BYTES = SECTORS_PER_LINE * SECTOR_BYTES;
export const WAYS = 16;

const ALL = (1 << SECTORS_PER_LINE) - 1;

export class Cache {
  /** Bytes from and to memory. */
  read = 0;
  written = 0;
  private readonly sets: number;
  /** The line of each way, or -1. */
  private readonly lines: Int32Array;
  /** Which sectors are present (lower bits) and which were written (upper bits). */
  private readonly states: Uint8Array;
  private readonly used: Uint32Array;
  private time = 0;

  constructor(bytes: number) {
    this.sets = Math.max(1, Math.floor(bytes / (LINE_BYTES * WAYS)));
    const ways = this.sets * WAYS;
    this.lines = new Int32Array(ways).fill(-1);
    this.states = new Uint8Array(ways);
    this.used = new Uint32Array(ways);
  }

  get bytes(): number {
    return this.lines.length * LINE_BYTES;
  }

  /** Counts an access. `sector` is an address divided by SECTOR_BYTES. */
  access(sector: number, loads: boolean, stores: boolean): void {
    const way = this.wayOf(sector >> 2);
    const bit = 1 << (sector & (SECTORS_PER_LINE - 1));
    let state = this.states[way] as number;
    if (loads && (state & bit) === 0) this.read += SECTOR_BYTES;
    state |= bit;
    if (stores) state |= bit << SECTORS_PER_LINE;
    this.states[way] = state;
  }

  /** Writes all changed sectors back and empties the cache. */
  flush(): void {
    for (let way = 0; way < this.lines.length; way++) this.evict(way);
    this.lines.fill(-1);
  }

  private wayOf(line: number): number {
    // Without the hash, addresses whose distance is a power of two would share few sets.
    const set = (Math.imul(line, 0x9e3779b1) >>> 0) % this.sets;
    const begin = set * WAYS;
    this.time++;
    let oldest = begin;
    for (let way = begin; way < begin + WAYS; way++) {
      if (this.lines[way] === line) {
        this.used[way] = this.time;
        return way;
      }
      if ((this.used[way] as number) < (this.used[oldest] as number)) oldest = way;
    }
    this.evict(oldest);
    this.lines[oldest] = line;
    this.used[oldest] = this.time;
    return oldest;
  }

  private evict(way: number): void {
    const written = ((this.states[way] as number) >> SECTORS_PER_LINE) & ALL;
    for (let bits = written; bits !== 0; bits &= bits - 1) this.written += SECTOR_BYTES;
    this.states[way] = 0;
  }
}
