import { describe, expect, it } from 'vitest';
import { readChoice, writeChoice } from '../../../../src/page/explainer/choice';
import { type Choice, DEFAULT_CHOICE } from '../../../../src/page/explainer/scene';

describe('the choice in the address of the explainer', () => {
  it('is read as it was written, and leaves other parts of the query alone', () => {
    const choice: Choice = {
      method: 'hashed',
      count: 12,
      moved: new Map([
        [7, [40, 33]],
        [0, [-8, 0]],
      ]),
    };
    const query = writeChoice(choice, '?appearance=dark&particles=50');
    expect(query).toBe('?appearance=dark&particles=12&method=hashed&moved=7.40.33_0.-8.0');
    expect(readChoice(query)).toEqual(choice);
    expect(writeChoice(DEFAULT_CHOICE, query)).toBe('?appearance=dark');
    expect(writeChoice(DEFAULT_CHOICE, '')).toBe('');
  });

  it('is the default if the address has nothing that can be read', () => {
    expect(readChoice('')).toEqual(DEFAULT_CHOICE);
    expect(readChoice('?method=tree&particles=many&moved=3.x.4_5')).toEqual(DEFAULT_CHOICE);
  });

  it('has the requested number of particles, clamped to the allowed range', () => {
    for (const [asked, count] of [
      ['1', 2],
      ['-7', 2],
      ['2', 2],
      ['60', 60],
      // Only the digits before the letter count.
      ['9e9', 9],
      ['1000', 60],
    ] as const) {
      expect(readChoice(`?particles=${asked}`).count, asked).toBe(count);
    }
    expect(readChoice('?moved=60.1.1_59.2.3').moved).toEqual(new Map([[59, [2, 3]]]));
  });
});
