import { describe, expect, it } from 'vitest';
import {
  checkCode,
  checkNames,
  definesMerge,
  definesSkip,
  PUBLIC_NAMES,
} from '../../../../src/engine/grid/kernel-code';

const OWN = 'struct Own { near: u32 }';
const BEGIN = 'fn begin(particle: Particle) -> Own { return Own(); }';
const VISIT =
  'fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) { (*own).near += 1u; }';
const FINISH = 'fn finish(own: Own, particle: Particle) {}';
const CODE = [OWN, BEGIN, VISIT, FINISH].join('\n');

const check =
  (code: string, buffers: readonly string[] = []) =>
  () =>
    checkCode(code, 'density', 2, buffers);

describe('names', () => {
  // tests/gpu/grid/grid-kernel.test.ts does the same for all names of WGSL that the engine's modules use.
  const names = ['abs', 'array', 'bitcast', 'clamp', 'dot', 'function', 'min', 'select', 'vec2f'];

  it('of WGSL are rejected, however they are declared', () => {
    for (const name of [
      ...names,
      'u32',
      'storage',
      'cross',
      'mat3x3f',
      'vec4h',
      'subgroupAdd',
      'rgba8unorm',
    ]) {
      for (const declaration of [
        `fn ${name}(a: Vector) -> f32 { return a.x; }`,
        `struct ${name} { a: u32 }`,
        `alias ${name} = i32;`,
        `const ${name} = 1;`,
        `var<private> ${name}: i32;`,
        `@must_use fn\n${name} () -> i32 { return 1; }`,
      ]) {
        expect(check(`${declaration}\n${CODE}`), declaration).toThrow(
          `code is WGSL that defines "${name}", but`,
        );
      }
      expect(check(CODE, [name])).toThrow(
        `buffers is "${name}", but it must be another name, because WGSL has this one.`,
      );
    }
    expect(check(`${CODE}\n\n  fn dot() {}`)).toThrow(
      /^density:6:6: code is WGSL that defines "dot", but it must be code with another name, because WGSL has this one\.$/,
    );
  });

  it('that the grid offers to kernels are rejected', () => {
    for (const name of PUBLIC_NAMES) {
      expect(check(`${CODE}\nfn ${name}() {}`), name).toThrow(
        `density:5:4: code is WGSL that defines "${name}", but it must be code with another name, because the grid offers this one to kernels.`,
      );
      expect(check(CODE, [name])).toThrow(
        `buffers is "${name}", but it must be another name, because the grid offers this one to kernels.`,
      );
    }
  });

  it('that only resemble names of WGSL are accepted; members and locals may be named like functions of WGSL', () => {
    const internal = ['grid', 'start', 'cell_of', 'each_particle', 'WORKGROUP_SIZE'];
    for (const name of [
      ...names.map((name) => `${name}_of_mine`),
      ...internal,
      'vec5f',
      'mat2x2i',
      'Dot',
      'größe',
    ]) {
      expect(check(`fn ${name}() {}\n${CODE}`), name).not.toThrow();
      expect(check(CODE, [name]), name).not.toThrow();
    }
    const members = CODE.replace('near: u32', 'near: u32, dot: f32, min: u32').replace(
      'return',
      'let abs = 1; var select = abs; return',
    );
    expect(check(members)).not.toThrow();
  });

  it('that WGSL does not allow are rejected, and the message names the argument', () => {
    for (const name of ['fn', 'loop', 'true', 'type', 'NULL', 'yield']) {
      for (const argument of ['buffers', 'parameters'] as const) {
        expect(() => checkNames(argument, ['found', name])).toThrow(
          `${argument} is "${name}", but it must be a name that is no keyword or reserved word of WGSL.`,
        );
      }
    }
    expect(() => checkNames('parameters', ['2nd'])).toThrow(/^parameters is "2nd", /);
    expect(() => checkNames('parameters', ['min', 'loops', 'Type'])).not.toThrow();
  });
});

it('the check of code ignores comments', () => {
  for (const comment of ['// { (', '/* ) /* { */ } */', '/* // { */', '/**/', '//* {', '/* a\n } */']) {
    expect(check(`${comment}\n${CODE} ${comment}`), comment).not.toThrow();
  }
  expect(check(`/* // */ fn dot() {}\n${CODE}`)).toThrow(/^density:1:13: .* defines "dot"/);
  expect(check(`// a\u2028fn dot() {}\n${CODE}`)).toThrow(/ defines "dot"/);
  expect(definesSkip(`/* ${'fn skip(slot: u32) {}'} */`)).toBe(false);
  expect(definesMerge('/* // */ fn merge() {}')).toBe(true);
});

it('the check of code leaves unmatched brackets to the compiler, and finds the declarations after them', () => {
  for (const [usual, broken] of [
    ['return Own(); }', 'return Own();'],
    ['Own();', 'Own(;'],
    ['+= 1u; }', '+= 1u; }}'],
  ] as const) {
    expect(CODE).toContain(usual);
    expect(check(CODE.replace(usual, broken)), broken).not.toThrow();
  }
});

