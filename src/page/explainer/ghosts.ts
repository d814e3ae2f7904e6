/** Computes what happens if the counters of cells are not cleared. */
import { bucketOfLattice, cellOfParticle, latticeOfParticle } from '../../core/world/cells';
import { defineWorld } from '../../core/world/world';
import { findContact } from '../../reference/solve/contact';
import { Random } from '../../scenes';
import { type Crowd, cellsAround, type Search, Tally } from './mistakes';
import { PARTICLE_DIAMETER, placeApart } from './scene';
import { range } from './words';

/** An entry that an earlier frame left in its cell. */
export interface Ghost {
  readonly particle: number;
  readonly frame: number;
  readonly x: number;
  readonly y: number;
}

export interface Haunted {
  readonly particle: number;
  readonly ghost: Ghost;
}

export interface Frame {
  /** Contacts within this frame. `looks` also counts tests against ghosts. */
  readonly search: Search;
  readonly positions: Float32Array;
  readonly ghosts: readonly Ghost[];
  readonly haunted: readonly Haunted[];
  /** The sum of all counters of cells, ghosts included. */
  readonly counted: number;
}

export const FRAMES = 6;
const COUNT = 10;
const SEED = 11;
/** Each particle moves on a circle of this radius. */
const RADIUS = 0.5;
/** Radians per frame. */
const TURN = 0.8;

/** Returns the particles of a frame. Frames count from 1. */
export function createFrame(frame: number, seed = SEED): Crowd {
  const diameter = PARTICLE_DIAMETER;
  const world = defineWorld({ dimensions: 2, min: [0, 0], max: [6, 5], cellSize: 1 }, diameter);
  const random = new Random(seed);
  const middles = placeApart(random, COUNT, [6 - 2 * RADIUS, 5 - 2 * RADIUS], { low: [RADIUS, RADIUS] });
  const positions = new Float32Array(2 * COUNT);
  for (const particle of range(0, COUNT)) {
    const angle = (random.between(0, 360) / 180) * Math.PI + TURN * (frame - 1);
    positions[2 * particle] = (middles[2 * particle] as number) + RADIUS * Math.cos(angle);
    positions[2 * particle + 1] = (middles[2 * particle + 1] as number) + RADIUS * Math.sin(angle);
  }
  return { world, diameter, positions };
}

export function tryFrame(last: number, clears: boolean, seed = SEED): Frame {
  const frames = range(1, last + 1).map((frame) => createFrame(frame, seed));
  const { world, diameter, positions } = frames[last - 1] as Crowd;
  const cells = new Map<number, Ghost[]>();
  for (const [index, { positions: entered }] of frames.entries()) {
    // WRONG ON PURPOSE if `clears` is false: the entries of earlier frames stay.
    if (clears) cells.clear();
    for (const particle of range(0, COUNT)) {
      const cell = cellOfParticle(world, entered, particle);
      const [x = 0, y = 0] = entered.subarray(2 * particle, 2 * particle + 2);
      cells.set(cell, [...(cells.get(cell) ?? []), { particle, frame: index + 1, x, y }]);
    }
  }
  const tally = new Tally(world, positions, diameter);
  const haunted: Haunted[] = [];
  for (const particle of range(0, COUNT)) {
    for (const near of cellsAround(latticeOfParticle(world, positions, particle))) {
      for (const entry of cells.get(bucketOfLattice(world, near)) ?? []) {
        if (entry.frame === last) {
          if (entry.particle !== particle) tally.look(particle, entry.particle);
          continue;
        }
        tally.looks++;
        const ghost = { positions: Float32Array.of(entry.x, entry.y) };
        if (findContact(world, { diameter }, { positions }, particle, 0, ghost)) {
          haunted.push({ particle, ghost: entry });
        }
      }
    }
  }
  const entries = [...cells.values()].flat();
  const ghosts = entries.filter(({ frame }) => frame < last);
  return { search: tally.search(), positions, ghosts, haunted, counted: entries.length };
}
