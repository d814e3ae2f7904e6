/** Offsets from a cell to each of the 3×3 (3×3×3) cells around it, itself included, x fastest. */

const STEPS = [-1, 0, 1];

export const OFFSETS = {
  2: STEPS.flatMap((y) => STEPS.map((x) => [x, y])),
  3: STEPS.flatMap((z) => STEPS.flatMap((y) => STEPS.map((x) => [x, y, z]))),
} as const;
