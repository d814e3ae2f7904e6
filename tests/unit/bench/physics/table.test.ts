import { expect, it } from 'vitest';
import type { Row } from '../../../../bench/physics/run';
import { describeBar, short, tableOf } from '../../../../bench/physics/table';

const ROWS: readonly Row[] = [
  {
    group: 'slope',
    dimensions: 2,
    scene: 'a hill',
    figure: 'speed',
    unit: 'units/s',
    bar: { most: 1e-4 },
    values: { cpu: 0.01014, rapier: 0 },
  },
  { group: 'slope', dimensions: 2, scene: 'a hill', figure: 'height', unit: 'units', values: { cpu: null } },
];

it('the table has a column per engine, and marks values that miss their bar', () => {
  expect(tableOf(ROWS, ['cpu', 'rapier'])).toBe(
    [
      'scene      figure  unit     bar           cpu  rapier',
      '2D a hill  speed   units/s  ≤ 0.0001  0.0101!      0',
      '           height  units                none       –',
      '',
    ].join('\n'),
  );
});

it('describeBar describes a bar, and short rounds a number to three digits', () => {
  expect([{ most: 1e-7 }, { least: 2 }, { least: 0.98, most: 1.02 }].map(describeBar)).toEqual([
    '≤ 1e-7',
    '≥ 2',
    '0.98 to 1.02',
  ]);
  expect([0, 1234.5, 0.1 + 0.2, -0.00012345, 1.5e-9, 123_456].map(short)).toEqual([
    '0',
    '1230',
    '0.3',
    '-0.000123',
    '1.5e-9',
    '1.23e5',
  ]);
});
