/**
 * Purpose: particle life on the GPU, in 2D and 3D: a table says how much each species is drawn to each. The rule is in
 * shaders/flock/life.wgsl; docs/life.md goes from the idea to the kernel.
 *
 *     const life = await createLife(gpu, {
 *       dimensions: 2, min, max, periodic: true, reach: 1, positions, species,
 *       attraction: [[0.5, -0.2], [0.8, 0.1]],
 *     });
 *     life.step(1 / 60);
 *
 * Inputs: packed positions, a species for each particle, the table. Outputs: `buffers`, by id.
 * Guarantee: the same input gives the same bits.
 */
import lifeCode from '../../shaders/flock/life.wgsl?raw';
import motionCode from '../../shaders/flock/motion.wgsl?raw';
import {
  ArgumentError,
  checkDimensions,
  checkKnownKeys,
  checkRange,
  type Dimensions,
  type Gpu,
  type GridKernel,
  GridParticles,
  type NumberRanges,
  resolveNumbers,
} from '../index';
import { type Walls, wallsOf } from './walls';

/** A row for each species: how much it is drawn to each of them, below 0 away. From −1 to 1, say; at most 1,000. */
export type Attraction = readonly (readonly number[])[];

export interface LifeNumbers {
  /** What an attraction of 1 gives at most, length / s². Default: 10 reaches. */
  readonly strength: number;
  /** Time in which friction takes half of the speed. Default 0.04. */
  readonly halfLife: number;
  /** Nearer than this share of the reach all push each other away. Default 0.3. */
  readonly core: number;
}

export interface LifeSettings extends LifeNumbers {
  /** As many species as the life was created with. */
  readonly attraction: Attraction;
}

export interface LifeOptions extends Partial<LifeNumbers> {
  readonly dimensions: Dimensions;
  /** Opposite corners of the box. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** Whether the box wraps around, along all axes or along each. Default false: walls. */
  readonly periodic?: boolean | readonly boolean[] | undefined;
  /** How far particles feel each other. */
  readonly reach: number;
  /** `dimensions` numbers a particle, in the box. */
  readonly positions: Float32Array;
  readonly velocities?: Float32Array | undefined;
  /** Of each particle, the row of its species. */
  readonly species: Uint32Array | Uint8Array;
  readonly attraction: Attraction;
}

export const LIFE_RANGES: NumberRanges<keyof LifeNumbers> = {
  strength: [0, 1e9],
  halfLife: [1e-6, 1e6],
  core: [0.01, 0.99],
};

const NUMBER_NAMES = Object.keys(LIFE_RANGES);

const OPTION_NAMES = [
  'dimensions',
  'min',
  'max',
  'periodic',
  'reach',
  'positions',
  'velocities',
  'species',
  'attraction',
];

const MOST_SPECIES = 256;

const GREATEST_ATTRACTION = 1000;

const PARAMETERS = {
  dt: 'f32',
  lower: 'vector',
  upper: 'vector',
  reach: 'f32',
  core: 'f32',
  strength: 'f32',
  kept: 'f32',
  kinds: 'u32',
} as const;

/** What settings are where nothing else is said. */
export function lifeNumbers(reach: number): LifeNumbers {
  return { strength: 10 * reach, halfLife: 0.04, core: 0.3 };
}

/** Of a velocity, what friction leaves after `dt`. */
export function keptShare(halfLife: number, dt: number): number {
  return 2 ** (-dt / halfLife);
}

interface LifeParts {
  readonly particles: GridParticles<'species'>;
  readonly kernel: GridKernel;
  readonly attraction: GPUBuffer;
}

export async function createLife(gpu: Gpu, options: LifeOptions): Promise<Life> {
  checkKnownKeys('options', options, [...OPTION_NAMES, ...NUMBER_NAMES]);
  const { dimensions, min, max, periodic, reach, positions, velocities, species } = options;
  checkDimensions(dimensions);
  checkRange('reach', reach, 1e-6, 1e6);
  const numbers = resolveNumbers(options, lifeNumbers(reach), LIFE_RANGES);
  const attraction = packAttraction(options.attraction);
  const kinds = options.attraction.length;
  if (positions instanceof Float32Array) checkSpecies(species, positions.length / dimensions, kinds);
  const particles = await GridParticles.create(gpu, {
    ...{ dimensions, min, max, periodic, positions, velocities },
    diameter: reach,
    more: { species: 'word' },
    label: 'life',
  });
  try {
    const kernel = await particles.grid.kernel({
      label: 'life',
      code: motionCode + lifeCode,
      buffers: {
        positions: { type: 'array<Stored>', access: 'write' },
        velocities: { type: 'array<Stored>', access: 'write' },
        species: { type: 'array<u32>', access: 'read' },
        attraction: { type: 'array<f32>', access: 'read' },
      },
      parameters: PARAMETERS,
    });
    const { device } = gpu;
    const table = device.createBuffer({
      label: 'life.attraction',
      size: Math.max(16, attraction.byteLength),
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    });
    device.queue.writeBuffer(table, 0, attraction);
    device.queue.writeBuffer(particles.buffers.species, 0, Uint32Array.from(species));
    return new Life(gpu, reach, kinds, numbers, { particles, kernel, attraction: table });
  } catch (error) {
    particles.destroy();
    throw error;
  }
}

