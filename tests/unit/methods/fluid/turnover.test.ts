/** Emitters and drains, changes of settings, and checkpoints, on the CPU engine, whose calls are synchronous. */
import { describe, expect, test } from 'vitest';
import {
  type CpuFluid,
  createCpuFluid,
  type Emitter,
  type FluidCheckpoint,
  fluidWarnings,
} from '../../../src/methods/fluid';
import { emit, MOST_POINTS } from '../../../src/methods/fluid/emitters';
import { COLLECT_EVERY, Turnover } from '../../../src/methods/fluid/turnover';
import { FOUNTAIN } from '../../helpers/inputs/fluids';

const STEP = 1 / 120;

function run(fluid: CpuFluid, substeps: number): CpuFluid {
  for (let substep = 0; substep < substeps; substep++) fluid.step(STEP, 1);
  return fluid;
}

describe('emitters', () => {
  test.each([
    [2, [3, 0], { min: [0.2, 0.3], max: [0.5, 0.7] }, 3 * 0.4],
    [2, [-1, 2], { min: [0.3, 0.3], max: [0.6, 0.6] }, 0.3 * 3],
    [3, [0, 0, 2], { centre: [0.5, 0.5, 0.5], radius: 0.3 }, 2 * Math.PI * 0.3 ** 2],
  ] as const)(
    'add as many particles as flow through them, evenly (%dD, velocity %j)',
    (dimensions, velocity, region, flux) => {
      const spacing = dimensions === 2 ? 1 / 48 : 1 / 20;
      const scope = { dimensions, spacing, max: new Array<number>(dimensions).fill(1) };
      const emitter: Emitter = { ...region, velocity };
      const ways: number[] = new Array<number>(dimensions).fill(0);
      const counts: number[] = [];
      const steps = 20;
      for (let step = 0; step < steps; step++) {
        const { positions, velocities } = emit([emitter], scope, ways, STEP, () => true);
        expect(velocities).toHaveLength(positions.length);
        counts.push(positions.length / dimensions);
      }
      const expected = (flux * STEP * steps) / spacing ** dimensions;
      const total = counts.reduce((sum, count) => sum + count, 0);
      expect(Math.abs(total / expected - 1)).toBeLessThan(0.05);
      expect(Math.max(...counts)).toBeLessThan(3 * (total / steps));
      expect(ways[0]).toBeCloseTo((velocity[0] as number) * STEP * steps, 9);
    },
  );

  test('add the same number in one step as in many, and keep new particles apart', () => {
    const scope = { dimensions: 2, spacing: 1 / 32, max: [1, 1] } as const;
    const emitter: Emitter = { min: [0.2, 0.2], max: [0.6, 0.8], velocity: [2, 0] };
    const [whole, parts] = [
      [0, 0],
      [0, 0],
    ];
    const once = emit([emitter], scope, whole, 0.04, () => true).positions.length;
    let often = 0;
    for (let part = 0; part < 4; part++)
      often += emit([emitter], scope, parts, 0.01, () => true).positions.length;
    expect(once).toBe(often);
    const { positions } = emit([emitter], scope, whole, 0.05, (position) => (position[1] as number) < 0.5);
    const points: [number, number][] = [];
    for (let first = 0; first < positions.length; first += 2)
      points.push([positions[first] ?? 0, positions[first + 1] ?? 0]);
    expect(points.length).toBeGreaterThan(10);
    expect(Math.max(...points.map(([, y]) => y))).toBeLessThan(0.5);
    const distances = points.flatMap((one, index) =>
      points.slice(0, index).map((other) => Math.hypot(one[0] - other[0], one[1] - other[1])),
    );
    expect(Math.min(...distances)).toBeGreaterThan(0.5 / 32);
  });
});

