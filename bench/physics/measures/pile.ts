/** A pile that falls and settles: the scene, the steps and the figures of `cellstorm verify --long`. */
import type { Dimensions } from '../../../src/core/world/world';
import { createScene } from '../../../src/scenes';
import { advance, kineticEnergy, withRun } from '../engine';
import { type Case, FULL_PILE, type Sizes } from '../measure';
import { measureOverlaps } from '../overlaps';
import { fromScene } from '../scene';

const STEPS = 1000;

/**
 * Bars for piles of FULL_PILE particles: overlaps in percent of a diameter, and the rms speed in diameters/s. Each bar
 * is the larger value of the GPU (bench/RESULTS.md) and the CPU engine, rounded up. These values were measured before
 * the contact law had `limit` and `hold` (see src/core/contact/law.ts). With both, discs on the CPU engine miss the
 * bars of overlap: the mean is 0.774, the deepest is 7.21. The command:
 *     npm run bench:physics -- --engines cpu --only pile --full
 */
const BARS = {
  2: { mean: 0.685, deepest: 4.955, speed: 0.059 },
  3: { mean: 0.155, deepest: 3.67, speed: 0.0175 },
} as const;

export function pileCases(dimensions: Dimensions, { pile }: Sizes): Case[] {
  const scene = createScene('pile', { dimensions, count: pile });
  const diameter = 2 * scene.radius;
  const barOf = (name: keyof (typeof BARS)[Dimensions]) =>
    pile === FULL_PILE ? { most: BARS[dimensions][name] } : undefined;
  return [
    {
      group: 'pile',
      dimensions,
      scene: `${pile} ${dimensions === 2 ? 'discs' : 'spheres'}, ${STEPS} steps`,
      figures: [
        { name: 'mean overlap', unit: '%', bar: barOf('mean') },
        { name: 'deepest overlap', unit: '%', bar: barOf('deepest') },
        { name: 'rms speed', unit: 'diameters/s', bar: barOf('speed') },
      ],
      run: (engine) =>
        withRun(engine, fromScene(scene), async (run) => {
          const end = await advance(run, STEPS);
          const { mean, deepest } = measureOverlaps(dimensions, end.positions, diameter);
          return [100 * mean, 100 * deepest, Math.sqrt((2 * kineticEnergy(end)) / pile) / diameter];
        }),
    },
  ];
}
