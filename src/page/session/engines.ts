/**
 * Opens engines and starts runs: a larger device if needed, the CPU engine without a GPU. An engine opened here and not
 * returned is destroyed.
 */
import { planSimulation } from '../../core/simulation/plan';
import { CellstormError, GpuError, type GpuRequest, LimitError, type SimulationOptions } from '../../index';
import type { Hardware } from '../model/choices';
import { MOST_PARTICLES } from '../model/fields';
import { type Selection, startCount, startOf } from '../model/opened';
import { methodOf } from '../model/scenes';
import type { MethodStart, Start } from '../model/simulation-view';
import { showEngineNote } from '../support/notes';
import { Signal } from '../support/signal';
import { type Engine, explain, explainMissingGpu, type Run } from '../view/engine';
import type { Session } from '../view/session';

/** Wait before a second request for an adapter. */
const ADAPTER_PAUSE_MS = 1000;
export const CPU_INSTEAD = 'The CPU engine runs the scene instead.';

export interface Openers {
  gpu(request: GpuRequest): Promise<Engine>;
  cpu(): Promise<Engine>;
}

/** Thrown if not even the CPU engine could be opened. */
export class NoEngineError extends CellstormError {}

export class Engines {
  losses = 0;
  /** Emitted if no GPU can be opened and none was lost before. */
  readonly gpuMissing = new Signal();
  private readonly gone = new WeakSet<Engine>();

  constructor(
    private readonly openers: Openers,
    private readonly session: Pick<Session, 'engine'>,
    /** Called for each lost device, even of another engine than the session's. */
    private readonly recover: (engine: Engine, reason: string) => void,
  ) {}

  hasLost(engine: Engine): boolean {
    return this.gone.has(engine);
  }

  /** Returns the present engine if it suits. Throws if no device can be large enough. */
  async openFor(choices: Selection): Promise<Engine> {
    const present = this.session.engine;
    if (!present || present.kind !== choices.engine) return this.open(choices);
    const { dimensions } = choices;
    const count = startCount(choices, hardwareOf(present, choices));
    return present.holds(count) ? present : this.openGpu({ particles: count, dimensions });
  }

  /** If the device is too small, starts on a new one. */
  async start(
    engine: Engine,
    options: SimulationOptions,
    method: MethodStart | undefined,
  ): Promise<{ readonly engine: Engine; readonly run: Run }> {
    try {
      return { engine, run: await engine.start(options, method) };
    } catch (error) {
      if (engine !== this.session.engine) engine.destroy();
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

  private async open(choices: Selection): Promise<Engine> {
    if (choices.engine === 'cpu') return this.openCpu();
    try {
      const particles = choices.opened ? startCount(choices, hardwareOf(undefined, choices)) : choices.count;
      const request = { particles, dimensions: choices.dimensions };
      if (this.losses === 0) return await this.openGpu(request);
      return await this.openGpu(request).catch(async (error: unknown) => {
        if (!(error instanceof GpuError) || error.reason !== 'no-adapter') throw error;
        // Browsers give no adapter for a while after a GPU process has died.
        await new Promise((done) => setTimeout(done, ADAPTER_PAUSE_MS));
        return this.openGpu(request);
      });
    } catch (error) {
      if (!(error instanceof GpuError)) throw error;
      // After a loss, the browser may offer a GPU again later.
      const wasThere = this.losses > 0;
      const why = wasThere
        ? 'The GPU was lost, and no other GPU is available now.'
        : explainMissingGpu(error);
      showEngineNote(`${why} ${CPU_INSTEAD}`);
      if (!wasThere) this.gpuMissing.emit();
      try {
        return await this.openCpu();
      } catch (further) {
        showEngineNote(why);
        throw further;
      }
    }
  }

  private openCpu(): Promise<Engine> {
    return this.openers.cpu().catch((error: unknown) => {
      throw new NoEngineError(explain(error));
    });
  }

  private async openGpu(request: GpuRequest): Promise<Engine> {
    const engine = await this.openers.gpu(request);
    engine.lost.then((reason) => {
      this.gone.add(engine);
      this.recover(engine, reason);
    });
    return engine;
  }
}

/** Without a GPU engine, only the page's own limit applies. */
export function hardwareOf(engine: Engine | undefined, { dimensions }: Selection): Hardware {
  const most = engine?.kind === 'gpu' ? engine.most(dimensions) : MOST_PARTICLES;
  return { isSoftware: engine?.isSoftware ?? false, most };
}

export async function startFrom(chosen: Selection, count: number): Promise<Start> {
  switch (methodOf(chosen)) {
    case 'fluid':
      return (await import('../engines/methods/fluid-start')).startFluid(chosen, count);
    case 'flock':
      return (await import('../engines/methods/flock-start')).startFlock(chosen, count);
    default:
      return startOf(chosen, count);
  }
}
