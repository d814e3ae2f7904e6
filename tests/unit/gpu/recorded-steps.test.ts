/** Tests calls that come while the encoder of a recorded step is not finished yet. */
import { describe, expect, it } from 'vitest';
import { CellstormError } from '../../../src/core/base/errors';
import { RecordedSteps } from '../../../src/gpu/device';

function encoder(label: string) {
  const finished: unknown[] = [];
  const made = {
    label,
    finish(descriptor?: unknown) {
      finished.push([this === made, descriptor]);
      return `commands of ${label}`;
    },
  };
  return { made: made as unknown as GPUCommandEncoder, finished };
}

describe('recorded steps', () => {
  it('refuse a call until the encoder is finished, and name the encoder', () => {
    const steps = new RecordedSteps();
    steps.check();
    const { made, finished } = encoder('frame');
    steps.note(made);
    steps.note(made);
    expect(() => steps.check()).toThrow(CellstormError);
    expect(() => steps.check()).toThrow(
      'A step was recorded into the encoder "frame", which is not finished: submit it first, or restore a checkpoint if it was dropped.',
    );
    const descriptor = { label: 'commands' };
    expect(made.finish(descriptor)).toBe('commands of frame');
    expect(finished).toEqual([[true, descriptor]]);
    steps.check();
  });

  it('refuse calls on both objects that recorded into one encoder, until it is finished', () => {
    const [one, other] = [new RecordedSteps(), new RecordedSteps()];
    const { made } = encoder('both');
    one.note(made);
    other.note(made);
    expect(() => one.check()).toThrow(/"both"/);
    expect(() => other.check()).toThrow(/"both"/);
    made.finish();
    one.check();
    other.check();
  });

  it('refuse a call until all encoders are finished', () => {
    const steps = new RecordedSteps();
    const [first, second] = [encoder('first').made, encoder('second').made];
    steps.note(first);
    steps.note(second);
    second.finish();
    steps.note(encoder('third').made);
    expect(() => steps.check()).toThrow(/"first"/);
    first.finish();
    expect(() => steps.check()).toThrow(/"third"/);
  });

  it('check only the last encoder if each one overwrites earlier results: a dropped one then blocks no calls', () => {
    const steps = new RecordedSteps('sort', 'encode again');
    steps.note(encoder('dropped').made);
    const { made } = encoder('last');
    steps.note(made);
    expect(() => steps.check()).toThrow(/"last"/);
    made.finish();
    steps.check();
  });

  it('are forgotten when the state is overwritten', () => {
    const steps = new RecordedSteps();
    steps.note(encoder('dropped').made);
    steps.forget();
    steps.check();
  });

  it('cannot watch an encoder whose properties are fixed, so they let calls pass', () => {
    const steps = new RecordedSteps();
    steps.note(Object.freeze(encoder('fixed').made));
    steps.check();
  });
});
