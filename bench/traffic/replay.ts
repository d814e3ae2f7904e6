/**
 * Runs recorded dispatches as twins, on the kernels' own buffers, and hands all requests to the caches. A dispatch runs
 * in windows of workgroups, each so small that the trace buffer has room for its records.
 */
import { CellstormError } from '../../src/core/base/errors';
import { declareLayout, kindOf } from '../../src/gpu/bindings';
import type { Gpu } from '../../src/gpu/device';
import { foldWorkgroups } from '../../src/gpu/dispatch';
import type { KernelDescription } from '../../src/gpu/kernel';
import { groupOf, linkShader } from '../../src/gpu/link';
import { refuseErrors } from '../../src/gpu/shader-module';
import type { Cache } from './cache';
import type { BoundBuffer, Dispatch } from './capture';
import { noTraffic, RequestCounter, type Site, SUBGROUP, type Traffic } from './requests';
import { HEADER_WORDS, INDEX_BITS, makeTwin, type Twin } from './twin';

/** Bytes of a window's header and records. */
const WINDOW_BYTES = 1 << 26;
const WORDS_PER_RECORD = 2;
const ALIGNMENT = 256;
const MOST_INDEX = 2 ** INDEX_BITS;

interface Compiled extends Twin {
  readonly pipeline: GPUComputePipeline;
}

export interface SiteTraffic extends Traffic {
  readonly site: Site;
}

export interface DispatchTraffic {
  readonly label: string;
  readonly sites: readonly SiteTraffic[];
  /** Records that did not fit, because a thread did more than in the run that counted. */
  readonly lost: number;
}

export class Replay {
  private readonly compiled = new Map<KernelDescription, Promise<Compiled>>();
  private readonly addresses = new Map<GPUBuffer, number>();
  private nextAddress = 0;
  private readonly counter: RequestCounter;
  private readonly layout: GPUBindGroupLayout;
  private readonly window: GPUBuffer;
  private readonly words: GPUBuffer;
  private readonly staging: GPUBuffer;
  private readonly group: GPUBindGroup;

