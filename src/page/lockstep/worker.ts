/** One engine: a worker with a simulation of its own. It gets only orders (see messages.ts), never a state. */
import { createSimulation as createCpuSimulation } from '../../cpu/solver/simulation';
import { nameAdapter } from '../../gpu/adapter-name';
import { explainGpuError } from '../../gpu/explain';
import {
  type Checkpoint,
  createSimulation,
  type Gpu,
  GpuError,
  type ParticleSimulation,
  requestGpu,
} from '../../index';
import { type Answer, HASH_EVERY, type Order } from './messages';
import { CAPACITY, OPTIONS, Rules } from './rules';

interface Engine {
  readonly simulation: ParticleSimulation;
  readonly rules: Rules;
  readonly start: Checkpoint;
}

let engine: Engine | undefined;
let game = 0;

addEventListener('message', ({ data }: MessageEvent<Order>) => {
  follow(data).catch((error: unknown) => say({ kind: 'failed', message: describe(error) }));
});

async function follow(order: Order): Promise<void> {
  if (order.kind === 'start') {
    await open(order.engine);
    return;
  }
  if (!engine) throw new Error('The engine has not started.');
  const { simulation, rules, start } = engine;
  if (order.kind === 'reset') {
    game = order.game;
    simulation.restore(start);
    rules.reset();
    await sendPicture(engine);
    return;
  }
  const sent: Promise<void>[] = [];
  for (const [index, inputs] of order.ticks.entries()) {
    rules.run(inputs, order.hasMistake && index === 0);
    if (rules.tick % HASH_EVERY === 0) sent.push(sendHash(engine));
  }
  await Promise.all([...sent, sendPicture(engine)]);
}

async function open(wanted: 'gpu' | 'cpu'): Promise<void> {
  let simulation: ParticleSimulation | undefined;
  let device = '';
  let problem = '';
  if (wanted === 'gpu') {
    let gpu: Gpu | undefined;
    try {
      gpu = await requestGpu({ gpu: navigator.gpu, particles: CAPACITY, dimensions: 2 });
      simulation = await createSimulation(gpu, OPTIONS);
      device = nameAdapter(gpu.info);
      gpu.device.lost.then(({ message }) => say({ kind: 'failed', message: `The GPU was lost: ${message}` }));
    } catch (error) {
      gpu?.destroy();
      problem = describe(error);
    }
  }
  simulation ??= createCpuSimulation(OPTIONS);
  engine = { simulation, rules: new Rules(simulation), start: await simulation.checkpoint() };
  say({ kind: 'started', engine: simulation.backend, device, problem });
  await sendPicture(engine);
}

/** Copies the state at the time of the call. A GPU delivers its copy later, when the next ticks may already run. */
async function sendPicture({ simulation, rules: { tick, owners } }: Engine): Promise<void> {
  const played = game;
  const before = owners.slice();
  const { ids, positions } = await simulation.read();
  const of = Uint8Array.from(ids, (id) => before[id] ?? 0);
  say({ kind: 'picture', game: played, tick, positions, owners: of }, [positions.buffer, of.buffer]);
}

async function sendHash({ simulation, rules: { tick } }: Engine): Promise<void> {
  const played = game;
  const { hash } = await simulation.measure();
  say({ kind: 'hash', game: played, tick, hash });
}

function describe(error: unknown): string {
  if (error instanceof GpuError) return explainGpuError(error);
  return error instanceof Error ? error.message : String(error);
}

function say(answer: Answer, transfer: ArrayBufferLike[] = []): void {
  postMessage(answer, { transfer: transfer as ArrayBuffer[] });
}
