/** Builds a driver that compiles for AMD GPUs on machines that have none: RADV, wrapped by idle.c. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CellstormError } from '../../src/core/base/errors';
import { findManifest, type Machine, thisMachine } from '../../src/node/drivers';

const SOURCE = fileURLToPath(new URL('idle.c', import.meta.url));
const COMPILERS = ['cc', 'gcc', 'clang'];
const FLAGS = ['-shared', '-fPIC', '-O1'];
const ADVICE = 'install it as root (Debian and Ubuntu: apt-get install mesa-vulkan-drivers gcc libc6-dev)';

export interface IdleDriver {
  /** Environment variables that make programs use this driver. The caller adds RADV_FORCE_FAMILY, the GPU's family. */
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  remove(): void;
}

/** Throws a CellstormError if RADV or a C compiler is missing. */
export function buildDriver(machine: Machine = thisMachine()): IdleDriver {
  const library = findRadv(machine);
  const folder = mkdtempSync(join(tmpdir(), 'cellstorm-isa-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const wrapper = join(folder, 'idle.so');
    compile(wrapper);
    const manifest = join(folder, 'idle.json');
    const driver = { library_path: wrapper, api_version: '1.3.0' };
    writeFileSync(manifest, JSON.stringify({ file_format_version: '1.0.0', ICD: driver }));
    return { environment: { CELLSTORM_RADV: library, VK_DRIVER_FILES: manifest }, folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function findRadv(machine: Machine): string {
  const manifest = findManifest(machine, /(^|\/)radeon_icd[^/]*\.json$/);
  if (manifest === undefined) {
    throw new CellstormError(`RADV, Mesa's driver for AMD GPUs, was not found: ${ADVICE}.`);
  }
  const { ICD } = JSON.parse(readFileSync(manifest, 'utf8')) as { ICD: { library_path: string } };
  // If the path has no folder, the system's loader finds the library by its name.
  return ICD.library_path.includes('/') ? resolve(dirname(manifest), ICD.library_path) : ICD.library_path;
}

function compile(output: string): void {
  for (const compiler of COMPILERS) {
    const args = [...FLAGS, '-o', output, SOURCE, '-ldl'];
    const { error, status, stderr } = spawnSync(compiler, args, { encoding: 'utf8' });
    if (error) continue;
    if (status === 0) return;
    throw new CellstormError(`${compiler} does not compile bench/isa/idle.c: ${stderr.trim()}`);
  }
  throw new CellstormError(`No C compiler (${COMPILERS.join(', ')}) was found: ${ADVICE}.`);
}