  constructor(
    private readonly gpu: Gpu,
    caches: readonly Cache[],
    private readonly windowBytes = WINDOW_BYTES,
  ) {
    const { device } = gpu;
    this.counter = new RequestCounter(caches);
    this.layout = declareLayout(
      device,
      'trace',
      { window: 'uniform TraceWindow', words: 'write array<u32>' },
      true,
    ).layout;
    const create = (label: string, size: number, usage: number) =>
      device.createBuffer({ label, size, usage });
    const { UNIFORM, STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    this.window = create('trace.window', 16, UNIFORM | COPY_DST);
    this.words = create('trace.words', windowBytes, STORAGE | COPY_SRC | COPY_DST);
    this.staging = create('trace.staging', windowBytes, MAP_READ | COPY_DST);
    this.group = device.createBindGroup({
      label: 'trace.group',
      layout: this.layout,
      entries: [this.window, this.words].map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
  }

  /** Runs the dispatch twice, to count its accesses and to record them. Its buffers end as after one run. */
  async run(dispatch: Dispatch): Promise<DispatchTraffic> {
    const { description } = dispatch;
    const twin = await this.compile(description);
    const sites = twin.sites.map((access) => this.place(access, dispatch));
    const sums = sites.map(noTraffic);
    const [columns, rows] = await this.sizeOf(dispatch);
    const workgroups = columns * rows;
    const restore = this.save(dispatch);
    const counts = new Uint32Array(workgroups);
    await this.runWindows(dispatch, twin, columns, counts.fill(1), (words, base, _, workgroup) => {
      let most = 0;
      for (let lane = 0; lane < twin.lanes; lane++) {
        most = Math.max(most, words[base + WORDS_PER_RECORD * lane] as number);
      }
      // Atomics in another order may give a thread more work in the next run.
      counts[workgroup] = 1 + most + (most >> 4) + 1;
    });
    restore();
    let lost = 0;
    await this.runWindows(dispatch, twin, columns, counts, (words, base, capacity) => {
      lost += this.countWorkgroup(words, base, capacity, twin.lanes, sites, sums);
    });
    return {
      label: description.label,
      sites: sites.map((site, index) => ({ site, ...(sums[index] as Traffic) })),
      lost,
    };
  }

  destroy(): void {
    for (const buffer of [this.window, this.words, this.staging]) buffer.destroy();
  }

  private compile(description: KernelDescription): Promise<Compiled> {
    let compiled = this.compiled.get(description);
    if (!compiled) {
      compiled = this.compileTwin(description);
      this.compiled.set(description, compiled);
    }
    return compiled;
  }

  private async compileTwin(description: KernelDescription): Promise<Compiled> {
    const { device, sharedLayout } = this.gpu;
    const { label, bindings, standalone, userCode, entryPoint: plainName } = description;
    const linked = linkShader(description);
    const entryPoint = userCode?.nameOf(plainName) ?? plainName;
    const twin = makeTwin(linked.code, entryPoint, groupOf(description) + 1);
    const module = device.createShaderModule({ label: `${label}.twin`, code: twin.code });
    const lines = twin.code.split('\n');
    const locate = (line: number) => ({ file: `twin of ${label}`, line, text: lines[line - 1] ?? '' });
    await refuseErrors(`${label}.twin`, module, { code: twin.code, locate });
    const { layout } = declareLayout(device, label, bindings, true);
    const pipeline = await device.createComputePipelineAsync({
      label: `${label}.twin`,
      layout: device.createPipelineLayout({
        bindGroupLayouts: [...(standalone ? [] : [sharedLayout]), layout, this.layout],
      }),
      compute: { module, entryPoint },
    });
    return { ...twin, pipeline };
  }

  private place(access: Twin['sites'][number], { buffers, description }: Dispatch): Site {
    const { buffer, offset, size } = buffers[access.binding] as BoundBuffer;
    const last = Math.floor(size / access.stride) - 1;
    if (last >= MOST_INDEX) {
      throw new CellstormError(
        `The buffer ${access.buffer} of ${description.label} has ${last + 1} elements, but a record can name only ${MOST_INDEX}: measure fewer particles.`,
      );
    }
    let address = this.addresses.get(buffer);
    if (address === undefined) {
      address = this.nextAddress;
      this.addresses.set(buffer, address);
      this.nextAddress += Math.ceil(buffer.size / ALIGNMENT) * ALIGNMENT;
    }
    return { ...access, address: address + offset, last };
  }

  private async sizeOf({ workgroups }: Dispatch): Promise<readonly [columns: number, rows: number]> {
    if (typeof workgroups === 'number') return foldWorkgroups(workgroups, this.gpu.workgroupsPerDimension);
    const [x = 0, y = 0, z = 0] = await this.read(workgroups.buffer, workgroups.offset, 12, (words) => [
      ...words,
    ]);
    return [x, y * z];
  }

  /** Copies what the dispatch may write, and returns a function that writes it back. */
  private save({ description, buffers }: Dispatch): () => void {
    const { device } = this.gpu;
    const kinds = Object.values(description.bindings).map(kindOf);
    const written = buffers.filter((_, binding) => kinds[binding] === 'write');
    const saved = [...new Set(written.map(({ buffer }) => buffer))].map((buffer) => ({
      buffer,
      copy: device.createBuffer({
        label: 'trace.saved',
        size: buffer.size,
        usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
      }),
    }));
    const copy = (pick: (pair: (typeof saved)[number]) => readonly [GPUBuffer, GPUBuffer]) => {
      const encoder = device.createCommandEncoder({ label: 'trace.saved' });
      for (const pair of saved) encoder.copyBufferToBuffer(...pick(pair), pair.buffer.size);
      device.queue.submit([encoder.finish()]);
    };
    copy(({ buffer, copy }) => [buffer, copy]);
    return () => {
      copy(({ buffer, copy }) => [copy, buffer]);
      for (const { copy } of saved) copy.destroy();
    };
  }

  /** Runs all workgroups in order. `capacities` has the number of rows of records (twin.ts) per workgroup. */
  private async runWindows(
    dispatch: Dispatch,
    twin: Compiled,
    columns: number,
    capacities: Uint32Array,
    visit: (words: Uint32Array, base: number, capacity: number, workgroup: number) => void,
  ): Promise<void> {
    const { device, workgroupsPerDimension } = this.gpu;
    const most = this.windowBytes / 4;
    const wordsOf = (workgroup: number) => WORDS_PER_RECORD * twin.lanes * (capacities[workgroup] as number);
    for (let first = 0; first < capacities.length; ) {
      let count = 0;
      let total = 0;
      while (first + count < capacities.length && count < workgroupsPerDimension) {
        const next = HEADER_WORDS + wordsOf(first + count);
        if (total + next > most) break;
        total += next;
        count++;
      }
      if (count === 0) {
        throw new CellstormError(
          `A workgroup of ${dispatch.description.label} needs ${capacities[first]} rows of records, but at most ${Math.floor(most / WORDS_PER_RECORD / twin.lanes) - 1} fit.`,
        );
      }
      const header = new Uint32Array(HEADER_WORDS * count);
      let base = header.length;
      for (let index = 0; index < count; index++) {
        header[HEADER_WORDS * index] = base;
        header[HEADER_WORDS * index + 1] = capacities[first + index] as number;
        base += wordsOf(first + index);
      }
      device.queue.writeBuffer(this.words, 0, header);
      device.queue.writeBuffer(
        this.window,
        0,
        Uint32Array.of(first, columns, capacities.length / columns, 0),
      );
      this.submit(dispatch, twin, count);
      await this.read(this.words, 0, 4 * total, (words) => {
        for (let index = 0; index < count; index++) {
          const [at, capacity] = [header[HEADER_WORDS * index], header[HEADER_WORDS * index + 1]];
          visit(words, at as number, capacity as number, first + index);
        }
      });
      first += count;
    }
  }

  private submit(
    { shared, group, offsets, description }: Dispatch,
    { pipeline }: Compiled,
    count: number,
  ): void {
    const { device } = this.gpu;
    const own = groupOf(description);
    const encoder = device.createCommandEncoder({ label: `${description.label}.twin` });
    const pass = encoder.beginComputePass({ label: `${description.label}.twin` });
    pass.setPipeline(pipeline);
    if (shared) pass.setBindGroup(0, shared.group, shared.offsets);
    pass.setBindGroup(own, group, offsets);
    pass.setBindGroup(own + 1, this.group);
    pass.dispatchWorkgroups(count);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  private async read<Result>(
    buffer: GPUBuffer,
    offset: number,
    size: number,
    use: (words: Uint32Array) => Result,
  ): Promise<Result> {
    const encoder = this.gpu.device.createCommandEncoder({ label: 'trace.read' });
    encoder.copyBufferToBuffer(buffer, offset, this.staging, 0, size);
    this.gpu.device.queue.submit([encoder.finish()]);
    await this.staging.mapAsync(GPUMapMode.READ, 0, size);
    try {
      return use(new Uint32Array(this.staging.getMappedRange(0, size)));
    } finally {
      this.staging.unmap();
    }
  }

  /** Returns the number of lost records. */
  private countWorkgroup(
    words: Uint32Array,
    base: number,
    capacity: number,
    lanes: number,
    sites: readonly Site[],
    sums: readonly Traffic[],
  ): number {
    const { counter } = this;
    let lost = 0;
    for (let first = 0; first < lanes; first += SUBGROUP) {
      const end = Math.min(first + SUBGROUP, lanes);
      let most = 0;
      for (let lane = first; lane < end; lane++) {
        const count = words[base + WORDS_PER_RECORD * lane] as number;
        lost += Math.max(0, count - (capacity - 1));
        most = Math.max(most, Math.min(count, capacity - 1));
      }
      for (let row = 1; row <= most; row++) {
        for (let lane = first; lane < end; lane++) {
          if ((words[base + WORDS_PER_RECORD * lane] as number) < row) continue;
          const record = base + WORDS_PER_RECORD * (row * lanes + lane);
          const access = words[record + 1] as number;
          counter.add(words[record] as number, access >>> INDEX_BITS, access & (MOST_INDEX - 1));
        }
      }
      counter.finish(sites, sums);
    }
    return lost;
  }
}
