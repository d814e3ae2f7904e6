/** Purpose: how crowded a scene is where bodies are, which decides how large cells should be. Looked at once, before anything is timed. */
import type { BenchScene } from '../../harness/scenes';

/** Bodies a block of the box has, if they are spread evenly: enough that chance does not look like a crowd. */
const BODIES_PER_BLOCK = 16;

/** Several engines ask it of the same scene, which may have a hundred million bodies. */
const known = new WeakMap<BenchScene, number>();

/** Bodies in a square (cube) of one unit around a body, on average over all bodies: of a crowd in a large box that of the crowd. */
export function densityAround(scene: BenchScene): number {
  const density = known.get(scene) ?? measureDensity(scene);
  known.set(scene, density);
  return density;
}

function measureDensity({ dimensions, count, min, max, frame }: BenchScene): number {
  const edges = max.map((high, axis) => high - (min[axis] as number));
  const volume = edges.reduce((product, edge) => product * edge, 1);
  if (count === 0) return 1 / volume;
  // Blocks as nearly cubes as the box has it: along a short axis there is one.
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
  // Others in the same block: whoever is there by chance alone has as many others as there are bodies a block.
  const others = counts.reduce((sum, here) => sum + here * (here - 1), 0);
  return (Math.max(1, others / count) * counts.length) / volume;
}
