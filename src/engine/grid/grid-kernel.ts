/**
 * Runs a user's WGSL over the neighbours that a HashGrid finds, in the loop of the engine's own passes
 * (shaders/neighbours/each_particle.wgsl, or each_point.wgsl beside it). The loop has a fixed order, so the same input
 * gives the same bits.
 */
import { checkInteger, checkKnownKeys } from '../../core/base/checks';
import { HEAVY_WORKGROUP_SIZE } from '../../core/base/constants';
import {
  ArgumentError,
  CellstormError,
  DestroyedError,
  GpuError,
  LimitError,
  Phrase,
} from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import type { World } from '../../core/world/world';
import { kindOf } from '../../gpu/bindings';
import { checkEncoder, type Gpu, type RecordedSteps } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { bodyFloats, defineStruct, type StructLayout } from '../../gpu/layout';
import type { SharedBinding } from '../../gpu/params';
import { UniformRing } from '../../gpu/uniform-ring';
import { PREFIX, USER, userCode } from '../../gpu/user-code';
import {
  type Breadth,
  EACH_HEAVY,
  EACH_PARTICLE,
  finerBinding,
  heavyBinding,
  worldFlags,
} from '../../passes/modules';
import { bindKernels, encodeKernels, type ParticleGroup } from '../../passes/particle-pass';
import { EACH_POINT, NEIGHBOURS, searchModules } from '../../passes/search-modules';
import { breadthFor, checkReach, reachSquared } from '../queries/reach';
import { checkCode, checkNames, definesMerge, definesSkip, PUBLIC_NAMES } from './kernel-code';
import { KernelParameters } from './kernel-parameters';

/** A storage buffer of a kernel. */
export interface KernelBuffer {
  /** Its WGSL type, such as `array<f32>`. */
  readonly type: string;
  /** How the code uses it. */
  readonly access: 'read' | 'write';
}

/** The type of a field of a kernel's parameters; vector is an f32 per axis, extent a u32 per axis. */
export type KernelField = 'f32' | 'u32' | 'vector' | 'extent';

/** Options of a `GridKernel`. */
export interface GridKernelOptions {
  /**
   * WGSL that defines:
   *   - `struct Own` (or `alias Own`), the values that the kernel gathers
   *   - `fn begin(particle: Particle) -> Own`
   *   - `fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour)`, called per neighbour
   *   - `fn finish(own: Own, particle: Particle)`, which stores the result
   *   - optionally `fn skip(slot: u32)`, called for quarantined particles and for points that are not finite
   *   - optionally `fn merge(own: ptr<function, Own>, other: Own)`. In kernels over particles, several threads then
   *     share the work for a particle with very many neighbours: in grids with `radii`, and in grids with `crowds` if
   *     `radius` is at most the cell size.
   */
  readonly code: string;
  /**
   * The kernel runs over the grid's particles or over points of yours. For points, `particle` is the point and
   * `particle.slot` its index. Default: 'particles'.
   */
  readonly over?: 'particles' | 'points' | undefined;
  /** The kernel's name in error messages and debuggers. Default: 'kernel'. */
  readonly label?: string | undefined;
  /**
   * The kernel visits neighbours nearer than this: at least 2^-40, and in a periodic world at most half the shortest
   * period. In a grid with `radii`, give it only for kernels over points; kernels over particles visit the neighbours
   * that overlap. Default: the grid's diameter.
   */
  readonly radius?: number | undefined;
  /** The types of the buffers, by their names in the code. Default: none. */
  readonly buffers?: Readonly<Record<string, KernelBuffer>> | undefined;
  /** The fields of `parameters`, each with its type. Default: none. */
  readonly parameters?: Readonly<Record<string, KernelField>> | undefined;
}

/** Input of a `GridKernel`. */
export interface GridKernelInput {
  /** One vec2f (2D) or vec4f with w unused (3D) per point; vec4f in 2D, too, if the grid has `radii`. Usage STORAGE. */
  readonly points?: GPUBuffer | undefined;
  /** The number of points. */
  readonly count?: number | undefined;
  /** The buffers that the options declare. Usage STORAGE. */
  readonly buffers?: Readonly<Record<string, GPUBuffer>> | undefined;
  /** The values of all parameters that the options declare. */
  readonly parameters?: Readonly<Record<string, number | readonly number[]>> | undefined;
}

