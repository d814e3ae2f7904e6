import { describe, expect, it } from 'vitest';
import { LevelChoice } from '../../../../src/cpu/levels/cells';

describe('the choice of levels', () => {
  /** Samples some particles per level; two of them share a cell. Returns the levels in use and the assigned levels. */
  function choose(populations: number[], samples: number[], room = 1e6, buckets = populations.map(() => 10)) {
    const choice = new LevelChoice(1000, room);
    choice.populations.set(populations);
    choice.buckets.set(buckets);
    populations.forEach((_, level) => {
      choice.beginLevel();
      const sampled = samples[level] as number;
      for (let index = 0; index < sampled; index++) choice.addCell(index === 1 ? 0 : index);
      choice.endLevel(level);
    });
    choice.decide(2, populations.length);
    return {
      used: [...choice.used.subarray(0, choice.usedLevels)],
      assigned: [...choice.assignedLevels.subarray(0, populations.length)],
    };
  }

  it('assigns all particles to the highest level if few are near each other', () => {
    expect(choose([1000, 0, 1000], [200, 200, 200])).toEqual({ used: [2], assigned: [2, 2, 2] });
  });

  it('assigns small particles to their own level if a cell of a large particle would hold many of them', () => {
    expect(choose([1e5, 0, 0, 1], [300, 200, 20, 2])).toEqual({
      used: [0, 3],
      assigned: [0, 3, 3, 3],
    });
  });

  it('chooses a level without particles of its size if smaller cells would be too numerous', () => {
    const { used } = choose([1e5, 0, 0, 1], [300, 200, 20, 2], 1000, [5000, 500, 50, 5]);
    expect(used).toEqual([1, 3]);
  });

  it('chooses no level if there are no particles', () => {
    expect(choose([0, 0], [1, 1]).used).toEqual([]);
  });
});
