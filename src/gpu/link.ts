/**
 * Links .wgsl files into one shader.
 *
 * A file may hold lines `#if NAME`, `#if !NAME`, `#elif NAME`, `#elif !NAME`, `#else` and `#endif`. The linker rejects
 * any other `#` and undeclared flags, because wgsl-preprocessor accepts most of them. User code is not preprocessed.
 *
 * Lines `// Needs: NAME, NAME.` list the names that a file uses but does not declare, except names that are always
 * linked. If a file uses a listed name that nothing declares, the linker throws an error.
 */
import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import body from '../../shaders/base/body.wgsl?raw';
import dim2 from '../../shaders/base/dim2.wgsl?raw';
import dim3 from '../../shaders/base/dim3.wgsl?raw';
import * as constants from '../core/base/constants';
import { GpuError } from '../core/base/errors';
import type { Dimensions } from '../core/world/world';
import { type Bindings, type DeclaredLayout, declareBindings } from './bindings';

export interface ShaderSource {
  /** Path below shaders/, for error messages. */
  readonly name: string;
  readonly text: string;
}

export interface LinkOptions {
  readonly dimensions: Dimensions;
  readonly sources: readonly ShaderSource[];
  readonly flags?: Readonly<Record<string, boolean>>;
  readonly constants?: Readonly<Record<string, number | boolean>>;
  /** The kernel's own buffers, in binding order. */
  readonly bindings?: Bindings;
  /** All bind groups, from group 0 on. Shaders that draw have this instead of `bindings`. */
  readonly layouts?: readonly Pick<DeclaredLayout, 'bindings'>[];
  /** True if there are no shared parameters: the kernel's own buffers are in bind group 0 instead of 1. */
  readonly standalone?: boolean;
  /** True to leave out the shared constants and the modules that declare vectors and bodies. */
  readonly bare?: boolean;
  readonly userCode?: UserCode;
}

export interface UserCode {
  /** Returns our lines, with names that cannot clash, followed by the user's lines. */
  appendTo(ours: readonly SourceLine[]): SourceLine[];
  nameOf(entryPoint: string): string;
}

export interface SourceLine {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export interface LinkedShader {
  readonly code: string;
  /** Returns the origin of a line of the code; lines count from 1. */
  locate(line: number): SourceLine;
}

export const DIMENSION_SOURCES: Readonly<Record<Dimensions, ShaderSource>> = {
  2: { name: 'base/dim2.wgsl', text: dim2 },
  3: { name: 'base/dim3.wgsl', text: dim3 },
};

export const BODY_SOURCE: ShaderSource = { name: 'base/body.wgsl', text: body };

const DEFAULT_FLAGS: Readonly<Record<string, boolean>> = {
  ALL_LEVELS: false,
  BOXES: false,
  CROWDS: false,
  EXACT: false,
  HEAVY: false,
  HAS_FINER: false,
  VARIABLE_RADII: false,
  OBSTACLES: false,
  HAS_BOXES: false,
  WHOLE_BLOCKS: false,
  WRAPS: false,
};

const MARK = '//@';

const NEEDS = /^\/\/ Needs: (.*)\.$/;

/**
 * Matches a declaration at module scope, which begins a line without indentation. In a build, lines inside functions
 * have no indentation either, and no spaces beside punctuation (scripts/strip-shaders.ts). So this matches a variable
 * only if it has an address space or an attribute, which local variables lack.
 */
export const DECLARATION = /^(?:@.*?[ )]var |(?:@.*?[ )])?(?:(?:fn|struct|alias|const) |var<[^>]*> ?))(\w+)/;

export function groupOf({ standalone }: Pick<LinkOptions, 'standalone'>): number {
  return standalone ? 0 : 1;
}

export function linkShader(options: LinkOptions): LinkedShader {
  const lines: SourceLine[] = [];
  const generate = (text: string) => lines.push({ file: '(generated)', line: lines.length + 1, text });
  const shared = options.bare ? {} : { TILE_SIZE: constants.WORKGROUP_SIZE, ...constants };
  const values: Readonly<Record<string, number | boolean>> = { ...shared, ...options.constants };
  for (const [name, value] of Object.entries(values)) generate(declareConstant(name, value));
  const groups = Object.entries(options.layouts ?? { [groupOf(options)]: options });
  for (const [group, { bindings = {} }] of groups) declareBindings(Number(group), bindings).forEach(generate);
  const flags = { ...DEFAULT_FLAGS, ...options.flags };
  const prelude = options.bare ? [] : [DIMENSION_SOURCES[options.dimensions], BODY_SOURCE];
  for (const source of [...prelude, ...options.sources]) lines.push(...preprocess(source, flags));
  const linked = options.userCode?.appendTo(lines) ?? lines;
  checkNeeds(lines, linked);
  return {
    code: `${linked.map((line) => line.text).join('\n')}\n`,
    // Compilers report an unexpected end on the line after the last.
    locate: (line) => linked[Math.min(line, linked.length) - 1] as SourceLine,
  };
}

