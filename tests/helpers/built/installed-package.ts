/** Installs the package into a folder of its own, as users do, and runs programs there. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { installInto } from './packed';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LIMIT_MS = 150_000;

export interface ProgramResult {
  readonly code: number | string;
  readonly output: string;
}

export interface InstalledPackage {
  write(file: string, text: string): Promise<void>;
  /** Runs a file of the folder with Node. Arguments before the file are flags of Node. */
  runFile(...args: readonly string[]): Promise<ProgramResult>;
}

/** Call this in a describe. It installs cellstorm before the tests, and links `packages` beside it. */
export function useInstalledPackage(packages: readonly string[]): InstalledPackage {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cellstorm-installed-'));
    const modules = join(folder, 'node_modules');
    await installInto(folder);
    for (const name of packages) {
      await mkdir(dirname(join(modules, name)), { recursive: true });
      await symlink(join(ROOT, 'node_modules', name), join(modules, name));
    }
  }, LIMIT_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    write: (file, text) => writeFile(join(folder, file), text),
    runFile: (...args) => runNode(args, folder),
  };
}

function runNode(args: readonly string[], cwd: string): Promise<ProgramResult> {
  // Hide the driver that this process chose, and the settings of the test runner.
  const { NODE_TEST_CONTEXT, VITEST, VITEST_MODE, NODE_OPTIONS, ...environment } = process.env;
  return new Promise((done) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...environment, VK_DRIVER_FILES: '', NO_COLOR: '1' },
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    child.once('close', (code, signal) => done({ code: code ?? String(signal), output }));
  });
}

/** Returns the code blocks of one language under a heading of a guide. `heading` includes its `#` signs. */
export async function codeOf(guide: string, heading: string, language = 'ts'): Promise<string[]> {
  const text = await readFile(join(ROOT, guide), 'utf8');
  const section = text.split(/^(?=#+ )/m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${guide} has no heading "${heading}".`);
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  );
}
