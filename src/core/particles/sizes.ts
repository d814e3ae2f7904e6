/** Checks the sizes that callers give to bodies. */
import { ArgumentError } from '../base/errors';
import type { Dimensions, RadiusRange, World } from '../world/world';
import { checkBodiesFit, checkHalfExtents, defineShapes, isBox, type Sizes } from './shapes';

/** Sizes of bodies. */
export interface GivenSizes {
  /** One radius per body; 0 for boxes. */
  readonly radii?: Float32Array | undefined;
  /** `dimensions` numbers per body: half of each edge of a box, or 0 for a ball. */
  readonly halfExtents?: Float32Array | undefined;
}

export interface SizeRules {
  readonly dimensions: Dimensions;
  readonly radiusRange?: RadiusRange | undefined;
  readonly boxes?: boolean | undefined;
}

export function checkSizes(
  prefix: string,
  { radii: givenRadii, halfExtents }: GivenSizes,
  count: number,
  { dimensions, radiusRange, boxes }: SizeRules,
): Sizes & { readonly radii: Float32Array } {
  const given = givenRadii ?? (count === 0 && halfExtents === undefined ? new Float32Array(0) : undefined);
  if (!boxes) {
    if (halfExtents !== undefined) refuseHalfExtents(`${prefix}halfExtents`, halfExtents);
    checkRadii(`${prefix}radii`, given, count, radiusRange);
    return { radii: given };
  }
  const radii = given ?? (halfExtents ? new Float32Array(count) : undefined);
  if (halfExtents !== undefined) {
    checkHalfExtents(`${prefix}halfExtents`, halfExtents, count, dimensions, radiusRange);
  }
  checkRadii(`${prefix}radii`, radii, count, radiusRange, (body) =>
    halfExtents ? isBox(dimensions, halfExtents, body) : false,
  );
  return defineShapes(dimensions, radii, halfExtents);
}

/**
 * Checks sizes and returns them in the engines' form, or undefined if all particles have one radius. If particles may
 * be boxes and `world` is given, also checks that they fit into it.
 */
export function sizesOf(
  prefix: string,
  particles: GivenSizes,
  count: number,
  sizes: SizeRules & { readonly world?: World },
): Sizes | undefined {
  if (sizes.radiusRange) {
    const own = checkSizes(prefix, particles, count, sizes);
    if (sizes.world) checkBodiesFit(prefix, own, sizes.world);
    return own;
  }
  if (particles.halfExtents !== undefined) refuseHalfExtents(`${prefix}halfExtents`, particles.halfExtents);
  if (particles.radii === undefined) return undefined;
  const accepted = 'left out, since all particles of this simulation have one radius';
  throw new ArgumentError(`${prefix}radii`, particles.radii, accepted);
}

export function refuseHalfExtents(argument: string, halfExtents: unknown): never {
  throw new ArgumentError(
    argument,
    halfExtents,
    'left out, since no particle may be a box without `boxes: true`',
  );
}

/** Rounds a range for comparisons with radii, which are 32-bit floats. */
export function roundRange({ smallest, largest }: RadiusRange): RadiusRange {
  return { smallest: Math.fround(smallest), largest: Math.fround(largest) };
}

function checkRadii(
  argument: string,
  radii: unknown,
  count: number,
  range?: RadiusRange,
  isBoxAt: (body: number) => boolean = () => false,
): asserts radii is Float32Array {
  if (!(radii instanceof Float32Array) || radii.length !== count) {
    const accepted = `a Float32Array of length ${count}, one radius per body`;
    throw new ArgumentError(argument, radii, accepted);
  }
  const { smallest, largest } = range ? roundRange(range) : { smallest: 0, largest: Number.MAX_VALUE };
  for (let index = 0; index < count; index++) {
    const radius = radii[index] as number;
    if (isBoxAt(index)) {
      if (radius === 0) continue;
      throw new ArgumentError(`${argument}[${index}]`, radius, '0, since this body is a box');
    }
    if (radius > 0 && radius >= smallest && radius <= largest) continue;
    const accepted = range
      ? `from ${smallest} to ${largest} (the radiusRange)`
      : 'a finite number greater than 0';
    throw new ArgumentError(`${argument}[${index}]`, radius, accepted);
  }
}
