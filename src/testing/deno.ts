/**
 * Runs code under a second implementation of WebGPU: Deno's, which is wgpu and naga, as in Firefox. The npm package
 * `deno` brings the binary.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { checkKnownKeys } from '../core/base/checks';
import { ArgumentError, CellstormError } from '../core/base/errors';
import {
  CHROME_ADVICE,
  checkDriver,
  chooseDriver,
  type Driver,
  type DriverPreference,
  findLavapipe,
  findSoftwareDriver,
  readPreference,
  thisMachine,
} from '../node/drivers';

/**
 * A JavaScript or TypeScript module whose default export is a function. The function gets the input and returns a JSON
 * value or a promise of one. A module given as code must not import by relative paths.
 */
export type DenoSource =
  | {
      /** The module's path, or its address as a URL. */
      readonly file: string | URL;
    }
  | {
      /** The module's text. */
      readonly code: string;
    };

/** Options of `runInDeno` and `openDeno`. */
export interface DenoOptions {
  /**
   * The driver for wgpu. Default 'auto': the system's driver if there is a GPU, otherwise Mesa's lavapipe or
   * SwiftShader. The environment variable CELLSTORM_DRIVER overrides it.
   */
  readonly driver?: DriverPreference | undefined;
  /** The Deno binary. Default: that of the npm package `deno`, otherwise the one in PATH. */
  readonly deno?: string | undefined;
  /** More flags for `deno run`, such as '--no-remote'. Default: none. */
  readonly flags?: readonly string[] | undefined;
  /** Milliseconds to wait for an answer. Default 60,000. */
  readonly timeoutMs?: number | undefined;
}

/** A module that runs under Deno and answers questions one after the other. */
export interface DenoProcess<Question, Answer> {
  /**
   * Calls the module's function with a JSON value. Starts Deno at the first question, and starts it again if it has
   * ended. If the function throws, rejects with its error and the end of the output. Wait for each answer before the
   * next question.
   */
  ask(question: Question): Promise<Answer>;
  /** Ends Deno. */
  close(): Promise<void>;
}

type Reply<Answer> = { readonly answer: Answer } | { readonly error: string };

const TIMEOUT_MS = 60_000;
/** An error message shows at most this many characters from the end of the output. */
const SHOWN_CHARACTERS = 4000;
const OPTIONS = ['driver', 'deno', 'flags', 'timeoutMs'] as const;
const FLAGS = ['run', '--unstable-webgpu', '--allow-all', '--no-lock'];
const BINARIES = ['deno', 'deno.exe'];
/** Marks answers; the driver or the module may print other text. */
const MARK = 'CELLSTORM ANSWER ';

/** The program that runs under Deno: reads one question per line as JSON, and prints one answer per line. */
const loop = (module: string) => `
import answer from ${JSON.stringify(module)};
let rest = '';
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    let reply;
    try {
      reply = { answer: (await answer(JSON.parse(line).question)) ?? null };
    } catch (error) {
      reply = { error: error?.stack ?? String(error) };
    }
    console.log(${JSON.stringify(MARK)} + JSON.stringify(reply));
  }
}`;

/**
 * Runs a module's function once under Deno and returns its JSON result. If the function throws, rejects with its error
 * and the end of the output. The function finds WebGPU at `navigator.gpu`. Needs the npm package `deno`, Deno in PATH,
 * or the option `deno`.
 *
 * @example
 * ```ts
 * import { runInDeno } from 'cellstorm/testing';
 *
 * const code = `export default async (name) => {
 *   const adapter = await navigator.gpu.requestAdapter();
 *   return adapter.limits[name];
 * }`;
 * console.log(await runInDeno<number>({ code }, 'maxBufferSize'));
 * ```
 */
export async function runInDeno<Answer>(
  source: DenoSource,
  input?: unknown,
  options: DenoOptions = {},
): Promise<Answer> {
  const deno = openDeno<unknown, Answer>(source, options);
  try {
    return await deno.ask(input ?? null);
  } finally {
    await deno.close();
  }
}

/**
 * Opens a module under Deno to ask it several questions. The module stays loaded, so it compiles its kernels only once.
 *
 * @example
 * ```ts
 * import { openDeno } from 'cellstorm/testing';
 *
 * const deno = openDeno<number, number[]>({ file: 'squares.ts' }, { driver: 'software' });
 * console.log(await deno.ask(3)); // squares.ts: export default async (count: number) => …
 * await deno.close();
 * ```
 */
export function openDeno<Question, Answer>(
  source: DenoSource,
  options: DenoOptions = {},
): DenoProcess<Question, Answer> {
  checkKnownKeys('source', source, ['file', 'code']);
  checkKnownKeys('options', options, OPTIONS);
  checkDriver(options.driver);
  if ('file' in source === 'code' in source) {
    throw new ArgumentError('source', source, 'an object with either file or code');
  }
  if ('file' in source && typeof source.file === 'string' && !existsSync(source.file)) {
    throw new ArgumentError('source.file', source.file, 'the path of a module');
  }
  return new Process<Question, Answer>(source, options);
}

