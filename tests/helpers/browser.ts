/**
 * Purpose: pages in a real browser: a Vite server on a free loopback port and a headless Chrome whose canvas
 * and WebGPU work without a GPU. Everything that a page complains about is collected.
 * Call `useBrowser()` at the top of a test file; it starts both before the tests and closes both after.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer, { type Browser, type Page } from 'puppeteer';
import { build, createServer, preview } from 'vite';
import { afterAll, afterEach, beforeAll, test } from 'vitest';
import { CHROME_ADVICE, findChrome, thisMachine } from '../../src/node/drivers';
import { allowsNoGpu, testPreference } from './environment';

export interface OpenPage {
  readonly page: Page;
  /** Errors and warnings on the console, uncaught exceptions, requests that failed. */
  readonly problems: readonly string[];
  /** Throws if there are problems. */
  expectNoProblems(): void;
  /** Imports a module of the project in the page and calls one of its functions with JSON values. */
  call<Result>(module: string, name: string, ...values: readonly unknown[]): Promise<Result>;
}

export interface BrowserFixture {
  /** The served address, with a slash at the end. */
  readonly url: string;
  readonly browser: Browser;
  /** Opens a path below the address; the page closes after the test. */
  openPage(path: string, options?: { width?: number; height?: number }): Promise<OpenPage>;
}

export interface BrowserOptions {
  /** 'source' is the project through Vite's server, 'build' the built page under a sub-path. */
  readonly serve?: 'source' | 'build';
  readonly flags?: readonly string[];
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOOPBACK = '127.0.0.1';
const SUB_PATH = '/some/folder/';
/** An empty page that modules can be imported into: `openPage(BLANK_PAGE)`, then `call()`. */
export const BLANK_PAGE = 'tests/browser/pages/blank.html';

const START_LIMIT_MS = 60_000;
/** A software GPU answers late; Chrome itself ends a GPU task after ten seconds. */
const CALL_LIMIT_MS = 170_000;

/** Without the Vulkan flags compute works, but configuring a canvas loses the device. */
const SOFTWARE_FLAGS = ['--use-vulkan=swiftshader', '--use-angle=vulkan'];
const FLAGS = [
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--hide-scrollbars',
  '--force-color-profile=srgb',
];

const chrome = findChrome(thisMachine());

/** Like vitest's `test`; skipped where there is no browser and CELLSTORM_ALLOW_NO_GPU=1. */
export const browserTest = chrome === undefined && allowsNoGpu() ? test.skip : test;

export function useBrowser(options: BrowserOptions = {}): BrowserFixture {
  let started: Started | undefined;
  const pages: Page[] = [];
  const running = (): Started => {
    if (started === undefined) throw new Error('The browser runs only while tests do.');
    return started;
  };
  beforeAll(async () => {
    if (chrome !== undefined || !allowsNoGpu()) started = await start(options);
  }, START_LIMIT_MS * 2);
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.close().catch(() => undefined)));
  });
  afterAll(async () => {
    await started?.close();
  });
  return {
    get url() {
      return running().url;
    },
    get browser() {
      return running().browser;
    },
    async openPage(path, { width = 640, height = 480 } = {}) {
      const page = await running().browser.newPage();
      pages.push(page);
      await page.setViewport({ width, height });
      const problems = collectProblems(page);
      await page.goto(new URL(path, running().url).href, { waitUntil: 'load', timeout: START_LIMIT_MS });
      return {
        page,
        problems,
        expectNoProblems() {
          if (problems.length > 0) throw new Error(`The page complained:\n${problems.join('\n')}`);
        },
        call: (module, name, ...values) => callInPage(page, module, name, values),
      };
    },
  };
}

interface Started {
  readonly url: string;
  readonly browser: Browser;
  close(): Promise<void>;
}

async function start(options: BrowserOptions): Promise<Started> {
  if (chrome === undefined) throw new Error(`No Chrome was found: ${CHROME_ADVICE}.`);
  const server = options.serve === 'build' ? await serveBuild() : await serveSource();
  try {
    const browser = await puppeteer.launch({
      executablePath: chrome.command,
      headless: true,
      args: [...FLAGS, ...(testPreference() === 'system' ? [] : SOFTWARE_FLAGS), ...(options.flags ?? [])],
      timeout: START_LIMIT_MS,
      protocolTimeout: CALL_LIMIT_MS,
    });
    return {
      url: server.url,
      browser,
      async close() {
        await browser.close();
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

interface Server {
  readonly url: string;
  close(): Promise<void>;
}

async function serveSource(): Promise<Server> {
  const server = await createServer({
    root: ROOT,
    configFile: join(ROOT, 'vite.config.ts'),
    logLevel: 'error',
    // A definite port: the client that Vite puts into pages connects to the configured one.
    server: { host: LOOPBACK, port: await findFreePort(), strictPort: true, watch: null },
  });
  await server.listen();
  return { url: firstUrl(server.resolvedUrls?.local), close: () => server.close() };
}

async function serveBuild(): Promise<Server> {
  const outDir = await mkdtemp(join(tmpdir(), 'cellstorm-page-'));
  const shared = { root: ROOT, configFile: join(ROOT, 'vite.config.ts'), logLevel: 'error' } as const;
  await build({ ...shared, build: { outDir, emptyOutDir: true } });
  const server = await preview({
    ...shared,
    base: SUB_PATH,
    build: { outDir },
    preview: { host: LOOPBACK, port: 0 },
  });
  return {
    url: firstUrl(server.resolvedUrls?.local),
    async close() {
      await server.close();
      await rm(outDir, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createSocket().listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

function firstUrl(urls: readonly string[] | undefined): string {
  const url = urls?.[0];
  if (url === undefined) throw new Error('The server has no address.');
  return url;
}

function collectProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    const type = message.type();
    // WebGPU's uncaptured errors arrive as warnings.
    if (type === 'error' || type === 'warn') problems.push(`console ${type}: ${message.text()}`);
  });
  page.on('pageerror', (error) =>
    problems.push(`exception: ${error instanceof Error ? error.stack : error}`),
  );
  page.on('requestfailed', (request) => {
    problems.push(`request failed: ${request.url()} (${request.failure()?.errorText ?? 'unknown'})`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`status ${response.status()}: ${response.url()}`);
  });
  return problems;
}

async function callInPage<Result>(
  page: Page,
  module: string,
  name: string,
  values: readonly unknown[],
): Promise<Result> {
  // Text, because a function's import() would be rewritten for Node by the test runner.
  const code = `(async () => {
    const loaded = await import(${JSON.stringify(`/${module}`)});
    const called = loaded[${JSON.stringify(name)}];
    if (typeof called !== 'function') throw new Error('The module exports no function ${name}.');
    return called(...${JSON.stringify(values)});
  })()`;
  return (await page.evaluate(code)) as Result;
}
