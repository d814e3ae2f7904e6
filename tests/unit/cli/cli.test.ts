/** The command line on the CPU backend: exit codes, messages, JSON and files. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exitCodeOf } from '../../../bench/cli/bench';
import { describeRecord } from '../../../bench/cli/table';
import { CPU_NAIVE } from '../../../bench/engines/cpu/naive';
import type { CpuEngine } from '../../../bench/harness/engine';
import { STATUSES, type Status } from '../../../bench/harness/record';
import { nameFlag } from '../../../src/cli/arguments';
import { CPU_BYTES_PER_PARTICLE } from '../../../src/cli/backend';
import { renderImage } from '../../../src/cli/image';
import { Progresses } from '../../../src/cli/output';
import { adviseFlag, describeTimes } from '../../../src/cli/simulate';
import { ArgumentError, Phrase } from '../../../src/core/base/errors';
import { crowdingWarning } from '../../../src/core/simulation/crowding';
import { decodeCheckpoint, encodeCheckpoint } from '../../../src/core/state/state-file';
import { defineLevels } from '../../../src/core/world/level-world';
import { defineWorld } from '../../../src/core/world/world';
import { createCpuSimulation } from '../../../src/cpu';
import { createScene, sceneNames, sceneOptions } from '../../../src/scenes';
import { describeCaps, type VerifyCase } from '../../../src/verify/verify';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cellstorm-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  readonly code: number | null | undefined;
  readonly out: string;
  readonly error: string;
}

/** Runs the command line in its own process, as a user does. This takes seconds to start. */
function spawnCellstorm(...argv: string[]): Run {
  const run = spawnSync(process.execPath, ['scripts/run.mjs', 'bench/cli/main.ts', ...argv], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 50_000,
  });
  return { code: run.status, out: run.stdout, error: run.stderr };
}

let runs = 0;

/** Runs the command line in this process. Each import under a new name runs main.ts again. */
async function cellstorm(...argv: string[]): Promise<Run> {
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
    await import(/* @vite-ignore */ `../../../bench/cli/main.ts?run=${++runs}`);
    expect(exit).toHaveBeenCalledExactlyOnceWith();
    return { code: process.exitCode, ...run };
  } finally {
    for (const spy of [exit, ...writers]) spy.mockRestore();
    process.argv = argvBefore;
    process.exitCode = exitCode;
  }
}

