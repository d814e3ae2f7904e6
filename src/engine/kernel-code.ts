/**
 * Purpose: what a kernel's code of the user's own says, as far as it must be known before it is compiled: that it
 * defines what it must, and that no name in it is one of ours. Names of ours differ from world to world and with
 * the radii, and a kernel that compiles in one must not fail in another.
 */
import { ArgumentError, Phrase } from '../core/errors';
import type { Dimensions, WorldKind } from '../core/world';
import { BODY_SOURCE, DIMENSION_SOURCES, SHARED_CONSTANTS } from '../gpu/link';
import { EACH_HEAVY, EACH_PARTICLE, EACH_POINT, NEIGHBOURS, neighbourModules } from '../passes/modules';

/** What the code must define, and how that is recognised. */
const NEEDED: Readonly<Record<string, RegExp>> = {
  'struct Own': /\b(struct|alias)\s+Own\b/,
  'fn begin': /\bfn\s+begin\b/,
  'fn visit': /\bfn\s+visit\b/,
  'fn finish': /\bfn\s+finish\b/,
};

const MERGE =
  /\bfn\s+merge\s*\(\s*\w+\s*:\s*ptr\s*<\s*function\s*,\s*Own\s*,?\s*>\s*,\s*\w+\s*:\s*Own\s*,?\s*\)\s*\{/;

/** Names that grid-kernel.ts declares: constants of the linker's, bindings and the type of the parameters. */
const DECLARED = [
  ...Object.keys(SHARED_CONSTANTS),
  'TILE_SIZE',
  'REACH_SQUARED_BITS',
  'REACH_CELLS',
  'position_in',
  'start',
  'cell_of_slot',
  'id_in',
  'velocity_in',
  'crowd',
  'guests',
  'points',
  'parameters',
  'Parameters',
];

const KINDS: readonly WorldKind[] = ['bounded', 'periodic', 'unbounded'];
const DIMENSIONS: readonly Dimensions[] = [2, 3];

const TOP_LEVEL = /\b(?:fn|struct|alias|const|override|var\s*(?:<[^>]*>)?)\s+([A-Za-z_]\w*)/g;

let reserved: ReadonlySet<string> | undefined;

/** Refuses code that lacks a part, and names, in code or of buffers, that would clash with ours or each other. */
export function checkCode(code: string, bufferNames: readonly string[]): void {
  const bare = withoutComments(code);
  for (const [name, pattern] of Object.entries(NEEDED)) {
    if (pattern.test(bare)) continue;
    throw new ArgumentError('code', new Phrase(`WGSL without "${name}"`), 'code that defines it');
  }
  if (definesMerge(code) && !MERGE.test(bare)) {
    const accepted = '`fn merge(own: ptr<function, Own>, other: Own)`, without a result';
    throw new ArgumentError('code', new Phrase('WGSL with another `fn merge`'), accepted);
  }
  const ours = reservedNames();
  const defined = topLevelNames(code);
  for (const name of defined) {
    if (!ours.has(name)) continue;
    const value = new Phrase(`WGSL that defines "${name}"`);
    throw new ArgumentError('code', value, "code whose names the grid's own code does not have");
  }
  for (const name of bufferNames) {
    if (ours.has(name))
      throw new ArgumentError('buffers', name, "a name that the grid's own code does not have");
    if (defined.has(name))
      throw new ArgumentError('buffers', name, 'a name that the code does not define too');
  }
}

/** Whether the code says what becomes of particles that are not finite. */
export function definesSkip(code: string): boolean {
  return /\bfn\s+skip\b/.test(withoutComments(code));
}

/** Whether the code says how two parts of what a particle gathers become one. */
export function definesMerge(code: string): boolean {
  return /\bfn\s+merge\b/.test(withoutComments(code));
}

/** Of every module that may be linked, in any kind of world and either dimension. */
function reservedNames(): ReadonlySet<string> {
  if (reserved) return reserved;
  const sources = [
    ...DIMENSIONS.map((dimensions) => DIMENSION_SOURCES[dimensions]),
    BODY_SOURCE,
    ...KINDS.flatMap((kind) => neighbourModules({ dimensions: 2, kind }, 'grid')),
    ...KINDS.flatMap((kind) => neighbourModules({ dimensions: 2, kind }, 'grid', 'wide')),
    ...KINDS.flatMap((kind) => neighbourModules({ dimensions: 2, kind, levels: 1 }, 'grid')),
    ...KINDS.flatMap((kind) => neighbourModules({ dimensions: 2, kind, levels: 1 }, 'grid', 'wide')),
    NEIGHBOURS,
    EACH_PARTICLE,
    ...EACH_HEAVY,
    EACH_POINT,
  ];
  reserved = new Set([...DECLARED, ...sources.flatMap(({ text }) => [...topLevelNames(text)])]);
  return reserved;
}

/** Names that are declared outside all braces; a local name may be whatever it likes. */
function topLevelNames(code: string): ReadonlySet<string> {
  let depth = 0;
  let outside = '';
  for (const character of withoutComments(code)) {
    if (character === '{') depth++;
    if (depth === 0) outside += character;
    if (character === '}') depth = Math.max(0, depth - 1);
  }
  return new Set([...outside.matchAll(TOP_LEVEL)].map(([, name]) => name as string));
}

/** Each comment a space. Those between slash and star nest in WGSL. */
function withoutComments(code: string): string {
  let depth = 0;
  let bare = '';
  for (const [token] of code.matchAll(/\/\/.*|\/\*|\*\/|[^/*]+|[/*]/g)) {
    if (token === '/*') depth++;
    else if (token === '*/' && depth > 0) {
      depth--;
      bare += ' ';
    } else if (depth === 0) bare += token.startsWith('//') ? ' ' : token;
  }
  return bare;
}
