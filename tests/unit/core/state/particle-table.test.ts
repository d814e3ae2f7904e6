import { describe, expect, it } from 'vitest';
import { CellstormError } from '../../../../src/core/base/errors';
import { planSimulation } from '../../../../src/core/simulation/plan';
import type { ParticleArrays } from '../../../../src/core/simulation/simulation';
import {
  decodeTable,
  encodeTable,
  formatFloat,
  type TableRules,
} from '../../../../src/core/state/particle-table';
import { drain } from '../../../helpers/inputs/drain';
import { fc, runs } from '../../../helpers/properties';

const BOX = { min: [0, 0], max: [10, 10] };
const PLANE: TableRules = { ...planSimulation({ dimensions: 2, radius: 0.5, ...BOX }), most: 5 };
const MIXED: TableRules = {
  ...planSimulation({ dimensions: 2, radiusRange: { smallest: 0.25, largest: 1 }, boxes: true, ...BOX }),
  most: 5,
};
const SPACE: TableRules = {
  ...planSimulation({ dimensions: 3, radius: 0.5, min: [-1, -1, -1], max: [9, 9, 9] }),
  most: 5,
};

function read(text: string, rules = PLANE): ParticleArrays {
  return drain(decodeTable(new TextEncoder().encode(text), rules, 'some.csv'));
}

function write(particles: ParticleArrays, dimensions: 2 | 3): string {
  return [...encodeTable(particles, dimensions).parts].join('');
}

function arraysOf(particles: ParticleArrays) {
  return Object.fromEntries(
    Object.entries(particles).map(([name, values]) => [name, Array.from(values as Float32Array)]),
  );
}

describe('numbers in a table', () => {
  it('restore every 32-bit float', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Math.fround(Number(formatFloat(value)))).toBe(value);
      }),
      runs(5000),
    );
    for (const value of [0, -0, 2 ** -149, 2 ** -126, (2 - 2 ** -23) * 2 ** 127, 16777217]) {
      expect(Math.fround(Number(formatFloat(Math.fround(value))))).toBe(Math.fround(value));
    }
  });

  it('are short if possible', () => {
    expect([0.1, 0.5, 3, 1 / 3].map((value) => formatFloat(Math.fround(value)))).toEqual([
      '0.1',
      '0.5',
      '3',
      '0.33333334',
    ]);
  });
});

