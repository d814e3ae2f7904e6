import { describe, expect, it } from 'vitest';
import { automaticEngine, explainAutomatic } from '../../../../src/page/model/automatic';
import { chooseScene, defaultChoices } from '../../../../src/page/model/choices';

const CHOICES = defaultChoices();

describe('the automatic engine', () => {
  it('is the GPU, or the CPU engine if the processor emulates the GPU', () => {
    expect(CHOICES.engine).toBe('auto');
    expect(automaticEngine(CHOICES, 'hardware')).toBe('gpu');
    expect(automaticEngine(CHOICES, 'software')).toBe('cpu');
    // The attempt to open a GPU then says why there is none.
    expect(automaticEngine(CHOICES, 'none')).toBe('gpu');
  });

  it('is the emulated GPU if the CPU engine cannot hold the chosen number of particles', () => {
    expect(automaticEngine({ ...CHOICES, count: 50_000 }, 'software')).toBe('cpu');
    expect(automaticEngine({ ...CHOICES, count: 50_001 }, 'software')).toBe('gpu');
    const dam = chooseScene(CHOICES, 'dam-break');
    expect(automaticEngine({ ...dam, count: 20_000 }, 'software')).toBe('cpu');
    expect(automaticEngine({ ...dam, count: 20_001 }, 'software')).toBe('gpu');
  });

  it('is explained for each kind of GPU', () => {
    const said = (['hardware', 'software', 'none'] as const).map((gpu) => [
      explainAutomatic('cpu', gpu),
      explainAutomatic('gpu', gpu),
    ]);
    for (const [cpu, gpu] of said) {
      expect(cpu).toMatch(/^Automatic chose the CPU engine: .*\.$/);
      expect(gpu).toMatch(/^Automatic chose the (emulated )?GPU.*\.$/);
    }
    expect(new Set(said.map(([cpu]) => cpu)).size).toBe(2);
  });
});
