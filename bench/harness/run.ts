/**
 * Runs engines on scenes. A case is a scene with one count, in 2D or 3D.
 *
 * The engines of a case are open together and take turns (turns.ts), so that other work affects all equally. An engine
 * that does not fit into memory with the others, or whose device is lost, is opened alone afterwards. An engine must
 * find the right pairs before timing. After timing, it must find those of another frame, because an engine could
 * repeat its earlier answer.
 */
import { type Curve, expectedTime, type Timing } from '../../src/core/base/curves';
import type { Dimensions } from '../../src/core/world/world';
import type { Gpu } from '../../src/gpu/device';
import { COPY_BYTES, type CopySpeed, cpuCopySpeed, measureCpuStep } from './cpu-clock';
import { type Engine, type OwnDevice, refusalOf } from './engine';
import { countWork, type Frames, framesOf } from './frames';
import { GpuClock } from './gpu-clock';
import { Judge } from './judge';
import { isAbsent, isLost, isOutOfMemory, isTooLarge, type Open, openCpu, openGpu, openNative } from './open';
import type { CaseName, CountedWork, Measured, Outcome } from './record';
import {
  type BenchScene,
  type BenchSceneChoice,
  type BenchSceneDefinition,
  createBenchScene,
  defineBenchScene,
} from './scenes';
import { describeSamples } from './statistics';
import { ONE_EACH, type Taken, takeTurns, WARM_ROUNDS } from './turns';

export interface BenchPlan {
  readonly engines: readonly Engine[];
  readonly scenes: readonly BenchSceneChoice[];
  readonly dimensions: readonly Dimensions[];
  readonly counts: readonly number[];
  readonly seed: number;
  readonly repeat: number;
  /**
   * The time limit in milliseconds. If one build and query would take longer, the engine is skipped. If they did take
   * longer, the engine is stopped. After three timed rounds, an engine gets no further turn once its timed rounds
   * together took more than ten times the limit.
   */
  readonly limit: number;
}

export interface BenchHost {
  /** Called when an engine first needs a device, and again after a loss. */
  readonly openGpu?: ((dimensions: Dimensions) => Promise<Gpu>) | undefined;
  /** Called before each piece of work. `done` and `total` count outcomes. */
  readonly onProgress?: ((done: number, total: number, what: string) => void) | undefined;
  readonly onOutcome?: ((outcome: Outcome, measured: Measured) => void) | undefined;
  /** Called after each case; the next case waits for the promise. */
  readonly onCase?: ((result: BenchResult) => Promise<void>) | undefined;
  /** Default: COPY_BYTES. */
  readonly copyBytes?: number | undefined;
  /** Called after `onProgress`, so that a page stays responsive. May reject with BenchStopped to end the run early. */
  readonly breathe?: (() => Promise<void>) | undefined;
}

export class BenchStopped extends Error {
  override name = 'BenchStopped';
}

export interface BenchResult {
  readonly outcomes: readonly Outcome[];
  readonly measured: Measured;
}

/** Counts that are timed first if earlier times do not suffice to predict the time of a larger count. */
const PILOTS = [1024, 4096] as const;
/** Further pilots grow by this factor. A few thousand bodies do not keep a GPU busy, so they would predict badly. */
const PILOT_FACTOR = 8;
/** Curves leave out times of fewer bodies: fixed costs hide how these times grow. */
const FEWEST_FOR_GROWTH = 64;
/** Times are assumed to grow at least with this power of the count. */
const LEAST_GROWTH = 1;

export async function runBench(plan: BenchPlan, host: BenchHost = {}): Promise<BenchResult> {
  return new Bench(plan, host).run();
}

/** Counts ascend, because times of small counts predict the times of larger counts. */
export function casesOf({ scenes, dimensions, counts }: BenchPlan): CaseName[] {
  const ascending = [...new Set(counts)].sort((a, b) => a - b);
  return scenes
    .map(defineBenchScene)
    .flatMap((scene) =>
      dimensions
        .filter((offered) => scene.dimensions.includes(offered))
        .flatMap((offered) => ascending.map((count) => ({ scene: scene.name, dimensions: offered, count }))),
    );
}

