import { describe, expect, test } from 'vitest';
import { isPlain } from '../../../../bench/isa/kernels';
import { parseModule, splitAt, tokenize } from '../../../../bench/traffic/tokens';
import { makeTwin } from '../../../../bench/traffic/twin';
import { groupOf, linkShader } from '../../../../src/gpu/link';
import { describeKernels } from '../../../../src/passes';

const BUFFERS = `
const SIZE = 64u;
alias Stored = vec4f;
struct Body { ball: vec4f, shape: vec3u }
@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> rows: array<Stored>;
@group(0) @binding(2) var<storage, read_write> bodies: array<Body>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
`;

function twinOf(body: string, functions = '') {
  const main = `@compute @workgroup_size(SIZE, 2) fn main(@builtin(workgroup_id) group: vec3u) { ${body} }`;
  return makeTwin(`${BUFFERS}${functions}${main}`, 'main', 1);
}

function sitesOf(body: string, functions = '') {
  return twinOf(body, functions).sites.map(({ buffer, kind, offset, size }) => [buffer, kind, offset, size]);
}

describe('tokens', () => {
  test('keep numbers and operators whole, and drop comments', () => {
    expect(tokenize('a >>= 0x1p-20f; // b\n/* c */ x.y == 1e-5f - .5')).toEqual([
      'a',
      '>>=',
      '0x1p-20f',
      ';',
      'x',
      '.',
      'y',
      '==',
      '1e-5f',
      '-',
      '.5',
    ]);
  });

  test('are split at separators outside brackets', () => {
    expect(splitAt(tokenize('a(b, c), d[e, f], ,g'), ',').map((part) => part.join(''))).toEqual([
      'a(b,c)',
      'd[e,f]',
      '',
      'g',
    ]);
    expect(splitAt([], ',')).toEqual([]);
  });

  test('of functions are kept apart from those of declarations', () => {
    const { declarations, functions } = parseModule(
      'const A = 1u; @must_use fn f(a: u32) -> u32 { return a; } struct B { c: u32 }',
    );
    expect(declarations).toBe('const A = 1u ; struct B { c : u32 }');
    expect(functions.map(({ name, attributes }) => [name, attributes])).toEqual([['f', ['@', 'must_use']]]);
  });
});

describe('the sites of a twin', () => {
  test('have the kind of the access', () => {
    expect(
      sitesOf(
        'rows[1] = rows[0]; rows[2] += Stored(); _ = atomicLoad(&counts[0]); atomicStore(&counts[1], 0); atomicMax(&counts[2], 1);',
      ),
    ).toEqual([
      ['rows', 'store', 0, 16],
      ['rows', 'load', 0, 16],
      ['rows', 'update', 0, 16],
      ['counts', 'load', 0, 4],
      ['counts', 'store', 0, 4],
      ['counts', 'atomic', 0, 4],
    ]);
  });

  test('have the bytes of the members that are used', () => {
    expect(
      sitesOf(
        'let a = rows[0].y; let b = rows[0].zw; bodies[0].shape.y = 1u; bodies[1].ball.xyz = bodies[2].ball.wzy; let c = rows[0][2];',
      ),
    ).toEqual([
      ['rows', 'load', 4, 4],
      ['rows', 'load', 8, 8],
      ['bodies', 'store', 20, 4],
      ['bodies', 'store', 0, 12],
      ['bodies', 'load', 4, 12],
      ['rows', 'load', 0, 16],
    ]);
  });

  test('leave out array lengths, and variables and parameters that have the name of a buffer', () => {
    const functions = 'fn f(words: vec2u) -> u32 { return words[0]; }';
    expect(
      sitesOf(
        'let w = words[0]; { let words = array(w, w); _ = words[1]; } for (var rows = array(1); rows[0] < 2;) { rows[0]++; } _ = arrayLength(&rows); _ = f(vec2u(words[1]));',
        functions,
      ).map(([buffer]) => buffer),
    ).toEqual(['words', 'words']);
  });

  test('include accesses in functions that the entry point calls, but not in other entry points', () => {
    const functions =
      'fn f(index: u32) -> u32 { return words[index]; } @compute @workgroup_size(1) fn other() { rows[0] = Stored(); }';
    const { code, sites, lanes } = twinOf('rows[f(0)] = Stored();', functions);
    expect(sites.map(({ buffer }) => buffer)).toEqual(['words', 'rows']);
    expect(code).not.toContain('fn other');
    expect(lanes).toBe(128);
  });

  test('include accesses after the operator &', () => {
    expect(sitesOf('let bits = 3u & words[0]; let both = (bits) & words[1];')).toHaveLength(2);
  });

  test('are refused for pointers to elements, and for a parameter with the builtin global_invocation_id', () => {
    expect(() => twinOf('let pointer = &rows[0];')).toThrow('only rows[index] is supported');
    const text = `${BUFFERS}@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {}`;
    expect(() => makeTwin(text, 'main', 1)).toThrow('global_invocation_id');
  });
});

test('the twin of each plain kernel has sites, all of them in buffers that the kernel binds', () => {
  for (const dimensions of [2, 3] as const) {
    const kernels = describeKernels(dimensions).filter(({ label }) => isPlain(label));
    expect(kernels.length).toBeGreaterThan(8);
    for (const description of kernels) {
      const { label, entryPoint, bindings } = description;
      const { sites } = makeTwin(linkShader(description).code, entryPoint, groupOf(description) + 1);
      const used = new Set(sites.map(({ buffer }) => buffer));
      for (const buffer of used) expect(Object.keys(bindings), label).toContain(buffer);
      expect(used.size, label).toBeGreaterThan(0);
    }
  }
});
