/**
 * Follows the paths of the fast particles of one substep to their ends: the law of core/ccd/law.ts on the CPU, in
 * doubles. The reference and the CPU engine use it with different searches.
 * Inputs: the state after a substep's motion, in canonical order. Changes its positions and velocities.
 */

import { CCD_TICKS, MOST_PIECES, NO_PARTNER, WALL_PARTNER } from '../base/constants';
import { massShare } from '../contact/law';
import type { Substep } from '../contact/settings';
import { OBSTACLE_PARTNER } from '../obstacles/obstacles';
import type { StaticBodies } from '../obstacles/tree';
import { extentAlong, thicknessOf } from '../particles/shapes';
import { wrapCoordinate } from '../world/cells';
import { levelOf } from '../world/levels';
import type { World } from '../world/world';
import { Encounter } from './impact';
import {
  CCD_ROUNDS,
  type CcdSearch,
  type CcdState,
  type ContinuousCounts,
  FAST_SHARE,
  keyOfEnd,
  keyOfHit,
  longestPiece,
  NEVER,
  NO_CONTINUOUS_COUNTS,
  strike,
  TO_WALL,
  timeOfKey,
} from './law';

/** The most pieces that are followed, over all paths. */
const ALL_PIECES = 2 ** 22;

/**
 * Margins on each side of the box around a piece of a path, in extents of its particle. With AROUND_SLOW, CcdSearch
 * finds every slow particle that the piece may meet. With AROUND_FAST, the boxes of two pieces that meet overlap.
 */
const AROUND_SLOW = 1.25;
const AROUND_FAST = 1;

/**
 * Moves fast particles to the ends of their paths and changes the velocities of particles that hit or are hit. Without
 * fast particles it only reads each velocity once.
 */
export function followPaths(
  world: World,
  substep: Substep,
  state: CcdState,
  search: CcdSearch,
): ContinuousCounts {
  const { slots, substepped } = findFast(world, substep, state);
  const swept = slots.length;
  if (swept === 0) return { ...NO_CONTINUOUS_COUNTS, substepped };
  const paths = new Paths(world, substep, state, search, slots);
  paths.meetWalls();
  paths.meetSlow();
  paths.settle();
  return { substepped, swept, paths: swept, ...paths.land() };
}

/**
 * Returns the slots of the fast particles, ascending, and the number of others that only a whole step would move too
 * far.
 */
function findFast(
  { dimensions }: World,
  { dt, substeps, diameter }: Substep,
  state: CcdState,
): { readonly slots: readonly number[]; readonly substepped: number } {
  const { velocities, radii, live } = state;
  let least = (FAST_SHARE * diameter) ** 2;
  const slots: number[] = [];
  let substepped = 0;
  for (let slot = 0; slot < live; slot++) {
    if (radii) least = (FAST_SHARE * thicknessOf(dimensions, state, slot, 0)) ** 2;
    let squared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      squared += Math.fround(dt * (velocities[dimensions * slot + axis] as number)) ** 2;
    }
    if (squared > least) slots.push(slot);
    else if (squared * substeps * substeps > least) substepped++;
  }
  return { slots, substepped };
}

/** The end of a path. */
interface Hit {
  /** The time and the closing speed: see keyOfHit. */
  readonly key: number;
  /** A slot, an obstacle's slot or a wall's axis (see WALL_PARTNER), or NO_PARTNER. */
  readonly partner: number;
}

interface Piece {
  readonly path: number;
  /** The times at which it begins and ends. */
  readonly from: number;
  readonly to: number;
}

/** A piece and the pieces of other paths that come near it, in any order: the first hit does not depend on it. */
interface Meeting {
  readonly piece: Piece;
  readonly others: readonly Piece[];
}

interface Landing {
  readonly slot: number;
  /** Set if its path ended early. */
  readonly position?: readonly number[] | undefined;
  /** The velocity before the hit. */
  readonly velocity: readonly number[];
  /** The change of velocity by the hit. */
  readonly effect?: readonly number[] | undefined;
  /** The slow particle that it hit. */
  readonly other?: { readonly slot: number; readonly effect: readonly number[] } | undefined;
}