export interface KernelGrid {
  readonly world: World;
  /** Returns undefined before the first `encode`. */
  built(): { readonly shared: SharedBinding; readonly count: number } | undefined;
  readonly buffers: Readonly<Record<'position_in' | 'start' | 'cell_of_slot' | 'id_in', GPUBuffer>>;
  readonly velocity: GPUBuffer | undefined;
  /** Undefined if the world has no levels. */
  readonly finer: GPUBuffer | undefined;
  /** Undefined if the world has neither `crowds` nor levels. */
  readonly crowd: GPUBuffer | undefined;
  /** Notes the encoder of the last sort or search, so that reading results throws until it is finished. */
  readonly recorded: RecordedSteps;
  forget(dependant: { destroy(): void }): void;
}

const OPTION_NAMES = ['code', 'over', 'label', 'radius', 'buffers', 'parameters'] as const;

const FIELD_TYPES: Readonly<Record<KernelField, string>> = {
  f32: 'f32',
  u32: 'u32',
  vector: 'Vector',
  extent: 'Extent',
};

type KernelFields = Readonly<Record<string, KernelField>>;

interface CachedGroup {
  readonly buffers: readonly GPUBuffer[];
  readonly group: ParticleGroup;
}

interface Kernels {
  readonly all: Kernel;
  readonly heavy: Kernel | undefined;
}

/** Greatest number of cached bind groups that begin with the same buffer. */
const MOST_GROUPS = 8;

/** Your WGSL as a kernel over the neighbours of a grid's particles or of your points. */
export class GridKernel {
  private destroyed = false;
  /** Bind groups by their first buffer. The other buffers may change with each call. */
  private groups = new WeakMap<GPUBuffer, CachedGroup[]>();
  private emptyGroup: ParticleGroup | undefined;

  private constructor(
    private readonly gpu: Gpu,
    private readonly grid: KernelGrid,
    private readonly kernels: Kernels,
    private readonly over: 'particles' | 'points',
    private readonly declared: Readonly<Record<string, KernelBuffer>>,
    private readonly parameters: KernelParameters | undefined,
  ) {}

  /** @internal HashGrid creates it. */
  static async create(gpu: Gpu, grid: KernelGrid, options: GridKernelOptions): Promise<GridKernel> {
    checkKnownKeys('options', options, OPTION_NAMES);
    const { world } = grid;
    const { code, over = 'particles', label = 'kernel' } = options;
    const { radius = world.diameter, buffers = {}, parameters } = options;
    if (over !== 'particles' && over !== 'points') {
      throw new ArgumentError('over', over, "'particles' or 'points'");
    }
    if (typeof code !== 'string') throw new ArgumentError('code', code, 'a string of WGSL');
    if (typeof label !== 'string' || label === '') throw new ArgumentError('label', label, 'a name');
    if (world.levels > 0 && over === 'particles' && options.radius !== undefined) {
      const accepted = "left out unless `over` is 'points', because each particle has its own radius";
      throw new ArgumentError('radius', options.radius, accepted);
    }
    checkReach('radius', world, radius);
    checkBuffers(buffers);
    checkCode(code, label, world.dimensions, Object.keys(buffers));
    const given = parameters === undefined ? {} : checkParameters(parameters);
    if (over === 'points' && Object.hasOwn(given, 'point_count')) {
      const accepted = 'another name, because `count` of the input sets this parameter';
      throw new ArgumentError('parameters', 'point_count', accepted);
    }
    const layout = defineParameters(world, over === 'points' ? { ...given, ...POINT_FIELDS } : given);
    // The wide loop cannot split the work of a heavy particle among threads.
    const splits =
      world.crowds && over === 'particles' && loopFor(world, over, radius) === 'narrow' && definesMerge(code);
    const request = { code, over, label, radius, buffers, layout, splits };
    const description = describe(grid, request, false);
    const heaviest = splits ? describe(grid, request, true) : description;
    const storage = Object.values(heaviest.bindings).filter(
      (binding) => kindOf(binding) !== 'parameters',
    ).length;
    const most = gpu.device.limits.maxStorageBuffersPerShaderStage;
    if (storage > most) {
      const spare = most - (storage - Object.keys(buffers).length);
      throw new LimitError(
        'maxStorageBuffersPerShaderStage',
        `The kernel ${label} has ${Object.keys(buffers).length} buffers, but this device's maxStorageBuffersPerShaderStage is ${most}, and the grid's ${most - spare} buffers leave room for ${spare}.`,
      );
    }
    const all = await Kernel.compile(gpu, description);
    const heavy = splits ? await compileHeavy(gpu, heaviest, label) : undefined;
    const own = layout ? await KernelParameters.create(gpu, label, layout) : undefined;
    return new GridKernel(gpu, grid, { all, heavy }, over, buffers, own);
  }

