/** The names that WGSL declares or reserves. */

/** Names that a kernel must not define: the new meaning would apply to all linked modules. */
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

/** Matches `vec3`, `vec3f`, `mat2x2h` and so on. Group 1 is the shape, group 2 the suffix of the scalar type. */
export const VECTOR = /^(vec[234]|mat[234]x[234](?=[fh]?$))([fhiu]?)$/;

export const SCALARS: Readonly<Record<string, string>> = { f: 'f32', h: 'f16', i: 'i32', u: 'u32' };

export const KEYWORDS: ReadonlySet<string> = new Set(
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

export function isPredeclared(name: string): boolean {
  return PREDECLARED.has(name) || VECTOR.test(name);
}
