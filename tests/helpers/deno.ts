/**
 * Runs code under a second WebGPU implementation: bundles a TypeScript entry with its `?raw` shaders and runs it under
 * Deno, which uses wgpu and naga, as Firefox does. One process answers all questions of a test file, so that kernels
 * are compiled once. tests/portability/entries/answer.ts is the other end.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { allowsNoGpu } from '../../src/testing/environment';
import { ANSWER_MARK, type Reply } from '../portability/entries/answer';
import { portabilityDriver } from './environment';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLE = 'entry.mjs';
/** Characters of the entry's output that a failure shows. */
const SHOWN_CHARACTERS = 4000;
const ARGUMENTS = [
  'run',
  '--unstable-webgpu',
  '--allow-all',
  '--no-config',
  '--no-lock',
  '--no-remote',
  '--no-npm',
];

const driver = portabilityDriver();

/** The driver that wgpu uses, for test titles. */
export const denoDriver = driver?.name ?? 'no driver';

/** Tests are skipped if there is no driver and CELLSTORM_ALLOW_NO_GPU=1 is set. */
export const skipsDeno = driver === undefined && allowsNoGpu();

/** A process that runs an entry, given as a path in the project. It starts with the first question. */
export class DenoEntry<Question, Answer> {
  private starting: Promise<ChildProcessWithoutNullStreams> | undefined;
  private folder: string | undefined;
  private output = '';
  private replied: ((reply: Reply<Answer>) => void) | undefined;

  constructor(private readonly entry: string) {}

  /** Rejects with the process's output if the entry throws an error or ends early. Wait for each answer. */
  async ask(question: Question): Promise<Answer> {
    this.starting ??= this.start();
    const { stdin } = await this.starting;
    const reply = await new Promise<Reply<Answer>>((resolve) => {
      this.replied = resolve;
      stdin.write(`${JSON.stringify(question)}\n`);
    });
    this.replied = undefined;
    if ('error' in reply) {
      const shown = this.output.slice(-SHOWN_CHARACTERS);
      throw new Error(`${this.entry} failed under Deno: ${reply.error}\n${shown}`);
    }
    return reply.answer;
  }

  async close(): Promise<void> {
    const child = await this.starting;
    child?.kill('SIGKILL');
    if (this.folder) await rm(this.folder, { recursive: true, force: true });
  }

  private async start(): Promise<ChildProcessWithoutNullStreams> {
    if (driver === undefined) throw new Error('There is no Vulkan driver for Deno; run "npm run setup".');
    this.output = '';
    this.folder = await mkdtemp(join(tmpdir(), 'cellstorm-deno-'));
    await bundle(join(ROOT, this.entry), this.folder);
    const child = spawn(findDeno(), [...ARGUMENTS, join(this.folder, BUNDLE)], { env: environment() });
    const end = (error: string) => {
      // The next question starts another process.
      this.starting = undefined;
      this.replied?.({ error });
    };
    child.once('error', ({ message }) => end(message));
    child.once('close', (code, signal) => end(`it ended early with ${code ?? signal}.`));
    // A question that reaches an ended process is answered by `end`.
    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith(ANSWER_MARK)) this.replied?.(JSON.parse(line.slice(ANSWER_MARK.length)));
      else this.output += `${line}\n`;
    });
    return child;
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
