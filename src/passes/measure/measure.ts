/**
 * Host of shaders/measure/measure.wgsl: computes sums and maxima over all particles. `combine` merges the results of
 * workgroups in doubles. A sum that may exceed 32 bits takes two words.
 */
import censusDense from '../../../shaders/measure/census_dense.wgsl?raw';
import censusHashed from '../../../shaders/measure/census_hashed.wgsl?raw';
import text from '../../../shaders/measure/measure.wgsl?raw';
import { MEASURE_WORDS, MEASURE_WORKGROUP_SIZE, MEASURE_WORKGROUPS } from '../../core/base/constants';
import type { BroadPhase } from '../../core/contact/settings';
import type { Measures } from '../../core/simulation/simulation';
import { formatHash } from '../../core/state/hash';
import { borderlineOf, variableBorderline } from '../../core/world/borderline';
import type { Dimensions, RadiusRange, World } from '../../core/world/world';
import { type BufferSet, createBuffers, createParts } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import { type Compilation, Kernel, type KernelDescription } from '../../gpu/kernel';
import { defineStruct } from '../../gpu/layout';
import type { SharedBinding } from '../../gpu/params';
import type { ReadRange } from '../../gpu/readback';
import {
  CONTACT,
  finerBinding,
  neighbourModules,
  obstacleConstants,
  obstacleModules,
  shapeModules,
  type Variant,
  worldFlags,
  worldName,
} from '../modules';

export const MEASURE_FIELDS = {
  lowest: 'vector',
  highest: 'vector',
  borderline_low: 'f32',
  borderline_high: 'f32',
  lattice_scale: 'f32',
  borderline_share: 'f32',
  borderline_around: 'f32',
} as const;

export interface MeasureBuffers {
  readonly position: GPUBuffer;
  readonly velocity: GPUBuffer;
  readonly id_in: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  /** Needed with levels. */
  readonly finer?: GPUBuffer | undefined;
}

/** Only kernels with obstacles write this word. */
const OBSTACLE_WORD = MEASURE_WORDS;

const TWO_32 = 2 ** 32;

export class Measure {
  private constructor(
    private readonly kernel: Kernel,
    private readonly dimensions: Dimensions,
    private readonly words: number,
    private readonly mostWorkgroups: number,
    private readonly parameters: BufferSet<'parameters'>,
    private readonly partials: BufferSet<'partials'>,
  ) {}

  static describe(variant: Variant, broadPhase: BroadPhase): KernelDescription {
    const census =
      variant.kind === 'unbounded'
        ? { name: 'measure/census_hashed.wgsl', text: censusHashed }
        : { name: 'measure/census_dense.wgsl', text: censusDense };
    return {
      label: `measure.measure.${broadPhase}${worldName(variant)}`,
      dimensions: variant.dimensions,
      sources: [
        ...neighbourModules(variant, broadPhase),
        census,
        ...(variant.exact?.measure ?? (variant.obstacles ? [CONTACT] : shapeModules(variant))),
        ...obstacleModules(variant),
        { name: 'measure/measure.wgsl', text },
      ],
      entryPoint: 'measure_state',
      bindings: {
        measure: 'uniform Measure',
        position_in: 'read array<PackedBody>',
        position_bits: 'read array<PackedBodyBits>',
        velocity_bits: 'read array<StoredBits>',
        id_in: 'read array<u32>',
        start: 'read array<u32>',
        cell_of_slot: 'read array<Cell>',
        partials: 'write array<u32>',
        ...finerBinding(variant),
      },
      flags: { ...worldFlags(variant), OBSTACLES: variant.obstacles === true },
      constants: {
        TILE_SIZE: MEASURE_WORKGROUP_SIZE,
        ...obstacleConstants(variant),
        ...(variant.obstacles ? { MEASURE_WORDS: OBSTACLE_WORD + 1 } : {}),
      },
    };
  }

