import type { BenchScene } from '../../harness/scenes';

/** The box is divided into blocks with this mean number of bodies. If it were lower, chance could look like a crowd. */
const BODIES_PER_BLOCK = 16;

/** Caches results, because several engines need them and scenes may be large. */
const known = new WeakMap<BenchScene, number>();

/** Returns the mean number of bodies per unit square (cube) around a body. Empty parts of the box do not lower it. */
export function densityAround(scene: BenchScene): number {
  const density = known.get(scene) ?? measureDensity(scene);
  known.set(scene, density);
  return density;
}

function measureDensity({ dimensions, count, min, max, frame }: BenchScene): number {
  const edges = max.map((high, axis) => high - (min[axis] as number));
  const volume = edges.reduce((product, edge) => product * edge, 1);
  if (count === 0) return 1 / volume;
  const edge = (volume * Math.max(BODIES_PER_BLOCK / count, 2 ** -24)) ** (1 / dimensions);
  const blocks = edges.map((length) => Math.max(1, Math.floor(length / edge)));
  const counts = new Uint32Array(blocks.reduce((product, along) => product * along, 1));
  const positions = frame(0);
  for (let body = 0; body < count; body++) {
    let block = 0;
    for (let axis = dimensions - 1; axis >= 0; axis--) {
      const along = blocks[axis] as number;
      const scaled = ((positions[body * dimensions + axis] as number) - (min[axis] as number)) * along;
      block = block * along + Math.min(along - 1, Math.floor(scaled / (edges[axis] as number)));
    }
    counts[block] = (counts[block] as number) + 1;
  }
  // The sum, over all bodies, of the other bodies in the same block. For uniformly random bodies, `others / count` is
  // about the mean number of bodies per block.
  const others = counts.reduce((sum, here) => sum + here * (here - 1), 0);
  return (Math.max(1, others / count) * counts.length) / volume;
}