describe('cellstorm', () => {
  it.each<[string[], RegExp]>([
    [
      ['simulate', '--foo', '1'],
      /^cellstorm: --foo is not a flag of "cellstorm simulate", which accepts --scene/,
    ],
    [['simulate', '--count', '-5'], /^cellstorm: --count is -5, but it must be a whole number from 0 to/],
    [['simulate', '--count', 'many'], /^cellstorm: --count is many, /],
    [['simulate', '--scene', 'nope'], /^cellstorm: --scene is nope, but it must be one of uniform, gas/],
    [['simulate', '--scene'], /^cellstorm: --scene needs a value/],
    [['simulate', '--seed', '1', '--seed', '2'], /^cellstorm: --seed was given twice/],
    [['simulate', '--json=yes'], /^cellstorm: --json takes no value/],
    [['simulate', '--backend', 'cpu', '--count', '1000000000'], /at most \d+ particles fit\.$/],
    [['simulate', '--backend', 'cpu', '--restitution', '7'], /^cellstorm: --restitution is 7, .*from 0 to 1/],
    [['simulate', '--backend', 'cpu', '--friction', '11'], /^cellstorm: --friction is 11, .*from 0 to 10\.$/],
    [['simulate', '--backend', 'cpu', '--dt', '1e-40'], /^cellstorm: --dt is 1e-40, .* 0 or at least/],
    [['simulate', '--backend', 'cpu', '--dt', '-1'], /^cellstorm: --dt is -1, /],
    [['simulate', '--backend', 'cpu', '--out', tmpdir()], /^cellstorm: --out is .*it must be a file/],
    [
      ['simulate', '--backend', 'cpu', '--image', '/no/such/folder/x.png'],
      /^cellstorm: --image is .*does not exist/,
    ],
    [['simulate', '--backend', 'cpu', '--from', '/no/such/state.bin'], /^cellstorm: --from is .*ENOENT/],
    [
      ['simulate', '--from', 'state.bin', '--scene', 'gas', '--seed', '3'],
      /^cellstorm: --from continues with the particles of its state, .* with --scene, --seed\.$/,
    ],
    [
      ['simulate', '--from', 'state.bin', '--count', '3'],
      /^cellstorm: --from .* cannot be given with --count\.$/,
    ],
    [
      ['simulate', '--out', 'x', '--image', './x'],
      /^cellstorm: --image is \.\/x, but that is the file of --out; choose another file\.$/,
    ],
    [['simulate', '--from', 'x', '--image', 'x'], /^cellstorm: --image is x, .* the file of --from; /],
    [['verify', '--dimensions', '4'], /^cellstorm: --dimensions is 4, but it must be one of 2, 3/],
    [['conquer'], /^cellstorm: "conquer" is not a command/],
  ])('rejects %j with one sentence and exit code 2', async (argv, message) => {
    const { code, out, error } = await cellstorm(...argv);
    expect(error.trim()).toMatch(message);
    expect(error.trim().split('\n')).toHaveLength(1);
    expect(out).toBe('');
    expect(code).toBe(2);
  });

  it('wraps help, machine information and errors to the width of the terminal', async () => {
    const { stdout, stderr } = process;
    const terminals = [stdout, stderr].map((stream) => ({
      stream,
      was: { columns: stream.columns, isTTY: stream.isTTY },
    }));
    const helps = ['info', 'verify', 'simulate', 'bench'].map((command) => [command, '--help']);
    const outputs: string[][] = [];
    try {
      for (const width of [80, 120]) {
        for (const { stream } of terminals) Object.assign(stream, { columns: width, isTTY: true });
        const texts: string[] = [];
        for (const argv of [...helps, ['info', '--backend', 'cpu'], ['simulate', '--scene', 'nope']]) {
          const { out, error } = await cellstorm(...argv);
          texts.push(`${out}${error}`);
        }
        const lines = texts.flatMap((text) => text.split('\n'));
        expect(lines.filter((line) => line.length > width)).toEqual([]);
        // All scenes must be listed.
        for (const text of [texts[1], texts[2], texts.at(-1)])
          expect(text?.split(/\s+/).join(' ')).toContain(sceneNames().join(', '));
        outputs.push(texts);
      }
    } finally {
      for (const { stream, was } of terminals) Object.assign(stream, was);
    }
    // The wide terminal must have the same words in fewer lines.
    const [narrow, wide] = outputs.map((texts) => texts.map((text) => text.split(/\s+/).join(' ')));
    expect(wide).toEqual(narrow);
    const count = (texts: readonly string[] = []) => texts.join('').split('\n').length;
    expect(count(outputs[1])).toBeLessThan(count(outputs[0]));
  });

  it('ends the process with the right exit code, and writes to only one of stdout and stderr', () => {
    const refused = spawnCellstorm('conquer');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.error).toMatch(/^cellstorm: "conquer" is not a command of cellstorm, .*\.\n$/);
    const path = join(folder, 'spawned.bin');
    const few = ['--backend', 'cpu', '--count', '5', '--steps', '0', '--json'];
    const done = spawnCellstorm('simulate', ...few, '--out', path);
    expect(done).toMatchObject({ code: 0, error: '' });
    expect(JSON.parse(done.out)).toMatchObject({ count: 5 });
    expect(decodeCheckpoint(readFileSync(path)).ids).toHaveLength(5);
  });

  it('names a flag only if the value came from it', () => {
    const error = new ArgumentError('broadPhase', 'tree', "'grid' or 'naive'");
    const given = (name: string) => new Map([[name, 'tree']]);
    expect(nameFlag(error, given('broad-phase')).message).toBe(
      "--broad-phase is \"tree\", but it must be 'grid' or 'naive'.",
    );
    expect(nameFlag(error, given('backend'))).toBe(error);
  });

  it('names a state file that it cannot read', async () => {
    const path = join(folder, 'broken.bin');
    writeFileSync(path, 'CELLSTORM v0');
    expect(await cellstorm('simulate', '--backend', 'cpu', '--from', path)).toEqual({
      code: 2,
      out: '',
      error: `cellstorm: --from is ${path} (12 bytes), but it must be a file that begins with CELLSTRM, as written by "cellstorm simulate --out".\n`,
    });
  });

  it('names the state file for an invalid value in it, but the flag for a value from a flag', async () => {
    const path = join(folder, 'impossible.bin');
    const simulation = createCpuSimulation(sceneOptions(createScene('gas', { dimensions: 2, count: 5 })));
    const checkpoint = simulation.checkpoint();
    const expectRefused = async (changes: object, message: string, ...flags: string[]) => {
      writeFileSync(path, encodeCheckpoint({ ...checkpoint, ...changes }));
      const refused = await cellstorm('simulate', '--backend', 'cpu', '--from', path, ...flags);
      expect(refused).toEqual({ code: 2, out: '', error: expect.stringContaining(message) });
      expect(refused.error.trim().split('\n')).toHaveLength(1);
    };
    await expectRefused({ radius: -1 }, `--from is ${path}, in which radius is -1, but it must be `);
    const settings = { ...checkpoint.settings, bounce: 1 };
    await expectRefused(
      { settings },
      `--from is ${path}, in which options.bounce is 1, but it must be left out or renamed to one of `,
    );
    // This is detected only when the particles are restored.
    await expectRefused({ time: -1 }, `--from is ${path}, in which checkpoint.time is -1, but it must be `);
    await expectRefused({}, 'cellstorm: --restitution is 7, ', '--restitution', '7');
  });

  it('reports in one sentence that a file could not be written', async () => {
    // The folder exists, so the check of the flag passes; the name is too long to be written.
    const path = join(folder, 'x'.repeat(300));
    for (const flag of ['--out', '--image']) {
      const run = await cellstorm('simulate', '--backend', 'cpu', '--count', '5', '--steps', '0', flag, path);
      const error = `cellstorm: ${path} could not be written (ENAMETOOLONG).\n`;
      expect(run).toEqual({ code: 1, out: '', error });
    }
  });

  it('continues from a state file with the same bits, and writes an image', async () => {
    const state = join(folder, 'half.bin');
    const image = join(folder, 'half.png');
    const common = ['simulate', '--backend', 'cpu', '--json'];
    const scene = ['--count', '300', '--scene', 'pile'];
    const half = await cellstorm(...common, ...scene, '--steps', '10', '--out', state, '--image', image);
    expect(half).toMatchObject({ code: 0, error: '' });
    const rest = await cellstorm(...common, '--steps', '10', '--from', state);
    const whole = await cellstorm(...common, ...scene, '--steps', '20');
    expect(JSON.parse(whole.out)).toMatchObject({ scene: 'pile', count: 300, seed: 1 });
    // No scene was generated, so there is no seed.
    const description = `continued from ${state}, a state of the scene pile`;
    expect(JSON.parse(rest.out)).toMatchObject({ scene: description, count: 300, seed: null });
    const table = await cellstorm(...common.slice(0, 3), '--steps', '0', '--from', state);
    expect(table.out).not.toContain('seed');
    expect(JSON.parse(rest.out).measures.hash).toBe(JSON.parse(whole.out).measures.hash);
    expect(JSON.parse(half.out).measures.hash).not.toBe(JSON.parse(whole.out).measures.hash);
    const { data, width, height } = decode(readFileSync(image));
    const background = [16, 18, 24];
    let drawn = 0;
    for (let pixel = 0; pixel < width * height; pixel++) {
      if (background.some((value, channel) => data[3 * pixel + channel] !== value)) drawn++;
    }
    // The box is a little higher than the stack, and discs cover about 0.8 of their lattice.
    expect(drawn / (width * height)).toBeGreaterThan(0.5);
    expect(drawn / (width * height)).toBeLessThan(0.95);
  });

  it.each([
    ['periodic', '2'],
    ['channel', '3'],
    ['far-apart', '2'],
  ])('continues from a state of the scene %s, in its world', async (scene, dimensions) => {
    const state = join(folder, `${scene}.bin`);
    const common = ['simulate', '--backend', 'cpu', '--json', '--dimensions', dimensions];
    const made = [...common, '--scene', scene, '--count', '200'];
    expect(await cellstorm(...made, '--steps', '3', '--out', state)).toMatchObject({ code: 0, error: '' });
    const rest = await cellstorm(...common, '--steps', '3', '--from', state);
    expect(rest).toMatchObject({ code: 0, error: '' });
    const whole = await cellstorm(...made, '--steps', '6');
    expect(JSON.parse(rest.out).measures).toEqual(JSON.parse(whole.out).measures);
  });

  it('reports which parts of a driven scene its state does not hold', async () => {
    const [first, second] = ['turned', 'further'].map((name) => join(folder, `${name}.bin`)) as [
      string,
      string,
    ];
    const common = ['simulate', '--backend', 'cpu', '--steps', '1', '--json'];
    await cellstorm(...common, '--scene', 'hourglass', '--count', '20', '--out', first);
    await cellstorm(...common, '--from', first, '--out', second);
    const { out } = await cellstorm(...common, '--from', second);
    const description = `continued from ${second}, a state of the scene hourglass, without the parts that the scene moves`;
    expect(JSON.parse(out).scene).toBe(description);
  });

  it('lets flags override the settings of a state file', async () => {
    const state = join(folder, 'settings.bin');
    const common = ['simulate', '--backend', 'cpu', '--steps', '1', '--json'];
    await cellstorm(...common, '--count', '50', '--out', state, '--friction', '0.5');
    const kept = await cellstorm(...common, '--from', state);
    expect(JSON.parse(kept.out).settings.friction).toBe(0.5);
    const changed = await cellstorm(...common, '--from', state, '--friction', '0.75');
    expect(JSON.parse(changed.out).settings.friction).toBe(0.75);
  });

  it('applies --crowds to a scene and to the world of a state file', async () => {
    const state = join(folder, 'crowd.bin');
    const common = ['simulate', '--backend', 'cpu', '--steps', '1', '--json'];
    const scene = ['--scene', 'one-cell', '--count', '200', '--out', state];
    const plain = JSON.parse((await cellstorm(...common, ...scene)).out);
    expect(plain).toMatchObject({ crowds: false, count: 200 });
    const made = JSON.parse((await cellstorm(...common, ...scene, '--crowds')).out);
    expect(made).toMatchObject({ crowds: true, measures: { hash: plain.measures.hash } });
    for (const flags of [[], ['--crowds']]) {
      const rest = await cellstorm(...common, '--from', state, ...flags);
      expect(JSON.parse(rest.out).crowds).toBe(flags.length > 0);
    }
  });

  it('reports the number of passes without a time, if there are any', () => {
    const times = { source: 'timestamp-query', stages: { scan: 1, resolve: 3 }, total: 4 } as const;
    const whole = describeTimes(times, 200);
    expect(whole).toMatch(
      /^time per pass of the last step, ms \(timestamp-query\)\n {2}scan .*25%\n(.*\n){2}$/,
    );
    const [one, two] = [1, 2].map((discarded) => describeTimes({ ...times, discarded }, 200));
    expect(one).toBe(`${whole}The device's clock ran backwards in 1 pass, whose time is missing above.\n`);
    expect(two).toMatch(/ in 2 passes, whose /);
  });

  it('recommends the flag if the library recommends the option', () => {
    const measures = { count: 200, crowded: 200, greatestOccupancy: 200 };
    const world = defineWorld({ dimensions: 2, unbounded: true }, 1);
    const advice = adviseFlag(crowdingWarning(measures, { backend: 'gpu', world }));
    expect(advice).toMatch(/\. Add --crowds to split this work among threads, or choose /);
    expect(adviseFlag(undefined)).toBeUndefined();
  });

  it('verifies the CPU engine and reports as JSON', async () => {
    const { code, out } = await cellstorm(
      'verify',
      '--backend',
      'cpu',
      '--scene',
      'lattice',
      '--count',
      '100',
      '--json',
    );
    const report = JSON.parse(out);
    expect(report.pass).toBe(true);
    expect(report.adapter).toContain('CPU engine');
    expect(report.cases.length).toBeGreaterThan(8);
    expect(report.cases[0]).toMatchObject({ scene: 'lattice', dimensions: 2, count: 100, pass: true });
    const checks = report.cases.map(({ check }: VerifyCase) => check);
    expect(checks).toEqual(expect.arrayContaining(['queries', 'events', 'index', 'cell size']));
    expect(code).toBe(0);
  });

  it('shows the progress of long checks on a terminal only', () => {
    const seen = (isTTY: boolean) => {
      const written: string[] = [];
      const write = (text: string) => written.push(text);
      const progress = new Progresses('steps', { isTTY, write } as unknown as NodeJS.WriteStream);
      progress.show('dam break', 1, 2);
      progress.show('repeats', 5, 5);
      progress.end();
      return written;
    };
    const [first, between, second, last] = seen(true);
    expect(first).toMatch(/ 1\/2 steps .* dam break$/);
    expect(second).toMatch(/ 5\/5 steps .* repeats$/);
    expect([between, last]).toEqual(['\r\x1b[K', '\r\x1b[K']);
    expect(seen(false)).toEqual([]);
  });

  it('reports which checks verify omits for larger counts', () => {
    const notes = describeCaps({ scenes: ['one-cell'], counts: [0, 5000, 100_000] }).join('\n');
    expect(notes).toMatch(/one-cell was resolved, and its pairs were listed, up to 512 particles only\./);
    for (const what of ['Queries were', 'Cells of other sizes were', 'The CPU index was']) {
      expect(notes).toContain(`${what} checked up to 4096 particles only.`);
    }
    expect(notes).toMatch(/Lists of pairs, events and kernels were checked up to 70000 particles only\./);
    expect(describeCaps({ scenes: ['lattice'], counts: [4096] })).toEqual([]);
  });

  it('knows the memory per particle on the CPU', () => {
    for (const dimensions of [2, 3] as const) {
      const scene = createScene('uniform', { dimensions, count: 200_000 });
      const simulation = createCpuSimulation(sceneOptions(scene));
      expect(simulation.memoryBytes / scene.count / CPU_BYTES_PER_PARTICLE[dimensions]).toBeCloseTo(1, 1);
    }
  });
});

