/**
 * Lists the faults that can be put into a file. Works on formatted text, in which binary operators have spaces around
 * them, and brackets of types have none.
 */
export interface Mutant {
  /** A path relative to the root. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  readonly kind: string;
  readonly before: string;
  readonly after: string;
}

interface Rule {
  readonly kind: string;
  readonly pattern: RegExp;
  replace(match: RegExpMatchArray): string;
  readonly only?: 'wgsl' | 'ts';
}

const EXCHANGES: readonly (readonly [string, string])[] = [
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['%', '*'],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['==', '!='],
  ['!=', '=='],
  ['===', '!=='],
  ['!==', '==='],
  ['&&', '||'],
  ['||', '&&'],
  ['<<', '>>'],
  ['>>', '<<'],
  ['>>>', '<<'],
  ['+=', '-='],
  ['-=', '+='],
];

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const RULES: readonly Rule[] = [
  ...EXCHANGES.map(([from, to]) => ({
    kind: 'operator',
    pattern: new RegExp(` ${escapePattern(from)} `, 'g'),
    replace: () => ` ${to} `,
  })),
  // In TypeScript these two operators usually join types.
  { kind: 'operator', pattern: / & /g, replace: () => ' | ', only: 'wgsl' },
  { kind: 'operator', pattern: / \| /g, replace: () => ' & ', only: 'wgsl' },
  // Leave out numbers joined by |, because they are types: 0 | 1.
  {
    kind: 'constant',
    pattern: /(?<![\w.@]|\d \| )(\d+)(?=u?\b(?!\.\d|f\b|\w| \| \d))/g,
    replace: ([, digits]) => `${Number(digits) + 1}`,
  },
  {
    kind: 'constant',
    pattern: /(?<![\w.])(\d+)(?=\.\d+\b)/g,
    replace: ([, digits]) => `${Number(digits) + 1}`,
  },
  { kind: 'constant', pattern: /\btrue\b/g, replace: () => 'false' },
  { kind: 'constant', pattern: /\bfalse\b/g, replace: () => 'true' },
  { kind: 'function', pattern: /\bmin\(/g, replace: () => 'max(' },
  { kind: 'function', pattern: /\bmax\(/g, replace: () => 'min(' },
  { kind: 'function', pattern: /\bfloor\(/g, replace: () => 'ceil(' },
  { kind: 'function', pattern: /\bceil\(/g, replace: () => 'floor(' },
  { kind: 'condition', pattern: /\bif \((.*)\)(?= \{$)/g, replace: ([, inside]) => `if (!(${inside}))` },
  {
    kind: 'dropped',
    pattern: /^\s+(?!let |var |const |return |for )[\w.[\]()*&]+ [-+*/|&^]?= [^{}]*;$/g,
    replace: () => '',
  },
  { kind: 'dropped', pattern: /\b(?:workgroup|storage)Barrier\(\);/g, replace: () => '', only: 'wgsl' },
  {
    kind: 'atomic',
    pattern: /\batomic(?:Add|Sub|Max|Min|Or|And|Xor|Exchange)\((&[^,]+), (?:[^()]|\([^()]*\))*\)(?= *[;)])/g,
    replace: ([, target]) => `atomicLoad(${target})`,
    only: 'wgsl',
  },
];

/** No fault makes sense in these lines. */
const LEFT_OUT =
  /^\s*(?:import |export (?:type|\{|\*)|type |interface |@|#|\/\/|\} from )|@(?:group|workgroup_size|builtin)/;

export function mutantsOf(file: string, text: string): Mutant[] {
  const language = file.endsWith('.wgsl') ? 'wgsl' : 'ts';
  const lines = text.split('\n');
  const codes = blankOut(text, language).split('\n');
  const found: Mutant[] = [];
  codes.forEach((code, index) => {
    const before = lines[index] as string;
    if (LEFT_OUT.test(before) || (language === 'ts' && /^\s*(?:readonly )?\w+\??: [^=(]*;$/.test(code)))
      return;
    for (const { kind, pattern, replace, only } of RULES) {
      if (only && only !== language) continue;
      for (const match of code.matchAll(pattern)) {
        const end = match.index + match[0].length;
        // Strings are blank in `code`, so take the text from the line itself.
        const original = before.slice(match.index, end);
        const same = Object.assign([...match], { index: match.index }) as RegExpMatchArray;
        if (kind === 'condition') same[1] = original.slice('if ('.length, -1);
        const after = before.slice(0, match.index) + replace(same) + before.slice(end);
        if (after !== before) found.push({ file, line: index + 1, kind, before, after });
      }
    }
  });
  return found;
}

/** Replaces comments, strings and regular expressions by spaces; lines keep their length. */
export function blankOut(text: string, language: 'wgsl' | 'ts'): string {
  const token =
    language === 'wgsl'
      ? /\/\/.*|\/\*[\s\S]*?\*\//g
      : /\/\/.*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|(?<=[(,=:[!&|?{};]\s*|return )\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/g;
  return text.replace(token, (found) => found.replace(/[^\n]/g, ' '));
}
