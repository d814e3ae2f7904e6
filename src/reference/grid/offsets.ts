/** Offsets to the 3×3 (in 3D, 3×3×3) cells around a cell, including itself. x changes fastest. */

const STEPS = [-1, 0, 1];

export const OFFSETS = {
  2: STEPS.flatMap((y) => STEPS.map((x) => [x, y])),
  3: STEPS.flatMap((z) => STEPS.flatMap((y) => STEPS.map((x) => [x, y, z]))),
} as const;
