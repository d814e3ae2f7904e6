import { describe, expect } from 'vitest';
import { Kernel } from '../../../src/gpu/kernel';
import { EXACT_MODULES } from '../../../src/passes/solve/exact';
import { gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, runPass } from '../../helpers/passes';

const LIMIT = 2 ** 30;

/** Adds the first number of a case once, and the second as often as the third says. Writes the sum within ±LIMIT. */
const TEXT = `
@compute @workgroup_size(1)
fn add_up(@builtin(workgroup_id) workgroup: vec3u) {
  let given = cases[workgroup.x];
  var sum = added(WideSum(), Lattice(given.x));
  for (var round = 0i; round < given.z; round++) {
    sum = added(sum, Lattice(given.y));
  }
  totals[workgroup.x] = totals_of(sum, ${LIMIT}i)[DIMENSIONS - 1u];
}
`;

/** A first number, a second one, and how often the second is added. */
const CASES: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [5, -3, 4],
  [LIMIT - 1, 1, 1],
  [LIMIT, 1, 1],
  [-LIMIT, -1, 1],
  [-5, 3, 100],
  // Even if the upper and lower 16 bits were added separately, 70,000 rounds would exceed a word.
  [2 ** 30, -1, 70_000],
  [-(2 ** 30), 65_535, 70_000],
  [2 ** 31 - 1, 2 ** 31 - 1, 70_000],
  [-(2 ** 31), -(2 ** 31), 70_000],
];

describe.each(DIMENSIONS)('sums of contacts in exact simulations, %dD', (dimensions) => {
  gpuTest(
    'hold any number of contacts',
    async (_, tools) => {
      const gpu = tools.wrap();
      const integers = EXACT_MODULES.integrate[0];
      if (!integers) throw new Error('There is no module of integers.');
      const kernel = await Kernel.compile(gpu, {
        label: 'test.exact-sums',
        dimensions,
        sources: [integers, { name: 'test.wgsl', text: TEXT }],
        entryPoint: 'add_up',
        bindings: { cases: 'read array<vec4i>', totals: 'write array<i32>' },
        standalone: true,
      });
      const cases = tools.upload('cases', Int32Array.from(CASES.flatMap((given) => [...given, 0])));
      const totals = tools.allocate('totals', 4 * CASES.length);
      const group = kernel.bind({ cases, totals });
      runPass(gpu, (pass) => kernel.encode(pass, undefined, group, CASES.length));
      const found = new Int32Array(await tools.read(totals, 0, 4 * CASES.length));
      const expected = CASES.map(([first, more, rounds]) =>
        Math.min(LIMIT, Math.max(-LIMIT, first + more * rounds)),
      );
      expect([...found]).toEqual(expected);
    },
    SHARED,
  );
});