class Bench {
  private readonly outcomes: Outcome[] = [];
  private readonly curves = new Map<string, Timing[]>();
  private readonly copy: CopySpeed;
  private readonly cpuStep = measureCpuStep();
  private gpu: Gpu | undefined;
  private clock: GpuClock | undefined;
  private readonly devices = new Map<string, OwnDevice>();
  private readonly scenes: ReadonlyMap<string, BenchSceneDefinition>;
  private done = 0;
  private readonly total: number;

  constructor(
    private readonly plan: BenchPlan,
    private readonly host: BenchHost,
  ) {
    this.total = casesOf(plan).length * plan.engines.length;
    this.copy = cpuCopySpeed(host.copyBytes);
    this.scenes = new Map(plan.scenes.map(defineBenchScene).map((scene) => [scene.name, scene]));
  }

  async run(): Promise<BenchResult> {
    try {
      for (const name of casesOf(this.plan)) {
        try {
          await this.runCase(name);
        } catch (error) {
          if (error instanceof BenchStopped) throw error;
          this.reportUnreported(name, error);
        }
        await this.host.onCase?.(this.result);
      }
    } catch (error) {
      if (!(error instanceof BenchStopped)) throw error;
    } finally {
      this.closeGpu();
    }
    return this.result;
  }

  private get result(): BenchResult {
    return { outcomes: this.outcomes, measured: this.measured };
  }

  /** Measured on the last device, which may be closed when the record is written. */
  private lastClock: Partial<Measured> = {};

  private reportUnreported(name: CaseName, error: unknown): void {
    const reported = this.outcomes.filter(
      ({ scene, dimensions, count }) =>
        scene === name.scene && dimensions === name.dimensions && count === name.count,
    );
    const rest: Pick<Outcome, 'status' | 'reason'> = isOutOfMemory(error)
      ? { status: 'refused', reason: `There is too little memory for so many bodies (${reasonOf(error)}).` }
      : { status: 'failed', reason: reasonOf(error) };
    for (const engine of this.plan.engines) {
      if (!reported.some((outcome) => outcome.engine === engine.name)) this.report(name, engine, rest);
    }
  }

  private async runCase(name: CaseName): Promise<void> {
    const { engines, seed } = this.plan;
    const { scene: sceneName, dimensions, count } = name;
    const definition = this.sceneOf(sceneName);
    const { most = Number.POSITIVE_INFINITY } = definition;
    if (count > most) {
      for (const engine of engines) {
        this.report(name, engine, {
          status: 'refused',
          reason: `${sceneName} has at most ${most} bodies; more would have too many pairs.`,
        });
      }
      return;
    }
    await this.announce(name, 'making the bodies');
    const scene = createBenchScene(definition, { dimensions, count, seed });
    const chosen: Engine[] = [];
    for (const engine of engines) {
      const reason = await this.reasonAgainst(engine, scene);
      if (reason) this.report(name, engine, reason);
      else chosen.push(engine);
    }
    if (chosen.length === 0) return;
    await this.announce(name, 'finding the correct pairs');
    const frames = framesOf(scene);
    const judge = new Judge(scene, [frames.timed[0], frames.untimed]);
    const apart = await this.runTogether(name, scene, frames, judge, chosen, false);
    for (const engine of apart) await this.runTogether(name, scene, frames, judge, [engine], true);
  }

  private sceneOf(name: string): BenchSceneDefinition {
    return this.scenes.get(name) as BenchSceneDefinition;
  }

  /** Returns the engines that must be opened alone. */
  private async runTogether(
    name: CaseName,
    scene: BenchScene,
    frames: Frames,
    judge: Judge,
    engines: readonly Engine[],
    apart: boolean,
  ): Promise<Engine[]> {
    const open: Open[] = [];
    const unfit: Engine[] = [];
    try {
      for (const engine of engines) {
        await this.announce(name, `checking ${engine.name}`);
        try {
          const run = await this.openChecked(name, engine, scene, frames, judge);
          if (run) open.push(run);
        } catch (error) {
          if (!isOutOfMemory(error) || open.length === 0) this.reportError(name, engine, error);
          else unfit.push(engine);
        }
      }
      const { repeat, limit } = this.plan;
      const announce = (engine: Engine, what: string) => this.announce(name, `${engine.name}, ${what}`);
      const taken = await takeTurns(open, { repeat, limit, announce });
      for (const [run, times] of taken) {
        const { error } = times;
        const isUnfit = open.length > 1 && (isOutOfMemory(error) || isLost(error));
        if (isUnfit) unfit.push(run.engine);
        else await this.conclude(name, run, times, frames, judge, apart);
      }
    } finally {
      for (const run of open) await run.close();
    }
    return unfit;
  }

