/**
 * Compares `near` and `nearest` with brute force, for a small radius and for a radius that reaches beyond the adjacent
 * cells. Scenes are dyadic, so distances must be equal.
 */
import type { World } from '../core/world/world';
import { HashGrid } from '../engine/grid/hash-grid';
import { createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { findNear, type NearParticle } from '../reference/query/near';
import { loadVector } from '../reference/solve/contact';
import type { Scene } from '../scenes';
import { findWithin } from './exact';
import { createFilled, farthestSearch, gridOptionsOf, particlesOf, pointsFor } from './grids';

/** The most particles: brute force tests all of them from each point. */
export const QUERIES_LIMIT = 4096;

/** Greatest number of particles to search around. Each gives two points. */
const MOST_SOURCES = 48;
/** Search radius in diameters; it needs three cells on each side. */
const WIDE_REACH = 2.5;
/** Squared distances within these radii are exact; see src/scenes/variable-radii.ts. */
const MIXED_REACHES = { narrow: 16, wide: 72 } as const;
const NEAREST = 8;
const UNUSED = 0xffff_ffff;

interface Queries {
  readonly points: Float32Array;
  /** Per point, all particles within `wide`, ids ascending. */
  readonly neighbours: readonly NearParticle[][];
  /** A particle exactly at the radius counts on the CPU, but not on the GPU. */
  readonly isWithin: (distanceSquared: number, radius: number) => boolean;
  /** The small search radius. */
  readonly narrow: number;
  /** The large search radius. */
  readonly wide: number;
}

interface NearLists {
  readonly offsets: ArrayLike<number>;
  readonly ids: Uint32Array;
}

interface NearestLists {
  readonly k: number;
  readonly ids: ArrayLike<number>;
  readonly distancesSquared: ArrayLike<number>;
}

export async function checkQueries(
  gpu: Gpu | undefined,
  scene: Scene,
): Promise<{ pass: boolean; detail: string }> {
  return gpu ? checkOnGpu(gpu, scene) : checkOnCpu(scene);
}

async function checkOnGpu(gpu: Gpu, scene: Scene): Promise<{ pass: boolean; detail: string }> {
  const { dimensions, count } = scene;
  const grid = await HashGrid.create(gpu, gridOptionsOf(scene));
  const queries = queriesForGpu(scene, grid.world);
  const asked = queries.points.length / dimensions;
  const particles = particlesOf(scene);
  const points = pointsFor(scene, queries.points);
  const input = await createBuffers(gpu, 'verify.queries', {
    positions: particles.byteLength,
    points: points.byteLength,
  });
  try {
    const { buffers } = input;
    // Deno rejects empty writes.
    if (count > 0) gpu.device.queue.writeBuffer(buffers.positions, 0, particles);
    gpu.device.queue.writeBuffer(buffers.points, 0, points);
    const encoder = gpu.device.createCommandEncoder({ label: 'verify.queries' });
    grid.encode(encoder, { positions: buffers.positions, count });
    const capacity = Math.max(1, queries.neighbours.flat().length);
    const searches: [string, () => Promise<string | undefined>][] = [];
    for (const [name, radius] of searchesOf('near', queries)) {
      const search = await grid.near({ points: asked, capacity, reach: radius });
      search.encode(encoder, { points: buffers.points, count: asked });
      searches.push([name, async () => compareNear(queries, await search.read(), radius)]);
    }
    for (const [name, radius] of searchesOf('nearest', queries)) {
      const search = await grid.nearest({ points: asked, k: NEAREST, radius });
      search.encode(encoder, { points: buffers.points, count: asked });
      searches.push([name, async () => compareNearest(queries, await search.read(), radius)]);
    }
    gpu.device.queue.submit([encoder.finish()]);
    for (const [name, compare] of searches) {
      const difference = await compare();
      if (difference) return { pass: false, detail: `${name}: ${difference}` };
    }
    return passed(queries);
  } finally {
    input.destroy();
    grid.destroy();
  }
}

function checkOnCpu(scene: Scene): { pass: boolean; detail: string } {
  const { dimensions } = scene;
  const grid = createFilled(scene);
  const queries = queriesForCpu(scene, grid.world);
  const points = Array.from(queries.neighbours, (_, point) => loadVector(dimensions, queries.points, point));
  for (const [name, radius] of searchesOf('near', queries)) {
    const lists = points.map((point) => {
      const ids: number[] = [];
      grid.near(point, radius, (id) => ids.push(id));
      return ids.sort((a, b) => a - b);
    });
    const offsets = [0];
    for (const { length } of lists) offsets.push((offsets.at(-1) as number) + length);
    const difference = compareNear(queries, { offsets, ids: Uint32Array.from(lists.flat()) }, radius);
    if (difference) return { pass: false, detail: `${name}: ${difference}` };
  }
  for (const [name, radius] of searchesOf('nearest', queries)) {
    const lists = points.map((point) => grid.nearest(point, NEAREST, radius));
    const ids = lists.flatMap((found) => padded(found.ids, UNUSED));
    const distancesSquared = lists.flatMap((found) =>
      padded(found.distancesSquared, Number.POSITIVE_INFINITY),
    );
    const difference = compareNearest(queries, { k: NEAREST, ids, distancesSquared }, radius);
    if (difference) return { pass: false, detail: `${name}: ${difference}` };
  }
  return passed(queries);
}

function padded(values: Iterable<number>, rest: number): number[] {
  const given = Array.from(values);
  return [...given, ...new Array<number>(NEAREST - given.length).fill(rest)];
}

function passed({ neighbours, wide }: Queries): { pass: boolean; detail: string } {
  const detail = `${neighbours.length} points, ${neighbours.flat().length} neighbours within ${wide}`;
  return { pass: true, detail };
}

function searchesOf(name: string, { narrow, wide }: Queries): readonly (readonly [string, number])[] {
  return [
    [name, narrow],
    [`${name} beyond the cell`, wide],
  ];
}

function queriesForGpu(scene: Scene, world: World): Queries {
  const points = choosePoints(scene);
  const reaches = reachesOf(scene, world);
  const neighbours = eachPoint(scene, points, (point) =>
    findNear(world, scene.positions, point, reaches.wide),
  );
  const isWithin = (distanceSquared: number, radius: number) => distanceSquared < radius * radius;
  return { points, neighbours, isWithin, ...reaches };
}

function queriesForCpu(scene: Scene, world: World): Queries {
  const points = choosePoints(scene);
  const reaches = reachesOf(scene, world);
  const neighbours = eachPoint(scene, points, (point) => findWithin(scene, point, reaches.wide));
  const isWithin = (distanceSquared: number, radius: number) => distanceSquared <= radius * radius;
  return { points, neighbours, isWithin, ...reaches };
}

function eachPoint<Found>(
  { dimensions }: Scene,
  points: Float32Array,
  find: (point: number[]) => Found,
): Found[] {
  return Array.from({ length: points.length / dimensions }, (_, point) =>
    find(loadVector(dimensions, points, point)),
  );
}

function reachesOf(scene: Scene, { diameter }: World): Pick<Queries, 'narrow' | 'wide'> {
  if (scene.radii) return MIXED_REACHES;
  return { narrow: diameter, wide: Math.min(WIDE_REACH * diameter, farthestSearch(scene)) };
}

/** Returns positions of particles all over the scene, and positions near them. */
function choosePoints({ dimensions, count, positions }: Scene): Float32Array {
  const sources = Math.min(count, MOST_SOURCES);
  const points: number[] = [];
  for (let source = 0; source < sources; source++) {
    const position = loadVector(dimensions, positions, Math.floor((source * count) / sources));
    // The second point is dyadic, and often in another cell.
    points.push(...position, ...position.map((value, axis) => value + (axis === 1 ? -0.625 : 0.375)));
  }
  // Without particles, search where nothing is near.
  if (points.length === 0) points.push(...new Array<number>(dimensions).fill(0));
  return Float32Array.from(points);
}

function within({ neighbours, isWithin }: Queries, point: number, radius: number): NearParticle[] {
  return (neighbours[point] ?? []).filter(({ distanceSquared }) => isWithin(distanceSquared, radius));
}

function compareNear(queries: Queries, { offsets, ids }: NearLists, radius: number): string | undefined {
  for (let point = 0; point < queries.neighbours.length; point++) {
    const got = ids.subarray(offsets[point], offsets[point + 1]);
    const expected = within(queries, point, radius).map(({ id }) => id);
    if (got.length !== expected.length) {
      return `point ${point} has ${got.length} neighbours instead of ${expected.length}`;
    }
    const wrong = expected.findIndex((id, index) => id !== got[index]);
    if (wrong >= 0)
      return `neighbour ${wrong} of point ${point} is ${got[wrong]} instead of ${expected[wrong]}`;
  }
  return undefined;
}

function compareNearest(
  queries: Queries,
  { k, ids, distancesSquared }: NearestLists,
  radius: number,
): string | undefined {
  for (let point = 0; point < queries.neighbours.length; point++) {
    const expected = within(queries, point, radius).sort(
      (a, b) => a.distanceSquared - b.distanceSquared || a.id - b.id,
    );
    for (let index = 0; index < k; index++) {
      const { id, distanceSquared } = expected[index] ?? {
        id: UNUSED,
        distanceSquared: Number.POSITIVE_INFINITY,
      };
      const entry = k * point + index;
      if (ids[entry] === id && distancesSquared[entry] === distanceSquared) continue;
      return `nearest ${index} of point ${point} is ${ids[entry]} at distance² ${distancesSquared[entry]} instead of ${id} at ${distanceSquared}`;
    }
  }
  return undefined;
}
