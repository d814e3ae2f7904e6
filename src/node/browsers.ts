/**
 * Finds a browser by its name or path, and starts it headless, without a library such as puppeteer. The browser opens a
 * page that this machine serves, and the page reports to its server.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { CellstormError } from '../core/base/errors';
import { flagsFor, isSoftware } from './chrome-flags';
import { CHROME_ADVICE, findChrome, findLavapipe, listChromes, type Machine } from './drivers';

export const BROWSER_NAMES = ['chrome', 'chromium', 'edge', 'firefox'] as const;
export type BrowserName = (typeof BROWSER_NAMES)[number];

export interface NamedBrowser {
  readonly command: string;
  /** Whether the browser takes Firefox's flags instead of Chrome's. */
  readonly isFirefox: boolean;
}

/** Each browser's program names on Linux, its application on macOS, and its path in a program folder of Windows. */
const PROGRAMS: Readonly<
  Record<BrowserName, readonly [linux: readonly string[], mac: string, windows: string]>
> = {
  chrome: [
    ['google-chrome-stable', 'google-chrome', 'chrome'],
    'Google Chrome.app/Contents/MacOS/Google Chrome',
    'Google/Chrome/Application/chrome.exe',
  ],
  chromium: [
    ['chromium', 'chromium-browser'],
    'Chromium.app/Contents/MacOS/Chromium',
    'Chromium/Application/chrome.exe',
  ],
  edge: [
    ['microsoft-edge-stable', 'microsoft-edge'],
    'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    'Microsoft/Edge/Application/msedge.exe',
  ],
  firefox: [['firefox', 'firefox-esr'], 'Firefox.app/Contents/MacOS/firefox', 'Mozilla Firefox/firefox.exe'],
};
const LINUX_FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin'];

/**
 * Finds a browser by its name or path. If `wanted` is empty, returns the first Chrome, Chromium or Edge, or Firefox if
 * there is none of these. Returns undefined if `wanted` is neither a name nor the path of a file. Throws if the browser
 * is missing.
 */
export function findBrowser(machine: Machine, wanted: string): NamedBrowser | undefined {
  if (wanted === '') return findFirst(machine);
  const name = BROWSER_NAMES.find((known) => known === wanted);
  if (name === undefined) {
    const isFirefox = /firefox|librewolf|waterfox/i.test(basename(wanted));
    return machine.isFile(wanted) ? { command: wanted, isFirefox } : undefined;
  }
  const command = findInstalled(machine, name) ?? findCached(machine, name);
  if (command !== undefined) return { command, isFirefox: name === 'firefox' };
  const others = BROWSER_NAMES.filter((other) => findInstalled(machine, other) !== undefined);
  const advice = others.length > 0 ? `Use ${others.join(' or ')}` : 'Install it';
  throw new CellstormError(
    `${name} was not found: searched for ${describeSearch(machine, name)}. ${advice}, or give the path of a browser.`,
  );
}

function findFirst(machine: Machine): NamedBrowser {
  const chrome = findChrome(machine)?.command;
  const command = chrome ?? findInstalled(machine, 'firefox');
  if (command !== undefined) return { command, isFirefox: chrome === undefined };
  throw new CellstormError(
    `No browser was found: there is no Chrome, Chromium, Edge or Firefox. To get one, ${CHROME_ADVICE}.`,
  );
}

function findInstalled(machine: Machine, name: BrowserName): string | undefined {
  const isThere = (path: string) =>
    machine.isFile(path) && !/\bsnap install\b/.test(machine.readScript(path));
  return candidatesOf(machine, name).find(isThere);
}

function describeSearch(machine: Machine, name: BrowserName): string {
  const [programs] = PROGRAMS[name];
  const isLinux = machine.platform !== 'darwin' && machine.platform !== 'win32';
  const paths = isLinux
    ? `${programs.join(', ')} in PATH, ${LINUX_FOLDERS.join(', ')}`
    : candidatesOf(machine, name).join(', ');
  return name === 'chrome' ? `${paths} and in the caches of puppeteer and Playwright` : paths;
}

