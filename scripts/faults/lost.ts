/**
 * Loses the device at each await of public creators and calls. After a loss:
 *
 * - The pending promise must reject with a GpuError of reason 'lost', unless SUBMIT_LAST names the call.
 * - Later calls must fail with the same error.
 * - `destroy` must not throw.
 * - A checkpoint from before the loss must continue on a new device with the same state.
 *
 * Fuse counts WebGPU's promises. The package awaits no others, except to load modules.
 */
import { GpuError } from '../../src/core/base/errors';
import { wrapDevice } from '../../src/gpu/device';
import { openDevice } from '../trust/device';
import { type Held, type PublicObject, smallObjectsNamed } from '../trust/objects';
import type { Figures, Part } from '../trust/results';
import { describeError, settle } from '../trust/time-limit';

export type Reason = 'destroyed' | 'unknown';

const PARTICLES = 48;
const PATIENCE = 60;
/** These calls submit a step last, without waiting for it. They may resolve despite a loss; later calls report it. */
const SUBMIT_LAST: ReadonlySet<string> = new Set(['advance']);
const AT_ONCE = 8;
const STEPS = 3;

class Fuse {
  /** WebGPU promises requested since `arm`. */
  waits = 0;
  isBlown = false;
  private at = Number.POSITIVE_INFINITY;
  private resolveLost: (info: GPUDeviceLostInfo) => void = () => undefined;

  constructor(
    private readonly device: GPUDevice,
    reason: Reason,
  ) {
    if (reason === 'unknown') {
      const lost = new Promise<GPUDeviceLostInfo>((resolve) => {
        this.resolveLost = resolve;
      });
      Object.defineProperty(device, 'lost', { value: lost });
    }
    this.watch(device, 'popErrorScope');
    this.watch(device, 'createComputePipelineAsync');
    this.watch(device.queue, 'onSubmittedWorkDone');
    const { createBuffer, createShaderModule } = device;
    device.createBuffer = (descriptor) => {
      const buffer = createBuffer.call(device, descriptor);
      this.watch(buffer, 'mapAsync');
      return buffer;
    };
    device.createShaderModule = (descriptor) => {
      const module = createShaderModule.call(device, descriptor);
      this.watch(module, 'getCompilationInfo');
      return module;
    };
  }

  /** Sets the wait, counted from 0, at which the device is lost; by default, none. */
  arm(at = Number.POSITIVE_INFINITY): void {
    this.waits = 0;
    this.at = at;
  }

  private watch<Name extends string>(
    target: { [Key in Name]: (...values: never[]) => Promise<unknown> },
    name: Name,
  ): void {
    const original = target[name] as (...values: unknown[]) => Promise<unknown>;
    const watched = (...values: unknown[]) => {
      const promise = original.apply(target, values);
      if (this.waits++ === this.at) this.blow();
      return promise;
    };
    Object.defineProperty(target, name, { value: watched, configurable: true });
  }

  private blow(): void {
    this.isBlown = true;
    this.resolveLost({ reason: 'unknown', message: 'the driver crashed' } as GPUDeviceLostInfo);
    this.device.destroy();
  }
}

export async function runLost(part: Part, reason: Reason, name: string): Promise<Figures> {
  const awaits: Record<string, unknown> = {};
  for (const object of smallObjectsNamed(name)) {
    const waits: Record<string, number> = { create: await loseWhileCreating(part, object, reason) };
    const { held, device } = await hold(object, reason);
    for (const call of Object.keys(held.awaited)) waits[call] = await loseInCall(part, object, reason, call);
    device.destroy();
    await resume(part, object, reason);
    awaits[object.name] = waits;
    part.say(`${object.name}: ${JSON.stringify(waits)}`);
  }
  return { awaits };
}

async function hold(object: PublicObject, reason: Reason) {
  const { device, complaints } = await openDevice('driverless');
  const fuse = new Fuse(device, reason);
  const held = await object.create(wrapDevice(device), PARTICLES);
  await held.step();
  return { device, complaints, fuse, held };
}

