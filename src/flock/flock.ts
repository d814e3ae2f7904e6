/**
 * Purpose: boids on the GPU: separation, alignment, cohesion, obstacles and hunters, in 2D and 3D, in boxes that wrap
 * around or have walls. The rules are in shaders/flock/boids.wgsl and hunter.wgsl; here they get their buffers and
 * parameters. docs/boids.md goes from the idea to the kernel.
 *
 *     const flock = await createFlock(gpu, { dimensions: 2, min, max, periodic: true, perception: 1, positions });
 *     flock.step(1 / 60);
 *
 * Inputs: packed positions, settings in the caller's units. Outputs: `buffers`, by id.
 * Guarantee: the same input gives the same bits, since neighbours come in an order that depends on the state alone.
 */
import boidsCode from '../../shaders/flock/boids.wgsl?raw';
import hunterCode from '../../shaders/flock/hunter.wgsl?raw';
import motionCode from '../../shaders/flock/motion.wgsl?raw';
import steeringCode from '../../shaders/flock/steering.wgsl?raw';
import {
  ArgumentError,
  checkDimensions,
  checkKnownKeys,
  checkPacked,
  checkRange,
  checkVector,
  type Dimensions,
  type Gpu,
  type GridKernel,
  GridParticles,
  type NumberRanges,
  resolveNumbers,
} from '../index';
import { type Walls, wallsOf } from './walls';

/** Lengths in the caller's unit, times in seconds if dt is. */
export interface FlockSettings {
  /** Nearer than this two turn away from each other. Default: half the perception. */
  readonly spacing: number;
  /** How hard, length / s², at no distance. Default: 20 perceptions. */
  readonly separation: number;
  /** Of the difference to the neighbours' velocity, how much is made up a second. Default 5. */
  readonly alignment: number;
  /** Pull to the neighbours' middle, 1 / s². Default 4. */
  readonly cohesion: number;
  /** Away from obstacles and walls that are in sight, length / s², at their surface. Default: 20 perceptions. */
  readonly avoidance: number;
  /** Away from hunters nearer than `fear`, length / s², where they are. Default: 40 perceptions. */
  readonly flight: number;
  /** Speeds that boids keep between. Default: 1 and 4 perceptions a second. */
  readonly slowest: number;
  readonly fastest: number;
  /** Of all of that together, what a boid is able to. Default: 15 perceptions / s². */
  readonly greatestAcceleration: number;
  /** Pull of a hunter to the middle of the boids it sees, 1 / s². Default 8. */
  readonly hunting: number;
  /** Default: 5 perceptions a second. */
  readonly hunterSpeed: number;
}

export interface FlockOptions extends Partial<FlockSettings> {
  readonly dimensions: Dimensions;
  /** Opposite corners of the box. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** Whether the box wraps around, along all axes or along each. Default false: walls. */
  readonly periodic?: boolean | readonly boolean[] | undefined;
  /** How far a boid sees. */
  readonly perception: number;
  /** `dimensions` numbers a boid, in the box. */
  readonly positions: Float32Array;
  /** The same of velocities. Default: all 0; a boid without a heading sets out along x. */
  readonly velocities?: Float32Array | undefined;
  /** Balls that are flown around: the centre and then the radius of each. At most 1,024. */
  readonly obstacles?: Float32Array | undefined;
  /** Where hunters set out, packed. At most 1,024. */
  readonly hunters?: Float32Array | undefined;
  /** How far boids see hunters, and hunters boids. Default: 3 perceptions. */
  readonly fear?: number | undefined;
}

export interface FlockState {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly hunters: Float32Array;
}

export const FLOCK_RANGES: NumberRanges<keyof FlockSettings> = {
  spacing: [1e-6, 1e6],
  separation: [0, 1e9],
  alignment: [0, 1e6],
  cohesion: [0, 1e6],
  avoidance: [0, 1e9],
  flight: [0, 1e9],
  slowest: [0, 1e6],
  fastest: [0, 1e6],
  greatestAcceleration: [0, 1e9],
  hunting: [0, 1e6],
  hunterSpeed: [0, 1e6],
};

