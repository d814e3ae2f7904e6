import { describe, expect, it } from 'vitest';
import { defineShapes } from '../../../../src/core/particles/shapes';
import type { ParticleArrays, ParticleSimulation } from '../../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../../src/cpu';
import { type Inspected, inspectAll, type Verdict } from '../../../../src/page/view/inspect';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { probeCells } from '../../../../src/reference/query/probe';
import { findContact } from '../../../../src/reference/solve/contact';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { repeat } from '../../../../src/scenes/scene';
import { cornersIn } from '../../../helpers/inputs/vectors';
import { DIMENSIONS } from '../../../helpers/passes';

const SCENES = [
  ['packing', 300],
  ['negative', 200],
  ['periodic', 300],
  ['channel', 300],
  ['far-apart', 200],
  ['colliding-cells', 200],
  ['mixed', 250],
  ['mixed-periodic', 250],
  ['crates', 150],
  ['boxes-periodic', 150],
] as const;

const STRIDE = 13;

interface Known {
  readonly simulation: ParticleSimulation;
  readonly particles: ParticleArrays;
  readonly inspect: (id: number) => Inspected | undefined;
}

function open(name: string, dimensions: 2 | 3, count: number): Known {
  const simulation = createCpuSimulation(sceneOptions(createScene(name, { dimensions, count })));
  for (let step = 0; step < 4; step++) simulation.step(1 / 60);
  simulation.remove([3, 17, 40]);
  const particles = simulation.read() as ParticleArrays;
  return { simulation, particles, inspect: inspectAll(simulation.world, simulation.radius, particles) };
}

function idsOf({ candidates }: Inspected, ...verdicts: Verdict[]): number[] {
  return candidates
    .filter(({ verdict }) => verdicts.includes(verdict))
    .map(({ id }) => id)
    .sort((a, b) => a - b);
}

describe.each(DIMENSIONS)('inspecting in %dD', (dimensions) => {
  for (const [name, count] of SCENES) {
    it(`agrees with the reference's grid in the scene ${name}`, () => {
      const { simulation, particles, inspect } = open(name, dimensions, count);
      const { world } = simulation;
      const { radii, halfExtents } = particles;
      const sizes =
        radii && halfExtents ? defineShapes(dimensions, radii, halfExtents) : radii ? { radii } : {};
      const grid = buildGrid(world, particles.positions, particles.velocities, particles.ids, sizes);
      let strangers = 0;
      for (const id of particles.ids.filter((_, index) => index % STRIDE === 0)) {
        const inspected = inspect(id) as Inspected;
        const slot = grid.slots[id] as number;
        expect(inspected.slot).toBe(slot);
        expect(inspected.own?.bucket).toBe(grid.cells[slot]);
        expect(inspected.own?.cell).toEqual(
          Array.from(grid.lattices.subarray(dimensions * slot, dimensions * (slot + 1))),
        );
        const { start, end } = inspected.own as { start: number; end: number };
        expect([start, end]).toEqual([
          grid.start[grid.cells[slot] as number],
          grid.start[(grid.cells[slot] as number) + 1],
        ]);
        expect(slot).toBeGreaterThanOrEqual(start);
        expect(slot).toBeLessThan(end);
        const others: number[] = [];
        const met: number[] = [];
        probeCells(world, grid, slot, (other) => {
          others.push(grid.ids[other] as number);
          if (findContact(world, { diameter: world.diameter }, grid, slot, other)) {
            met.push(grid.ids[other] as number);
          }
        });
        expect(idsOf(inspected, 'contact', 'apart')).toEqual(others.sort((a, b) => a - b));
        expect(idsOf(inspected, 'contact')).toEqual(met.sort((a, b) => a - b));
        const all = Array.from(grid.ids).filter(
          (_, other) =>
            other !== slot &&
            findContact(world, { diameter: world.diameter }, grid, slot, other) !== undefined,
        );
        expect(idsOf(inspected, 'contact')).toEqual(all.sort((a, b) => a - b));
        expect(idsOf(inspected, 'itself')).toEqual([id]);
        // A stranger shares a bucket, but lies in no probed cell.
        const probed = new Set(inspected.probe.flatMap(({ ids }) => ids));
        expect(idsOf(inspected, 'stranger').filter((stranger) => probed.has(stranger))).toEqual([]);
        expect(
          inspected.candidates.filter(({ id: found, slot: other }) => grid.ids[other] !== found),
        ).toEqual([]);
        for (const cell of inspected.probe) {
          const slice = Array.from(grid.ids.subarray(cell.start, cell.end));
          expect(cell.ids.every((member) => slice.includes(member))).toBe(true);
        }
        strangers += idsOf(inspected, 'stranger').length;
        const { own, position } = inspected;
        const isInside = position.every(
          (value, axis) => value >= (world.min[axis] as number) && value < (world.max[axis] as number),
        );
        if (own && isInside) {
          position.forEach((value, axis) => {
            const slack = 2 ** -18 * Math.abs(value) + world.cellSize * 2 ** -10;
            expect(value).toBeGreaterThanOrEqual((own.min[axis] as number) - slack);
            expect(value).toBeLessThanOrEqual((own.max[axis] as number) + slack);
          });
        }
      }
      if (name === 'colliding-cells') expect(strangers).toBeGreaterThan(0);
      if (name === 'packing' || name === 'negative') expect(strangers).toBe(0);
    });
  }

  it('reports the distance and the overlap of each candidate', () => {
    const side = (x: number) => [x, ...new Array<number>(dimensions - 1).fill(2)];
    const positions = Float32Array.from([side(2), side(2.5), side(3.25), side(7)].flat());
    const simulation = createCpuSimulation({
      dimensions,
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(8, dimensions),
      positions,
    });
    const inspect = inspectAll(simulation.world, 0.5, simulation.read() as ParticleArrays);
    const inspected = inspect(0) as Inspected;
    expect(
      inspected.candidates.map(({ id, verdict, distance, overlap, reach }) => [
        id,
        verdict,
        distance,
        overlap,
        reach,
      ]),
    ).toEqual([
      [0, 'itself', 0, 1, 1],
      [1, 'contact', 0.5, 0.5, 1],
      [2, 'apart', 1.25, -0.25, 1],
    ]);
    expect(inspected).toMatchObject({ slot: 0, position: side(2), radius: 0.5, halves: undefined });
    const corner = cornersIn(dimensions);
    expect(inspected.own).toMatchObject({ min: corner(2), max: corner(3) });
    expect(inspected.probe).toHaveLength(3 ** dimensions);
    expect(inspect(4)).toBeUndefined();
  });

  it('reports no cell and no candidates for a quarantined particle', () => {
    const { simulation, particles } = open('gas', dimensions, 60);
    const positions = particles.positions.slice();
    positions[0] = Number.NaN;
    const inspected = inspectAll(simulation.world, simulation.radius, { ...particles, positions })(
      particles.ids[0] as number,
    );
    expect(inspected).toMatchObject({
      own: undefined,
      probe: [],
      candidates: [],
      slot: particles.ids.length - 1,
    });
  });
});
