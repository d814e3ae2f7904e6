/** Tests the linker, including text that the package wgsl-preprocessor alone would silently accept or change. */
import { describe, expect, it } from 'vitest';
import { HASH_SEED_LOW, SCAN_BLOCK, WORKGROUP_SIZE } from '../../../src/core/base/constants';
import { GpuError } from '../../../src/core/base/errors';
import { type LinkOptions, linkShader, preprocess, type ShaderSource } from '../../../src/gpu/link';
import { userCode } from '../../../src/gpu/user-code';
import { describeKernels } from '../../../src/passes';

const source = (text: string): ShaderSource => ({ name: 'grid/test.wgsl', text });
const lines = (text: string, flags: Record<string, boolean> = {}) =>
  preprocess(source(text), flags).map((line) => line.text);

const link = (options: Partial<LinkOptions> = {}) =>
  linkShader({ dimensions: 2, sources: [source('fn last() {}')], ...options });

describe('preprocess', () => {
  it.each<[string, Record<string, boolean>, string[]]>([
    ['a\n#if ON\nb\n#endif\nc', { ON: true }, ['a', 'b', 'c']],
    ['a\n#if ON\nb\n#endif\nc', { ON: false }, ['a', 'c']],
    ['#if !ON\nb\n#endif', { ON: false }, ['b']],
    ['#if !ON\nb\n#endif', { ON: true }, []],
    ['#if ON\na\n#else\nb\n#endif', { ON: true }, ['a']],
    ['#if A\n1\n#elif B\n2\n#else\n3\n#endif', { A: true, B: true }, ['1']],
    ['#if A\n1\n#elif B\n2\n#else\n3\n#endif', { A: false, B: true }, ['2']],
    ['#if A\n1\n#elif !B\n2\n#else\n3\n#endif', { A: false, B: true }, ['3']],
    ['#if ON\na\n#else\nb\n#endif', { ON: false }, ['b']],
    ['  #if ON  \na\n\t#else\nb\n  #endif ', { ON: false }, ['b']],
    ['#if A\n1\n#if B\n2\n#else\n3\n#endif\n4\n#else\n5\n#endif', { A: true, B: false }, ['1', '3', '4']],
    ['#if A\n1\n#if B\n2\n#else\n3\n#endif\n4\n#else\n5\n#endif', { A: false, B: true }, ['5']],
  ])('keeps the expected lines of %j with the flags %j', (text, flags, expected) => {
    expect(lines(text, flags)).toEqual(expected);
  });

  it('keeps every character of a line, blank lines and dollar signs included', () => {
    const text = '  let a = 1.0; // $`{x}` \\n //@7\n\n\tlet b = a;';
    expect(lines(text)).toEqual(text.split('\n'));
  });

  it('reads files with CRLF line ends like files with LF line ends', () => {
    const text = 'a\n#if ON\nb\n#else\nc\n#endif\nd';
    for (const ON of [true, false]) {
      expect(preprocess(source(text.replaceAll('\n', '\r\n')), { ON })).toEqual(
        preprocess(source(text), { ON }),
      );
    }
  });

  it('keeps the line numbers of the file, also after removed lines', () => {
    const kept = preprocess(source('one\n#if NO\ntwo\n#else\nthree\n#endif\nfour'), { NO: false });
    expect(kept).toEqual([
      { file: 'shaders/grid/test.wgsl', line: 1, text: 'one' },
      { file: 'shaders/grid/test.wgsl', line: 5, text: 'three' },
      { file: 'shaders/grid/test.wgsl', line: 7, text: 'four' },
    ]);
  });

  it.each<[string, string, RegExp]>([
    [
      'a directive in a comment',
      '\n// see #if ON',
      /^shaders\/grid\/test\.wgsl:2: "\/\/ see #if ON" is not one of/,
    ],
    ['a directive after code', 'a #endif', /test\.wgsl:1: "a #endif" is not one of #if NAME/],
    ['#elseif', '#if ON\na\n#elseif OFF\nb\n#endif', /test\.wgsl:3: "#elseif OFF" is not one of #if NAME/],
    ['#elif without #if', '#elif ON\na\n#endif', /^shaders\/grid\/test\.wgsl: #elif not preceeded/],
    [
      '#elif after #else',
      '#if ON\n#else\n#elif OFF\n#endif',
      /^shaders\/grid\/test\.wgsl: #elif not preceeded/,
    ],
    ['#elif of an undeclared flag', '#if ON\n#elif NO\n#endif', /test\.wgsl:2: #elif NO asks for a flag/],
    ['#define', '#define A 1', /test\.wgsl:1: "#define A 1" is not one of/],
    ['# if with a space', '# if ON\n#endif', /test\.wgsl:1: "# if ON" is not one of/],
    ['#else with an argument', '#if ON\n#else if OFF\n#endif', /test\.wgsl:2: "#else if OFF" is not one of/],
    ['#endif with a comment', '#if ON\n#endif // ON', /test\.wgsl:2: "#endif \/\/ ON" is not one of/],
    ['an undeclared flag', 'a\n#if NO\n#endif', /test\.wgsl:2: #if NO asks .* \(declared: ON, OFF\)/],
    ['an undeclared negated flag', '#if !NO\n#endif', /test\.wgsl:1: #if !NO asks for a flag/],
    ['a flag with the name of a method', '#if toString\na\n#endif', /test\.wgsl:1: #if toString asks/],
    ['#if without a name', '#if\na\n#endif', /test\.wgsl:1: #if {2}asks for a flag/],
    ['two flags in one condition', '#if ON && OFF\n#endif', /test\.wgsl:1: #if ON && OFF asks/],
    ['#if that is never closed', '#if ON\na', /^shaders\/grid\/test\.wgsl: Mismatched/],
    ['#endif without #if', 'a\n#endif', /^shaders\/grid\/test\.wgsl: #endif not preceeded/],
    ['#else without #if', '#else\na', /^shaders\/grid\/test\.wgsl: #else not preceeded/],
    ['two #else', '#if ON\n#else\n#else\n#endif', /^shaders\/grid\/test\.wgsl: #else not preceeded/],
  ])('rejects %s', (_, text, message) => {
    const attempt = () => preprocess(source(text), { ON: true, OFF: false });
    expect(attempt).toThrow(GpuError);
    expect(attempt).toThrow(message);
  });
});

describe('linkShader', () => {
  it('declares every shared constant before all modules, and whole numbers as integers', () => {
    const { code } = link();
    for (const declaration of [
      `const WORKGROUP_SIZE = ${WORKGROUP_SIZE}u;`,
      `const BOUNCE_PUSH = 0.96875f;`,
      `const SCAN_BLOCK = ${SCAN_BLOCK}u;`,
      `const HASH_SEED_LOW = ${HASH_SEED_LOW}u;`,
      `const TILE_SIZE = ${WORKGROUP_SIZE}u;`,
    ]) {
      expect(code.split('\n')).toContain(declaration);
    }
    expect(code.indexOf('const WORKGROUP_SIZE')).toBeLessThan(code.indexOf('const DIMENSIONS'));
  });

  it('lets a kernel replace a constant', () => {
    const { code } = link({ constants: { TILE_SIZE: 64 } });
    expect(code).toContain('const TILE_SIZE = 64u;');
    expect(code.match(/const TILE_SIZE/g)).toHaveLength(1);
  });

  it.each([
    [0.05, '0.05000000074505806f'],
    [-1.25, '-1.25f'],
    [1 - 2 ** -20, '0.9999990463256836f'],
    [1 - 2 ** -40, '1f'],
    [2 ** 23 + 0.5, '8388608f'],
    [2 ** -100, '7.888609052210118e-31f'],
    [2 ** -126, '1.1754943508222875e-38f'],
  ])('declares the fraction %d as the nearest 32-bit float, %s', (value, literal) => {
    expect(link({ constants: { SHARE: value } }).code.split('\n')).toContain(`const SHARE = ${literal};`);
    // Compilers of WGSL read the text either as a 64-bit float, which they round, or at once as the nearest 32-bit
    // float.
    expect(Math.fround(Number.parseFloat(literal))).toBe(Math.fround(value));
  });

  it.each([-1, 2 ** 32, 2 ** -127, Number.NaN, Number.POSITIVE_INFINITY, undefined, '64'])(
    'rejects the constant %s',
    (value) => {
      const attempt = () => link({ constants: { SIZE: value as number } });
      expect(attempt).toThrow(GpuError);
      expect(attempt).toThrow(
        `The shader constant SIZE is ${value}, but it must be a fraction or a 32-bit unsigned integer.`,
      );
    },
  );

  it.each([2, 3] as const)(
    'puts the prelude of %dD before the modules, and the kernel last',
    (dimensions) => {
      const { code } = link({ dimensions, sources: [source('first'), source('second')] });
      expect(code).toContain(`const DIMENSIONS = ${dimensions}u;`);
      expect(code).toContain(`alias Vector = vec${dimensions}f;`);
      expect(code.endsWith('\nfirst\nsecond\n')).toBe(true);
    },
  );

  describe.each([2, 3] as const)('in %dD', (dimensions) => {
    // Little but the prelude differs in 3D.
    const tags = dimensions === 3 ? 'full' : [];

    it('locates every line of every kernel in its file', { tags }, () => {
      const preludes = [`shaders/base/dim${dimensions}.wgsl`, 'shaders/base/body.wgsl'];
      for (const description of describeKernels(dimensions)) {
        const linked = linkShader(description);
        const texts = new Map(
          description.sources.map(({ name, text }) => [`shaders/${name}`, text.split('\n')]),
        );
        const files = new Set<string>();
        // There is one expectation for all lines, since one per line would take seconds.
        const wrong: unknown[] = [];
        linked.code
          .trimEnd()
          .split('\n')
          .forEach((text, index) => {
            const located = linked.locate(index + 1);
            files.add(located.file);
            const file = texts.get(located.file);
            const isKnown = file
              ? file[located.line - 1] === text
              : ['(generated)', ...preludes].includes(located.file);
            if (located.text !== text || !isKnown) wrong.push([description.label, text, located]);
          });
        expect(wrong).toEqual([]);
        expect(files.size).toBe(description.sources.length + 1 + preludes.length);
        expect(linked.code).not.toMatch(/^\s*#/m);
      }
    });
  });

  it('declares every bind group of a shader that draws, from group 0 on', () => {
    const { code } = link({
      layouts: [
        { bindings: { frame: 'uniform Frame' } },
        {
          bindings: {
            position: 'read array<vec2f>',
            scene: 'filtered texture_2d<f32>',
            linear: 'sampler sampler',
          },
        },
      ],
    });
    expect(code.split('\n').filter((line) => line.startsWith('@group'))).toEqual([
      '@group(0) @binding(0) var<uniform> frame: Frame;',
      '@group(1) @binding(0) var<storage, read> position: array<vec2f>;',
      '@group(1) @binding(1) var scene: texture_2d<f32>;',
      '@group(1) @binding(2) var linear: sampler;',
    ]);
  });

  it('links a bare shader without the prelude, and puts the buffers of a standalone kernel into group 0', () => {
    const bindings = { start: 'read array<u32>' } as const;
    const { code } = link({ bare: true, standalone: true, constants: { SIZE: 1 }, bindings });
    const own = '@group(0) @binding(0) var<storage, read> start: array<u32>;';
    expect(code).toBe(`const SIZE = 1u;\n${own}\nfn last() {}\n`);
    const whole = link({ standalone: true, bindings }).code;
    expect(whole).toContain(own);
    expect(whole).toContain('alias Vector = vec2f;');
  });

  it('locates a line past the end at the last line, where compilers report an unexpected end', () => {
    expect(link({ sources: [source('first\nlast')] }).locate(100_000)).toEqual({
      file: 'shaders/grid/test.wgsl',
      line: 2,
      text: 'last',
    });
  });
});

describe('needs', () => {
  const needing = source(
    '// Needs: probe, start, size.\n// Needs: other.\n#if ON\nprobe(start);\n#endif\nother(size);',
  );
  const others = [source('fn other() {}'), source('@must_use fn probe() {}')];
  const attempt = (changes: Partial<LinkOptions>) => () =>
    link({
      bindings: { start: 'read array<u32>' },
      constants: { size: 1 },
      flags: { ON: true },
      sources: [...others, needing],
      ...changes,
    });
  const missing = (line: number, name: string) =>
    `shaders/grid/test.wgsl:${line}: no linked module, binding or constant declares ${name}.`;

  it('are met by modules, bindings and constants', () => {
    expect(attempt({})).not.toThrow();
  });

  it('that nothing declares are an error with file and line', () => {
    expect(attempt({ bindings: {} })).toThrow(missing(4, 'start'));
    expect(attempt({ constants: {} })).toThrow(missing(6, 'size'));
    expect(attempt({ sources: [needing] })).toThrow(missing(4, 'probe'));
    expect(attempt({ sources: [needing] })).toThrow(GpuError);
  });

  it('are checked only if the flags keep the lines that use the name', () => {
    expect(attempt({ bindings: {}, flags: { ON: false } })).not.toThrow();
  });
});

describe("a user's code", () => {
  const linkWith = (ours: string, text: string, bindings: LinkOptions['bindings'] = {}) =>
    linkShader({
      dimensions: 2,
      sources: [source(ours)],
      bindings,
      userCode: userCode([{ name: 'density', text }], ['public_of', 'Vector']),
    });

  it('is linked last and unchanged, `#` included, under its own name', () => {
    const text = '// see #3\n#if ON\r\nconst A = 1; //@7\n#endif';
    const { code, locate } = linkWith('first', text);
    const written = code.split('\n').slice(0, -1);
    expect(written.slice(-4)).toEqual(['// see #3', '#if ON', 'const A = 1; //@7', '#endif']);
    expect(locate(written.length - 1)).toEqual({ file: 'density', line: 3, text: 'const A = 1; //@7' });
  });

  it('may define any name but the public ones, because the other names of the engine get a prefix', () => {
    const ours = [
      'struct Grid { size: u32 }',
      'var<workgroup> tile: array<Grid, 4>;',
      'fn public_of(slot: u32) -> Vector { return load(tile[slot].size, a.load); } // load',
      '@must_use fn load(start: u32) -> Vector { return Vector(f32(1u + start)); }',
    ];
    const { code } = linkWith(ours.join('\n'), 'fn load(tile: Grid) {}', {
      start: 'read array<Grid>',
      'user:start': 'write array<Grid>',
    });
    const lines = code.split('\n');
    expect(lines.slice(-6, -1)).toEqual([
      'struct cellstorm_Grid { size: u32 }',
      'var<workgroup> cellstorm_tile: array<cellstorm_Grid, 4>;',
      'fn public_of(slot: u32) -> Vector { return cellstorm_load(cellstorm_tile[slot].size, a.load); } // load',
      '@must_use fn cellstorm_load(cellstorm_start: u32) -> Vector { return Vector(f32(1u + cellstorm_start)); }',
      'fn load(tile: Grid) {}',
    ]);
    expect(lines).toContain(
      '@group(1) @binding(0) var<storage, read> cellstorm_start: array<cellstorm_Grid>;',
    );
    expect(lines).toContain('@group(1) @binding(1) var<storage, read_write> start: array<Grid>;');
    expect(lines).toContain('alias Vector = vec2f;');
    expect(lines.some((line) => line.startsWith('const cellstorm_WORKGROUP_SIZE = '))).toBe(true);
  });
});
