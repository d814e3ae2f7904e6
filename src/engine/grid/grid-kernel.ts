/**
 * A user's WGSL over the neighbours that a HashGrid finds. The user writes three functions: what starts a particle, what
 * one neighbour adds, and what to store at the end. The loop linked around them is that of the engine's own passes
 * (shaders/neighbours/each_particle.wgsl).
 * Inputs: the grid's sorted outputs, and the caller's buffers and parameters. Outputs: whatever the code writes.
 * Ordering: see each_particle.wgsl; the same input gives the same bits.
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
import { checkEncoder, type Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import {
  bodyFloats,
  defineStruct,
  type FieldType,
  type StructFields,
  type StructLayout,
} from '../../gpu/layout';
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

/** A storage buffer of the caller: its WGSL type, such as `array<f32>`, and how the code uses it. */
export interface KernelBuffer {
  readonly type: string;
  readonly access: 'read' | 'write';
}

export interface GridKernelOptions {
  /**
   * WGSL that defines `struct Own` (or `alias Own`), `fn begin(particle: Particle) -> Own`, `fn visit(own:
   * ptr<function, Own>, particle: Particle, other: Neighbour)` and `fn finish(own: Own, particle: Particle)`.
   * Optional: `fn skip(slot: u32)`, called for non-finite particles, and `fn merge(own: ptr<function, Own>, other: Own)`,
   * with which several threads share a particle that has very many neighbours, in grids created with `crowds`.
   */
  readonly code: string;
  /**
   * Whether the kernel runs over the grid's particles or over points of the caller. `particle` is then a point, and its
   * slot the number of the point. Default 'particles'.
   */
  readonly over?: 'particles' | 'points' | undefined;
  /** For messages and debuggers. Default 'kernel'. */
  readonly label?: string | undefined;
  /**
   * Visits neighbours nearer than this. Default: the grid's diameter. In a periodic world it is at most half the shortest
   * period.
   */
  readonly radius?: number | undefined;
  /** The buffers, by their names in the code. */
  readonly buffers?: Readonly<Record<string, KernelBuffer>> | undefined;
  /** The types of the fields of `parameters`: f32, u32, vector (an f32 per axis) or extent (a u32 per axis). */
  readonly parameters?: StructFields | undefined;
}

export interface GridKernelInput {
  /** Points in the layout of the grid's positions, or as vec4f if it was created with `radii`. Usage: STORAGE. */
  readonly points?: GPUBuffer | undefined;
  /** The number of points. */
  readonly count?: number | undefined;
  readonly buffers?: Readonly<Record<string, GPUBuffer>> | undefined;
  readonly parameters?: Readonly<Record<string, number | readonly number[]>> | undefined;
}

/** The parts of a grid that its kernels use. */
export interface KernelGrid {
  readonly world: World;
  /** Returns the parameters and the particle count of the last `encode`. */
  built(): { readonly shared: SharedBinding; readonly count: number } | undefined;
  readonly buffers: Readonly<Record<'position_in' | 'start' | 'cell_of_slot' | 'id_in', GPUBuffer>>;
  readonly velocity: GPUBuffer | undefined;
  /** Lists of finer entries, if the grid has levels. */
  readonly finer: GPUBuffer | undefined;
  /** The heavy particles, if the grid was created for crowds. */
  readonly crowd: GPUBuffer | undefined;
  /** Tells the grid that a kernel over it was destroyed. */
  forget(dependant: { destroy(): void }): void;
}

const OPTION_NAMES = ['code', 'over', 'label', 'radius', 'buffers', 'parameters'] as const;

const FIELD_TYPES: Readonly<Partial<Record<FieldType, string>>> = {
  f32: 'f32',
  u32: 'u32',
  vector: 'Vector',
  extent: 'Extent',
};

interface KnownGroup {
  readonly buffers: readonly GPUBuffer[];
  readonly group: ParticleGroup;
}

/** One kernel over all particles, and one over the heavy particles if their work is split. */
interface Kernels {
  readonly all: Kernel;
  readonly heavy: Kernel | undefined;
}

/** How many groups are kept per first buffer. */
const MOST_GROUPS = 8;

export class GridKernel {
  private destroyed = false;
  /** Groups by their first buffer; several each, because callers swap the others between two or three. */
  private readonly groups = new WeakMap<GPUBuffer, KnownGroup[]>();
  private emptyGroup: ParticleGroup | undefined;

