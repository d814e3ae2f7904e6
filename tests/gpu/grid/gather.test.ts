import { describe } from 'vitest';
import { cellBytes } from '../../../src/core/world/cells';
import { defineWorld } from '../../../src/core/world/world';
import { Gather } from '../../../src/passes/grid/gather';
import { buildGrid } from '../../../src/reference/grid/grid';
import { createScene, worldOptions } from '../../../src/scenes';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import {
  allocateVectors,
  bitsOf,
  cellWords,
  DIMENSIONS,
  FOLD,
  MOST_FOLDED,
  readVectors,
  readWords,
  runPass,
  SMALL_COUNTS,
  share,
  shuffled,
  uploadVectors,
} from '../../helpers/passes';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';

const GUARD = 0xdead_beef;

interface Options {
  readonly name?: string;
  readonly count: number;
  readonly fold?: number;
  readonly velocities?: boolean;
  /** Every `odd`-th particle is not finite. */
  readonly odd?: number;
}

async function expectGathered(tools: GpuTools, dimensions: 2 | 3, options: Options): Promise<void> {
  const { name = 'uniform', count, fold, velocities: carries = true, odd = 0 } = options;
  const scene = createScene(name, { dimensions, count });
  // With `crowds`, another pass sorts crowded buckets: see crowd.test.ts.
  const world = defineWorld({ ...worldOptions(scene), crowds: false }, 2 * scene.radius, scene.count);
  const noise = createNoise(count);
  const positions = scene.positions.slice();
  for (let slot = 0; odd > 0 && slot < count; slot += odd) positions[slot * dimensions + 1] = Number.NaN;
  const velocities = scatterIn(noise, scene.min, scene.max, count);
  const ids = shuffled(
    Uint32Array.from({ length: count }, (_, index) => 3 * index),
    noise,
  );
  const expected = buildGrid(world, positions, velocities, ids);
  const slotOf = new Map([...ids].map((id, slot) => [id, slot] as const));
  const entries = new Uint32Array(2 * count);
  for (let bucket = 0; bucket + 1 < expected.start.length; bucket++) {
    const members = expected.ids.subarray(expected.start[bucket], expected.start[bucket + 1]);
    shuffled(members, noise).forEach((id, rank) => {
      entries.set([slotOf.get(id) as number, id], 2 * ((expected.start[bucket] as number) + rank));
    });
  }
  const gpu = tools.wrap(fold);
  const pass = await Gather.create(gpu, world, carries);
  const words = cellBytes(world) / 4;
  const output = {
    position_out: allocateVectors(tools, dimensions, 'position', count),
    velocity_out: allocateVectors(tools, dimensions, 'velocity', count),
    id_out: tools.upload('id', new Uint32Array(count + 1).fill(GUARD)),
    cell_of_slot: tools.upload('cell', new Uint32Array(words * (count + 1)).fill(GUARD)),
  };
  const group = pass.bind({
    entries: tools.upload('entries', entries),
    start: tools.upload('start', expected.start),
    position_in: uploadVectors(tools, dimensions, 'position', positions),
    velocity_in: uploadVectors(tools, dimensions, 'velocity', velocities),
    ...output,
  });
  const shared = await share(gpu, world, count);
  runPass(gpu, (encoder) => pass.encode(encoder, shared, group, count));
  const inCells = expected.start[world.cellCount] as number;
  const gotIds = await readWords(tools, output.id_out, count + 1);
  expectArraysEqual(gotIds.subarray(0, inCells), expected.ids.subarray(0, inCells), 'ids');
  // Quarantined particles keep the order of their entries.
  const aside = entries.filter((_, word) => word % 2 === 1).subarray(inCells);
  expectArraysEqual(gotIds.subarray(inCells), Uint32Array.of(...aside, GUARD), 'quarantined ids');
  const gotCells = await readWords(tools, output.cell_of_slot, words * (count + 1));
  const guards = new Array<number>(words).fill(GUARD);
  expectArraysEqual(gotCells, Uint32Array.of(...cellWords(world, expected), ...guards), 'cells');
  for (const [kind, buffer, source, present] of [
    ['position', output.position_out, positions, true],
    ['velocity', output.velocity_out, velocities, carries],
  ] as const) {
    const got = await readVectors(tools, dimensions, buffer, count);
    const moved = new Float32Array(count * dimensions);
    for (let slot = 0; present && slot < count; slot++) {
      const from = (slotOf.get(gotIds[slot] as number) as number) * dimensions;
      moved.set(source.subarray(from, from + dimensions), slot * dimensions);
    }
    expectArraysEqual(bitsOf(got), bitsOf(moved), kind);
  }
}

describe.each(DIMENSIONS)('the gather in %dD', (dimensions) => {
  for (const name of EQUAL_RADIUS_SCENES) {
    gpuTest(
      `puts the scene ${name} into canonical order`,
      (_, tools) => expectGathered(tools, dimensions, { name, count: 500 }),
      SHARED_CASE,
    );
  }

  gpuTest(
    'puts up to four workgroups of particles into canonical order, also in folded dispatches without velocities',
    async (_, tools) => {
      for (const count of [...SMALL_COUNTS, MOST_FOLDED]) {
        await expectGathered(tools, dimensions, { count });
        await expectGathered(tools, dimensions, { count, fold: FOLD, velocities: false });
      }
    },
    SHARED,
  );

  gpuTest(
    'keeps quarantined particles behind all cells, with every bit of their state',
    async (_, tools) => {
      await expectGathered(tools, dimensions, { count: 300, odd: 3 });
      await expectGathered(tools, dimensions, { count: 20, odd: 1 });
    },
    SHARED,
  );
});
