/** A radix sort. Its kernels need neither subgroups nor forward progress between workgroups. */
import { checkInteger, checkKnownKeys } from '../core/base/checks';
import { WORKGROUP_SIZE } from '../core/base/constants';
import { ArgumentError, DestroyedError, LimitError } from '../core/base/errors';
import { defaultSettings, deriveSubstep } from '../core/contact/settings';
import { KEYS_FLOAT, KEYS_SIGNED, KEYS_UNSIGNED, type KeyKind } from '../core/particles/keys';
import { defineWorld } from '../core/world/world';
import { type BufferSet, createBuffers, createParts } from '../gpu/buffers';
import { checkBinds, checkDefaultLimits, checkEncoder, checkGpu, type Gpu } from '../gpu/device';
import { defineStruct } from '../gpu/layout';
import { SharedParameters } from '../gpu/params';
import { Readback } from '../gpu/readback';
import { encodeStages, type Stage } from '../gpu/stage';
import { type StageTimes, timeStages } from '../gpu/timing';
import { Scan, type ScanBinding, scanBytes } from '../passes/grid/scan';
import {
  RADIX_FIELDS,
  Radix,
  type RadixGroups,
  type RadixShape,
  radixCounters,
  radixShape,
  radixWorkgroups,
} from '../passes/sort/radix';

/** Options of a `RadixSort`. */
export interface RadixSortOptions {
  /** The largest number of keys, at most 2^30. */
  readonly capacity: number;
  /** The kind of the keys. */
  readonly keys: KeyKind;
  /** True if each key has a u32 of payload, which moves with it. Default: false. */
  readonly payload?: boolean | undefined;
  /** The number of low bits that may be set in unsigned keys. Fewer bits take less time. Default: all bits. */
  readonly bits?: number | undefined;
}

/** Keys to sort in place. */
export interface RadixSortInput {
  /** Four bytes per key; eight for kinds of 64 bits, the low word first as in a Float64Array. Usage STORAGE. */
  readonly keys: GPUBuffer;
  /** One u32 per key. Needed if the sort was created with `payload`. */
  readonly payload?: GPUBuffer | undefined;
  /** Number of keys. Entries from this index on stay unchanged. */
  readonly count: number;
}

const KINDS = {
  u32: { words: 1, kind: KEYS_UNSIGNED },
  i32: { words: 1, kind: KEYS_SIGNED },
  f32: { words: 1, kind: KEYS_FLOAT },
  u64: { words: 2, kind: KEYS_UNSIGNED },
  i64: { words: 2, kind: KEYS_SIGNED },
  f64: { words: 2, kind: KEYS_FLOAT },
} as const;

/** A device usually holds fewer keys. */
const MOST_KEYS = 2 ** 30;

/** The bind groups of all rounds for one pair of the caller's buffers: keys and payload. A round sorts by one digit. */
type Rounds = readonly RadixGroups[];

/**
 * Sorts keys on the GPU, such as Morton codes, depths or distances. Equal keys keep their order. Among floats,
 * −0 comes before 0. NaNs come last, and all get the same bits.
 */
export class RadixSort {
  private destroyed = false;
  /** A placeholder: the shared parameters need a world. Their `count` is the number of keys. */
  private readonly world = defineWorld({ dimensions: 2, min: [0, 0], max: [1, 1] }, 1);
  private readonly substep = deriveSubstep(this.world, this.world.diameter, defaultSettings(2), 0);
  private readonly readback: Readback;
  private readonly rounds = new WeakMap<GPUBuffer, WeakMap<GPUBuffer, Rounds>>();

  private constructor(
    private readonly gpu: Gpu,
    /** The largest number of keys. */
    readonly capacity: number,
    /** The kind of the keys. */
    readonly keys: KeyKind,
    /** True if each key has a u32 of payload. */
    readonly payload: boolean,
    private readonly shape: RadixShape,
    private readonly parts: Parts,
  ) {
    this.readback = new Readback(gpu, 'sort');
  }

