/** Tests emitters and drains with the CPU engine, whose calls are synchronous. */
import { describe, expect, test } from 'vitest';
import { type CpuFluid, createCpuFluid, fluidWarnings } from '../../../../src/methods/fluid';
import { COLLECT_EVERY, Turnover } from '../../../../src/methods/fluid/turnover';
import { FOUNTAIN } from '../../../helpers/inputs/fluids';

const STEP = 1 / 120;

function run(fluid: CpuFluid, substeps: number): CpuFluid {
  for (let substep = 0; substep < substeps; substep++) fluid.step(STEP, 1);
  return fluid;
}

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
    // The drained ids are collected but not yet removed when a new particle gets one of them.
    expect(fluid.count).toBe(all - 1);
    expect(Array.from(fluid.add({ positions: Float32Array.of(0.7, 0.7) }))).toEqual([gone]);
    run(fluid, COLLECT_EVERY);
    expect(fluid.count).toBe(ids.length + 1);
    expect(fluid.read().ids).toContain(gone);
  });

  test('counts particles that exceed the capacity, and continues', () => {
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

  test('waits for a late list of drained ids, and then removes these ids except reused ones', async () => {
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
