import { MAX_SUBSTEPS } from '../../core/contact/settings';
import { type Dimensions, SCENES } from '../../index';
import { formatCount, formatReal, titleOf } from '../support/format';
import { LIFE_FIELDS, POSITION_FLUID_FIELDS } from './method-fields';

/**
 * An effect says what a change of the field requires:
 * - 'start': a new start;
 * - 'renew': a new run that continues the present state;
 * - 'set': new settings of the run;
 * - 'view': nothing.
 */
export type Effect = 'start' | 'renew' | 'set' | 'view';

export type Group =
  | 'Particles'
  | 'World'
  | 'Motion'
  | 'Fluid'
  | 'Position-based fluid'
  | 'Particle life'
  | 'Engine'
  | 'Picture'
  | 'Overlays'
  | 'Pointer';

interface FieldBase {
  readonly label: string;
  readonly group: Group;
  readonly effect: Effect;
  readonly hint?: string;
  /** The control is visible without a press of the button "More settings". */
  readonly isMain?: true;
}

export interface NumberField extends FieldBase {
  readonly kind: 'number';
  readonly min: number;
  readonly max: number;
  /** The slider's end if it is below `max`; 0 for no slider. Larger numbers can be typed. */
  readonly slider?: number;
  /** Step of the slider. Typed numbers may lie between two steps. */
  readonly step: number;
  readonly isWhole?: boolean;
  /** Equal distances along the slider are equal ratios. */
  readonly isLogarithmic?: boolean;
}

export interface ChoiceField<Value extends string | number = string | number> extends FieldBase {
  readonly kind: 'choice';
  readonly options: readonly { readonly value: Value; readonly label: string }[];
}

export interface SwitchField extends FieldBase {
  readonly kind: 'switch';
}

export type Field = NumberField | ChoiceField | SwitchField;

function options<const Value extends string | number>(
  labels: readonly (readonly [Value, string])[],
): readonly { readonly value: Value; readonly label: string }[] {
  return labels.map(([value, label]) => ({ value, label }));
}

function switchOf(group: Group, label: string, effect: Effect, hint: string): SwitchField {
  return { kind: 'switch', group, label, effect, hint };
}

export const FEWEST_PARTICLES = 2;
/** Every engine can run this many particles, so no limit is lower. */
export const LEAST_LIMIT = 100;
/** The slider's end until an engine reports its limit. */
const USUAL_END = 1_000_000;
/** In diameters: eight times the largest cell size that suggestCellSize returns. */
const LARGEST_CELLS = 2048;
/** The limit of an engine is usually lower. */
export const MOST_PARTICLES = 100_000_000;

/** The engines find at most this many nearest particles. */
const MOST_NEAREST = 128;

