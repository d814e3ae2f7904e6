/**
 * The ids below a capacity that are free; hands out the lowest, one at a time.
 * One bit per id, one bit for each 32 of those, and so on up to a single word. Taking and releasing an id look at one
 * word of each layer: six for a hundred million ids, however many are taken and in whatever order.
 */

export class FreeIds {
  /** The lowest layer has a bit for each free id; each layer above a bit for each word below that is not 0. */
  private readonly layers: readonly Uint32Array[];

  constructor(readonly capacity: number) {
    const layers: Uint32Array[] = [];
    let bits = capacity;
    do {
      bits = Math.ceil(bits / 32);
      layers.push(new Uint32Array(bits));
    } while (bits > 1);
    this.layers = layers;
    this.releaseAll();
  }

  get memoryBytes(): number {
    return this.layers.reduce((sum, layer) => sum + layer.byteLength, 0);
  }

  releaseAll(): void {
    let bits = this.capacity;
    for (const layer of this.layers) {
      layer.fill(0xffff_ffff);
      const last = layer.length - 1;
      if (bits % 32 !== 0) layer[last] = 2 ** (bits % 32) - 1;
      bits = layer.length;
    }
  }

  /** Takes the lowest free id. The caller makes sure that there is one. */
  take(): number {
    let id = 0;
    for (let depth = this.layers.length - 1; depth >= 0; depth--) {
      const word = (this.layers[depth] as Uint32Array)[id] as number;
      id = 32 * id + 31 - Math.clz32(word & -word);
    }
    let entry = id;
    for (const layer of this.layers) {
      const index = Math.floor(entry / 32);
      const left = (layer[index] as number) & ~(1 << (entry & 31));
      layer[index] = left;
      if (left !== 0) break;
      entry = index;
    }
    return id;
  }

  /** Frees an id. The caller makes sure that it was taken. */
  release(id: number): void {
    let entry = id;
    for (const layer of this.layers) {
      const index = Math.floor(entry / 32);
      const before = layer[index] as number;
      layer[index] = before | (1 << (entry & 31));
      if (before !== 0) break;
      entry = index;
    }
  }
}