/** Chooses the driver for Deno. If the choice between software drivers is free, prefers lavapipe to SwiftShader. */
export function denoDriver(fallback: DriverPreference): Driver | undefined {
  const machine = thisMachine();
  const preference = readPreference(machine, fallback);
  const chosen = chooseDriver(machine, preference);
  const free = preference === 'software' || (preference === 'auto' && chosen?.name === 'SwiftShader');
  return free ? (findLavapipe(machine) ?? findSoftwareDriver(machine)) : chosen;
}

class Process<Question, Answer> implements DenoProcess<Question, Answer> {
  private starting: Promise<ChildProcessWithoutNullStreams> | undefined;
  private folder: string | undefined;
  private output = '';
  private replied: ((reply: Reply<Answer>) => void) | undefined;
  private readonly name: string;

  constructor(
    private readonly source: DenoSource,
    private readonly options: DenoOptions,
  ) {
    this.name = 'file' in source ? String(source.file) : 'The code';
  }

  async ask(question: Question): Promise<Answer> {
    this.starting ??= this.start();
    const child = await this.starting;
    const limit = this.options.timeoutMs ?? TIMEOUT_MS;
    const timer = setTimeout(() => {
      this.replied?.({ error: `it gave no answer within ${limit / 1000} s.` });
      child.kill('SIGKILL');
    }, limit);
    const reply = await new Promise<Reply<Answer>>((done) => {
      this.replied = done;
      child.stdin.write(`${JSON.stringify({ question })}\n`);
    });
    clearTimeout(timer);
    this.replied = undefined;
    if ('error' in reply) {
      const shown = this.output.slice(-SHOWN_CHARACTERS);
      throw new CellstormError(`${this.name} failed under Deno: ${reply.error}\n${shown}`.trimEnd());
    }
    return reply.answer;
  }

  async close(): Promise<void> {
    const child = await this.starting?.catch(() => undefined);
    child?.kill('SIGKILL');
    if (this.folder) await rm(this.folder, { recursive: true, force: true });
  }

  private async start(): Promise<ChildProcessWithoutNullStreams> {
    const driver = denoDriver(this.options.driver ?? 'auto');
    if (driver === undefined) {
      throw new CellstormError(
        `There is no Vulkan driver for Deno: ${CHROME_ADVICE}, or install Mesa's (apt-get install mesa-vulkan-drivers).`,
      );
    }
    const deno = findDeno(this.options.deno);
    this.output = '';
    this.folder ??= await mkdtemp(join(tmpdir(), 'cellstorm-deno-'));
    const module = 'file' in this.source ? this.source.file : join(this.folder, 'code.ts');
    if ('code' in this.source) await writeFile(module, this.source.code);
    const main = join(this.folder, 'main.mjs');
    const url = module instanceof URL ? module : pathToFileURL(resolve(module));
    await writeFile(main, loop(url.href));
    const child = spawn(deno, [...FLAGS, ...(this.options.flags ?? []), main], { env: environment(driver) });
    const end = (error: string) => {
      // The next question starts another process.
      this.starting = undefined;
      this.replied?.({ error });
    };
    child.once('error', ({ message }) => end(message));
    child.once('close', (code, signal) => end(`it ended early with ${code ?? signal}.`));
    // Writing a question to an ended process fails; `end` answers that question.
    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    createInterface({ input: child.stdout }).on('line', (line) => {
      // Output of the module without a final newline stands before the mark.
      const [printed = '', ...answer] = line.split(MARK);
      if (answer.length === 0 || printed !== '') this.output += `${printed}\n`;
      if (answer.length > 0) this.replied?.(JSON.parse(answer.join(MARK)));
    });
    return child;
  }
}

function environment(driver: Driver): NodeJS.ProcessEnv {
  const changed: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' };
  if (process.platform !== 'linux') return changed;
  changed.XDG_RUNTIME_DIR ||= `/run/user/${process.getuid?.() ?? 0}`;
  if (driver.manifest !== undefined) changed.VK_DRIVER_FILES = driver.manifest;
  const folders = [process.env.LD_LIBRARY_PATH, driver.loaderFolder].filter((folder) => folder);
  if (folders.length > 0) changed.LD_LIBRARY_PATH = folders.join(':');
  return changed;
}

/** Finds the binary itself, not the package's launcher: if the launcher is killed, the binary goes on running. */
function findDeno(given: string | undefined): string {
  if (given !== undefined) {
    if (existsSync(given)) return given;
    throw new ArgumentError('deno', given, 'the path of the Deno binary');
  }
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules/@deno');
    for (const name of existsSync(packages) ? readdirSync(packages) : []) {
      const found = BINARIES.map((binary) => join(packages, name, binary)).find(existsSync);
      if (found !== undefined) return found;
    }
    if (folder === dirname(folder)) break;
  }
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders
    .flatMap((folder) => BINARIES.map((binary) => join(folder, binary)))
    .find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new CellstormError(
    'Deno was not found: run "npm install --save-dev deno", or pass its path as deno.',
  );
}