  static async create(
    gpu: Gpu,
    world: World & Pick<Variant, 'obstacles'>,
    broadPhase: BroadPhase,
    compilation?: Compilation,
    radiusRange?: RadiusRange,
  ): Promise<Measure> {
    const { dimensions } = world;
    const kernel = await Kernel.create(gpu, Measure.describe(world, broadPhase), compilation);
    const layout = defineStruct(dimensions, MEASURE_FIELDS);
    const words = MEASURE_WORDS + (world.obstacles ? 1 : 0);
    const { parameters, partials } = await createParts({
      parameters: createBuffers(
        gpu,
        'measure.measure',
        { parameters: layout.size },
        GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
      ),
      partials: createBuffers(gpu, 'measure.measure', {
        partials: MEASURE_WORKGROUPS * words * 4,
      }),
    });
    gpu.device.queue.writeBuffer(
      parameters.buffers.parameters,
      0,
      layout.encode({
        lowest: world.min,
        highest: world.max,
        ...borderlineFields(world, radiusRange),
      }),
    );
    // The shader supports only one dimension of workgroups.
    const mostWorkgroups = Math.min(MEASURE_WORKGROUPS, gpu.workgroupsPerDimension);
    return new Measure(kernel, dimensions, words, mostWorkgroups, parameters, partials);
  }

  bind(buffers: MeasureBuffers): GPUBindGroup {
    return this.kernel.bind({
      measure: this.parameters.buffers.parameters,
      position_in: buffers.position,
      position_bits: buffers.position,
      velocity_bits: buffers.velocity,
      id_in: buffers.id_in,
      start: buffers.start,
      cell_of_slot: buffers.cell_of_slot,
      partials: this.partials.buffers.partials,
      finer: buffers.finer,
    });
  }

  encode(pass: GPUComputePassEncoder, shared: SharedBinding, group: GPUBindGroup, count: number): void {
    this.kernel.encode(pass, shared, group, this.workgroupsFor(count));
  }

  range(count: number): ReadRange {
    return { buffer: this.partials.buffers.partials, size: this.workgroupsFor(count) * this.words * 4 };
  }

  combine(bytes: ArrayBuffer, count: number): Measures {
    const words = new Uint32Array(bytes);
    const floats = new Float32Array(bytes);
    const groups = words.length / this.words;
    const sum = (source: ArrayLike<number>, word: number) => {
      let total = 0;
      for (let group = 0; group < groups; group++) total += source[group * this.words + word] as number;
      return total;
    };
    const greatest = (source: ArrayLike<number>, word: number) => {
      let most = 0;
      for (let group = 0; group < groups; group++) {
        most = Math.max(most, source[group * this.words + word] as number);
      }
      return most;
    };
    // The kernel counts each pair twice.
    const contacts = (sum(words, 2) + TWO_32 * sum(words, 3)) / 2;
    return {
      count,
      candidates: (sum(words, 0) + TWO_32 * sum(words, 1)) / 2,
      contacts,
      borderline: sum(words, 16) / 2,
      obstacleContacts: this.words > OBSTACLE_WORD ? sum(words, OBSTACLE_WORD) : 0,
      bucketCollisions: sum(words, 17),
      occupiedCells: sum(words, 4),
      greatestOccupancy: greatest(words, 5),
      crowded: sum(words, 18),
      outside: sum(words, 6),
      nonFinite: sum(words, 7),
      kineticEnergy: sum(floats, 8) / 2,
      momentum: Array.from({ length: this.dimensions }, (_, axis) => sum(floats, 9 + axis)),
      deepestOverlap: greatest(floats, 12),
      meanOverlap: contacts > 0 ? sum(floats, 13) / (2 * contacts) : 0,
      hash: formatHash(sum(words, 14) % TWO_32, sum(words, 15) % TWO_32),
    };
  }

  get bytes(): number {
    return this.parameters.bytes + this.partials.bytes;
  }

  destroy(): void {
    this.parameters.destroy();
    this.partials.destroy();
  }

  private workgroupsFor(count: number): number {
    return Math.min(this.mostWorkgroups, Math.ceil(count / MEASURE_WORKGROUP_SIZE));
  }
}

function borderlineFields(world: World, radiusRange: RadiusRange | undefined) {
  if (!radiusRange) {
    const { low, high, latticeScale } = borderlineOf(world.diameter, world);
    return {
      borderline_low: low,
      borderline_high: high,
      lattice_scale: latticeScale,
      borderline_share: 0,
      borderline_around: 0,
    };
  }
  const { share, around, farthest, latticeScale } = variableBorderline(radiusRange, world);
  return {
    borderline_low: 0,
    borderline_high: farthest,
    lattice_scale: latticeScale,
    borderline_share: share,
    borderline_around: around,
  };
}
