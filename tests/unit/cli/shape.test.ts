import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseFlags } from '../../../src/cli/arguments';
import { readShape, reshape, SHAPE_FLAGS } from '../../../src/cli/shape';
import { planSimulation } from '../../../src/core/simulation/plan';
import { decodeCheckpoint } from '../../../src/core/state/state-file';
import { createScene, sceneOptions, wallOf } from '../../../src/scenes';
import { cellstorm, temporaryFolder } from '../../helpers/command-line';

const folder = temporaryFolder();
const RUN = ['simulate', '--backend', 'cpu', '--json'];

function shaped(name: string, dimensions: 2 | 3, ...argv: string[]) {
  const shape = readShape(parseFlags('simulate', SHAPE_FLAGS, argv), dimensions);
  const scene = reshape(createScene(name, { dimensions, count: 400 }), shape);
  return { scene, plan: planSimulation(sceneOptions(scene)) };
}

async function report(...argv: string[]) {
  const { out, error } = await cellstorm(...RUN, ...argv);
  expect(error).toBe('');
  return JSON.parse(out);
}

describe('the flags of simulate that change a scene', () => {
  it('set the radius of the largest particle, and keep positions and box', () => {
    const before = createScene('mixed', { dimensions: 2, count: 400 });
    const { scene, plan } = shaped('mixed', 2, '--radius', '16');
    expect(scene.radiusRange).toEqual({ smallest: 0.25, largest: 16 });
    expect(scene.radii).toEqual(before.radii?.map((radius) => radius / 4));
    expect([scene.positions, scene.min, scene.max]).toEqual([before.positions, before.min, before.max]);
    expect(plan.radius).toBe(16);
  });

  it('set the size of cells in diameters of the smallest particle', () => {
    expect(shaped('pile', 2, '--cell-size', '3').plan.world.cellSize).toBeCloseTo(3, 5);
    expect(shaped('pile', 2, '--radius', '1/4', '--cell-size', '3').plan.world.cellSize).toBeCloseTo(1.5, 5);
    // With levels and in an unbounded world, the size is rounded up to a power of two.
    expect(shaped('mixed', 2, '--cell-size', '3').plan.world.cellSize).toBeCloseTo(8, 5);
    expect(shaped('gas', 3, '--unbounded', '--cell-size', '3').plan.world.cellSize).toBe(4);
  });

  it('make the world periodic along the given axes, or along none', () => {
    const { plan } = shaped('pile', 3, '--periodic', 'x,z');
    expect(plan.world).toMatchObject({ kind: 'periodic', period: [plan.world.max[0], 0, plan.world.max[2]] });
    expect(shaped('periodic', 2, '--periodic', 'none').plan.world.kind).toBe('bounded');
    expect(shaped('channel', 2).plan.world.kind).toBe('periodic');
  });

  it('make the world unbounded', () => {
    expect(shaped('periodic', 2, '--unbounded').plan.world).toMatchObject({
      kind: 'unbounded',
      period: [0, 0],
    });
  });

  it.each<[string[], RegExp]>([
    [['--cell-size', '0.5'], /^cellstorm: --cell-size is 0\.5, but it must be from 1 to 2048 diameters; /],
    [['--cell-size', '4096'], /^cellstorm: --cell-size is 4096, but it must be from 1 to 2048 diameters; /],
    [['--radius', '0'], /^cellstorm: --radius is 0, but it must be greater than 0\.$/],
    [['--radius', '1e30'], /^cellstorm: With --radius, 2 · radius is 2\.0.*e\+30, but it must be a number/],
    [
      ['--gravity', 'down'],
      /^cellstorm: --gravity is down, but it must be a number, such as 0\.25 or 1\/4\.$/,
    ],
    [['--gravity', '1e39'], /^cellstorm: --gravity is -1e\+39, but it must be a finite number/],
    [['--periodic', 'z'], /^cellstorm: --periodic is z, but it must be one of x, y, none\.$/],
    [['--periodic', 'x,none'], /^cellstorm: --periodic is x,none, but "none" cannot be given with axes\.$/],
    [
      ['--periodic', 'x', '--scene', 'far-apart'],
      /^cellstorm: --periodic needs a box, but the scene far-apart has an unbounded world\.$/,
    ],
    [
      ['--periodic', 'x', '--cell-size', '100'],
      /^cellstorm: With --cell-size, --periodic, world\.max\[0\] is \d+, .* 3 cells = 300, since the axis is periodic\.$/,
    ],
    [
      ['--periodic', 'x', '--unbounded'],
      /^cellstorm: --unbounded cannot be given with --periodic; leave one out\.$/,
    ],
    [['--continuous', '--no-continuous'], /^cellstorm: --continuous cannot be given with --no-continuous/],
  ])('reject %j with one sentence and exit code 2', async (argv, message) => {
    const { code, out, error } = await cellstorm(...RUN, '--count', '100', ...argv);
    expect(error.trim()).toMatch(message);
    expect([code, out]).toEqual([2, '']);
  });

  it('reject a state file if they would change what it holds', async () => {
    for (const flags of [['--radius', '1'], ['--periodic', 'x'], ['--unbounded'], ['--no-continuous']]) {
      const { code, error } = await cellstorm(...RUN, '--from', 'state.bin', ...flags);
      expect(error).toMatch(
        new RegExp(`^cellstorm: --from continues .* cannot be given with ${flags[0]}\\.`),
      );
      expect(code).toBe(2);
    }
  });

  it('change the run, and the report names the world and its cells', async () => {
    const common = ['--count', '200', '--steps', '3'];
    const usual = await report(...common);
    expect(usual).toMatchObject({ world: 'box', cellSize: 1, continuous: false });
    const other = await report(...common, '--gravity', '0', '--periodic', 'x', '--cell-size', '4');
    expect(other).toMatchObject({ world: 'periodic along x', settings: { gravity: [0, 0] } });
    expect(other.measures.kineticEnergy).toBe(0);
    expect(other.cells).toBeLessThan(usual.cells);
    expect(other.measures.occupiedCells).toBeLessThan(usual.measures.occupiedCells / 8);
    expect(other.measures.candidates).toBeGreaterThan(5 * usual.measures.candidates);
    expect(other.measures.greatestOccupancy).toBeGreaterThan(4);
    const open = await report('--count', '200', '--steps', '60', '--no-walls');
    expect(open.measures.outside).toBeGreaterThan(50);
    expect(open.settings.walls).toBe(false);
  });

  it('apply cell size and gravity to a state file', async () => {
    const state = join(folder, 'state.bin');
    await report('--count', '200', '--steps', '3', '--out', state);
    const kept = await report('--from', state, '--steps', '0');
    const changed = await report('--from', state, '--steps', '0', '--cell-size', '2', '--gravity', '1');
    expect(changed).toMatchObject({ cellSize: 2, settings: { gravity: [0, -1] } });
    expect(changed.measures.hash).toBe(kept.measures.hash);
    expect(changed.measures.candidates).toBeGreaterThan(2 * kept.measures.candidates);
  });

  it('stop bullets at their wall, or let them fly through it', async () => {
    const wall = wallOf(createScene('bullets', { dimensions: 2, count: 100 }));
    const beyond = async (...flags: string[]) => {
      const path = join(folder, `bullets${flags.join('')}.bin`);
      const { continuous } = await report(
        ...['--scene', 'bullets', '--count', '100', '--steps', '1', '--out', path],
        ...flags,
      );
      const { positions } = decodeCheckpoint(readFileSync(path));
      const passed = positions.filter((at, index) => index % 2 === 0 && at > wall).length;
      return { continuous, passed };
    };
    expect(await beyond()).toEqual({ continuous: true, passed: 0 });
    expect(await beyond('--continuous')).toEqual({ continuous: true, passed: 0 });
    const through = await beyond('--no-continuous');
    expect(through.continuous).toBe(false);
    // A step of 50 to 62 diameters leads every bullet past the wall.
    expect(through.passed).toBe(100);
  });
});
