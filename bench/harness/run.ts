/**
 * Purpose: runs engines on scenes: first whether they find what there is, then what they take, then whether they still do.
 *
 * Of a case (scene, dimensions, count) all engines are open at the same time and take turns, forwards in one round and
 * backwards in the next, so that what else the machine does falls on all alike. Each builds and queries frame 0 and must
 * find the expected pairs; after timing it is given another frame, of which it must find the pairs too: an engine that
 * leaves out a pair, tells of one twice or answers with what it found before is called wrong and has no times.
 * On the GPU all of it is inside error scopes: work that a device dropped would look very fast.
 */
import { type Curve, expectedTime, type Timing } from '../../src/core/curves';
import { GpuError, LimitError } from '../../src/core/errors';
import type { Dimensions } from '../../src/core/world';
import type { Gpu } from '../../src/gpu/device';
import { Readback } from '../../src/gpu/readback';
import {
  AbsentError,
  type CpuEngine,
  type CpuRunner,
  type Engine,
  FOLD_BYTES,
  type Found,
  foldCounters,
  foldPairs,
  type GpuEngine,
  type GpuRunner,
} from './engine';
import { GpuClock, measureCpuCopy } from './gpu-clock';
import { findExpected, MOST_FOR_ORACLE } from './oracle';
import type { CaseName, Outcome } from './record';
import { type BenchScene, createBenchScene, defineBenchScene } from './scenes';
import { describeSamples } from './statistics';

export interface BenchPlan {
  readonly engines: readonly Engine[];
  readonly scenes: readonly string[];
  readonly dimensions: readonly Dimensions[];
  readonly counts: readonly number[];
  readonly seed: number;
  /** Timed rounds. */
  readonly repeat: number;
  /** Milliseconds that one build and query of an engine may take, before it is left out; all its rounds may take ten times that. */
  readonly limit: number;
}

export interface BenchHost {
  /** A device, opened when the first engine needs it, and again when one was lost. */
  readonly openGpu?: ((dimensions: Dimensions) => Promise<Gpu>) | undefined;
  /** What is done next: a few words. */
  readonly onProgress?: ((done: number, total: number, what: string) => void) | undefined;
  readonly onOutcome?: ((outcome: Outcome) => void) | undefined;
  /** Asked between samples: lets a page live. Rejects with BenchStopped to end the run with what there is. */
  readonly breathe?: (() => Promise<void>) | undefined;
}

/** Nobody waits for the rest of a run. */
export class BenchStopped extends Error {
  override name = 'BenchStopped';
}

export interface BenchResult {
  readonly outcomes: Outcome[];
  readonly copyBytesPerMs: number;
  readonly gpuCopyBytesPerMs: number | undefined;
  readonly timestampStep: number | undefined;
}

/** Rounds that are thrown away: until code is compiled and buffers have been touched. */
const WARM_ROUNDS = 2;
/** Each of them takes so many milliseconds at least: JavaScript is compiled anew while it runs. */
const WARM_MS = 60;
/** A sample is of as many builds and queries as take so many milliseconds, and of so many at most. */
const SAMPLE_MS = 10;
const MOST_BATCH = 64;
/** All rounds of an engine may take so many times the limit of one. */
const ROUNDS_SHARE = 10;
/** Sizes that tell what a larger one will take, where nothing smaller was timed. */
const PILOTS = [1024, 4096] as const;
/** Before a much larger one so many times as many, while that is quick: to a GPU a few thousand are as good as none. */
const PILOT_FACTOR = 8;
/** Times grow at least with this power of the count. */
const LEAST_GROWTH = 1;
/** A frame that no round has. */
const LAST_FRAME = 1_000_003;

/** Milliseconds of one. */
interface Sample {
  readonly build: number;
  readonly query: number;
  readonly total: number;
}

/** An engine that was opened for a scene, whichever backend it has. */
interface Open {
  readonly engine: Engine;
  readonly memoryBytes: () => number | undefined;
  place(positions: Float32Array): Promise<void>;
  find(): Promise<Found>;
  time(batch: number): Promise<Sample>;
  close(): Promise<void>;
}

export async function runBench(plan: BenchPlan, host: BenchHost = {}): Promise<BenchResult> {
  return new Bench(plan, host).run();
}

