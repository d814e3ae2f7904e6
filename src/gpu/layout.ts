/**
 * Host twins of WGSL uniform structs, and the layout of particle buffers. In a struct, a vector takes 8 bytes and is
 * aligned to 8 in 2D; in 3D it takes 12 bytes and is aligned to 16.
 */
import { CellstormError } from '../core/base/errors';
import { fillFrom } from '../core/base/fill';
import type { Sizes } from '../core/particles/shapes';
import type { Dimensions, World } from '../core/world/world';

/**
 * A `vector` has an f32 per dimension, an `extent` a u32 per dimension. A `table` has TABLE_WORDS values of type u32.
 * WGSL stores a table in vectors of four, because elements of uniform arrays must be aligned to 16 bytes.
 */
export type FieldType = 'f32' | 'u32' | 'vector' | 'extent' | 'table';

export const TABLE_WORDS = 24;

export type FieldValue<Type extends FieldType> = Type extends 'vector' | 'extent' | 'table'
  ? readonly number[]
  : number;

export type StructFields = Readonly<Record<string, FieldType>>;

export type StructValues<Fields extends StructFields> = {
  readonly [Name in keyof Fields]: FieldValue<Fields[Name]>;
};

export interface StructLayout<Fields extends StructFields> {
  readonly dimensions: Dimensions;
  readonly fields: Fields;
  readonly offsets: Readonly<Record<keyof Fields, number>>;
  /** Bytes, a multiple of the alignment. */
  readonly size: number;
  encode(values: StructValues<Fields>): ArrayBuffer;
}

export function defineStruct<const Fields extends StructFields>(
  dimensions: Dimensions,
  fields: Fields,
): StructLayout<Fields> {
  const offsets: Record<string, number> = {};
  let end = 0;
  let alignment = 4;
  for (const [name, type] of Object.entries(fields)) {
    const wide = type === 'vector' || type === 'extent';
    const align = type === 'table' ? 16 : wide ? (dimensions === 2 ? 8 : 16) : 4;
    alignment = Math.max(alignment, align);
    offsets[name] = Math.ceil(end / align) * align;
    end = (offsets[name] as number) + (type === 'table' ? 4 * TABLE_WORDS : wide ? 4 * dimensions : 4);
  }
  const size = Math.ceil(end / alignment) * alignment;
  return {
    dimensions,
    fields,
    offsets: offsets as Record<keyof Fields, number>,
    size,
    encode(values) {
      const bytes = new ArrayBuffer(size);
      const view = new DataView(bytes);
      for (const [name, type] of Object.entries(fields)) {
        const value = values[name] as number | readonly number[] | undefined;
        if (value === undefined) throw new CellstormError(`The struct field ${name} has no value.`);
        const components = typeof value === 'number' ? [value] : value;
        components.forEach((component, index) => {
          const offset = (offsets[name] as number) + 4 * index;
          if (type === 'u32' || type === 'extent' || type === 'table')
            view.setUint32(offset, component, true);
          else view.setFloat32(offset, component, true);
        });
      }
      return bytes;
    },
  };
}

/** Returns the floats per vector in a GPU buffer: 2 for vec2f, 4 for a padded vec3f. */
export function storedFloats(dimensions: Dimensions): number {
  return dimensions === 2 ? 2 : 4;
}

/**
 * Converts packed vectors to the layout of a GPU buffer. Copies bits, so the bits of a NaN stay the same. `spares`: the
 * fourth number of each 3D vector.
 */
export function toStored(
  dimensions: Dimensions,
  packed: Float32Array,
  spares?: Float32Array,
): Float32Array<ArrayBuffer> {
  if (dimensions === 2) return new Float32Array(packed);
  const source = new Uint32Array(packed.buffer, packed.byteOffset, packed.length);
  const count = packed.length / 3;
  const stored = new Uint32Array(count * 4);
  for (let index = 0; index < count; index++) {
    stored[4 * index] = source[3 * index] as number;
    stored[4 * index + 1] = source[3 * index + 1] as number;
    stored[4 * index + 2] = source[3 * index + 2] as number;
  }
  const target = new Float32Array(stored.buffer);
  spares?.forEach((spare, index) => {
    target[4 * index + 3] = spare;
  });
  return target;
}

