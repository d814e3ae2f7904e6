/**
 * Starts a headless Chrome, Chromium or Edge with WebGPU and a canvas that can be captured, with or without a GPU, by
 * the user's puppeteer or Playwright.
 */
import { checkKnownKeys } from '../core/base/checks';
import { ArgumentError, CellstormError } from '../core/base/errors';
import { SLOW_ON_SWIFTSHADER } from '../node/dawn';
import {
  CHROME_ADVICE,
  type Chrome,
  chooseDriver,
  findChrome as findChromeOn,
  type Machine,
  readPreference,
  thisMachine,
} from '../node/drivers';

/** Which flags `chromeFlags` returns. */
export interface ChromeFlagOptions {
  /**
   * Whether pages draw WebGPU on a canvas. Default true. With false, a software GPU only computes, and configuring a
   * canvas loses the device.
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

/** Options of `launchChrome`. */
export interface LaunchChromeOptions extends ChromeFlagOptions {
  /** More flags for Chrome. Default: none. */
  readonly flags?: readonly string[] | undefined;
  /** The binary to start. Default: the one that `findChrome` finds, otherwise the library's own. */
  readonly path?: string | undefined;
  /** Milliseconds until a start fails. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Whether to check that pages get an adapter, which takes a fraction of a second. Default true. */
  readonly checkAdapter?: boolean | undefined;
  /** More options for the library's own `launch`, such as `{ protocolTimeout: 300_000 }`. Default: none. */
  readonly launch?: Readonly<Record<string, unknown>> | undefined;
}

/** What `launchChrome` needs of a library: puppeteer, or `chromium` of Playwright. */
export interface BrowserLibrary<Browser> {
  /** Starts a browser. */
  launch(options?: {
    executablePath?: string;
    headless?: boolean;
    args?: string[];
    timeout?: number;
    env?: Record<string, string | undefined>;
  }): Promise<Browser>;
  /** Returns the path of the library's own browser. */
  executablePath?(): string | Promise<string>;
}

/** The part of both libraries' browsers that this file uses. */
interface AnyBrowser {
  newPage(): Promise<AnyPage>;
  close(): Promise<void>;
}

interface AnyPage {
  goto(url: string): Promise<unknown>;
  evaluate(code: string): Promise<unknown>;
  close(): Promise<void>;
}

const START_LIMIT_MS = 60_000;
const OPTIONS = [
  ...['canvas', 'gpu', 'sandbox', 'flags', 'path', 'timeoutMs', 'checkAdapter', 'launch'],
] as const;
const GPUS = ['auto', 'software', 'system'] as const;

/** Keep Chrome from using the network and from waiting for a screen. */
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
/** Chrome's own advice for a GPU in a headless Chrome on Linux. */
const SYSTEM_CANVAS_FLAGS = [
  ...['--enable-features=Vulkan', '--use-angle=vulkan', '--disable-vulkan-surface'],
] as const;

/**
 * Finds a Chrome, Chromium or Edge: the one that CHROME_PATH or PUPPETEER_EXECUTABLE_PATH names, an installed one, or
 * the newest that puppeteer or Playwright downloaded. Returns undefined if there is none.
 *
 * @example
 * ```ts
 * import { findChrome } from 'cellstorm/testing';
 *
 * console.log(findChrome()?.command ?? 'there is no Chrome');
 * ```
 */
export function findChrome(): Chrome | undefined {
  return findChromeOn(thisMachine());
}

/**
 * Returns the flags with which a headless Chrome has WebGPU on this machine, for those who start it themselves.
 *
 * @example
 * ```ts
 * import { chromeFlags, findChrome } from 'cellstorm/testing';
 * import puppeteer from 'puppeteer';
 *
 * const browser = await puppeteer.launch({
 *   executablePath: findChrome()?.command,
 *   args: chromeFlags({ gpu: 'software' }),
 * });
 * ```
 */
export function chromeFlags(options: ChromeFlagOptions = {}): string[] {
  return flagsFor(thisMachine(), options);
}

/** Returns the flags for a machine. Exported for tests. */
export function flagsFor(
  machine: Machine,
  { canvas = true, gpu = 'auto', sandbox }: ChromeFlagOptions,
): string[] {
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

function isSoftware(machine: Machine, gpu: (typeof GPUS)[number]): boolean {
  const preference = readPreference(machine, gpu);
  if (preference !== 'auto') return preference !== 'system';
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES } = machine.environment;
  // openDawn names the driver in the environment, so a software driver there is no wish of the user.
  const name = chooseDriver(machine, 'auto')?.name;
  if (name === 'environment') return /swiftshader|lvp_/i.test(`${VK_DRIVER_FILES} ${VK_ICD_FILENAMES}`);
  return name !== 'system';
}

/**
 * Starts a headless Chrome, Chromium or Edge whose pages have WebGPU, and returns the library's browser. Pass the
 * library: `puppeteer`, `puppeteer-core`, or `chromium` of Playwright. Rejects with a CellstormError that says in one
 * sentence what is missing: the browser, one of its libraries, or an adapter.
 *
 * @example
 * ```ts
 * import { launchChrome, screenshotCanvas } from 'cellstorm/testing';
 * import puppeteer from 'puppeteer';
 *
 * const browser = await launchChrome(puppeteer, { canvas: true });
 * const page = await browser.newPage();
 * await page.goto('http://127.0.0.1:5173/');
 * const picture = await screenshotCanvas(page, 'canvas');
 * await browser.close();
 * ```
 */
export function launchChrome<Browser>(
  library: BrowserLibrary<Browser>,
  options: LaunchChromeOptions = {},
): Promise<Browser> {
  return launchOn(thisMachine(), library, options);
}

/** Does the same on a given machine. Exported for tests. */
export async function launchOn<Browser>(
  machine: Machine,
  library: BrowserLibrary<Browser>,
  options: LaunchChromeOptions,
): Promise<Browser> {
  checkLibrary(library);
  checkKnownKeys('options', options, OPTIONS);
  const { flags = [], path, timeoutMs = START_LIMIT_MS, checkAdapter = true, launch = {} } = options;
  const args = [...flagsFor(machine, options), ...flags];
  if (path !== undefined && !machine.isFile(path)) {
    throw new ArgumentError('path', path, 'the path of a Chrome, Chromium or Edge');
  }
  const command = path ?? findChromeOn(machine)?.command ?? (await ownBrowser(library, machine));
  if (command === undefined) throw new CellstormError(`Chrome was not found: ${CHROME_ADVICE}.`);
  // Chrome chooses its software driver by the second variable, and the first would override it.
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES, ...others } = machine.environment;
  const env = isSoftware(machine, options.gpu ?? 'auto') ? others : machine.environment;
  const browser = await library
    .launch({ env, ...launch, executablePath: command, headless: true, args, timeout: timeoutMs })
    .catch((error: unknown) => {
      throw new CellstormError(explainStart(command, error));
    });
  if (!checkAdapter) return browser;
  const problem = await findProblem(browser as AnyBrowser).catch((error: unknown) => String(error));
  if (problem === undefined) return browser;
  await (browser as AnyBrowser).close().catch(() => undefined);
  throw new CellstormError(`${command} starts, but its pages have no WebGPU: ${problem}.`);
}