/** Cases in the order in which they are run: counts ascending, so that small ones tell what large ones will take. */
export function casesOf({ scenes, dimensions, counts }: BenchPlan): CaseName[] {
  const ascending = [...new Set(counts)].sort((a, b) => a - b);
  return scenes.flatMap((scene) =>
    dimensions
      .filter((offered) => defineBenchScene(scene).dimensions.includes(offered))
      .flatMap((offered) => ascending.map((count) => ({ scene, dimensions: offered, count }))),
  );
}

class Bench {
  private readonly outcomes: Outcome[] = [];
  private readonly curves = new Map<string, Timing[]>();
  private readonly copyBytesPerMs = measureCpuCopy();
  private gpu: Gpu | undefined;
  private clock: GpuClock | undefined;
  private done = 0;
  private readonly total: number;

  constructor(
    private readonly plan: BenchPlan,
    private readonly host: BenchHost,
  ) {
    this.total = casesOf(plan).length * plan.engines.length;
  }

  async run(): Promise<BenchResult> {
    try {
      for (const name of casesOf(this.plan)) {
        try {
          await this.runCase(name);
        } catch (error) {
          if (error instanceof BenchStopped) throw error;
          this.tellRest(name, error);
        }
      }
    } catch (error) {
      if (!(error instanceof BenchStopped)) throw error;
    } finally {
      this.closeGpu();
    }
    const { outcomes, copyBytesPerMs } = this;
    return { outcomes, copyBytesPerMs, gpuCopyBytesPerMs: this.gpuCopy, timestampStep: this.timestampStep };
  }

  private gpuCopy: number | undefined;
  private timestampStep: number | undefined;

  /** A case that ended by no engine's fault, such as memory for its bodies: others go on. */
  private tellRest(name: CaseName, error: unknown): void {
    const told = this.outcomes.filter(
      ({ scene, dimensions, count }) =>
        scene === name.scene && dimensions === name.dimensions && count === name.count,
    );
    for (const engine of this.plan.engines) {
      if (told.some((outcome) => outcome.engine === engine.name)) continue;
      this.tell(name, engine, { status: 'failed', reason: reasonOf(error) });
    }
  }

  private async runCase(name: CaseName): Promise<void> {
    const { engines, seed } = this.plan;
    const { scene: sceneName, dimensions, count } = name;
    const { most = Number.POSITIVE_INFINITY } = defineBenchScene(sceneName);
    if (count > most) {
      for (const engine of engines) {
        this.tell(name, engine, {
          status: 'refused',
          reason: `${sceneName} has at most ${most} bodies: more would have too many pairs.`,
        });
      }
      return;
    }
    const scene = createBenchScene(sceneName, { dimensions, count, seed });
    const chosen: Engine[] = [];
    for (const engine of engines) {
      const reason = await this.reasonAgainst(engine, scene);
      if (reason) this.tell(name, engine, reason);
      else chosen.push(engine);
    }
    if (chosen.length === 0) return;
    // Where bodies move, the frame after the last that is timed: nobody is flung across the world.
    const last = scene.moves ? this.plan.repeat + WARM_ROUNDS + 1 : LAST_FRAME;
    const frames = [scene.frame(0), scene.frame(last)] as const;
    const judge = new Judge(scene, frames);
    const open: { run: Open; found: Found }[] = [];
    try {
      for (const engine of chosen) {
        this.progress(`${sceneName} ${dimensions}D, ${count}: ${engine.name} is checked`);
        await this.host.breathe?.();
        const started = await this.start(name, engine, scene, frames[0], judge);
        if (started) open.push(started);
      }
      await this.timeAll(name, scene, frames, open, judge);
    } finally {
      for (const { run } of open) await run.close();
    }
  }

  /** Why an engine is not run on a scene. */
  private async reasonAgainst(
    engine: Engine,
    scene: BenchScene,
  ): Promise<Pick<Outcome, 'status' | 'reason'> | undefined> {
    const refusal = engine.refuse?.(scene);
    if (refusal) return { status: 'refused', reason: refusal };
    if (engine.backend === 'gpu' && !this.host.openGpu)
      return { status: 'refused', reason: 'There is no GPU.' };
    const curve = await this.curveOf(engine, scene);
    const expected = expectedTime(curve, scene.count, LEAST_GROWTH);
    if (expected <= this.plan.limit) return undefined;
    return {
      status: 'skipped',
      reason: `One build and query would take about ${Math.round(expected)} ms, and the limit is ${this.plan.limit}.`,
    };
  }

