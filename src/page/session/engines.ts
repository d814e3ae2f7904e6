/**
 * Purpose: opens engines for what is chosen and starts runs on them: on the present one where that serves, on another device
 * where its own is too small, on the CPU where there is no GPU, which is said. Outputs: engines that are looked after: each
 * loss is handed on. Guarantee: an engine that is opened here and not handed out is destroyed.
 */
import { CellstormError, GpuError, LimitError } from '../../core/base/errors';
import { planSimulation } from '../../core/simulation/plan';
import type { SimulationOptions } from '../../core/simulation/simulation';
import type { GpuRequest } from '../../gpu/device';
import type { MethodStart } from '../model/body';
import type { Hardware } from '../model/choices';
import { MOST_PARTICLES } from '../model/fields';
import { type Chosen, startCount } from '../model/opened';
import { type Engine, explain, explainMissingGpu, type Run } from '../view/engine';

/** Before an adapter is asked for again. */
const ADAPTER_PAUSE_MS = 1000;
export const CPU_INSTEAD = 'The CPU engine runs the same collisions instead.';

/** How engines are opened. */
export interface Openers {
  gpu(request: GpuRequest): Promise<Engine>;
  cpu(): Promise<Engine>;
}

/** Not even the CPU engine could be opened, which is the last that there is. */
export class NoEngineError extends CellstormError {}

/** What they need of the page. */
export interface EngineSite {
  /** Why the chosen engine is not the one that runs. */
  showEngineNote(text: string): void;
  setGpuAvailable(isAvailable: boolean): void;
}

/** Whoever has the engine that is used now. */
export interface EngineOwner {
  readonly engine: Engine | undefined;
  /** To be called of each device that was lost, present or not. */
  recover(engine: Engine, reason: string): void;
}

export class Engines {
  /** Devices lost so far, and engines that had one. */
  losses = 0;
  private readonly gone = new WeakSet<Engine>();

  constructor(
    private readonly site: EngineSite,
    private readonly openers: Openers,
    private readonly owner: EngineOwner,
  ) {}

  hasLost(engine: Engine): boolean {
    return this.gone.has(engine);
  }

  /** The present engine where it serves, else a new one; too much for the GPU throws before anything is made. */
  async openFor(choices: Chosen): Promise<Engine> {
    const present = this.owner.engine;
    if (!present || present.kind !== choices.engine) return this.open(choices);
    const { dimensions } = choices;
    const count = startCount(choices, hardwareOf(present, choices));
    return present.holds(count) ? present : this.openGpu({ particles: count, dimensions });
  }

  /** On this engine, or where its device is too small on one that is asked for just this much. */
  async start(
    engine: Engine,
    options: SimulationOptions,
    method: MethodStart | undefined,
  ): Promise<{ readonly engine: Engine; readonly run: Run }> {
    try {
      return { engine, run: await engine.start(options, method) };
    } catch (error) {
      if (engine !== this.owner.engine) engine.destroy();
      if (!(error instanceof LimitError) || engine.kind === 'cpu') throw error;
    }
    const { dimensions, capacity, world } = planSimulation(options);
    const cells = Math.max(world.cellCount, method?.cells ?? 0);
    const larger = await this.openGpu({ particles: capacity, dimensions, cells });
    try {
      return { engine: larger, run: await larger.start(options, method) };
    } catch (further) {
      larger.destroy();
      throw further;
    }
  }

  private async open(choices: Chosen): Promise<Engine> {
    if (choices.engine === 'cpu') return this.openCpu();
    try {
      const particles = choices.opened ? startCount(choices, hardwareOf(undefined, choices)) : choices.count;
      const request = { particles, dimensions: choices.dimensions };
      if (this.losses === 0) return await this.openGpu(request);
      return await this.openGpu(request).catch(async (error: unknown) => {
        if (!(error instanceof GpuError) || error.reason !== 'no-adapter') throw error;
        // Browsers give none for a while after a GPU process has died.
        await new Promise((done) => setTimeout(done, ADAPTER_PAUSE_MS));
        return this.openGpu(request);
      });
    } catch (error) {
      if (!(error instanceof GpuError)) throw error;
      // A browser whose GPU process has just died may have one again: the choice stays, and can be made once more.
      const wasThere = this.losses > 0;
      const why = wasThere ? 'The GPU was lost and no other one can be had now.' : explainMissingGpu(error);
      this.site.showEngineNote(`${why} ${CPU_INSTEAD}`);
      if (!wasThere) this.site.setGpuAvailable(false);
      try {
        return await this.openCpu();
      } catch (further) {
        // It does not run, either.
        this.site.showEngineNote(why);
        throw further;
      }
    }
  }

  private openCpu(): Promise<Engine> {
    return this.openers.cpu().catch((error: unknown) => {
      throw new NoEngineError(explain(error));
    });
  }

  /** A device that is looked after from now on, shown or not. */
  private async openGpu(request: GpuRequest): Promise<Engine> {
    const engine = await this.openers.gpu(request);
    engine.lost.then((reason) => {
      this.gone.add(engine);
      this.owner.recover(engine, reason);
    });
    return engine;
  }
}

/** Of an engine that is not open yet, nothing is known. */
export function hardwareOf(engine: Engine | undefined, { dimensions }: Chosen): Hardware {
  const most = engine?.kind === 'gpu' ? engine.most(dimensions) : MOST_PARTICLES;
  return { isSoftware: engine?.isSoftware ?? false, most };
}