  /** Bytes of GPU memory for the parameters. */
  get memoryBytes(): number {
    return this.parameters?.bytes ?? 0;
  }

  /**
   * Records the kernel. It runs over the grid as last encoded, so encode the grid first. Submit the encoder yourself.
   */
  encode(encoder: GPUCommandEncoder, input: GridKernelInput = {}): void {
    if (this.destroyed) throw new DestroyedError('kernel');
    this.gpu.checkAlive();
    checkEncoder(encoder);
    const isOverPoints = this.over === 'points';
    checkKnownKeys('input', input, ['buffers', 'parameters', ...(isOverPoints ? ['points', 'count'] : [])]);
    const built = this.grid.built();
    if (!built) {
      throw new CellstormError('The grid has not been encoded yet; encode it before its kernels.');
    }
    const threads = isOverPoints ? checkPoints(this.grid.world, input) : built.count;
    const { all, heavy } = this.kernels;
    if (this.parameters?.makeRoom()) {
      this.groups = new WeakMap();
      this.emptyGroup = undefined;
    }
    const groups = this.groupFor(input.buffers ?? {}, isOverPoints ? input.points : undefined);
    if (!this.parameters && input.parameters !== undefined) {
      throw new ArgumentError(
        'parameters',
        input.parameters,
        'left out, because the kernel was created without parameters',
      );
    }
    const values = { ...input.parameters, ...(isOverPoints ? { point_count: threads } : {}) };
    const offsets = this.parameters ? [this.parameters.write(values)] : [];
    const pass = encoder.beginComputePass({ label: all.description.label });
    encodeKernels(all, heavy, pass, built.shared, groups, threads, offsets);
    pass.end();
  }

  /** Frees the memory. A later `encode` throws a DestroyedError. */
  destroy(): void {
    this.destroyed = true;
    this.grid.forget(this);
    this.parameters?.destroy();
  }

  private groupFor(
    given: Readonly<Record<string, GPUBuffer | undefined>>,
    points: GPUBuffer | undefined,
  ): ParticleGroup {
    const names = Object.keys(this.declared);
    checkKnownKeys('buffers', given, names);
    const named = names.map((name) => {
      const buffer = given[name];
      if (!buffer || !(buffer.usage & GPUBufferUsage.STORAGE)) {
        throw new ArgumentError(`buffers.${name}`, buffer, 'a GPUBuffer with usage STORAGE');
      }
      return buffer;
    });
    const buffers = points ? [...named, points] : named;
    const [first] = buffers;
    const groups = first ? (this.groups.get(first) ?? []) : [];
    const cached = groups.find((group) => group.buffers.every((buffer, index) => buffer === buffers[index]));
    if (cached) return cached.group;
    if (!first && this.emptyGroup) return this.emptyGroup;
    this.checkWritten(names, buffers);
    const group = bindKernels(this.kernels.all, this.kernels.heavy, {
      ...this.grid.buffers,
      crowd: this.grid.crowd,
      finer: this.grid.finer,
      velocity_in: this.grid.velocity,
      points,
      [`${USER}parameters`]: this.parameters?.buffer,
      ...Object.fromEntries(names.map((name, index) => [`${USER}${name}`, named[index]])),
    });
    if (!first) {
      this.emptyGroup = group;
      return group;
    }
    groups.push({ buffers, group });
    if (groups.length > MOST_GROUPS) groups.shift();
    this.groups.set(first, groups);
    return group;
  }