  /** Times at smaller counts; of two small ones made for it, where none was asked for. */
  private async curveOf(engine: Engine, scene: BenchScene): Promise<Curve> {
    const key = `${engine.name}\n${scene.name}\n${scene.dimensions}`;
    const known = this.curves.get(key) ?? [];
    this.curves.set(key, known);
    const { name, dimensions, seed, count } = scene;
    if (known.length > 1 || count <= PILOTS[1]) return known;
    // One size says nothing of growth.
    for (const pilot of pilotsFor(count)) {
      if (known.some((timing) => timing.count === pilot)) continue;
      if (known.length >= PILOTS.length && expectedTime(known, pilot, LEAST_GROWTH) > this.plan.limit) break;
      const small = createBenchScene(name, { dimensions, count: pilot, seed });
      if (engine.refuse?.(small)) continue;
      try {
        const run = await this.open(engine, small);
        try {
          await run.place(small.frame(0));
          const times: number[] = [];
          for (let round = 0; round <= WARM_ROUNDS; round++) times.push((await run.time(1)).total);
          known.push({ count: small.count, milliseconds: Math.min(...times) });
          known.sort((a, b) => a.count - b.count);
        } finally {
          await run.close();
        }
      } catch {
        // Whatever is wrong with it is said at the size that was asked for.
        return known;
      }
    }
    return known;
  }

  private async start(
    name: CaseName,
    engine: Engine,
    scene: BenchScene,
    positions: Float32Array,
    judge: Judge,
  ): Promise<{ run: Open; found: Found } | undefined> {
    let run: Open | undefined;
    try {
      run = await this.open(engine, scene);
      await run.place(positions);
      const found = await run.find();
      const wrong = judge.wrong(engine, 0, found);
      if (!wrong) return { run, found };
      this.tell(name, engine, { status: 'wrong', found, ...wrong });
    } catch (error) {
      const status = isTooLarge(error) || isAbsent(error) ? 'refused' : 'failed';
      this.tell(name, engine, { status, reason: reasonOf(error) });
    }
    await run?.close().catch(() => undefined);
    return undefined;
  }

  private async timeAll(
    name: CaseName,
    scene: BenchScene,
    frames: readonly [Float32Array, Float32Array],
    open: { run: Open; found: Found }[],
    judge: Judge,
  ): Promise<void> {
    const { repeat, limit } = this.plan;
    const samples = new Map<Open, Sample[]>(open.map(({ run }) => [run, []]));
    const batches = new Map<Open, number>();
    const spent = new Map<Open, number>();
    const failed = new Set<Open>();
    for (let round = -WARM_ROUNDS; round < repeat; round++) {
      const turn = round % 2 === 0 ? open : open.toReversed();
      const positions = scene.moves ? scene.frame(round + WARM_ROUNDS + 1) : frames[0];
      for (const { run } of turn) {
        if (failed.has(run)) continue;
        const taken = samples.get(run) as Sample[];
        // A slow engine has fewer rounds, but always three.
        if (taken.length >= 3 && (spent.get(run) ?? 0) > ROUNDS_SHARE * limit) continue;
        this.progress(
          `${name.scene} ${name.dimensions}D, ${name.count}: ${run.engine.name}, round ${Math.max(0, round + 1)} of ${repeat}`,
        );
        try {
          if (scene.moves) await run.place(positions);
          // Where bodies move, building twice would find them where they were.
          const batch = scene.moves ? 1 : (batches.get(run) ?? 1);
          const began = performance.now();
          let sample = await run.time(batch);
          for (let more = 1; round < 0 && more < MOST_BATCH && performance.now() - began < WARM_MS; more++) {
            sample = await run.time(batch);
          }
          if (round >= 0) {
            spent.set(run, (spent.get(run) ?? 0) + performance.now() - began);
            taken.push(sample);
          } else
            batches.set(
              run,
              Math.min(MOST_BATCH, Math.max(1, Math.ceil(SAMPLE_MS / Math.max(1e-3, sample.total)))),
            );
        } catch (error) {
          failed.add(run);
          this.tell(name, run.engine, { status: 'failed', reason: reasonOf(error) });
        }
        await this.host.breathe?.();
      }
    }
    for (const { run, found } of open) {
      if (failed.has(run)) continue;
      const { engine } = run;
      try {
        await run.place(frames[1]);
        const last = await run.find();
        const wrong = judge.wrong(engine, 1, last);
        if (wrong)
          this.tell(name, engine, {
            status: 'wrong',
            found: last,
            ...wrong,
            reason: `After timing: ${wrong.reason}`,
          });
        else
          this.tellTimes(
            name,
            run,
            found,
            judge,
            samples.get(run) as Sample[],
            scene.moves ? 1 : (batches.get(run) ?? 1),
          );
      } catch (error) {
        this.tell(name, engine, { status: 'failed', reason: reasonOf(error) });
      }
    }
  }