  private async reasonAgainst(
    engine: Engine,
    scene: BenchScene,
  ): Promise<Pick<Outcome, 'status' | 'reason'> | undefined> {
    const refusal = refusalOf(engine, scene);
    if (refusal) return { status: 'refused', reason: refusal };
    if (engine.backend === 'gpu' && !engine.native && !this.host.openGpu)
      return { status: 'refused', reason: 'There is no GPU.' };
    const curve = await this.curveOf(engine, scene);
    const expected = expectedTime(curve, scene.count, LEAST_GROWTH);
    if (expected <= this.plan.limit) return undefined;
    return {
      status: 'skipped',
      reason: `One build and query would take about ${Math.round(expected)} ms; the limit is ${this.plan.limit} ms.`,
    };
  }

  /** Returns the times of smaller counts. If there are too few of them, times pilot counts first. */
  private async curveOf(engine: Engine, scene: BenchScene): Promise<Curve> {
    const key = `${engine.name}\n${scene.name}\n${scene.dimensions}`;
    const known = this.curves.get(key) ?? [];
    this.curves.set(key, known);
    const { name, dimensions, seed, count } = scene;
    const reached = (known.at(-1)?.count ?? 0) * PILOT_FACTOR ** 2;
    if ((known.length > 1 && count <= reached) || count <= PILOTS[1]) return known;
    await this.announce({ scene: name, dimensions, count }, `trying ${engine.name} on fewer bodies`);
    for (const pilot of pilotsFor(count)) {
      if (known.some((timing) => timing.count === pilot)) continue;
      if (known.length >= PILOTS.length && expectedTime(known, pilot, LEAST_GROWTH) > this.plan.limit) break;
      const small = createBenchScene(this.sceneOf(name), { dimensions, count: pilot, seed });
      if (refusalOf(engine, small)) continue;
      try {
        const run = await this.open(engine, small);
        try {
          await run.place(small.frame(0));
          const times: number[] = [];
          for (let round = 0; round <= WARM_ROUNDS; round++) {
            const sample = await run.time(ONE_EACH);
            if (sample) times.push(sample.total);
          }
          if (times.length === 0) continue;
          known.push({ count: small.count, milliseconds: Math.min(...times) });
          known.sort((a, b) => a.count - b.count);
        } finally {
          await run.close();
        }
      } catch {
        // The requested count will report the same error.
        return known;
      }
    }
    return known;
  }

  /** If the engine finds wrong pairs, reports that and returns undefined. */
  private async openChecked(
    name: CaseName,
    engine: Engine,
    scene: BenchScene,
    { timed }: Frames,
    judge: Judge,
  ): Promise<Open | undefined> {
    const run = await this.open(engine, scene);
    let isRight = false;
    try {
      await run.place(timed[0]);
      const found = await run.find();
      const wrong = judge.wrong(0, found);
      if (wrong) {
        this.report(name, engine, { status: 'wrong', found, ...wrong });
        return undefined;
      }
      if (scene.moves) await run.roll(timed);
      isRight = true;
      return run;
    } finally {
      if (!isRight) await run.close().catch(() => undefined);
    }
  }

