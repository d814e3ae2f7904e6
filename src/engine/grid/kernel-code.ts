/**
 * What a kernel's code of the user's own says, as far as it must be known before it is compiled: that it
 * defines what it must and how it must, that its brackets match, and that no name in it is one of ours or of WGSL's.
 * Names of ours differ from world to world and with the radii, and a kernel that compiles in one must not fail in
 * another. What is wrong is said of a line of the user's, where the compiler might first stumble in one of ours.
 */
import { ArgumentError, Phrase } from '../../core/base/errors';
import type { Dimensions, WorldKind } from '../../core/world/world';
import { BODY_SOURCE, DIMENSION_SOURCES, SHARED_CONSTANTS } from '../../gpu/link';
import { EACH_HEAVY, EACH_PARTICLE, neighbourModules } from '../../passes/modules';
import { EACH_POINT, NEIGHBOURS, searchModules } from '../../passes/search-modules';

/** The declarations that the code must contain, and their keywords. */
const NEEDED: readonly (readonly [keywords: readonly string[], name: string])[] = [
  [['struct', 'alias'], 'Own'],
  [['fn'], 'begin'],
  [['fn'], 'visit'],
  [['fn'], 'finish'],
];

/** How the grid's own code calls what the code defines. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  begin: '(particle: Particle) -> Own',
  visit: '(own: ptr<function, Own>, particle: Particle, other: Neighbour)',
  finish: '(own: Own, particle: Particle)',
  skip: '(slot: u32)',
  merge: '(own: ptr<function, Own>, other: Own)',
};

/** Names that grid-kernel.ts declares: constants of the linker's, bindings and the type of the parameters. */
const DECLARED = [
  ...Object.keys(SHARED_CONSTANTS),
  'TILE_SIZE',
  'REACH_SQUARED_BITS',
  'position_in',
  'start',
  'cell_of_slot',
  'id_in',
  'velocity_in',
  'crowd',
  'finer',
  'points',
  'parameters',
  'Parameters',
];

const KINDS: readonly WorldKind[] = ['bounded', 'periodic', 'unbounded'];
const DIMENSIONS: readonly Dimensions[] = [2, 3];

/**
 * What WGSL declares itself: functions, types, and names such as `storage`. It lets others take their place, in the
 * grid's own code too.
 */
const PREDECLARED: ReadonlySet<string> = new Set(
  `array atomic bool f16 f32 i32 ptr sampler sampler_comparison texture_1d texture_2d texture_2d_array texture_3d
  texture_cube texture_cube_array texture_depth_2d texture_depth_2d_array texture_depth_cube texture_depth_cube_array
  texture_depth_multisampled_2d texture_external texture_multisampled_2d texture_storage_1d texture_storage_2d
  texture_storage_2d_array texture_storage_3d u32

  function immediate private read read_write storage uniform workgroup write

  bgra8unorm r16float r16sint r16snorm r16uint r16unorm r32float r32sint r32uint r8sint r8snorm r8uint r8unorm
  rg11b10ufloat rg16float rg16sint rg16snorm rg16uint rg16unorm rg32float rg32sint rg32uint rg8sint rg8snorm rg8uint
  rg8unorm rgb10a2uint rgb10a2unorm rgba16float rgba16sint rgba16snorm rgba16uint rgba16unorm rgba32float rgba32sint
  rgba32uint rgba8sint rgba8snorm rgba8uint rgba8unorm

  abs acos acosh all any arrayLength asin asinh atan atan2 atanh atomicAdd atomicAnd atomicCompareExchangeWeak
  atomicExchange atomicLoad atomicMax atomicMin atomicOr atomicStore atomicSub atomicXor bitcast ceil clamp cos cosh
  countLeadingZeros countOneBits countTrailingZeros cross degrees determinant distance dot dot4I8Packed dot4U8Packed
  dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine exp exp2 extractBits faceForward firstLeadingBit firstTrailingBit
  floor fma fract frexp fwidth fwidthCoarse fwidthFine insertBits inverseSqrt ldexp length log log2 max min mix modf
  normalize pack2x16float pack2x16snorm pack2x16unorm pack4x8snorm pack4x8unorm pack4xI8 pack4xI8Clamp pack4xU8
  pack4xU8Clamp pow quadBroadcast quadSwapDiagonal quadSwapX quadSwapY quantizeToF16 radians reflect refract
  reverseBits round saturate select sign sin sinh smoothstep sqrt step storageBarrier subgroupAdd subgroupAll
  subgroupAnd subgroupAny subgroupBallot subgroupBroadcast subgroupBroadcastFirst subgroupElect subgroupExclusiveAdd
  subgroupExclusiveMul subgroupInclusiveAdd subgroupInclusiveMul subgroupMax subgroupMin subgroupMul subgroupOr
  subgroupShuffle subgroupShuffleDown subgroupShuffleUp subgroupShuffleXor subgroupXor tan tanh textureBarrier
  textureDimensions textureGather textureGatherCompare textureLoad textureNumLayers textureNumLevels
  textureNumSamples textureSample textureSampleBaseClampToEdge textureSampleBias textureSampleCompare
  textureSampleCompareLevel textureSampleGrad textureSampleLevel textureStore transpose trunc unpack2x16float
  unpack2x16snorm unpack2x16unorm unpack4x8snorm unpack4x8unorm unpack4xI8 unpack4xU8 workgroupBarrier
  workgroupUniformLoad`.split(/\s+/),
);

