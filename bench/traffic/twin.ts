/**
 * Rewrites a linked kernel into a twin that does the same work and notes each access to a storage buffer.
 *
 * `buffer[index]` becomes `buffer[trace_note(path, site, index)]`. A site is an access in the text. The path is a hash
 * of the calls and loop rounds around the access. So the threads of a subgroup that execute an access together note
 * the same path and site, even if they took different branches before it.
 *
 * A twin runs one window of a dispatch: the workgroups from `trace_window.first` on. Each workgroup has rows of
 * records. Row 0 counts the accesses of each thread. A record is two words: a hash of path and site, then the site and
 * the index.
 */
import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';
import { CellstormError } from '../../src/core/base/errors';
import { type Access, accessOf, type Buffer } from './access';
import { closingOf, type FunctionText, parseModule, splitAt, tokenize } from './tokens';

/** The site is in the upper bits of a record's second word, the index in the lower ones. */
export const INDEX_BITS = 24;
const MOST_SITES = 2 ** (32 - INDEX_BITS);

/** Words of the header per workgroup of a window: the index of the first word of its rows, and their number. */
export const HEADER_WORDS = 2;

export interface Twin {
  readonly code: string;
  /** Threads of a workgroup. */
  readonly lanes: number;
  readonly sites: readonly Access[];
}

const DIRECTIVE = /^\s*(?:enable|requires|diagnostic)\b[^;]*;/gm;

const LOOPS = new Set(['for', 'while', 'loop']);
const DECLARING = new Set(['let', 'var', 'const']);
const ASSIGNMENTS = new Set(['+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', '++', '--']);

/** Builtins of the entry point that depend on the window, and their replacements in a twin. */
const REPLACED: Readonly<Record<string, string>> = {
  workgroup_id: 'trace_workgroup',
  num_workgroups: 'vec3u(trace_window.columns, trace_window.rows, 1u)',
};

const helpers = (group: number) => `
struct TraceWindow { first: u32, columns: u32, rows: u32, spare: u32 }
@group(${group}) @binding(0) var<uniform> trace_window: TraceWindow;
@group(${group}) @binding(1) var<storage, read_write> trace_words: array<u32>;
var<private> trace_at: u32;
var<private> trace_rows: u32;
var<private> trace_count: u32;
fn trace_begin(workgroup: u32, lane: u32) {
  trace_at = trace_words[${HEADER_WORDS}u * workgroup] + 2u * lane;
  trace_rows = trace_words[${HEADER_WORDS}u * workgroup + 1u];
  trace_words[trace_at] = 0u;
}
fn trace_mix(hash: u32) -> u32 {
  let mixed = (hash ^ (hash >> 16u)) * 0x7feb352du;
  return (mixed ^ (mixed >> 15u)) * 0x846ca68bu;
}
fn trace_path(path: u32, part: u32, round: u32) -> u32 {
  return trace_mix(trace_mix(path + 0x9e3779b9u * part) + round);
}
fn trace_note(path: u32, site: u32, index: u32) -> u32 {
  trace_count++;
  trace_words[trace_at] = trace_count;
  if (trace_count < trace_rows) {
    let record = trace_at + 2u * trace_lanes * trace_count;
    trace_words[record] = trace_path(path, site, 0u);
    trace_words[record + 1u] = (site << ${INDEX_BITS}u) | index;
  }
  return index;
}
`;

/** Returns the twin of a kernel. `group` is the bind group of the trace: the first that the kernel does not use. */
export function makeTwin(code: string, entryPoint: string, group: number): Twin {
  const directives = code.match(DIRECTIVE) ?? [];
  const { declarations, functions } = parseModule(code.replace(DIRECTIVE, ''));
  const reflected = new WgslReflect(declarations);
  const buffers = new Map(reflected.storage.map((buffer) => [buffer.name, buffer as unknown as Buffer]));
  const writer = new TwinWriter(buffers, functions, entryPoint);
  const isOther = ({ name, attributes }: FunctionText) =>
    attributes.includes('compute') && name !== entryPoint;
  const texts = functions.filter((text) => !isOther(text)).map((text) => writer.write(text));
  const entry = functions.find(({ name }) => name === entryPoint);
  if (!entry) throw new CellstormError(`The shader has no entry point ${entryPoint}.`);
  const size = sizeOf(entry);
  if (writer.sites.length > MOST_SITES) {
    throw new CellstormError(
      `${entryPoint} has ${writer.sites.length} accesses, but a record can name only ${MOST_SITES}.`,
    );
  }
  return {
    code: [...directives, declarations, `const trace_lanes = ${size};`, helpers(group), ...texts].join('\n'),
    lanes: evaluate(size, declarations),
    sites: writer.sites,
  };
}

/** Returns the product of the workgroup's sizes as WGSL. */
function sizeOf({ attributes }: FunctionText): string {
  const open = attributes.indexOf('workgroup_size') + 1;
  const sizes = splitAt(attributes.slice(open + 1, closingOf(attributes, open)), ',');
  return sizes.map((size) => `u32(${size.join(' ')})`).join(' * ');
}

