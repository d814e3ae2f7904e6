/**
 * Finds the overlapping pairs of a sorted state in two submissions. In the first, tally and scan determine each id's
 * range in the list. The host then creates a list of the right length. In the second, fill writes the pairs.
 */
import { LimitError } from '../../core/base/errors';
import type { World } from '../../core/world/world';
import { createBuffers, PARTICLE_USAGE, type ReservedBuffers, reserveBuffers } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import type { SharedBinding } from '../../gpu/params';
import type { Readback, ReadRange } from '../../gpu/readback';
import type { Stage } from '../../gpu/stage';
import { submitWatched } from '../../gpu/submission';
import { type Scan, type ScanBinding, scanBytes } from '../../passes/grid/scan';
import { offsetBytes, type Pairs, type PairsBuffers, withoutHoles } from '../../passes/query/pairs';

const STATE_NAMES = ['position_in', 'id_in', 'start', 'cell_of_slot', 'finer', 'crowd'] as const;

export type PairState = Pick<PairsBuffers, (typeof STATE_NAMES)[number]>;

export class PairQuery {
  private readonly scratch: ReservedBuffers<'tallies' | 'offsets'>;
  private readonly scanBinding: ScanBinding & { readonly settled: Promise<void> };
  private copy: ReservedBuffers<keyof PairState> | undefined;
  private filling = false;

  constructor(
    private readonly gpu: Gpu,
    private readonly passes: { readonly pairs: Pairs; readonly scan: Scan },
    private readonly readback: Readback,
    private readonly state: PairState,
    private readonly count: number,
    private readonly capacity: number,
    world: Pick<World, 'crowds'>,
  ) {
    const length = capacity + 1;
    this.scratch = reserveBuffers(gpu, 'pairs', {
      tallies: scanBytes(length),
      offsets: offsetBytes(world, capacity),
    });
    const { tallies, offsets } = this.scratch.buffers;
    this.scanBinding = passes.scan.reserve(tallies, offsets, length);
  }

  /** Returns the stages of the first submission, to be recorded after the sort. */
  stages(shared: SharedBinding): Stage[] {
    const { pairs, scan } = this.passes;
    const tally = pairs.bind('tally', { ...this.state, tallies: this.scratch.buffers.tallies });
    return [
      { name: 'tally', encode: (pass) => pairs.encode(pass, shared, 'tally', tally, this.count) },
      { name: 'scan', encode: (pass) => scan.encode(pass, shared, this.scanBinding) },
    ];
  }

  /** The sum of the tallies. Read it back after the first submission. */
  get total(): ReadRange {
    return { buffer: this.scratch.buffers.offsets, offset: 4 * this.capacity, size: 4 };
  }

  /** Copies the state for the second submission. Call this before the state changes. */
  preserve(): void {
    if (this.copy || this.filling) return;
    const given = STATE_NAMES.flatMap((name) => {
      const buffer = this.state[name];
      return buffer ? [{ name, buffer }] : [];
    });
    const sizes = Object.fromEntries(given.map(({ name, buffer }) => [name, buffer.size]));
    this.gpu.device.pushErrorScope('validation');
    const usage = PARTICLE_USAGE | GPUBufferUsage.INDIRECT;
    this.copy = reserveBuffers(this.gpu, 'pairs', sizes as Record<keyof PairState, number>, usage);
    const encoder = this.gpu.device.createCommandEncoder({ label: 'simulation.pairs.preserve' });
    for (const { name, buffer } of given) {
      encoder.copyBufferToBuffer(buffer, 0, this.copy.buffers[name], 0, buffer.size);
    }
    this.gpu.device.queue.submit([encoder.finish()]);
    // If memory runs out, `copy.settled` reports it, so ignore the validation error of the invalid copy.
    this.gpu.device.popErrorScope().catch(() => undefined);
  }

  /** Rejects if the device had too little memory for the first submission. */
  async settled(): Promise<void> {
    await this.scratch.settled;
    await this.scanBinding.settled;
  }

  /**
   * Makes the second submission. Pairs are sorted by the first id, then by the second. `total` is the sum of the
   * tallies, modulo 2³². `contacts` is the number of pairs that the measure pass counted, which does not wrap; it only
   * serves to reject a list that the device cannot hold. The two kernels may round distances differently.
   */
  async fill(contacts: number, total: number, makeShared: () => SharedBinding): Promise<Uint32Array> {
    this.checkFits(Math.max(contacts, total));
    if (total === 0) return new Uint32Array(0);
    const list = await createBuffers(this.gpu, 'pairs', { pairs: 8 * total });
    try {
      // Without a copy, do not wait: `preserve` could create one meanwhile, and the submission below would use it
      // before it has settled.
      if (this.copy) await this.copy.settled;
      this.gpu.checkAlive();
      const { pairs } = this.passes;
      const group = pairs.bind('fill', {
        ...(this.copy?.buffers ?? this.state),
        offsets: this.scratch.buffers.offsets,
        pairs: list.buffers.pairs,
      });
      const shared = makeShared();
      const label = 'simulation.pairs.fill';
      const { result: reading, valid } = submitWatched(this.gpu, label, (encoder) => {
        const pass = encoder.beginComputePass({ label });
        pairs.encode(pass, shared, 'fill', group, this.count);
        pass.end();
        return this.readback.record(encoder, [{ buffer: list.buffers.pairs, size: 8 * total }]);
      });
      this.filling = true;
      const [[found]] = await Promise.all([reading.finish(), valid]);
      return withoutHoles(new Uint32Array(found as ArrayBuffer));
    } finally {
      list.destroy();
    }
  }

  destroy(): void {
    this.scanBinding.destroy();
    this.scratch.destroy();
    this.copy?.destroy();
  }

  private checkFits(contacts: number): void {
    const { limits } = this.gpu.device;
    const bytes = 8 * contacts;
    for (const name of ['maxStorageBufferBindingSize', 'maxBufferSize'] as const) {
      if (bytes > limits[name]) {
        throw new LimitError(
          name,
          `There are ${contacts} overlapping pairs, a list of ${bytes} bytes, but this device's ${name} is ${limits[name]}: at most ${Math.floor(limits[name] / 8)} pairs fit.`,
        );
      }
    }
  }
}
