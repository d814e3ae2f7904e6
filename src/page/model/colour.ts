/**
 * Colours of the picture. Values have colours of viridis, which suits colour-blind visitors. Most other colours come
 * from the style sheets.
 */
import type { SimulationOptions } from '../../index';
import { isDark } from '../support/appearance';
import { formatCount, formatReal } from '../support/format';
import type { Colouring } from './fields';
import type { SimulationView } from './simulation-view';

/** sRGB components from 0 to 1. */
export type Rgb = readonly [number, number, number];

export interface Theme {
  readonly isDark: boolean;
  readonly background: Rgb;
  /** The colour inside the box. */
  readonly surface: Rgb;
  /** The colour of the box's edges. */
  readonly line: Rgb;
  readonly obstacle: Rgb;
  /** Colours of values, evenly spaced from value 0 to the legend's end. */
  readonly stops: readonly Rgb[];
  readonly overlay: OverlayColours;
}

export interface OverlayColours {
  readonly cell: Rgb;
  readonly heat: Rgb;
  /** Colours at the ends of the line that joins the particles in sorted order. */
  readonly first: Rgb;
  readonly last: Rgb;
  readonly candidate: Rgb;
  readonly contact: Rgb;
  readonly velocity: Rgb;
  readonly casing: Rgb;
  readonly solid: Rgb;
}

export const COLOUR_STOPS = 24;

/** Viridis at twenty even steps. */
const VIRIDIS = [
  '440154',
  '481568',
  '482677',
  '453781',
  '3f4788',
  '39558c',
  '32648e',
  '2d718e',
  '287d8e',
  '238a8d',
  '1f968b',
  '20a386',
  '29af7f',
  '3cbc75',
  '56c667',
  '74d055',
  '94d840',
  'b8de29',
  'dce318',
  'fde725',
].map(parseHex);

/** The part of viridis that stands out from each theme's background. */
const RANGE = { dark: [0.22, 1], light: [0.15, 0.92] } as const;

export function colourStops(isDark: boolean): Rgb[] {
  const [low, high] = RANGE[isDark ? 'dark' : 'light'];
  return Array.from({ length: COLOUR_STOPS }, (_, index) =>
    interpolate(VIRIDIS, low + ((high - low) * index) / (COLOUR_STOPS - 1)),
  );
}

/** Returns a colour between evenly spaced `stops`: share 0 gives the first one, share 1 the last. */
export function interpolate(stops: readonly Rgb[], share: number): Rgb {
  const position = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const first = Math.min(Math.floor(position), stops.length - 2);
  const [low, high] = [stops[first] as Rgb, stops[first + 1] as Rgb];
  const part = position - first;
  const mix = (channel: 0 | 1 | 2) => low[channel] + (high[channel] - low[channel]) * part;
  return [mix(0), mix(1), mix(2)];
}

/** Colours of species, distinct for colour-blind visitors too. */
const SPECIES = {
  dark: ['ff9f1c', '56b4e9', '2ec4a0', 'ff5d5d', 'b49bff', 'f0e442', 'f291cf', 'c3ced9'],
  light: ['c76b00', '1f84c4', '00805e', 'c92a2a', '5a46d1', '8a7a00', 'b2458b', '5d6b78'],
} as const;

/** Returns bands of one colour each. The value s / (kinds − 1) lies inside the band of species s. */
function speciesStops(isDark: boolean, kinds: number): Rgb[] {
  const colours = SPECIES[isDark ? 'dark' : 'light'].map(parseHex);
  return Array.from(
    { length: COLOUR_STOPS },
    (_, index) => colours[Math.round((index / (COLOUR_STOPS - 1)) * (kinds - 1))] as Rgb,
  );
}

let speciesTheme: { readonly of: Theme; readonly kinds: number; readonly theme: Theme } | undefined;

/** Returns the theme with the colours of a scale. The same arguments as in the last call give the same object. */
export function themeOfScale(theme: Theme, { by, end }: Scale): Theme {
  if (by !== 'species') return theme;
  const kinds = end + 1;
  if (speciesTheme?.of !== theme || speciesTheme.kinds !== kinds) {
    const stops = speciesStops(theme.isDark, kinds);
    speciesTheme = { of: theme, kinds, theme: { ...theme, stops } };
  }
  return speciesTheme.theme;
}