/** Multiplies sizes. They are numbers, or constants whose values are numbers, as the linker writes them. */
function evaluate(size: string, declarations: string): number {
  return [...size.matchAll(/u32\((\w+)\)/g)].reduce((product, [, name]) => {
    const [, value] = new RegExp(`\\bconst ${name} = (\\d+)u? ;`).exec(declarations) ?? [];
    return product * Number.parseInt(value ?? (name as string), 10);
  }, 1);
}

/** The declared names per enclosing block, the innermost block last. They hide buffers of the same names. */
type Scopes = readonly Set<string>[];

class TwinWriter {
  readonly sites: Access[] = [];
  private readonly traced: ReadonlySet<string>;
  /** The number of the last call or loop, which tells paths apart. */
  private parts = 0;

  constructor(
    private readonly buffers: ReadonlyMap<string, Buffer>,
    functions: readonly FunctionText[],
    private readonly entryPoint: string,
  ) {
    this.traced = tracedOf(functions, buffers);
  }

  write(text: FunctionText): string {
    const { name, attributes, parameters, result, body } = text;
    const isEntry = name === this.entryPoint;
    const isTraced = this.traced.has(name);
    const names = new Set(parameters.map(nameOf));
    const [shown, prologue] = isEntry
      ? entryOf(text)
      : [isTraced ? [['trace_0', ':', 'u32'], ...parameters] : parameters, ''];
    const written = isTraced ? this.rewrite(body, 'trace_0', [names]) : body;
    const head = [...attributes, 'fn', name, '(', shown.map((part) => part.join(' ')).join(', '), ')'];
    return `${[...head, ...result].join(' ')} {\n${prologue}${written.join(' ')}\n}`;
  }

  private rewrite(tokens: readonly string[], path: string, outer: Scopes): string[] {
    const own = new Set<string>();
    const scopes = [...outer, own];
    const written: string[] = [];
    /** A name hides a buffer only after its declaration. */
    let declared: string | undefined;
    for (let index = 0; index < tokens.length; index++) {
      const token = tokens[index] as string;
      const next = tokens[index + 1];
      if (token === ';' && declared !== undefined) {
        own.add(declared);
        declared = undefined;
      }
      if (LOOPS.has(token)) {
        const end = this.loop(tokens, index, path, scopes, written);
        index = end;
      } else if (token === '{') {
        const end = closingOf(tokens, index);
        written.push('{', ...this.rewrite(tokens.slice(index + 1, end), path, scopes), '}');
        index = end;
      } else if (DECLARING.has(token)) {
        const open = next === '<' ? tokens.indexOf('>', index) : index;
        declared = tokens[open + 1];
        written.push(...tokens.slice(index, open + 2));
        index = open + 1;
      } else if (token === '.') {
        written.push(token, next as string);
        index++;
      } else if (this.isBuffer(token, scopes)) {
        index = this.access(tokens, index, path, scopes, written);
      } else if (this.traced.has(token) && next === '(') {
        const comma = tokens[index + 2] === ')' ? [] : [','];
        written.push(token, '(', `trace_path(${path}, ${++this.parts}u, 0u)`, ...comma);
        index++;
      } else {
        written.push(token);
      }
    }
    return written;
  }

  private isBuffer(name: string, scopes: Scopes): boolean {
    return this.buffers.has(name) && !scopes.some((scope) => scope.has(name));
  }

