import { describe, expect, it } from 'vitest';
import { inMs, inShort } from '../../../../src/page/panel/chart';

describe('marks of an axis', () => {
  it('are short, and empty where uPlot has no room', () => {
    expect([10, null, 1e6].map(inShort)).toEqual(['10', '', '1M']);
    expect([0.5, null, 2500].map(inMs)).toEqual(['0.5 ms', '', '2.5 s']);
    expect([0, 0.001, 0.01, 0.1].map(inMs)).toEqual(['0 ms', '1 µs', '10 µs', '0.1 ms']);
  });
});
