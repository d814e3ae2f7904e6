/** Measures how crowded a scene is around its bodies, which decides the cell size. Measured once, before timing. */
import type { BenchScene } from '../../harness/scenes';

/** Bodies per block if they are spread evenly: so many that random fluctuations do not count as a crowd. */
const BODIES_PER_BLOCK = 16;

/** Cached, since several engines ask for the same scene, which may have a hundred million bodies. */
const known = new WeakMap<BenchScene, number>();

/**
 * Returns the bodies per square (cube) of one unit around a body, averaged over bodies; so a crowd counts, not the box.
 */
export function densityAround(scene: BenchScene): number {
  const density = known.get(scene) ?? measureDensity(scene);
  known.set(scene, density);
  return density;
}

function measureDensity({ dimensions, count, min, max, frame }: BenchScene): number {
  const edges = max.map((high, axis) => high - (min[axis] as number));
  const volume = edges.reduce((product, edge) => product * edge, 1);
  if (count === 0) return 1 / volume;
  // Blocks are as nearly cubes as the box allows; along a short axis there is only one.
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
  // Each body sees the others in its block; if bodies are random, that is the mean number of bodies per block.
  const others = counts.reduce((sum, here) => sum + here * (here - 1), 0);
  return (Math.max(1, others / count) * counts.length) / volume;
}
