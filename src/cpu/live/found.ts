/**
 * The ids that searches have found. If a visitor starts another search, the ids of that search follow those of the
 * outer search.
 */
import { allocate } from '../shared/lattice';

/** The built-in sort sorts answers with more ids than this; insertion sorts the others. */
const SHORT_ANSWER = 32;

export class Found {
  ids = new Uint32Array(64);
  end = 0;

  push(id: number): void {
    if (this.end === this.ids.length) {
      this.ids = allocate(
        () => longer(this.ids),
        () =>
          `${this.end} objects were found so far, and a list of all takes more memory than this JavaScript engine can allocate: choose a smaller radius or box`,
      );
    }
    this.ids[this.end++] = id;
  }

  sort(begin: number): number {
    const { ids, end } = this;
    if (end - begin > SHORT_ANSWER) {
      ids.subarray(begin, end).sort();
      return end;
    }
    for (let index = begin + 1; index < end; index++) {
      const moving = ids[index] as number;
      let entry = index;
      while (entry > begin && (ids[entry - 1] as number) > moving) {
        ids[entry] = ids[entry - 1] as number;
        entry--;
      }
      ids[entry] = moving;
    }
    return end;
  }
}

export function longer(words: Uint32Array): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(Math.max(64, 2 * words.length));
  copy.set(words);
  return copy;
}
