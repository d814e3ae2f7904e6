/**
 * `npm run bench:native`: compiles bench/native/grid.cu with nvcc to .cache/bench-native, for the engines cuda-grid and
 * cuda-grid-around. `--cpu` uses a C++ compiler instead. `--check` compares the program with the oracle, in three
 * frames of each scene that the program accepts; `--count n,…` sets its numbers of bodies. Exits with 1 if the compiler
 * fails, or `--check` finds no device or wrong pairs.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createCudaGrids } from './engines/native/cuda';
import { type NativeEngine, refusalOf } from './harness/engine';
import { Judge } from './harness/judge';
import { BENCH_SCENES, type BenchScene, createBenchScene } from './harness/scenes';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'bench/native');
/** The program is not in dist, because every build empties that folder. */
const OUT = join(ROOT, '.cache/bench-native');

/** Default numbers of bodies. Some are near the size of a warp, a block or a scan tile. */
const COUNTS = '0,1,2,3,31,32,33,255,256,257,1000,4095,4096,4097,65537,100000';
const FRAMES = [0, 1, 2];
/** Copies are small, because no check needs the bandwidth. */
const COPY_BYTES = 2 ** 20;

interface Compiler {
  readonly names: readonly string[];
  readonly flags: readonly string[];
  readonly program: string;
  readonly missing: string;
}

const NVCC: Compiler = {
  names: ['nvcc', '/usr/local/cuda/bin/nvcc'],
  flags: ['-std=c++17', '-O3', '-arch=native'],
  program: 'cuda-grid',
  missing: "nvcc was not found. It comes with NVIDIA's CUDA toolkit; with --cpu a C++ compiler is enough.",
};
const ON_CPU: Compiler = {
  names: ['c++', 'g++', 'clang++'],
  flags: ['-std=c++17', '-O2', '-pthread', '-I', 'on_cpu', '-x', 'c++'],
  program: 'cuda-grid-on-cpu',
  missing: 'No C++ compiler was found. Install one that is called c++, g++ or clang++.',
};

function compile({ names, flags, program, missing }: Compiler): string | undefined {
  mkdirSync(OUT, { recursive: true });
  const path = join(OUT, program);
  for (const name of names) {
    const { error, status } = spawnSync(name, [...flags, '-o', path, 'grid.cu'], {
      cwd: SOURCES,
      stdio: 'inherit',
    });
    if (!error) return status === 0 ? path : undefined;
  }
  process.stderr.write(`${missing}\n`);
  return undefined;
}

/** Returns a sentence per wrong frame. */
async function check(engine: NativeEngine, scene: BenchScene): Promise<string[]> {
  const frames = FRAMES.map((frame) => scene.frame(frame));
  const judge = new Judge(scene, frames);
  const runner = await engine.open(scene, COPY_BYTES);
  const wrong: string[] = [];
  try {
    for (const [frame, positions] of frames.entries()) {
      await runner.place(positions);
      const { reason } = judge.wrong(frame, await runner.find()) ?? {};
      if (reason !== undefined) wrong.push(`${scene.count} bodies, frame ${frame}: ${reason}`);
    }
  } finally {
    await runner.destroy();
  }
  return wrong;
}

async function checkAll(engine: NativeEngine, counts: readonly number[]): Promise<boolean> {
  let isRight = true;
  for (const { name, dimensions: offered, most = Number.POSITIVE_INFINITY } of BENCH_SCENES) {
    for (const dimensions of offered) {
      const scenes = counts
        .filter((count) => count <= most)
        .map((count) => createBenchScene(name, { dimensions, count }));
      const accepted = scenes.filter((scene) => refusalOf(engine, scene) === undefined);
      if (accepted.length === 0) {
        const reasons = new Set(scenes.map((scene) => refusalOf(engine, scene)));
        process.stdout.write(`${engine.name}, ${name} ${dimensions}D: refused. ${[...reasons].join(' ')}\n`);
        continue;
      }
      const wrong: string[] = [];
      for (const scene of accepted) wrong.push(...(await check(engine, scene)));
      const right = FRAMES.length * accepted.length - wrong.length;
      const answers = `${right} of ${FRAMES.length * accepted.length} answers agree with the oracle`;
      process.stdout.write(
        `${[`${engine.name}, ${name} ${dimensions}D: ${answers}.`, ...wrong].join('\n  ')}\n`,
      );
      isRight &&= wrong.length === 0;
    }
  }
  return isRight;
}

const { values } = parseArgs({
  options: {
    cpu: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    count: { type: 'string', default: COUNTS },
  },
});
const program = compile(values.cpu ? ON_CPU : NVCC);
if (program === undefined) process.exit(1);
process.stdout.write(`npm run bench -- --native ${relative(process.cwd(), program)}\n`);
if (values.check) {
  const counts = values.count.split(',').map(Number);
  try {
    let isRight = true;
    for (const engine of createCudaGrids(program)) isRight = (await checkAll(engine, counts)) && isRight;
    if (!isRight) process.exit(1);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