  private constructor(
    private readonly gpu: Gpu,
    private readonly grid: KernelGrid,
    private readonly kernels: Kernels,
    private readonly over: 'particles' | 'points',
    private readonly declared: Readonly<Record<string, KernelBuffer>>,
    private readonly parameters: KernelParameters | undefined,
  ) {}

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
      const accepted = "left out, as in this grid each particle has its own, unless `over` is 'points'";
      throw new ArgumentError('radius', options.radius, accepted);
    }
    checkReach('radius', world, radius);
    checkBuffers(buffers);
    checkCode(code, label, world.dimensions, Object.keys(buffers));
    const given = parameters === undefined ? {} : checkParameters(parameters);
    if (over === 'points' && Object.hasOwn(given, 'point_count')) {
      const accepted = 'a name other than that of the number of points, which comes with `count`';
      throw new ArgumentError('parameters', 'point_count', accepted);
    }
    const layout = defineParameters(world, over === 'points' ? { ...given, ...POINT_FIELDS } : given);
    // In the wide loop one thread handles each particle.
    const splits =
      world.crowds && over === 'particles' && loopFor(world, over, radius) === 'narrow' && definesMerge(code);
    const described = { code, over, label, radius, buffers, layout, splits };
    const description = describe(grid, described, false);
    const heaviest = splits ? describe(grid, described, true) : description;
    const storage = Object.values(heaviest.bindings).filter(
      (binding) => kindOf(binding) !== 'parameters',
    ).length;
    const most = gpu.device.limits.maxStorageBuffersPerShaderStage;
    if (storage > most) {
      const spare = most - (storage - Object.keys(buffers).length);
      throw new LimitError(
        'maxStorageBuffersPerShaderStage',
        `The kernel ${label} has ${Object.keys(buffers).length} buffers, but beside those of the grid this device's maxStorageBuffersPerShaderStage, ${most}, leaves room for ${spare}.`,
      );
    }
    const all = await Kernel.compile(gpu, description);
    const heavy = splits ? await compileHeavy(gpu, heaviest, label) : undefined;
    const own = layout ? await KernelParameters.create(gpu, label, layout) : undefined;
    return new GridKernel(gpu, grid, { all, heavy }, over, buffers, own);
  }

  /** Bytes of its parameters. The other buffers belong to the grid or the caller. */
  get memoryBytes(): number {
    return this.parameters?.bytes ?? 0;
  }

  /** Records the kernel over the state of the grid's last `encode`, which must come first. The caller submits. */
  encode(encoder: GPUCommandEncoder, input: GridKernelInput = {}): void {
    if (this.destroyed) throw new DestroyedError('kernel');
    this.gpu.checkAlive();
    checkEncoder(encoder);
    const isOverPoints = this.over === 'points';
    checkKnownKeys('input', input, ['buffers', 'parameters', ...(isOverPoints ? ['points', 'count'] : [])]);
    const built = this.grid.built();
    if (!built) {
      throw new CellstormError('The grid has not been encoded yet, so its kernel has nothing to go over.');
    }
    const threads = isOverPoints ? checkPoints(this.grid.world, input) : built.count;
    const { all, heavy } = this.kernels;
    const groups = this.groupFor(input.buffers ?? {}, isOverPoints ? input.points : undefined);
    if (!this.parameters && input.parameters !== undefined) {
      throw new ArgumentError('parameters', input.parameters, 'left out: the kernel was created without any');
    }
    const values = { ...input.parameters, ...(isOverPoints ? { point_count: threads } : {}) };
    const offsets = this.parameters ? [this.parameters.place(encoder, values)] : [];
    const pass = encoder.beginComputePass({ label: all.description.label });
    encodeKernels(all, heavy, pass, built.shared, groups, threads, offsets);
    pass.end();
  }

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
        throw new ArgumentError(`buffers.${name}`, described(buffer), 'a GPUBuffer with usage STORAGE');
      }
      return buffer;
    });
    const buffers = points ? [...named, points] : named;
    const [first] = buffers;
    const groups = first ? (this.groups.get(first) ?? []) : [];
    const known = groups.find((group) => group.buffers.every((buffer, index) => buffer === buffers[index]));
    if (known) return known.group;
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

  /** Rejects a written buffer under two names: the device would drop the whole submission. */
  private checkWritten(names: readonly string[], buffers: readonly GPUBuffer[]): void {
    const { position_in, start, cell_of_slot, id_in } = this.grid.buffers;
    const lent: readonly [GPUBuffer | undefined, string][] = [
      [position_in, 'positions'],
      [start, 'start'],
      [cell_of_slot, 'cellOfSlot'],
      [id_in, 'ids'],
      [this.grid.velocity, 'velocities'],
    ];
    names.forEach((name, index) => {
      if (this.declared[name]?.access !== 'write') return;
      const accepted = 'a buffer that the kernel does not reach by another name, since it writes it';
      const output = lent.find(([buffer]) => buffer === buffers[index]);
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
      throw new ArgumentError(`buffers.${name}.type`, type, "a type of WGSL, such as 'array<f32>'");
    }
    if (access !== 'read' && access !== 'write') {
      throw new ArgumentError(`buffers.${name}.access`, access, "'read' or 'write'");
    }
  }
}