  private tellTimes(
    name: CaseName,
    run: Open,
    found: Found,
    judge: Judge,
    samples: readonly Sample[],
    batch: number,
  ): void {
    const { engine } = run;
    const total = describeSamples(samples.map((sample) => sample.total));
    const bandwidth = engine.backend === 'gpu' ? this.gpuCopy : this.copyBytesPerMs;
    const memory = run.memoryBytes();
    const count = Math.max(1, name.count);
    this.curves
      .get(`${engine.name}\n${name.scene}\n${name.dimensions}`)
      ?.push({ count: name.count, milliseconds: total.median });
    this.tell(name, engine, {
      status: 'timed',
      found,
      expected: found,
      judge: judge.nameFor(engine),
      build: describeSamples(samples.map((sample) => sample.build)),
      query: describeSamples(samples.map((sample) => sample.query)),
      total,
      batch,
      clock: engine.backend === 'gpu' ? this.clock?.source : 'wall',
      bytesEquivalent: bandwidth === undefined ? undefined : (total.median * bandwidth) / count,
      memoryPerBody: memory === undefined ? undefined : memory / count,
    });
  }

  private tell(
    name: CaseName,
    engine: Engine,
    rest: Omit<Outcome, keyof CaseName | 'engine' | 'backend' | 'peer'>,
  ): void {
    const outcome: Outcome = {
      ...name,
      engine: engine.name,
      backend: engine.backend,
      peer: engine.peer,
      ...rest,
    };
    this.outcomes.push(outcome);
    this.done++;
    this.host.onOutcome?.(outcome);
  }

  private progress(what: string): void {
    this.host.onProgress?.(this.done, this.total, what);
  }

  private async open(engine: Engine, scene: BenchScene): Promise<Open> {
    if (engine.backend === 'cpu') return openCpu(engine, await engine.open(scene));
    const { gpu, clock } = await this.openGpu(scene.dimensions);
    return guard(gpu, async () =>
      openGpu(engine, await engine.open(scene, gpu), gpu, clock, () => this.noteClock()),
    );
  }

  /** One device for all cases; a new one where the last was lost. */
  private async openGpu(dimensions: Dimensions): Promise<{ gpu: Gpu; clock: GpuClock }> {
    if (this.gpu && this.clock && !this.gpu.lost) return { gpu: this.gpu, clock: this.clock };
    this.closeGpu();
    this.gpu = await this.host.openGpu?.(this.plan.dimensions.includes(3) ? 3 : dimensions);
    if (!this.gpu) throw new Error('There is no GPU.');
    this.clock = await GpuClock.create(this.gpu);
    this.noteClock();
    return { gpu: this.gpu, clock: this.clock };
  }

  private noteClock(): void {
    this.gpuCopy = this.clock?.copyBytesPerMs;
    this.timestampStep = this.clock?.timestampStep;
  }

  private closeGpu(): void {
    this.clock?.destroy();
    this.gpu?.destroy();
    this.clock = undefined;
    this.gpu = undefined;
  }
}

/** Says what the pairs of two frames are, and who found others. */
class Judge {
  private readonly expected: (Found | undefined)[];
  private first: string | undefined;

  constructor(scene: BenchScene, frames: readonly Float32Array[]) {
    this.expected = frames.map((positions) =>
      scene.count <= MOST_FOR_ORACLE ? findExpected(scene, positions) : undefined,
    );
  }

  /** What is wrong with an answer; without an oracle the first answer is taken for right. */
  wrong(
    engine: Engine,
    frame: 0 | 1,
    found: Found,
  ): Pick<Outcome, 'reason' | 'expected' | 'judge'> | undefined {
    let expected = this.expected[frame];
    if (!expected) {
      this.first ??= engine.name;
      expected = found;
      this.expected[frame] = found;
    }
    if (found.pairs === expected.pairs && found.checksum === expected.checksum) return undefined;
    const missing = expected.pairs - found.pairs;
    const difference =
      missing === 0
        ? `as many pairs as there are, ${found.pairs}, but others`
        : `${found.pairs} pairs instead of ${expected.pairs}, ${Math.abs(missing)} too ${missing > 0 ? 'few' : 'many'}`;
    return { reason: `It found ${difference}.`, expected, judge: this.nameFor(engine) };
  }