export class Life {
  private readonly walls: Walls;

  /** Use createLife, which checks its arguments. */
  constructor(
    private readonly gpu: Gpu,
    private readonly reach: number,
    /** Species. */
    readonly kinds: number,
    private numbers: LifeNumbers,
    private readonly parts: LifeParts,
  ) {
    this.walls = wallsOf(parts.particles.grid.world);
  }

  get count(): number {
    return this.parts.particles.count;
  }

  /** By id: vec2f (2D) or vec4f with w unused (3D), and u32 of species. */
  get buffers(): Readonly<Record<'positions' | 'velocities' | 'species', GPUBuffer>> {
    return this.parts.particles.buffers;
  }

  get memoryBytes(): number {
    const { particles, kernel, attraction } = this.parts;
    return particles.memoryBytes + kernel.memoryBytes + attraction.size;
  }

  /** From the next recording on; a table from the next submission on. No kernel is compiled. */
  set(settings: Partial<LifeSettings>): void {
    this.parts.particles.checkAlive();
    checkKnownKeys('settings', settings, [...NUMBER_NAMES, 'attraction']);
    const { attraction } = settings;
    const numbers = resolveNumbers(settings, this.numbers, LIFE_RANGES);
    if (attraction !== undefined) {
      const packed = packAttraction(attraction, this.kinds);
      this.gpu.device.queue.writeBuffer(this.parts.attraction, 0, packed);
    }
    this.numbers = numbers;
  }

  step(dt: number): void {
    const encoder = this.gpu.device.createCommandEncoder({ label: 'life.step' });
    this.encode(encoder, dt);
    this.gpu.device.queue.submit([encoder.finish()]);
  }

  /** Records a step. The caller submits, in the order of recording. */
  encode(encoder: GPUCommandEncoder, dt: number): void {
    checkRange('dt', dt, 0, 1);
    const { particles, kernel, attraction } = this.parts;
    const { strength, halfLife, core } = this.numbers;
    const { reach, kinds, walls } = this;
    particles.encode(encoder);
    kernel.encode(encoder, {
      buffers: { ...particles.buffers, attraction },
      parameters: { ...walls, dt, reach, core, strength, kinds, kept: keptShare(halfLife, dt) },
    });
  }

  /** As all that was submitted left it, packed, by id. */
  read(): Promise<{ readonly positions: Float32Array; readonly velocities: Float32Array }> {
    return this.parts.particles.read();
  }

  destroy(): void {
    this.parts.particles.destroy();
    this.parts.attraction.destroy();
  }
}

/** Row by row. */
function packAttraction(attraction: unknown, kinds?: number): Float32Array<ArrayBuffer> {
  const rows = attraction as Attraction;
  const isTable = Array.isArray(rows) && rows.length >= 1 && rows.length <= MOST_SPECIES;
  if (!isTable || (kinds !== undefined && rows.length !== kinds)) {
    throw new ArgumentError(
      'attraction',
      attraction,
      `${kinds ?? `1 to ${MOST_SPECIES}`} rows, one a species`,
    );
  }
  rows.forEach((row, index) => {
    if (!Array.isArray(row) || row.length !== rows.length) {
      throw new ArgumentError(`attraction[${index}]`, row, `${rows.length} numbers, one a species`);
    }
    row.forEach((wish, other) => {
      checkRange(`attraction[${index}][${other}]`, wish, -GREATEST_ATTRACTION, GREATEST_ATTRACTION);
    });
  });
  return Float32Array.from(rows.flat());
}

function checkSpecies(species: unknown, count: number, kinds: number): void {
  const isArray = species instanceof Uint32Array || species instanceof Uint8Array;
  if (!isArray || species.length !== count) {
    throw new ArgumentError('species', species, `a Uint32Array or Uint8Array of ${count}, one a particle`);
  }
  const wrong = species.findIndex((kind) => kind >= kinds);
  if (wrong < 0) return;
  throw new ArgumentError(`species[${wrong}]`, species[wrong], `less than ${kinds}, the rows of attraction`);
}
