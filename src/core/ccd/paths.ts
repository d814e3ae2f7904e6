/**
 * The paths of the fast particles of one substep, followed to their ends: the law of core/ccd/law.ts on the CPU,
 * in doubles, for the reference and the CPU engine, which differ in how they search.
 * Inputs: the ends of a substep's motion, in canonical order. Outputs: positions and velocities, in place.
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

/** Pieces of all paths together that are followed at most. */
const ALL_PIECES = 2 ** 22;

/**
 * Of what a particle reaches, how much wider a box around a piece of its path is on each side, where it is to hold all that
 * slow particles, taken as wide, may be met on; and where two such boxes are to overlap if their paths meet.
 */
const AROUND_SLOW = 1.25;
const AROUND_FAST = 1;

/**
 * Puts fast particles where their paths end, with the velocities of those that hit somebody. In place. Where nobody is
 * fast, it costs one look at each velocity.
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

/** Slots of the fast, ascending; and how many more a whole step would move too far, but not a substep. */
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

/** How a path ends. */
interface Hit {
  /** When, and how fast: see keyOfHit. */
  readonly key: number;
  /** A slot, an obstacle's or an axis (see WALL_PARTNER), NO_PARTNER. */
  readonly partner: number;
}

interface Piece {
  readonly path: number;
  /** When it begins and ends. */
  readonly from: number;
  readonly to: number;
}

/** A piece and those of others that come near it, in any order: which hit comes first does not depend on it. */
interface Meeting {
  readonly piece: Piece;
  readonly others: readonly Piece[];
}

interface Landing {
  readonly slot: number;
  /** Where its path ended early. */
  readonly position?: readonly number[] | undefined;
  /** Before its hit, and what that changes. */
  readonly velocity: readonly number[];
  readonly effect?: readonly number[] | undefined;
  /** The slow particle that it hit. */
  readonly other?: { readonly slot: number; readonly effect: readonly number[] } | undefined;
}

class Paths {
  private readonly pathOf = new Map<number, number>();
  private readonly dimensions: World['dimensions'];
  private readonly encounter: Encounter;
  /** Pieces that each path is cut into, and how many of them are followed. */
  private readonly cuts: number[] = [];
  private readonly followed: number[] = [];
  /** How each path ends, if there were no other fast particles; and as far as the rounds have come. */
  private readonly first: Hit[] = [];
  private hits: readonly Hit[] = [];
  /** The key from which on nothing is. */
  private unsettled = Number.POSITIVE_INFINITY;

