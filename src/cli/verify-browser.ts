/**
 * `cellstorm verify --browser`: serves the page verify.html on a port of this machine, opens the page in a browser
 * without a window, and takes the answers that the page posts.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CellstormError, GpuError } from '../core/base/errors';
import { findBrowser, type NamedBrowser, openHeadless } from '../node/browsers';
import { CHROME_ADVICE, thisMachine } from '../node/drivers';
import { REPORT_PATH, type VerifyAnswer, type VerifyReport } from '../verify/answers';
import type { VerifyOptions } from '../verify/verify';

const LOOPBACK = '127.0.0.1';
/** Folder of the page. It lies in the folder of the package's code, because the page's worker loads that code. */
const FOLDER = 'verify-page';
const PAGE = 'verify.html';
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
};

export interface BrowserRun {
  readonly browser: NamedBrowser;
  readonly options: VerifyOptions;
  /** The run fails if the page reports nothing for this many milliseconds. */
  readonly limit: number;
  readonly onAnswer: (answer: VerifyAnswer) => void;
}

/**
 * Finds the browser for a value of --browser: a browser's name, the path of a file, or an empty string for any browser.
 * Returns undefined for other values.
 */
export function browserOf(wanted: string): NamedBrowser | undefined {
  return findBrowser(thisMachine(), wanted);
}

/** Runs the page in the browser. Ends the browser and the server in all cases. */
export async function verifyInBrowser(run: BrowserRun): Promise<VerifyReport> {
  const { browser, options, limit, onAnswer } = run;
  const { command } = browser;
  const folder = findPage();
  return new Promise<VerifyReport>((resolve, reject) => {
    let last = 'it did not open the page';
    let timer: NodeJS.Timeout | undefined;
    let hasEnded = false;
    const waitAgain = () => {
      if (hasEnded) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        const advice = '--limit allows a longer silence.';
        end(new CellstormError(`${command} reported nothing for ${limit / 1000} s: ${last}. ${advice}`));
      }, limit);
    };
    const server = serve(folder, waitAgain, (text) => {
      try {
        const answer = JSON.parse(text) as VerifyAnswer;
        last = answer.kind === 'progress' ? `its last check is ${answer.what}` : 'it opened the page';
        onAnswer(answer);
        if (answer.kind === 'ended') end(answer.report);
      } catch {
        end(new CellstormError(`${command} reported something that is no answer of the page ${PAGE}.`));
      }
    });
    const running = server.then(({ url }) => openHeadless(thisMachine(), browser, url + queryOf(options)));
    running
      .then(({ ended }) => ended)
      .then(
        (reason) => end(new CellstormError(`${command} ${reason} (before that, ${last}).`)),
        (error: unknown) => end(error as Error),
      );
    const onSignal = (signal: NodeJS.Signals) => {
      end(new CellstormError(`The run was ended by ${signal}.`));
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
    const end = async (outcome: VerifyReport | Error) => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
      await Promise.allSettled([running.then((one) => one.close()), server.then((one) => one.close())]);
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    waitAgain();
  });
}

/** Serves a folder and takes the page's answers. Calls `onRequest` for each request below the secret path. */
async function serve(
  folder: string,
  onRequest: () => void,
  onReport: (text: string) => void,
): Promise<{ readonly url: string; close(): void }> {
  // A path that cannot be guessed, so that no page but this one can report.
  const secret = `/${randomUUID()}/`;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    const path = pathname.startsWith(secret) ? normalize(pathname.slice(secret.length)) : '..';
    if (!path.startsWith('..')) onRequest();
    if (request.method === 'POST' && path === `${FOLDER}/${REPORT_PATH}`) {
      const text = await textOf(request);
      response.writeHead(204).end();
      onReport(text);
      return;
    }
    const content = path.startsWith('..')
      ? undefined
      : await readFile(join(folder, path)).catch(() => undefined);
    response.writeHead(content ? 200 : 404, { 'content-type': TYPES[extname(path)] ?? 'text/plain' });
    response.end(content);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, LOOPBACK, done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${port}${secret}${FOLDER}/${PAGE}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Throws if an error, such as a missing GPU, ended the page before its first check. */
export function requireChecked({ adapter, error, cases }: VerifyReport, { command }: NamedBrowser): void {
  if (error === undefined || cases.length > 0) return;
  const advice = adapter === 'none' ? ` To get WebGPU without a GPU, ${CHROME_ADVICE}.` : '';
  throw new GpuError('no-adapter', `${command} could not check anything: ${error}${advice}`);
}

function queryOf({ scenes, dimensions, counts, seed, steps, exact }: VerifyOptions): string {
  const values = { scene: scenes, dimensions, count: counts, seed, steps };
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : `&${name}=${value}`,
  );
  return `?report${exact ? '&exact' : ''}${given.join('')}`;
}

/** Returns the folder of the built package, whether this code runs from there or from the sources. */
function findPage(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const found = [folder, join(folder, 'dist')].find((at) => existsSync(join(at, FOLDER, PAGE)));
    if (found !== undefined) return found;
    if (dirname(folder) === folder)
      throw new CellstormError(`The page ${PAGE} is not built; run "npm run build" first.`);
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
