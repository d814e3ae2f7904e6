/**
 * Purpose: how a liquid looks, in light and dark: the colours of its scale, what it mirrors, and what it absorbs. Pure.
 * Colours are from 0 to 1, as a screen takes them.
 */
import { COLOUR_STOPS, interpolate, parseHex, type Rgb } from './colour';

export interface LiquidLook {
  /** Of a share of the scale, in place of the theme's. */
  readonly stops: readonly Rgb[];
  /** Mirrored above, and level with the eye; in the plane the first is the line along the surface. */
  readonly zenith: Rgb;
  readonly horizon: Rgb;
  /** Exponents of the share of light that the height of the box takes, and of that which it replaces by the liquid's own. */
  readonly absorption: Rgb;
  readonly cloud: number;
}

/** From still to fast: deep water to foam. On light the foam keeps enough colour to be seen. */
const WATER = {
  dark: ['0c3a75', '12559c', '1d74be', '3a97d8', '79c1ea', 'e2f4fc'],
  light: ['0d4787', '1763a8', '2580c4', '469fda', '78bfe8', 'b4dff5'],
} as const;

export function liquidLook(isDark: boolean): LiquidLook {
  const water = WATER[isDark ? 'dark' : 'light'].map(parseHex);
  return {
    stops: Array.from({ length: COLOUR_STOPS }, (_, index) => interpolate(water, index / (COLOUR_STOPS - 1))),
    zenith: parseHex(isDark ? 'd9f1fd' : 'f4fbff'),
    horizon: parseHex(isDark ? '27435f' : 'c3dcee'),
    absorption: [4.5, 1.5, 0.8],
    cloud: isDark ? 2.6 : 1.4,
  };
}