export const FIELDS = {
  scene: {
    kind: 'choice',
    label: 'Scene',
    group: 'Particles',
    isMain: true,
    effect: 'start',
    options: SCENES.map(({ name }) => ({ value: name, label: titleOf(name) })),
  } as ChoiceField<string>,
  dimensions: {
    kind: 'choice',
    label: 'Dimensions',
    group: 'Particles',
    isMain: true,
    effect: 'start',
    options: options<Dimensions>([
      [2, '2D'],
      [3, '3D'],
    ]),
  },
  count: {
    kind: 'number',
    label: 'Particles',
    group: 'Particles',
    isMain: true,
    effect: 'start',
    min: FEWEST_PARTICLES,
    max: MOST_PARTICLES,
    slider: USUAL_END,
    step: 1,
    isWhole: true,
    isLogarithmic: true,
  },
  size: {
    kind: 'number',
    label: 'Radius',
    group: 'Particles',
    effect: 'start',
    hint: 'Multiple of the radii in the scene',
    min: 0.125,
    max: 4,
    slider: 2,
    step: 0.125,
  },
  spread: {
    kind: 'number',
    label: 'Radius spread',
    group: 'Particles',
    effect: 'start',
    hint: 'Largest radius divided by the smallest',
    min: 1,
    max: 64,
    step: 1,
    isLogarithmic: true,
  },
  seed: {
    kind: 'number',
    label: 'Seed',
    group: 'Particles',
    effect: 'start',
    min: 0,
    max: 2 ** 32 - 1,
    slider: 0,
    step: 1,
    isWhole: true,
  },
  boxWidth: {
    kind: 'number',
    label: 'Box width',
    group: 'World',
    effect: 'start',
    hint: "Multiple of the scene's width",
    min: 1,
    max: 8,
    slider: 4,
    step: 0.5,
  },
  periodicX: switchOf('World', 'Periodic x', 'start', 'The world wraps around along x'),
  periodicY: switchOf(
    'World',
    'Periodic y',
    'start',
    'The world wraps around along y: particles fall for ever',
  ),
  periodicZ: switchOf('World', 'Periodic z', 'start', 'The world wraps around along z'),
  unbounded: switchOf('World', 'Unbounded', 'start', 'No box; with gravity, particles fall for ever'),
  walls: switchOf('World', 'Walls', 'set', 'Keep particles inside the box'),
  crowds: switchOf('World', 'Crowds', 'renew', 'Split the work on crowded cells among threads of the GPU'),
  gravity: {
    kind: 'number',
    label: 'Gravity',
    group: 'Motion',
    isMain: true,
    effect: 'set',
    ...{ min: 0, max: 100, slider: 20, step: 0.0625 },
    hint: 'On Earth 9.8. Many scenes have 9.8125, exact in binary',
  },
  restitution: {
    kind: 'number',
    label: 'Restitution',
    group: 'Motion',
    effect: 'set',
    hint: 'Share of the speed that a bounce keeps',
    min: 0,
    max: 1,
    step: 0.05,
  },
  friction: {
    kind: 'number',
    label: 'Friction',
    group: 'Motion',
    effect: 'set',
    min: 0,
    max: 10,
    slider: 1,
    step: 0.05,
  },
  substeps: {
    kind: 'number',
    label: 'Substeps',
    group: 'Motion',
    effect: 'set',
    min: 1,
    max: MAX_SUBSTEPS,
    slider: 16,
    step: 1,
    isWhole: true,
  },
  timeScale: {
    kind: 'number',
    label: 'Time scale',
    group: 'Motion',
    effect: 'view',
    hint: 'Simulated seconds per second',
    min: 0.05,
    max: 2,
    step: 0.05,
  },
  continuous: switchOf(
    'Motion',
    'Continuous',
    'start',
    'Fast particles stop at their first hit; else they may fly through thin walls',
  ),
  transfer: {
    kind: 'choice',
    label: 'Transfer',
    group: 'Fluid',
    effect: 'start',
    hint: 'How particles take velocities from the lattice: FLIP splashes, PIC is viscous, APIC keeps spinning',
    options: options([
      ['flip', 'FLIP'],
      ['pic', 'PIC'],
      ['apic', 'APIC'],
    ]),
  },
  flipShare: {
    kind: 'number',
    label: 'FLIP share',
    group: 'Fluid',
    effect: 'set',
    hint: 'The rest is PIC, which calms the fluid',
    min: 0,
    max: 1,
    step: 0.01,
  },
  ...POSITION_FLUID_FIELDS,
  ...LIFE_FIELDS,
  broadPhase: {
    kind: 'choice',
    label: 'Broad phase',
    group: 'Engine',
    isMain: true,
    effect: 'set',
    options: options([
      ['grid', 'Grid'],
      ['naive', 'Naive: all pairs'],
    ]),
  },
  cellSize: {
    kind: 'number',
    label: 'Cell size',
    group: 'Engine',
    isMain: true,
    effect: 'renew',
    hint: 'In diameters of the smallest particle. Cells below 1 would miss pairs',
    min: 1,
    max: LARGEST_CELLS,
    slider: 8,
    step: 0.01,
    isLogarithmic: true,
  },
  engine: {
    kind: 'choice',
    label: 'Engine',
    group: 'Engine',
    isMain: true,
    effect: 'start',
    options: options([
      ['auto', 'Automatic'],
      ['gpu', 'GPU'],
      ['cpu', 'CPU'],
    ]),
  },
  colour: {
    kind: 'choice',
    label: 'Colour by',
    group: 'Picture',
    isMain: true,
    effect: 'view',
    options: options([
      ['speed', 'Speed'],
      ['density', 'Density'],
      ['contacts', 'Contacts'],
      ['id', 'Id'],
      ['age', 'Age'],
      ['species', 'Species'],
    ]),
  },
  fluidAs: {
    kind: 'choice',
    label: 'Fluid as',
    group: 'Picture',
    isMain: true,
    effect: 'view',
    options: options([
      ['surface', 'Surface'],
      ['particles', 'Particles'],
    ]),
  },
  cellLines: { kind: 'switch', label: 'Cell lines', group: 'Overlays', isMain: true, effect: 'view' },
  heatMap: {
    kind: 'switch',
    label: 'Occupancy',
    group: 'Overlays',
    effect: 'view',
    hint: 'How many particles are in each cell; in 3D above each cell of the floor',
  },
  buckets: {
    kind: 'switch',
    label: 'Buckets',
    group: 'Overlays',
    effect: 'view',
    hint: 'Occupied cells of an unbounded world, coloured by bucket of the hash table; cells that share one stand out',
  },
  thread: {
    kind: 'switch',
    label: 'Sorted order',
    group: 'Overlays',
    effect: 'view',
    hint: 'A line through the particles in their order in memory',
  },
  candidatePairs: {
    kind: 'switch',
    label: 'Candidate pairs',
    group: 'Overlays',
    effect: 'view',
    hint: 'Pairs that the grid tests, as dashed lines',
  },
  contactLines: {
    kind: 'switch',
    label: 'Contacts',
    group: 'Overlays',
    effect: 'view',
    hint: 'Pairs that overlap, as solid lines',
  },
  velocityArrows: {
    kind: 'switch',
    label: 'Velocity',
    group: 'Overlays',
    effect: 'view',
    hint: "The fluid's velocity as arrows; in 3D on the middle plane",
  },
  pressureMap: {
    kind: 'switch',
    label: 'Pressure',
    group: 'Overlays',
    effect: 'view',
    hint: "The fluid's pressure in each cell; in 3D on the middle plane",
  },
  solidCells: {
    kind: 'switch',
    label: 'Solid cells',
    group: 'Overlays',
    effect: 'view',
    hint: 'Cells that are solid to the fluid',
  },
  pointer: {
    kind: 'choice',
    label: 'Drag to',
    group: 'Pointer',
    isMain: true,
    effect: 'view',
    options: options([
      ['look', 'Move the picture'],
      ['push', 'Push particles'],
      ['pull', 'Pull particles'],
      ['drag', 'Drag one particle'],
      ['add', 'Add particles'],
      ['erase', 'Erase'],
      ['wall', 'Draw a wall'],
      ['query', 'Ask the grid'],
    ]),
  },
  query: {
    kind: 'choice',
    label: 'Question',
    group: 'Pointer',
    effect: 'view',
    hint: '“Ask the grid” answers this and shows the cells it visits; boxes and rays begin where you press',
    options: options([
      ['near', 'Near the pointer'],
      ['nearest', 'k nearest'],
      ['box', 'In a box'],
      ['ray', 'Along a ray'],
    ]),
  },
  nearestCount: {
    kind: 'number',
    label: 'k',
    group: 'Pointer',
    effect: 'view',
    hint: 'How many nearest particles “Ask the grid” looks for, within the brush',
    min: 1,
    max: MOST_NEAREST,
    slider: 32,
    step: 1,
    isWhole: true,
  },
  brush: {
    kind: 'number',
    label: 'Brush',
    group: 'Pointer',
    effect: 'view',
    hint: 'Reach of the brush, in radii of a particle',
    min: 1,
    max: 1000,
    slider: 100,
    step: 1,
    isLogarithmic: true,
  },
} as const satisfies Record<string, Field>;

