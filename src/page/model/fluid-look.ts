/**
 * How a fluid and its fields look, in light and dark: the colours of its scale, what it mirrors, what it absorbs, and
 * what the scales of pressure and velocity go up to. Pure.
 * Colours are from 0 to 1, as a screen takes them.
 */
import type { FluidPlan } from '../../methods/fluid';
import { COLOUR_STOPS, interpolate, parseHex, type Rgb, type Scale, type Theme } from './colour';

export interface FluidLook {
  /** Of a share of the scale, in place of the theme's. */
  readonly stops: readonly Rgb[];
  /** Mirrored above, and level with the eye; in the plane the first is the line along the surface. */
  readonly zenith: Rgb;
  readonly horizon: Rgb;
  /** Exponents of the share of light that the height of the box takes, and of that which it replaces by the fluid's own. */
  readonly absorption: Rgb;
  readonly cloud: number;
}

/** From still to fast: deep water to foam. On light the foam keeps enough colour to be seen. */
const WATER = {
  dark: ['0c3a75', '12559c', '1d74be', '3a97d8', '79c1ea', 'e2f4fc'],
  light: ['0d4787', '1763a8', '2580c4', '469fda', '78bfe8', 'b4dff5'],
} as const;

export function fluidLook(isDark: boolean): FluidLook {
  const water = WATER[isDark ? 'dark' : 'light'].map(parseHex);
  return {
    stops: Array.from({ length: COLOUR_STOPS }, (_, index) => interpolate(water, index / (COLOUR_STOPS - 1))),
    zenith: parseHex(isDark ? 'd9f1fd' : 'f4fbff'),
    horizon: parseHex(isDark ? '27435f' : 'c3dcee'),
    absorption: [4.5, 1.5, 0.8],
    cloud: isDark ? 2.6 : 1.4,
  };
}

/** What a picture is drawn in: a surface whose colour is speed looks like water. */
export function themeOf(theme: Theme, { by }: Scale, isSurface: boolean): Theme {
  return isSurface && by === 'speed' ? { ...theme, stops: fluidLook(theme.isDark).stops } : theme;
}

export const PRESSURE_OPACITY = 0.88;

/** From none to most: perceptually even, and told from water. On light it does not begin in white. */
const PRESSURE = {
  dark: ['1b1035', '4f127b', '812581', 'b5367a', 'e55064', 'fb8761', 'fec287', 'fcfdbf'],
  light: ['fdd9a0', 'fcb97d', 'f98e64', 'e85362', 'c23b75', '902a81', '5c167f', '2a115c'],
} as const;

export function pressureStops(isDark: boolean, count: number): Rgb[] {
  const colours = PRESSURE[isDark ? 'dark' : 'light'].map(parseHex);
  return Array.from({ length: count }, (_, index) => interpolate(colours, index / (count - 1)));
}

/** Of still fluid under half of the tank's height; where nothing falls, that of what stops from the speed of the scale. */
export function pressureEnd(plan: Pick<FluidPlan, 'density' | 'gravity' | 'lattice' | 'cellSize'>): number {
  const height = plan.lattice.cells[1] * plan.cellSize;
  const pull = Math.hypot(...plan.gravity);
  const end = pull > 0 ? plan.density * pull * height * 0.5 : (plan.density * velocityEnd(plan) ** 2) / 2;
  return Number(end.toPrecision(2));
}

/** Length / s of the longest arrow: what a fall through a third of the tank gives; where nothing falls, 1 tank / s. */
export function velocityEnd({
  gravity,
  lattice,
  cellSize,
}: Pick<FluidPlan, 'gravity' | 'lattice' | 'cellSize'>): number {
  const height = lattice.cells[1] * cellSize;
  const pull = Math.hypot(...gravity);
  return Number((pull > 0 ? Math.sqrt((2 * pull * height) / 3) : height).toPrecision(2));
}