  nameFor(engine: Engine): string {
    if (this.first === undefined) return 'oracle';
    return this.first === engine.name ? 'nobody' : this.first;
  }
}

function openCpu(engine: CpuEngine, runner: CpuRunner): Open {
  return {
    engine,
    memoryBytes: () => runner.memoryBytes,
    place: async (positions) => runner.place(positions),
    find: async () => {
      runner.build();
      return foldPairs(runner.query());
    },
    time: async (batch) => {
      let build = 0;
      let query = 0;
      // A coarse clock rounds up as often as down: over a batch and many rounds that evens out.
      let began = performance.now();
      for (let run = 0; run < batch; run++) {
        runner.build();
        const built = performance.now();
        build += built - began;
        runner.query();
        began = performance.now();
        query += began - built;
      }
      return { build: build / batch, query: query / batch, total: (build + query) / batch };
    },
    close: async () => runner.destroy?.(),
  };
}

function openGpu(engine: GpuEngine, runner: GpuRunner, gpu: Gpu, clock: GpuClock, noted: () => void): Open {
  const readback = new Readback(gpu, 'bench.found');
  const { device } = gpu;
  return {
    engine,
    memoryBytes: () => runner.memoryBytes,
    place: (positions) =>
      guard(gpu, async () => {
        runner.place(positions);
        await device.queue.onSubmittedWorkDone();
      }),
    find: () =>
      guard(gpu, async () => {
        const encoder = device.createCommandEncoder({ label: 'bench.find' });
        encoder.clearBuffer(runner.counters);
        runner.encodeBuild(encoder);
        runner.encodeQuery(encoder);
        const reading = readback.record(encoder, [{ buffer: runner.counters, size: FOLD_BYTES }]);
        device.queue.submit([encoder.finish()]);
        const [bytes] = await reading.finish();
        return foldCounters(new Uint32Array(bytes as ArrayBuffer));
      }),
    time: (batch) =>
      guard(gpu, async () => {
        const total = await clock.time(batch, (encoder) => {
          runner.encodeBuild(encoder);
          runner.encodeQuery(encoder);
        });
        const build = await clock.time(batch, (encoder) => runner.encodeBuild(encoder));
        const query = await clock.time(batch, (encoder) => runner.encodeQuery(encoder));
        noted();
        return { build, query, total };
      }),
    close: async () => {
      runner.destroy();
      readback.destroy();
    },
  };
}

/** Ascending. */
function pilotsFor(count: number): number[] {
  const sizes: number[] = [...PILOTS];
  for (let size = PILOTS[1] * PILOT_FACTOR; size * PILOT_FACTOR <= count; size *= PILOT_FACTOR)
    sizes.push(size);
  return sizes;
}

/** Whether a device has not the room, which is no fault of the engine. */
function isTooLarge(error: unknown): boolean {
  return error instanceof LimitError || (error instanceof GpuError && error.reason === 'memory');
}

/** A package that is not installed, or a machine without a GPU: no fault of the engine's. */
function isAbsent(error: unknown): boolean {
  if (error instanceof GpuError) return error.reason === 'no-adapter' || error.reason === 'unsupported';
  return error instanceof AbsentError;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whatever the device has against the work rejects. */
async function guard<Result>(gpu: Gpu, work: () => Promise<Result>): Promise<Result> {
  const { device } = gpu;
  const filters = ['validation', 'out-of-memory', 'internal'] as const;
  for (const filter of filters) device.pushErrorScope(filter);
  const result = await work().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  // The last scope is the first to be popped.
  const errors = await Promise.all(filters.map(() => device.popErrorScope()).reverse());
  // What follows from a buffer that there was no memory for is wrong with it in other ways, too.
  const memory = errors[filters.indexOf('out-of-memory')];
  if (memory) throw new GpuError('memory', `The device has not enough memory: ${memory.message}`);
  if ('error' in result) throw result.error;
  const error = errors.find((scope) => scope !== null);
  if (error) throw new Error(`The device refused the work: ${error.message}`);
  gpu.checkAlive();
  return result.value;
}
