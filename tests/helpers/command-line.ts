import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, vi } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface CommandOutcome {
  readonly code: number | string | null | undefined;
  readonly out: string;
  /** What the command wrote to stderr, without lines of progress. */
  readonly error: string;
}

/** Removes lines of progress (src/cli/output.ts), which a command writes only on a slow machine. */
export function withoutProgress(text: string): string {
  return text.replaceAll(/^\d+\/\d+ .* after .*\n/gm, '');
}

/** Creates a folder, and removes it after the tests of this file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cellstorm-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the command `cellstorm` in its own process, which takes seconds to start. */
export function spawnCellstorm(...argv: string[]): CommandOutcome {
  const run = spawnSync(process.execPath, ['scripts/run.mjs', 'bench/cli/main.ts', ...argv], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 50_000,
  });
  return { code: run.status, out: run.stdout, error: withoutProgress(run.stderr) };
}

let runs = 0;

/** Runs the command `cellstorm` in this process. Each import under a new name runs main.ts again. */
export async function cellstorm(...argv: string[]): Promise<CommandOutcome> {
  const run = { out: '', error: '' };
  const keep = (stream: keyof typeof run) => (text: string | Uint8Array) => {
    run[stream] += text;
    return true;
  };
  const { argv: argvBefore, exitCode } = process;
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const writers = [
    vi.spyOn(process.stdout, 'write').mockImplementation(keep('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(keep('error')),
  ];
  process.argv = [process.execPath, 'bench/cli/main.ts', ...argv];
  process.exitCode = undefined;
  try {
    await import(/* @vite-ignore */ `../../bench/cli/main.ts?run=${++runs}`);
    expect(exit).toHaveBeenCalledExactlyOnceWith();
    return { code: process.exitCode, out: run.out, error: withoutProgress(run.error) };
  } finally {
    for (const spy of [exit, ...writers]) spy.mockRestore();
    process.argv = argvBefore;
    process.exitCode = exitCode;
  }
}
