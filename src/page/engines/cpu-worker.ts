/**
 * The CPU engine behind a port. It runs in a worker or, if there is none, in the page's own thread. It answers calls in
 * order, and transfers arrays of particles instead of copying them.
 */
import { Phrase } from '../../core/base/errors';
import { planSimulation } from '../../core/simulation/plan';
import { createSimulation } from '../../cpu/solver/simulation';
import { ArgumentError, type ParticleArrays, type SimulationOptions } from '../../index';
import type { CpuSimulationView, State } from '../model/simulation-view';
import { watchLoading } from '../support/chunk-errors';
import { held, pushed } from '../tools/brush-law';
import { type CountNear, createCpuTally } from '../view/cpu-tally';
import { putBirths, type StepTime, stateOf } from '../view/engine';
import type { Counted } from '../view/tally';
import {
  type Answer,
  type Calls,
  type Facts,
  type MadeFrom,
  type Port,
  packError,
  type Question,
  type Seen,
  UNSEEN,
} from './cpu-calls';
import { startFrom } from './methods/start';

export const WORKER_URL = import.meta.url;

/** Greatest number of cells of a world with obstacles and equal radii. The engine stores four bytes per cell. */
const MOST_CELLS = 2 ** 27;

function checkCells(options: SimulationOptions): void {
  if (!options.obstacles && !options.obstacleCapacity) return;
  const { kind, levels, cellCount } = planSimulation(options).world;
  if (kind === 'unbounded' || levels > 0 || cellCount <= MOST_CELLS) return;
  const accepted = `of at most ${MOST_CELLS} with obstacles on the CPU engine; use larger particles or a smaller box`;
  throw new ArgumentError('The box', new Phrase(`of ${cellCount} cells`), accepted);
}

async function createBody(
  options: SimulationOptions,
  made: MadeFrom | undefined,
): Promise<CpuSimulationView> {
  if (made) {
    const { method } = await startFrom(made.choices, made.count);
    if (method) return method.onCpu(options);
  }
  checkCells(options);
  return createSimulation(options);
}

class CpuHost {
  private readonly births: Float32Array<ArrayBuffer>;
  private readonly tallies = new Map<Counted, CountNear>();
  private counted: Counted | undefined;

  private constructor(
    private readonly body: CpuSimulationView,
    private readonly options: SimulationOptions,
  ) {
    this.births = body.births ?? new Float32Array(body.capacity);
  }

  static async start(options: SimulationOptions, made: MadeFrom | undefined): Promise<CpuHost> {
    return new CpuHost(await createBody(options, made), options);
  }

  get facts(): Facts {
    const { dimensions, world, radius, radiusRange, boxes, capacity, obstacleCapacity, memoryBytes } =
      this.body;
    const { method, kinds } = this.body;
    return {
      ...{ dimensions, world, radius, radiusRange, boxes, capacity, obstacleCapacity, memoryBytes },
      ...{ method, kinds },
    };
  }

  readonly calls: Omit<Calls, 'start'> = {
    step: (seconds) => this.timed(() => this.body.profile(seconds)),
    timeSteps: (seconds, steps): StepTime => {
      const began = performance.now();
      for (let step = 0; step < steps; step++) this.body.step(seconds);
      return { milliseconds: (performance.now() - began) / steps, clock: 'page' };
    },
    push: (stroke, seconds) => this.steer((state) => pushed(state.dimensions, state, stroke, seconds)),
    hold: (grip, seconds) => this.steer((state) => held(state.dimensions, state, grip, seconds)),
    set: (changes) => this.body.set(changes),
    add: (particles) => {
      for (const id of this.body.add(particles)) this.births[id] = this.body.time;
    },
    remove: (ids) => this.body.remove(ids),
    setObstacles: (given) => this.body.setObstacles(given),
    restore: (state) => {
      this.body.restore(state);
      putBirths(this.births, state);
    },
    count: (counted) => {
      if (counted && !this.tallies.has(counted)) {
        this.tallies.set(counted, createCpuTally(this.body, this.options, counted));
      }
      this.counted = counted;
    },
    read: () => this.body.read(),
    measure: () => this.body.measure(),
    checkpoint: () => stateOf({ simulation: this.body, births: this.births }),
    findPairs: () => this.body.findPairs?.() ?? { count: 0, pairs: new Uint32Array(0), borderline: 0 },
  };

  async see(): Promise<Seen> {
    const { body, births, tallies, counted } = this;
    const { count, time, obstacleCount, settings, warnings, moved } = body;
    const particles = await body.read();
    return {
      ...{ count, time, obstacleCount, settings, warnings, moved, particles },
      births: births.slice(),
      species: body.species?.slice(),
      counts: counted && tallies.get(counted)?.(particles),
    };
  }

  private timed(step: () => { readonly total: number; readonly stages: StepTime['stages'] }): StepTime {
    const { total, stages } = step();
    return { milliseconds: total, clock: 'page', ...(stages && { stages }) };
  }

  private steer(velocitiesOf: (state: State) => Float32Array): void {
    const checkpoint = this.body.checkpoint();
    // Narrows the type: the CPU engine returns no promise.
    if (checkpoint instanceof Promise) return;
    this.body.restore({ ...checkpoint, velocities: velocitiesOf(checkpoint) });
  }
}

export function serve(port: Port): void {
  let host: CpuHost | undefined;
  const answer = async ({ id, name, values }: Question): Promise<void> => {
    const reply: { -readonly [Key in keyof Answer]: Answer[Key] } = { id };
    try {
      if (name === 'start') {
        host = await CpuHost.start(...(values as Parameters<Calls['start']>));
        reply.result = host.facts;
      } else if (host) {
        reply.result = await (host.calls[name] as (...given: readonly unknown[]) => unknown)(...values);
      }
      if (host && !UNSEEN.has(name)) reply.seen = await host.see();
    } catch (error) {
      reply.error = packError(error);
    }
    const parts = name === 'read' ? [reply.result as ParticleArrays] : [];
    if (reply.seen) parts.push(reply.seen.particles);
    port.postMessage(reply, parts.flatMap(buffersOf));
  };
  let last = Promise.resolve();
  port.onmessage = ({ data }: MessageEvent<Question>) => {
    last = last.then(() => answer(data));
  };
}

function buffersOf(particles: ParticleArrays | undefined): Transferable[] {
  const arrays = Object.values(particles ?? {}).filter((value) => ArrayBuffer.isView(value));
  return [...new Set(arrays.map(({ buffer }) => buffer as ArrayBuffer))];
}

if (typeof document === 'undefined' && typeof postMessage === 'function') {
  // If a chunk fails to load, Vite's loader dispatches an event on `window`.
  Object.assign(globalThis, { window: globalThis });
  watchLoading();
  serve(globalThis as unknown as Port);
  postMessage('ready');
}
