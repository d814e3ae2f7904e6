/** Families of AMD GPUs, each with the names that RADV accepts: newer versions of Mesa renamed some families. */
export const FAMILIES = {
  'RDNA 3': ['GFX1100', 'NAVI31'],
  'RDNA 2': ['NAVI21'],
  Vega: ['VEGA10'],
} as const satisfies Record<string, readonly string[]>;

export type Family = keyof typeof FAMILIES;
export const FAMILY_NAMES = Object.keys(FAMILIES) as Family[];
