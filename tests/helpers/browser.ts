/**
 * Purpose: pages in a real browser: a Vite server on a free loopback port and a headless Chrome whose canvas
 * and WebGPU work without a GPU. Everything that a page complains about is collected.
 * Call `useBrowser()` at the top of a test file. Both start with the first file that asks for such ones, since a start takes
 * longer than most tests, and serve all files of the process until that ends. Each file has a profile of its own. What uses a
 * page as visitors do asks for the built one: from its source a hundred files are loaded each time.
 */
import type { Browser, BrowserContext, Page } from 'puppeteer';
import { afterAll, afterEach, beforeAll, test } from 'vitest';
import {
  type BrowserOptions,
  callInPage,
  chrome,
  type Server,
  START_LIMIT_MS,
  startChrome,
  startServer,
} from '../../scripts/browser';
import { allowsNoGpu } from '../../src/testing/environment';

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
  /** Where the built page is, where that is what is served. */
  readonly folder: string | undefined;
  /** Opens a path below the address; the page closes after the test. `prepare` has the page before anything is loaded. */
  openPage(path: string, options?: OpenOptions): Promise<OpenPage>;
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Of whatever a page is waited for: a machine that does something else takes long, and the test has a limit of its own. */
const PAGE_LIMIT_MS = 120_000;

/** An empty page that modules can be imported into: `openPage(BLANK_PAGE)`, then `call()`. */
export const BLANK_PAGE = 'tests/browser/pages/blank.html';

interface Closable {
  close(): Promise<void>;
}

/** What the files of this process share: one browser, whatever is served. */
const browsers = new Map<string, Promise<Browser>>();
const servers = new Map<string, Promise<Server>>();

function shared<Part>(
  kept: Map<string, Promise<Part>>,
  name: string,
  start: () => Promise<Part>,
): Promise<Part> {
  const part = kept.get(name) ?? start();
  kept.set(name, part);
  return part;
}

async function closeAll(): Promise<void> {
  for (const kept of [browsers, servers] satisfies Map<string, Promise<Closable>>[]) {
    const started: readonly Promise<Closable>[] = [...kept.values()];
    kept.clear();
    await Promise.allSettled(started.map(async (one) => (await one).close()));
  }
}

/** What all files of a process share ends with it: of its worker, vitest says when that is. */
const closingTest = test.extend<{ $worker: { started: typeof browsers } }>({
  started: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it that no other fixture is asked for.
    async ({}, use) => {
      await use(browsers);
      await closeAll();
    },
    { scope: 'worker', auto: true },
  ],
});

/**
 * Like vitest's `test`. Skipped only where there is no browser and CELLSTORM_ALLOW_NO_GPU=1 asks for it, which is
 * printed; else a missing browser fails.
 */
export const browserTest = chrome === undefined && allowsNoGpu() ? closingTest.skip : closingTest;

export function useBrowser({ serve = 'source', ...options }: BrowserOptions = {}): BrowserFixture {
  let server: Server | undefined;
  let profile: BrowserContext | undefined;
  const pages: Page[] = [];
  const running = () => {
    if (server === undefined || profile === undefined) {
      throw new Error('The browser runs only while tests do.');
    }
    return { url: server.url, folder: server.folder, profile };
  };
  beforeAll(async () => {
    if (chrome === undefined && allowsNoGpu()) return;
    server = await shared(servers, serve, () => startServer(serve));
    const started = await shared(browsers, JSON.stringify(options), () => startChrome(options));
    profile = await started.createBrowserContext();
  }, START_LIMIT_MS * 2);
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.close().catch(() => undefined)));
  });
  afterAll(async () => {
    await profile?.close();
  });
  return {
    get url() {
      return running().url;
    },
    get folder() {
      return running().folder;
    },
    async openPage(path, { width = 640, height = 480, prepare } = {}) {
      const page = await running().profile.newPage();
      pages.push(page);
      page.setDefaultTimeout(PAGE_LIMIT_MS);
      await page.setViewport({ width, height });
      await prepare?.(page);
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