  /** Writes an access, and returns the index of its last token. */
  private access(
    tokens: readonly string[],
    at: number,
    path: string,
    scopes: Scopes,
    written: string[],
  ): number {
    const name = tokens[at] as string;
    const before = tokens.slice(Math.max(0, at - 3), at).join(' ');
    if (/\barrayLength \( &$/.test(before)) {
      written.push(name);
      return at;
    }
    const open = at + 1;
    const [, atomic] = /\b(atomic\w+) \( &$/.exec(before) ?? [];
    if (tokens[open] !== '[' || (atomic === undefined && isPointer(tokens, at))) {
      throw new CellstormError(
        `The twin of ${this.entryPoint} cannot follow "${tokens.slice(at - 3, at + 3).join(' ')}": only ${name}[index] is supported.`,
      );
    }
    const close = closingOf(tokens, open);
    const members: string[] = [];
    let end = close;
    for (; tokens[end + 1] === '.'; end += 2) members.push(tokens[end + 2] as string);
    // An index into a vector may follow the members.
    const after = tokens[end + 1] === '[' ? closingOf(tokens, end + 1) + 1 : end + 1;
    const kind = atomic ? atomicKind(atomic) : assignedKind(tokens[after]);
    const site = this.sites.push(accessOf(this.buffers.get(name) as Buffer, members, kind)) - 1;
    const inner = this.rewrite(tokens.slice(open + 1, close), path, scopes);
    written.push(name, '[', `trace_note(${path}, ${site}u, u32(`, ...inner, '))', ']');
    written.push(...tokens.slice(close + 1, end + 1));
    return end;
  }

  /** Writes a loop, and returns the index of its last token. */
  private loop(
    tokens: readonly string[],
    at: number,
    path: string,
    outer: Scopes,
    written: string[],
  ): number {
    const scopes = [...outer, new Set<string>()];
    const part = ++this.parts;
    const round = `trace_round_${part}`;
    const inner = `trace_${part}`;
    const roundPath = `trace_path(${path}, ${part}u, ${round})`;
    written.push('{', `var ${round} = 0u;`, tokens[at] as string);
    let begin = at + 1;
    if (tokens[at] === 'for') {
      const close = closingOf(tokens, begin);
      const [first = [], ...others] = splitAt(tokens.slice(begin + 1, close), ';');
      const declared = first.findIndex((token) => DECLARING.has(token));
      if (declared >= 0) scopes.at(-1)?.add(first[declared + 1] as string);
      const header = [
        this.rewrite(first, path, outer),
        ...others.map((text) => this.rewrite(text, roundPath, scopes)),
      ];
      while (header.length < 3) header.push([]);
      written.push('(', header.map((text) => text.join(' ')).join('; '), ')');
      begin = close + 1;
    } else if (tokens[at] === 'while') {
      const body = tokens.indexOf('{', begin);
      written.push(...this.rewrite(tokens.slice(begin, body), roundPath, scopes));
      begin = body;
    }
    const end = closingOf(tokens, begin);
    written.push('{', `let ${inner} = ${roundPath}; ${round}++;`);
    written.push(...this.rewrite(tokens.slice(begin + 1, end), inner, scopes), '}', '}');
    return end;
  }
}

/** Returns the names of the functions that access buffers, directly or through calls. */
function tracedOf(
  functions: readonly FunctionText[],
  buffers: ReadonlyMap<string, Buffer>,
): ReadonlySet<string> {
  const traced = new Set<string>();
  let before = -1;
  while (before < traced.size) {
    before = traced.size;
    for (const { name, body } of functions) {
      const isTraced = body.some(
        (token, index) =>
          (buffers.has(token) && body[index + 1] === '[') || (traced.has(token) && body[index + 1] === '('),
      );
      if (isTraced) traced.add(name);
    }
  }
  return traced;
}

/** Returns a parameter's name, which follows its attributes. */
function nameOf(parameter: readonly string[]): string {
  return parameter[parameter.indexOf(':') - 1] as string;
}

function builtinOf(parameter: readonly string[]): string | undefined {
  return parameter[parameter.indexOf('builtin') + 2];
}

/** Returns the entry point's parameters, and the text that begins its body. */
function entryOf({ name, parameters }: FunctionText): [string[][], string] {
  const shown = parameters.map((parameter) => [...parameter]);
  const lines: string[] = [];
  const nameOfBuiltin = (builtin: string, type: string, unique: string): string => {
    const known = shown.find((parameter) => builtinOf(parameter) === builtin);
    if (known) return nameOf(known);
    shown.push(tokenize(`@builtin(${builtin}) ${unique}: ${type}`));
    return unique;
  };
  const lane = nameOfBuiltin('local_invocation_index', 'u32', 'trace_lane');
  for (const parameter of shown) {
    const builtin = builtinOf(parameter) ?? '';
    if (builtin === 'global_invocation_id' || builtin === '') {
      throw new CellstormError(`The twin of ${name} cannot set its parameter "${parameter.join(' ')}".`);
    }
    const value = REPLACED[builtin];
    if (value === undefined) continue;
    const own = nameOf(parameter);
    parameter[parameter.indexOf(':') - 1] = `trace_given_${builtin}`;
    lines.push(`let ${own} = ${value};`);
  }
  const given = nameOfBuiltin('workgroup_id', 'vec3u', 'trace_given_workgroup_id');
  const prologue = [
    `let trace_linear = trace_window.first + ${given}.x;`,
    'let trace_workgroup = vec3u(trace_linear % trace_window.columns, trace_linear / trace_window.columns, 0u);',
    ...lines,
    'let trace_0 = 0u;',
    `trace_begin(${given}.x, ${lane});`,
  ];
  return [shown, `${prologue.join('\n')}\n`];
}

/** Returns whether the token before `at` takes an address. After a value, `&` is an operator. */
function isPointer(tokens: readonly string[], at: number): boolean {
  const before = tokens[at - 2] ?? '';
  return tokens[at - 1] === '&' && (before === 'return' || !/[\w)\]]$/.test(before));
}

function atomicKind(name: string): Access['kind'] {
  return name === 'atomicLoad' ? 'load' : name === 'atomicStore' ? 'store' : 'atomic';
}

function assignedKind(next: string | undefined): Access['kind'] {
  return next === '=' ? 'store' : ASSIGNMENTS.has(next ?? '') ? 'update' : 'load';
}