describe('a picture', () => {
  /** Returns the size of a picture, and how many of its pixels are not background. */
  function look(png: Uint8Array): { width: number; height: number; drawn: number } {
    const { data, width, height } = decode(png);
    let drawn = 0;
    for (let pixel = 0; pixel < width * height; pixel++) {
      if ([16, 18, 24].some((value, channel) => data[3 * pixel + channel] !== value)) drawn++;
    }
    return { width, height, drawn };
  }

  function draw(positions: Float32Array): ReturnType<typeof look> {
    const world = defineWorld({ dimensions: 2, unbounded: true }, 1);
    const ids = Uint32Array.from({ length: positions.length / 2 }, (_, index) => index);
    return look(renderImage(world, 0.5, { ids, positions, velocities: new Float32Array(positions.length) }));
  }

  it('of an unbounded world frames its particles', () => {
    // Four touching discs in a region three discs wide and two high. Positions that are not finite do not count.
    const nowhere = [Number.NaN, 1e6, -1e6, Number.POSITIVE_INFINITY];
    const picture = draw(Float32Array.of(1000, -7, 1001, -7, 1002, -7, ...nowhere, 1000, -6));
    expect([picture.width, picture.height]).toEqual([1200, 800]);
    const share = picture.drawn / (1200 * 800);
    expect(Math.abs(share - (4 * Math.PI) / 4 / 6)).toBeLessThan(0.01);
  });

  it('of an unbounded world is drawn at any position of its particles', () => {
    // The picture is as wide as its one disc, even if rounding absorbs the radius at that position.
    for (const distance of [0, 1e30]) {
      const { width, height, drawn } = draw(Float32Array.of(distance, -distance));
      expect([width, height]).toEqual([1200, 1200]);
      expect(Math.abs(drawn / 1200 ** 2 - Math.PI / 4)).toBeLessThan(0.01);
    }
    expect(draw(Float32Array.of(-3e38, 0, 3e38, 0)).drawn).toBeGreaterThan(0);
    for (const empty of [new Float32Array(0), Float32Array.of(Number.NaN, 0)]) {
      expect(draw(empty)).toEqual({ width: 1200, height: 1200, drawn: 0 });
    }
  });

  it.each([2, 3] as const)('of boxes in %dD shows them as rectangles, and balls as discs', (dimensions) => {
    const min = [0, 0, 0].slice(0, dimensions);
    const max = [8, 4, 4].slice(0, dimensions);
    const radiusRange = { smallest: 0.5, largest: 2 };
    const world = defineLevels({ dimensions, min, max }, radiusRange, 3, true);
    const packed = (...vectors: number[][]) =>
      Float32Array.from(vectors.flatMap((vector) => vector.slice(0, dimensions)));
    const picture = look(
      renderImage(world, 2, {
        ids: Uint32Array.of(0, 1, 2),
        // The second box hides a part of the first; the disc hides nothing.
        positions: packed([2, 2, 1], [3.5, 2, 3], [6, 2, 2]),
        velocities: new Float32Array(3 * dimensions),
        radii: Float32Array.of(0, 0, 1),
        halfExtents: packed([1.5, 0.5, 0.25], [0.5, 1.25, 1], [0, 0, 0]),
      }),
    );
    expect([picture.width, picture.height]).toEqual([1200, 600]);
    const covered = 3 * 1 + 1 * 2.5 - 0.5 * 1 + Math.PI;
    expect(Math.abs(picture.drawn / (1200 * 600) - covered / 32)).toBeLessThan(0.002);
  });

  it('of boxes in space shows the nearer face', () => {
    const world = defineLevels(
      { dimensions: 3, min: [0, 0, 0], max: [4, 4, 4] },
      { smallest: 0.5, largest: 2 },
      2,
      true,
    );
    // The colour shows which box is visible, since one is at rest and the other moves. The upper ends along z decide.
    for (const [depth, front] of [
      [0.25, 68],
      [1.5, 253],
    ] as const) {
      const picture = renderImage(world, 2, {
        ids: Uint32Array.of(0, 1),
        positions: Float32Array.of(2, 2, 1.5, 2, 2, 2),
        velocities: Float32Array.of(0, 0, 0, 1, 0, 0),
        halfExtents: Float32Array.of(1, 1, 1.5, 1, 1, depth),
      });
      const { data, width, height } = decode(picture);
      expect(data[3 * ((height / 2) * width + width / 2)]).toBe(front);
    }
  });
});

