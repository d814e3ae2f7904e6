/** Lists flags that enable WebGPU in a headless Chrome, Chromium or Edge, with or without a GPU. */
import { checkBooleans } from '../core/base/checks';
import { ArgumentError } from '../core/base/errors';
import { SLOW_ON_SWIFTSHADER } from './dawn';
import { chooseDriver, type Machine, readPreference } from './drivers';

/** Which flags `chromeFlags` returns. */
export interface ChromeFlagOptions {
  /**
   * Whether pages draw WebGPU on a canvas. Default true. With false, a software GPU on Linux only computes, and
   * configuring a canvas loses the device.
   */
  readonly canvas?: boolean | undefined;
  /**
   * The GPU. Default 'auto': the system's if there is one, otherwise a software GPU. The environment variable
   * CELLSTORM_DRIVER overrides it.
   */
  readonly gpu?: 'auto' | 'software' | 'system' | undefined;
  /**
   * Whether Chrome's sandbox protects the machine from pages. Default false, because the sandbox does not start as root
   * or in most containers. Pass true if you open pages that you do not trust.
   */
  readonly sandbox?: boolean | undefined;
}

const GPUS = ['auto', 'software', 'system'] as const;

/**
 * Flags that reduce differences between runs. `--disable-dev-shm-usage` keeps Chrome from running out of shared memory
 * in containers.
 */
const QUIET_FLAGS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--hide-scrollbars',
  '--force-color-profile=srgb',
];

/** Without these flags, compute works on Linux, but configuring a canvas loses the device. */
const SOFTWARE_CANVAS_FLAGS = ['--enable-features=Vulkan', '--use-vulkan=swiftshader', '--use-angle=vulkan'];
const SOFTWARE_FLAGS = ['--use-webgpu-adapter=swiftshader', '--enable-unsafe-swiftshader'];
/** Chrome's documentation advises these flags for a headless Chrome with a GPU on Linux. */
const SYSTEM_CANVAS_FLAGS = [
  ...['--enable-features=Vulkan', '--use-angle=vulkan', '--disable-vulkan-surface'],
] as const;

export function flagsFor(
  machine: Machine,
  { canvas = true, gpu = 'auto', sandbox = false }: ChromeFlagOptions,
): string[] {
  checkBooleans({ canvas, sandbox });
  if (!GPUS.includes(gpu)) throw new ArgumentError('gpu', gpu, `one of ${GPUS.join(', ')}`);
  const linux = machine.platform === 'linux';
  const software = isSoftware(machine, gpu);
  const gpuFlags = software
    ? [
        ...(canvas && linux ? SOFTWARE_CANVAS_FLAGS : SOFTWARE_FLAGS),
        `--disable-dawn-features=${SLOW_ON_SWIFTSHADER}`,
      ]
    : linux
      ? SYSTEM_CANVAS_FLAGS
      : [];
  return [...(sandbox ? [] : ['--no-sandbox']), '--enable-unsafe-webgpu', ...gpuFlags, ...QUIET_FLAGS];
}

export function isSoftware(machine: Machine, gpu: (typeof GPUS)[number]): boolean {
  const preference = readPreference(machine, gpu);
  if (preference !== 'auto') return preference !== 'system';
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES } = machine.environment;
  // The variables may name a hardware driver or, if openDawn set VK_DRIVER_FILES, a software one. Their paths tell.
  const name = chooseDriver(machine, 'auto')?.name;
  if (name === 'environment') return /swiftshader|lvp_/i.test(`${VK_DRIVER_FILES} ${VK_ICD_FILENAMES}`);
  return name !== 'system';
}