  /**
   * Creates the sort and compiles its kernels.
   * @example
   * ```ts
   * const sort = await RadixSort.create(gpu, { capacity: 1_000_000, keys: 'f32', payload: true });
   * const encoder = gpu.device.createCommandEncoder();
   * sort.encode(encoder, { keys, payload, count: 1_000_000 });
   * gpu.device.queue.submit([encoder.finish()]);
   * ```
   */
  static async create(gpu: Gpu, options: RadixSortOptions): Promise<RadixSort> {
    checkKnownKeys('options', options, ['capacity', 'keys', 'payload', 'bits']);
    const { capacity, keys, payload = false, bits } = options;
    checkInteger('capacity', capacity, 0, MOST_KEYS);
    if (typeof keys !== 'string' || !Object.hasOwn(KINDS, keys))
      throw new ArgumentError('keys', keys, `one of ${Object.keys(KINDS).join(', ')}`);
    if (typeof payload !== 'boolean') throw new ArgumentError('payload', payload, 'true or false');
    const { words } = KINDS[keys];
    checkBits(bits, keys, 32 * words);
    checkGpu(gpu);
    checkDefaultLimits(gpu);
    const shape = radixShape(gpu);
    checkHolds(gpu, capacity, words, shape);
    const counters = radixCounters(capacity, shape);
    // After an even number of rounds, the result is in the caller's buffers.
    const rounds = 2 * Math.ceil((bits ?? 32 * words) / shape.bits / 2);
    const digits = Object.fromEntries(
      Array.from({ length: rounds }, (_, round) => [`digit${round}`, defineStruct(2, RADIX_FIELDS).size]),
    );
    const parts = await createParts<Parts>({
      radix: Radix.create(gpu, { wide: words === 2, payload, shape }),
      scan: Scan.create(gpu, 2),
      parameters: SharedParameters.create(gpu, 2, 'sort'),
      digits: createBuffers(gpu, 'sort', digits, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST),
      owned: createBuffers(gpu, 'sort', {
        keys: 4 * words * capacity,
        payload: payload ? 4 * capacity : 0,
        counts: scanBytes(counters),
        starts: scanBytes(counters),
      }),
    });
    try {
      const { counts, starts } = parts.owned.buffers;
      const scanning = await parts.scan.bind(counts, starts, counters);
      const sort = new RadixSort(gpu, capacity, keys, payload, shape, { ...parts, scanning });
      sort.writeDigits(rounds);
      return sort;
    } catch (error) {
      for (const part of [parts.parameters, parts.digits, parts.owned]) part.destroy();
      throw error;
    }
  }

  /** Bytes of GPU memory. */
  get memoryBytes(): number {
    const { owned, digits, parameters, scanning } = this.parts;
    return owned.bytes + digits.bytes + parameters.bytes + (scanning?.bytes ?? 0);
  }

  /** Records the sort. Submit the encoder yourself. */
  encode(encoder: GPUCommandEncoder, input: RadixSortInput): void {
    this.checkUsable();
    checkEncoder(encoder);
    const { keys, payload } = this.checkInput(input);
    this.parts.parameters.recordInto(() => {
      encodeStages(encoder, 'sort', this.stages(keys, payload, input.count));
    });
  }

  /** Submits the sort, and times each kind of kernel. */
  profile(input: RadixSortInput): Promise<StageTimes> {
    this.checkUsable();
    const { keys, payload } = this.checkInput(input);
    return timeStages(this.gpu, this.readback, this.stages(keys, payload, input.count));
  }

  /** Frees the memory. Later calls throw a DestroyedError. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    const { owned, digits, parameters, scanning } = this.parts;
    for (const part of [owned, digits, parameters, scanning, this.readback]) part?.destroy();
  }

  private checkUsable(): void {
    if (this.destroyed) throw new DestroyedError('RadixSort');
    this.gpu.checkAlive();
  }

  /** If there is no payload, the returned `payload` is the buffer of keys. */
  private checkInput(input: RadixSortInput): { readonly keys: GPUBuffer; readonly payload: GPUBuffer } {
    checkKnownKeys('input', input, ['keys', 'payload', 'count']);
    const { count } = input;
    checkInteger('count', count, 0, this.capacity);
    const keys = this.checkBuffer('keys', input.keys, 4 * KINDS[this.keys].words * count);
    if (!this.payload && input.payload !== undefined) {
      throw new ArgumentError(
        'payload',
        input.payload,
        'left out, because this sort was created without payload',
      );
    }
    const payload = this.payload ? this.checkBuffer('payload', input.payload, 4 * count) : keys;
    if (this.payload && payload === keys) {
      throw new ArgumentError('payload', payload, 'a different buffer from keys');
    }
    return { keys, payload };
  }

