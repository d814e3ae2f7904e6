import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import { checksOf } from '../../../../src/page/model/checks';
import { defaultChoices, simulationOptions } from '../../../../src/page/model/choices';

describe('the distance tests of a step', () => {
  const simulation = createCpuSimulation(simulationOptions({ ...defaultChoices(), substeps: 3 }, 500));
  const measures = simulation.measure();

  it('are one for each candidate pair in each pass on the CPU engine', () => {
    const { count, explanation } = checksOf(measures, simulation);
    expect(measures.candidates).toBeGreaterThan(100);
    expect(count).toBe(3 * measures.candidates);
    expect(explanation).toMatch(/once each.* 3 substeps of one pass each\./);
  });

  it('are done from both sides on the GPU, also between each particle and itself: n² per pass for naive', () => {
    const settings = { ...simulation.settings, broadPhase: 'naive' as const };
    const naive = { count: 500, nonFinite: 0, candidates: (500 * 499) / 2 };
    const gpu = { backend: 'gpu' as const, radiusRange: undefined, settings };
    expect(checksOf(naive, gpu).count).toBe(3 * 500 ** 2);
    expect(checksOf(naive, gpu).explanation).toMatch(/from both sides/);
  });

  it('are twice as many if bounces look for partners, and on the GPU only an upper bound if sizes differ', () => {
    const settings = { ...simulation.settings, restitution: 0.5 };
    const radiusRange = { smallest: 0.5, largest: 1 };
    expect(
      checksOf(measures, { ...simulation, backend: 'cpu', radiusRange: undefined, settings }).count,
    ).toBe(6 * measures.candidates);
    expect(checksOf(measures, { backend: 'gpu', radiusRange, settings }).explanation).toMatch(
      /at most.*of two passes each/,
    );
  });

  it('come with a note about levels only on the CPU engine, and only if sizes differ', () => {
    const explained = (backend: 'cpu' | 'gpu', radiusRange?: { smallest: number; largest: number }) =>
      checksOf(measures, { backend, radiusRange, settings: simulation.settings }).explanation;
    const sizes = { smallest: 0.5, largest: 1 };
    expect(explained('cpu', sizes)).toMatch(
      /candidates and fullest cell differ, because this engine uses only the levels that save time/,
    );
    for (const explanation of [explained('cpu'), explained('gpu', sizes)]) {
      expect(explanation).not.toMatch(/levels/);
    }
  });
});
