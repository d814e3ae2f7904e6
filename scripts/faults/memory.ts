/**
 * Denies memory to each buffer that creators and calls allocate, one at a time. The error must be a GpuError of reason
 * 'memory', and no error may go uncaught. After a failed creation and after `destroy`, no buffer may stay allocated.
 * After a failed call, the object must continue with the same bits as an object that never lacked memory.
 */
import { GpuError } from '../../src/core/base/errors';
import { wrapDevice } from '../../src/gpu/device';
import { openDevice } from '../trust/device';
import { objectsNamed, type PublicObject } from '../trust/objects';
import type { Figures, Part } from '../trust/results';
import { describeError, settle } from '../trust/time-limit';
import { Shortage } from './shortage';

const PARTICLES = 48;
const PATIENCE = 60;
export async function runMemory(part: Part, name: string): Promise<Figures> {
  const buffers: Record<string, unknown> = {};
  for (const object of objectsNamed(name)) {
    const created = await failCreation(part, object);
    const calls = await failCalls(part, object);
    buffers[object.name] = { create: created, ...calls };
    part.say(`${object.name}: ${JSON.stringify(buffers[object.name])}`);
  }
  return { buffers };
}

/** Denies memory to each buffer of a creation, in turn. Returns the number of buffers. */
async function failCreation(part: Part, object: PublicObject): Promise<number> {
  const watched = await openDevice('driverless');
  const { device, live, complaints } = watched;
  const shortage = new Shortage(watched);
  const gpu = wrapDevice(device);
  for (let buffer = 0; ; buffer++) {
    shortage.arm(buffer);
    const outcome = await settle(() => object.create(gpu, PARTICLES), PATIENCE);
    const { failed } = shortage;
    shortage.arm(Number.POSITIVE_INFINITY);
    await device.queue.onSubmittedWorkDone();
    if (failed === undefined) {
      device.destroy();
      return buffer;
    }
    const where = `creating ${object.name} without memory for ${failed}`;
    part.judge(
      faultOfShortage(where, outcome) ??
        (live.size > 0 ? `${where} leaves ${live}` : undefined) ??
        faultOfComplaints(where, complaints),
    );
    // The rest of this creation must not count against the next creation.
    if (typeof outcome === 'object' && 'value' in outcome) (outcome.value as { destroy(): void }).destroy();
    live.forget();
    complaints.length = 0;
  }
}

/** Denies memory to each buffer of each call, with a new object per buffer. Returns the number of buffers per call. */
async function failCalls(part: Part, object: PublicObject): Promise<Record<string, number>> {
  const watched = await openDevice();
  const { device, live, complaints } = watched;
  const shortage = new Shortage(watched);
  const gpu = wrapDevice(device);
  const twins = new Map<string, string>();
  /** Returns the digest of an object that never lacks memory, after a step, the call (if given) and a step. */
  const digestOfTwin = async (call?: string) => {
    const known = twins.get(call ?? '');
    if (known !== undefined) return known;
    const twin = await object.create(gpu, PARTICLES);
    await twin.step();
    if (call !== undefined) await twin.awaited[call]?.();
    await twin.step();
    const digest = await twin.digest();
    twin.destroy();
    twins.set(call ?? '', digest);
    return digest;
  };
  await digestOfTwin();
  const counts: Record<string, number> = {};
  const first = await object.create(gpu, PARTICLES);
  const calls = Object.keys(first.awaited);
  first.destroy();
  for (const call of calls) {
    for (let buffer = 0; ; buffer++) {
      const held = await object.create(gpu, PARTICLES);
      await held.step();
      shortage.arm(buffer);
      const outcome = await settle(() => held.awaited[call]?.(), PATIENCE);
      const { failed } = shortage;
      shortage.arm(Number.POSITIVE_INFINITY);
      if (failed === undefined) {
        held.destroy();
        counts[call] = buffer;
        break;
      }
      const where = `${call} of ${object.name} without memory for ${failed}`;
      let fault = faultOfShortage(where, outcome);
      const later = await settle(async () => {
        await held.step();
        return held.digest();
      }, PATIENCE);
      if (later === 'hangs') fault ??= `${where}: the next step hangs`;
      else if ('error' in later) fault ??= `${where}: afterwards ${describeError(later.error)}`;
      // A call that also steps may have stepped before its allocation failed.
      else if (later.value !== (await digestOfTwin()) && later.value !== (await digestOfTwin(call))) {
        fault ??= `${where}: afterwards the digest is ${later.value} instead of ${await digestOfTwin()}`;
      }
      await device.queue.onSubmittedWorkDone();
      held.destroy();
      fault ??= live.size > 0 ? `${where}: destroy() leaves ${live}` : undefined;
      fault ??= faultOfComplaints(where, complaints);
      part.judge(fault);
      live.forget();
      complaints.length = 0;
    }
  }
  device.destroy();
  return counts;
}

function faultOfShortage(where: string, outcome: Awaited<ReturnType<typeof settle>>): string | undefined {
  if (outcome === 'hangs') return `${where}: the promise hangs`;
  if ('value' in outcome) return `${where}: the promise resolves`;
  const { error } = outcome;
  const isRight = error instanceof GpuError && error.reason === 'memory';
  return isRight ? undefined : `${where}: ${describeError(error)}`;
}

function faultOfComplaints(where: string, complaints: readonly string[]): string | undefined {
  return complaints.length > 0 ? `${where}: uncaught: ${complaints[0]}` : undefined;
}
