/**
 * Purpose: the few matrices that a picture needs, column by column, as WGSL reads them; clip space is WebGPU's (z from 0 to 1).
 * tests/unit/page-camera.test.ts holds them against wgpu-matrix, of which the page would load 11 kB for these.
 */

export type Matrix = Float32Array<ArrayBuffer>;

type Vector3 = readonly [number, number, number];

export function identity(): Matrix {
  return Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
}

/** What is between these planes, seen from nowhere in particular. */
export function orthographic(
  left: number,
  right: number,
  bottom: number,
  top: number,
  near: number,
  far: number,
): Matrix {
  const [width, height, depth] = [right - left, top - bottom, near - far];
  const matrix = identity();
  matrix.set([2 / width, 0, 0, 0, 0, 2 / height, 0, 0, 0, 0, 1 / depth]);
  matrix.set([-(right + left) / width, -(top + bottom) / height, near / depth], 12);
  return matrix;
}

/** What an eye sees through a window in the near plane. */
export function frustum(
  left: number,
  right: number,
  bottom: number,
  top: number,
  near: number,
  far: number,
): Matrix {
  const [width, height, depth] = [right - left, top - bottom, near - far];
  return Float32Array.of(
    ...[(2 * near) / width, 0, 0, 0],
    ...[0, (2 * near) / height, 0, 0],
    ...[(left + right) / width, (top + bottom) / height, far / depth, -1],
    ...[0, 0, (near * far) / depth, 0],
  );
}

/** From the world to an eye that looks along −z with `up` above. */
export function lookAt(eye: Vector3, target: Vector3, up: Vector3): Matrix {
  const back = unit([eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]]);
  const right = unit(cross(up, back));
  const above = unit(cross(back, right));
  const rows = [right, above, back];
  const matrix = identity();
  rows.forEach((row, index) => {
    for (const axis of [0, 1, 2] as const) matrix[4 * axis + index] = row[axis];
    matrix[12 + index] = -dot(row, eye);
  });
  return matrix;
}

/** First `second`, then `first`. */
export function multiply(first: Matrix, second: Matrix): Matrix {
  return Float32Array.from({ length: 16 }, (_, place) => {
    const [column, row] = [place & ~3, place & 3];
    let sum = 0;
    for (let index = 0; index < 4; index++) {
      sum += (first[4 * index + row] as number) * (second[column + index] as number);
    }
    return sum;
  });
}

/** A point, or a vector of four, through a matrix. */
export function transform(
  matrix: Matrix,
  [x = 0, y = 0, z = 0, w = 1]: readonly number[],
): readonly number[] {
  return [0, 1, 2, 3].map((row) => {
    const along = (column: number) => matrix[4 * column + row] as number;
    return along(0) * x + along(1) * y + along(2) * z + along(3) * w;
  });
}

function dot(first: Vector3, second: Vector3): number {
  return first[0] * second[0] + first[1] * second[1] + first[2] * second[2];
}

function cross([a, b, c]: Vector3, [x, y, z]: Vector3): Vector3 {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}

function unit(vector: Vector3): Vector3 {
  const length = Math.hypot(...vector);
  return [vector[0] / length, vector[1] / length, vector[2] / length];
}