/** Vectors and matrices, which it declares too: `vec3`, `vec3f`, `mat2x2h`. */
const VECTOR = /^(vec[234]|mat[234]x[234](?=[fh]?$))([fhiu]?)$/;

const SCALARS: Readonly<Record<string, string>> = { f: 'f32', h: 'f16', i: 'i32', u: 'u32' };

/** Words that nothing may be called. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let
  loop override requires return struct switch true var while

  NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class
  co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval
  constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export
  extends extern external fallthrough filter final finally friend from fxgroup get goto groupshared highp impl
  implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut
  mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of
  operator package packoffset partition pass patch pixelfragment precise precision premerge priv protected pub public
  readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm
  static static_assert static_cast std subroutine super target template this thread_local throw trait try type
  typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with
  writeonly yield`.split(/\s+/),
);

const DECLARING = ['fn', 'struct', 'alias', 'const', 'override', 'var'];

/** Keywords that never stand in brackets: where one does, a bracket before it was left open. */
const OUTERMOST = ['fn', 'struct', 'alias', 'override'];

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);

const TOKEN = /[\p{XIDS}_]\p{XIDC}*|\d[\w.]*|->|\S/gu;

const IDENTIFIER = /^[\p{XIDS}_]/u;

/** A word, a number or a sign, and where in the code it begins. */
interface Token {
  readonly text: string;
  readonly at: number;
}

/** A declaration outside all brackets. */
interface Declaration {
  readonly keyword: string;
  readonly attributes: readonly string[];
  /** The address space of a `var`: `private` in `var<private>`. */
  readonly space: string | undefined;
  readonly name: Token;
  /** From the name to the body or the end. */
  readonly rest: readonly Token[];
}

/** Says what is wrong at a place of the code, and what it must be. */
type Refuse = (at: number, value: string, accepted: string) => never;

/** The code, where it is wrong: the message begins with the user's own line. */
class CodeError extends ArgumentError {
  override readonly argument = 'code';

  constructor(place: string, value: Phrase, accepted: string) {
    super(`${place}: code`, value, accepted);
  }
}

let reserved: ReadonlySet<string> | undefined;

/**
 * Refuses code that lacks a part or has it otherwise than it is called, and names, in code or of buffers, that would
 * clash with ours, WGSL's or each other.
 */
