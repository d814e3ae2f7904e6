/**
 * Purpose: a position-based fluid on the GPU, in 2D and 3D, in a box: places are corrected until the fluid is as dense as
 * at rest, and velocities are what places have moved (Macklin and Müller, "Position Based Fluids", 2013). The rules are
 * in shaders/pbf; docs/pbf.md goes from the idea to the kernels.
 *
 *     const fluid = await createPositionFluid(gpu, { dimensions: 2, min, max, radius: 1, positions });
 *     fluid.step(1 / 60);
 *
 * Inputs: packed positions, settings in the caller's units. Outputs: `buffers`, by id.
 * Guarantee: the same input gives the same bits, since neighbours come in an order that depends on the state alone.
 */
import correctCode from '../../shaders/pbf/correct.wgsl?raw';
import curlCode from '../../shaders/pbf/curl.wgsl?raw';
import densityCode from '../../shaders/pbf/density.wgsl?raw';
import predictCode from '../../shaders/pbf/predict.wgsl?raw';
import smoothingCode from '../../shaders/pbf/smoothing.wgsl?raw';
import {
  checkDimensions,
  checkInteger,
  checkKnownKeys,
  checkRange,
  checkVector,
  type Dimensions,
  type Gpu,
  type GridKernel,
  type GridKernelOptions,
  GridParticles,
  type NumberRanges,
  resolveNumbers,
} from '../index';
import { defaultDensity, type Smoothing, smoothingOf } from './smoothing';

export interface PositionFluidNumbers {
  /** Rounds of corrections in a step, each of which sorts anew. Default 4. */
  readonly iterations: number;
  /** Share of its neighbours' velocity that a particle takes on in a step (XSPH). Default 0.02. */
  readonly viscosity: number;
  /** Push along where the fluid turns, so that eddies last, in radii. It does not keep momentum. Default 0. */
  readonly vorticity: number;
  /** How much of what is missing in density draws particles together, from 0 to 1. Default 0. */
  readonly tension: number;
  /** Artificial pressure between those very near, in radii². Default 0.0005. */
  readonly pressure: number;
  /** Makes corrections softer where there are few neighbours, in 1 / radius². Default 1. */
  readonly softness: number;
}

export interface PositionFluidSettings extends PositionFluidNumbers {
  /** Length / s². Default: 9.8 downwards. */
  readonly gravity: readonly number[];
}

export interface PositionFluidOptions extends Partial<PositionFluidSettings> {
  readonly dimensions: Dimensions;
  /** Opposite corners of the box, whose walls hold the fluid. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** How far particles feel each other. */
  readonly radius: number;
  /** At rest, in particles a unit of area (volume). Default: as a lattice with a spacing of half a radius. */
  readonly density?: number | undefined;
  /** `dimensions` numbers a particle, in the box. */
  readonly positions: Float32Array;
  readonly velocities?: Float32Array | undefined;
}

/** Densities as shares of that at rest. */
export interface FluidMeasures {
  /** Of each particle, by id. */
  readonly densities: Float32Array;
  readonly meanDensity: number;
  /** How far above the density at rest, on average and at most. */
  readonly meanExcess: number;
  readonly greatestExcess: number;
}

export const FLUID_RANGES: NumberRanges<keyof PositionFluidNumbers> = {
  iterations: [1, 100],
  viscosity: [0, 1],
  vorticity: [0, 10],
  tension: [0, 1],
  pressure: [0, 1],
  softness: [1e-3, 1e6],
};

export const FLUID_NUMBERS: PositionFluidNumbers = {
  iterations: 4,
  viscosity: 0.02,
  vorticity: 0,
  tension: 0,
  pressure: 5e-4,
  softness: 1,
};

const GRAVITY = 9.8;

const SETTING_NAMES = [...Object.keys(FLUID_RANGES), 'gravity'];

const OPTION_NAMES = ['dimensions', 'min', 'max', 'radius', 'density', 'positions', 'velocities'];

/** Velocities are ways over this. */
const SHORTEST_STEP = 1e-6;

