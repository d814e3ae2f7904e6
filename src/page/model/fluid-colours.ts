/** Colours of fluids and their fields (sRGB, 0 to 1), and the ends of their scales. */
import type { FluidPlan } from '../../methods/fluid';
import {
  COLOUR_STOPS,
  interpolate,
  parseHex,
  type Rgb,
  type Scale,
  type Theme,
  themeOfScale,
} from './colour';

export interface FluidColours {
  /** Colours of speeds. They replace the theme's `stops`. */
  readonly stops: readonly Rgb[];
  /** Colour that the surface mirrors from straight above; in 2D, the colour of the line along the surface. */
  readonly zenith: Rgb;
  /** Colour that the surface mirrors from the horizon. */
  readonly horizon: Rgb;
  /** Brightness of a window above the tank, which the fluid mirrors in 3D. */
  readonly window: number;
  /** Red, green and blue decay by these exponents in fluid as thick as the box is high. */
  readonly absorption: Rgb;
  /** The background fades by this exponent behind fluid as thick as the box is high. */
  readonly cloud: number;
}

/** Colours from still (deep water) to fast (foam). Foam must be visible in the light theme, too. */
const WATER = {
  dark: ['0c3a75', '12559c', '1d74be', '3a97d8', '62bcf0', '8fd8fb'],
  light: ['0d4787', '1763a8', '2580c4', '469fda', '6ac0f0', '9adcf9'],
} as const;

export function fluidColours(isDark: boolean): FluidColours {
  const water = WATER[isDark ? 'dark' : 'light'].map(parseHex);
  return {
    stops: Array.from({ length: COLOUR_STOPS }, (_, index) => interpolate(water, index / (COLOUR_STOPS - 1))),
    zenith: parseHex(isDark ? 'd9f1fd' : 'f4fbff'),
    horizon: parseHex(isDark ? '1f3f66' : 'b9d9f0'),
    window: isDark ? 0.9 : 0.35,
    absorption: [6, 1.5, 0.5],
    cloud: isDark ? 3 : 1.8,
  };
}

/** Returns the theme for a scale. A surface coloured by speed has the colours of water. */
export function themeOf(theme: Theme, scale: Scale, isSurface: boolean): Theme {
  if (isSurface && scale.by === 'speed') return { ...theme, stops: fluidColours(theme.isDark).stops };
  return themeOfScale(theme, scale);
}

export const PRESSURE_OPACITY = 0.88;

/** Colours from low to high pressure, with other hues than water. The light theme does not begin with white. */
const PRESSURE = {
  dark: ['1b1035', '4f127b', '812581', 'b5367a', 'e55064', 'fb8761', 'fec287', 'fcfdbf'],
  light: ['fdd9a0', 'fcb97d', 'f98e64', 'e85362', 'c23b75', '902a81', '5c167f', '2a115c'],
} as const;

export function pressureStops(isDark: boolean, count: number): Rgb[] {
  const colours = PRESSURE[isDark ? 'dark' : 'light'].map(parseHex);
  return Array.from({ length: count }, (_, index) => interpolate(colours, index / (count - 1)));
}

/**
 * Returns the pressure at the floor under still fluid that fills half of the tank. Without gravity, returns the dynamic
 * pressure at the speed `velocityEnd`.
 */
export function pressureEnd(plan: Pick<FluidPlan, 'density' | 'gravity' | 'lattice' | 'cellSize'>): number {
  const height = plan.lattice.cells[1] * plan.cellSize;
  const pull = Math.hypot(...plan.gravity);
  const end = pull > 0 ? plan.density * pull * height * 0.5 : (plan.density * velocityEnd(plan) ** 2) / 2;
  return Number(end.toPrecision(2));
}

/**
 * Returns the speed that the longest arrow shows. A fall through a third of the tank reaches it; without gravity, it is
 * the tank's height per second.
 */
export function velocityEnd({
  gravity,
  lattice,
  cellSize,
}: Pick<FluidPlan, 'gravity' | 'lattice' | 'cellSize'>): number {
  const height = lattice.cells[1] * cellSize;
  const pull = Math.hypot(...gravity);
  return Number((pull > 0 ? Math.sqrt((2 * pull * height) / 3) : height).toPrecision(2));
}
