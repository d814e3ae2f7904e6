import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildDriver } from '../../../../bench/isa/driver';
import { FAMILY_NAMES } from '../../../../bench/isa/families';
import { isHot, isPlain } from '../../../../bench/isa/kernels';
import { DRIVER_MARK, EQUAL_MARK, KERNEL_MARK } from '../../../../bench/isa/marks';
import { FIGURE_NAMES, type Figures, type Isa, parseOutput } from '../../../../bench/isa/measure';
import {
  compareRecords,
  formatRecord,
  type IsaRecord,
  parseRecord,
  recordOf,
} from '../../../../bench/isa/record';
import { formatChanges, formatKernels, formatSpills } from '../../../../bench/isa/table';
import { describeKernels } from '../../../../src/passes';

const RECORD = new URL('../../../../bench/results/epyc-2-cores-swiftshader/isa.json', import.meta.url);

const RESOLVE = 'solve.resolve.grid.respond 2D';
const NEAR = 'measure.near.tally 2D';

const printed = (registers: number, spilled = 0) => `
Compute Shader:
*** SHADER STATS ***
Driver pipeline hash: 5953733213386117157
SGPRs: 128
VGPRs: ${registers}
Spilled SGPRs: ${spilled}
Spilled VGPRs: 0
Code size: 68
LDS size: 256
Scratch size: 0
Subgroups per SIMD: 32
Instructions: 12
Latency: 683
Inverse Throughput: 43
********************
`;

function recordWith(kernels: Readonly<Record<string, number>>, spilled = 0): IsaRecord {
  const output = Object.entries(kernels).map(
    ([name, registers]) => `${KERNEL_MARK}${name}\n${printed(registers, spilled)}`,
  );
  const { driver, kernels: parsed } = parseOutput(
    `a warning\n${DRIVER_MARK}radv: Mesa 1\n${output.join('')}`,
  );
  const families = Object.fromEntries(FAMILY_NAMES.map((family) => [family, parsed])) as Isa['families'];
  return recordOf({ driver, families }, { commit: 'abc', webgpu: '1' });
}

describe('what RADV prints', () => {
  test('becomes the figures of each kernel', () => {
    const { driver, kernels } = parseOutput(
      `${DRIVER_MARK}radv: Mesa 1\n${KERNEL_MARK}${RESOLVE}\n${printed(36, 3)}`,
    );
    expect(driver).toBe('radv: Mesa 1');
    expect([...kernels]).toEqual([
      [
        RESOLVE,
        {
          registers: 36,
          spills: 0,
          scalarSpills: 3,
          scratch: 0,
          shared: 256,
          waves: 32,
          instructions: 12,
          latency: 683,
          cycles: 43,
        } satisfies Figures,
      ],
    ]);
  });

  test('gives a kernel the figures of the earlier one that it equals', () => {
    const equal = `${KERNEL_MARK}${NEAR}\n${EQUAL_MARK}: ${RESOLVE}\n`;
    const { kernels } = parseOutput(`${KERNEL_MARK}${RESOLVE}\n${printed(36)}${equal}`);
    expect([...kernels.keys()]).toEqual([RESOLVE, NEAR]);
    expect(kernels.get(NEAR)).toEqual(kernels.get(RESOLVE));
  });

  test('is rejected if a kernel has no figures', () => {
    const output = `${DRIVER_MARK}radv: Mesa 1\n${KERNEL_MARK}${RESOLVE}\n${KERNEL_MARK}${NEAR}\n${printed(8)}`;
    expect(() => parseOutput(output)).toThrow(
      `The driver radv: Mesa 1 gives no "VGPRs" of the kernel ${RESOLVE}.`,
    );
  });
});