export type FieldName = keyof typeof FIELDS;

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

type ValueOf<Of extends Field> =
  Of extends ChoiceField<infer Value> ? Value : Of extends SwitchField ? boolean : number;

export type Choices = { readonly [Name in FieldName]: ValueOf<(typeof FIELDS)[Name]> };

export type Colouring = Choices['colour'];
export type EngineKind = Exclude<Choices['engine'], 'auto'>;

export function fieldOf(name: FieldName): Field {
  return FIELDS[name];
}

/** Returns a sentence with the allowed values; undefined if the value is allowed. */
export function refusalOf(name: FieldName, value: unknown): string | undefined {
  const field = fieldOf(name);
  if (field.kind === 'choice') {
    if (field.options.some((option) => option.value === value)) return undefined;
    return `${field.label} must be one of ${field.options.map(({ label }) => label).join(', ')}.`;
  }
  if (field.kind === 'switch') {
    return typeof value === 'boolean' ? undefined : `${field.label} must be on or off.`;
  }
  const isNumber = typeof value === 'number' && value >= field.min && value <= field.max;
  if (isNumber && (!field.isWhole || Number.isInteger(value))) return undefined;
  const kind = field.isWhole ? 'a whole number' : 'a number';
  // Write all digits: the field may refuse a rounded limit.
  const [least, most] = [field.min, field.max].map((end) => end.toLocaleString('en'));
  return `${field.label} must be ${kind} from ${least} to ${most}.`;
}

/** Reads a value from a link. Clamps numbers to the field's range. Returns undefined if the text is not a value. */
export function clampValue(name: FieldName, text: string): Choices[FieldName] | undefined {
  const field = fieldOf(name);
  // Messages name the labels, so accept labels, too.
  const isNamed = (...names: string[]) => names.some((one) => one.toLowerCase() === text.toLowerCase());
  if (field.kind === 'choice')
    return field.options.find(({ value, label }) => isNamed(String(value), label))?.value;
  if (field.kind === 'switch') return isNamed('1', 'on') || (isNamed('0', 'off') ? false : undefined);
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(value)) return undefined;
  const near = Math.min(field.max, Math.max(field.min, value));
  return field.isWhole ? Math.round(near) : near;
}

export function formatNumber({ isWhole }: NumberField, value: number): string {
  return isWhole ? formatCount(value) : formatReal(value);
}

const LOGARITHMIC_POSITIONS = 400;

export function sliderPlaces(field: NumberField): number {
  const end = field.slider ?? field.max;
  return field.isLogarithmic ? LOGARITHMIC_POSITIONS : Math.round((end - field.min) / field.step);
}

export function fromSlider(field: NumberField, position: number): number {
  const end = field.slider ?? field.max;
  if (!field.isLogarithmic) return Math.min(end, field.min + position * field.step);
  const value = Number((field.min * (end / field.min) ** (position / LOGARITHMIC_POSITIONS)).toPrecision(2));
  return Math.min(end, Math.max(field.min, field.isWhole ? Math.round(value) : value));
}

export function toSlider(field: NumberField, value: number): number {
  const end = field.slider ?? field.max;
  const near = Math.min(end, Math.max(field.min, value));
  if (!field.isLogarithmic) return Math.round((near - field.min) / field.step);
  return Math.round((Math.log(near / field.min) / Math.log(end / field.min)) * LOGARITHMIC_POSITIONS);
}
