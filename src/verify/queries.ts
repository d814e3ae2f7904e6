/**
 * Purpose: holds neighbour queries on the GPU against brute force: who is near, within the cell and beyond it, and
 * who is nearest. Inputs: a device, a scene. Output: what was seen, and whether it was right.
 * Scenes are dyadic, so every distance that matters is exact on both sides, and all comparisons are of equal bits.
 */
import type { World } from '../core/world';
import type { GridNear } from '../engine/grid-near';
import type { GridNearest } from '../engine/grid-nearest';
import { HashGrid } from '../engine/hash-grid';
import { createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { loadVector } from '../reference/contact';
import { findNear, type NearParticle } from '../reference/near';
import type { Scene } from '../scenes';
import { gridOptionsOf, particlesOf, placesFor } from './grids';

/** Particles at most: brute force looks at all of them from every point. */
export const QUERIES_LIMIT = 4096;

/** As many points are particles, and as many are beside them. */
const MOST_SOURCES = 48;
/** In diameters: three cells on each side. */
const WIDE_REACH = 2.5;
/** Of particles of many sizes: within these, squares of distances between them are exact (src/scenes/mixed.ts). */
const MIXED_REACHES = { narrow: 16, wide: 72 } as const;
const NEAREST = 8;
const UNUSED = 0xffff_ffff;

interface Queries {
  readonly scene: Scene;
  readonly world: World;
  /** Packed. */
  readonly points: Float32Array;
  /** For each point all that are nearer than `wide`, ids ascending. */
  readonly around: readonly NearParticle[][];
  /** The grid's diameter, and a radius beyond its cells; of many sizes, two over cells of several levels. */
  readonly narrow: number;
  readonly wide: number;
}

export async function checkQueries(gpu: Gpu, scene: Scene): Promise<{ pass: boolean; detail: string }> {
  const { dimensions, count } = scene;
  const grid = await HashGrid.create(gpu, gridOptionsOf(scene));
  const queries = ask(scene, grid.world);
  const { around, narrow, wide } = queries;
  const asked = queries.points.length / dimensions;
  const particles = particlesOf(scene);
  const points = placesFor(scene, queries.points);
  const input = await createBuffers(gpu, 'verify.queries', {
    positions: particles.byteLength,
    points: points.byteLength,
  });
  try {
    const { buffers } = input;
    // Deno takes no empty write.
    if (count > 0) gpu.device.queue.writeBuffer(buffers.positions, 0, particles);
    gpu.device.queue.writeBuffer(buffers.points, 0, points);
    const encoder = gpu.device.createCommandEncoder({ label: 'verify.queries' });
    grid.encode(encoder, { positions: buffers.positions, count });
    const capacity = Math.max(1, around.flat().length);
    const searches: [string, () => Promise<string | undefined>][] = [];
    for (const [name, radius] of [
      ['near', narrow],
      ['near beyond the cell', wide],
    ] as const) {
      const search = await grid.near({ points: asked, capacity, reach: radius });
      search.encode(encoder, { points: buffers.points, count: asked });
      searches.push([name, () => compareNear(queries, search, radius)]);
    }
    for (const [name, radius] of [
      ['nearest', narrow],
      ['nearest beyond the cell', wide],
    ] as const) {
      const search = await grid.nearest({ points: asked, k: NEAREST, radius });
      search.encode(encoder, { points: buffers.points, count: asked });
      searches.push([name, () => compareNearest(queries, search, radius)]);
    }
    gpu.device.queue.submit([encoder.finish()]);
    for (const [name, compare] of searches) {
      const difference = await compare();
      if (difference) return { pass: false, detail: `${name}: ${difference}` };
    }
    return { pass: true, detail: `${asked} points, ${around.flat().length} neighbours within ${wide}` };
  } finally {
    input.destroy();
    grid.destroy();
  }
}

/** Points on particles from all over the scene and beside them, and what brute force says of them. */
function ask(scene: Scene, world: World): Queries {
  const { dimensions, count, positions } = scene;
  const sources = Math.min(count, MOST_SOURCES);
  const places: number[] = [];
  for (let source = 0; source < sources; source++) {
    const place = loadVector(dimensions, positions, Math.floor((source * count) / sources));
    // Dyadic, and in another cell as often as not.
    places.push(...place, ...place.map((value, axis) => value + (axis === 1 ? -0.625 : 0.375)));
  }
  // Without particles, a point that nobody is near.
  if (places.length === 0) places.push(...world.cells.map(() => 0));
  const points = Float32Array.from(places);
  const half = Math.min(...world.period.map((length) => length || Number.POSITIVE_INFINITY)) / 2;
  const reaches = scene.radii
    ? MIXED_REACHES
    : { narrow: world.diameter, wide: Math.min(WIDE_REACH * world.diameter, half) };
  const around = Array.from({ length: points.length / dimensions }, (_, point) =>
    findNear(world, positions, loadVector(dimensions, points, point), reaches.wide),
  );
  return { scene, world, points, around, ...reaches };
}

function within(near: readonly NearParticle[], radius: number): NearParticle[] {
  return near.filter(({ distanceSquared }) => distanceSquared < radius * radius);
}

async function compareNear(
  { around }: Queries,
  search: GridNear,
  radius: number,
): Promise<string | undefined> {
  const { offsets, ids } = await search.read();
  for (const [point, near] of around.entries()) {
    const got = ids.subarray(offsets[point], offsets[point + 1]);
    const expected = within(near, radius).map(({ id }) => id);
    if (got.length !== expected.length) {
      return `point ${point} has ${got.length} neighbours instead of ${expected.length}`;
    }
    const place = expected.findIndex((id, index) => id !== got[index]);
    if (place >= 0)
      return `neighbour ${place} of point ${point} is ${got[place]} instead of ${expected[place]}`;
  }
  return undefined;
}

async function compareNearest(
  { around }: Queries,
  search: GridNearest,
  radius: number,
): Promise<string | undefined> {
  const { k, ids, distancesSquared } = await search.read();
  for (const [point, near] of around.entries()) {
    const expected = within(near, radius).sort(
      (a, b) => a.distanceSquared - b.distanceSquared || a.id - b.id,
    );
    for (let index = 0; index < k; index++) {
      const { id, distanceSquared } = expected[index] ?? {
        id: UNUSED,
        distanceSquared: Number.POSITIVE_INFINITY,
      };
      const place = k * point + index;
      if (ids[place] === id && distancesSquared[place] === distanceSquared) continue;
      return `${index} of point ${point} is ${ids[place]} at distance² ${distancesSquared[place]} instead of ${id} at ${distanceSquared}`;
    }
  }
  return undefined;
}
