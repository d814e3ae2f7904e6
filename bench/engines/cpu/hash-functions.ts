/** Functions that turn the coordinates of a cell into 32 bits. They take whole numbers from −2³¹ to 2³¹ − 1. */

/**
 * Teschner and others, "Optimized Spatial Hashing for Collision Detection of Deformable Objects" (2003). The low bits
 * of the result depend only on the low bits of the coordinates.
 */
export function teschnerHash(x: number, y: number, z: number): number {
  return (Math.imul(x, 73_856_093) ^ Math.imul(y, 19_349_663) ^ Math.imul(z, 83_492_791)) >>> 0;
}

/**
 * Like Teschner's hash, but with other constants and two more rounds. After these, each bit of the result depends on
 * all bits of the coordinates.
 */
export function mixHash(x: number, y: number, z: number): number {
  let hash = Math.imul(x, 0x8da6_b343) ^ Math.imul(y, 0xd816_3841) ^ Math.imul(z, 0xcb1a_b31f);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a_2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Interleaves the low 16 bits of both coordinates. `mortonHash3D` uses 10 bits of each. */
export function mortonHash2D(x: number, y: number): number {
  return (spreadOver2(x) | (spreadOver2(y) << 1)) >>> 0;
}

export function mortonHash3D(x: number, y: number, z: number): number {
  return (spreadOver3(x) | (spreadOver3(y) << 1) | (spreadOver3(z) << 2)) >>> 0;
}

function spreadOver2(value: number): number {
  let bits = value & 0xffff;
  bits = (bits | (bits << 8)) & 0x00ff_00ff;
  bits = (bits | (bits << 4)) & 0x0f0f_0f0f;
  bits = (bits | (bits << 2)) & 0x3333_3333;
  return (bits | (bits << 1)) & 0x5555_5555;
}

function spreadOver3(value: number): number {
  let bits = value & 0x3ff;
  bits = (bits | (bits << 16)) & 0x0300_00ff;
  bits = (bits | (bits << 8)) & 0x0300_f00f;
  bits = (bits | (bits << 4)) & 0x030c_30c3;
  return (bits | (bits << 2)) & 0x0924_9249;
}

export const HASHES = ['teschner', 'mix', 'morton'] as const;
export type HashName = (typeof HASHES)[number];

/** The numbers that `hashCell` accepts instead of names, so that choosing the function costs little. */
export const HASH_NUMBERS: Readonly<Record<HashName, number>> = { teschner: 0, mix: 1, morton: 2 };

/** Returns the hash of a cell. In 2D, z is 0. */
export function hashCell(hash: number, is3D: boolean, x: number, y: number, z: number): number {
  switch (hash) {
    case 0:
      return teschnerHash(x, y, z);
    case 1:
      return mixHash(x, y, z);
    default:
      return is3D ? mortonHash3D(x, y, z) : mortonHash2D(x, y);
  }
}