describe('a record', () => {
  test('is read back as it was written, with a line per kernel', () => {
    const record = recordWith({ [RESOLVE]: 36, [NEAR]: 24 });
    const text = formatRecord(record);
    expect(parseRecord('a.json', text)).toEqual(record);
    expect(text.split('\n').filter((line) => line.includes('2D'))).toHaveLength(2);
  });

  test('of another kind is rejected', () => {
    expect(() => parseRecord('a.json', '{')).toThrow(
      /^a\.json is not JSON, but it must be a record of "npm run bench:isa"/,
    );
    expect(() => parseRecord('a.json', '{"figures":["registers"],"kernels":{}}')).toThrow(
      /^a\.json is a record with other figures, /,
    );
  });

  test('in the repository has all kernels of the passes', () => {
    const { kernels } = parseRecord('isa.json', readFileSync(RECORD, 'utf8'));
    const listed = ([2, 3] as const).flatMap((dimensions) =>
      describeKernels(dimensions).map(({ label }) => `${label} ${dimensions}D`),
    );
    expect(Object.keys(kernels)).toEqual(expect.arrayContaining(listed));
    for (const of of Object.values(kernels)) {
      expect(Object.keys(of)).toEqual(FAMILY_NAMES);
      for (const numbers of Object.values(of)) expect(numbers).toHaveLength(FIGURE_NAMES.length);
    }
  });

  test('is compared with an earlier one', () => {
    const before = recordWith({ [RESOLVE]: 36, [NEAR]: 24, 'grid.count 2D': 8 });
    const after = recordWith({ [RESOLVE]: 32, [NEAR]: 20, 'grid.scan.apply 2D': 8 });
    const changes = compareRecords(before, after);
    expect(changes.added).toEqual(['grid.scan.apply 2D']);
    expect(changes.gone).toEqual(['grid.count 2D']);
    expect(changes.changed.map(({ kernel, family }) => [kernel, family])).toEqual(
      [RESOLVE, NEAR].flatMap((kernel) => FAMILY_NAMES.map((family) => [kernel, family])),
    );
    const text = formatChanges(changes, false);
    expect(text).toMatch(/^Added: grid\.scan\.apply 2D\nGone: grid\.count 2D\n/);
    expect(text).toMatch(/solve\.resolve\.grid\.respond 2D +RDNA 3 +36 → 32/);
    expect(text).toMatch(/3 changes of other kernels; --all shows them\.$/);
    expect(formatChanges(changes, true)).toMatch(/measure\.near\.tally 2D +Vega +24 → 20/);
    expect(formatChanges(compareRecords(after, after), false)).toBe('Nothing changed.');
  });
});

describe('the table', () => {
  const record = recordWith({ [RESOLVE]: 36, [NEAR]: 24 }, 2);

  test('has only the hot kernels, or every kernel with --all', () => {
    expect(formatKernels(record, false)).toMatch(/solve\.resolve\.grid\.respond 2D +36 +32 +12 +43 +36 /);
    expect(formatKernels(record, false)).not.toContain(NEAR);
    expect(formatKernels(record, true)).toContain(NEAR);
  });

  test('is followed by the kernels that spill', () => {
    expect(formatSpills(record)).toContain(`  ${NEAR}, Vega: scalarSpills 2`);
    expect(formatSpills(recordWith({ [NEAR]: 24 }))).toBe('No kernel spills registers.');
  });
});

test('the kernels of a sort, a step, pairs and the fluid are hot; those without options are plain', () => {
  const names = ['grid.scan.apply 3D', `${RESOLVE}`, 'fluid.particles 2D', 'measure.pairs.naive.fill 2D'];
  expect(names.map(isHot)).toEqual([true, true, true, true]);
  expect(names.map(isPlain)).toEqual([true, true, true, false]);
  const others = ['grid.crowd.tiles 2D', 'measure.pair-events.keep 2D', 'grid.kernel.boids 2D'];
  expect(others.map(isHot)).toEqual([false, false, false]);
});

test('a machine without RADV gets advice', () => {
  const machine = {
    platform: 'linux',
    environment: {},
    home: '/home/a',
    isFile: () => false,
    list: (folder: string) => (folder === '/usr/share/vulkan/icd.d' ? ['lvp_icd.x86_64.json'] : []),
    resolve: (path: string) => path,
    readScript: () => '',
  };
  expect(() => buildDriver(machine)).toThrow(
    /^RADV, Mesa's driver for AMD GPUs, was not found: install it as root .*apt-get install mesa-vulkan-drivers/,
  );
});
