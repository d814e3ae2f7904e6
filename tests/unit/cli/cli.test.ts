import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { decodeCheckpoint, encodeCheckpoint } from '../../../src/core/state/state-file';
import { createCpuSimulation } from '../../../src/cpu';
import { createScene, sceneNames, sceneOptions } from '../../../src/scenes';
import type { VerifyCase } from '../../../src/verify/verify';
import { cellstorm, spawnCellstorm, temporaryFolder } from '../../helpers/command-line';

const folder = temporaryFolder();

describe('cellstorm', () => {
  it.each<[string[], RegExp]>([
    [
      ['simulate', '--foo', '1'],
      /^cellstorm: --foo is not a flag of "cellstorm simulate", which accepts --scene/,
    ],
    [['simulate', '--count', '-5'], /^cellstorm: --count is -5, but it must be a whole number from 0 to/],
    [['simulate', '--count', 'many'], /^cellstorm: --count is many, /],
    [['simulate', '--scene', 'nope'], /^cellstorm: --scene is nope, but it must be one of uniform, gas/],
    [['simulate', '--scene'], /^cellstorm: --scene needs a value: --scene name\. See /],
    [['simulate', '--seed', '1', '--seed', '2'], /^cellstorm: --seed was given twice/],
    [['simulate', '--json=yes'], /^cellstorm: --json takes no value/],
    [['simulate', '--backend', 'cpu', '--count', '1000000000'], /at most \d+ particles fit\.$/],
    [['simulate', '--backend', 'cpu', '--restitution', '7'], /^cellstorm: --restitution is 7, .*from 0 to 1/],
    [['simulate', '--backend', 'cpu', '--friction', '11'], /^cellstorm: --friction is 11, .*from 0 to 10\.$/],
    [['simulate', '--backend', 'cpu', '--dt', '1e-40'], /^cellstorm: --dt is 1e-40, .* 0 or at least/],
    [['simulate', '--backend', 'cpu', '--dt', '-1'], /^cellstorm: --dt is -1, /],
    [
      ['simulate', '--dt', '16'],
      /^cellstorm: --dt is 16, .* at most 1 s \(milliseconds\? then pass 0\.016\)/,
    ],
    [['simulate', '--backend', 'cpu', '--out', tmpdir()], /^cellstorm: --out is .*it must be a file/],
    [
      ['simulate', '--backend', 'cpu', '--image', '/no/such/folder/x.png'],
      /^cellstorm: --image is .*does not exist/,
    ],
    [['simulate', '--backend', 'cpu', '--from', '/no/such/state.bin'], /^cellstorm: --from is .*ENOENT/],
    [
      ['simulate', '--from', 'state.bin', '--scene', 'gas', '--seed', '3'],
      /^cellstorm: --from continues with the particles and the world of its state, .* with --scene, --seed\.$/,
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
    [
      ['verify', '--browser', 'netscape'],
      /^cellstorm: --browser is netscape, .* chrome, chromium, edge, firefox or the path of a browser\.$/,
    ],
    [
      ['verify', '--browser', 'chrome', '--long'],
      /^cellstorm: --browser cannot be given with --long; leave one out\.$/,
    ],
    [
      ['verify', '--browser', 'chrome', '--backend', 'gpu'],
      /^cellstorm: --browser cannot be given with --backend/,
    ],
    [
      ['verify', '--exact', '--count', '5'],
      /^cellstorm: --exact cannot be given with --count; leave one out\.$/,
    ],
    [['verify', '--limit', '5'], /^cellstorm: --limit needs --browser/],
    [['verify', '--browser', 'chrome', '--limit', '0'], /^cellstorm: --limit is 0, .* from 1 to 86400\.$/],
    [
      ['verify', '--steps', '0'],
      /^cellstorm: --steps is 0, but it must be a whole number from 1 to 100000\.$/,
    ],
    [
      ['simulate', '--dt', '1/0'],
      /^cellstorm: --dt is 1\/0, but it must be a number, such as 0\.25 or 1\/4\.$/,
    ],
    [['conquer'], /^cellstorm: "conquer" is not a command/],
    [['simulat'], /^cellstorm: "simulat" is not a command .*\. Did you mean simulate\?$/],
    [['help', 'verfy'], /^cellstorm: "verfy" is not a command .*\. Did you mean verify\?$/],
    [['verify', '--cuont', '3'], /^cellstorm: --cuont is not a flag .*\. Did you mean --count\?$/],
    [['simulate', '--scene', 'pyle'], /^cellstorm: --scene is pyle, .*\. Did you mean pile\?$/],
    [['verify', '--constructor'], /^cellstorm: --constructor is not a flag of "cellstorm verify"/],
    // The value of --browser is optional, so the flag after it is not its value.
    [['verify', '--browser', '--long'], /^cellstorm: --browser cannot be given with --long/],
    [['verify', '--long', '--browser'], /^cellstorm: --browser cannot be given with --long/],
  ])('rejects %j with one line and exit code 2', async (argv, message) => {
    const { code, out, error } = await cellstorm(...argv);
    expect(error.trim()).toMatch(message);
    expect(error.trim().split('\n')).toHaveLength(1);
    expect(out).toBe('');
    expect(code).toBe(2);
  });

  it('has short names for --help and --version', async () => {
    for (const command of [[], ['info'], ['verify'], ['simulate'], ['bench']]) {
      const [long, short] = [await cellstorm(...command, '--help'), await cellstorm(...command, '-h')];
      expect(short).toEqual(long);
      expect(short).toMatchObject({ code: 0, error: '' });
      if (command.length > 0)
        expect(short.out).toMatch(/CELLSTORM_DRIVER +driver of the GPU: auto, system, /);
    }
    expect(await cellstorm('-v')).toEqual(await cellstorm('--version'));
    expect((await cellstorm('-v')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('prints the same help for "help simulate" as for "simulate --help"', async () => {
    const help = await cellstorm('simulate', '--help');
    expect(help.out).toMatch(/^Example: npx cellstorm simulate --scene drum /m);
    expect(await cellstorm('help', 'simulate')).toEqual(help);
  });

  it('accepts a fraction as a time step', async () => {
    const run = ['simulate', '--backend', 'cpu', '--count', '5', '--steps', '1', '--json'];
    const reports = [];
    for (const dt of ['1/32', '0.03125']) reports.push(JSON.parse((await cellstorm(...run, '--dt', dt)).out));
    const [fraction, decimal] = reports;
    expect(fraction.dt).toBe(1 / 32);
    expect(fraction.measures).toEqual(decimal.measures);
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
        for (const text of [texts[1], texts[2], texts.at(-1)])
          expect(text?.split(/\s+/).join(' ')).toContain(sceneNames().join(', '));
        outputs.push(texts);
      }
    } finally {
      for (const { stream, was } of terminals) Object.assign(stream, was);
    }
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
    // Only restoring detects a wrong time.
    await expectRefused({ time: -1 }, `--from is ${path}, in which checkpoint.time is -1, but it must be `);
    await expectRefused({}, 'cellstorm: --restitution is 7, ', '--restitution', '7');
  });

  it('says how many substeps large particles on small ones need', async () => {
    const path = join(folder, 'heavy-on-light.bin');
    const simulation = createCpuSimulation({
      dimensions: 3,
      min: [0, 0, 0],
      max: [160, 160, 160],
      positions: Float32Array.of(80, 1, 80, 80, 42, 80),
      radii: Float32Array.of(1, 40),
      gravity: [0, -9.81, 0],
    });
    writeFileSync(path, encodeCheckpoint(simulation.checkpoint()));
    const run = ['simulate', '--backend', 'cpu', '--dimensions', '3', '--from', path, '--steps', '1'];
    const words =
      'The largest radius is 40 times the smallest. With 8 substeps the largest particles sink into the smallest ones below them. Add --substeps 13.';
    const table = await cellstorm(...run);
    expect(table).toMatchObject({ code: 0, error: '' });
    expect(table.out.split(/\s+/).join(' ')).toContain(words);
    expect(JSON.parse((await cellstorm(...run, '--json')).out)).toMatchObject({ warning: words });
    const enough = await cellstorm(...run, '--json', '--substeps', '13');
    expect(JSON.parse(enough.out)).toMatchObject({ warning: null });
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
    expect(table.out).not.toContain('written');
    const again = await cellstorm(...common.slice(0, 3), '--steps', '0', '--from', state, '--out', state);
    expect(again.out.split(/\s+/).join(' ')).toContain(`written ${state}`);
    expect(JSON.parse(rest.out).measures.hash).toBe(JSON.parse(whole.out).measures.hash);
    expect(JSON.parse(half.out).measures.hash).not.toBe(JSON.parse(whole.out).measures.hash);
    const { data, width, height } = decode(readFileSync(image));
    const background = [16, 18, 24];
    let drawn = 0;
    for (let pixel = 0; pixel < width * height; pixel++) {
      if (background.some((value, channel) => data[3 * pixel + channel] !== value)) drawn++;
    }
    // The box is a little higher than the stack; discs cover about 0.8 of their lattice.
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

  it('reports that a state of a driven scene continues without the drive', async () => {
    const [first, second] = ['turned', 'further'].map((name) => join(folder, `${name}.bin`)) as [
      string,
      string,
    ];
    const common = ['simulate', '--backend', 'cpu', '--steps', '1', '--json'];
    await cellstorm(...common, '--scene', 'hourglass', '--count', '20', '--out', first);
    await cellstorm(...common, '--from', first, '--out', second);
    const { out } = await cellstorm(...common, '--from', second);
    const description = `continued from ${second}, a state of the scene hourglass, whose gravity and obstacles no longer move`;
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
    expect(plain.warning ?? '').not.toContain('--crowds changes nothing');
    expect(made.warning).toContain(
      '--crowds changes nothing with --backend cpu: only the GPU splits crowded cells among threads.',
    );
    for (const flags of [[], ['--crowds']]) {
      const rest = await cellstorm(...common, '--from', state, ...flags);
      expect(JSON.parse(rest.out).crowds).toBe(flags.length > 0);
    }
  });

  it('compares exact simulations of the CPU engine with their recorded hashes', async () => {
    const { code, out } = await cellstorm('verify', '--exact', '--backend', 'cpu', '--dimensions', '2');
    expect(out).toMatch(/8 of 8 checks passed\..* This device: 8 of 8 recorded hashes\./);
    expect(code).toBe(0);
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
    expect(report).toMatchObject({ complaints: [], notes: [], options: { counts: [100] } });
    expect(report.runtime).toBe(`Node ${process.version}`);
    expect(report.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(report.cases[0]).toMatchObject({ scene: 'lattice', dimensions: 2, count: 100, pass: true });
    const checks = report.cases.map(({ check }: VerifyCase) => check);
    expect(checks).toEqual(expect.arrayContaining(['queries', 'events', 'index', 'cell size']));
    expect(code).toBe(0);
  });
});