class Paths {
  private readonly pathOf = new Map<number, number>();
  private readonly dimensions: World['dimensions'];
  private readonly encounter: Encounter;
  /** The number of pieces that each path is cut into, and the number of them that are followed. */
  private readonly cuts: number[] = [];
  private readonly followed: number[] = [];
  /** The end of each path without the other fast particles. */
  private readonly first: Hit[] = [];
  /** The end of each path after the last round. */
  private hits: readonly Hit[] = [];
  /** Ends at this key or later are not final. */
  private unsettled = Number.POSITIVE_INFINITY;

  constructor(
    private readonly world: World,
    private readonly substep: Substep,
    private readonly state: CcdState,
    private readonly search: CcdSearch,
    /** The fast particles, ascending. */
    private readonly slots: readonly number[],
  ) {
    const { dimensions } = world;
    this.dimensions = dimensions;
    this.encounter = new Encounter(world, substep, state);
    const most = Math.min(MOST_PIECES, Math.max(1, Math.floor(ALL_PIECES / slots.length)));
    for (const [path, slot] of slots.entries()) {
      this.pathOf.set(slot, path);
      const longest = longestPiece(world, this.cellSizeOf(slot));
      const cuts = Math.max(1, Math.ceil(Math.hypot(...this.wayOf(slot)) / longest));
      // If MOST_PIECES pieces last less than a tick, the path ends where it begins.
      const followed = cuts > MOST_PIECES * CCD_TICKS ? 1 : Math.min(cuts, most);
      this.cuts.push(cuts);
      this.followed.push(followed);
      this.first.push({ key: keyOfEnd(followed / cuts), partner: NO_PARTNER });
    }
  }

  meetWalls(): void {
    const { lower, upper, walls } = this.substep;
    if (!walls) return;
    this.slots.forEach((slot, path) => {
      const end = this.positionAt(slot, 1);
      this.wayOf(slot).forEach((along, axis) => {
        const limit = this.limitOf(slot, axis, along > 0 ? upper : lower, along > 0 ? -1 : 1);
        const beyond = along > 0 ? (end[axis] as number) - limit : limit - (end[axis] as number);
        if (!(beyond > 0)) return;
        const time = Math.max(0, 1 - beyond / Math.abs(along));
        this.meet(path, { key: keyOfHit(time, Math.abs(along)), partner: WALL_PARTNER + axis });
      });
    });
  }

  /** Ends paths at slow particles and obstacles. */
  meetSlow(): void {
    const { encounter, state } = this;
    const { obstacles } = this.search;
    this.slots.forEach((slot, path) => {
      for (let piece = 0; piece < (this.followed[path] as number); piece++) {
        const from = piece / (this.cuts[path] as number);
        if (isBefore(this.first[path] as Hit, from)) return;
        const [low, high] = this.boxOf(this.pieceOf(path, piece), AROUND_SLOW);
        this.search.particles(low, high, (partner) => {
          if (partner === slot || this.pathOf.has(partner)) return;
          encounter.face(slot, from, state, partner, from, true);
          this.meet(path, { key: encounter.impact(from), partner });
        });
        if (!obstacles) continue;
        this.search.visitObstacles(low, high, (obstacle) => {
          encounter.face(slot, from, obstacles, obstacle, 1, false);
          const key = encounter.impactOnImages(from);
          this.meet(path, { key, partner: (OBSTACLE_PARTNER | obstacle) >>> 0 });
        });
      }
    });
  }

  /** Runs the rounds, for fast particles among each other. Follows a path again if the end of a nearby path changed. */
  settle(): void {
    const meetings = this.meetings();
    this.hits = [...this.first];
    const times = Float64Array.from(this.first, ({ key }) => timeOfKey(key));
    let woken: Iterable<number> = this.slots.keys();
    for (let round = 1; round <= CCD_ROUNDS; round++) {
      const before = this.hits;
      const hits = [...before];
      const next = new Set<number>();
      const changed: number[] = [];
      for (const path of woken) {
        const hit = this.endAmong(path, meetings[path] as Meeting[], before, times);
        const was = before[path] as Hit;
        if (isSame(hit, was)) continue;
        hits[path] = hit;
        changed.push(path);
        for (const { others } of meetings[path] as Meeting[])
          for (const other of others) next.add(other.path);
        if (round === CCD_ROUNDS) this.unsettled = Math.min(this.unsettled, hit.key, was.key);
      }
      this.hits = hits;
      // After the loop: all paths of a round must see the times of the round before.
      for (const path of changed) times[path] = timeOfKey((hits[path] as Hit).key);
      woken = next;
    }
  }