  /**
   * Rejects a buffer that is bound twice if the kernel writes it. Otherwise the device would drop the whole submission.
   */
  private checkWritten(names: readonly string[], buffers: readonly GPUBuffer[]): void {
    const { position_in, start, cell_of_slot, id_in } = this.grid.buffers;
    const outputs: readonly [GPUBuffer | undefined, string][] = [
      [position_in, 'positions'],
      [start, 'start'],
      [cell_of_slot, 'cellOfSlot'],
      [id_in, 'ids'],
      [this.grid.velocity, 'velocities'],
    ];
    names.forEach((name, index) => {
      if (this.declared[name]?.access !== 'write') return;
      const accepted = 'a buffer that is bound only once, because the kernel writes it';
      const output = outputs.find(([buffer]) => buffer === buffers[index]);
      const other = buffers.findIndex((buffer, next) => next !== index && buffer === buffers[index]);
      const value = output
        ? `the grid's own buffer \`${output[1]}\``
        : `the same buffer as ${names[other] ?? 'points'}`;
      if (output || other >= 0) throw new ArgumentError(`buffers.${name}`, new Phrase(value), accepted);
    });
  }
}

function checkBuffers(buffers: Readonly<Record<string, KernelBuffer>>): void {
  if (typeof buffers !== 'object' || buffers === null) {
    throw new ArgumentError('buffers', buffers, 'an object of { type, access } by name');
  }
  checkNames('buffers', Object.keys(buffers));
  for (const [name, buffer] of Object.entries(buffers)) {
    checkKnownKeys(`buffers.${name}`, buffer, ['type', 'access']);
    const { type, access } = buffer;
    if (typeof type !== 'string' || type === '' || /[;{}]|\/[/*]/.test(type)) {
      throw new ArgumentError(`buffers.${name}.type`, type, "a WGSL type, such as 'array<f32>'");
    }
    if (access !== 'read' && access !== 'write') {
      throw new ArgumentError(`buffers.${name}.access`, access, "'read' or 'write'");
    }
  }
}

const POINT_FIELDS = { point_count: 'u32' } as const;

export function checkPoints(
  world: World,
  { points, count }: Pick<GridKernelInput, 'points' | 'count'>,
): number {
  checkInteger('count', count, 0, MAX_PARTICLES);
  const needed = 4 * bodyFloats(world) * count;
  if (!points || !(points.usage & GPUBufferUsage.STORAGE) || points.size < needed) {
    const accepted = `a GPUBuffer with usage STORAGE and at least ${needed} bytes for ${count} points`;
    throw new ArgumentError('points', points, accepted);
  }
  return count;
}

function checkParameters(fields: KernelFields): KernelFields {
  const names = Object.keys(fields ?? {});
  if (names.length === 0) {
    throw new ArgumentError('parameters', fields, 'left out or an object of types by name');
  }
  checkNames('parameters', names);
  for (const name of names) {
    const type: unknown = fields[name];
    if (typeof type !== 'string' || !Object.hasOwn(FIELD_TYPES, type)) {
      const accepted = `one of ${Object.keys(FIELD_TYPES).join(', ')}`;
      throw new ArgumentError(`parameters.${name}`, fields[name], accepted);
    }
  }
  return fields;
}

function defineParameters(
  { dimensions }: World,
  fields: KernelFields,
): StructLayout<KernelFields> | undefined {
  if (Object.keys(fields).length === 0) return undefined;
  const layout = defineStruct(dimensions, fields);
  if (layout.size > UniformRing.SLOT_BYTES) {
    const accepted = `at most ${UniformRing.SLOT_BYTES} bytes; use a buffer for larger tables`;
    throw new ArgumentError('parameters', new Phrase(`${layout.size} bytes`), accepted);
  }
  return layout;
}

interface KernelRequest {
  readonly code: string;
  readonly over: 'particles' | 'points';
  readonly label: string;
  readonly radius: number;
  readonly buffers: Readonly<Record<string, KernelBuffer>>;
  readonly layout: StructLayout<KernelFields> | undefined;
  /** True if a second kernel handles heavy particles: see neighbours/each_heavy.wgsl. */
  readonly splits: boolean;
}

function describe(
  { world, velocity }: KernelGrid,
  { code, over, label, radius, buffers, layout, splits }: KernelRequest,
  heavy: boolean,
): KernelDescription {
  const fields = Object.entries(layout?.fields ?? {}).map(
    ([name, type]) => `  ${name}: ${FIELD_TYPES[type]},`,
  );
  const parametersType = `${PREFIX}Parameters`;
  const declarations = layout ? [`struct ${parametersType} {\n${fields.join('\n')}\n}`] : [];
  if (!definesSkip(code)) declarations.push('fn skip(slot: u32) {\n}');
  const breadth = loopFor(world, over, radius);
  return {
    label: `grid.kernel.${label}${heavy ? '.heavy' : ''}`,
    dimensions: world.dimensions,
    sources: [
      ...searchModules(world, breadth),
      NEIGHBOURS,
      ...(over === 'points' ? [EACH_POINT] : heavy ? EACH_HEAVY : [EACH_PARTICLE]),
    ],
    userCode: userCode(
      [
        { name: '(generated)', text: declarations.join('\n') },
        { name: label, text: code },
      ],
      PUBLIC_NAMES,
    ),
    entryPoint: over === 'points' ? 'each_point' : heavy ? 'each_heavy' : 'each_particle',
    bindings: {
      position_in: 'read array<PackedBody>',
      start: 'read array<u32>',
      cell_of_slot: 'read array<Cell>',
      id_in: 'read array<u32>',
      ...(velocity ? { velocity_in: 'read array<Stored>' } : {}),
      ...(over === 'points' ? { points: 'read array<PackedBody>' } : finerBinding(world)),
      ...heavyBinding(world, heavy),
      ...Object.fromEntries(
        Object.entries(buffers).map(([name, { type, access }]) => [
          `${USER}${name}`,
          `${access} ${type}` as const,
        ]),
      ),
      ...(layout ? { [`${USER}parameters`]: `parameters ${parametersType}` as const } : {}),
    },
    flags: {
      ...worldFlags(world),
      VELOCITY: velocity !== undefined,
      CROWDS: splits,
      HEAVY: heavy,
    },
    constants: {
      // In kernels over particles with variable radii, this is a factor on the squared sum of both radii.
      REACH_SQUARED_BITS: bitsOf(world.levels > 0 && over === 'particles' ? 1 : reachSquared(radius)),
    },
  };
}

/**
 * Chooses the neighbour loop. A kernel over particles with variable radii visits only overlapping neighbours, and the
 * narrow loop finds all of them.
 */
function loopFor(world: World, over: 'particles' | 'points', radius: number): Breadth {
  return world.levels > 0 && over === 'particles' ? 'narrow' : breadthFor(world, radius);
}

/**
 * Compiles the heavy variant, whose workgroups store one Own per thread. This may take more workgroup memory than the
 * device has.
 */
async function compileHeavy(gpu: Gpu, description: KernelDescription, label: string): Promise<Kernel> {
  return Kernel.compile(gpu, description).catch((error: Error) => {
    const limit = 'maxComputeWorkgroupStorageSize';
    const available = gpu.device.limits[limit];
    const isTooLarge = /workgroup storage|workgroup memory|threadgroup memory/i.test(error.message);
    if (!(error instanceof GpuError) || !isTooLarge) throw error;
    throw new LimitError(
      limit,
      `The kernel ${label} has an Own that is too large for its \`merge\`: it may have at most ${Math.floor(available / HEAVY_WORKGROUP_SIZE)} bytes, as ${HEAVY_WORKGROUP_SIZE} of them must fit this device's ${limit} of ${available}.`,
    );
  });
}

function bitsOf(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0] as number;
}
