/**
 * Finds errors in a user's kernel code that the compiler would report in our lines, or only in some kinds of worlds.
 * The compiler reports all other errors in the user's lines (see gpu/user-code.ts).
 */
import { ArgumentError, Phrase } from '../../core/base/errors';
import type { Dimensions } from '../../core/world/world';
import { DIMENSION_SOURCES } from '../../gpu/link';
import { isPredeclared, KEYWORDS, SCALARS, VECTOR } from './wgsl-names';

/** Our names that a user's code may use, and so must not define. Some grids lack some of them. */
export const PUBLIC_NAMES: readonly string[] = [
  'DIMENSIONS',
  'Extent',
  'Neighbour',
  'Particle',
  'Stored',
  'Vector',
  'id_of',
  'load_vector',
  'minimum_image',
  'parameters',
  'position_of',
  'radius_at',
  'store_vector',
  'upper_of',
  'velocity_of',
  'with_last',
  'wrap',
];

const NEEDED: readonly (readonly [keywords: readonly string[], name: string])[] = [
  [['struct', 'alias'], 'Own'],
  [['fn'], 'begin'],
  [['fn'], 'visit'],
  [['fn'], 'finish'],
];

const FUNCTIONS: Readonly<Record<string, string>> = {
  begin: '(particle: Particle) -> Own',
  visit: '(own: ptr<function, Own>, particle: Particle, other: Neighbour)',
  finish: '(own: Own, particle: Particle)',
  skip: '(slot: u32)',
  merge: '(own: ptr<function, Own>, other: Own)',
};

const DECLARING = ['fn', 'struct', 'alias', 'const', 'override', 'var'];

/** Keywords that occur only outside brackets. After an open bracket, they show that the closing bracket is missing. */
const OUTERMOST = ['fn', 'struct', 'alias', 'override'];

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);

const TOKEN = /[\p{XIDS}_]\p{XIDC}*|\d[\w.]*|->|\S/gu;

const IDENTIFIER = /^[\p{XIDS}_]/u;

interface Token {
  readonly text: string;
  readonly at: number;
}

interface Declaration {
  readonly keyword: string;
  readonly attributes: readonly string[];
  /** The address space, such as `private` in `var<private>`. */
  readonly space: string | undefined;
  readonly name: Token;
  readonly rest: readonly Token[];
}

type Refuse = (at: number, value: string, accepted: string) => never;

class CodeError extends ArgumentError {
  override readonly argument = 'code';

  constructor(position: string, value: Phrase, accepted: string) {
    super(`${position}: code`, value, accepted);
  }
}

export function checkCode(
  code: string,
  label: string,
  dimensions: Dimensions,
  bufferNames: readonly string[],
): void {
  const refuse: Refuse = (at, value, accepted) => {
    const lines = code.slice(0, at).split('\n');
    const position = `${label}:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
    throw new CodeError(position, new Phrase(value), accepted);
  };
  const declarations = declarationsOf(code);
  for (const [keywords, name] of NEEDED) {
    if (declarations.some((found) => keywords.includes(found.keyword) && found.name.text === name)) continue;
    throw new ArgumentError(
      'code',
      new Phrase(`WGSL without "${keywords[0]} ${name}"`),
      'code that defines it',
    );
  }
  checkDeclarations(declarations, refuse);
  checkSignatures(declarations, dimensions, refuse);
  const defined = new Set(declarations.map(({ name }) => name.text));
  for (const name of bufferNames) {
    if (isPredeclared(name))
      throw new ArgumentError('buffers', name, 'another name, because WGSL has this one');
    if (PUBLIC_NAMES.includes(name))
      throw new ArgumentError('buffers', name, 'another name, because the grid offers this one to kernels');
    if (defined.has(name))
      throw new ArgumentError('buffers', name, 'another name, because the code defines this one');
  }
}

export function checkNames(argument: 'buffers' | 'parameters', names: readonly string[]): void {
  for (const name of names) {
    if (!/^[A-Za-z]\w*$/.test(name))
      throw new ArgumentError(argument, name, 'a WGSL name: a letter, then letters, digits or _');
    if (KEYWORDS.has(name)) {
      throw new ArgumentError(argument, name, 'a name that is no keyword or reserved word of WGSL');
    }
  }
}

export function definesSkip(code: string): boolean {
  return definesFunction(code, 'skip');
}

export function definesMerge(code: string): boolean {
  return definesFunction(code, 'merge');
}

function definesFunction(code: string, name: string): boolean {
  return declarationsOf(code).some((found) => found.keyword === 'fn' && found.name.text === name);
}

function checkDeclarations(declarations: readonly Declaration[], refuse: Refuse): void {
  for (const { keyword, attributes, space, name } of declarations) {
    const { text, at } = name;
    const isResource = ['group', 'binding'].some((attribute) => attributes.includes(attribute));
    if (isResource || space === 'storage' || space === 'uniform') {
      const accepted = 'code whose buffers are in `buffers` and whose values are in `parameters`';
      refuse(at, `WGSL that binds "${text}" itself`, accepted);
    }
    if (keyword === 'override') {
      refuse(at, `WGSL with the override "${text}"`, 'code whose values are in `parameters`, or constants');
    }
    const value = `WGSL that defines "${text}"`;
    if (isPredeclared(text)) refuse(at, value, 'code with another name, because WGSL has this one');
    if (PUBLIC_NAMES.includes(text))
      refuse(at, value, 'code with another name, because the grid offers this one to kernels');
  }
}

/** Rejects wrong signatures, because the compiler would report them in our lines. */
function checkSignatures(declarations: readonly Declaration[], dimensions: Dimensions, refuse: Refuse): void {
  const aliases = new Map(
    [...declarationsOf(DIMENSION_SOURCES[dimensions].text), ...declarations]
      .filter(({ keyword }) => keyword === 'alias')
      .map(({ name, rest }) => [name.text, rest.slice(1).map(({ text }) => text)]),
  );
  for (const { keyword, name, rest } of declarations) {
    const called = Object.hasOwn(FUNCTIONS, name.text) ? FUNCTIONS[name.text] : undefined;
    if (keyword !== 'fn' || called === undefined) continue;
    if (signatureOf(rest, aliases) === signatureOf(readTokens(called), aliases)) continue;
    const result = called.includes('->') ? '' : ', without a result';
    const value = `WGSL whose \`fn ${name.text}\` has another signature`;
    refuse(name.at, value, `\`fn ${name.text}${called}\`${result}`);
  }
}