export function checkCode(
  code: string,
  label: string,
  dimensions: Dimensions,
  bufferNames: readonly string[],
): void {
  const refuse: Refuse = (at, value, accepted) => {
    const lines = code.slice(0, at).split('\n');
    const place = `${label}:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
    throw new CodeError(place, new Phrase(value), accepted);
  };
  const bare = withoutComments(code, (at) =>
    refuse(at, 'WGSL with a "/*" that nothing ends', 'code whose comments end'),
  );
  const tokens = readTokens(bare);
  checkBrackets(tokens, refuse);
  checkEnd(tokens, refuse);
  const declarations = readDeclarations(tokens);
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
  const ours = reservedNames();
  const defined = new Set(declarations.map(({ name }) => name.text));
  for (const name of bufferNames) {
    if (isPredeclared(name))
      throw new ArgumentError('buffers', name, 'a name that WGSL itself does not have');
    if (ours.has(name))
      throw new ArgumentError('buffers', name, "a name that the grid's own code does not have");
    if (defined.has(name))
      throw new ArgumentError('buffers', name, 'a name that the code does not define too');
  }
}

/** Refuses what no variable and no member of a struct can be called. */
export function checkNames(argument: 'buffers' | 'parameters', names: readonly string[]): void {
  for (const name of names) {
    if (!/^[A-Za-z]\w*$/.test(name)) throw new ArgumentError(argument, name, 'named as WGSL names things');
    if (KEYWORDS.has(name)) {
      throw new ArgumentError(argument, name, 'a name that is no keyword or reserved word of WGSL');
    }
  }
}

/** Whether the code says what becomes of particles that are not finite. */
export function definesSkip(code: string): boolean {
  return definesFunction(code, 'skip');
}

/** Whether the code says how two parts of what a particle gathers become one. */
export function definesMerge(code: string): boolean {
  return definesFunction(code, 'merge');
}

function definesFunction(code: string, name: string): boolean {
  return declarationsOf(code).some((found) => found.keyword === 'fn' && found.name.text === name);
}

/** One left open would end among our own lines. */
function checkBrackets(tokens: readonly Token[], refuse: Refuse): void {
  const open: Token[] = [];
  const refuseOpen = ({ text, at }: Token) =>
    refuse(at, `WGSL with a "${text}" that nothing closes`, 'code whose brackets match');
  for (const token of tokens) {
    const last = open.at(-1);
    if (CLOSING.has(token.text)) open.push(token);
    else if ([...CLOSING.values()].includes(token.text)) {
      if (!last) {
        const value = `WGSL with a "${token.text}" that closes nothing`;
        refuse(token.at, value, 'code whose brackets match');
      } else if (CLOSING.get(last.text) !== token.text) refuseOpen(last);
      open.pop();
    } else if (last && OUTERMOST.includes(token.text)) refuseOpen(last);
  }
  const last = open.at(-1);
  if (last) refuseOpen(last);
}

/** Rejects brackets and comments that the code leaves open: our own lines would close them. */
function checkEnd(tokens: readonly Token[], refuse: Refuse): void {
  const last = tokens.at(-1);
  if (!last || last.text === '}' || last.text === ';') return;
  refuse(last.at, `WGSL that ends with "${last.text}"`, 'code that ends with "}" or ";"');
}

function checkDeclarations(declarations: readonly Declaration[], refuse: Refuse): void {
  const ours = reservedNames();
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
    if (isPredeclared(text)) refuse(at, value, 'code whose names WGSL itself does not have');
    if (ours.has(text)) refuse(at, value, "code whose names the grid's own code does not have");
  }
}

/** Called otherwise than they are defined, functions would be errors of ours. */
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
    refuse(name.at, `WGSL with another \`fn ${name.text}\``, `\`fn ${name.text}${called}\`${result}`);
  }
}

