/**
 * WebGPU in Node, public as `cellstorm/node`: `openGpu` opens a GPU for cellstorm, `openWebGpu` starts WebGPU for your
 * own code. Both need the npm package `webgpu` (Dawn) and run in the main thread.
 * @module cellstorm/node
 */
import { checkKnownKeys } from '../core/base/checks';
import { ArgumentError } from '../core/base/errors';
import { type Gpu, type GpuRequest, requestGpu } from '../gpu/device';
import { type Dawn, openDawn } from './dawn';
import {
  checkDriver,
  type DriverName,
  type DriverPreference,
  isPreferred,
  readPreference,
  thisMachine,
} from './drivers';

export { ArgumentError, CellstormError, GpuError, LimitError } from '../core/base/errors';
export type { Gpu, GpuRequest } from '../gpu/device';
export type { DriverName, DriverPreference } from './drivers';

/** Options of `openWebGpu`. */
export interface OpenWebGpuOptions {
  /** The driver to use. Default 'auto'. The environment variable CELLSTORM_DRIVER overrides this option. */
  readonly driver?: DriverPreference | undefined;
}

/** Options of `openGpu`: those of `requestGpu` without `gpu`, and the driver. */
export interface OpenGpuOptions extends Omit<GpuRequest, 'gpu'>, OpenWebGpuOptions {}

/** WebGPU in this process. */
export interface OpenedWebGpu {
  /** The entry point of WebGPU, as `navigator.gpu` in a page. */
  readonly gpu: GPU;
  /** The driver that runs it. */
  readonly driver: DriverName;
  /** The path of the chosen driver's manifest (a JSON file); otherwise the value of VK_DRIVER_FILES, if that is set. */
  readonly path: string | undefined;
}

/**
 * Opens a GPU in Node, or a software GPU if there is none, and returns what `createSimulation`, `HashGrid.create` and
 * the methods take. `gpu.destroy()` frees the device; the process then ends by itself. Rejects with an ArgumentError if
 * an option is wrong, and with a GpuError that says what to install if there is no WebGPU or no driver.
 *
 * @example
 * ```ts
 * import { createSimulation } from 'cellstorm';
 * import { openGpu } from 'cellstorm/node';
 *
 * const gpu = await openGpu({ particles: 10_000, dimensions: 2 });
 * const simulation = await createSimulation(gpu, { dimensions: 2, radius: 0.5, min, max, positions });
 * simulation.step(1 / 60);
 * console.log((await simulation.measure()).contacts);
 * gpu.destroy();
 * ```
 */
export async function openGpu(options: OpenGpuOptions): Promise<Gpu> {
  const { driver, ...request } = options ?? {};
  checkDriver(driver);
  if ('gpu' in request) {
    throw new ArgumentError('options.gpu', request.gpu, 'left out: openGpu starts WebGPU itself');
  }
  let failure: { readonly error: unknown } | undefined;
  // requestGpu checks most options before it asks for an adapter, so most wrong options do not start WebGPU.
  const requestAdapter = async (wanted?: GPURequestAdapterOptions): Promise<GPUAdapter | null> => {
    try {
      return await (await openWebGpu({ driver })).gpu.requestAdapter(wanted);
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  try {
    return await requestGpu({ ...request, gpu: { requestAdapter } as GPU });
  } catch (error) {
    throw failure === undefined ? error : failure.error;
  }
}

/**
 * Starts WebGPU in this process, for code of your own. Later calls return the same `gpu`, which lives as long as the
 * process. Defines the globals of WebGPU, such as GPUBufferUsage. Rejects with an ArgumentError if an option is wrong,
 * and with a GpuError that says what to install if there is no WebGPU or no driver.
 *
 * @example
 * ```ts
 * import { openWebGpu } from 'cellstorm/node';
 *
 * const { gpu, driver } = await openWebGpu({ driver: 'software' });
 * const adapter = await gpu.requestAdapter();
 * const device = await adapter?.requestDevice();
 * console.log(driver, device?.limits.maxBufferSize);
 * device?.destroy();
 * ```
 */
export async function openWebGpu(options: OpenWebGpuOptions = {}): Promise<OpenedWebGpu> {
  checkKnownKeys('options', options, ['driver']);
  const { driver } = options;
  checkDriver(driver);
  const opened: Dawn = await openDawn({ driver });
  const wanted = readPreference(thisMachine(), driver ?? 'auto');
  if (!isPreferred(opened.driver, wanted)) {
    const accepted = `left out, because this process already runs WebGPU on the ${opened.driver} driver`;
    throw new ArgumentError('driver', driver, accepted);
  }
  return { gpu: opened.gpu, driver: opened.driver, path: opened.path };
}