const PARAMETERS = {
  dt: 'f32',
  gravity: 'vector',
  lower: 'vector',
  upper: 'vector',
  radius: 'f32',
  weight: 'f32',
  slope: 'f32',
  near_weight: 'f32',
  viscosity: 'f32',
  vorticity: 'f32',
  tension: 'f32',
  pressure: 'f32',
  softness: 'f32',
} as const;

/** Beside positions and velocities: lambdas and curls are by slot, the others by id. */
const MORE = { predicted: 'vector', curls: 'vector', lambdas: 'word', densities: 'word' } as const;

type FluidParticles = GridParticles<keyof typeof MORE>;

type FluidKernels = Readonly<Record<'curl' | 'predict' | 'density' | 'correct', GridKernel>>;

export async function createPositionFluid(gpu: Gpu, options: PositionFluidOptions): Promise<PositionFluid> {
  checkKnownKeys('options', options, [...OPTION_NAMES, ...SETTING_NAMES]);
  const { dimensions, min, max, radius, positions, velocities } = options;
  checkDimensions(dimensions);
  checkRange('radius', radius, 1e-6, 1e6);
  const { density = defaultDensity(dimensions, radius) } = options;
  checkDensity(density, dimensions, radius);
  const settings = resolveSettings(options, defaultSettings(dimensions), dimensions);
  const particles = await GridParticles.create(gpu, {
    ...{ dimensions, min, max, positions, velocities },
    diameter: radius,
    more: MORE,
    label: 'pbf',
  });
  try {
    const smoothing = smoothingOf(dimensions, radius, density);
    return new PositionFluid(gpu, radius, smoothing, settings, particles, await makeKernels(particles));
  } catch (error) {
    particles.destroy();
    throw error;
  }
}

async function makeKernels({ grid }: FluidParticles): Promise<FluidKernels> {
  const make = (label: string, code: string, buffers: GridKernelOptions['buffers']) =>
    grid.kernel({ label, code: smoothingCode + code, buffers, parameters: PARAMETERS });
  return {
    curl: await make('curl', curlCode, {
      velocities: { type: 'array<Stored>', access: 'read' },
      curls: { type: 'array<Stored>', access: 'write' },
    }),
    predict: await make('predict', predictCode, {
      velocities: { type: 'array<Stored>', access: 'read' },
      curls: { type: 'array<Stored>', access: 'read' },
      predicted: { type: 'array<Stored>', access: 'write' },
    }),
    density: await make('density', densityCode, {
      lambdas: { type: 'array<f32>', access: 'write' },
      densities: { type: 'array<f32>', access: 'write' },
    }),
    correct: await make('correct', correctCode, {
      lambdas: { type: 'array<f32>', access: 'read' },
      positions: { type: 'array<Stored>', access: 'read' },
      predicted: { type: 'array<Stored>', access: 'write' },
      velocities: { type: 'array<Stored>', access: 'write' },
    }),
  };
}

export class PositionFluid {
  /** Use createPositionFluid, which checks its arguments. */
  constructor(
    private readonly gpu: Gpu,
    private readonly radius: number,
    private readonly smoothing: Smoothing,
    private settings: PositionFluidSettings,
    private readonly particles: FluidParticles,
    private readonly kernels: FluidKernels,
  ) {}

  get count(): number {
    return this.particles.count;
  }

  /** By id: vec2f (2D) or vec4f with w unused (3D); f32 of densities, as they were before the last corrections. */
  get buffers(): Readonly<Record<'positions' | 'velocities' | 'densities', GPUBuffer>> {
    const { positions, velocities, densities } = this.particles.buffers;
    return { positions, velocities, densities };
  }

  get memoryBytes(): number {
    const kernels = Object.values(this.kernels);
    return kernels.reduce((sum, { memoryBytes }) => sum + memoryBytes, this.particles.memoryBytes);
  }

  /** From the next recording on. No kernel is compiled. */
  set(settings: Partial<PositionFluidSettings>): void {
    this.particles.checkAlive();
    checkKnownKeys('settings', settings, SETTING_NAMES);
    this.settings = resolveSettings(settings, this.settings, this.particles.grid.world.dimensions);
  }

  step(dt: number): void {
    const encoder = this.gpu.device.createCommandEncoder({ label: 'pbf.step' });
    this.encode(encoder, dt);
    this.gpu.device.queue.submit([encoder.finish()]);
  }