/** Returns the types of a signature without names and aliases, such as `(Own,Particle)`. */
function signatureOf(tokens: readonly Token[], aliases: ReadonlyMap<string, readonly string[]>): string {
  const text = tokens.map((token) => token.text).join(' ');
  const unnamed = text.replace(/@ \w+( \( [^()]* \))?/g, '').replace(/\S+ : /g, '');
  const spelt = spellOut(unnamed.split(' '), aliases).join('');
  return spelt.replace(/,(?=[)>])/g, '');
}

/** Replaces aliases by their types, including WGSL's own, such as `vec2f`. */
function spellOut(
  words: readonly string[],
  aliases: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return words.flatMap((word) => {
    const target = aliases.get(word);
    // Leave this alias out: an alias that names itself would recurse forever. The compiler rejects it later.
    if (target) return spellOut(target, new Map([...aliases].filter(([name]) => name !== word)));
    const [, shape, scalar] = VECTOR.exec(word) ?? [];
    return shape && scalar ? [shape, '<', SCALARS[scalar] as string, '>'] : [word];
  });
}

function declarationsOf(code: string): Declaration[] {
  return readDeclarations(readTokens(withoutComments(code)));
}

/** Returns only declarations outside all brackets, because local names need no check. */
function readDeclarations(tokens: readonly Token[]): Declaration[] {
  const declarations: Declaration[] = [];
  let attributes: string[] = [];
  let depth = 0;
  tokens.forEach(({ text }, index) => {
    const before = tokens[index - 1]?.text;
    if (OUTERMOST.includes(text)) depth = 0;
    if (CLOSING.has(text)) depth++;
    else if ([...CLOSING.values()].includes(text)) depth = Math.max(0, depth - 1);
    else if (depth > 0) return;
    else if (before === '@') attributes.push(text);
    else if (DECLARING.includes(text)) {
      const isInSpace = text === 'var' && tokens[index + 1]?.text === '<';
      const first = isInSpace ? tokens.findIndex((token, next) => next > index && token.text === '>') : index;
      const name = tokens[first + 1];
      if (name && IDENTIFIER.test(name.text)) {
        const end = tokens.findIndex((token, next) => next > first && /^[{;]$/.test(token.text));
        const rest = tokens.slice(first + 2, end < 0 ? undefined : end);
        const space = isInSpace ? tokens[index + 2]?.text : undefined;
        declarations.push({ keyword: text, attributes, space, name, rest });
      }
      attributes = [];
    } else if (text === ';') attributes = [];
  });
  return declarations;
}

function readTokens(bare: string): Token[] {
  return [...bare.matchAll(TOKEN)].map(({ 0: text, index }) => ({ text, at: index }));
}

/** Replaces comments by spaces, so that the rest of the code keeps its lines and columns. */
function withoutComments(code: string): string {
  let bare = '';
  let from = 0;
  for (;;) {
    const before = code.slice(from).search(/\/[/*]/);
    if (before < 0) return bare + code.slice(from);
    const at = from + before;
    const end = endOfComment(code, at);
    bare += code.slice(from, at) + code.slice(at, end).replace(/[^\n]/g, ' ');
    from = end;
  }
}

/**
 * Returns the index at which a comment ends. In WGSL, block comments nest, and several characters end a line comment.
 */
function endOfComment(code: string, at: number): number {
  const comment = code.slice(at);
  if (comment.startsWith('//')) {
    const length = comment.search(/[\n\v\f\r\u0085\u2028\u2029]/);
    return length < 0 ? code.length : at + length;
  }
  let depth = 0;
  for (const { 0: sign, index } of comment.matchAll(/\/\*|\*\//g)) {
    depth += sign === '/*' ? 1 : -1;
    if (depth === 0) return at + index + sign.length;
  }
  return code.length;
}
