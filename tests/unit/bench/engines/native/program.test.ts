/**
 * Tests native engines of the benchmark with stand-in programs that are written in Node. `npm run bench:native -- --cpu
 * --check` compiles and checks the real program, bench/native/grid.cu.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listEngines } from '../../../../../bench/engines';
import { CPU_GRID } from '../../../../../bench/engines/cpu/grid';
import { createCudaGrids } from '../../../../../bench/engines/native/cuda';
import { NativeProgram } from '../../../../../bench/engines/native/program';
import type { NativeEngine } from '../../../../../bench/harness/engine';
import { findExpected } from '../../../../../bench/harness/oracle';
import type { Outcome } from '../../../../../bench/harness/record';
import { type BenchPlan, runBench } from '../../../../../bench/harness/run';
import { createBenchScene } from '../../../../../bench/harness/scenes';

/** A correct program; tests replace some of its lines. */
const RIGHT = {
  greeting: "'cellstorm-native 1 events 500 A machine, made up'",
  time: '3 * batch',
  found: "pairs + ' ' + checksum",
  before: '',
};

function programOf(changes: Partial<typeof RIGHT>): string {
  const { greeting, time, found, before } = { ...RIGHT, ...changes };
  return `#!${process.execPath}
const fs = require('node:fs');
let scene, positions, frames = [];
const say = (line) => fs.writeSync(1, line + '\\n');
const log = (line) => fs.appendFileSync(__filename + '.log', line + '\\n');
const mix = (a, b) => {
  const mixed = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ b;
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> 0;
};
function find() {
  const { dimensions, count, diameter } = scene;
  let pairs = 0, checksum = 0;
  for (let a = 0; a < count; a++) for (let b = a + 1; b < count; b++) {
    let squared = 0;
    for (let axis = 0; axis < dimensions; axis++)
      squared += (positions[a * dimensions + axis] - positions[b * dimensions + axis]) ** 2;
    if (squared < diameter ** 2) { pairs++; checksum = (checksum + mix(a, b)) >>> 0; }
  }
  return ${found};
}
/** Bytes that follow a line. */
function lengthOf(command, words) {
  const frame = scene ? 4 * scene.dimensions * scene.count : 0;
  return command === 'place' ? frame : command === 'roll' ? Number(words[0]) * frame : 0;
}
function answer(line, command, words, payload) {
  ${before}
  const floats = () => new Float32Array(payload.buffer.slice(payload.byteOffset, payload.byteOffset + payload.length));
  if (command === 'copy') return say('ok ' + words[0] + ' 2 0.99');
  if (command === 'open') {
    scene = { dimensions: Number(words[0]), count: Number(words[1]), diameter: Number(words[2]) };
    return say('ok ' + 64 * scene.count);
  }
  if (command === 'place') positions = floats();
  if (command === 'roll') frames = floats();
  if (command === 'place' || command === 'roll') return say('ok');
  if (command === 'find') return say('ok ' + find());
  const batch = Number(words[0]);
  if (command === 'time') return say('ok ' + (${time}));
  say('error failed It does not know ' + command + '.');
  process.exit(1);
}
let chunks = [], bytes = 0, wanted = 0;
process.stdin.on('data', (chunk) => {
  chunks.push(chunk);
  bytes += chunk.length;
  if (bytes < wanted) return;
  let input = Buffer.concat(chunks);
  for (;;) {
    const end = input.indexOf(10);
    const line = input.subarray(0, Math.max(0, end)).toString();
    const [command, ...words] = line.split(' ');
    wanted = end < 0 ? 0 : end + 1 + lengthOf(command, words);
    if (end < 0 || input.length < wanted) break;
    const payload = input.subarray(end + 1, wanted);
    input = input.subarray(wanted);
    log(line);
    answer(line, command, words, payload);
  }
  chunks = [input];
  bytes = input.length;
});
say(${greeting});
`;
}

const PLAN: Omit<BenchPlan, 'engines'> = {
  scenes: ['uniform'],
  dimensions: [2],
  counts: [300],
  seed: 1,
  repeat: 3,
  limit: 5000,
};
const COPY_BYTES = 2 ** 20;