describe('a table', () => {
  it('restores all written values, with all kinds of columns', () => {
    const plane = {
      ids: Uint32Array.of(0, 3),
      positions: Float32Array.of(0.1, 2, 1 / 3, 9.75),
      velocities: Float32Array.of(-1e-7, 0, 12345.678, -2),
    };
    expect(write(plane, 2).split('\n')[0]).toBe('id,x,y,vx,vy');
    expect(arraysOf(read(write(plane, 2)))).toEqual(arraysOf(plane));
    const mixed = {
      ...plane,
      radii: Float32Array.of(0.5, 0),
      halfExtents: Float32Array.of(0, 0, 0.3, 0.4),
    };
    expect(write(mixed, 2).split('\n')[0]).toBe('id,x,y,vx,vy,radius,half_x,half_y');
    expect(arraysOf(read(write(mixed, 2), MIXED))).toEqual(arraysOf(mixed));
    const space = {
      ids: Uint32Array.of(1),
      positions: Float32Array.of(0.1, 0.2, -0.3),
      velocities: Float32Array.of(1, 2, 3),
    };
    expect(arraysOf(read(write(space, 3), SPACE))).toEqual(arraysOf(space));
  });

  it('can be written in parts, without quarantined particles', () => {
    const count = 10_000;
    const ids = Uint32Array.from({ length: count }, (_, id) => id);
    const positions = new Float32Array(2 * count).fill(1.5);
    positions[7] = Number.NaN;
    const encoded = encodeTable({ ids, positions, velocities: new Float32Array(2 * count) }, 2);
    expect(encoded.leftOut).toBe(1);
    const parts = [...encoded.parts];
    expect(parts.length).toBeGreaterThan(1);
    const back = read(parts.join(''), { ...PLANE, most: count });
    expect(Array.from(back.ids)).toEqual(Array.from(ids).filter((id) => id !== 3));
  });

  it('gives the same result with both row readers', () => {
    const digits = fc.stringMatching(/^\d{0,17}$/);
    const number = fc.oneof(
      fc.float({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc
        .tuple(
          fc.constantFrom('', '-', '+'),
          digits,
          fc.constantFrom('', '.'),
          digits,
          fc.constantFrom('', 'e', 'E-', 'e+'),
          fc.stringMatching(/^\d{0,3}$/),
        )
        .map((parts) => parts.join('')),
      fc.integer({ min: 0, max: 9 }).map(String),
      fc.constantFrom(
        '',
        '-',
        '.',
        '1.',
        '-.5',
        '1e',
        '1e+',
        '10',
        '10.0000001',
        '1e22',
        '1e-23',
        'NaN',
        '0x1',
        '1 ',
      ),
    );
    const outcome = (text: string) => {
      try {
        return arraysOf(read(text));
      } catch (error) {
        return (error as Error).message;
      }
    };
    const row = fc.tuple(
      fc.constantFrom('0', '1', '2', '3', '4', '5', '1.0', '-0', '1e0'),
      number,
      number,
      number,
      number,
    );
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('\n', '\r\n'),
        (rows, end) => {
          const plain = ['id,x,y,vx,vy', ...rows.map((values) => values.join(','))].join(end);
          // Only the slow row reader removes quotes.
          const quoted = [
            'id,x,y,vx,vy',
            ...rows.map((values) => values.map((value) => `"${value.trim()}"`).join(',')),
          ].join(end);
          expect(outcome(plain)).toEqual(outcome(quoted));
        },
      ),
      runs(1500),
    );
  });

  it('can be read in steps', () => {
    const rows = 20_000;
    const text = `id,x,y\n${Array.from({ length: rows }, (_, row) => `${rows - 1 - row},1,2`).join('\n')}`;
    const steps = decodeTable(new TextEncoder().encode(text), { ...PLANE, most: rows });
    let turns = 0;
    while (!steps.next().done) turns++;
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it('may lack ids and velocities, and have any order of columns, Windows line ends, spaces and quotes', () => {
    const plain = { ids: [0, 1], positions: [1, 2, 3, 4], velocities: [0, 0, 0, 0] };
    for (const text of [
      'x,y\n1,2\n3,4',
      '\ufeffx,y\r\n1,2\r\n3,4\r\n\r\n \r\n',
      'Y , X\n2 , 1\n +4.0, .3e1\n',
      '"x","y"\n"1",2\n3,"4"\n',
    ]) {
      expect(arraysOf(read(text))).toEqual(plain);
    }
    const sorted = read('id,x,y,vy,vx\n4,1,2,5,6\n2,3,4,7,8');
    expect(arraysOf(sorted)).toEqual({ ids: [2, 4], positions: [3, 4, 1, 2], velocities: [8, 7, 6, 5] });
  });

  const rejected: readonly (readonly [string, RegExp])[] = [
    [
      '',
      /^some\.csv, line 1 is empty, but it must be column names separated by commas, out of id, x, y, vx, vy\.$/,
    ],
    ['x,y\n', /no particles below/],
    ['x;y\n1;2', /line 1 is separated by semicolons, but it must be separated by commas/],
    ['x\ty\n1\t2', /line 1 is separated by tabs/],
    ['x,y,mass\n1,2,3', /line 1, a column is "mass", but it must be one of id, x, y, vx, vy\./],
    ['x,y,z\n1,2,3', /"z", but it must be left out, since the running simulation is in 2D/],
    ['x,y,radius\n1,2,3', /"radius", but it must be left out, since all particles .* have one radius/],
    ['x,y,half_x\n1,2,3', /"half_x", but it must be left out, since no particle .* may be a box/],
    ['x,vx,vy\n1,2,3', /line 1, column y is missing/],
    ['x,y,vx\n1,2,3', /line 1, column vy is missing/],
    ['x,y,x\n1,2,3', /line 1, column x is listed twice/],
    ['x,y\n1,2\n1\n', /line 3 is 1 value, but it must be 2, one per column name in line 1/],
    ['x,y\n1,,2', /line 2 is 3 values, but it must be 2/],
    ['x,y\n1,2\x0e\n3,4', /line 2, column y is "2\\u000e", but it must be a finite number/],
    ['x,y\n1,2\n\n3,4', /line 3 is empty, but it must be a row, since rows follow it/],
    ['x,y\n1,abc', /line 2, column y is "abc", but it must be a finite number that fits 32-bit floats/],
    ['x,y\n1,0x10', /line 2, column y is "0x10"/],
    ['x,y\n1,', /line 2, column y is ""/],
    ['x,y\n1,NaN', /line 2, column y is "NaN"/],
    ['x,y\n1,1e39', /line 2, column y is "1e39"/],
    ['x,y\n1,2\n3,10.5', /line 3, column y is "10\.5", but it must be from 0 to 10, in the box/],
    ['x,y,vx,vy\n1,2,0,1e15', /line 2, column vy is "1e15", but it must be below 2\^48/],
    ['id,x,y\n-1,1,2', /line 2, column id is "-1", but it must be a whole number from 0 to 4/],
    ['id,x,y\n5,1,2', /line 2, column id is "5"/],
    ['id,x,y\n2,1,2\n1,3,4\n2,5,6', /line 4, column id is 2, but it must be different from the id in line 2/],
    [
      'id,x,y\n3,1,2\n1,3,4\n3,5,6\n1,1,1',
      /line 5, column id is 1, but it must be different from the id in line 3/,
    ],
    ['x,y\n1,1\n1,1\n1,1\n1,1\n1,1\n1,1', /line 7 is another row, .* at most 5 particles/],
    [`x,y\n${'1'.repeat(5000)}`, /line 2 is 5000 bytes long, but it must be at most 2048/],
    ['x,y\r1,2\r3,4\r', /line 1 is ended by a carriage return alone, but it must be ended by a line feed/],
    [`x,y\r${'1,2\r'.repeat(1000)}`, /line 1 is ended by a carriage return alone/],
    ['x,y\r\n1,2\r3,4\r\n', /line 2 is ended by a carriage return alone/],
    [`x,y\n1,${'<b>'.repeat(100)}`, /line 2, column y is "(<b>)+<…"/],
  ];
  for (const [text, message] of rejected) {
    it(`rejects ${JSON.stringify(text.slice(0, 60))} and names the line`, () => {
      expect(() => read(text)).toThrow(message);
    });
  }

  it('stops counting rows when they exceed the limit', () => {
    const bytes = new Uint8Array(2 ** 26).fill('\n'.charCodeAt(0));
    bytes.set(new TextEncoder().encode('x,y'));
    bytes[bytes.length - 1] = '1'.charCodeAt(0);
    let searches = 0;
    const { indexOf } = Uint8Array.prototype;
    bytes.indexOf = (...given) => {
      searches++;
      return indexOf.apply(bytes, given);
    };
    expect(() => drain(decodeTable(bytes, PLANE, 'some.csv'))).toThrow(
      /^some\.csv, line 7 is another row, but it must be the end, since at most 5 particles fit\.$/,
    );
    expect(searches).toBeLessThan(20);
  });

  it('is rejected if it is UTF-16, which spreadsheets also write', () => {
    const little = new Uint8Array(Buffer.from('\ufeffx,y\r\n1,2\r\n', 'utf16le'));
    const big = little.slice().map((_, index) => little[index ^ 1] as number);
    for (const bytes of [little, big]) {
      expect(() => drain(decodeTable(bytes, PLANE, 'some.csv'))).toThrow(
        'some.csv is in UTF-16, but it must be in UTF-8.',
      );
    }
  });

  it('is read, or rejected with an error that names it, whatever the text', () => {
    const word = fc.constantFrom(
      ...[
        'id',
        'x',
        'y',
        'vx',
        'radius',
        'half_x',
        'z',
        ',',
        '\n',
        '\r',
        '\r\n',
        '"',
        ' ',
        '\t',
        ';',
        '1',
        '2.5',
      ],
      ...['1e5', '-', '.', 'e', 'NaN', '\ufeff', '\0', '9'.repeat(30), '1e999', 'é', '<b>', '\u202e'],
    );
    const header = fc.constantFrom('id,x,y\n', 'x,y,radius\n', 'x,y,half_x,half_y\r\n', '', '\ufeffx,y\n');
    const text = fc.tuple(header, fc.array(word, { maxLength: 40 })).map(([first, words]) => {
      return new TextEncoder().encode(first + words.join(''));
    });
    const bytes = fc.oneof(text, fc.uint8Array({ maxLength: 100 }));
    fc.assert(
      fc.property(bytes, fc.constantFrom(PLANE, MIXED), (given, rules) => {
        try {
          drain(decodeTable(given, rules, 'some.csv'));
        } catch (error) {
          if (!(error instanceof CellstormError)) throw error;
          expect(error.message).toMatch(/^some\.csv/);
        }
      }),
      runs(3000),
    );
  });

  it.each([
    ['x,y\n1,2', /line 1, column radius is missing/],
    ['x,y,radius\n1,2,0.5\n1,2,3', /line 3, column radius is 3, but it must be from 0\.25 to 1/],
    ['id,x,y,radius\n4,1,2,3\n1,1,2,0.5', /line 2, column radius is 3/],
    ['x,y,half_x,half_y\n1,2,0.5,0', /line 2, column half_y is 0, but it must be/],
    ['x,y,half_x,half_y\n1,2,5,5', /line 2, column half_x is \[5, 5\], but .* ball has a radius from/],
    [
      'x,y,radius,half_x,half_y\n1,2,0.5,0.5,0.5',
      /line 2, column radius is 0\.5, but it must be 0, since .* box/,
    ],
  ])('rejects sizes in %j and names the line', (text, message) => {
    expect(() => read(text, MIXED)).toThrow(message);
  });
});
