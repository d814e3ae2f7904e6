/**
 * Starts a headless Chrome, Chromium or Edge through the user's puppeteer or Playwright. Its pages have WebGPU, with or
 * without a GPU, and tests can capture their canvases.
 */
import { checkBooleans, checkKnownKeys } from '../core/base/checks';
import { ArgumentError, CellstormError } from '../core/base/errors';
import { type ChromeFlagOptions, flagsFor, isSoftware } from '../node/chrome-flags';
import {
  CHROME_ADVICE,
  type Chrome,
  findChrome as findChromeOn,
  type Machine,
  thisMachine,
} from '../node/drivers';

/** Options of `launchChrome`. */
export interface LaunchChromeOptions extends ChromeFlagOptions {
  /** More flags for Chrome. Default: none. */
  readonly flags?: readonly string[] | undefined;
  /** The binary to start. Default: the one that `findChrome` finds, otherwise the library's own. */
  readonly path?: string | undefined;
  /** Milliseconds to wait for the browser to start. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Whether to check that pages get an adapter, which takes a fraction of a second. Default true. */
  readonly checkAdapter?: boolean | undefined;
  /** More options for the library's own `launch`, such as `{ protocolTimeout: 300_000 }`. Default: none. */
  readonly launch?: Readonly<Record<string, unknown>> | undefined;
}

/** The part of puppeteer, or of Playwright's `chromium`, that `launchChrome` needs. */
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
const FLAG_OPTIONS = ['canvas', 'gpu', 'sandbox'];
const OPTIONS = [...FLAG_OPTIONS, 'flags', 'path', 'timeoutMs', 'checkAdapter', 'launch'];

/**
 * Finds a Chrome, Chromium or Edge: the one that CHROME_PATH or PUPPETEER_EXECUTABLE_PATH names, an installed one, or
 * the newest that puppeteer or Playwright downloaded. Returns undefined if there is none. Throws a CellstormError if
 * one of these variables names no file.
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
 * Returns the flags with which a headless Chrome has WebGPU on this machine. Use them to start Chrome yourself.
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
  checkKnownKeys('options', options, FLAG_OPTIONS);
  return flagsFor(thisMachine(), options);
}

/**
 * Starts a headless Chrome, Chromium or Edge whose pages have WebGPU, and returns the library's browser. Pass the
 * library: `puppeteer`, `puppeteer-core`, or `chromium` of Playwright. Rejects with a CellstormError that says what is
 * missing, such as the browser, one of its libraries, or an adapter.
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

/** Does what `launchChrome` does, but on a given machine. Exported for tests. */
export async function launchOn<Browser>(
  machine: Machine,
  library: BrowserLibrary<Browser>,
  options: LaunchChromeOptions,
): Promise<Browser> {
  checkLibrary(library);
  checkKnownKeys('options', options, OPTIONS);
  const { flags = [], path, timeoutMs = START_LIMIT_MS, checkAdapter = true, launch = {} } = options;
  checkBooleans({ checkAdapter });
  if (!Array.isArray(flags) || flags.some((flag) => typeof flag !== 'string')) {
    throw new ArgumentError('flags', flags, "an array of strings, such as ['--lang=de']");
  }
  const args = [...flagsFor(machine, options), ...flags];
  if (path !== undefined && !machine.isFile(path)) {
    throw new ArgumentError('path', path, 'the path of a Chrome, Chromium or Edge');
  }
  const command = path ?? findChromeOn(machine)?.command ?? (await ownBrowser(library, machine));
  if (command === undefined) throw new CellstormError(`Chrome was not found: ${CHROME_ADVICE}.`);
  // Chrome sets VK_ICD_FILENAMES to choose its software driver, and VK_DRIVER_FILES would override that choice.
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES, ...others } = machine.environment;
  const env = isSoftware(machine, options.gpu ?? 'auto') ? others : machine.environment;
  const browser = await library
    .launch({ env, ...launch, executablePath: command, headless: true, args, timeout: timeoutMs })
    .catch((error: unknown) => {
      throw new CellstormError(explainStart(command, error), { cause: error });
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
  if (missing !== undefined) {
    return `${command} does not start, because the library ${missing} is missing: ${CHROME_ADVICE}.`;
  }
  // Each pattern has puppeteer's form first, then Playwright's. `printed` is the first line of the program's output.
  const code = /\b(?:Code: |exitCode=)(\d+)/.exec(text)?.[1];
  const printed = /(?:^stderr:\n|\[err\] )(.*\S)/m.exec(text)?.[1];
  const end = code === undefined ? text.trim().split('\n', 1)[0] : `it ended with exit code ${code}`;
  const quote = printed === undefined ? '' : `, after the output "${printed}"`;
  return `${command} does not start: ${end}${quote}; if it is no Chrome, Chromium or Edge, ${CHROME_ADVICE}.`;
}

/** Returns why pages of this browser have no WebGPU; undefined if they have it. */
async function findProblem(browser: AnyBrowser): Promise<string | undefined> {
  const page = await browser.newPage();
  try {
    // Pages have WebGPU only in a secure context. An empty page has no secure context.
    await page.goto('chrome://version');
    const found = await page.evaluate(
      `(async () => navigator.gpu === undefined ? 'api' : (await navigator.gpu.requestAdapter()) ? '' : 'adapter')()`,
    );
    if (found === 'api') return 'it may be too old, so update it';
    return found === 'adapter' ? "there is no adapter; try gpu: 'software', or a newer browser" : undefined;
  } finally {
    await page.close();
  }
}