const SETTING_NAMES = Object.keys(FLOCK_RANGES);

const OPTION_NAMES = [
  'dimensions',
  'min',
  'max',
  'periodic',
  'perception',
  'positions',
  'velocities',
  'obstacles',
  'hunters',
  'fear',
];

/** Every boid looks at each of them, so they are to be few. */
const MOST_SPHERES = 1024;

/** Floats of a Sphere in steering.wgsl, in the plane as in space; the radius comes right behind the centre. */
const SPHERE_FLOATS = 4;

const PARAMETERS = {
  dt: 'f32',
  lower: 'vector',
  upper: 'vector',
  perception: 'f32',
  spacing: 'f32',
  separation: 'f32',
  alignment: 'f32',
  cohesion: 'f32',
  avoidance: 'f32',
  flight: 'f32',
  fear: 'f32',
  slowest: 'f32',
  fastest: 'f32',
  greatest_acceleration: 'f32',
  hunting: 'f32',
  hunter_speed: 'f32',
  hunters: 'u32',
  spheres: 'u32',
} as const;

/** What stays as it was created. */
interface FlockShape {
  readonly perception: number;
  readonly fear: number;
  readonly hunters: number;
  readonly spheres: number;
}

interface FlockParts {
  readonly particles: GridParticles;
  readonly boids: GridKernel;
  readonly hunter: GridKernel | undefined;
  readonly buffers: Readonly<Record<'spheres' | 'hunting' | 'hunters', GPUBuffer>>;
}

/** What settings are where nothing else is said. */
export function flockSettings(perception: number): FlockSettings {
  return {
    spacing: perception / 2,
    separation: 20 * perception,
    alignment: 5,
    cohesion: 4,
    avoidance: 20 * perception,
    flight: 40 * perception,
    slowest: perception,
    fastest: 4 * perception,
    greatestAcceleration: 15 * perception,
    hunting: 8,
    hunterSpeed: 5 * perception,
  };
}

export async function createFlock(gpu: Gpu, options: FlockOptions): Promise<Flock> {
  checkKnownKeys('options', options, [...OPTION_NAMES, ...SETTING_NAMES]);
  const { dimensions, min, max, periodic, perception, positions, velocities } = options;
  checkDimensions(dimensions);
  checkRange('perception', perception, 1e-6, 1e6);
  const { fear = 3 * perception, obstacles, hunters } = options;
  checkRange('fear', fear, 1e-6, 1e6);
  if (hunters?.length) checkFear(fear, options);
  const settings = resolveSettings(options, flockSettings(perception));
  const spheres = packSpheres(dimensions, hunters, obstacles);
  const shape = {
    perception,
    fear,
    hunters: (hunters?.length ?? 0) / dimensions,
    spheres: spheres.length / SPHERE_FLOATS,
  };
  const particles = await GridParticles.create(gpu, {
    ...{ dimensions, min, max, periodic, positions, velocities },
    diameter: perception,
    sortVelocities: true,
    label: 'flock',
  });
  try {
    return new Flock(gpu, shape, settings, await makeParts(gpu, particles, shape, spheres));
  } catch (error) {
    particles.destroy();
    throw error;
  }
}