describe('a fluid with emitters and drains', () => {
  test('continues from a checkpoint with the same bits, whenever it is taken', () => {
    const straight = run(createCpuFluid(FOUNTAIN), 40);
    const expected = straight.measure();
    expect(expected.count).toBeGreaterThan((FOUNTAIN.capacity as number) - 60);
    expect(expected).toMatchObject({ nonFinite: 0, outside: 0, inSolid: 0 });
    for (const at of [COLLECT_EVERY, 21]) {
      const first = run(createCpuFluid(FOUNTAIN), at);
      const checkpoint = structuredClone(first.checkpoint());
      const { emitters: _, drains: __, gravity: ___, ...rest } = FOUNTAIN;
      const other = createCpuFluid({ ...rest, fill: [{ min: [0, 0], max: [0.2, 0.2] }] });
      other.restore(checkpoint);
      expect(other.checkpoint()).toEqual(checkpoint);
      expect(run(other, 40 - at).measure()).toEqual(expected);
      expect(run(first, 40 - at).measure()).toEqual(expected);
    }
  });

  test('knows when each particle was added, also if an id is reused', () => {
    const fluid = createCpuFluid(FOUNTAIN);
    const seen = new Map(Array.from(fluid.read().ids, (id) => [id, 0]));
    let again = 0;
    for (let substep = 0; substep < 60; substep++) {
      const before = new Map(seen);
      const held = fluid.births.slice();
      run(fluid, 1);
      fluid.births.forEach((birth, id) => {
        if (birth === held[id]) return;
        expect(birth).toBe(Math.fround(fluid.time));
        if (before.has(id)) again++;
        seen.set(id, birth);
      });
      for (const id of fluid.read().ids) expect(fluid.births[id]).toBe(seen.get(id));
    }
    expect(seen.size).toBeGreaterThan(200);
    expect(again).toBeGreaterThan(5);
    fluid.remove(fluid.read().ids.slice(0, 1));
    const [id] = fluid.add({ positions: Float32Array.of(0.7, 0.7) });
    expect(fluid.births[id as number]).toBe(Math.fround(fluid.time));
  });

  test('drops drained particles at once, and frees their ids later', () => {
    const fluid = createCpuFluid({ ...FOUNTAIN, emitters: [], drains: [] });
    const all = fluid.count;
    fluid.set({ drains: [{ min: [0, 0], max: [0.5, 1] }] });
    run(fluid, 1);
    const { positions, ids } = fluid.read();
    expect(Math.min(...positions.filter((_, index) => index % 2 === 0))).toBeGreaterThan(0.45);
    expect(ids.length).toBeLessThan(0.6 * all);
    expect(fluid.measure()).toMatchObject({ count: ids.length, nonFinite: 0 });
    expect(fluid.count).toBe(all);
    fluid.set({ drains: [] });
    const gone = Uint32Array.from({ length: all }, (_, id) => id).find((id) => !ids.includes(id)) as number;
    fluid.remove([gone]);
    run(fluid, COLLECT_EVERY);
    // The ids are being collected, but are not removed yet; meanwhile one of them is reused.
    expect(fluid.count).toBe(all - 1);
    expect(Array.from(fluid.add({ positions: Float32Array.of(0.7, 0.7) }))).toEqual([gone]);
    run(fluid, COLLECT_EVERY);
    expect(fluid.count).toBe(ids.length + 1);
    expect(fluid.read().ids).toContain(gone);
  });

  test('counts particles beyond the capacity, and continues', () => {
    const fluid = createCpuFluid({ ...FOUNTAIN, drains: [], capacity: 220 });
    run(fluid, 30);
    const { count, missed } = fluid.measure();
    expect(count).toBe(220);
    expect(missed).toBeGreaterThan(20);
    run(fluid, 5);
    const later = fluid.measure();
    expect(later.missed).toBeGreaterThan(missed);
    expect(fluidWarnings(later, fluid)).toEqual([
      expect.stringMatching(
        /^Emitters could not add \d+ particles, because the fluid holds at most 220\. Create/,
      ),
    ]);
  });

  test('waits for a late list of drained ids, and then removes them except reused ones', async () => {
    const removed: number[][] = [];
    let tell = (_: Uint32Array): void => undefined;
    const turnover = new Turnover({
      take: () =>
        new Promise<Uint32Array>((resolve) => {
          tell = resolve;
        }),
      remove: (ids) => removed.push(Array.from(ids)),
    });
    turnover.mark();
    for (let done = 1; done <= COLLECT_EVERY; done++) expect(turnover.begin(done)).toBeUndefined();
    turnover.mark();
    turnover.spare([7]);
    const late = turnover.begin(2 * COLLECT_EVERY);
    expect(late).toBeInstanceOf(Promise);
    expect(removed).toEqual([]);
    tell(Uint32Array.of(3, 7));
    await late;
    expect(turnover.begin(2 * COLLECT_EVERY)).toBeUndefined();
    expect(removed).toEqual([[3]]);
  });
});

describe('settings that change', () => {
  test('apply from the next substep on, or not at all if one is invalid', () => {
    const fluid = createCpuFluid({ ...FOUNTAIN, emitters: [], drains: [], obstacles: [], transfer: 'flip' });
    fluid.set({ gravity: [0, 0], substeps: 3, blend: 0.5, correction: 0 });
    fluid.step(STEP);
    expect(fluid.measure()).toMatchObject({ substeps: 3, kineticEnergy: 0 });
    const { settings } = fluid;
    expect(settings).toMatchObject({ gravity: [0, 0], substeps: 3, blend: 0.5, separation: 1 });
    expect(() => fluid.set({ gravity: [0, 1], substeps: 0 })).toThrow(
      'substeps is 0, but it must be a whole number',
    );
    expect(fluid.settings).toEqual(settings);
    expect(() => fluid.set({ density: 2 } as never)).toThrow(
      'changes.density is 2, but it must be left out or renamed to one of gravity',
    );
  });

  test.each([
    [
      { emitters: [{ min: [0, 0], max: [1, 1] }] as never },
      'emitters[0].velocity is undefined, but it must be 2 numbers that are not all 0.',
    ],
    [{ emitters: [{ min: [0, 0], max: [1, 1], velocity: [0, 0] }] }, 'emitters[0].velocity is [0, 0], but'],
    [
      { emitters: [{ centre: [-2, 0], radius: 1, velocity: [1, 0] }] },
      'but it must be a region that overlaps the tank, which ends at 1,1.',
    ],
    [
      { emitters: [{ min: [0, 0], max: [1, 1], velocity: [0, 1e30] }] },
      'emitters[0].velocity[1] is 1e+30, but it must be a number from -524288 to 524288.',
    ],
    [{ emitters: 3 as never }, 'emitters is 3, but it must be a list of at most 16 regions with a velocity.'],
    [{ drains: [{ centre: [0, 0], radius: -1 }] }, 'drains[0].radius is -1, but'],
    [
      { drains: [{ centre: [0, 0], radius: 1, velocity: [0, 1] }] },
      'drains[0].velocity is [0, 1], but it must be left out',
    ],
    [{ blend: 0.5 }, "blend is 0.5, but it must be left out, unless transfer is 'flip'."],
  ])('are rejected: %o', (changes, message) => {
    expect(() => createCpuFluid(FOUNTAIN).set(changes)).toThrow(message);
  });

  test('reject an emitter with too many points', () => {
    const large = { dimensions: 3, cells: [64, 64, 64], cellSize: 1, capacity: 1 } as const;
    const emitters = [{ min: [0, 0, 0], max: [64, 64, 64], velocity: [1, 0, 0] }];
    expect(() => createCpuFluid({ ...large, emitters })).toThrow(`but at most ${MOST_POINTS} are accepted`);
  });
});