let folder = '';
let programs = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cellstorm-native-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string): string {
  const path = join(folder, `program-${programs++}.cjs`);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

const fake = (changes: Partial<typeof RIGHT> = {}) => write(programOf(changes));

function gridOf(program?: string): NativeEngine {
  return createCudaGrids(program)[0] as NativeEngine;
}

async function runOf(program: string | undefined, changes: Partial<BenchPlan> = {}) {
  const plan = { ...PLAN, engines: [gridOf(program)], ...changes };
  return runBench(plan, { copyBytes: COPY_BYTES });
}

async function outcomeOf(program: string | undefined, changes: Partial<BenchPlan> = {}): Promise<Outcome> {
  return (await runOf(program, changes)).outcomes[0] as Outcome;
}

const questionsOf = (program: string) => readFileSync(`${program}.log`, 'utf8').trim().split('\n');

describe('a correct program', () => {
  it('is timed by its own clock, beside other engines, and reports its device', async () => {
    const program = fake();
    const { outcomes, measured } = await runOf(program, { engines: [gridOf(program), CPU_GRID] });
    const [native, grid] = outcomes;
    expect(native).toMatchObject({
      engine: 'cuda-grid',
      backend: 'gpu',
      status: 'timed',
      device: 'A machine, made up',
      clock: 'events',
      total: { median: 3 },
      build: { median: 3 },
      query: { median: 3 },
      memoryPerBody: 64,
      stepShare: 0.0005 / (3 * (native?.batch ?? 0)),
      bytesEquivalent: (3 * COPY_BYTES) / 300,
    });
    expect(grid).toMatchObject({ engine: 'cpu-grid', status: 'timed', found: native?.found });
    expect(grid?.device).toBeUndefined();
    expect(measured.devices).toEqual([
      {
        name: 'A machine, made up',
        clock: 'events',
        clockStep: 500,
        copyBytes: COPY_BYTES,
        copyBytesPerMs: COPY_BYTES,
      },
    ]);
    // Each sample takes at least ten milliseconds.
    expect(native?.batch).toBe(4);
  });

  it.each([2, 3] as const)(
    'gets the cells of its grid, and reports the right pairs, in %dD',
    async (dimensions) => {
      const program = fake();
      const scene = createBenchScene('uniform', { dimensions, count: 40 });
      for (const [index, rows] of ['ahead', 'around'].entries()) {
        const engine = createCudaGrids(program)[index] as NativeEngine;
        const runner = await engine.open(scene, COPY_BYTES);
        await runner.place(scene.frame(1));
        expect(await runner.find()).toEqual(findExpected(scene, scene.frame(1)));
        await runner.destroy();
        expect(questionsOf(program).at(-3)).toMatch(
          dimensions === 2
            ? new RegExp(`^open 2 40 1 [\\d.]+ 0 0 \\d+ \\d+ ${rows}$`)
            : new RegExp(`^open 3 40 1 [\\d.]+ 0 0 0 \\d+ \\d+ \\d+ ${rows}$`),
        );
      }
    },
  );

  it('is asked for its copy bandwidth once per run', async () => {
    const program = fake();
    await runOf(program, { engines: createCudaGrids(program), counts: [5, 6] });
    expect(questionsOf(program).filter((line) => line.startsWith('copy'))).toEqual([`copy ${COPY_BYTES}`]);
  });

  it('gets the frames of moving bodies, and the harness subtracts the time to load them', async () => {
    const program = fake({ time: "batch * (words.includes('wind') + 2 * words.includes('build'))" });
    const outcome = await outcomeOf(program, { scenes: ['moving'] });
    expect(outcome).toMatchObject({ status: 'timed', build: { median: 2 }, total: { median: 2 } });
    const questions = questionsOf(program);
    expect(questions).toContain('roll 16');
    expect(
      new Set(questions.filter((line) => line.startsWith('time')).map((line) => line.replace(/\d+ /, ''))),
    ).toEqual(new Set(['time wind', 'time wind build query', 'time wind build', 'time query']));
    const still = fake();
    await outcomeOf(still);
    expect(questionsOf(still).filter((line) => line.startsWith('roll'))).toEqual([]);
  });

  it('accepts positions that take more than one write', async () => {
    const last = "if (command === 'find') return say('ok ' + positions.length + ' ' + positions.at(-1));";
    const { program } = await NativeProgram.start(fake({ before: last }));
    try {
      const count = 2 ** 21 + 5;
      await program.ask(`open 2 ${count} 1 1 0 0 3 3 ahead`, 1);
      await program.ask('place', 0, [new Float32Array(2 * count).fill(7, -1)]);
      expect(await program.ask('find', 2)).toEqual([2 * count, 7]);
    } finally {
      await program.destroy();
    }
  });
});

it('a native engine is refused without a program, or with a program that cannot be started', async () => {
  const absent = listEngines().filter((engine) => engine.absent !== undefined);
  expect(absent.map(({ name }) => name)).toEqual(['cuda-grid', 'cuda-grid-around']);
  expect(listEngines('a program').filter((engine) => engine.absent !== undefined)).toEqual([]);
  expect(await outcomeOf(undefined)).toMatchObject({ status: 'refused', reason: absent[0]?.absent });
  const missing = join(folder, 'no-such-program');
  expect(await outcomeOf(missing)).toMatchObject({
    status: 'refused',
    reason: `The program ${missing} could not be started (ENOENT).`,
  });
});

it('a native engine rejects the scenes that gpu-grid rejects, and scenes with radii', () => {
  const { refuse } = gridOf('a program');
  expect(refuse?.(createBenchScene('uniform', { dimensions: 2, count: 10 }))).toBeUndefined();
  expect(refuse?.(createBenchScene('mixed', { dimensions: 2, count: 10 }))).toBe(
    'It supports only one radius.',
  );
  const huge = createBenchScene('huge', { dimensions: 3, count: 1000 });
  expect(refuse?.(huge)).toBeUndefined();
  // All bodies are at one corner, so larger cells do not help.
  const corner = { ...huge, max: huge.max.map((high) => 100 * high), frame: () => new Float32Array(3000) };
  expect(refuse?.(corner)).toMatch(/^The box has .*\.$/);
});

describe('an incorrect program', () => {
  it('is caught before timing if its pairs are wrong, and after timing if it repeats an old answer', async () => {
    expect(await outcomeOf(fake({ found: "pairs - 1 + ' ' + checksum" }))).toMatchObject({
      status: 'wrong',
      reason: expect.stringMatching(/1 too few/),
    });
    const stale = fake({ found: "(globalThis.first ??= pairs + ' ' + checksum)" });
    expect(await outcomeOf(stale)).toMatchObject({
      status: 'wrong',
      reason: expect.stringMatching(/^After timing/),
    });
  });

  it.each<[string, string, Partial<typeof RIGHT>, string]>([
    [
      'dies halfway',
      'failed',
      { before: "if (command === 'time') { console.error('It hurts'); process.exit(3); }" },
      'PROGRAM ended with status 3 when it was asked "time 1 wind build query": It hurts.',
    ],
    [
      'is killed',
      'failed',
      { before: "if (command === 'find') process.kill(process.pid, 'SIGKILL');" },
      'PROGRAM was ended by SIGKILL when it was asked "find".',
    ],
    [
      'begins with another greeting',
      'failed',
      { greeting: "'Segmentation fault'" },
      'PROGRAM began with "Segmentation fault", but it must be "cellstorm-native 1 CLOCK NANOSECONDS DEVICE".',
    ],
    [
      'answers too little',
      'failed',
      { before: "if (command === 'find') return say('ok 17');" },
      'PROGRAM answered "find" with "ok 17", but it must be "ok" and 2 numbers.',
    ],
    [
      'reports times that are not numbers',
      'failed',
      { before: "if (command === 'time') return say('ok nan');" },
      'PROGRAM answered "time 1 wind build query" with "ok nan", but it must be "ok" and 1 numbers.',
    ],
    [
      'reports negative times',
      'failed',
      { before: "if (command === 'time') return say('ok -2');" },
      'PROGRAM answered "time 1 wind build query" with "ok -2", but it must be "ok" and 1 numbers.',
    ],
    [
      'writes without a question',
      'failed',
      { before: "if (command === 'place') return fs.writeSync(1, 'ok\\nok\\n');" },
      'PROGRAM wrote "ok" without a question.',
    ],
    [
      'has too little memory',
      'refused',
      { before: "if (command === 'open') { say('error memory It is full.'); process.exit(1); }" },
      'It is full.',
    ],
    [
      'has no device',
      'refused',
      { greeting: "'error absent There is no such GPU.'", before: 'process.exit(1);' },
      'There is no such GPU.',
    ],
    [
      'has a clock that does not wait for the work',
      'failed',
      { before: "if (command === 'copy') return say('ok 8 0.001 0.02');" },
      'The events of A machine, made up measured 2% of the wall time of copies, but must measure at least 60% to be trusted.',
    ],
  ])('is reported with one sentence if it %s', { tags: 'case' }, async (_, status, changes, reason) => {
    const program = fake(changes);
    const { outcomes } = await runOf(program, { engines: [gridOf(program), CPU_GRID] });
    expect(outcomes.map(({ engine, status: got }) => [engine, got]).toSorted()).toEqual([
      ['cpu-grid', 'timed'],
      ['cuda-grid', status],
    ]);
    const native = outcomes.find(({ engine }) => engine === 'cuda-grid');
    expect(native?.reason).toBe(reason.replace('PROGRAM', `The program ${program}`));
    expect(native?.total).toBeUndefined();
  });

  it('is ended if it writes nothing, answers nothing, or never stops writing', async () => {
    const silent = write(`#!${process.execPath}\nsetInterval(() => undefined, 1000);\n`);
    await expect(NativeProgram.start(silent, 0.2)).rejects.toThrow(
      `The program ${silent} wrote no greeting within 0.2 seconds, so it was ended.`,
    );
    // A shell starts faster than Node, so it greets in time.
    const mute = write("#!/bin/sh\necho 'cellstorm-native 1 wall 500 A machine'\nexec sleep 600\n");
    const started = await NativeProgram.start(mute, 1.5);
    await expect(started.program.ask('find', 2)).rejects.toThrow(
      `The program ${mute} did not answer "find" within 1.5 seconds, so it was ended.`,
    );
    await started.program.destroy();
    const endless = fake({ before: "return fs.writeSync(1, 'x'.repeat(2 ** 16));" });
    const { program } = await NativeProgram.start(endless);
    await expect(program.ask('find', 2)).rejects.toThrow(/answered "find" with "x{80}…", but it must be/);
    await expect(program.ask('find', 2)).rejects.toThrow(
      /wrote a line of more than 4096 letters: "x{80}…"\.$/,
    );
    await program.destroy();
  });
});
