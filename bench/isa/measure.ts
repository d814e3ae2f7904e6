/** Compiles every kernel for some families of GPUs, and reads the figures that the driver prints. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CellstormError } from '../../src/core/base/errors';
import { buildDriver, type IdleDriver } from './driver';
import { FAMILIES, FAMILY_NAMES, type Family } from './families';
import { DRIVER_MARK, EQUAL_MARK, KERNEL_MARK } from './marks';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = ['scripts/run.mjs', 'bench/isa/compile.ts'];
/** The figures of a kernel, with the names that RADV gives them. */
const FIGURES = {
  /** Vector registers per thread. */
  registers: 'VGPRs',
  /** Vector registers that did not fit and are in memory. */
  spills: 'Spilled VGPRs',
  /** Scalar registers that did not fit and are in vector registers. */
  scalarSpills: 'Spilled SGPRs',
  /** Bytes of memory per subgroup for spills and for arrays of a thread. */
  scratch: 'Scratch size',
  /** Bytes of workgroup memory. */
  shared: 'LDS size',
  waves: 'Subgroups per SIMD',
  /** Instructions in the kernel's code, however often they run. */
  instructions: 'Instructions',
  /** The compiler's estimate of the cycles of a subgroup that runs alone. */
  latency: 'Latency',
  /** The compiler's estimate of the cycles per subgroup if many run. */
  cycles: 'Inverse Throughput',
} as const satisfies Record<string, string>;

export type Figure = keyof typeof FIGURES;
export const FIGURE_NAMES = Object.keys(FIGURES) as Figure[];
export type Figures = Readonly<Record<Figure, number>>;

export interface Isa {
  readonly driver: string;
  readonly families: Readonly<Record<Family, ReadonlyMap<string, Figures>>>;
}

/** Throws a CellstormError if RADV or a C compiler is missing, or a kernel does not compile. */
export async function measureIsa(): Promise<Isa> {
  const driver = buildDriver();
  const stop = new AbortController();
  try {
    const parsed = await Promise.all(
      FAMILY_NAMES.map(async (family) => [family, await measureFamily(driver, family, stop.signal)] as const),
    );
    const families = Object.fromEntries(parsed.map(([family, { kernels }]) => [family, kernels]));
    return { driver: parsed[0]?.[1].driver ?? '', families: families as Isa['families'] };
  } finally {
    stop.abort();
    driver.remove();
  }
}

async function measureFamily(driver: IdleDriver, family: Family, signal: AbortSignal): Promise<Parsed> {
  const names: readonly string[] = FAMILIES[family];
  for (const name of names) {
    const { code, output } = await run(driver, name, signal);
    if (output.includes('Unknown family')) continue;
    if (code === 0) return parseOutput(output);
    const rest = output.split(KERNEL_MARK).at(-1);
    throw new CellstormError(`A kernel does not compile for ${name} (exit code ${code}): ${rest}`);
  }
  throw new CellstormError(
    `RADV knows no family named ${names.join(' or ')}: add RADV's name for ${family} to bench/isa/families.ts.`,
  );
}

/** Compiles the kernels for a GPU. Output goes to a file, because RADV loses output that does not fit into a pipe. */
async function run(
  { environment, folder }: IdleDriver,
  name: string,
  signal: AbortSignal,
): Promise<{ code: number | null; output: string }> {
  const { CELLSTORM_DRIVER: _, ...inherited } = process.env;
  const path = join(folder, `${name}.txt`);
  const file = openSync(path, 'w');
  try {
    const child = spawn(process.execPath, PROGRAM, {
      cwd: ROOT,
      env: { ...inherited, ...environment, RADV_FORCE_FAMILY: name, RADV_DEBUG: 'shaderstats,nocache' },
      stdio: ['ignore', 'ignore', file],
      signal,
    });
    const code = await new Promise<number | null>((done, failed) =>
      child.on('close', done).on('error', failed),
    );
    return { code, output: readFileSync(path, 'utf8') };
  } finally {
    closeSync(file);
  }
}

interface Parsed {
  readonly driver: string;
  readonly kernels: ReadonlyMap<string, Figures>;
}

/** Reads what compile.ts and RADV wrote. Throws if a kernel lacks a figure. */
export function parseOutput(output: string): Parsed {
  const [head = '', ...parts] = output.split(KERNEL_MARK);
  const [, driver = 'unknown'] = new RegExp(`^${DRIVER_MARK}(.*)$`, 'm').exec(head) ?? [];
  const kernels = new Map<string, Figures>();
  for (const part of parts) {
    const [name = '', ...lines] = part.split('\n');
    const values = new Map(lines.map((line) => line.split(': ') as [string, string]));
    const read = (label: string) => {
      const value = Number(values.get(label));
      if (Number.isSafeInteger(value)) return value;
      throw new CellstormError(`The driver ${driver} gives no "${label}" of the kernel ${name}.`);
    };
    const measure = () =>
      Object.fromEntries(FIGURE_NAMES.map((figure) => [figure, read(FIGURES[figure])])) as Figures;
    kernels.set(name, kernels.get(values.get(EQUAL_MARK) ?? '') ?? measure());
  }
  return { driver, kernels };
}
