/** Purpose: the few vectors that the references need, in doubles and for any number of axes. Plain and slow. */

export type Vector = readonly number[];

export function vectorAt(dimensions: number, packed: ArrayLike<number>, index: number): Vector {
  return Array.from({ length: dimensions }, (_, axis) => packed[dimensions * index + axis] as number);
}

/** a + factor · b */
export function plus(a: Vector, b: Vector, factor = 1): Vector {
  return a.map((value, axis) => value + factor * (b[axis] as number));
}

export function times(a: Vector, factor: number): Vector {
  return a.map((value) => factor * value);
}

export function dot(a: Vector, b: Vector): number {
  return a.reduce((sum, value, axis) => sum + value * (b[axis] as number), 0);
}

/** The way from one to another as a length of 1; see shaders/flock/motion.wgsl. */
export function heading(apart: Vector, number: number, other: number): Vector {
  const distance = Math.hypot(...apart);
  if (distance > 0) return times(apart, 1 / distance);
  return apart.map((_, axis) => (axis > 0 ? 0 : number < other ? -1 : 1));
}
