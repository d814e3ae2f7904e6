/**
 * Runs the kernels under a second WebGPU implementation: bundles a TypeScript entry with its `?raw` shaders and runs it
 * under Deno, which uses wgpu and naga, as Firefox does. The entry prints its result as JSON on its last line. If it
 * fails, the error shows the lines before it.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { allowsNoGpu } from '../../src/testing/environment';
import { portabilityDriver } from './environment';

export interface DenoOptions {
  /** Passed to the entry as JSON in Deno.args[0]. */
  readonly input?: unknown;
  readonly timeoutMs?: number | undefined;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEFAULT_LIMIT_MS = 240_000;
const BUNDLE = 'entry.mjs';
/** Characters of the entry's output that a failure shows. */
const SHOWN_CHARACTERS = 4000;

const driver = portabilityDriver();

/** The driver that wgpu uses, for test titles. */
export const denoDriver = driver?.name ?? 'no driver';

/** Tests are skipped if there is no driver and CELLSTORM_ALLOW_NO_GPU=1 is set. */
export const skipsDeno = driver === undefined && allowsNoGpu();

/** Runs an entry, given as a path in the project. Resolves to the JSON of its last line. */
export async function runInDeno<Result>(entry: string, options: DenoOptions = {}): Promise<Result> {
  if (driver === undefined) throw new Error('There is no Vulkan driver for Deno; run "npm run setup".');
  const folder = await mkdtemp(join(tmpdir(), 'cellstorm-deno-'));
  try {
    await bundle(join(ROOT, entry), folder);
    const limitMs = options.timeoutMs ?? DEFAULT_LIMIT_MS;
    const { code, output, errors } = await run(join(folder, BUNDLE), options.input, limitMs);
    const shown = `${output}${errors}`.slice(-SHOWN_CHARACTERS);
    if (code !== 0) {
      const end = code === undefined ? `did not end within ${limitMs} ms` : `exited with ${code}`;
      throw new Error(`${entry} ${end} under Deno:\n${shown}`);
    }
    const last = output.trimEnd().split('\n').at(-1) ?? '';
    try {
      return JSON.parse(last) as Result;
    } catch {
      throw new Error(`${entry} must print JSON on its last line under Deno, but wrote:\n${shown}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bundle(entry: string, outDir: string): Promise<void> {
  await build({
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2023',
      minify: false,
      lib: { entry, formats: ['es'], fileName: () => BUNDLE },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
}

interface Ended {
  /** Undefined if the process exceeded its time limit. */
  readonly code: number | null | undefined;
  readonly output: string;
  readonly errors: string;
}

function run(file: string, input: unknown, limitMs: number): Promise<Ended> {
  const args = [
    'run',
    '--unstable-webgpu',
    '--allow-all',
    '--no-config',
    '--no-lock',
    '--no-remote',
    '--no-npm',
  ];
  const child = spawn(findDeno(), [...args, file, JSON.stringify(input ?? null)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  return new Promise((done, fail) => {
    const chunks = { output: '', errors: '' };
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, limitMs);
    child.stdout.setEncoding('utf8').on('data', (text: string) => (chunks.output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (chunks.errors += text));
    child.once('error', fail);
    child.once('close', (code) => {
      clearTimeout(timer);
      done({ code: late ? undefined : code, ...chunks });
    });
  });
}

function environment(): NodeJS.ProcessEnv {
  const changed: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' };
  changed.XDG_RUNTIME_DIR ||= `/run/user/${process.getuid?.() ?? 0}`;
  if (driver?.manifest !== undefined) changed.VK_DRIVER_FILES = driver.manifest;
  const folders = [process.env.LD_LIBRARY_PATH, driver?.loaderFolder].filter((folder) => folder);
  if (folders.length > 0) changed.LD_LIBRARY_PATH = folders.join(':');
  return changed;
}

/** The binary itself, not its launcher: a launcher that is killed leaves it running. */
function findDeno(): string {
  const packages = join(ROOT, 'node_modules/@deno');
  for (const name of existsSync(packages) ? readdirSync(packages) : []) {
    for (const binary of ['deno', 'deno.exe']) {
      const path = join(packages, name, binary);
      if (existsSync(path)) return path;
    }
  }
  throw new Error('The package "deno" is not installed with its binary; run "npm ci".');
}
