/**
 * Installs Chrome and software Vulkan drivers if they are missing. No step waits for input, each has a time limit, and
 * a machine that is ready is left unchanged.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { checkKnownKeys } from '../core/base/checks';
import { CellstormError } from '../core/base/errors';
import {
  type Chrome,
  type Driver,
  findChrome,
  findLavapipe,
  findSoftwareDriver,
  thisMachine,
} from '../node/drivers';
import { ensureChrome, type Installer, LAVAPIPE_PACKAGES } from './install-steps';

/** Options of `installChromeAndDriver`. */
export interface InstallOptions {
  /** Receives a line per step. Default: nothing is printed. */
  readonly say?: ((line: string) => unknown) | undefined;
  /**
   * Whether to install Mesa's lavapipe too, a second software driver, which `runInDeno` prefers to SwiftShader. Needs
   * root and apt-get; without these, lavapipe is left out. Default true.
   */
  readonly lavapipe?: boolean | undefined;
}

/** The browser and the driver of a machine after `installChromeAndDriver`. */
export interface Installed {
  /** A Chrome that starts. */
  readonly chrome: Chrome;
  /** The software driver for Node. Undefined on macOS and Windows, where Node uses the system's driver. */
  readonly driver: Driver | undefined;
}

const SECOND = 1000;
const CHROME_START_LIMIT_MS = 30 * SECOND;
const DOWNLOAD_LIMIT_MS = 240 * SECOND;
const APT_UPDATE_LIMIT_MS = 120 * SECOND;
const APT_INSTALL_LIMIT_MS = 300 * SECOND;
const COMPILER_LIMIT_MS = 30 * SECOND;
const COMPILER_PACKAGES = ['gcc', 'libc6-dev'];
const machine = thisMachine();
const APT_OPTIONS = ['-q', '-o', 'Acquire::http::Timeout=30', '-o', 'Acquire::https::Timeout=30'];

/** If the command fails, returns a reason: usually the last error that it wrote, without addresses. */
function attempt(command: string, args: readonly string[], limitMs: number): string | undefined {
  const result = spawnSync(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (result.status === 0) return undefined;
  if (result.error && 'code' in result.error) {
    if (result.error.code === 'ETIMEDOUT') return `it did not end within ${limitMs / SECOND} s`;
    if (result.error.code === 'ENOENT') return `${command} was not found`;
  }
  const lines = `${result.stdout}\n${result.stderr}`.split('\n').filter((line) => line.trim() !== '');
  const line = lines.findLast((text) => /^(E:|Error|ERROR|.*error while)/.test(text)) ?? lines.at(-1);
  return (line ?? `exit code ${result.status}`)
    .replace(/\bhttps?:\/\/\S+/g, '(address)')
    .replace(/^(?:E|Error): |[\s.:]+$/g, '')
    .slice(0, 200);
}

function findApt(): Installer['apt'] {
  if (machine.platform !== 'linux' || !machine.isFile('/usr/bin/apt-get')) return 'none';
  if (process.getuid?.() === 0) return 'root';
  return attempt('sudo', ['-n', 'true'], 10 * SECOND) === undefined ? 'sudo' : 'none';
}

let aptUpdated = false;

function aptInstall(apt: Installer['apt'], packages: readonly string[]): string | undefined {
  const run = (args: readonly string[], limitMs: number): string | undefined =>
    apt === 'root'
      ? attempt('apt-get', args, limitMs)
      : attempt('sudo', ['-n', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args], limitMs);
  // The update may fail in part and still be enough for the installation, so ignore its result.
  if (!aptUpdated) run([...APT_OPTIONS, 'update'], APT_UPDATE_LIMIT_MS);
  aptUpdated = true;
  return run([...APT_OPTIONS, 'install', '-y', '--no-install-recommends', ...packages], APT_INSTALL_LIMIT_MS);
}

/** Downloads Chrome with the puppeteer that the project in the current folder installed. */
function download(): string | undefined {
  const folder = findPuppeteer();
  if (folder === undefined) return 'the package puppeteer is not installed';
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Readonly<Record<string, string>>;
  };
  const cli = typeof bin === 'string' ? bin : (bin.puppeteer ?? '');
  const command = [join(folder, cli), 'browsers', 'install', 'chrome'];
  return attempt(process.execPath, command, DOWNLOAD_LIMIT_MS);
}

function findPuppeteer(): string | undefined {
  try {
    const entry = createRequire(join(process.cwd(), 'package.json')).resolve('puppeteer');
    return /^.*node_modules[\\/]puppeteer(?=[\\/])/.exec(entry)?.[0] ?? dirname(entry);
  } catch {
    return undefined;
  }
}

function isDebian(): boolean {
  try {
    return /^ID=["']?debian["']?$/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

/**
 * Makes sure that this machine has a Chrome that starts and, on Linux, a software driver for WebGPU in Node. If no
 * Chrome starts, downloads one with puppeteer (if that package is installed) or installs `chromium` with apt-get (as
 * root or through sudo). If a Chrome or driver is then still missing, rejects with a CellstormError that says what to
 * install by hand.
 *
 * @example
 * ```ts
 * import { installChromeAndDriver } from 'cellstorm/testing';
 *
 * const { chrome, driver } = await installChromeAndDriver({ say: console.log });
 * console.log(chrome.command, driver?.name);
 * ```
 */
export async function installChromeAndDriver(options: InstallOptions = {}): Promise<Installed> {
  checkKnownKeys('options', options, ['say', 'lavapipe']);
  const { say = () => undefined, lavapipe = true } = options;
  const apt = findApt();
  const chrome = ensureChrome({
    apt,
    debian: isDebian(),
    findChrome: () => findChrome(machine),
    tryChrome: (found) => attempt(found.command, ['--version'], CHROME_START_LIMIT_MS),
    download,
    install: (packages) => aptInstall(apt, packages),
    say,
  });
  if (typeof chrome === 'string') throw new CellstormError(chrome);
  // wgpu also runs on SwiftShader, so the second driver is optional.
  if (lavapipe && apt === 'root' && findLavapipe(machine) === undefined) {
    say(`installing ${LAVAPIPE_PACKAGES[0]}, a second software driver, with apt-get.`);
    const failure = aptInstall(apt, LAVAPIPE_PACKAGES);
    if (failure !== undefined) say(`this failed (${failure}), so lavapipe is missing.`);
  }
  const driver = findSoftwareDriver(machine);
  if (machine.platform === 'linux' && driver === undefined) {
    throw new CellstormError(
      `${chrome.command} comes without SwiftShader, and there is no other software Vulkan driver; install Mesa's as root (Debian and Ubuntu: apt-get install ${LAVAPIPE_PACKAGES[0]}).`,
    );
  }
  return { chrome, driver };
}

/**
 * Installs a C compiler with apt-get if there is none, as root or through sudo. Reports a failure to `say`.
 * @internal
 */
export function installCompiler(say: (line: string) => unknown): void {
  const apt = findApt();
  if (apt === 'none' || attempt('cc', ['--version'], COMPILER_LIMIT_MS) === undefined) return;
  say(`installing ${COMPILER_PACKAGES[0]}, a C compiler, with apt-get.`);
  const failure = aptInstall(apt, COMPILER_PACKAGES);
  if (failure !== undefined) say(`this failed: ${failure}.`);
}
