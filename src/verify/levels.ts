/**
 * Checks grids of particles with variable radii. The GPU's grid must equal the reference, and the pairs of both engines
 * must equal those of the oracle. Scenes are dyadic, so there is one right answer.
 */

import { FINER_BUCKETS } from '../core/base/constants';
import { startLength } from '../core/world/cells';
import { createCpuLevelGrid } from '../cpu/grid/level-grid';
import { HashGrid } from '../engine/grid/hash-grid';
import { createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { toBodies } from '../gpu/layout';
import { Readback } from '../gpu/readback';
import { buildLevelGrid } from '../reference/grid/levels';
import { exactSizedPairs, type SizedParticles } from './exact';
import { type Finding, firstDifference } from './finding';
import { differenceOfList } from './lists';

/** The reference takes too long for more particles. */
const MOST_ASSIGNED = 70_000;

export function levelChecks(
  gpu: Gpu | undefined,
  scene: SizedParticles,
): (readonly [check: string, run: () => Promise<Finding>])[] {
  const onCpu = async () => checkSizedPairs(cpuPairs(scene), scene);
  if (!gpu) return [['pairs', onCpu]];
  return [
    ['grid', () => checkGrid(gpu, scene)],
    ['pairs', () => checkPairs(gpu, scene)],
    ['pairs cpu', onCpu],
  ];
}

function cpuPairs(scene: SizedParticles): Uint32Array {
  const { world, range, count, positions, radii } = scene;
  const grid = createCpuLevelGrid({ ...world, radii: range, capacity: count });
  grid.build(positions, radii);
  return grid.findPairs().pairs;
}

/** Gives `use` a grid, and an encoder that sorts the particles into it. Destroys the grid afterwards. */
async function withGrid<Result>(
  gpu: Gpu,
  { dimensions, world, range, count, positions, radii }: SizedParticles,
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

async function checkGrid(gpu: Gpu, scene: SizedParticles): Promise<Finding> {
  const { count, positions, radii, dimensions } = scene;
  if (count > MOST_ASSIGNED) return { pass: true, detail: `left out: more than ${MOST_ASSIGNED} particles` };
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
      const expectedBodies = Array.from(expected.ids).flatMap((id) => [
        ...positions.subarray(dimensions * id, dimensions * (id + 1)),
        radii[id] as number,
      ]);
      const got = new Float32Array(bodies).filter((_, word) => word % 4 < dimensions || word % 4 === 3);
      return firstDifference(
        [
          ['start', new Uint32Array(starts), expected.start],
          // Finer entries come after the `count` sorted particles.
          ['start of finer', new Uint32Array(finerStarts).map((first) => first - count), expected.finerStart],
          ['id', new Uint32Array(order), expected.ids],
          ['position', got, expectedBodies],
        ],
        'numbers equal',
      );
    });
  } finally {
    readback.destroy();
  }
}

async function checkPairs(gpu: Gpu, scene: SizedParticles): Promise<Finding> {
  const expected = exactSizedPairs(scene);
  return withGrid(gpu, scene, async (grid, encoder) => {
    // Surplus pairs need room, so that the comparison finds them.
    const list = await grid.pairs({ capacity: expected.length / 2 + 2 });
    list.encode(encoder);
    gpu.device.queue.submit([encoder.finish()]);
    const pairs = { count: expected.length / 2, pairs: expected };
    const difference = await differenceOfList(gpu, list, pairs);
    return difference
      ? { pass: false, detail: difference }
      : { pass: true, detail: `${pairs.count} pairs; their count and their dispatch are right` };
  });
}

export function checkSizedPairs(
  got: Uint32Array,
  scene: SizedParticles,
  expected = exactSizedPairs(scene),
): Finding {
  const { pass, detail } = firstDifference([['words of pairs', got, expected]], '');
  return pass ? { pass, detail: `${expected.length / 2} pairs` } : { pass, detail };
}
