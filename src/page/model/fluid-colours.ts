/**
 * How a fluid and its fields look in light and dark themes: colours, reflections and absorption. Also the ends of the
 * scales of pressure and velocity. Colours are sRGB from 0 to 1.
 */
import type { FluidPlan } from '../../methods/fluid';
import { COLOUR_STOPS, interpolate, parseHex, type Rgb, type Scale, type Theme } from './colour';

export interface FluidColours {
  /** Colours of the scale, in place of the theme's. */
  readonly stops: readonly Rgb[];
  /** The colour that the surface reflects from straight above. In 2D, the colour of the line along the surface. */
  readonly zenith: Rgb;
  /** The colour that the surface reflects from the horizon. */
  readonly horizon: Rgb;
  /** Exponents by which red, green and blue light decay in fluid that is as thick as the box is high. */
  readonly absorption: Rgb;
  /** Exponent by which the background fades into the fluid's own colour at this thickness. */
  readonly cloud: number;
}

/** From still (deep water) to fast (foam). In the light theme, foam has enough colour to be visible. */
const WATER = {
  dark: ['0c3a75', '12559c', '1d74be', '3a97d8', '79c1ea', 'e2f4fc'],
  light: ['0d4787', '1763a8', '2580c4', '469fda', '78bfe8', 'b4dff5'],
} as const;

export function fluidColours(isDark: boolean): FluidColours {
  const water = WATER[isDark ? 'dark' : 'light'].map(parseHex);
  return {
    stops: Array.from({ length: COLOUR_STOPS }, (_, index) => interpolate(water, index / (COLOUR_STOPS - 1))),
    zenith: parseHex(isDark ? 'd9f1fd' : 'f4fbff'),
    horizon: parseHex(isDark ? '27435f' : 'c3dcee'),
    absorption: [4.5, 1.5, 0.8],
    cloud: isDark ? 2.6 : 1.4,
  };
}

/** A fluid's surface gets the colours of water if speed decides the colour. */
export function themeOf(theme: Theme, { by }: Scale, isSurface: boolean): Theme {
  return isSurface && by === 'speed' ? { ...theme, stops: fluidColours(theme.isDark).stops } : theme;
}

export const PRESSURE_OPACITY = 0.88;

/** From low to high pressure: perceptually even, and distinct from water. The light theme does not begin with white. */
const PRESSURE = {
  dark: ['1b1035', '4f127b', '812581', 'b5367a', 'e55064', 'fb8761', 'fec287', 'fcfdbf'],
  light: ['fdd9a0', 'fcb97d', 'f98e64', 'e85362', 'c23b75', '902a81', '5c167f', '2a115c'],
} as const;

export function pressureStops(isDark: boolean, count: number): Rgb[] {
  const colours = PRESSURE[isDark ? 'dark' : 'light'].map(parseHex);
  return Array.from({ length: count }, (_, index) => interpolate(colours, index / (count - 1)));
}

/**
 * Returns the pressure at the end of its scale. With gravity: the pressure below still fluid that is half as high as
 * the tank. Without gravity: the pressure of fluid that is stopped from the speed at the end of the velocity scale.
 */
export function pressureEnd(plan: Pick<FluidPlan, 'density' | 'gravity' | 'lattice' | 'cellSize'>): number {
  const height = plan.lattice.cells[1] * plan.cellSize;
  const pull = Math.hypot(...plan.gravity);
  const end = pull > 0 ? plan.density * pull * height * 0.5 : (plan.density * velocityEnd(plan) ** 2) / 2;
  return Number(end.toPrecision(2));
}

/**
 * Returns the speed of the longest arrow. With gravity: the speed after a fall through a third of the tank's height.
 * Without gravity: the tank's height per second.
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
