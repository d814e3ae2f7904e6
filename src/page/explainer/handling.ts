/** Computes what happens if a loop over neighbours handles each pair twice. */
import { defineWorld } from '../../core/world/world';
import { buildGrid } from '../../reference/grid/grid';
import { probeCells } from '../../reference/query/probe';
import { findContact } from '../../reference/solve/contact';
import { Random } from '../../scenes';
import { type Crowd, type Search, Tally } from './mistakes';
import { PARTICLE_DIAMETER } from './scene';
import { distanceBetween, range } from './words';

export const HANDLINGS = ['both', 'larger', 'own'] as const;

export type Handling = (typeof HANDLINGS)[number];

export interface Handled {
  /** `found` counts, per pair, moves of a particle by half of the overlap. Two are correct: one for each particle. */
  readonly search: Search;
  readonly moved: Float32Array;
  /** The widest gap between two particles that touched before. It should be 0, because a push removes the overlap. */
  readonly gap: number;
}

const BLOCKS = [4, 3] as const;
/** Each pair of particles has a block of its own, so that pairs do not meet. */
const BLOCK_EDGE = 2;
/** The least and the greatest distance between the particles of a pair, in percent of a diameter. */
const LEAST_APART = 55;
const MOST_APART = 85;
const SEED = 12;

export function createPairs(seed = SEED): Crowd {
  const diameter = PARTICLE_DIAMETER;
  const [columns, rows] = BLOCKS;
  const max = [columns * BLOCK_EDGE, rows * BLOCK_EDGE] as const;
  const world = defineWorld({ dimensions: 2, min: [0, 0], max, cellSize: 1 }, diameter);
  const random = new Random(seed);
  const positions = range(0, columns * rows).flatMap((block) => {
    const [x, y] = [block % columns, Math.floor(block / columns)].map((at) => BLOCK_EDGE * (at + 0.5));
    const angle = (random.between(0, 360) / 180) * Math.PI;
    const half = (diameter / 2) * (random.between(LEAST_APART, MOST_APART) / 100);
    const [across, down] = [half * Math.cos(angle), half * Math.sin(angle)];
    return [(x ?? 0) - across, (y ?? 0) - down, (x ?? 0) + across, (y ?? 0) + down];
  });
  return { world, diameter, positions: Float32Array.from(positions) };
}

/**
 * Runs the loop once. `handling` says which particles move when particle a finds that it touches b. `both`: a
 * and b. `larger`: a and b, but only if b has the larger id. `own`: only a.
 */
export function tryHandling(handling: Handling, scene = createPairs()): Handled {
  const { world, positions, diameter } = scene;
  const grid = buildGrid(world, positions);
  const tally = new Tally(world, positions, diameter);
  const moved = positions.slice();
  const push = (id: number, normal: readonly number[], length: number) => {
    normal.forEach((along, axis) => {
      moved[2 * id + axis] = (moved[2 * id + axis] as number) + length * along;
    });
  };
  for (const slot of range(0, grid.ids.length)) {
    probeCells(world, grid, slot, (other) => {
      const [a, b] = [grid.ids[slot] as number, grid.ids[other] as number];
      const contact = findContact(world, { diameter }, grid, slot, other);
      if (handling === 'larger' && b < a) return;
      tally.look(a, b);
      if (!contact) return;
      push(a, contact.normal, contact.overlap / 2);
      if (handling === 'own') return;
      // WRONG ON PURPOSE with `both`: the loop over particle b's neighbours pushes these two again.
      tally.find(a, b);
      push(b, contact.normal, -contact.overlap / 2);
    });
  }
  const search = tally.search();
  const gaps = search.truth.map(([a, b]) => distanceBetween(moved, a, b) - diameter);
  return { search, moved, gap: Math.max(0, ...gaps) };
}