/** Loses the device at each await of a creation, in turn. Returns the number of awaits. */
async function loseWhileCreating(part: Part, object: PublicObject, reason: Reason): Promise<number> {
  return countUp(async (wait) => {
    const { device, complaints } = await openDevice('driverless');
    const fuse = new Fuse(device, reason);
    const gpu = wrapDevice(device);
    fuse.arm(wait);
    const outcome = await settle(() => object.create(gpu, PARTICLES), PATIENCE);
    if (!fuse.isBlown) {
      device.destroy();
      return false;
    }
    const where = `${object.name}, created while the device is lost (${reason}) at wait ${wait}`;
    part.judge(faultOfLoss(where, outcome) ?? faultOfComplaints(where, complaints));
    return true;
  });
}

/** Loses the device at each await of a call, in turn. Returns the number of awaits. */
async function loseInCall(part: Part, object: PublicObject, reason: Reason, call: string): Promise<number> {
  return countUp(async (wait) => {
    const { device, fuse, held, complaints } = await hold(object, reason);
    fuse.arm(wait);
    const outcome = await settle(() => held.awaited[call]?.(), PATIENCE);
    if (!fuse.isBlown) {
      device.destroy();
      return false;
    }
    const where = `${call} of ${object.name}, the device lost (${reason}) at wait ${wait}`;
    const mayResolve = SUBMIT_LAST.has(call) && outcome !== 'hangs' && 'value' in outcome;
    part.judge(
      (mayResolve ? undefined : faultOfLoss(where, outcome)) ??
        (await faultOfLaterCalls(where, device, held)) ??
        faultOfComplaints(where, complaints),
    );
    return true;
  });
}

/** Returns the first of 0, 1, 2 … for which `body` resolves to false. Several calls run at once. */
async function countUp(body: (number: number) => Promise<boolean>): Promise<number> {
  for (let [first, size] = [0, 1]; ; first += size, size = AT_ONCE) {
    const found = await Promise.all(Array.from({ length: size }, (_, index) => body(first + index)));
    const stop = found.indexOf(false);
    if (stop >= 0) return first + stop;
  }
}

function faultOfLoss(where: string, outcome: Awaited<ReturnType<typeof settle>>): string | undefined {
  if (outcome === 'hangs') return `${where}: the promise hangs`;
  if ('value' in outcome) return `${where}: the promise resolves`;
  return isLoss(outcome.error) ? undefined : `${where}: ${describeError(outcome.error)}`;
}

function faultOfComplaints(where: string, complaints: readonly string[]): string | undefined {
  return complaints.length > 0 ? `${where}: uncaught: ${complaints[0]}` : undefined;
}

async function faultOfLaterCalls(where: string, device: GPUDevice, held: Held): Promise<string | undefined> {
  await device.lost;
  for (const [name, call] of Object.entries({ ...held.awaited, ...held.immediate })) {
    const fault = faultOfLoss(`${where}: ${name} after the loss`, await settle(call, PATIENCE));
    if (fault) return fault;
  }
  const { checkpoint, restore } = held;
  if (checkpoint && restore) {
    const fault = faultOfLoss(`${where}: restore after the loss`, await settle(() => restore({}), PATIENCE));
    if (fault) return fault;
  }
  try {
    held.destroy();
  } catch (error) {
    return `${where}: destroy() throws ${describeError(error)}`;
  }
  return undefined;
}

function isLoss(error: unknown): boolean {
  return error instanceof GpuError && error.reason === 'lost';
}

async function resume(part: Part, object: PublicObject, reason: Reason): Promise<void> {
  const { device } = await openDevice();
  const fuse = new Fuse(device, reason);
  const first = await object.create(wrapDevice(device), PARTICLES);
  if (!first.checkpoint || !first.restore) {
    device.destroy();
    return;
  }
  for (let step = 0; step < STEPS; step++) await first.step();
  const digest = await first.digest();
  const saved = structuredClone(await first.checkpoint());
  await first.step();
  const next = await first.digest();
  fuse.arm(0);
  const outcome = await settle(() => first.digest(), PATIENCE);
  part.judge(faultOfLoss(`${object.name}, on a driver, the device lost (${reason})`, outcome));

  const fresh = await openDevice();
  const second = await object.create(wrapDevice(fresh.device), PARTICLES);
  second.restore?.(saved);
  const restored = await second.digest();
  await second.step();
  const continued = await second.digest();
  part.judge(
    restored !== digest || continued !== next
      ? `${object.name}: a restored checkpoint has the digests ${restored} and ${continued} instead of ${digest} and ${next}`
      : undefined,
  );
  second.destroy();
  fresh.device.destroy();
}