describe('a checkpoint', () => {
  test('may be taken while emitters are off; runs from it match once emitters are on again', () => {
    const fluid = run(createCpuFluid(FOUNTAIN), 3);
    fluid.set({ emitters: [] });
    const other = createCpuFluid(FOUNTAIN);
    other.restore(run(fluid, 1).checkpoint());
    const { emitters } = createCpuFluid(FOUNTAIN).settings;
    for (const one of [fluid, other]) one.set({ emitters });
    expect(run(other, 3).checkpoint()).toEqual(run(fluid, 3).checkpoint());
  });

  test('holds when each particle was added; without that, all count as initial', () => {
    const fluid = run(createCpuFluid(FOUNTAIN), 40);
    const { births, ...without } = fluid.checkpoint();
    expect(births).toEqual(
      Float32Array.from(fluid.checkpoint().particles.ids, (id) => fluid.births[id] ?? -1),
    );
    const other = createCpuFluid(FOUNTAIN);
    other.restore(fluid.checkpoint());
    for (const id of fluid.read().ids) expect(other.births[id]).toBe(fluid.births[id]);
    other.restore(without);
    expect(other.checkpoint().births?.every((birth) => birth === 0)).toBe(true);
  });

  test('fits a fluid with another transfer', () => {
    const checkpoint = run(createCpuFluid(FOUNTAIN), 3).checkpoint();
    const fluid = createCpuFluid({ ...FOUNTAIN, transfer: 'flip', blend: 0.9 });
    fluid.restore(checkpoint);
    expect(fluid.settings.blend).toBe(0.9);
    expect(run(fluid, 3).checkpoint().slopes).toBeUndefined();
    const back = createCpuFluid(FOUNTAIN);
    back.restore(fluid.checkpoint());
    expect(back.checkpoint().slopes?.every((slope) => slope === 0)).toBe(true);
  });

  test.each([
    [{ version: 2 }, 'checkpoint.version is 2, but it must be 1.'],
    [{ cells: [16, 8] }, 'checkpoint.cells is [16, 8], but it must be [16, 16], like this fluid.'],
    [{ cellSize: 1 }, 'checkpoint.cellSize is 1, but it must be 0.0625, like this fluid.'],
    [{ slopes: new Float32Array(3) }, 'checkpoint.slopes is'],
    [{ births: new Float32Array(3) }, 'checkpoint.births is'],
    [{ time: -1 }, 'checkpoint.time is -1, but it must be 0 or more seconds.'],
    [{ substeps: 0.5 }, 'checkpoint.substeps is 0.5, but'],
    [{ drained: Uint32Array.of(9999) }, 'checkpoint.drained is'],
    [
      { ways: [1, 2, 3] },
      'checkpoint.ways is [1, 2, 3], but it must be 2 numbers for each of at most 16 emitters.',
    ],
    [{ ways: [0, 1e300] }, 'checkpoint.ways[1] is 1e+300, but it must be a number from'],
    [{ settings: { correction: 2 } }, 'correction is 2, but it must be a number from 0 to 1.'],
    [{ obstacles: [{ shape: 'cone' }] }, `obstacles[0].shape is "cone", but it must be 'ball' or 'box'.`],
    [
      { particles: undefined },
      'checkpoint.particles is undefined, but it must be a checkpoint of particles.',
    ],
  ])('is rejected if it does not fit, and nothing changes: %o', (changes, message) => {
    const fluid = run(createCpuFluid(FOUNTAIN), 1);
    const before = fluid.checkpoint();
    const wrong = { ...before, ...changes } as FluidCheckpoint;
    expect(() => fluid.restore(wrong)).toThrow(message);
    expect(fluid.checkpoint()).toEqual(before);
  });
});
