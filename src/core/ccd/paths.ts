/**
 * Follows the path of each fast particle to its end, for one substep on the CPU. Applies the law of ./law.ts, in
 * doubles.
 * Input: the moved state, in canonical order. Changes its positions and velocities.
 * The file is longer than 500 lines, because all stages work on the same lists of paths and pieces.
 */

import {
  CCD_TICKS,
  CLOSING_BITS,
  FAST_SHARE,
  MOST_PIECES,
  NO_PARTNER,
  PIECES_PER_TICK,
  WALL_PARTNER,
} from '../base/constants';
import { massShare } from '../contact/law';
import type { Substep } from '../contact/settings';
import { OBSTACLE_PARTNER } from '../obstacles/obstacles';
import type { StaticBodies } from '../obstacles/tree';
import { extentAlong, thicknessOf } from '../particles/shapes';
import { wrapAxis } from '../world/cells';
import { levelOf } from '../world/levels';
import type { World } from '../world/world';
import { Impact } from './impact';
import {
  AROUND_FAST,
  AROUND_SLOW,
  CCD_ROUNDS,
  type CcdSearch,
  type CcdState,
  type ContinuousCounts,
  keyOfEnd,
  keyOfHit,
  longestPiece,
  NEVER,
  NO_CONTINUOUS_COUNTS,
  strike,
  TO_WALL,
  timeOfKey,
} from './law';

/**
 * Greatest number of pieces per path that `settle` handles first. It must be at least PIECES_PER_TICK, because `settle`
 * handles whole ticks.
 */
const PIECES_AT_ONCE = 16;

const WIDER = 4;

interface Limits {
  readonly pieces: number;
  readonly pairs: number;
}

/** Limits of the work after the first horizon (see `settle`). The work up to this horizon is unlimited. */
const LIMITS: Limits = { pieces: 2 ** 17, pairs: 2 ** 18 };
const NO_LIMITS: Limits = { pieces: Number.POSITIVE_INFINITY, pairs: Number.POSITIVE_INFINITY };

/**
 * Moves all fast particles to the ends of their paths, and lets hits change velocities. `piecesAtOnce` changes the
 * result only if the work exceeds LIMITS.
 */
export function followPaths(
  world: World,
  substep: Substep,
  state: CcdState,
  search: CcdSearch,
  piecesAtOnce = PIECES_AT_ONCE,
): ContinuousCounts {
  const { slots, substepped } = findFast(world, substep, state);
  const swept = slots.length;
  if (swept === 0) return { ...NO_CONTINUOUS_COUNTS, substepped };
  const paths = new Paths(world, substep, state, search, slots);
  paths.meetWalls();
  paths.settle(piecesAtOnce);
  return { substepped, swept, paths: swept, ...paths.land() };
}

