/** Counts, on the CPU, the candidates of HashGrid's neighbour loops. A pair counts twice: both particles visit it. */
import { FINER_STEPS } from '../../../src/core/base/constants';
import { bucketOfLattice, latticeCoordinate, latticeOfParticle } from '../../../src/core/world/cells';
import { bucketAt, coarsened, latticeAt, levelOf } from '../../../src/core/world/levels';
import type { World } from '../../../src/core/world/world';
import type { Work } from '../../harness/engine';

const { fround } = Math;

/** Counts one search by a neighbour loop. Give `radii` if the grid has levels. */
export function workOfGrid(world: World, positions: Float32Array, radii?: Float32Array): Work {
  const candidates = radii
    ? countOnLevels(world, positions, radii)
    : world.kind === 'unbounded'
      ? countInBuckets(world, positions)
      : countInCells(world, positions);
  return { candidates, tests: candidates, counted: 'formula' };
}

/** Counts for a bounded world. Relies on its ring of empty cells. */
function countInCells(world: World, positions: Float32Array): number {
  const { dimensions, cells, cellCount } = world;
  const [columns = 1, rows = 1] = cells;
  const count = positions.length / dimensions;
  const starts = new Uint32Array(cellCount + 1);
  for (let particle = 0; particle < count; particle++) {
    let cell = 0;
    for (let axis = dimensions - 1; axis >= 0; axis--) {
      const position = positions[dimensions * particle + axis] as number;
      cell = cell * (cells[axis] as number) + latticeCoordinate(world, position, axis);
    }
    starts[cell + 1] = (starts[cell + 1] as number) + 1;
  }
  for (let cell = 0; cell < cellCount; cell++) {
    starts[cell + 1] = (starts[cell + 1] as number) + (starts[cell] as number);
  }
  const layers = dimensions === 2 ? [0] : [-columns * rows, 0, columns * rows];
  const toRows = layers.flatMap((layer) => [layer - columns, layer, layer + columns]);
  let candidates = -count;
  for (let cell = 0; cell < cellCount; cell++) {
    const own = (starts[cell + 1] as number) - (starts[cell] as number);
    if (own === 0) continue;
    for (const toRow of toRows) {
      candidates += own * ((starts[cell + toRow + 2] as number) - (starts[cell + toRow - 1] as number));
    }
  }
  return candidates;
}

/** Counts for an unbounded world. The loop also tests particles of other cells in the same buckets. */
function countInBuckets(world: World, positions: Float32Array): number {
  const { dimensions, cellCount } = world;
  const count = positions.length / dimensions;
  const sizes = new Uint32Array(cellCount);
  for (let particle = 0; particle < count; particle++) {
    const bucket = bucketOfLattice(world, latticeOfParticle(world, positions, particle));
    sizes[bucket] = (sizes[bucket] as number) + 1;
  }
  const layers = dimensions === 2 ? [0] : [-1, 0, 1];
  let candidates = 0;
  for (let particle = 0; particle < count; particle++) {
    const lattice = latticeOfParticle(world, positions, particle);
    const own = bucketOfLattice(world, lattice);
    const [x = 0, y = 0, z = 0] = lattice;
    for (const layer of layers) {
      for (let row = -1; row <= 1; row++) {
        for (let column = -1; column <= 1; column++) {
          const cell = [x + column, y + row, z + layer];
          const bucket = bucketOfLattice(world, dimensions === 2 ? cell.slice(0, 2) : cell);
          candidates += (sizes[bucket] as number) - (bucket === own ? 1 : 0);
        }
      }
    }
  }
  return candidates;
}

/**
 * Counts for a bounded world with levels. A particle's candidates are the particles in the cells around it, on the
 * level below its own and on all levels from its own upwards. The finer entries in the cells around it count too.
 * Leaves out cells that are out of reach, as `reached_cells` in shaders/levels/probe_layers.wgsl does.
 */
function countOnLevels(world: World, positions: Float32Array, radii: Float32Array): number {
  const { dimensions, levels, cellCount } = world;
  const count = radii.length;
  const particles = new Uint32Array(cellCount + 1);
  const finer = new Uint32Array(cellCount + 1);
  const lattices: number[][] = [];
  const levelsOf = Uint8Array.from(radii, (radius) => levelOf(world, radius) as number);
  const add = (counts: Uint32Array, bucket: number) => {
    counts[bucket + 1] = (counts[bucket + 1] as number) + 1;
  };
  for (let particle = 0; particle < count; particle++) {
    const level = levelsOf[particle] as number;
    const lattice = latticeAt(world, positions, particle, level);
    lattices.push(lattice);
    add(particles, bucketAt(world, lattice, level));
    for (let higher = level + FINER_STEPS; higher < levels; higher++) {
      add(finer, bucketAt(world, coarsened(world, lattice, level, higher), higher));
    }
  }
  for (const counts of [particles, finer]) {
    for (let bucket = 0; bucket < cellCount; bucket++) {
      counts[bucket + 1] = (counts[bucket + 1] as number) + (counts[bucket] as number);
    }
  }

  /** Sums `counts` over the cells of `level` from which particles of level `origin` can reach the particle. */
  const sumAround = (counts: Uint32Array, particle: number, level: number, origin: number): number => {
    const own = levelsOf[particle] as number;
    const radius = radii[particle] as number;
    const greatest = Math.min((world.baseDiameter * 2 ** origin) / 2, world.diameter / 2);
    const reach = fround(radius + greatest);
    const higher = Math.max(own, level);
    const middle = coarsened(world, lattices[particle] as number[], own, higher);
    const scale = fround(world.inverseCellSize / 2 ** level);
    const low: number[] = [];
    const high: number[] = [];
    for (let axis = 0; axis < dimensions; axis++) {
      const cells = (((world.cells[axis] as number) - 1) >> level) + 1;
      const first = Math.max(((middle[axis] as number) - 1) << (higher - level), 0);
      const last = Math.min(((middle[axis] as number) + 2) << (higher - level), cells) - 1;
      const position = positions[dimensions * particle + axis] as number;
      const from = fround(position - (world.min[axis] as number));
      const margin = fround(fround(Math.abs(from) + reach) * 2 ** -18);
      const clamp = (value: number) => Math.min(Math.max(Math.floor(fround(value * scale)), first), last);
      low.push(clamp(fround(fround(from - reach) - margin)));
      high.push(clamp(fround(fround(from + reach) + margin)));
    }
    let sum = 0;
    const [lowX = 0, lowY = 0, lowZ = 0] = low;
    const [highX = 0, highY = 0, highZ = 0] = high;
    for (let z = lowZ; z <= highZ; z++) {
      for (let y = lowY; y <= highY; y++) {
        const bucket = bucketAt(world, dimensions === 2 ? [lowX, y] : [lowX, y, z], level);
        sum += (counts[bucket + highX - lowX + 1] as number) - (counts[bucket] as number);
      }
    }
    return sum;
  };

  let candidates = -count;
  for (let particle = 0; particle < count; particle++) {
    const own = levelsOf[particle] as number;
    for (let level = Math.max(own, 1) - 1; level < levels; level++) {
      candidates += sumAround(particles, particle, level, level);
    }
    if (own >= FINER_STEPS) candidates += sumAround(finer, particle, own, own - FINER_STEPS);
  }
  return candidates;
}
