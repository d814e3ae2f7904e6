/**
 * Opens pages of a Vite server in a headless Chrome, whose canvas and WebGPU work without a GPU.
 *
 * Call `useBrowser()` in a describe, which then has its own browser profile. All files of a process share servers and
 * browsers. Serve the built page if you can. The source page is slow, because it requests each module separately.
 *
 * A page takes seconds to open, mostly to compile kernels. Tests that need no page of their own share one:
 *   const open = browser.share((opener) => openPlayground(opener));
 *   browserTest('…', async () => { const { page } = await open(); … });
 * Such a test sets what it needs first, and leaves the page usable.
 */
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'puppeteer';
import { afterAll, afterEach, beforeAll, test } from 'vitest';
import {
  type BrowserOptions,
  callInPage,
  chrome,
  type Server,
  START_LIMIT_MS,
  serveBuild,
  startChrome,
  startServer,
} from '../../scripts/browser';
import { allowsNoGpu } from '../../src/testing/environment';
import { builtPages } from './built/packed';

export interface OpenPage {
  readonly page: Page;
  /** Errors and warnings on the console, uncaught exceptions and failed requests. */
  readonly problems: readonly string[];
  /** Throws if there are problems, and forgets them. */
  expectNoProblems(): void;
  /** Imports a module of the project in the page and calls one of its functions with JSON values. */
  call<Result>(module: string, name: string, ...values: readonly unknown[]): Promise<Result>;
}

export interface Opener {
  /** `prepare` runs before anything is loaded. */
  openPage(path: string, options?: OpenOptions): Promise<OpenPage>;
}

/** Its `openPage` opens pages that close after the test. */
export interface BrowserFixture extends Opener {
  /** Ends with a slash. */
  readonly url: string;
  /** The folder of the built page. Undefined if the source is served. */
  readonly folder: string | undefined;
  /**
   * Returns a function that opens a page once and keeps it until the describe ends. After each test the page must have
   * no problems. After a failure the next test gets a fresh page.
   */
  share(open: (opener: Opener) => Promise<OpenPage>): () => Promise<OpenPage>;
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly prepare?: (page: Page) => Promise<void>;
}

/** The limit of each wait for a page, long enough for a busy machine. */
const PAGE_LIMIT_MS = 120_000;

interface Closable {
  close(): Promise<void>;
}

/** Browsers by their options, and servers by what they serve. */
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

/** Closes the shared browsers and servers in a worker fixture, because nothing else learns when the worker ends. */
const closingTest = test.extend<{ $worker: { started: typeof browsers } }>({
  started: [
    // biome-ignore lint/correctness/noEmptyPattern: the empty pattern tells vitest that no other fixture is needed.
    async ({}, use) => {
      await use(browsers);
      await closeAll();
    },
    { scope: 'worker', auto: true },
  ],
});

/** Without a browser the test fails or, with CELLSTORM_ALLOW_NO_GPU=1, is skipped. The run prints this setting. */
export const browserTest = chrome === undefined && allowsNoGpu() ? closingTest.skip : closingTest;

export function useBrowser({ serve = 'source', ...options }: BrowserOptions = {}): BrowserFixture {
  let server: Server | undefined;
  let profile: BrowserContext | undefined;
  const pages: Page[] = [];
  const running = () => {
    if (server === undefined || profile === undefined) {
      throw new Error('The browser runs only while tests run.');
    }
    return { url: server.url, folder: server.folder, profile };
  };
  beforeAll(async () => {
    if (chrome === undefined && allowsNoGpu()) return;
    server = await shared(servers, serve, () => (serve === 'build' ? serveBuiltPages() : startServer(serve)));
    const started = await shared(browsers, JSON.stringify(options), () => startChrome(options));
    profile = await started.createBrowserContext();
  }, START_LIMIT_MS * 2);
  const openPage = async (
    path: string,
    { width = 640, height = 480, prepare }: OpenOptions,
    closing: Page[],
  ): Promise<OpenPage> => {
    const page = await running().profile.newPage();
    closing.push(page);
    page.setDefaultTimeout(PAGE_LIMIT_MS);
    await page.setViewport({ width, height });
    await prepare?.(page);
    const problems = collectProblems(page);
    await page.goto(new URL(path, running().url).href, { waitUntil: 'load', timeout: START_LIMIT_MS });
    return {
      page,
      problems,
      expectNoProblems() {
        const found = problems.splice(0);
        if (found.length > 0) throw new Error(`The page complained:\n${found.join('\n')}`);
      },
      call: (module, name, ...values) => callInPage(page, module, name, values),
    };
  };
  afterEach(() => closePages(pages));
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
    openPage: (path, options = {}) => openPage(path, options, pages),
    share(open) {
      const kept: Page[] = [];
      let opened: Promise<OpenPage> | undefined;
      const close = async () => {
        opened = undefined;
        await closePages(kept);
      };
      afterEach(async ({ task }) => {
        if (task.result?.state === 'fail') await close();
        else (await opened)?.expectNoProblems();
      });
      afterAll(close);
      return async () => {
        opened ??= open({ openPage: (path, options = {}) => openPage(path, options, kept) });
        const shown = await opened;
        // A page behind another one gets no frames.
        await shown.page.bringToFront();
        return shown;
      };
    },
  };
}

/** All processes of the run serve the same build. */
async function serveBuiltPages(): Promise<Server> {
  return serveBuild(join(await builtPages(), 'page'));
}

async function closePages(pages: Page[]): Promise<void> {
  await Promise.all(pages.splice(0).map((page) => page.close().catch(() => undefined)));
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
