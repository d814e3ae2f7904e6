import { expect, it } from 'vitest';
import { nameFlag } from '../../../src/cli/arguments';
import { ArgumentError } from '../../../src/core/base/errors';

it('an error names a flag only if the value came from it', () => {
  const error = new ArgumentError('broadPhase', 'tree', "'grid' or 'naive'");
  const given = (name: string) => new Map([[name, 'tree']]);
  expect(nameFlag(error, given('broad-phase')).message).toBe(
    "--broad-phase is \"tree\", but it must be 'grid' or 'naive'.",
  );
  expect(nameFlag(error, given('backend'))).toBe(error);
});