describe('state files', () => {
  const simulation = createCpuSimulation(sceneOptions(createScene('gas', { dimensions: 3, count: 20 })));
  const checkpoint = simulation.checkpoint();

  it('hold a checkpoint, and can be read from any kind of byte array', () => {
    const bytes = encodeCheckpoint(checkpoint);
    const shared = Buffer.concat([Buffer.from([1, 2, 3]), bytes]).subarray(3);
    for (const source of [bytes, Buffer.from(bytes), shared])
      expect(decodeCheckpoint(source)).toEqual(checkpoint);
  });

  it('hold the kind of world, and whether motion is continuous', () => {
    for (const [scene, kind] of [
      ['channel', { period: [5, 0] }],
      ['far-apart', { unbounded: true }],
      ['bullets', { continuous: true }],
    ] as const) {
      const options = sceneOptions(createScene(scene, { dimensions: 2, count: 4 }));
      const stored = decodeCheckpoint(encodeCheckpoint(createCpuSimulation(options).checkpoint()));
      expect(stored).toMatchObject(kind);
      expect(stored.unbounded).toBe(scene === 'far-apart' ? true : undefined);
    }
    for (const name of ['unbounded', 'continuous']) expect(Object.keys(checkpoint)).not.toContain(name);
  });

  it.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ['empty', () => new Uint8Array(0)],
    ['of another kind', (bytes) => bytes.fill(65, 0, 8)],
    ['cut short', (bytes) => bytes.subarray(0, bytes.length - 4)],
    ['with a broken header', (bytes) => bytes.fill(65, 12, 20)],
  ])('are rejected when %s', (_, damage) => {
    expect(() => decodeCheckpoint(damage(encodeCheckpoint(checkpoint)))).toThrow(/^the state file is /);
  });

  /** Returns the state with changed JSON in its header. */
  function withHeader(change: (json: string) => string): Uint8Array {
    const bytes = encodeCheckpoint(checkpoint);
    const begin = 12 + new DataView(bytes.buffer).getUint32(8, true);
    const json = change(new TextDecoder().decode(bytes.subarray(12, begin)));
    const changed = Buffer.concat([bytes.subarray(0, 12), Buffer.from(json), bytes.subarray(begin)]);
    changed.writeUInt32LE(json.length, 8);
    return changed;
  }

  function withField(name: string, value: string): Uint8Array {
    return withHeader((json) => {
      // The header of a bounded world with equal particles does not have these fields.
      if (['unbounded', 'continuous', 'radiusRange', 'scene'].includes(name))
        return json.replace('{', `{"${name}":${value},`);
      const changed = json.replace(
        new RegExp(`"${name}":(\\[.*?\\]|\\{.*?\\}|[^,}]+)`),
        `"${name}":${value}`,
      );
      expect(changed).not.toBe(json);
      return changed;
    });
  }

  it.each<[string, string, RegExp]>([
    ['count', '1e300', /a whole number from 0 to 2147483647 as count/],
    ['count', '2147483648', /as count/],
    ['count', '-1', /as count/],
    ['count', '0.5', /as count/],
    ['count', '"20"', /as count/],
    ['count', 'null', /as count/],
    ['count', '2147483647', /^--from is broken\.bin .* must be \d+ bytes long, according to its header\.$/],
    ['unbounded', '1', /true as unbounded, or none/],
    ['unbounded', 'false', /true as unbounded, or none/],
    ['continuous', '1', /true as continuous, or none/],
    ['radiusRange', 'null', /the numbers smallest and largest as radiusRange, or none/],
    ['radiusRange', '7', /as radiusRange, or none/],
    ['radiusRange', '{"smallest": 1}', /as radiusRange, or none/],
    ['radiusRange', '{"smallest": "1", "largest": 2}', /as radiusRange, or none/],
    // The radii are missing.
    ['radiusRange', '{"smallest": 1, "largest": 2}', /\d+ bytes long, according to its header/],
    ['scene', '7', /a name of small letters, digits and hyphens as scene, or none/],
    ['scene', '"\\u001b[31mred"', /as scene, or none/],
    ['min', '[0, 0]', /3 finite numbers as min and as max/],
    ['min', '[0, 0, "0"]', /3 finite numbers/],
    ['min', 'null', /3 finite numbers/],
    ['max', '7', /3 finite numbers/],
    ['max', '[1, 1, 1e999]', /3 finite numbers/],
    ['max', '{"length": 3}', /3 finite numbers/],
    ['dimensions', '2', /2 finite numbers as min/],
    ['dimensions', '4', /a readable header of version 1/],
    ['version', '2', /a readable header of version 1/],
    ['settings', 'null', /an object as settings/],
    ['settings', '"abc"', /an object as settings/],
    ['settings', '[]', /an object as settings/],
  ])('are rejected in one sentence if %s is %s', (name, value, accepted) => {
    const bytes = withField(name, value);
    expectRefused(bytes, accepted);
  });

  it.each<[string, (json: string) => string]>([
    ['null', () => 'null'],
    ['a number', () => '7'],
    ['an array', () => '[1]'],
    ['empty', () => ''],
    ['endless', () => '['.repeat(60_000)],
  ])('are rejected if the header is %s', (_, change) => {
    expectRefused(withHeader(change), /a readable header of version 1/);
  });

  it('are rejected before reading if the header is too long', () => {
    const padded = (length: number) => withHeader((json) => json.padEnd(length));
    expect(decodeCheckpoint(padded(2 ** 16))).toEqual(checkpoint);
    expectRefused(padded(2 ** 16 + 1), /one whose header is at most 65536 bytes long\.$/);
  });

  it('ignore unknown fields of a header', () => {
    const more =
      '"obstacles":5,"radii":[1],"halfExtents":{},"ids":"none","method":"liquid","__proto__":{"a":1},';
    expect(decodeCheckpoint(withHeader((json) => json.replace('{', `{${more}`)))).toStrictEqual(checkpoint);
  });

  it('are rejected if the header would end after the end of the file', () => {
    const bytes = encodeCheckpoint(checkpoint);
    for (const length of [bytes.length - 11, 2 ** 32 - 1]) {
      new DataView(bytes.buffer).setUint32(8, length, true);
      expectRefused(bytes, new RegExp(`at least ${12 + length} bytes long, since its header ends there`));
    }
  });

  function expectRefused(bytes: Uint8Array, accepted: RegExp): void {
    const size = `broken.bin (${bytes.length} bytes)`;
    const attempt = () => decodeCheckpoint(bytes, '--from', new Phrase(size));
    expect(attempt).toThrow(ArgumentError);
    expect(attempt).toThrow(`--from is ${size}, but it must be `);
    expect(attempt).toThrow(accepted);
  }
});

