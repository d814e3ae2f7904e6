import { describe, expect } from 'vitest';
import { RETIRED_BIT } from '../../../src/core/base/constants';
import { defineWorld } from '../../../src/core/world/world';
import { Scatter } from '../../../src/passes/grid/scatter';
import { countParticles } from '../../../src/reference/grid/count';
import { exclusiveScan } from '../../../src/reference/grid/scan';
import { scatterParticles } from '../../../src/reference/grid/scatter';
import { createScene, type Scene, worldOptions } from '../../../src/scenes';
import { createNoise } from '../../../src/testing/noise';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import {
  DIMENSIONS,
  FOLD,
  MOST_FOLDED,
  readWords,
  runPass,
  SMALL_COUNTS,
  share,
  shuffled,
  uploadVectors,
} from '../../helpers/passes';

const GUARD = 0xdead_beef;

interface Options {
  readonly ids?: Uint32Array;
  readonly fold?: number;
  readonly spoil?: (ranks: Uint32Array) => void;
}

/** Returns the pass's entries, two words each, and those of the reference for the same ranks. */
async function scatterScene(tools: GpuTools, scene: Scene, { ids, fold, spoil }: Options = {}) {
  const { dimensions, count, positions } = scene;
  const world = defineWorld(worldOptions(scene), 2 * scene.radius, scene.count);
  const gpu = tools.wrap(fold);
  const pass = await Scatter.create(gpu, world, ids !== undefined);
  const counted = countParticles(world, positions, count, ids);
  const start = exclusiveScan(counted.counts);
  const ranks = shuffledRanks(counted);
  const expected = scatterParticles(start, { cells: counted.cells, ranks }, ids);
  const given = ranks.slice();
  spoil?.(given);
  const entries = tools.upload('entries', new Uint32Array(2 * count + 2).fill(GUARD));
  const group = pass.bind({
    position_in: uploadVectors(tools, dimensions, 'position', positions),
    ranks: tools.upload('ranks', given),
    start: tools.upload('start', start),
    entries,
    ...(ids ? { id_in: tools.upload('id', ids) } : {}),
  });
  const shared = await share(gpu, world, count);
  runPass(gpu, (encoder) => pass.encode(encoder, shared, group, count));
  return { expected, got: await readWords(tools, entries, 2 * count + 2) };
}

/** Shuffles the ranks within each bucket, as atomics may do. */
function shuffledRanks({ cells, ranks }: { cells: Uint32Array; ranks: Uint32Array }): Uint32Array {
  const members = new Map<number, number[]>();
  cells.forEach((cell, particle) => {
    members.set(cell, [...(members.get(cell) ?? []), particle]);
  });
  const noise = createNoise(9);
  const dealt = ranks.slice();
  for (const particles of members.values()) {
    shuffled(particles, noise).forEach((particle, rank) => {
      dealt[particle] = rank;
    });
  }
  return dealt;
}

function expectScattered({ expected, got }: Awaited<ReturnType<typeof scatterScene>>): void {
  const { sources, ids } = expected;
  const words = Uint32Array.from([...sources].flatMap((source, index) => [source, ids[index] as number]));
  expectArraysEqual(got, Uint32Array.of(...words, GUARD, GUARD), 'entries');
}

describe.each(DIMENSIONS)('the scatter in %dD', (dimensions) => {
  gpuTest(
    'writes slot and id at the bucket’s start plus the rank, with and without a folded dispatch',
    async (_, tools) => {
      for (const count of [...SMALL_COUNTS, MOST_FOLDED]) {
        const scene = createScene('clustered', { dimensions, count });
        expectScattered(await scatterScene(tools, scene));
        expectScattered(await scatterScene(tools, scene, { fold: FOLD }));
      }
    },
    SHARED,
  );

  gpuTest(
    'keeps the caller’s ids, and writes removed and quarantined particles to their buckets',
    async (_, tools) => {
      const scene = createScene('one-cell', { dimensions, count: 600 });
      const ids = Uint32Array.from({ length: 600 }, (_value, slot) => (slot * 7919) % 600);
      for (let slot = 0; slot < 600; slot += 5) {
        scene.positions[slot * dimensions] = Number.NaN;
        if (slot % 2 === 0) ids[slot] = (ids[slot] as number) | RETIRED_BIT;
      }
      const result = await scatterScene(tools, scene, { ids });
      expectScattered(result);
      expect(result.expected.ids.slice(-60).every((id) => id >= RETIRED_BIT)).toBe(true);
    },
    SHARED,
  );

  gpuTest(
    'writes nothing past its entries, even with invalid ranks',
    async (_, tools) => {
      const scene = createScene('uniform', { dimensions, count: 300 });
      const spoil = (ranks: Uint32Array) => ranks.fill(300);
      const { got } = await scatterScene(tools, scene, { spoil });
      expect(new Set(got)).toEqual(new Set([GUARD]));
    },
    SHARED,
  );
});