  constructor(
    private readonly world: World,
    private readonly substep: Substep,
    private readonly state: CcdState,
    private readonly search: CcdSearch,
    /** Of the fast particles, ascending. */
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
      // Where all that may be are not a tick, the path ends where it begins.
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
      const end = this.placeAt(slot, 1);
      this.wayOf(slot).forEach((along, axis) => {
        const limit = this.limitOf(slot, axis, along > 0 ? upper : lower, along > 0 ? -1 : 1);
        const beyond = along > 0 ? (end[axis] as number) - limit : limit - (end[axis] as number);
        if (!(beyond > 0)) return;
        const time = Math.max(0, 1 - beyond / Math.abs(along));
        this.meet(path, { key: keyOfHit(time, Math.abs(along)), partner: WALL_PARTNER + axis });
      });
    });
  }

  /** Those that are not fast, and obstacles. */
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

  /** The rounds: fast ones among each other. A path is followed again where a path that comes near it ends elsewhere. */
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
      // Not before all have seen them as they were.
      for (const path of changed) times[path] = timeOfKey((hits[path] as Hit).key);
      woken = next;
    }
  }

  /** The end of a path among those of others, and the times of these. */
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
      for (const theirs of others) {
        if (!mayMeet(piece, theirs, times[theirs.path] as number)) continue;
        const partner = this.slots[theirs.path] as number;
        // Not before both are on their pieces: on a longer way the nearest image may be another.
        const since = Math.max(piece.from, timeOfKey(keyOfEnd(theirs.from)));
        const key = this.meetFast(slot, since, partner, before[theirs.path] as Hit);
        const hit = { key, partner };
        if (this.comesFirst(hit, end)) end = hit;
      }
    }
    return end;
  }

  /** Everybody to the end of its path. */
  land(): Pick<ContinuousCounts, 'hits' | 'held'> {
    const { positions, velocities } = this.state;
    const { dimensions, world } = this;
    const claims = this.claims();
    const landings = this.slots.map((_, path) => this.landingOf(path, claims));
    for (const { slot, position, velocity, effect, other } of landings) {
      for (let axis = 0; axis < dimensions; axis++) {
        const place = dimensions * slot + axis;
        if (position) positions[place] = wrapCoordinate(world, Math.fround(position[axis] as number), axis);
        velocities[place] = (velocity[axis] as number) + ((effect?.[axis] as number) ?? 0);
        if (!other) continue;
        const beside = dimensions * other.slot + axis;
        velocities[beside] = (velocities[beside] as number) + (other.effect[axis] as number);
      }
    }
    const ends = this.slots.map((_, path) => this.endOf(path));
    return {
      hits: ends.filter(({ partner }) => partner !== NO_PARTNER).length,
      held: ends.filter(({ partner, key }) => partner === NO_PARTNER && timeOfKey(key) < 1).length,
    };
  }

  /** How a path ends: as the rounds found, or where nothing is settled any more. */
  private endOf(path: number): Hit {
    const hit = this.hits[path] as Hit;
    if (hit.key < this.unsettled) return hit;
    return { key: keyOfEnd(timeOfKey(this.unsettled)), partner: NO_PARTNER };
  }

  /** Of the slow particles that paths end at, whom each names. */
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
    const position = time < 1 ? this.placeAt(slot, time) : undefined;
    const velocity = this.velocityAtEnd(path);
    if (partner === NO_PARTNER) return { slot, position, velocity };
    if (partner >= WALL_PARTNER) {
      const axis = partner - WALL_PARTNER;
      const inward = (velocity[axis] as number) > 0 ? -1 : 1;
      const normal = velocity.map((_, other) => (other === axis ? inward : 0));
      const landed = this.placeAt(slot, time);
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
    const beside = this.pathOf.get(partner);
    const isNamed = beside === undefined ? claims.get(partner) === slot : this.endOf(beside).partner === slot;
    if (!isNamed) return { slot, position, velocity };
    // The same for both, so that what they do to each other is, to the bit.
    const when = beside === undefined ? time : Math.min(time, timeOfKey(this.endOf(beside).key));
    encounter.face(slot, when, state, partner, when, true);
    encounter.measure(0);
    const { normal } = encounter;
    const theirs = beside === undefined ? this.velocityOf(partner) : this.velocityAtEnd(beside);
    const relative = velocity.map((along, axis) => along - (theirs[axis] as number));
    const { bulks = state.radii } = state;
    const [own, its] = bulks ? [bulks[slot] as number, bulks[partner] as number] : [1, 1];
    const share = massShare(dimensions, own, its);
    const effect = strike(relative, normal, share, 2 * share * substep.gripShare, substep);
    if (beside !== undefined) return { slot, position, velocity, effect };
    const rest = massShare(dimensions, its, own);
    const away = strike(relative, normal, rest, 2 * rest * substep.gripShare, substep).map((along) => -along);
    return { slot, position, velocity, effect, other: { slot: partner, effect: away } };
  }

  /** How far a particle may come along an axis to one of the corners; `inward`: which way from there it is. */
  private limitOf(slot: number, axis: number, corner: readonly number[], inward: number): number {
    const limit = corner[axis] as number;
    if (!this.state.radii) return limit;
    return Math.fround(limit + inward * extentAlong(this.dimensions, this.state, slot, axis, 0));
  }

  private thicknessOf(slot: number): number {
    return thicknessOf(this.dimensions, this.state, slot, this.substep.diameter / 2);
  }

  /** Edge of the cells that a particle is filed in. */
  private cellSizeOf(slot: number): number {
    const { world, state } = this;
    if (!state.radii) return world.cellSize;
    return world.cellSize * 2 ** (levelOf(world, state.radii[slot] as number) as number);
  }

  /** Nothing accelerates whose path has ended. */
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

  /** From its beginning to its end, as a particle was moved. */
  private wayOf(slot: number): number[] {
    return this.velocityOf(slot).map((along) => Math.fround(this.substep.dt * along));
  }

  private placeAt(slot: number, time: number): number[] {
    const way = this.wayOf(slot);
    const end = vectorAt(this.state.positions, this.dimensions, slot);
    return end.map((along, axis) => along - (1 - time) * (way[axis] as number));
  }

  private meet(path: number, hit: Hit): void {
    if (this.comesFirst(hit, this.first[path] as Hit)) this.first[path] = hit;
  }

  private comesFirst({ key, partner }: Hit, best: Hit): boolean {
    return key < best.key || (key === best.key && this.nameOf(partner) < this.nameOf(best.partner));
  }

  /** What particles are told apart by; of walls and obstacles, more than any id. */
  private nameOf(partner: number): number {
    return partner < OBSTACLE_PARTNER ? (this.state.ids[partner] as number) : partner;
  }

  /** The key of the hit when one on a piece of its path meets another, whose path ends at a hit of its own. */
  private meetFast(slot: number, from: number, other: number, end: Hit): number {
    const { encounter, state } = this;
    // In the tick in which its path ends, it still flies: else two who meet would each rest in the other's next round.
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

  /** The box around a piece, so much wider on each side, in parts of what its particle reaches. */
  private boxOf({ path, from, to }: Piece, around: number): [number[], number[]] {
    const { dimensions, state, substep } = this;
    const slot = this.slots[path] as number;
    const begin = this.placeAt(slot, from);
    const end = this.placeAt(slot, to);
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

  /** Of each path, the pieces that come near those of others, one after the other. */
  private meetings(): Meeting[][] {
    const { dimensions } = this;
    // No path is flown farther than to where it ends without the others.
    const pieces = this.slots.flatMap((_, path) => {
      const cuts = this.cuts[path] as number;
      const flown = Math.max(1, Math.ceil(timeOfKey((this.first[path] as Hit).key) * cuts));
      const length = Math.min(this.followed[path] as number, flown);
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

/** A tick is what rounding may be off by. */
const TICK = 1 / CCD_TICKS;

/** Whether one on a piece of its path can be where another is on a piece of its own, which ends then: both fly, or it rests. */
function mayMeet(piece: Piece, theirs: Piece, end: number): boolean {
  const begin = theirs.from - TICK;
  return end >= begin && piece.to >= begin && (end <= theirs.to || piece.from <= theirs.to + TICK);
}

/** Whether a path ends before the tick of a time. */
function isBefore({ key }: Hit, time: number): boolean {
  return timeOfKey(key) < timeOfKey(keyOfEnd(time));
}

function isSame(hit: Hit, other: Hit): boolean {
  return hit.key === other.key && hit.partner === other.partner;
}

function vectorAt(vectors: Float32Array, dimensions: number, index: number): number[] {
  return Array.from(vectors.subarray(dimensions * index, dimensions * (index + 1)));
}