export function toCss(colour: Rgb, brightness = 1): string {
  const [red, green, blue] = colour.map((channel) => Math.round(Math.min(1, channel * brightness) * 255));
  return `rgb(${red} ${green} ${blue})`;
}

export function parseHex(text: string): Rgb {
  const value = Number.parseInt(text.trim().replace('#', ''), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => parseHex(style.getPropertyValue(name));
  const dark = isDark();
  return {
    isDark: dark,
    background: colour('--stage'),
    surface: colour('--stage-box'),
    line: colour('--stage-line'),
    obstacle: colour('--stage-obstacle'),
    stops: colourStops(dark),
    overlay: {
      cell: colour('--overlay-cell'),
      heat: colour('--overlay-heat'),
      first: colour('--overlay-first'),
      last: colour('--overlay-last'),
      candidate: colour('--overlay-candidate'),
      contact: colour('--overlay-contact'),
      velocity: colour('--overlay-velocity'),
      casing: colour('--overlay-casing'),
      solid: colour('--overlay-solid'),
    },
  };
}

/** `end` is the value at the last colour. */
export interface Scale {
  readonly by: Colouring;
  readonly end: number;
}

export interface Legend {
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly stops: readonly Rgb[];
  readonly isBanded?: boolean;
}

/** The density counts neighbours up to this many diameters away. */
export const DENSITY_REACH = 2;

/** Neighbours in the densest packing: those in contact, and those within DENSITY_REACH. */
const MOST_AROUND = { contacts: { 2: 6, 3: 12 }, density: { 2: 18, 3: 54 } } as const;

const OLDEST = 10;

export function scaleFor(by: Colouring, simulation: SimulationView, options: SimulationOptions): Scale {
  const { dimensions } = simulation;
  if (by === 'speed') return { by, end: speedScale(simulation, options) };
  if (by === 'id') return { by, end: Math.max(1, simulation.capacity - 1) };
  if (by === 'age') return { by, end: OLDEST };
  if (by === 'species') return { by, end: (simulation.kinds ?? 2) - 1 };
  return { by, end: MOST_AROUND[by][dimensions] };
}

export function legendOf({ by, end }: Scale, { stops }: Theme): Legend {
  switch (by) {
    case 'speed':
      return { title: 'Speed', start: '0', end: `${formatReal(end)} units/s`, stops };
    case 'id':
      return { title: 'Id', start: '0', end: formatCount(end), stops };
    case 'age':
      return { title: 'Age', start: '0', end: `${end} s or more`, stops };
    case 'species': {
      // Keep one stop per species: in the scale, the first and the last species have fewer stops than the others.
      const bands = stops.filter((stop, index) => stop !== stops[index - 1]);
      return { title: 'Species', start: '1', end: formatCount(end + 1), stops: bands, isBanded: true };
    }
    case 'contacts':
      return { title: 'Contacts', start: '0', end: `${end} or more`, stops };
    case 'density':
      return { title: `Within ${DENSITY_REACH} diameters`, start: '0', end: `${end} or more`, stops };
  }
}

export function legendCss({ stops, isBanded }: Legend): string {
  const percent = (index: number) => `${(100 * index) / stops.length}%`;
  const colours = stops.map((stop, index) =>
    isBanded ? `${toCss(stop)} ${percent(index)} ${percent(index + 1)}` : toCss(stop),
  );
  return `linear-gradient(to right, ${colours.join(', ')})`;
}

/** Height assumed for an unbounded world, in radii. */
const ENDLESS_FALL = 100;

/**
 * Returns the speed after a fall through about a third of the box, or twice the root mean square speed at the start if
 * that is greater. At least 1, rounded to two digits.
 */
function speedScale(simulation: SimulationView, options: SimulationOptions): number {
  const { world, settings, dimensions, radius } = simulation;
  const isEndless = world.kind === 'unbounded';
  const height = isEndless ? ENDLESS_FALL * radius : (world.max[1] ?? 0) - (world.min[1] ?? 0);
  const fall = Math.sqrt(2 * Math.abs(settings.gravity[1] ?? 0) * height);
  const velocities = options.velocities ?? new Float32Array(0);
  let squares = 0;
  for (const component of velocities) squares += component * component;
  const usual = velocities.length > 0 ? Math.sqrt((squares * dimensions) / velocities.length) : 0;
  return Number(Math.max(1, 0.6 * fall, 2 * usual).toPrecision(2));
}