function checkNeeds(lines: readonly SourceLine[], linked: readonly SourceLine[]): void {
  const needed = new Map<string, string[]>();
  for (const { file, text } of lines) {
    const names = NEEDS.exec(text)?.[1]?.split(', ');
    if (names) needed.set(file, [...(needed.get(file) ?? []), ...names]);
  }
  if (needed.size === 0) return;
  const declared = new Set(lines.map(({ text }) => DECLARATION.exec(text)?.[1]));
  // User code may declare a name anywhere in a line, so every word of user code counts as declared.
  // engine/grid/kernel-code.ts has checked that user code declares the required names.
  for (const { text } of linked.slice(lines.length)) {
    for (const word of text.split(/\W+/)) declared.add(word);
  }
  for (const { file, line, text } of lines) {
    const used = text.replace(/\/\/.*|\.\s*\w+/g, '').split(/\W+/);
    const missing = needed.get(file)?.find((name) => used.includes(name) && !declared.has(name));
    if (missing === undefined) continue;
    const problem = `no linked module, binding or constant declares ${missing}`;
    throw new GpuError('shader', `${file}:${line}: ${problem}.`);
  }
}

function declareConstant(name: string, value: number | boolean): string {
  if (typeof value === 'boolean') return `const ${name} = ${value};`;
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 32) return `const ${name} = ${value}u;`;
  // The decimal text is nearer to this 32-bit float than to any other, so WGSL reads exactly this float. GPUs may flush
  // numbers below 2^-126 to 0.
  if (value % 1 && Math.abs(value) >= 2 ** -126) return `const ${name} = ${Math.fround(value)}f;`;
  throw new GpuError(
    'shader',
    `The shader constant ${name} is ${value}, but it must be a fraction or a 32-bit unsigned integer.`,
  );
}

/** Returns the lines that the directives leave, each with its line number in the file. */
export function preprocess(source: ShaderSource, flags: Readonly<Record<string, boolean>>): SourceLine[] {
  const strings: string[] = [''];
  const values: boolean[] = [];
  const append = (text: string) => {
    strings[strings.length - 1] += text;
  };
  const refuse = (line: number, problem: string): never => {
    throw new GpuError('shader', `shaders/${source.name}:${line}: ${problem}.`);
  };
  source.text.split(/\r?\n/).forEach((text, index) => {
    const line = index + 1;
    const directive = /^\s*#(\S*)\s*(.*?)\s*$/.exec(text);
    if (!directive && !text.includes('#')) {
      append(`${text}${MARK}${line}\n`);
      return;
    }
    const [, word, argument = ''] = directive ?? [];
    if (word === 'if' || word === 'elif') {
      const name = argument.replace(/^!/, '');
      const value = Object.hasOwn(flags, name) ? flags[name] : undefined;
      if (value === undefined) {
        refuse(
          line,
          `#${word} ${argument} asks for a flag that was not declared (declared: ${Object.keys(flags).join(', ')})`,
        );
      }
      append(`#${word} `);
      values.push(argument.startsWith('!') ? !value : value === true);
      strings.push('\n');
    } else if ((word === 'else' || word === 'endif') && argument === '') {
      append(`#${word}\n`);
    } else {
      refuse(
        line,
        `"${text.trim()}" is not one of #if NAME, #if !NAME, #elif NAME, #elif !NAME, #else, #endif`,
      );
    }
  });
  let output: string;
  try {
    output = wgsl(strings as unknown as TemplateStringsArray, ...values);
  } catch (error) {
    throw new GpuError('shader', `shaders/${source.name}: ${(error as Error).message}.`);
  }
  const lines: SourceLine[] = [];
  for (const text of output.split('\n')) {
    const mark = text.lastIndexOf(MARK);
    if (mark < 0) continue;
    lines.push({
      file: `shaders/${source.name}`,
      line: Number(text.slice(mark + MARK.length)),
      text: text.slice(0, mark),
    });
  }
  return lines;
}
