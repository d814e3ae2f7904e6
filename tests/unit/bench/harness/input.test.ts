import { describe, expect, it } from 'vitest';
import { CPU_ENGINES } from '../../../../bench/engines/cpu';
import { foldPairs, refusalOf } from '../../../../bench/harness/engine';
import { type InputOptions, readInput } from '../../../../bench/harness/input';
import { findExpected } from '../../../../bench/harness/oracle';
import { runBench } from '../../../../bench/harness/run';
import { type BenchScene, createBenchScene } from '../../../../bench/harness/scenes';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const floats = (values: readonly number[]) => new Uint8Array(Float32Array.from(values).buffer);

function sceneOf(bytes: Uint8Array, options: Partial<InputOptions> = {}, count?: number): BenchScene {
  const definition = readInput(bytes, { name: 'own.csv', ...options });
  const [dimensions = 2] = definition.dimensions;
  return createBenchScene(definition, { dimensions, count: count ?? definition.most ?? 0 });
}

const pairsOf = (scene: BenchScene) => findExpected(scene, scene.frame(0)).pairs;

function scatter(count: number): number[] {
  return Array.from({ length: count }, (_, index) => (index * 0.618_033_988_749_895) % 1);
}

describe('bodies from a file', () => {
  it('may be discs with radii, wherever they are and however small', () => {
    // Two of the three discs overlap. All are thousandths wide and far from the origin.
    const scene = sceneOf(bytesOf('x,y,radius\n-8,4,0.002\n-7.9975,4,0.001\n-7.99,4,0.004\n'));
    expect(scene).toMatchObject({ name: 'own.csv', dimensions: 2, count: 3, moves: false, min: [0, 0] });
    expect(pairsOf(scene)).toBe(1);
    // Sizes are scaled so that the widest body is at least 1 and less than 2 wide.
    expect(scene.radius).toBeGreaterThanOrEqual(0.5);
    expect(scene.radius).toBeLessThan(1);
    const [first = 0, second = 0, third = 0] = scene.radii ?? [];
    expect(third / first).toBeCloseTo(2, 2);
    expect(first / second).toBeCloseTo(2, 2);
  });

  it('may be boxes, which overlap if they touch', () => {
    const rows = ['x,y,half_x,half_y', '0,0,1,0.5', '2,0,1,0.5', '2,1.25,1,0.5', '6,0,1,0.5'];
    const scene = sceneOf(bytesOf(rows.join('\n')));
    expect(pairsOf(scene)).toBe(1);
    expect([...(scene.halfExtents ?? [])].slice(0, 2)).toEqual([0.5, 0.25]);
  });

  it('may be plain floats in 2D and in 3D, with a radius for all', () => {
    const values = [0, 0, 0, 3, 0, 0, 3, 4, 0];
    const in3D = { name: 'own.bin', dimensions: 3 } as const;
    expect(pairsOf(sceneOf(floats(values), { ...in3D, radius: 1.6 }))).toBe(1);
    expect(pairsOf(sceneOf(floats(values), { ...in3D, radius: 2.1 }))).toBe(2);
    expect(pairsOf(sceneOf(floats(values), { ...in3D, radius: 2.6 }))).toBe(3);
    expect(pairsOf(sceneOf(floats([0, 0, 0.75, 0.5, 5, 5]), { name: 'own.f32' }))).toBe(1);
  });

  it('are picked evenly if fewer are requested, and move between frames within their box', () => {
    const values = scatter(600).map((value) => 20 * value);
    const whole = sceneOf(floats(values), { name: 'own.bin' });
    const some = sceneOf(floats(values), { name: 'own.bin' }, 100);
    expect([whole.count, some.count]).toEqual([300, 100]);
    expect([...some.frame(0).subarray(2, 4)]).toEqual([...whole.frame(0).subarray(6, 8)]);
    const moved = whole.frame(1);
    expect(moved).not.toEqual(whole.frame(0));
    moved.forEach((value, index) => {
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(whole.max[index % 2] as number);
    });
  });

  it.each([2, 3] as const)('have the same pairs in every engine, in %dD', async (dimensions) => {
    const names = ['x', 'y', 'z'].slice(0, dimensions);
    const values = scatter(300 * dimensions).map((value) => 1e-3 * value - 7);
    const rows = Array.from({ length: 300 }, (_, body) => [
      ...values.slice(body * dimensions, (body + 1) * dimensions),
      2e-5 * (1 + (body % 4)),
    ]);
    const scene = sceneOf(
      bytesOf(`${[...names, 'radius'].join()}\n${rows.map((row) => row.join()).join('\n')}`),
    );
    const expected = findExpected(scene, scene.frame(0));
    expect(expected.pairs).toBeGreaterThan(0);
    for (const engine of CPU_ENGINES.filter((one) => refusalOf(one, scene) === undefined)) {
      const runner = await engine.open(scene);
      runner.place(scene.frame(0));
      runner.build();
      expect(foldPairs(runner.query()), engine.name).toEqual(expected);
    }
  });

  it('run as a scene with the name of the file; a count above that of the file is refused', async () => {
    const input = readInput(floats(scatter(200).map((value) => 9 * value)), { name: 'own.bin' });
    const { outcomes } = await runBench(
      {
        engines: CPU_ENGINES.filter(({ name }) => ['cpu-naive', 'cpu-grid'].includes(name)),
        scenes: [input],
        dimensions: input.dimensions,
        counts: [50, 100, 101],
        seed: 1,
        repeat: 3,
        limit: 5000,
      },
      { copyBytes: 2 ** 20 },
    );
    expect(outcomes.map(({ scene, count, status }) => [scene, count, status])).toEqual([
      ['own.bin', 50, 'timed'],
      ['own.bin', 50, 'timed'],
      ['own.bin', 100, 'timed'],
      ['own.bin', 100, 'timed'],
      ['own.bin', 101, 'refused'],
      ['own.bin', 101, 'refused'],
    ]);
  });

  it('may be a single body, or coincident bodies', () => {
    expect(pairsOf(sceneOf(bytesOf('x,y\n3,4\n')))).toBe(0);
    expect(pairsOf(sceneOf(bytesOf('x,y\n3,4\n3,4\n3,4\n')))).toBe(3);
  });

  it.each<[string, Uint8Array, Partial<InputOptions>, RegExp]>([
    [
      'a value that is no number',
      bytesOf('x,y\n1,2\n3,four\n'),
      {},
      /^own\.csv, line 3, column y is "four", but it must be a finite number/,
    ],
    [
      'an unknown column',
      bytesOf('x,y,mass\n1,2,3\n'),
      {},
      /^own\.csv, line 1, a column is "mass", but it must be one of id, x, y, z, .*radius/,
    ],
    ['a radius of 0', bytesOf('x,y,radius\n1,2,1\n3,4,0\n'), {}, /^own\.csv, line 3, column radius is 0/],
    ['no bodies', bytesOf('x,y\n'), {}, /^own\.csv has column names, but no particles/],
    [
      'the wrong dimensions',
      bytesOf('x,y,z\n1,2,3\n'),
      { dimensions: 2 },
      /^--dimensions is 2, but own\.csv has a column z; leave --dimensions out\.$/,
    ],
    [
      'a radius twice',
      bytesOf('x,y,radius\n1,2,3\n'),
      { radius: 2 },
      /^--radius is 2, but own\.csv has sizes of its own; leave --radius out\.$/,
    ],
    [
      'balls among boxes',
      bytesOf('id,x,y,half_x,half_y,radius\n7,1,2,1,1,0\n3,1,2,0,0,1\n'),
      {},
      /^own\.csv, the body with id 3 is a ball, but it must be a box/,
    ],
    [
      'a file that is cut off',
      floats([1, 2, 3]),
      { name: 'own.bin' },
      /^own\.bin is 12 bytes long, but it must be a multiple of 8: 32-bit floats, 2 per body/,
    ],
    ['an empty file', new Uint8Array(0), { name: 'own.bin' }, /^own\.bin is 0 bytes long/],
    [
      'a float that is not finite',
      floats([1, 2, 3, Number.NaN]),
      { name: 'own.bin' },
      /^own\.bin, value 4 \(y of body 1\) is NaN, but it must be a finite 32-bit float, little-endian/,
    ],
    [
      'bodies too far apart for their size',
      bytesOf('x,y,radius\n0,0,1\n1e8,0,1\n'),
      {},
      /^own\.csv: the narrowest body is 2 wide, the widest 2, and the bodies spread over 100000000\./,
    ],
  ])('are rejected: %s', (_what, bytes, options, message) => {
    expect(() => sceneOf(bytes, options)).toThrow(message);
  });
});
