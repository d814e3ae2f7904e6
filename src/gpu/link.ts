/**
 * Turns plain .wgsl files into one shader; the only importer of wgsl-preprocessor.
 * Inputs: a dimension, modules and a kernel in linking order, flags for `#if`, extra constants.
 * Output: the code and a map from its lines back to file and line, for compiler messages.
 *
 * A file may hold lines `#if NAME`, `#if !NAME`, `#elif NAME`, `#elif !NAME`, `#else` and `#endif`. The preprocessor
 * itself throws on those words in comments, erases code at unknown directives and prints undefined values. So any
 * other `#`, and any flag that was not declared, is an error here that names the file and the line. A user's code is
 * not preprocessed.
 */
import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import body from '../../shaders/base/body.wgsl?raw';
import dim2 from '../../shaders/base/dim2.wgsl?raw';
import dim3 from '../../shaders/base/dim3.wgsl?raw';
import * as constants from '../core/base/constants';
import { GpuError } from '../core/base/errors';
import { HASH_SEED_HIGH, HASH_SEED_LOW } from '../core/state/hash';
import type { Dimensions } from '../core/world/world';
import { type Bindings, declareBindings, USER } from './bindings';

export interface ShaderSource {
  /** Path below shaders/, or the name of a user's source. */
  readonly name: string;
  readonly text: string;
}

export interface LinkOptions {
  readonly dimensions: Dimensions;
  /** Modules first, the kernel last. */
  readonly sources: readonly ShaderSource[];
  readonly flags?: Readonly<Record<string, boolean>>;
  readonly constants?: Readonly<Record<string, number | boolean>>;
  /** The kernel's own buffers. */
  readonly bindings?: Bindings;
  /**
   * Links only `sources` and `constants`, without the shared constants, the files of the dimension and the body. There are no
   * shared parameters then, and the kernel's own buffers are bind group 0 instead of 1.
   */
  readonly standalone?: boolean;
  /** WGSL extensions for `enable`. */
  readonly extensions?: readonly string[];
  readonly userCode?: UserCode;
}

/** Code that is not ours. It may define any name but the public ones, because all other names of ours get a prefix. */
export interface UserCode {
  /** Linked after our code, so that a bracket left open or closed twice is an error in these lines. */
  readonly sources: readonly ShaderSource[];
  /** Names of ours that the code may use. */
  readonly publicNames: readonly string[];
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

/** Sizes that shaders and host share: each exported number of core/constants, and the hash seeds. */
export const SHARED_CONSTANTS: Readonly<Record<string, number>> = {
  ...constants,
  HASH_SEED_LOW,
  HASH_SEED_HIGH,
};

export const DIMENSION_SOURCES: Readonly<Record<Dimensions, ShaderSource>> = {
  2: { name: 'base/dim2.wgsl', text: dim2 },
  3: { name: 'base/dim3.wgsl', text: dim3 },
};

/** Linked after the file of the dimension: what a particle is. */
export const BODY_SOURCE: ShaderSource = { name: 'base/body.wgsl', text: body };

/** Flags that modules ask for and most kernels have no need to set: see neighbours/each_heavy.wgsl. */
const DEFAULT_FLAGS: Readonly<Record<string, boolean>> = {
  BOXES: false,
  CROWDS: false,
  HEAVY: false,
  HAS_FINER: false,
  VARIABLE_RADII: false,
  OBSTACLES: false,
  HAS_BOXES: false,
  WHOLE_BLOCKS: false,
  WRAPS: false,
};

const MARK = '//@';

/** Precedes our names at module scope if a user's code is linked with them. */
export const PREFIX = 'cellstorm_';

/** A declaration at module scope. In our files these begin a line. */
const DECLARATION = /^(?:@.*? )?(?:fn|struct|alias|const|var(?:<[^>]*>)?) (\w+)/;

/** Returns the name that an entry point has in the linked code. */
export function linkedName(name: string, { userCode }: Pick<LinkOptions, 'userCode'>): string {
  return userCode ? `${PREFIX}${name}` : name;
}

/** The bind group of a kernel's own buffers. Group 0 holds the shared parameters, unless there are none. */
export function groupOf({ standalone }: Pick<LinkOptions, 'standalone'>): number {
  return standalone ? 0 : 1;
}

export function linkShader(options: LinkOptions): LinkedShader {
  const ours: SourceLine[] = [];
  const users: SourceLine[] = [];
  const generate = (lines: SourceLine[], text: string) =>
    lines.push({ file: '(generated)', line: ours.length + users.length + 1, text });
  for (const extension of options.extensions ?? []) generate(ours, `enable ${extension};`);
  const shared = options.standalone ? {} : { TILE_SIZE: constants.WORKGROUP_SIZE, ...SHARED_CONSTANTS };
  const values: Readonly<Record<string, number | boolean>> = { ...shared, ...options.constants };
  for (const [name, value] of Object.entries(values)) {
    generate(ours, declareConstant(name, value));
  }
  const { userCode, bindings = {} } = options;
  const declarations = declareBindings(groupOf(options), bindings);
  Object.keys(bindings).forEach((name, index) => {
    generate(name.startsWith(USER) ? users : ours, declarations[index] as string);
  });
  const flags = { ...DEFAULT_FLAGS, ...options.flags };
  const prelude = options.standalone ? [] : [DIMENSION_SOURCES[options.dimensions], BODY_SOURCE];
  for (const source of [...prelude, ...options.sources]) ours.push(...preprocess(source, flags));
  for (const { name, text } of userCode?.sources ?? []) users.push(...linesOf(name, text));
  const lines = [...(userCode ? withPrefix(ours, userCode.publicNames) : ours), ...users];
  return {
    code: `${lines.map((line) => line.text).join('\n')}\n`,
    // Compilers report an unexpected end on the line after the last.
    locate: (line) => lines[Math.min(line, lines.length) - 1] as SourceLine,
  };
}

function declareConstant(name: string, value: number | boolean): string {
  if (typeof value === 'boolean') return `const ${name} = ${value};`;
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) {
    throw new GpuError(
      'shader',
      `The shader constant ${name} is ${value}, but it must be a 32-bit unsigned integer.`,
    );
  }
  return `const ${name} = ${value}u;`;
}

/** Returns the lines with the prefix before every name that they declare at module scope, except the public names. */
function withPrefix(lines: readonly SourceLine[], publicNames: readonly string[]): SourceLine[] {
  const names = new Set(lines.map(({ text }) => DECLARATION.exec(text)?.[1]));
  for (const name of publicNames) names.delete(name);
  return lines.map((line) => {
    // Comments and members match as a whole and so keep their text.
    const text = line.text.replace(/\/\/.*|\.\s*\w+|\b[A-Za-z_]\w*/g, (token) =>
      names.has(token) ? `${PREFIX}${token}` : token,
    );
    return { ...line, text };
  });
}

function linesOf(file: string, text: string): SourceLine[] {
  return text.split(/\r?\n/).map((line, index) => ({ file, line: index + 1, text: line }));
}

/** The lines of a file that its flags leave, each with its number in the file. */
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
    if (!directive) {
      if (text.includes('#'))
        refuse(line, `a "#" may only begin a line with #if, #elif, #else or #endif, not "${text.trim()}"`);
      append(`${text}${MARK}${line}\n`);
      return;
    }
    const [, word, argument = ''] = directive;
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