  private async conclude(
    name: CaseName,
    run: Open,
    { samples, batch, discarded, error, slowest }: Taken,
    frames: Frames,
    judge: Judge,
    apart: boolean,
  ): Promise<void> {
    const { engine } = run;
    if (error !== undefined) return this.reportError(name, engine, error);
    const { limit } = this.plan;
    if (slowest !== undefined) {
      this.storeTiming(name, engine, slowest);
      this.report(name, engine, {
        status: 'stopped',
        reason: `One build and query took ${Math.round(slowest)} ms; the limit is ${limit} ms.`,
      });
      return;
    }
    if (samples.length === 0) {
      const reason = `The device's clock ran backwards in all ${discarded} samples of this engine.`;
      return this.report(name, engine, { status: 'failed', reason, discarded });
    }
    let work: CountedWork | undefined;
    try {
      await run.place(frames.untimed);
      const found = await run.find();
      const wrong = judge.wrong(1, found);
      if (wrong) {
        const reason = `After timing: ${wrong.reason}`;
        return this.report(name, engine, { status: 'wrong', found, ...wrong, reason });
      }
      work = await countWork(run, frames);
    } catch (after) {
      return this.reportError(name, engine, after);
    }
    const found = judge.expected[0];
    const total = describeSamples(samples.map((sample) => sample.total));
    const memory = run.memoryBytes();
    const count = Math.max(1, name.count);
    const whole = total.median * batch;
    this.storeTiming(name, engine, total.median);
    this.report(name, engine, {
      status: 'timed',
      device: run.device?.name,
      found,
      expected: found,
      build: describeSamples(samples.map((sample) => sample.build)),
      query: describeSamples(samples.map((sample) => sample.query)),
      total,
      batch,
      stepShare: whole > 0 ? run.stepMs() / whole : undefined,
      discarded: discarded > 0 ? discarded : undefined,
      apart: apart || undefined,
      clock: run.source,
      bytesEquivalent: (total.median * run.copyBytesPerMs) / count,
      memoryPerBody: memory === undefined ? undefined : memory / count,
      work,
    });
  }

  private storeTiming({ scene, dimensions, count }: CaseName, { name }: Engine, milliseconds: number): void {
    if (count < FEWEST_FOR_GROWTH) return;
    this.curves.get(`${name}\n${scene}\n${dimensions}`)?.push({ count, milliseconds });
  }

  private reportError(name: CaseName, engine: Engine, error: unknown): void {
    if (error instanceof BenchStopped) throw error;
    const status = isTooLarge(error) || isAbsent(error) ? 'refused' : 'failed';
    this.report(name, engine, { status, reason: reasonOf(error) });
  }

  private report(
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
    this.host.onOutcome?.(outcome, this.measured);
  }

  private async announce({ scene, dimensions, count }: CaseName, what: string): Promise<void> {
    this.host.onProgress?.(
      this.done,
      this.total,
      `${scene} ${dimensions}D, ${count.toLocaleString('en')}: ${what}`,
    );
    await this.host.breathe?.();
  }

  private async open(engine: Engine, scene: BenchScene): Promise<Open> {
    if (engine.native) {
      const run = await openNative(engine, scene, this.host.copyBytes ?? COPY_BYTES);
      this.devices.set(run.device.name, run.device);
      return run;
    }
    if (engine.backend === 'cpu') {
      return openCpu(engine, scene, { stepMs: this.cpuStep, copyBytesPerMs: this.copy.bytesPerMs });
    }
    const { gpu, clock } = await this.openGpu(scene.dimensions);
    return openGpu(engine, scene, gpu, clock);
  }

  private async openGpu(dimensions: Dimensions): Promise<{ gpu: Gpu; clock: GpuClock }> {
    if (this.gpu && this.clock && !this.gpu.lost) return { gpu: this.gpu, clock: this.clock };
    this.closeGpu();
    this.gpu = await this.host.openGpu?.(this.plan.dimensions.includes(3) ? 3 : dimensions);
    if (!this.gpu) throw new Error('There is no GPU.');
    this.clock = await GpuClock.create(this.gpu, this.host.copyBytes);
    return { gpu: this.gpu, clock: this.clock };
  }

  private get measured(): Measured {
    const { clock, copy, lastClock } = this;
    const gpu = clock ? describeClock(clock) : lastClock;
    const devices = this.devices.size > 0 ? [...this.devices.values()] : undefined;
    return { copyBytesPerMs: copy.bytesPerMs, copyBytes: copy.bytes, ...gpu, devices };
  }

  private closeGpu(): void {
    if (this.clock) this.lastClock = describeClock(this.clock);
    this.clock?.destroy();
    this.gpu?.destroy();
    this.clock = undefined;
    this.gpu = undefined;
  }
}

function describeClock({ copyBytesPerMs, copyBytes, source, stepMs }: GpuClock): Partial<Measured> {
  return {
    gpuCopyBytesPerMs: copyBytesPerMs,
    gpuCopyBytes: copyBytes,
    gpuClock: source,
    gpuClockStep: Math.round(1e6 * stepMs),
  };
}

function pilotsFor(count: number): number[] {
  const sizes: number[] = [...PILOTS];
  for (let size = PILOTS[1] * PILOT_FACTOR; size * PILOT_FACTOR <= count; size *= PILOT_FACTOR)
    sizes.push(size);
  return sizes;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