function candidatesOf({ environment, home, platform }: Machine, name: BrowserName): string[] {
  const [linux, mac, windows] = PROGRAMS[name];
  if (platform === 'darwin') return ['/Applications', join(home, 'Applications')].map((at) => join(at, mac));
  if (platform === 'win32') {
    return [environment.PROGRAMFILES, environment['PROGRAMFILES(X86)'], environment.LOCALAPPDATA]
      .filter((folder) => folder !== undefined)
      .map((folder) => join(folder, windows));
  }
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return linux.flatMap((program) =>
    [...new Set([...folders, ...LINUX_FOLDERS])].map((folder) => join(folder, program)),
  );
}

/** Returns a Chrome to which an environment variable points, or which puppeteer or Playwright downloaded. */
function findCached(machine: Machine, name: BrowserName): string | undefined {
  if (name !== 'chrome') return undefined;
  return listChromes(machine).find(({ source }) => source !== 'installed')?.command;
}

export interface RunningBrowser {
  /** Resolves with a reason, such as "ended with code 1", when the browser ends or cannot be started. */
  readonly ended: Promise<string>;
  /** Ends the browser with all its processes and removes its profile. */
  close(): Promise<void>;
}

/** Opens a page in a browser with an empty profile. Chrome runs without its sandbox, so open only trusted pages. */
export async function openHeadless(
  machine: Machine,
  { command, isFirefox }: NamedBrowser,
  url: string,
): Promise<RunningBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'cellstorm-profile-'));
  const environment: Record<string, string | undefined> = { ...machine.environment };
  // A killed Chrome leaves temporary files. Put them into the profile, which close() removes.
  if (machine.platform === 'linux') environment.TMPDIR = profile;
  let flags: readonly string[];
  if (isFirefox) {
    await writeFile(join(profile, 'user.js'), firefoxPreferences());
    flags = firefoxFlags(profile, url);
    const lavapipe = isSoftware(machine, 'auto') ? findLavapipe(machine)?.manifest : undefined;
    if (lavapipe !== undefined) environment.VK_DRIVER_FILES = lavapipe;
  } else flags = chromeArguments(machine, profile, url);
  // Start the browser in a process group of its own, so that close() reaches all its processes.
  const child = spawn(command, flags, {
    detached: machine.platform !== 'win32',
    env: environment as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = `${complaints}${text}`.slice(-2000);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      resolve(`could not be started (${code ?? message})`),
    );
    child.once('exit', (code, signal) => {
      const last = complaints.trim().split('\n').at(-1);
      resolve(`ended with ${signal ?? `code ${code}`}${last ? `; its last output: ${last}` : ''}`);
    });
  });
  return {
    ended,
    async close() {
      endGroup(child, machine.platform);
      await ended;
      // A browser may still write to its profile while its processes end.
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

export function chromeArguments(machine: Machine, profile: string, url: string): string[] {
  return [
    '--headless=new',
    `--user-data-dir=${profile}`,
    '--disable-renderer-backgrounding',
    '--no-default-browser-check',
    ...flagsFor(machine, {}),
    url,
  ];
}

export function firefoxFlags(profile: string, url: string): string[] {
  return ['-headless', '-no-remote', '-profile', profile, url];
}

/**
 * Returns the text of user.js. The preferences enable WebGPU, also in workers and with drivers that Firefox does not
 * trust. They disable updates, and the pages and dialogs of a first run.
 */
export function firefoxPreferences(): string {
  const preferences = {
    'dom.webgpu.enabled': true,
    'dom.webgpu.workers.enabled': true,
    'gfx.webgpu.ignore-blocklist': true,
    'app.update.enabled': false,
    'browser.aboutwelcome.enabled': false,
    'browser.shell.checkDefaultBrowser': false,
    'browser.startup.homepage_override.mstone': 'ignore',
    'datareporting.policy.dataSubmissionEnabled': false,
    'toolkit.telemetry.reportingpolicy.firstRun': false,
  };
  return Object.entries(preferences)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('');
}

function endGroup({ pid }: ChildProcess, platform: string): void {
  if (pid === undefined) return;
  if (platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
  else {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // All its processes have ended already.
    }
  }
}
