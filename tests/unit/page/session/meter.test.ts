import { describe, expect, it } from 'vitest';
import { Meter } from '../../../../src/page/session/meter';

describe('the frame rate', () => {
  it('is measured over the last second, or over the last two frames if they are more than a second apart', () => {
    const meter = new Meter(
      () => undefined,
      () => undefined,
    );
    expect(meter.framesPerSecond).toBe(0);
    meter.frame(0);
    meter.frame(4000);
    expect(meter.framesPerSecond).toBe(0.25);
    for (let frame = 1; frame <= 100; frame++) meter.frame(4000 + 20 * frame);
    expect(meter.framesPerSecond).toBeCloseTo(50, 6);
  });
});
