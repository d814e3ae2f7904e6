/** Finds the occupied cells of an unbounded world on the CPU, and gives buckets colours. */
import { shapesOf } from '../../core/particles/shapes';
import { bucketOfLattice, latticeOfParticle } from '../../core/world/cells';
import { bucketAt, latticeAt, levelOf } from '../../core/world/levels';
import { mergeLevels } from '../../core/world/merged-levels';
import type { ParticleArrays, World } from '../../index';
import { isFiniteParticle } from '../../reference/measure/finite';
import type { Rgb } from '../model/colour';
import { BUCKET_TONES } from '../model/overlay-look';

export interface OccupiedCell {
  readonly min: readonly number[];
  readonly size: number;
  readonly bucket: number;
  readonly occupancy: number;
  readonly isShared: boolean;
}

export function occupiedCells(given: World, particles: ParticleArrays): OccupiedCell[] {
  const { dimensions, levels } = given;
  const { positions, ids } = particles;
  const { radii } = shapesOf(dimensions, particles);
  const world = mergeLevels(given, positions, radii);
  const found = new Map<string, { level: number; lattice: number[]; bucket: number; occupancy: number }>();
  const inBucket = new Map<number, number>();
  for (let index = 0; index < ids.length; index++) {
    if (!isFiniteParticle(dimensions, positions, index)) continue;
    const level = levels > 0 ? levelOf(world, radii?.[index] ?? Number.NaN) : 0;
    if (level === undefined) continue;
    const lattice =
      levels > 0 ? latticeAt(world, positions, index, level) : latticeOfParticle(world, positions, index);
    const name = `${level} ${lattice}`;
    const known = found.get(name);
    if (known) {
      known.occupancy++;
      continue;
    }
    const bucket = levels > 0 ? bucketAt(world, lattice, level) : bucketOfLattice(world, lattice);
    found.set(name, { level, lattice, bucket, occupancy: 1 });
    inBucket.set(bucket, (inBucket.get(bucket) ?? 0) + 1);
  }
  return Array.from(found.values(), ({ level, lattice, bucket, occupancy }) => {
    const size = world.cellSize * 2 ** level;
    const isShared = (inBucket.get(bucket) ?? 0) > 1;
    return { min: lattice.map((cell) => cell * size), size, bucket, occupancy, isShared };
  });
}

/** Twin: bucket_colour in shaders/draw/occupied.wgsl. */
export function bucketColour(bucket: number, isDark: boolean): Rgb {
  const [saturation, value] = BUCKET_TONES[isDark ? 'dark' : 'light'];
  const hue = (Math.imul(bucket, 0x9e3779b1) >>> 8) * 2 ** -24;
  const channel = (shift: number) => {
    const away = Math.abs(((hue + shift / 3) % 1) * 6 - 3);
    const wheel = Math.min(1, Math.max(0, away - 1));
    return (1 + (wheel - 1) * saturation) * value;
  };
  return [channel(1), channel(2), channel(3)];
}