async function makeParts(
  gpu: Gpu,
  particles: GridParticles,
  shape: FlockShape,
  spheres: Float32Array<ArrayBuffer>,
): Promise<FlockParts> {
  const { grid } = particles;
  const shared = { parameters: PARAMETERS } as const;
  const boids = await grid.kernel({
    ...shared,
    label: 'boids',
    code: motionCode + steeringCode + boidsCode,
    buffers: {
      positions: { type: 'array<Stored>', access: 'write' },
      velocities: { type: 'array<Stored>', access: 'write' },
      spheres: { type: 'array<Sphere>', access: 'read' },
    },
  });
  // A kernel over nobody need not be compiled.
  const hunter =
    shape.hunters === 0
      ? undefined
      : await grid.kernel({
          ...shared,
          label: 'hunter',
          code: motionCode + steeringCode + hunterCode,
          over: 'points',
          radius: shape.fear,
          buffers: {
            hunting: { type: 'array<Stored>', access: 'write' },
            spheres: { type: 'array<Sphere>', access: 'write' },
          },
        });
  const places = placesOf(grid.world.dimensions, spheres.subarray(0, SPHERE_FLOATS * shape.hunters));
  const { device } = gpu;
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const make = (label: string, data: Float32Array<ArrayBuffer>, bytes = data.byteLength) => {
    const size = Math.max(16, bytes);
    const buffer = device.createBuffer({ label: `flock.${label}`, size, usage });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const buffers = {
    spheres: make('spheres', spheres),
    hunting: make('hunting', places, 2 * places.byteLength),
    hunters: make('hunters', places),
  };
  return { particles, boids, hunter, buffers };
}

export class Flock {
  /** Use createFlock, which checks its arguments. */
  constructor(
    private readonly gpu: Gpu,
    private readonly shape: FlockShape,
    private settings: FlockSettings,
    private readonly parts: FlockParts,
  ) {
    this.walls = wallsOf(parts.particles.grid.world);
  }

  private readonly walls: Walls;

  get count(): number {
    return this.parts.particles.count;
  }

  /** By id, vec2f (2D) or vec4f with w unused (3D): of boids, and where hunters are. */
  get buffers(): Readonly<Record<'positions' | 'velocities' | 'hunters', GPUBuffer>> {
    const { particles, buffers } = this.parts;
    return { ...particles.buffers, hunters: buffers.hunters };
  }

  get memoryBytes(): number {
    const { particles, boids, hunter, buffers } = this.parts;
    const kernels = boids.memoryBytes + (hunter?.memoryBytes ?? 0);
    return Object.values(buffers).reduce((sum, { size }) => sum + size, particles.memoryBytes + kernels);
  }

  /** From the next recording on. No kernel is compiled. */
  set(settings: Partial<FlockSettings>): void {
    this.parts.particles.checkAlive();
    checkKnownKeys('settings', settings, SETTING_NAMES);
    this.settings = resolveSettings(settings, this.settings);
  }

  /** Puts the hunters elsewhere, as many as there are, for all that is submitted from now on; they keep their speed. */
  placeHunters(places: Float32Array): void {
    const { particles, buffers } = this.parts;
    particles.checkAlive();
    const { dimensions } = particles.grid.world;
    checkPacked('places', places, this.shape.hunters, dimensions, 2 ** 48);
    const { queue } = this.gpu.device;
    const spheres = packSpheres(dimensions, places);
    const stored = placesOf(dimensions, spheres);
    queue.writeBuffer(buffers.spheres, 0, spheres);
    queue.writeBuffer(buffers.hunting, 0, stored);
    queue.writeBuffer(buffers.hunters, 0, stored);
  }

  step(dt: number): void {
    const encoder = this.gpu.device.createCommandEncoder({ label: 'flock.step' });
    this.encode(encoder, dt);
    this.gpu.device.queue.submit([encoder.finish()]);
  }

  /** Records a step. The caller submits, in the order of recording. */
  encode(encoder: GPUCommandEncoder, dt: number): void {
    checkRange('dt', dt, 0, 1);
    const { particles, boids, hunter, buffers } = this.parts;
    const { positions, velocities } = particles.buffers;
    const { spheres, hunting, hunters } = buffers;
    const { greatestAcceleration, hunterSpeed, ...settings } = this.settings;
    const parameters = {
      ...{ ...settings, ...this.walls, ...this.shape, dt },
      greatest_acceleration: greatestAcceleration,
      hunter_speed: hunterSpeed,
    };
    particles.encode(encoder);
    boids.encode(encoder, { buffers: { positions, velocities, spheres }, parameters });
    if (!hunter) return;
    const count = this.shape.hunters;
    hunter.encode(encoder, { points: hunters, count, buffers: { hunting, spheres }, parameters });
    encoder.copyBufferToBuffer(hunting, 0, hunters, 0, hunting.size / 2);
  }

  /** As all that was submitted left it, packed, by id. */
  async read(): Promise<FlockState> {
    const { particles, buffers } = this.parts;
    const [state, [hunters]] = await Promise.all([
      particles.read(),
      particles.readVectors([buffers.hunters], this.shape.hunters),
    ]);
    return { ...state, hunters: hunters as Float32Array };
  }

  destroy(): void {
    const { particles, buffers } = this.parts;
    particles.destroy();
    for (const buffer of Object.values(buffers)) buffer.destroy();
  }
}

function resolveSettings(given: Partial<FlockSettings>, held: FlockSettings): FlockSettings {
  const settings = resolveNumbers(given, held, FLOCK_RANGES);
  if (settings.slowest > settings.fastest) {
    throw new ArgumentError('slowest', settings.slowest, `at most fastest, ${settings.fastest}`);
  }
  return settings;
}

/** Hunters look that far, and where the world wraps around nobody looks farther than half way. */
function checkFear(fear: number, { dimensions, min, max, periodic }: FlockOptions): void {
  checkVector('world.min', min, dimensions);
  checkVector('world.max', max, dimensions);
  const wraps = (axis: number) => (Array.isArray(periodic) ? periodic[axis] : periodic) === true;
  const ways = max.map((high, axis) =>
    wraps(axis) ? high - (min[axis] as number) : Number.POSITIVE_INFINITY,
  );
  const most = Math.min(...ways) / 2;
  if (fear > most) throw new ArgumentError('fear', fear, `at most ${most}, half of the shortest way around`);
}

/** Hunters, whose radius is 0, and then obstacles. */
function packSpheres(
  dimensions: Dimensions,
  hunters: Float32Array = new Float32Array(),
  obstacles: Float32Array = new Float32Array(),
): Float32Array<ArrayBuffer> {
  const hunterCount = checkSpheres('hunters', hunters, dimensions);
  const obstacleCount = checkSpheres('obstacles', obstacles, dimensions + 1);
  checkPacked('hunters', hunters, hunterCount, dimensions, 2 ** 48);
  const spheres = new Float32Array(SPHERE_FLOATS * (hunterCount + obstacleCount));
  for (let index = 0; index < hunterCount; index++) {
    spheres.set(hunters.subarray(dimensions * index, dimensions * (index + 1)), SPHERE_FLOATS * index);
  }
  const floats = dimensions + 1;
  for (let index = 0; index < obstacleCount; index++) {
    const sphere = obstacles.subarray(floats * index, floats * (index + 1));
    for (let axis = 0; axis < dimensions; axis++) {
      checkRange(`obstacles[${floats * index + axis}]`, sphere[axis], -1e9, 1e9);
    }
    checkRange(`obstacles[${floats * index + dimensions}] (a radius)`, sphere[dimensions], 0, 1e9);
    spheres.set(sphere, SPHERE_FLOATS * (hunterCount + index));
  }
  return spheres;
}

/** Centres of spheres, laid out as positions are. */
function placesOf(dimensions: Dimensions, spheres: Float32Array): Float32Array<ArrayBuffer> {
  const floats = dimensions === 2 ? 2 : 4;
  const places = new Float32Array((floats * spheres.length) / SPHERE_FLOATS);
  for (let first = 0; first < spheres.length; first += SPHERE_FLOATS) {
    places.set(spheres.subarray(first, first + dimensions), (floats * first) / SPHERE_FLOATS);
  }
  return places;
}

function checkSpheres(argument: string, given: unknown, floats: number): number {
  const isFit = given instanceof Float32Array && given.length % floats === 0;
  if (!isFit || given.length > MOST_SPHERES * floats) {
    const accepted = `a Float32Array with ${floats} numbers for each of at most ${MOST_SPHERES}`;
    throw new ArgumentError(argument, given, accepted);
  }
  return given.length / floats;
}