export function bodyFloats({
  dimensions,
  levels,
  boxes,
}: Pick<World, 'dimensions' | 'levels'> & Partial<Pick<World, 'boxes'>>): number {
  if (boxes) return BOX_FLOATS;
  return levels > 0 ? BODY_FLOATS : storedFloats(dimensions);
}

const BODY_FLOATS = 4;
const BOX_FLOATS = 8;

/**
 * Converts packed positions and sizes to bodies. The numbers of a body are:
 *   - in 2D: x, y, load, radius
 *   - in 3D: x, y, z, radius; toStored stores the load with the velocity
 *   - if bodies may be boxes, then also the half extents and the bulk (`Shapes` in shapes.ts)
 */
export function toBodies(
  dimensions: Dimensions,
  packed: Float32Array,
  { radii, halves, bulks, loads }: Sizes & { readonly radii: Float32Array },
): Float32Array<ArrayBuffer> {
  const source = new Uint32Array(packed.buffer, packed.byteOffset, packed.length);
  const sizes = new Uint32Array(radii.buffer, radii.byteOffset, radii.length);
  const floats = halves ? BOX_FLOATS : BODY_FLOATS;
  const bodies = new Uint32Array(floats * radii.length);
  const target = new Float32Array(bodies.buffer);
  for (let index = 0; index < radii.length; index++) {
    const first = floats * index;
    bodies.set(source.subarray(dimensions * index, dimensions * (index + 1)), first);
    bodies[first + 3] = sizes[index] as number;
    if (loads && dimensions === 2) target[first + 2] = loads[index] as number;
    if (!halves || !bulks) continue;
    target.set(halves.subarray(dimensions * index, dimensions * (index + 1)), first + BODY_FLOATS);
    target[first + BODY_FLOATS + 3] = bulks[index] as number;
  }
  return target;
}

/** Returns the sizes of the bodies in `slots`. `floats` is the result of bodyFloats. */
export function sizesOfBodies(
  dimensions: Dimensions,
  bodies: ArrayBuffer,
  slots: Uint32Array,
  floats: number,
): Sizes {
  const source = new Float32Array(bodies);
  const radii = fillFrom(
    new Float32Array(slots.length),
    slots,
    (slot) => source[floats * slot + 3] as number,
  );
  if (floats !== BOX_FLOATS) return { radii };
  const halves = new Float32Array(dimensions * slots.length);
  slots.forEach((slot, index) => {
    const first = floats * slot + BODY_FLOATS;
    halves.set(source.subarray(first, first + dimensions), dimensions * index);
  });
  return { radii, halves };
}

export function loadsOfBodies(
  dimensions: Dimensions,
  bodies: ArrayBuffer,
  velocities: ArrayBuffer,
  slots: Uint32Array,
  floats: number,
): Float32Array {
  const source = new Float32Array(dimensions === 2 ? bodies : velocities);
  const [stride, at] = dimensions === 2 ? [floats, 2] : [4, 3];
  return fillFrom(new Float32Array(slots.length), slots, (slot) => source[stride * slot + at] as number);
}

/**
 * Converts vectors from a GPU buffer to packed vectors: all of them, or those in `slots`. Copies bits, so the bits of a
 * NaN stay the same. `words`: floats per vector in the buffer.
 */
export function fromStored(
  dimensions: Dimensions,
  stored: ArrayBuffer,
  slots?: Uint32Array,
  words = storedFloats(dimensions),
): Float32Array {
  const source = new Uint32Array(stored);
  const count = slots ? slots.length : source.length / words;
  const packed = new Uint32Array(count * dimensions);
  for (let index = 0; index < count; index++) {
    const from = (slots ? (slots[index] as number) : index) * words;
    for (let axis = 0; axis < dimensions; axis++)
      packed[index * dimensions + axis] = source[from + axis] as number;
  }
  return new Float32Array(packed.buffer);
}
