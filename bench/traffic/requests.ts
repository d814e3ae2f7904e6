/**
 * Groups the records of instrumented twins into requests, and counts the sectors that each request touches. A request
 * is an access that the threads of a subgroup execute together: its records have the same key and site.
 */
import type { Access } from './access';
import { type Cache, SECTOR_BYTES } from './cache';

/** Threads per subgroup. */
export const SUBGROUP = 32;

/** An access in the shader, with the address of its buffer. */
export interface Site extends Access {
  readonly address: number;
  /** Index of the last element: WGSL moves indices beyond it into the buffer. */
  readonly last: number;
}

export interface Traffic {
  requests: number;
  /** Sectors of all requests. */
  sectors: number;
  /** Sectors if the bytes of each request were contiguous. */
  ideal: number;
}

export const noTraffic = (): Traffic => ({ requests: 0, sectors: 0, ideal: 0 });

/** Call `add` per record of a subgroup, then `finish`. The records of a request form a linked list. */
export class RequestCounter {
  private table = new Int32Array(1 << 12);
  private keys = new Uint32Array(1 << 10);
  private sites = new Uint8Array(1 << 10);
  private heads = new Int32Array(1 << 10);
  private tails = new Int32Array(1 << 10);
  private nexts = new Int32Array(1 << 14);
  private indices = new Uint32Array(1 << 14);
  private requests = 0;
  private records = 0;
  /** Per sector, the last request that touched it. */
  private stamps = new Uint32Array(1 << 16);
  private stamp = 0;

  constructor(private readonly caches: readonly Cache[]) {}

  add(key: number, site: number, index: number): void {
    if (2 * this.requests >= this.table.length) this.growTable();
    if (this.records === this.nexts.length) {
      this.nexts = grown(this.nexts);
      this.indices = grown(this.indices);
    }
    const record = this.records++;
    this.indices[record] = index;
    this.nexts[record] = -1;
    const slot = this.slotOf(key, site);
    const known = (this.table[slot] as number) - 1;
    if (known >= 0) {
      this.nexts[this.tails[known] as number] = record;
      this.tails[known] = record;
      return;
    }
    if (this.requests === this.keys.length) {
      this.keys = grown(this.keys);
      this.sites = grown(this.sites);
      this.heads = grown(this.heads);
      this.tails = grown(this.tails);
    }
    const request = this.requests++;
    this.table[slot] = request + 1;
    this.keys[request] = key;
    this.sites[request] = site;
    this.heads[request] = record;
    this.tails[request] = record;
  }

  /** Counts the requests of the subgroup in the order of their first records, into one sum per site. */
  finish(sites: readonly Site[], sums: readonly Traffic[]): void {
    for (let request = 0; request < this.requests; request++) {
      const number = this.sites[request] as number;
      this.count(request, sites[number] as Site, sums[number] as Traffic);
    }
    this.table.fill(0);
    this.requests = 0;
    this.records = 0;
  }

  private count(request: number, site: Site, sum: Traffic): void {
    const { address, last, stride, offset, size, kind } = site;
    const loads = kind !== 'store';
    const stores = kind !== 'load';
    this.stamp++;
    let threads = 0;
    for (let record = this.heads[request] as number; record >= 0; record = this.nexts[record] as number) {
      const index = Math.min(this.indices[record] as number, last);
      const begin = address + index * stride + offset;
      const end = Math.floor((begin + size - 1) / SECTOR_BYTES);
      for (let sector = Math.floor(begin / SECTOR_BYTES); sector <= end; sector++) {
        if (sector >= this.stamps.length) this.stamps = grown(this.stamps, sector + 1);
        if (this.stamps[sector] === this.stamp) continue;
        this.stamps[sector] = this.stamp;
        sum.sectors++;
        for (const cache of this.caches) cache.access(sector, loads, stores);
      }
      threads++;
    }
    sum.requests++;
    sum.ideal += Math.ceil((threads * size) / SECTOR_BYTES);
  }

  private slotOf(key: number, site: number): number {
    const mask = this.table.length - 1;
    for (let slot = key & mask; ; slot = (slot + 1) & mask) {
      const request = (this.table[slot] as number) - 1;
      if (request < 0 || (this.keys[request] === key && this.sites[request] === site)) return slot;
    }
  }

  private growTable(): void {
    this.table = new Int32Array(2 * this.table.length);
    for (let request = 0; request < this.requests; request++) {
      this.table[this.slotOf(this.keys[request] as number, this.sites[request] as number)] = request + 1;
    }
  }
}

function grown<Words extends Int32Array | Uint32Array | Uint8Array>(words: Words, least = 0): Words {
  const larger = new (words.constructor as new (length: number) => Words)(Math.max(2 * words.length, least));
  larger.set(words);
  return larger;
}