  private stages(keys: GPUBuffer, payload: GPUBuffer, count: number): Stage[] {
    if (count < 2) return [];
    const { radix, scan, parameters, scanning } = this.parts;
    const shared = parameters.write(this.world, count, this.substep);
    // Counters beyond this number are zero, because every scan clears the counters that it reads.
    const counters = radixCounters(count, this.shape);
    return this.roundsFor(keys, payload).flatMap((groups) => [
      { name: 'count', encode: (pass) => radix.encodeCount(pass, shared, groups, count) },
      { name: 'scan', encode: (pass) => scan.encode(pass, shared, scanning as ScanBinding, counters) },
      { name: 'scatter', encode: (pass) => radix.encodeScatter(pass, shared, groups, count) },
    ]);
  }

  private writeDigits(rounds: number): void {
    const layout = defineStruct(2, RADIX_FIELDS);
    const { kind } = KINDS[this.keys];
    for (let round = 0; round < rounds; round++) {
      const values = {
        shift: this.shape.bits * round,
        read: round === 0 ? kind : KEYS_UNSIGNED,
        written: round === rounds - 1 ? kind : KEYS_UNSIGNED,
      };
      const buffer = this.parts.digits.buffers[`digit${round}`] as GPUBuffer;
      this.gpu.device.queue.writeBuffer(buffer, 0, layout.encode(values));
    }
  }

  private checkBuffer(name: string, buffer: GPUBuffer | undefined, bytes: number): GPUBuffer {
    const isUsable = buffer && (buffer.usage & GPUBufferUsage.STORAGE) !== 0 && buffer.size >= bytes;
    if (!isUsable || Object.values(this.parts.owned.buffers).includes(buffer)) {
      throw new ArgumentError(name, buffer, `a GPUBuffer with usage STORAGE and at least ${bytes} bytes`);
    }
    return buffer;
  }

  private roundsFor(keys: GPUBuffer, payload: GPUBuffer): Rounds {
    const known = this.rounds.get(keys) ?? new WeakMap<GPUBuffer, Rounds>();
    this.rounds.set(keys, known);
    const cached = known.get(payload);
    if (cached) return cached;
    const { radix, owned, digits } = this.parts;
    const { counts, starts } = owned.buffers;
    const ends = [
      { key: keys, payload },
      { key: owned.buffers.keys, payload: owned.buffers.payload },
    ] as const;
    const rounds = Object.values(digits.buffers).map((digit, round) => {
      const [from, to] = round % 2 === 0 ? ends : [ends[1], ends[0]];
      return radix.bind({
        radix: digit,
        counts,
        starts,
        key_in: from.key,
        key_out: to.key,
        ...(this.payload ? { payload_in: from.payload, payload_out: to.payload } : {}),
      });
    });
    known.set(payload, rounds);
    return rounds;
  }
}

interface Parts {
  readonly [name: string]: unknown;
  readonly radix: Radix;
  readonly scan: Scan;
  readonly parameters: SharedParameters;
  readonly digits: BufferSet<string>;
  readonly owned: BufferSet<'keys' | 'payload' | 'counts' | 'starts'>;
  readonly scanning?: ScanBinding;
}

function checkBits(bits: number | undefined, keys: KeyKind, most: number): void {
  if (bits === undefined) return;
  if (KINDS[keys].kind !== KEYS_UNSIGNED) {
    throw new ArgumentError('bits', bits, `left out, because the highest bit of ${keys} is its sign`);
  }
  checkInteger('bits', bits, 1, most);
}

function checkHolds(gpu: Gpu, capacity: number, words: number, shape: RadixShape): void {
  const bytes = 4 * words * capacity;
  checkBinds(gpu, bytes, `${capacity} keys`, `particles: ${Math.ceil(bytes / 8)}`);
  const needed = radixWorkgroups(capacity, shape);
  const most = gpu.workgroupsPerDimension ** 2;
  if (needed <= most) return;
  throw new LimitError(
    'maxComputeWorkgroupsPerDimension',
    `${capacity} keys need ${needed} workgroups, but this device's maxComputeWorkgroupsPerDimension of ${gpu.workgroupsPerDimension} holds ${most}: at most ${most * WORKGROUP_SIZE * shape.run} keys fit.`,
  );
}
