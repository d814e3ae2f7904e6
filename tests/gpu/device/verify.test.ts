import { describe, expect } from 'vitest';
import { wrapDevice } from '../../../src/gpu/device';
import { type VerifyCase, type VerifyOptions, verify } from '../../../src/verify/verify';
import { type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { DIMENSIONS } from '../../helpers/passes';
import { CHECKS, countIn, expectAllPass, VERIFIED_SCENES } from '../../helpers/verified-scenes';

async function casesOf(tools: GpuTools, options: VerifyOptions): Promise<VerifyCase[]> {
  const cases: VerifyCase[] = [];
  for await (const result of verify({ gpu: tools.wrap() }, options)) cases.push(result);
  return cases;
}

/** Only this scene runs in both tiers: a software GPU needs seconds per scene. */
const IN_BOTH_TIERS = 'mixed-pile 3D';

describe.each(DIMENSIONS)('verification in %dD', (dimensions) => {
  for (const [scene, checks] of VERIFIED_SCENES) {
    gpuTest(
      `passes in the scene ${scene}`,
      async (_, tools) => {
        const options = { scenes: [scene], dimensions: [dimensions], counts: [countIn(scene)], seed: 11 };
        const cases = await casesOf(tools, options);
        expectAllPass(cases);
        expect(cases.map(({ check }) => check)).toEqual(checks);
      },
      IN_BOTH_TIERS === `${scene} ${dimensions}D` ? SHARED : { ...SHARED, tags: 'full' },
    );
  }

  gpuTest(
    'passes with no particle, with one, and with one fewer than a workgroup has threads',
    async (_, tools) => {
      const options = { dimensions: [dimensions], scenes: ['lattice'], counts: [0, 1, 255] };
      const cases = await casesOf(tools, options);
      expectAllPass(cases);
      expect(cases).toHaveLength(3 * CHECKS.length);
    },
    { ...SHARED, tags: 'full' },
  );
});

gpuTest(
  'verification passes on 65,537 particles, for which the scan needs several blocks of cells',
  async (_, tools) => {
    const cases = await casesOf(tools, { scenes: ['uniform'], dimensions: [2], counts: [65_537] });
    expectAllPass(cases);
    const few = ['queries', 'index', 'cell size'];
    const capped = (check: string) => check.endsWith('naive') || few.includes(check);
    expect(cases.map(({ check }) => check)).toEqual(CHECKS.filter((check) => !capped(check)));
  },
  { ...SHARED, tags: 'full' },
);

interface Fault {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** The first check that fails with the fault. */
  readonly check: string;
  readonly scene?: string;
  readonly count?: number;
}

const FAULTS: readonly Fault[] = [
  { name: 'cells round to the nearest', from: 'floor(snap(', to: 'round(snap(', check: 'grid' },
  { name: 'ids descend in a cell', from: '[other].y < id', to: '[other].y > id', check: 'grid' },
  {
    name: 'block sums are incomplete',
    from: 'sum_of(counts[vector])',
    to: 'counts[vector].x',
    check: 'grid',
    count: 600,
  },
  {
    name: 'boxes exclude their low bounds',
    from: 'position >= box.low',
    to: 'position > box.low',
    check: 'boxes and rays',
  },
  {
    name: 'rays skip half of the rows near them',
    from: 'row_step <= u32(rows.y - rows.x)',
    to: 'row_step <= u32(rows.y - rows.x) / 2u',
    check: 'boxes and rays',
  },
  {
    name: 'touching boxes are excluded',
    from: '<= (*gathered).high',
    to: '< (*gathered).high',
    check: 'boxes',
    scene: 'lattice',
  },
  {
    name: 'touching boxes are excluded from chunks',
    from: 'all(met.low <= box.high)',
    to: 'all(met.low < box.high)',
    check: 'boxes',
    scene: 'lattice',
  },
  {
    name: 'all boxes are on the lowest level',
    from: 'radius = greatest_on(level);',
    to: 'radius = greatest_on(0u);',
    check: 'boxes',
  },
  { name: 'ranks are ignored', from: 'start[bucket] + rank;', to: 'start[bucket];', check: 'grid' },
  {
    name: 'the probe ends a cell early',
    from: 'start[above + 2u] - third',
    to: 'start[above + 1u] - third',
    check: 'measures grid',
  },
  {
    name: 'the hash ignores velocities',
    from: 'mix_word(hash, velocity[axis])',
    to: 'mix_word(hash, 0u)',
    check: 'measures grid',
    scene: 'gas',
  },
  {
    name: 'pairs overwrite each other',
    from: '.first + (*gathered).found]',
    to: '.first]',
    check: 'pairs grid',
  },
  {
    name: 'pushes are too strong by a part in 100,000',
    from: 'share * (2.0 * substep.half_relaxation)',
    to: '1.00001 * share * (2.0 * substep.half_relaxation)',
    check: 'separate grid',
  },
  {
    name: 'positions move by the old velocity',
    from: 'start + speed * substep.dt',
    to: 'start + (speed - substep.gravity * substep.dt) * substep.dt',
    check: 'step grid',
  },
  {
    name: 'particles never bounce',
    from: 'approach < (*gathered).fastest',
    to: 'approach < -1e30',
    check: 'step grid',
  },
  {
    name: 'naive pairs a particle with itself',
    from: 'base + index == except',
    to: 'false',
    check: 'measures naive',
  },
  {
    name: 'particles weigh the same, whatever their radius',
    from: 'other_mass / (own_mass + other_mass)',
    to: '0.5',
    check: 'separate grid',
    scene: 'mixed',
  },
  {
    name: 'walls ignore radii',
    from: 'let margin = Vector(particle.radius);',
    to: 'let margin = Vector(1.0);',
    check: 'separate grid',
    scene: 'mixed',
  },
  {
    name: 'friction ignores mass shares',
    from: '2.0 * substep.grip_share * share',
    to: 'substep.grip_share',
    check: 'step grid',
    scene: 'mixed',
  },
  {
    name: 'the hash ignores radii',
    from: 'mix_word(hash, coordinates.w)',
    to: 'hash',
    check: 'measures grid',
    scene: 'mixed',
  },
  {
    name: 'particles on lower levels are not found',
    from: 'levels | select(0u, 1u << grid.levels, has_finer(level, occupied))',
    to: 'levels',
    check: 'pairs',
    scene: 'one-large',
  },
  {
    name: 'the push out of a box takes the longest way',
    from: 'depths[axis] > depths[least]',
    to: 'depths[axis] < depths[least]',
    check: 'measures grid',
    scene: 'boxes-periodic',
  },
  {
    name: 'boxes next to balls are rounded',
    from: 'select(radius, 0.0, half.x > 0.0)',
    to: 'radius',
    check: 'measures grid',
    scene: 'boxes-periodic',
  },
  { name: 'counts are not cleared', from: 'counts[index] = vec4u();', to: '', check: 'repeats' },
  {
    name: 'wide searches skip the last cell of a row',
    from: 'start[base + block.length.x]',
    to: 'start[base + block.length.x - 1u]',
    check: 'boxes and rays',
  },
  {
    name: 'the nearest are not sorted',
    from: 'while (index > first && is_before(',
    to: 'while (index > first && false && is_before(',
    check: 'queries',
  },
  {
    name: 'the dispatch over a list ends with the last full workgroup',
    from: '(listed + WORKGROUP_SIZE - 1u)',
    to: 'listed',
    check: 'list',
  },
  {
    name: 'as many pairs end as begin',
    from: 'ended[id] = found.z',
    to: 'ended[id] = found.x',
    check: 'events',
  },
  {
    name: 'pairs reach as far as cells are wide',
    from: 'return substep.diameter_squared;',
    to: 'return 1.0 / (grid.inverse_cell_size * grid.inverse_cell_size);',
    check: 'cell size',
  },
  {
    name: "users' kernels have half the reach",
    from: 'bitcast<f32>(cellstorm_REACH_SQUARED_BITS)',
    to: '0.25 * bitcast<f32>(cellstorm_REACH_SQUARED_BITS)',
    check: 'kernel',
  },
];

describe('verification finds the fault', () => {
  for (const { name, from, to, check, scene = 'clustered', count = 200 } of FAULTS) {
    gpuTest(
      `that ${name}`,
      async (device) => {
        let changes = 0;
        const compile = device.createShaderModule;
        device.createShaderModule = (descriptor) => {
          const code = descriptor.code.replaceAll(from, to);
          if (code !== descriptor.code) changes++;
          return compile.call(device, { ...descriptor, code });
        };
        try {
          // The shared handle has cached kernels without the fault.
          const gpu = wrapDevice(device);
          for await (const result of verify({ gpu }, { scenes: [scene], dimensions: [2], counts: [count] })) {
            expect(result.pass, `${result.check}: ${result.detail}`).toBe(result.check !== check);
            if (!result.pass) break;
          }
        } finally {
          device.createShaderModule = compile;
        }
        expect(changes).toBeGreaterThan(0);
      },
      SHARED_CASE,
    );
  }
});