function findFast(
  { dimensions }: World,
  { dt, substeps, diameter }: Substep,
  state: CcdState,
): { readonly slots: readonly number[]; readonly substepped: number } {
  const { velocities, radii, activeCount } = state;
  let least = (FAST_SHARE * diameter) ** 2;
  const slots: number[] = [];
  let substepped = 0;
  for (let slot = 0; slot < activeCount; slot++) {
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

interface Hit {
  readonly key: number;
  /** A slot, OBSTACLE_PARTNER plus the slot of an obstacle, WALL_PARTNER plus the axis of a wall, or NO_PARTNER. */
  readonly partner: number;
}

interface Piece {
  readonly path: number;
  readonly from: number;
  readonly to: number;
}

/** `others` are nearby pieces of other paths, in any order. */
interface Meeting {
  readonly piece: Piece;
  readonly others: readonly Piece[];
}

interface Landing {
  readonly slot: number;
  readonly position?: readonly number[] | undefined;
  /** The velocity before the hit. `effect` is its change by the hit. */
  readonly velocity: readonly number[];
  readonly effect?: readonly number[] | undefined;
  /** The slow particle that was hit, and the change of its velocity. */
  readonly other?: { readonly slot: number; readonly effect: readonly number[] } | undefined;
}

class Paths {
  private readonly pathOf = new Map<number, number>();
  private readonly dimensions: World['dimensions'];
  private readonly impact: Impact;
  /** `cuts` is the number of pieces per path, `followed` how many of these pieces are followed. */
  private readonly cuts: number[] = [];
  private readonly followed: number[] = [];
  /**
   * The end of each path without regard to other fast particles. `settle` replaces the ends that lie before its horizon
   * by final ends.
   */
  private readonly first: Hit[] = [];
  /** Number of pieces per path that have been compared with slow particles and obstacles. */
  private readonly compared: number[] = [];
  private hits: readonly Hit[] = [];
  /** Ends whose key is this or higher are not final. */
  private unsettled = Number.POSITIVE_INFINITY;

  constructor(
    private readonly world: World,
    private readonly substep: Substep,
    private readonly state: CcdState,
    private readonly search: CcdSearch,
    /** The slots of the fast particles, ascending. */
    private readonly slots: readonly number[],
  ) {
    const { dimensions } = world;
    this.dimensions = dimensions;
    this.impact = new Impact(world, substep, state);
    for (const [path, slot] of slots.entries()) {
      this.pathOf.set(slot, path);
      const longest = longestPiece(world, this.cellSizeOf(slot));
      const cuts = Math.max(1, Math.ceil(Math.hypot(...this.wayOf(slot)) / longest));
      const followed = cuts > PIECES_PER_TICK * CCD_TICKS ? 1 : Math.min(cuts, MOST_PIECES);
      this.cuts.push(cuts);
      this.followed.push(followed);
      this.compared.push(0);
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
        if (!(beyond > 0) || along === 0) return;
        const time = Math.max(0, 1 - beyond / Math.abs(along));
        this.meet(path, { key: keyOfHit(time, Math.abs(along)), partner: WALL_PARTNER + axis });
      });
    });
  }

  /** Finds hits on slow particles and obstacles up to the horizon. Continues where the previous call ended. */
  private meetSlow(horizon: number): void {
    const { impact, state, compared } = this;
    const { obstacles } = this.search;
    const areAllFast = this.slots.length === state.activeCount;
    if (areAllFast && !obstacles) return;
    this.slots.forEach((slot, path) => {
      for (
        ;
        this.isFollowed(path, compared[path] as number, horizon);
        compared[path] = (compared[path] as number) + 1
      ) {
        const piece = compared[path] as number;
        const from = piece / (this.cuts[path] as number);
        if (isBefore(this.first[path] as Hit, from)) return;
        const [low, high] = this.boxOf(this.pieceOf(path, piece), AROUND_SLOW);
        if (!areAllFast) {
          this.search.particles(low, high, (partner) => {
            if (partner === slot || this.pathOf.has(partner)) return;
            impact.face(slot, from, state, partner, from, true);
            this.meet(path, { key: impact.key(from), partner });
          });
        }
        if (!obstacles) continue;
        this.search.visitObstacles(low, high, (obstacle) => {
          impact.face(slot, from, obstacles, obstacle, 1, false);
          const key = impact.keyOnImages(from);
          this.meet(path, { key, partner: (OBSTACLE_PARTNER | obstacle) >>> 0 });
        });
      }
    });
  }

  /**
   * Finds the ends of all paths. An end depends only on earlier ends, so `settle` first runs the rounds up to an early
   * time, the horizon. While paths go on beyond it, `settle` runs the rounds again with a later horizon. If the work of
   * these later rounds exceeds LIMITS, the paths that go on are held.
   */
  settle(piecesAtOnce: number): void {
    const most = this.cuts.reduce(
      (most, cuts, path) => (this.followed[path] === 1 ? most : Math.max(most, cuts)),
      1,
    );
    const first = Math.max(1, Math.min(CCD_TICKS, Math.floor((piecesAtOnce * CCD_TICKS) / most)));
    let last = 0;
    for (let horizon = first; ; horizon = Math.min(CCD_TICKS, WIDER * horizon)) {
      this.meetSlow(horizon / CCD_TICKS);
      const limits = last === 0 ? NO_LIMITS : LIMITS;
      const meetings = this.meetings(horizon / CCD_TICKS, limits);
      if (!meetings) break;
      this.runRounds(meetings, horizon);
      const beyond = keyOfTick(horizon);
      const areAllFound = horizon === CCD_TICKS || this.hits.every(({ key }) => key < beyond);
      // If an end before the horizon is unsettled, paths are held at that end, so a later horizon would not help.
      if (areAllFound || this.unsettled < beyond) return;
      last = horizon;
      this.hits.forEach((hit, path) => {
        if (hit.key < beyond) this.first[path] = hit;
      });
    }
    this.unsettled = keyOfTick(last);
  }

  /**
   * Finds hits between fast particles. After the first round, a path is followed again only if the end of a nearby path
   * changed. Paths that go beyond the tick `horizon` end there.
   */
  private runRounds(meetings: readonly Meeting[][], horizon: number): void {
    const last = horizon === CCD_TICKS ? NEVER : keyOfTick(horizon);
    const end = { key: keyOfEnd(horizon / CCD_TICKS), partner: NO_PARTNER };
    const first = this.first.map((hit) => (hit.key < last ? hit : end));
    this.hits = first;
    this.unsettled = Number.POSITIVE_INFINITY;
    const times = Float64Array.from(first, ({ key }) => timeOfKey(key));
    let affected: Iterable<number> = this.slots.keys();
    for (let round = 1; round <= CCD_ROUNDS; round++) {
      const before = this.hits;
      const hits = [...before];
      const next = new Set<number>();
      const changed: number[] = [];
      for (const path of affected) {
        const hit = this.endAmong(path, first[path] as Hit, meetings[path] as Meeting[], before, times);
        const previous = before[path] as Hit;
        if (isSame(hit, previous)) continue;
        hits[path] = hit;
        changed.push(path);
        for (const { others } of meetings[path] as Meeting[])
          for (const other of others) next.add(other.path);
        if (round === CCD_ROUNDS) this.unsettled = Math.min(this.unsettled, hit.key, previous.key);
      }
      this.hits = hits;
      // All paths of a round must see the times of the previous round, so times change only here.
      for (const path of changed) times[path] = timeOfKey((hits[path] as Hit).key);
      affected = next;
    }
  }

  /**
   * Returns the end of a path: `first`, or an earlier hit on a fast particle. `before` and `times` hold all ends of the
   * previous round, and their times.
   */
  private endAmong(
    path: number,
    first: Hit,
    meetings: readonly Meeting[],
    before: readonly Hit[],
    times: Float64Array,
  ): Hit {
    const slot = this.slots[path] as number;
    let end = first;
    for (const { piece, others } of meetings) {
      if (isBefore(end, piece.from)) break;
      for (const otherPiece of others) {
        if (!mayMeet(piece, otherPiece, times[otherPiece.path] as number)) continue;
        const partner = this.slots[otherPiece.path] as number;
        // Start at a time when both particles are on their pieces. From an earlier time they would move farther, so the
        // minimum image might change.
        const since = Math.max(piece.from, timeOfKey(keyOfEnd(otherPiece.from)));
        const key = this.meetFast(slot, since, partner, before[otherPiece.path] as Hit);
        const hit = { key, partner };
        if (this.comesFirst(hit, end)) end = hit;
      }
    }
    return end;
  }

  land(): Pick<ContinuousCounts, 'hits' | 'held'> {
    const { positions, velocities } = this.state;
    const { dimensions, world } = this;
    const claims = this.claims();
    const landings = this.slots.map((_, path) => this.landingOf(path, claims));
    for (const { slot, position, velocity, effect, other } of landings) {
      for (let axis = 0; axis < dimensions; axis++) {
        const index = dimensions * slot + axis;
        if (position) positions[index] = wrapAxis(world, Math.fround(position[axis] as number), axis);
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

  /** Returns the end if it is final; otherwise an end at the time at which the path is held. */
  private endOf(path: number): Hit {
    const hit = this.hits[path] as Hit;
    if (hit.key < this.unsettled) return hit;
    return { key: keyOfEnd(timeOfKey(this.unsettled)), partner: NO_PARTNER };
  }

  /** Maps each slow slot that is hit to the fast slot that hits it first. */
  private claims(): Map<number, number> {
    const claims = new Map<number, number>();
    this.slots.forEach((slot, path) => {
      const { key, partner } = this.endOf(path);
      if (partner >= OBSTACLE_PARTNER || this.pathOf.has(partner)) return;
      const rival = claims.get(partner);
      if (rival !== undefined) {
        const rivalEnd = this.endOf(this.pathOf.get(rival) as number);
        if (!this.comesFirst({ key, partner: slot }, { key: rivalEnd.key, partner: rival })) return;
      }
      claims.set(partner, slot);
    });
    return claims;
  }

  private landingOf(path: number, claims: ReadonlyMap<number, number>): Landing {
    const { substep, state, impact, dimensions } = this;
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
      impact.face(slot, time, this.search.obstacles as StaticBodies, partner - OBSTACLE_PARTNER, 1, false);
      impact.measure(0);
      const effect = strike(velocity, impact.normal, 1, substep.gripShare, substep);
      return { slot, position, velocity, effect };
    }
    const otherPath = this.pathOf.get(partner);
    const isMutual =
      otherPath === undefined ? claims.get(partner) === slot : this.endOf(otherPath).partner === slot;
    if (!isMutual) return { slot, position, velocity };
    // Two fast particles must use the same time: then, if their masses are equal, their effects are exactly opposite.
    const when = otherPath === undefined ? time : Math.min(time, timeOfKey(this.endOf(otherPath).key));
    impact.face(slot, when, state, partner, when, true);
    impact.measure(0);
    const { normal } = impact;
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

  /** Returns the coordinate at which a particle touches the wall at `corner`. `inward` is 1 or -1. */
  private limitOf(slot: number, axis: number, corner: readonly number[], inward: number): number {
    const limit = corner[axis] as number;
    if (!this.state.radii) return limit;
    return Math.fround(limit + inward * extentAlong(this.dimensions, this.state, slot, axis, 0));
  }

  private thicknessOf(slot: number): number {
    return thicknessOf(this.dimensions, this.state, slot, this.substep.diameter / 2);
  }

  private cellSizeOf(slot: number): number {
    const { world, state } = this;
    if (!state.radii) return world.cellSize;
    return world.cellSize * 2 ** (levelOf(world, state.radii[slot] as number) as number);
  }

  /** Returns the velocity at the end of a path, before the hit, without the gravity of the rest of the substep. */
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

  /** Returns the whole motion of a particle in the substep, rounded as integration rounded it. */
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

  /** Returns a number that breaks ties: the id of a particle; for a wall or an obstacle, a number above all ids. */
  private rankOf(partner: number): number {
    return partner < OBSTACLE_PARTNER ? (this.state.ids[partner] as number) : partner;
  }

  private meetFast(slot: number, from: number, other: number, end: Hit): number {
    const { impact, state } = this;
    // In the tick in which its path ends, the other particle still moves. If it rested, two particles that hit each
    // other would find different hits, or none, in the next round.
    if (!isBefore(end, from)) {
      impact.face(slot, from, state, other, from, true);
      const key = impact.key(from);
      if (timeOfKey(key) <= timeOfKey(end.key)) return key;
    }
    const until = timeOfKey(end.key);
    if (until >= 1) return NEVER;
    const begin = Math.max(from, until);
    impact.face(slot, begin, state, other, until, false);
    return impact.key(begin);
  }

  private marginsOf(slot: number, margin: number): number[] {
    const { dimensions, state, substep } = this;
    return this.world.period.map(
      (_, axis) => margin * extentAlong(dimensions, state, slot, axis, substep.diameter / 2),
    );
  }

  /** Returns the corners of the box around a piece. `margin` is in extents of the particle. */
  private boxOf({ path, from, to }: Piece, margin: number): [number[], number[]] {
    const slot = this.slots[path] as number;
    const begin = this.positionAt(slot, from);
    const end = this.positionAt(slot, to);
    const margins = this.marginsOf(slot, margin);
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

  /** Returns whether a piece is followed and begins before the horizon; always true for the first piece. */
  private isFollowed(path: number, piece: number, horizon: number): boolean {
    return (
      piece === 0 ||
      (piece < (this.followed[path] as number) && piece < horizon * (this.cuts[path] as number))
    );
  }

  /**
   * Returns the pieces up to the horizon that are near other paths, per path and in the order of time; undefined if the
   * limits are exceeded.
   */
  private meetings(horizon: number, limits: Limits): Meeting[][] | undefined {
    const { dimensions } = this;
    // Pieces after a path's end in `first` are not needed, because other fast particles can only shorten the path.
    const lengths = this.slots.map((_, path) => {
      const cuts = this.cuts[path] as number;
      const reached = Math.ceil(Math.min(horizon, timeOfKey((this.first[path] as Hit).key)) * cuts);
      return Math.min(this.followed[path] as number, Math.max(1, reached));
    });
    if (lengths.reduce((sum, length) => sum + length, 0) > limits.pieces) return undefined;
    const pieces = lengths.flatMap((length, path) =>
      Array.from({ length }, (_, index) => this.pieceOf(path, index)),
    );
    const boxes = new Float32Array(2 * dimensions * pieces.length);
    let index = 0;
    lengths.forEach((length, path) => {
      const slot = this.slots[path] as number;
      const way = this.wayOf(slot);
      const margins = this.marginsOf(slot, AROUND_FAST);
      for (let piece = 0; piece < length; piece++, index++) {
        const { from, to } = pieces[index] as Piece;
        for (let axis = 0; axis < dimensions; axis++) {
          const position = this.state.positions[dimensions * slot + axis] as number;
          const begin = position - (1 - from) * (way[axis] as number);
          const end = position - (1 - to) * (way[axis] as number);
          const low = 2 * dimensions * index + axis;
          boxes[low] = Math.min(begin, end) - (margins[axis] as number);
          boxes[low + dimensions] = Math.max(begin, end) + (margins[axis] as number);
        }
      }
    });
    const others: (Piece[] | undefined)[] = new Array(pieces.length);
    const add = (piece: number, other: Piece) => {
      const near = others[piece];
      if (near) near.push(other);
      else others[piece] = [other];
    };
    let pairs = 0;
    const isComplete = this.search.meetings(boxes, (first, second) => {
      const [one, two] = [pieces[first] as Piece, pieces[second] as Piece];
      if (one.path === two.path) return true;
      add(first, two);
      add(second, one);
      return ++pairs <= limits.pairs;
    });
    if (!isComplete) return undefined;
    const meetings: Meeting[][] = this.slots.map(() => []);
    pieces.forEach((piece, index) => {
      const near = others[index];
      if (near) meetings[piece.path]?.push({ piece, others: near });
    });
    return meetings;
  }
}

function keyOfTick(tick: number): number {
  return tick * 2 ** CLOSING_BITS;
}

/** Tolerance for the rounding of times. */
const TICK = 1 / CCD_TICKS;

function mayMeet(piece: Piece, otherPiece: Piece, end: number): boolean {
  const begin = otherPiece.from - TICK;
  return end >= begin && piece.to >= begin && (end <= otherPiece.to || piece.from <= otherPiece.to + TICK);
}

/** Returns whether a hit is in an earlier tick than `time`. */
function isBefore({ key }: Hit, time: number): boolean {
  return timeOfKey(key) < timeOfKey(keyOfEnd(time));
}

function isSame(hit: Hit, other: Hit): boolean {
  return hit.key === other.key && hit.partner === other.partner;
}

function vectorAt(vectors: Float32Array, dimensions: number, index: number): number[] {
  return Array.from(vectors.subarray(dimensions * index, dimensions * (index + 1)));
}
