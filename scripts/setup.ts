/**
 * `npm run setup`: installs Chrome and software Vulkan drivers if they are missing, or prints what to do. Steps have
 * time limits and do not wait for input.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findChrome, findLavapipe, findSoftwareDriver, thisMachine } from '../src/node/drivers';
import { allowsNoGpu } from '../src/testing/environment';
import { ensureChrome, type Installer, LAVAPIPE_PACKAGES } from './install-steps';

const SECOND = 1000;
const CHROME_START_LIMIT_MS = 30 * SECOND;
const DOWNLOAD_LIMIT_MS = 240 * SECOND;
const APT_UPDATE_LIMIT_MS = 120 * SECOND;
const APT_INSTALL_LIMIT_MS = 300 * SECOND;
const APT_OPTIONS = ['-q', '-o', 'Acquire::http::Timeout=30', '-o', 'Acquire::https::Timeout=30'];

const machine = thisMachine();
const say = (line: string): unknown => process.stdout.write(`setup: ${line}\n`);

/** Returns why the command failed, without addresses; undefined if it succeeds. */
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
  // An update that fails in part may be enough.
  if (!aptUpdated) run([...APT_OPTIONS, 'update'], APT_UPDATE_LIMIT_MS);
  aptUpdated = true;
  return run([...APT_OPTIONS, 'install', '-y', '--no-install-recommends', ...packages], APT_INSTALL_LIMIT_MS);
}

function download(): string | undefined {
  const cli = fileURLToPath(
    new URL('../node_modules/puppeteer/lib/cjs/puppeteer/node/cli.js', import.meta.url),
  );
  return attempt(process.execPath, [cli, 'browsers', 'install', 'chrome'], DOWNLOAD_LIMIT_MS);
}

function isDebian(): boolean {
  try {
    return /^ID=["']?debian["']?$/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

function setUp(): string | undefined {
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
  if (typeof chrome === 'string') return chrome;
  // Optional: wgpu, the other WebGPU of the tests, also runs on SwiftShader.
  if (apt === 'root' && findLavapipe(machine) === undefined) {
    say(`installing ${LAVAPIPE_PACKAGES[0]} with apt-get, a second Vulkan driver for the portability tests.`);
    const failure = aptInstall(apt, LAVAPIPE_PACKAGES);
    if (failure !== undefined) say(`this failed (${failure}), so all tests use the same driver.`);
  }
  if (machine.platform === 'linux' && findSoftwareDriver(machine) === undefined) {
    return `${chrome.command} comes without SwiftShader, and there is no other software Vulkan driver; install Mesa's as root (Debian and Ubuntu: apt-get install ${LAVAPIPE_PACKAGES[0]}).`;
  }
  return undefined;
}

let problem: string | undefined;
try {
  problem = setUp();
} catch (error) {
  problem = error instanceof Error ? error.message : String(error);
}
if (problem !== undefined) {
  process.stderr.write(`setup: ${problem}\n`);
  if (!allowsNoGpu()) process.exit(1);
}
