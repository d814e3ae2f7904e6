/** Splits WGSL into tokens. Joined with spaces, they are WGSL again. Comments are dropped. */
import { CellstormError } from '../../src/core/base/errors';

const TOKEN =
  /\s+|\/\/.*|\/\*[\s\S]*?\*\/|([A-Za-z_]\w*|0[xX][\da-fA-F.]+(?:[pP][+-]?\d+)?[fhiu]?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fhiu]?|>>=|<<=|->|\+\+|--|&&|\|\||==|!=|<=|>=|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|>>|<<|.)/y;

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

export function tokenize(code: string): string[] {
  return [...code.matchAll(new RegExp(TOKEN, 'gy'))].flatMap(([, token]) => token ?? []);
}

/** Returns the index of the bracket that closes the one at `open`. */
export function closingOf(tokens: readonly string[], open: number): number {
  const opening = tokens[open] as string;
  const closing = PAIRS[opening];
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    if (tokens[index] === opening) depth++;
    else if (tokens[index] === closing && --depth === 0) return index;
  }
  throw new CellstormError(`The shader has no "${closing}" for its token ${open}, "${opening}".`);
}

/** Splits tokens at `separator` outside of brackets. Leaves out the last part if it is empty. */
export function splitAt(tokens: readonly string[], separator: string): string[][] {
  const parts: string[][] = [[]];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as string;
    if (token === separator) {
      parts.push([]);
      continue;
    }
    const end = token in PAIRS ? closingOf(tokens, index) : index;
    parts.at(-1)?.push(...tokens.slice(index, end + 1));
    index = end;
  }
  return parts.filter((part, index) => part.length > 0 || index < parts.length - 1);
}

export interface FunctionText {
  readonly name: string;
  /** Attributes before `fn`. */
  readonly attributes: readonly string[];
  readonly parameters: readonly (readonly string[])[];
  /** The tokens between the parameters and the body. */
  readonly result: readonly string[];
  readonly body: readonly string[];
}

export interface ModuleText {
  /** Everything except functions, as text. */
  readonly declarations: string;
  readonly functions: readonly FunctionText[];
}

export function parseModule(code: string): ModuleText {
  const tokens = tokenize(code);
  const declarations: string[] = [];
  const functions: FunctionText[] = [];
  for (let index = 0; index < tokens.length; index++) {
    if (tokens[index] !== 'fn') {
      declarations.push(tokens[index] as string);
      continue;
    }
    const last = Math.max(declarations.lastIndexOf(';'), declarations.lastIndexOf('}'));
    const attributes = declarations.splice(last + 1);
    const open = index + 2;
    const close = closingOf(tokens, open);
    const begin = tokens.indexOf('{', close);
    const end = closingOf(tokens, begin);
    functions.push({
      name: tokens[index + 1] as string,
      attributes,
      parameters: splitAt(tokens.slice(open + 1, close), ','),
      result: tokens.slice(close + 1, begin),
      body: tokens.slice(begin + 1, end),
    });
    index = end;
  }
  return { declarations: declarations.join(' '), functions };
}
