/**
 * Starts WebGPU in Node: chooses a driver, starts Dawn (the npm package `webgpu`) on it and keeps Dawn alive.
 * Ordering: Vulkan reads its environment variables when Dawn looks for adapters, so `useDriver` runs before that.
 * `useDriver` must run in the main thread, because only there do changes of process.env reach native code.
 */
import { constants } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { CellstormError, GpuError } from '../core/base/errors';
import {
  CHROME_ADVICE,
  chooseDriver,
  type Driver,
  type DriverName,
  type DriverPreference,
  findSoftwareDriver,
  type Machine,
  readPreference,
  thisMachine,
} from './drivers';

export interface Dawn {
  readonly gpu: GPU;
  readonly driver: DriverName;
  readonly path: string | undefined;
  readonly flags: readonly string[];
}

export interface DawnOptions {
  /** Default 'auto': hardware if there is any. CELLSTORM_DRIVER overrides it. */
  readonly driver?: DriverPreference | undefined;
}

interface DawnPackage {
  create(flags: string[]): GPU;
  readonly globals: object;
}

/** Dawn crashes if a GPU object is garbage-collected while in use. So `globalThis` keeps all GPU objects forever. */
const OWNER = Symbol.for('cellstorm.dawn');
const owner = globalThis as { [OWNER]?: { gpus: GPU[]; opened: Promise<Dawn> | undefined } };

/** Flag of dlopen (dlfcn.h): the library stays loaded, although Node closes every library that is not a Node module. */
const RTLD_NODELETE = 0x1000;

/**
 * Dawn's feature that zeroes workgroup memory through a Vulkan extension. SwiftShader implements the extension by a
 * store per word, so kernels with workgroup memory take about ten times as long to compile.
 */
export const SLOW_ON_SWIFTSHADER = 'use_vulkan_zero_initialize_workgroup_memory_extension';

/** Dawn's feature that rounds timestamps to 65 µs, to protect pages from each other. Node does not need it. */
const COARSE_STAMPS = 'timestamp_quantization';

/** Milliseconds between polls of a software GPU. */
const POLL_MS = 1;

/**
 * Opens Dawn once; later calls return the same result, whatever their options. Rejects with a GpuError if the package
 * does not load or there is no adapter; a later call then tries again. Rejects with a CellstormError in a worker
 * thread.
 */
export function openDawn(options: DawnOptions = {}): Promise<Dawn> {
  owner[OWNER] ??= { gpus: [], opened: undefined };
  const state = owner[OWNER];
  state.opened ??= open(state.gpus, options).catch((error: unknown) => {
    state.opened = undefined;
    throw error;
  });
  return state.opened;
}

async function open(gpus: GPU[], options: DawnOptions): Promise<Dawn> {
  if (!isMainThread)
    throw new CellstormError(
      'WebGPU was opened in a worker thread, but its driver can be chosen only in the main thread: open it there.',
    );
  const machine = thisMachine();
  const preference = readPreference(machine, options.driver ?? 'auto');
  const dawn = await importDawn();
  Object.assign(globalThis, dawn.globals);
  const first = chooseDriver(machine, preference);
  const candidates = [
    first,
    preference === 'auto' && first?.name === 'system' && findSoftwareDriver(machine),
  ];
  for (const driver of candidates) {
    if (!driver) continue;
    useDriver(machine, driver);
    const disabled = driver.name === 'SwiftShader' ? [COARSE_STAMPS, SLOW_ON_SWIFTSHADER] : [COARSE_STAMPS];
    const flags = [`disable-dawn-features=${disabled.join(',')}`];
    const gpu = dawn.create(flags);
    gpus.push(gpu);
    if ((await gpu.requestAdapter()) !== null) {
      if (driver.name === 'SwiftShader' || driver.name === 'lavapipe') calmPolling();
      return { gpu, driver: driver.name, path: driver.manifest ?? process.env.VK_DRIVER_FILES, flags };
    }
  }
  throw new GpuError('no-adapter', explainNoAdapter(first, preference));
}

/**
 * Slows down Dawn's polling. While a device exists, Dawn's binding polls in every turn of the event loop, through the
 * global setImmediate. This takes a core (dawn-gpu/node-webgpu#17) that a software GPU needs.
 */
export function calmPolling(): void {
  const { setImmediate } = globalThis;
  const nothing = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const calm = (callback: (...values: unknown[]) => void, ...values: unknown[]) => {
    if (!isNative(callback)) return setImmediate(callback, ...values);
    return setImmediate(() => {
      Atomics.wait(nothing, 0, 0, POLL_MS);
      callback(...values);
    });
  };
  Object.defineProperties(calm, Object.getOwnPropertyDescriptors(setImmediate));
  globalThis.setImmediate = calm as typeof setImmediate;
}

/** Returns whether a function is native and has no name, like the callback of Dawn's binding. */
function isNative(callback: () => void): boolean {
  return callback.name === '' && Function.prototype.toString.call(callback).includes('[native code]');
}

async function importDawn(): Promise<DawnPackage> {
  try {
    return (await import('webgpu')) as DawnPackage;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const missing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    const reason = missing ? 'is not installed' : `does not load (${firstLine(error)})`;
    throw new GpuError(
      'unsupported',
      `The package "webgpu" (WebGPU for Node) ${reason}: run "npm install webgpu", or use the CPU engine: import cellstorm/cpu, or give the command --backend cpu.`,
    );
  }
}

function useDriver(machine: Machine, driver: Driver): void {
  if (machine.platform !== 'linux') return;
  if (driver.manifest !== undefined) process.env.VK_DRIVER_FILES = driver.manifest;
  if (driver.loaderFolder !== undefined) loadVulkan(driver.loaderFolder);
  // If this variable is not set, a Vulkan layer that looks for a display prints a warning to stderr.
  process.env.XDG_RUNTIME_DIR ||= `/run/user/${process.getuid?.() ?? 0}`;
}

/**
 * Loads the browser's Vulkan loader if the system has none. Debian's chromium has its own libvulkan.so.1, which other
 * programs do not find. Once the library is loaded, Dawn's dlopen finds it by name.
 */
function loadVulkan(folder: string): void {
  if (!/cannot open shared object/.test(tryLoad('libvulkan.so.1'))) return;
  tryLoad(join(folder, 'libvulkan.so.1'));
}

/** Loads a library. Returns the message of dlopen's error, which is expected: the library is not a Node module. */
function tryLoad(library: string): string {
  try {
    process.dlopen({ exports: {} }, library, constants.dlopen.RTLD_NOW | RTLD_NODELETE);
    return '';
  } catch (error) {
    return firstLine(error);
  }
}

function explainNoAdapter(driver: Driver | undefined, preference: DriverPreference): string {
  const manifest = driver?.manifest ?? process.env.VK_DRIVER_FILES;
  const path = manifest === undefined ? '' : ` (${manifest})`;
  const source = process.env.CELLSTORM_DRIVER ? 'CELLSTORM_DRIVER' : 'options.driver';
  const found =
    driver !== undefined
      ? `Dawn finds no adapter on the ${driver.name} driver${path}`
      : preference === 'auto'
        ? 'There is neither a GPU nor a software driver'
        : `${source} is ${preference}, but no such driver was found`;
  return `${found}. To get a driver that needs no GPU, ${CHROME_ADVICE}; or use the CPU engine: import cellstorm/cpu, or give the command --backend cpu.`;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