function checkLibrary(library: unknown): void {
  const { launch, chromium, name } = (library ?? {}) as Record<string, unknown>;
  if (typeof launch !== 'function') {
    const fix = chromium === undefined ? '' : ' (this is all of Playwright: pass its `chromium`)';
    throw new ArgumentError('library', library, `puppeteer, or chromium of Playwright${fix}`);
  }
  const kind: unknown = typeof name === 'function' ? name.call(library) : 'chromium';
  if (kind !== 'chromium') throw new ArgumentError('library', kind, 'puppeteer, or chromium of Playwright');
}

/** Returns the path of the browser that came with the library, if it exists. */
async function ownBrowser(library: BrowserLibrary<unknown>, machine: Machine): Promise<string | undefined> {
  try {
    const path = await library.executablePath?.();
    return path !== undefined && machine.isFile(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

function explainStart(command: string, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const missing = /error while loading shared libraries: ([^:\s]+)/.exec(text)?.[1];
  if (missing === undefined) return `${command} does not start: ${text.trim()}`;
  return `${command} does not start, because the library ${missing} is missing: ${CHROME_ADVICE}.`;
}

/** Returns why pages of this browser have no WebGPU; undefined if they have. */
async function findProblem(browser: AnyBrowser): Promise<string | undefined> {
  const page = await browser.newPage();
  try {
    // WebGPU exists in secure contexts only; an empty page is none.
    await page.goto('chrome://version');
    const found = await page.evaluate(
      `(async () => navigator.gpu === undefined ? 'api' : (await navigator.gpu.requestAdapter()) ? '' : 'adapter')()`,
    );
    if (found === 'api') return 'it may be too old, so update it';
    return found === 'adapter' ? "there is no adapter; try gpu: 'software', or update it" : undefined;
  } finally {
    await page.close();
  }
}