  /** Records a step. The caller submits, in the order of recording. */
  encode(encoder: GPUCommandEncoder, dt: number): void {
    checkRange('dt', dt, SHORTEST_STEP, 1);
    const { particles, kernels } = this;
    const { positions, velocities, curls, predicted, lambdas, densities } = particles.buffers;
    const parameters = this.parametersFor(dt);
    particles.encode(encoder);
    if (this.settings.vorticity > 0) {
      kernels.curl.encode(encoder, { buffers: { velocities, curls }, parameters });
    }
    kernels.predict.encode(encoder, { buffers: { velocities, curls, predicted }, parameters });
    for (let round = 0; round < this.settings.iterations; round++) {
      particles.encode(encoder, predicted);
      kernels.density.encode(encoder, { buffers: { lambdas, densities }, parameters });
      kernels.correct.encode(encoder, {
        buffers: { lambdas, positions, predicted, velocities },
        parameters,
      });
    }
    encoder.copyBufferToBuffer(predicted, 0, positions, 0, positions.size);
  }

  /** Positions and velocities as all that was submitted left them, packed, by id. */
  read(): Promise<{ readonly positions: Float32Array; readonly velocities: Float32Array }> {
    return this.particles.read();
  }

  /** How dense the fluid is now, as shares of the density at rest. Sorts once more, and changes nothing else. */
  async measure(): Promise<FluidMeasures> {
    const { particles, kernels } = this;
    const { lambdas, densities } = particles.buffers;
    const encoder = this.gpu.device.createCommandEncoder({ label: 'pbf.measure' });
    particles.encode(encoder);
    // No velocity is taken from this, so any time will do.
    kernels.density.encode(encoder, { buffers: { lambdas, densities }, parameters: this.parametersFor(1) });
    this.gpu.device.queue.submit([encoder.finish()]);
    const read = await particles.readFloats(densities);
    const excesses = read.map((density) => Math.max(0, density - 1));
    const mean = (values: Float32Array) => values.reduce((sum, value) => sum + value, 0) / values.length || 0;
    return {
      densities: read,
      meanDensity: mean(read),
      meanExcess: mean(excesses),
      greatestExcess: excesses.reduce((most, excess) => Math.max(most, excess), 0),
    };
  }

  destroy(): void {
    this.particles.destroy();
  }

  private parametersFor(dt: number): Readonly<Record<keyof typeof PARAMETERS, number | readonly number[]>> {
    const { radius, smoothing } = this;
    const { min, max } = this.particles.grid.world;
    const { viscosity, vorticity, tension, pressure, softness, gravity } = this.settings;
    return {
      ...{ dt, gravity, lower: min, upper: max, radius, viscosity, tension },
      weight: smoothing.weight,
      slope: smoothing.slope,
      near_weight: smoothing.nearWeight,
      vorticity: vorticity * radius,
      pressure: pressure * radius ** 2,
      softness: softness / radius ** 2,
    };
  }
}

/** Fewer than one particle within a radius are no fluid; very many are not what the kernels are made for. */
function checkDensity(density: unknown, dimensions: Dimensions, radius: number): void {
  const [low, high] = [1, 1000].map((particles) => particles / radius ** dimensions) as [number, number];
  checkRange('density', density, low, high);
}

export function defaultSettings(dimensions: Dimensions): PositionFluidSettings {
  return { ...FLUID_NUMBERS, gravity: dimensions === 2 ? [0, -GRAVITY] : [0, -GRAVITY, 0] };
}

function resolveSettings(
  given: Partial<PositionFluidSettings>,
  held: PositionFluidSettings,
  dimensions: Dimensions,
): PositionFluidSettings {
  const { gravity = held.gravity } = given;
  checkVector('gravity', gravity, dimensions);
  gravity.forEach((value, axis) => {
    checkRange(`gravity[${axis}]`, value, -1e9, 1e9);
  });
  const numbers = resolveNumbers(given, held, FLUID_RANGES);
  checkInteger('iterations', numbers.iterations, ...FLUID_RANGES.iterations);
  return { ...numbers, gravity: [...gravity] };
}
