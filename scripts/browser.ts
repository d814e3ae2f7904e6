/** Starts a Vite server on a free loopback port, and a headless Chrome with a software GPU. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer, { type Browser, type Page } from 'puppeteer';
import { build, createServer, preview } from 'vite';
import { findChrome, launchChrome } from '../src/testing/chrome';

export interface BrowserOptions {
  /** 'source' serves the project, 'build' the built page under a sub-path. */
  readonly serve?: 'source' | 'build';
  readonly flags?: readonly string[];
  readonly limitMs?: number;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CONFIG = { root: ROOT, configFile: join(ROOT, 'vite.config.ts'), logLevel: 'error' } as const;
const LOOPBACK = '127.0.0.1';
const SUB_PATH = '/some/folder/';
export const START_LIMIT_MS = 60_000;
/** Calls may take long, because software GPUs are slow. */
const CALL_LIMIT_MS = 170_000;

/** An empty page, into which `callInPage` imports modules. Only 'source' serves it. */
export const BLANK_PAGE = 'scripts/blank.html';

export const chrome = findChrome();

export interface Started {
  readonly url: string;
  readonly browser: Browser;
  close(): Promise<void>;
}

export async function startBrowser(options: BrowserOptions = {}): Promise<Started> {
  const server = await startServer(options.serve);
  try {
    const browser = await startChrome(options);
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

export function startChrome({ flags = [], limitMs }: BrowserOptions): Promise<Browser> {
  return launchChrome<Browser>(puppeteer, {
    gpu: 'software',
    flags,
    timeoutMs: START_LIMIT_MS,
    checkAdapter: false,
    launch: { protocolTimeout: limitMs ?? CALL_LIMIT_MS },
  });
}

export function startServer(serve: BrowserOptions['serve']): Promise<Server> {
  return serve === 'build' ? serveNewBuild() : serveSource();
}

export interface Server {
  readonly url: string;
  /** The folder of the build; undefined for 'source'. */
  readonly folder?: string;
  close(): Promise<void>;
}

async function serveSource(): Promise<Server> {
  const server = await createServer({
    ...CONFIG,
    // Vite's client needs a fixed port. Ignore all files, because writing a watched file would reload the page. `watch:
    // null` would not override vite.config.ts.
    server: { host: LOOPBACK, port: await findFreePort(), strictPort: true, watch: { ignored: ['**'] } },
  });
  await server.listen();
  return { url: firstUrl(server.resolvedUrls?.local), close: () => server.close() };
}

async function serveNewBuild(): Promise<Server> {
  const outDir = await mkdtemp(join(tmpdir(), 'cellstorm-page-'));
  await build({ ...CONFIG, build: { outDir, emptyOutDir: true } });
  const { close, ...server } = await serveBuild(outDir);
  return {
    ...server,
    async close() {
      await close();
      await rm(outDir, { recursive: true, force: true });
    },
  };
}

/** Serves a folder that holds the built page. */
export async function serveBuild(outDir: string): Promise<Server> {
  const server = await preview({
    ...CONFIG,
    base: SUB_PATH,
    build: { outDir },
    preview: { host: LOOPBACK, port: 0 },
  });
  return {
    url: firstUrl(server.resolvedUrls?.local),
    folder: outDir,
    close: () => server.close(),
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

/** Calls an exported function in a page. `values` must be JSON values. */
export async function callInPage<Result>(
  page: Page,
  module: string,
  name: string,
  values: readonly unknown[],
): Promise<Result> {
  // Send text: compilers and test runners may rewrite import() in a function, but not in text.
  const code = `(async () => {
    const loaded = await import(${JSON.stringify(`/${module}`)});
    const called = loaded[${JSON.stringify(name)}];
    if (typeof called !== 'function') throw new Error('The module exports no function ${name}.');
    return called(...${JSON.stringify(values)});
  })()`;
  return (await page.evaluate(code)) as Result;
}