/** Additional parameters of a kernel over points. */
const POINT_FIELDS = { point_count: 'u32' } as const;

/** Checks the points of a kernel and returns their count. */
export function checkPoints(
  world: World,
  { points, count }: Pick<GridKernelInput, 'points' | 'count'>,
): number {
  checkInteger('count', count, 0, MAX_PARTICLES);
  const needed = 4 * bodyFloats(world) * count;
  if (!points || !(points.usage & GPUBufferUsage.STORAGE) || points.size < needed) {
    const accepted = `a GPUBuffer with usage STORAGE and at least ${needed} bytes for ${count} points`;
    throw new ArgumentError('points', described(points), accepted);
  }
  return count;
}

/** Describes a buffer for an error message; returns anything else as it is. */
function described(buffer: GPUBuffer | undefined): unknown {
  const isBuffer = typeof buffer?.size === 'number' && typeof buffer.usage === 'number';
  return isBuffer ? new Phrase(`a buffer of ${buffer.size} bytes and usage ${buffer.usage}`) : buffer;
}

function checkParameters(fields: StructFields): StructFields {
  const names = Object.keys(fields ?? {});
  if (names.length === 0) {
    throw new ArgumentError('parameters', fields, 'left out or an object of types by name');
  }
  checkNames('parameters', names);
  for (const name of names) {
    if (!Object.hasOwn(FIELD_TYPES, fields[name] as string)) {
      const accepted = `one of ${Object.keys(FIELD_TYPES).join(', ')}`;
      throw new ArgumentError(`parameters.${name}`, fields[name], accepted);
    }
  }
  return fields;
}

function defineParameters(
  { dimensions }: World,
  fields: StructFields,
): StructLayout<StructFields> | undefined {
  if (Object.keys(fields).length === 0) return undefined;
  const layout = defineStruct(dimensions, fields);
  if (layout.size > UniformRing.SLOT_BYTES) {
    const accepted = `at most ${UniformRing.SLOT_BYTES} bytes; larger tables fit a buffer`;
    throw new ArgumentError('parameters', new Phrase(`${layout.size} bytes`), accepted);
  }
  return layout;
}

interface Described {
  readonly code: string;
  readonly over: 'particles' | 'points';
  readonly label: string;
  readonly radius: number;
  readonly buffers: Readonly<Record<string, KernelBuffer>>;
  readonly layout: StructLayout<StructFields> | undefined;
  /** Whether heavy particles have a kernel of their own: see neighbours/each_heavy.wgsl. */
  readonly splits: boolean;
}

function describe(
  { world, velocity }: KernelGrid,
  { code, over, label, radius, buffers, layout, splits }: Described,
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
      // With variable radii, the kernel visits overlapping particles: see particle.wgsl.
      REACH_SQUARED_BITS: bitsOf(world.levels > 0 && over === 'particles' ? 1 : reachSquared(radius)),
    },
  };
}

/** Returns which loop covers the radius. With variable radii each particle reaches as far as it overlaps. */
function loopFor(world: World, over: 'particles' | 'points', radius: number): Breadth {
  return world.levels > 0 && over === 'particles' ? 'narrow' : breadthFor(world, radius);
}

/** Compiles code that has compiled before. Here a workgroup also holds one Own per thread, which may be too large. */
async function compileHeavy(gpu: Gpu, description: KernelDescription, label: string): Promise<Kernel> {
  return Kernel.compile(gpu, description).catch((error: Error) => {
    const limit = 'maxComputeWorkgroupStorageSize';
    const held = gpu.device.limits[limit];
    const isTooLarge = /workgroup storage|workgroup memory|threadgroup memory/i.test(error.message);
    if (!(error instanceof GpuError) || !isTooLarge) throw error;
    throw new LimitError(
      limit,
      `The kernel ${label} has an Own that is too large for its \`merge\`: it may have at most ${Math.floor(held / HEAVY_WORKGROUP_SIZE)} bytes, as ${HEAVY_WORKGROUP_SIZE} of them must fit this device's ${limit} of ${held}.`,
    );
  });
}

function bitsOf(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0] as number;
}