describe('bench', () => {
  const small = [
    'bench',
    '--backend',
    'cpu',
    '--only',
    'cpu-naive,cpu-grid',
    '--count',
    '200,300',
    '--repeat',
    '3',
  ];

  it('lists engines and scenes', async () => {
    const { code, out } = await cellstorm('bench', '--list');
    expect(code).toBe(0);
    expect(out).toMatch(/^cpu-grid +cpu +cellstorm +\S/m);
    expect(out).toMatch(/^uniform +\S/m);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(/cuda-grid gpu cellstorm [^.]*\. Left out without a program/);
    const { out: whole } = await cellstorm('bench', '--list', '--native', 'a-program');
    expect(whole).not.toContain('Left out');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('prints a table with the fastest engine of each case first, and writes the record', async () => {
    const path = join(folder, 'record.json');
    const { code, out, error } = await cellstorm(...small, '--out', path);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const lines = out.split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
    for (const count of [200, 300]) {
      const headline = lines.findIndex((line) => line.startsWith(`uniform 2D, ${count} bodies, `));
      const rows = lines.slice(headline + 1, headline + 3);
      expect(rows.map((row) => row.trim().split(' ')[0]).toSorted()).toEqual(['cpu-grid', 'cpu-naive']);
      expect(rows[0]).toMatch(/%.* 1\.0$/);
    }
    const record = JSON.parse(readFileSync(path, 'utf8'));
    expect(record).toMatchObject({ format: 'cellstorm-bench', seed: 1, repeat: 3, limit: 5000 });
    expect(record.ended > record.began).toBe(true);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(record.machine.copyBytesPerMs).toBeGreaterThan(0);
    expect(record.outcomes).toHaveLength(4);
    const against = await cellstorm(...small, '--csv', '--baseline', path);
    expect(against.code).toBe(0);
    expect(against.out.trim().split('\n')).toHaveLength(5);
    expect(against.error).toMatch(
      /^\nAgainst the baseline of \S+ \(\S+\): \d of 4 changed by more than the noise\./,
    );
  });

  it('writes the record after each case, and reports times that only the baseline has', async () => {
    const path = join(folder, 'cases.json');
    const read = () => JSON.parse(readFileSync(path, 'utf8'));
    const written: [number, unknown][] = [];
    const spy = vi.spyOn(CPU_NAIVE as { open: CpuEngine['open'] }, 'open').mockImplementation(({ count }) => {
      if (count === 300) written.push([read().outcomes.length, read().ended]);
      throw new Error('The roof fell in.');
    });
    try {
      const { code } = await cellstorm(...small, '--csv', '--out', path);
      expect(code).toBe(1);
      // When the second case begins, the record holds the first and has no end time.
      expect(written).toEqual([[2, undefined]]);
      expect(read().outcomes).toHaveLength(4);
      const before = { ...read(), seed: 2 };
      before.outcomes = before.outcomes.map((outcome: { engine: string }) =>
        outcome.engine === 'cpu-naive' ? { ...read().outcomes[1], engine: 'cpu-naive' } : outcome,
      );
      writeFileSync(path, JSON.stringify(before));
      const { error } = await cellstorm(...small, '--csv', '--baseline', path);
      const message = error.replaceAll(/\s+/g, ' ');
      expect(message).toContain('The seed was 2 and is 1 now.');
      expect(message).toContain(
        'cpu-naive had a time on uniform 2D, 200 bodies, and has none now: failed. The roof fell in.',
      );
    } finally {
      spy.mockRestore();
    }
  });

  it('runs repeated names once, and prints its results if --out can no longer be written', async () => {
    const path = join(folder, 'away', 'record.json');
    mkdirSync(join(folder, 'away'));
    const spy = vi.spyOn(CPU_NAIVE as { open: CpuEngine['open'] }, 'open').mockImplementation(() => {
      rmSync(join(folder, 'away'), { recursive: true, force: true });
      throw new Error('The roof fell in.');
    });
    try {
      const twice = ['--scene', 'uniform,uniform', '--dimensions', '2,2'];
      const { code, out, error } = await cellstorm(...small, ...twice, '--csv', '--out', path);
      expect(code).toBe(1);
      expect(out.trim().split('\n')).toHaveLength(5);
      expect(error.match(/cannot be written now \(ENOENT\)/g)).toHaveLength(2);
      expect(error).toMatch(/cellstorm: --out is .*, but it could not be written \(ENOENT\)\.\n$/);
    } finally {
      spy.mockRestore();
    }
  });

  it('prints each reason once, in lines no longer than the terminal', () => {
    const outcome = { engine: 'a', backend: 'cpu', scene: 'uniform', dimensions: 2, count: 1000 } as const;
    const reason =
      'It is far too cold for this engine, which was made for warmer places than the one that is here.';
    const outcomes = [
      { ...outcome, status: 'refused', reason },
      { ...outcome, status: 'refused', reason, engine: 'b' },
      { ...outcome, status: 'refused', reason, count: 2000 },
    ] as const;
    const machine = { cpu: 'one', cores: 1, runtime: 'Node', copyBytesPerMs: 1, copyBytes: 1 };
    const about = { version: '0', commit: undefined, began: '', seed: 1, repeat: 3, limit: 1000 };
    const record = { format: 'cellstorm-bench', formatVersion: 2, ...about, machine, outcomes } as const;
    const lines = describeRecord(record, 60).split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain(
      `uniform 2D, 1,000 and 2,000: a, b refused. ${reason}`,
    );
  });

  it('names the device of native engines', () => {
    const outcome = { engine: 'a', backend: 'gpu', scene: 'uniform', dimensions: 2, count: 9 } as const;
    const times = { median: 1, p95: 1, least: 1, most: 1, spread: 0, samples: 3 };
    const device = {
      name: 'a CPU',
      clock: 'wall',
      clockStep: 1,
      copyBytesPerMs: 3e6,
      copyBytes: 2 ** 20,
    } as const;
    const outcomes = [{ ...outcome, status: 'timed', total: times, device: device.name } as const];
    const machine = {
      cpu: 'one',
      cores: 1,
      runtime: 'Node',
      copyBytesPerMs: 1,
      copyBytes: 1,
      devices: [device],
    };
    const about = { version: '0', commit: undefined, began: '', seed: 1, repeat: 3, limit: 1000 };
    const record = { format: 'cellstorm-bench', formatVersion: 2, ...about, machine, outcomes } as const;
    expect(describeRecord(record, 100).split('\n')).toContain(
      'a on a CPU, copies 3.0 GB/s (1 MiB each), timed by the wall clock in steps of 1 ns',
    );
  });

  it('refuses a native engine without a program if --only names it, and otherwise leaves it out', async () => {
    const { code, out } = await cellstorm('bench', '--only', 'cuda-grid', '--count', '9', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out).outcomes).toMatchObject([{ engine: 'cuda-grid', status: 'refused' }]);
    // The scene does not allow this many bodies, so no engine is opened.
    const enginesOf = async (...flags: string[]) => {
      const nothing = ['--backend', 'gpu', '--scene', 'one-cell', '--count', '5000', '--json'];
      const { outcomes } = JSON.parse((await cellstorm('bench', ...nothing, ...flags)).out);
      return outcomes.map(({ engine }: { engine: string }) => engine);
    };
    const without = await enginesOf();
    expect(without).toContain('gpu-grid');
    expect(without).not.toContain('cuda-grid');
    expect(await enginesOf('--native', process.execPath)).toContain('cuda-grid');
  });

  it('ends with 1 if an engine was wrong or failed, but not if it was left out', async () => {
    const outcome = { engine: 'a', backend: 'cpu', scene: 'uniform', dimensions: 2, count: 1 } as const;
    const codeOf = (status: Status) => exitCodeOf([{ ...outcome, status }]);
    const isBad = (status: Status) => codeOf(status) === 1;
    expect(STATUSES.filter(isBad)).toEqual(['wrong', 'failed']);
  });

  it.each([
    [['--only', 'quadtree'], /^cellstorm: --only is quadtree, but it must be one of /],
    [['--only', 'cpu-grid', '--backend', 'gpu'], /none of these runs on --backend gpu/],
    [['--scene', 'nowhere'], /^cellstorm: --scene is nowhere, but it must be one of all, uniform, /],
    [['--json', '--csv'], /both choose what is printed/],
    [
      ['--out', 'no/where/at/all.json'],
      /^cellstorm: --out is .*, but no\/where\/at cannot be written to \(ENOENT\)\./,
    ],
    [['--out', 'src'], /^cellstorm: --out is src, but it must be a file\./],
    [
      ['--out', 'package.json/a.json'],
      /^cellstorm: --out is .*, but package\.json cannot be written to \(ENOTDIR\)\./,
    ],
    [['--repeat', '2'], /^cellstorm: --repeat is 2, but it must be a whole number from 3 to 1000\./],
    [['--native', 'nowhere'], /^cellstorm: --native is nowhere, which cannot be run \(ENOENT\)\./],
    [
      ['--baseline', 'nowhere.json'],
      /^cellstorm: --baseline is nowhere\.json, which cannot be read \(ENOENT\)\./,
    ],
    [
      ['--baseline', 'package.json'],
      /^cellstorm: --baseline is "another kind of JSON", but it must be a record/,
    ],
  ])('rejects %j', async (flags, sentence) => {
    const { code, out, error } = await cellstorm('bench', ...flags);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(sentence);
  });
});
