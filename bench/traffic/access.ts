/** Finds which bytes of a buffer's element an access in a shader touches. */
import { CellstormError } from '../../src/core/base/errors';

export interface Access {
  /** The buffer's name in the shader. */
  readonly buffer: string;
  readonly binding: number;
  /** An `update` loads and stores without atomicity, such as `+=`. */
  readonly kind: 'load' | 'store' | 'update' | 'atomic';
  /** Bytes from one element to the next. */
  readonly stride: number;
  /** The first byte in the element, and the number of bytes. */
  readonly offset: number;
  readonly size: number;
}

/** The part of wgsl_reflect's types that an access needs. */
export interface Element {
  readonly name: string;
  readonly size: number;
  readonly stride?: number;
  readonly format?: Element | null;
  readonly members?: readonly { readonly name: string; readonly offset: number; readonly type: Element }[];
}

export interface Buffer {
  readonly name: string;
  readonly binding: number;
  readonly type: Element;
}

const COMPONENT_BYTES = 4;

/** Returns the bytes that an access touches. `members` are the names after the index, such as `ball` and `xy`. */
export function accessOf(
  { name: buffer, binding, type: { format, stride } }: Buffer,
  members: readonly string[],
  kind: Access['kind'],
): Access {
  if (!format || !stride) throw new CellstormError(`The buffer ${buffer} is no array.`);
  let { size } = format;
  let offset = 0;
  let type: Element | undefined = format;
  for (const name of members) {
    const member: { offset: number; type?: Element; size?: number } | undefined = type?.members?.find(
      (candidate) => candidate.name === name,
    );
    if (member?.type) {
      offset += member.offset;
      size = member.type.size;
      type = member.type;
      continue;
    }
    const components = [...name].map((letter) => 'xyzw'.indexOf(letter) % 4);
    const first = Math.min(...components);
    if (first < 0) throw new CellstormError(`The elements of ${buffer} have no member ${name}.`);
    offset += COMPONENT_BYTES * first;
    size = COMPONENT_BYTES * (Math.max(...components) - first + 1);
    type = undefined;
  }
  return { buffer, binding, kind, stride, offset, size };
}