/** Types of what a function takes and of its result, whatever they are called: `(Own,Particle)`. */
function signatureOf(tokens: readonly Token[], aliases: ReadonlyMap<string, readonly string[]>): string {
  const text = tokens.map((token) => token.text).join(' ');
  const unnamed = text.replace(/@ \w+( \( [^()]* \))?/g, '').replace(/\S+ : /g, '');
  const spelt = spellOut(unnamed.split(' '), aliases).join('');
  return spelt.replace(/,(?=[)>])/g, '');
}

/** Aliases, those of WGSL too, replaced by what they stand for. */
function spellOut(
  words: readonly string[],
  aliases: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return words.flatMap((word) => {
    const target = aliases.get(word);
    // One that stands for itself is an error of the compiler's.
    if (target) return spellOut(target, new Map([...aliases].filter(([name]) => name !== word)));
    const [, shape, scalar] = VECTOR.exec(word) ?? [];
    return shape && scalar ? [shape, '<', SCALARS[scalar] as string, '>'] : [word];
  });
}

function isPredeclared(name: string): boolean {
  return PREDECLARED.has(name) || VECTOR.test(name);
}

/** The names that every module and grid-kernel.ts declare. */
function reservedNames(): ReadonlySet<string> {
  reserved ??= new Set([
    ...DECLARED,
    ...linkedTexts().flatMap((text) => declarationsOf(text).map(({ name }) => name.text)),
  ]);
  return reserved;
}

/** The texts of all modules that may be linked, in any kind of world and dimension. */
export function linkedTexts(): string[] {
  const sources = [
    ...DIMENSIONS.map((dimensions) => DIMENSION_SOURCES[dimensions]),
    BODY_SOURCE,
    ...KINDS.flatMap((kind) => neighbourModules({ dimensions: 2, kind }, 'grid')),
    ...KINDS.flatMap((kind) => searchModules({ dimensions: 2, kind }, 'wide')),
    ...KINDS.flatMap((kind) => neighbourModules({ dimensions: 2, kind, levels: 1 }, 'grid')),
    ...KINDS.flatMap((kind) => searchModules({ dimensions: 2, kind, levels: 1 }, 'wide')),
    NEIGHBOURS,
    EACH_PARTICLE,
    ...EACH_HEAVY,
    EACH_POINT,
  ];
  return sources.map(({ text }) => text);
}

function declarationsOf(code: string): Declaration[] {
  return readDeclarations(readTokens(withoutComments(code)));
}

/** Declarations outside all brackets. Local names are free. */
function readDeclarations(tokens: readonly Token[]): Declaration[] {
  const declarations: Declaration[] = [];
  let attributes: string[] = [];
  let depth = 0;
  tokens.forEach(({ text }, index) => {
    const before = tokens[index - 1]?.text;
    if (CLOSING.has(text)) depth++;
    else if ([...CLOSING.values()].includes(text)) depth = Math.max(0, depth - 1);
    else if (depth > 0) return;
    else if (before === '@') attributes.push(text);
    else if (DECLARING.includes(text)) {
      const isInSpace = text === 'var' && tokens[index + 1]?.text === '<';
      const first = isInSpace
        ? tokens.findIndex((token, place) => place > index && token.text === '>')
        : index;
      const name = tokens[first + 1];
      if (name && IDENTIFIER.test(name.text)) {
        const end = tokens.findIndex((token, place) => place > first && /^[{;]$/.test(token.text));
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

/** Comments as blanks, so that all else stays where it is. */
function withoutComments(code: string, refuseEndless: (at: number) => void = () => undefined): string {
  let bare = '';
  let from = 0;
  for (;;) {
    const before = code.slice(from).search(/\/[/*]/);
    if (before < 0) return bare + code.slice(from);
    const at = from + before;
    const end = endOfComment(code, at);
    if (end === undefined) refuseEndless(at);
    bare += code.slice(from, at) + code.slice(at, end).replace(/[^\n]/g, ' ');
    from = end ?? code.length;
  }
}

/** Block comments nest in WGSL. Line comments end at any of WGSL's line breaks. */
function endOfComment(code: string, at: number): number | undefined {
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
  return undefined;
}