  /** Returns the end of a path, given the ends of the others before this round and their times. */
  private endAmong(
    path: number,
    meetings: readonly Meeting[],
    before: readonly Hit[],
    times: Float64Array,
  ): Hit {
    const slot = this.slots[path] as number;
    let end = this.first[path] as Hit;
    for (const { piece, others } of meetings) {
      if (isBefore(end, piece.from)) break;
      for (const otherPiece of others) {
        if (!mayMeet(piece, otherPiece, times[otherPiece.path] as number)) continue;
        const partner = this.slots[otherPiece.path] as number;
        // Start when both are on their pieces: over a longer way the nearest image may be a different one.
        const since = Math.max(piece.from, timeOfKey(keyOfEnd(otherPiece.from)));
        const key = this.meetFast(slot, since, partner, before[otherPiece.path] as Hit);
        const hit = { key, partner };
        if (this.comesFirst(hit, end)) end = hit;
      }
    }
    return end;
  }

  /** Moves every fast particle to the end of its path. */
  land(): Pick<ContinuousCounts, 'hits' | 'held'> {
    const { positions, velocities } = this.state;
    const { dimensions, world } = this;
    const claims = this.claims();
    const landings = this.slots.map((_, path) => this.landingOf(path, claims));
    for (const { slot, position, velocity, effect, other } of landings) {
      for (let axis = 0; axis < dimensions; axis++) {
        const index = dimensions * slot + axis;
        if (position) positions[index] = wrapCoordinate(world, Math.fround(position[axis] as number), axis);
        velocities[index] = (velocity[axis] as number) + ((effect?.[axis] as number) ?? 0);
        if (!other) continue;
        const otherIndex = dimensions * other.slot + axis;
        velocities[otherIndex] = (velocities[otherIndex] as number) + (other.effect[axis] as number);
      }
    }
    const ends = this.slots.map((_, path) => this.endOf(path));
    return {
      hits: ends.filter(({ partner }) => partner !== NO_PARTNER).length,
      held: ends.filter(({ partner, key }) => partner === NO_PARTNER && timeOfKey(key) < 1).length,
    };
  }

  /**
   * Returns the end of a path: the end that the rounds found if it is final, otherwise the time at which it is held.
   */
  private endOf(path: number): Hit {
    const hit = this.hits[path] as Hit;
    if (hit.key < this.unsettled) return hit;
    return { key: keyOfEnd(timeOfKey(this.unsettled)), partner: NO_PARTNER };
  }

  /** Returns, for each slow particle that paths end at, the slot of the fast particle that it names. */
  private claims(): Map<number, number> {
    const claims = new Map<number, number>();
    this.slots.forEach((slot, path) => {
      const { key, partner } = this.endOf(path);
      if (partner >= OBSTACLE_PARTNER || this.pathOf.has(partner)) return;
      const rival = claims.get(partner);
      if (rival !== undefined) {
        const named = this.endOf(this.pathOf.get(rival) as number);
        if (!this.comesFirst({ key, partner: slot }, { key: named.key, partner: rival })) return;
      }
      claims.set(partner, slot);
    });
    return claims;
  }

