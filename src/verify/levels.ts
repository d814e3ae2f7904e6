/**
 * Purpose: holds grids of particles that each have a radius of their own against the reference: the GPU's integer for
 * integer, the pairs of both engines against brute force, or where that takes too long, against the CPU's index of
 * single objects, which shares no search with either. Inputs: a device, or none for the CPU engine alone; a scene.
 * Scenes are dyadic, so there is one answer.
 */

import { FINER_BUCKETS } from '../core/base/constants';
import { startLength } from '../core/world/cells';
import { createCpuGrid } from '../cpu/grid/grid';
import { HashGrid } from '../engine/grid/hash-grid';
import { createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { toBodies } from '../gpu/layout';
import { Readback } from '../gpu/readback';
import { buildLevelGrid } from '../reference/grid/levels';
import type { MixedScene } from '../scenes';
import { exactMixedPairs, type MixedParticles } from './exact';
import { type Finding, firstDifference } from './finding';
import { differenceOfList } from './lists';

/** Larger grids take plain JavaScript too long. */
const MOST_FILED = 70_000;

/** The checks of a scene by their names. */
export function levelChecks(
  gpu: Gpu | undefined,
  scene: MixedScene,
): (readonly [check: string, run: () => Promise<Finding>])[] {
  const onCpu = async () => checkMixedPairs(cpuPairs(scene), scene);
  if (!gpu) return [['pairs', onCpu]];
  return [
    ['grid', () => checkGrid(gpu, scene)],
    ['pairs', () => checkPairs(gpu, scene)],
    ['pairs cpu', onCpu],
  ];
}

function cpuPairs(scene: MixedScene): Uint32Array {
  const { world, range, count, positions, radii } = scene;
  const grid = createCpuGrid({ ...world, radii: range, capacity: count });
  grid.build(positions, radii);
  return grid.findPairs().pairs;
}

/** What a device makes of a scene's grid, while it lasts. */
async function withGrid<Result>(
  gpu: Gpu,
  { dimensions, world, range, count, positions, radii }: MixedScene,
  use: (grid: HashGrid, encoder: GPUCommandEncoder) => Promise<Result>,
): Promise<Result> {
  const bodies = toBodies(dimensions, positions, { radii });
  const grid = await HashGrid.create(gpu, { ...world, radii: range, capacity: count });
  const input = await createBuffers(gpu, 'verify.levels', { positions: bodies.byteLength });
  try {
    if (count > 0) gpu.device.queue.writeBuffer(input.buffers.positions, 0, bodies);
    const encoder = gpu.device.createCommandEncoder({ label: 'verify.levels' });
    grid.encode(encoder, { positions: input.buffers.positions, count });
    return await use(grid, encoder);
  } finally {
    input.destroy();
    grid.destroy();
  }
}

/** Starts of cells and of their finer entries, ids and sorted positions, integer for integer. */
async function checkGrid(gpu: Gpu, scene: MixedScene): Promise<Finding> {
  const { count, positions, radii, dimensions } = scene;
  if (count > MOST_FILED) return { pass: true, detail: `left out: more than ${MOST_FILED} particles` };
  const readback = new Readback(gpu, 'verify.levels');
  try {
    return await withGrid(gpu, scene, async ({ start, ids, positions: sorted, world }, encoder) => {
      const { cellCount } = world;
      const finerEnds = startLength(world) - cellCount - FINER_BUCKETS;
      const reading = readback.record(encoder, [
        { buffer: start, size: 4 * (cellCount + 1) },
        { buffer: start, offset: 4 * (cellCount + FINER_BUCKETS), size: 4 * finerEnds },
        { buffer: ids, size: 4 * count },
        { buffer: sorted, size: 16 * count },
      ]);
      gpu.device.queue.submit([encoder.finish()]);
      const [starts, finerStarts, order, bodies] = (await reading.finish()) as [
        ArrayBuffer,
        ArrayBuffer,
        ArrayBuffer,
        ArrayBuffer,
      ];
      const expected = buildLevelGrid(world, positions, radii);
      const places = Array.from(expected.ids).flatMap((id) => [
        ...positions.subarray(dimensions * id, dimensions * (id + 1)),
        radii[id] as number,
      ]);
      const got = new Float32Array(bodies).filter((_, word) => word % 4 < dimensions || word % 4 === 3);
      return firstDifference(
        [
          ['start', new Uint32Array(starts), expected.start],
          // Lists of finer entries follow on the slots.
          ['start of finer', new Uint32Array(finerStarts).map((first) => first - count), expected.finerStart],
          ['id', new Uint32Array(order), expected.ids],
          ['position', got, places],
        ],
        'numbers equal',
      );
    });
  } finally {
    readback.destroy();
  }
}

async function checkPairs(gpu: Gpu, scene: MixedScene): Promise<Finding> {
  const expected = exactMixedPairs(scene);
  return withGrid(gpu, scene, async (grid, encoder) => {
    // Room for one too many, so that it shows.
    const list = await grid.pairs({ capacity: expected.length / 2 + 2 });
    list.encode(encoder);
    gpu.device.queue.submit([encoder.finish()]);
    const pairs = { count: expected.length / 2, pairs: expected };
    const difference = await differenceOfList(gpu, list, pairs);
    return difference
      ? { pass: false, detail: difference }
      : { pass: true, detail: `${pairs.count} pairs, as counted and as dispatched` };
  });
}

/** Pairs, however found, against brute force or the index of single objects. */
export function checkMixedPairs(
  got: Uint32Array,
  scene: MixedParticles,
  expected = exactMixedPairs(scene),
): Finding {
  const { pass, detail } = firstDifference([['words of pairs', got, expected]], '');
  return pass ? { pass, detail: `${expected.length / 2} pairs` } : { pass, detail };
}
