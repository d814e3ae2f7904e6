/** What is said of a kernel's code before it is compiled: every name, bracket and signature that would break ours. */
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../src/core/base/errors';
import {
  checkCode,
  checkNames,
  definesMerge,
  definesSkip,
  linkedTexts,
} from '../../../src/engine/grid/kernel-code';

const OWN = 'struct Own { near: u32 }';
const BEGIN = 'fn begin(particle: Particle) -> Own { return Own(); }';
const VISIT =
  'fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) { (*own).near += 1u; }';
const FINISH = 'fn finish(own: Own, particle: Particle) {}';
const CODE = [OWN, BEGIN, VISIT, FINISH].join('\n');

/** What the code defines for us to call. */
const HOOKS = ['Own', 'begin', 'visit', 'finish', 'skip', 'merge'];

const check =
  (code: string, buffers: readonly string[] = []) =>
  () =>
    checkCode(code, 'density', 2, buffers);

/** Used in branches alone that no kernel of a user's is linked with: searches in boxes, and without levels. */
const ELSEWHERE = ['overlaps', 'block_between'];

/** Names that modules of ours use and do not declare: WGSL's, or what src/engine/grid/grid-kernel.ts declares. */
function namesNotDeclared(): string[] {
  const text = linkedTexts()
    .join('\n')
    .replace(/\/\/.*|@\w+(\([^)]*\))?|^#.*/gm, '');
  const declared = new Set(
    [...text.matchAll(/\b(?:fn|struct|alias|const|let|var(?:<[^>]*>)?)\s+(\w+)|(\w+)\s*:/g)].map(
      ([, name, member]) => name ?? member,
    ),
  );
  const keywords =
    /^(alias|break|case|const|continue|default|else|false|fn|for|if|let|loop|return|struct|switch|true|var|while)$/;
  const used = new Set(text.replace(/\.\s*\w+/g, '').match(/\b[A-Za-z_]\w*/g));
  return [...used].filter(
    (name) => !declared.has(name) && !keywords.test(name) && ![...HOOKS, ...ELSEWHERE].includes(name),
  );
}

describe('names', () => {
  const names = namesNotDeclared();

  it('of WGSL that modules of ours use are refused, however they are declared', () => {
    expect(names).toEqual(
      expect.arrayContaining([
        'abs',
        'array',
        'bitcast',
        'clamp',
        'dot',
        'function',
        'min',
        'select',
        'vec2f',
      ]),
    );
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
      expect(check(CODE, [name])).toThrow(`buffers is "${name}", but it must be a name that `);
    }
    expect(check(`${CODE}\n\n  fn dot() {}`)).toThrow(
      /^density:6:6: code is WGSL that defines "dot", but it must be code whose names WGSL itself does not have\.$/,
    );
  });

  it('that are only like them are taken, and so are theirs for what is not declared outside', () => {
    for (const name of [...names.map((name) => `${name}_of_mine`), 'vec5f', 'mat2x2i', 'Dot', 'größe']) {
      expect(check(`fn ${name}() {}\n${CODE}`), name).not.toThrow();
      expect(check(CODE, [name]), name).not.toThrow();
    }
    const members = CODE.replace('near: u32', 'near: u32, dot: f32, min: u32').replace(
      'return',
      'let abs = 1; var select = abs; return',
    );
    expect(check(members)).not.toThrow();
  });

  it('that are no names in WGSL are refused by the argument', () => {
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

describe('brackets and comments', () => {
  it('that do not match are shown where they begin', () => {
    const wrong: readonly [string, string][] = [
      [CODE.slice(0, -1), '4:41: code is WGSL with a "{" that nothing closes'],
      [CODE.replace('+= 1u; }', '+= 1u;'), '3:73: code is WGSL with a "{" that nothing closes'],
      [CODE.replace('Own();', 'Own(;'), '2:49: code is WGSL with a "(" that nothing closes'],
      [`${CODE}\n }`, '5:2: code is WGSL with a "}" that closes nothing'],
      [`${CODE}\nconst a = array(1)[0;`, '5:19: code is WGSL with a "[" that nothing closes'],
      // As many open as close: the later one must not take the place of the earlier.
      [`${CODE.replace('Own(); }', 'Own();')} }`, '2:37: code is WGSL with a "{" that nothing closes'],
      [`${CODE}\n/* /* */`, '5:1: code is WGSL with a "/*" that nothing ends'],
    ];
    for (const [code, message] of wrong) {
      expect(check(code), code).toThrow(`density:${message}, but it must be code whose `);
      expect(check(code)).toThrow(ArgumentError);
    }
  });

  it('match, and yet the code is not at its end', () => {
    for (const last of ['fn', 'const', '@', '1']) {
      expect(check(`${CODE}\n;${last} // end`)).toThrow(
        `density:5:2: code is WGSL that ends with "${last}", but it must be code that ends with "}" or ";".`,
      );
    }
    expect(check(`${CODE};`)).not.toThrow();
  });

  it('in comments are none', () => {
    for (const comment of ['// { (', '/* ) /* { */ } */', '/* // { */', '/**/', '//* {', '/* a\n } */']) {
      expect(check(`${comment}\n${CODE} ${comment}`), comment).not.toThrow();
    }
    expect(check(`/* // */ fn dot() {}\n${CODE}`)).toThrow(/^density:1:13: .* defines "dot"/);
    expect(check(`// a\u2028fn dot() {}\n${CODE}`)).toThrow(/ defines "dot"/);
    expect(definesSkip(`/* ${'fn skip(slot: u32) {}'} */`)).toBe(false);
    expect(definesMerge('/* // */ fn merge() {}')).toBe(true);
  });
});

describe('functions that we call', () => {
  const skip = 'fn skip(slot: u32) {}';
  const merge = 'fn merge(own: ptr<function, Own>, other: Own) {}';
  const all = `${CODE}\n${skip}\n${merge}`;

  it('may be written in any way that comes to the same', () => {
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

  it('are shown where they are, if they are others', () => {
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
        `density:${line + 1}:4: code is WGSL with another \`fn ${name}\`, but it must be ${called[name]}`,
      );
    }
    // One that stands for itself is left to the compiler.
    expect(check(`${all}\nalias A = B; alias B = A;`)).not.toThrow();
  });

  it('must be there, and be functions', () => {
    expect(check(CODE.replace(OWN, ''))).toThrow(/^code is WGSL without "struct Own", /);
    expect(check(CODE.replace('fn visit', 'fn visits'))).toThrow(/^code is WGSL without "fn visit", /);
    expect(check(`${CODE.replace(BEGIN, '')} const begin = 1;`)).toThrow(
      /^code is WGSL without "fn begin", /,
    );
  });
});

it('what comes in `buffers` and `parameters` is declared nowhere else', () => {
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
