/**
 * Runs code of this project under a second WebGPU implementation: bundles a TypeScript entry with its `?raw` shaders
 * and runs it under Deno.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { DriverPreference } from '../../src/node/drivers';
import { type DenoProcess, openDeno } from '../../src/testing/deno';
import { allowsNoGpu } from '../../src/testing/environment';
import { portabilityDriver } from './environment';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FLAGS = ['--no-config', '--no-remote', '--no-npm'];
/** The time limit of the portability tests, as in vitest.config.ts. */
const LIMIT_MS = 420_000;

const driver = portabilityDriver();

export const denoDriver = driver?.name ?? 'no driver';

export const skipsDeno = driver === undefined && allowsNoGpu();

/** Runs an entry, given as a path in the project. One process answers all questions, so it compiles kernels once. */
export class DenoEntry<Question, Answer> {
  private opening: Promise<DenoProcess<Question, Answer>> | undefined;
  private folder: string | undefined;

  constructor(
    private readonly entry: string,
    private readonly driver: DriverPreference = 'software',
  ) {}

  async ask(question: Question): Promise<Answer> {
    this.opening ??= this.open();
    return (await this.opening).ask(question);
  }

  async close(): Promise<void> {
    await (await this.opening)?.close();
    if (this.folder) await rm(this.folder, { recursive: true, force: true });
  }

  private async open(): Promise<DenoProcess<Question, Answer>> {
    this.folder = await mkdtemp(join(tmpdir(), 'cellstorm-entry-'));
    const file = join(this.folder, `${basename(this.entry, '.ts')}.mjs`);
    await bundle(join(ROOT, this.entry), file);
    return openDeno({ file }, { driver: this.driver, flags: FLAGS, timeoutMs: LIMIT_MS });
  }
}

async function bundle(entry: string, file: string): Promise<void> {
  await build({
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir: dirname(file),
      emptyOutDir: false,
      target: 'es2023',
      minify: false,
      lib: { entry, formats: ['es'], fileName: () => basename(file) },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
}