  private landingOf(path: number, claims: ReadonlyMap<number, number>): Landing {
    const { substep, state, encounter, dimensions } = this;
    const slot = this.slots[path] as number;
    const { key, partner } = this.endOf(path);
    const time = timeOfKey(key);
    const position = time < 1 ? this.positionAt(slot, time) : undefined;
    const velocity = this.velocityAtEnd(path);
    if (partner === NO_PARTNER) return { slot, position, velocity };
    if (partner >= WALL_PARTNER) {
      const axis = partner - WALL_PARTNER;
      const inward = (velocity[axis] as number) > 0 ? -1 : 1;
      const normal = velocity.map((_, other) => (other === axis ? inward : 0));
      const landed = this.positionAt(slot, time);
      const limit = this.limitOf(slot, axis, inward > 0 ? substep.lower : substep.upper, inward);
      if (Math.abs(limit - (landed[axis] as number)) <= TO_WALL * this.thicknessOf(slot))
        landed[axis] = limit;
      return { slot, position: landed, velocity, effect: strike(velocity, normal, 1, 1, substep) };
    }
    if (partner >= OBSTACLE_PARTNER) {
      encounter.face(slot, time, this.search.obstacles as StaticBodies, partner - OBSTACLE_PARTNER, 1, false);
      encounter.measure(0);
      const effect = strike(velocity, encounter.normal, 1, substep.gripShare, substep);
      return { slot, position, velocity, effect };
    }
    const otherPath = this.pathOf.get(partner);
    const isNamed =
      otherPath === undefined ? claims.get(partner) === slot : this.endOf(otherPath).partner === slot;
    if (!isNamed) return { slot, position, velocity };
    // Both take the same time, so that their effects on each other are equal and opposite to the bit.
    const when = otherPath === undefined ? time : Math.min(time, timeOfKey(this.endOf(otherPath).key));
    encounter.face(slot, when, state, partner, when, true);
    encounter.measure(0);
    const { normal } = encounter;
    const otherVelocity = otherPath === undefined ? this.velocityOf(partner) : this.velocityAtEnd(otherPath);
    const relative = velocity.map((along, axis) => along - (otherVelocity[axis] as number));
    const { bulks = state.radii } = state;
    const [own, its] = bulks ? [bulks[slot] as number, bulks[partner] as number] : [1, 1];
    const share = massShare(dimensions, own, its);
    const effect = strike(relative, normal, share, 2 * share * substep.gripShare, substep);
    if (otherPath !== undefined) return { slot, position, velocity, effect };
    const rest = massShare(dimensions, its, own);
    const away = strike(relative, normal, rest, 2 * rest * substep.gripShare, substep).map((along) => -along);
    return { slot, position, velocity, effect, other: { slot: partner, effect: away } };
  }

  /**
   * The farthest coordinate of a particle before the wall at `corner`. `inward` (1 or -1) points from the wall inward.
   */
  private limitOf(slot: number, axis: number, corner: readonly number[], inward: number): number {
    const limit = corner[axis] as number;
    if (!this.state.radii) return limit;
    return Math.fround(limit + inward * extentAlong(this.dimensions, this.state, slot, axis, 0));
  }

  private thicknessOf(slot: number): number {
    return thicknessOf(this.dimensions, this.state, slot, this.substep.diameter / 2);
  }

  /** The edge of the cells of a particle's level. */
  private cellSizeOf(slot: number): number {
    const { world, state } = this;
    if (!state.radii) return world.cellSize;
    return world.cellSize * 2 ** (levelOf(world, state.radii[slot] as number) as number);
  }

  /** The velocity at the end of a path: gravity accelerates a particle only until then. */
  private velocityAtEnd(path: number): number[] {
    const { gravity, dt } = this.substep;
    const rest = 1 - timeOfKey(this.endOf(path).key);
    return this.velocityOf(this.slots[path] as number).map(
      (along, axis) => along - rest * dt * (gravity[axis] as number),
    );
  }

  private velocityOf(slot: number): number[] {
    return vectorAt(this.state.velocities, this.dimensions, slot);
  }

  /** The vector from the beginning of a path to its end, rounded as integration rounded it. */
  private wayOf(slot: number): number[] {
    return this.velocityOf(slot).map((along) => Math.fround(this.substep.dt * along));
  }

  private positionAt(slot: number, time: number): number[] {
    const way = this.wayOf(slot);
    const end = vectorAt(this.state.positions, this.dimensions, slot);
    return end.map((along, axis) => along - (1 - time) * (way[axis] as number));
  }

  private meet(path: number, hit: Hit): void {
    if (this.comesFirst(hit, this.first[path] as Hit)) this.first[path] = hit;
  }

  private comesFirst({ key, partner }: Hit, best: Hit): boolean {
    return key < best.key || (key === best.key && this.rankOf(partner) < this.rankOf(best.partner));
  }