describe('functions that the grid calls', () => {
  const skip = 'fn skip(slot: u32) {}';
  const merge = 'fn merge(own: ptr<function, Own>, other: Own) {}';
  const all = `${CODE}\n${skip}\n${merge}`;

  it('may be written in any equivalent way', () => {
    const ways: readonly [string, string][] = [
      [BEGIN, '@must_use\nfn  begin ( p :Particle, )->Own{ return Own(); }'],
      [BEGIN, 'fn begin(/* who */ p: Particle) // that\n -> Own { return Own(); }'],
      [VISIT, 'fn visit(o: ptr<function,Own,>, p: Particle, n: Neighbour,) {}'],
      [VISIT, 'alias Pointer = ptr<function, Own>; fn visit(o: Pointer, p: Particle, n: Neighbour) {}'],
      [FINISH, 'fn finish(own: Mine, particle: Particle) {} alias Mine = Own;'],
      [skip, 'fn skip(_slot: u32) {}'],
    ];
    for (const [usual, other] of ways) expect(check(all.replace(usual, other)), other).not.toThrow();
    for (const [own, result] of [
      ['f32', 'f32'],
      ['vec2<f32>', 'vec2f'],
      ['Vector', 'vec2<f32>'],
      ['array<Extent, 2>', 'array<vec2u, 2>'],
    ]) {
      const code = all.replace(OWN, `alias Own = ${own};`).replace('-> Own', `-> ${result}`);
      expect(check(code), own).not.toThrow();
    }
  });

  it('are reported with their line if their signature is wrong', () => {
    const called: Readonly<Record<string, string>> = {
      begin: '`fn begin(particle: Particle) -> Own`.',
      visit: '`fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour)`, without a result.',
      finish: '`fn finish(own: Own, particle: Particle)`, without a result.',
      skip: '`fn skip(slot: u32)`, without a result.',
      merge: '`fn merge(own: ptr<function, Own>, other: Own)`, without a result.',
    };
    const wrong: readonly [string, string, string][] = [
      ['begin', '-> Own', ''],
      ['begin', '-> Own', '-> Particle'],
      ['begin', 'particle: Particle', ''],
      ['visit', ', other: Neighbour', ''],
      ['visit', 'ptr<function, Own>', 'Own'],
      ['visit', 'ptr<function, Own>', 'ptr<private, Own>'],
      ['visit', 'Neighbour)', 'Neighbour) -> u32'],
      ['finish', 'own: Own, particle: Particle', 'particle: Particle, own: Own'],
      ['finish', 'Particle)', 'Particle, last: u32)'],
      ['skip', 'u32', 'i32'],
      ['skip', 'u32)', 'u32) -> u32'],
      ['merge', 'other: Own', 'other: u32'],
    ];
    const lines = all.split('\n');
    for (const [name, from, to] of wrong) {
      const line = lines.findIndex((text) => text.startsWith(`fn ${name}(`));
      const changed = lines.with(line, (lines[line] as string).replace(from, to));
      expect(changed).not.toEqual(lines);
      expect(check(changed.join('\n')), `${name}: ${to}`).toThrow(
        `density:${line + 1}:4: code is WGSL whose \`fn ${name}\` has another signature, but it must be ${called[name]}`,
      );
    }
    // The compiler reports aliases that refer to each other.
    expect(check(`${all}\nalias A = B; alias B = A;`)).not.toThrow();
  });

  it('must exist, and be functions', () => {
    expect(check(CODE.replace(OWN, ''))).toThrow(/^code is WGSL without "struct Own", /);
    expect(check(CODE.replace('fn visit', 'fn visits'))).toThrow(/^code is WGSL without "fn visit", /);
    expect(check(`${CODE.replace(BEGIN, '')} const begin = 1;`)).toThrow(
      /^code is WGSL without "fn begin", /,
    );
  });
});

it('code is rejected if it declares a buffer, a uniform or an override itself', () => {
  const resource =
    'binds "data" itself, but it must be code whose buffers are in `buffers` and whose values are in';
  for (const [declaration, message] of [
    ['@group(1) @binding(9) var<storage, read> data: array<u32>;', resource],
    ['@binding(0)\n@group(2) var data: texture_2d<f32>;', resource],
    ['var<uniform> data: vec4f;', resource],
    [
      'override data: f32;',
      'the override "data", but it must be code whose values are in `parameters`, or constants.',
    ],
    ['@id(3) override data = 1.0;', 'the override "data", '],
  ] as const) {
    expect(check(`${CODE}\n${declaration}`), declaration).toThrow(message);
    expect(check(`${CODE}\n${declaration}`)).toThrow(/^density:[56]:\d+: code is WGSL /);
  }
  for (const declaration of [
    'var<private> data: vec4f;',
    'var<workgroup> data: array<u32, 4>;',
    'const data = 1;',
  ]) {
    expect(check(`${CODE}\n${declaration}`), declaration).not.toThrow();
  }
});