  /** Breaks ties between hits: a particle's id; for walls and obstacles a number above all ids. */
  private rankOf(partner: number): number {
    return partner < OBSTACLE_PARTNER ? (this.state.ids[partner] as number) : partner;
  }

  /** Returns the key at which a particle hits another fast particle, whose path ends at `end`. */
  private meetFast(slot: number, from: number, other: number, end: Hit): number {
    const { encounter, state } = this;
    // The other still moves in the tick in which its path ends. If it rested, two particles that meet would each see
    // the other at rest in the next round.
    if (!isBefore(end, from)) {
      encounter.face(slot, from, state, other, from, true);
      const key = encounter.impact(from);
      if (timeOfKey(key) <= timeOfKey(end.key)) return key;
    }
    const until = timeOfKey(end.key);
    if (until >= 1) return NEVER;
    const begin = Math.max(from, until);
    encounter.face(slot, begin, state, other, until, false);
    return encounter.impact(begin);
  }

  /** Returns the box around a piece, wider by `around` extents of its particle on each side. */
  private boxOf({ path, from, to }: Piece, around: number): [number[], number[]] {
    const { dimensions, state, substep } = this;
    const slot = this.slots[path] as number;
    const begin = this.positionAt(slot, from);
    const end = this.positionAt(slot, to);
    const margins = begin.map(
      (_, axis) => around * extentAlong(dimensions, state, slot, axis, substep.diameter / 2),
    );
    const low = begin.map((along, axis) => Math.min(along, end[axis] as number) - (margins[axis] as number));
    return [
      low,
      begin.map((along, axis) => Math.max(along, end[axis] as number) + (margins[axis] as number)),
    ];
  }

  private pieceOf(path: number, index: number): Piece {
    const cuts = this.cuts[path] as number;
    return { path, from: index / cuts, to: Math.min(1, (index + 1) / cuts) };
  }

  /** Returns, for each path, its pieces that come near pieces of other paths, in order. */
  private meetings(): Meeting[][] {
    const { dimensions } = this;
    // No path goes farther than its end without the other fast particles.
    const pieces = this.slots.flatMap((_, path) => {
      const cuts = this.cuts[path] as number;
      const reached = Math.max(1, Math.ceil(timeOfKey((this.first[path] as Hit).key) * cuts));
      const length = Math.min(this.followed[path] as number, reached);
      return Array.from({ length }, (__, index) => this.pieceOf(path, index));
    });
    const boxes = new Float32Array(2 * dimensions * pieces.length);
    pieces.forEach((piece, index) => {
      const [low, high] = this.boxOf(piece, AROUND_FAST);
      boxes.set([...low, ...high], 2 * dimensions * index);
    });
    const others: (Piece[] | undefined)[] = new Array(pieces.length);
    const add = (piece: number, other: Piece) => {
      const near = others[piece];
      if (near) near.push(other);
      else others[piece] = [other];
    };
    this.search.meetings(boxes, (first, second) => {
      const [one, two] = [pieces[first] as Piece, pieces[second] as Piece];
      if (one.path === two.path) return;
      add(first, two);
      add(second, one);
    });
    const meetings: Meeting[][] = this.slots.map(() => []);
    pieces.forEach((piece, index) => {
      const near = others[index];
      if (near) meetings[piece.path]?.push({ piece, others: near });
    });
    return meetings;
  }
}

/** Tolerance for rounding. */
const TICK = 1 / CCD_TICKS;

/**
 * True if a particle on `piece` may meet another on its piece `otherPiece`, whose path ends at `end`: while both move,
 * or while the other rests.
 */
function mayMeet(piece: Piece, otherPiece: Piece, end: number): boolean {
  const begin = otherPiece.from - TICK;
  return end >= begin && piece.to >= begin && (end <= otherPiece.to || piece.from <= otherPiece.to + TICK);
}

/** True if a path ends before the tick of a time. */
function isBefore({ key }: Hit, time: number): boolean {
  return timeOfKey(key) < timeOfKey(keyOfEnd(time));
}

function isSame(hit: Hit, other: Hit): boolean {
  return hit.key === other.key && hit.partner === other.partner;
}

function vectorAt(vectors: Float32Array, dimensions: number, index: number): number[] {
  return Array.from(vectors.subarray(dimensions * index, dimensions * (index + 1)));
}
