/**
 * Decides how many of many similar cases a run covers. By default a run takes a part of them, to stay within a quarter
 * of an hour; CELLSTORM_THOROUGH=1 takes all. The first lines of a run say which.
 */
import type { Dimensions } from '../../src/core/world/world';

export const THOROUGH_FLAG = 'CELLSTORM_THOROUGH';

export const THOROUGH = process.env[THOROUGH_FLAG] === '1';

/** Every second case, beginning with the first. */
export function everyOther<Case>(cases: readonly Case[]): readonly Case[] {
  return THOROUGH ? cases : cases.filter((_, index) => index % 2 === 0);
}

/**
 * Every third case in 2D. Every fourth in 3D, where each takes longer, offset so that 2D and 3D cover different cases.
 */
export function fewerInSpace<Case>(dimensions: Dimensions, cases: readonly Case[]): readonly Case[] {
  if (THOROUGH || cases.length < 2) return cases;
  return cases.filter((_, index) => (dimensions === 2 ? index % 3 === 0 : index % 4 === 1));
}

/** How many of `amount` random cases to run; also scales counts that are proportional to the number of cases. */
export function atGate(amount: number): number {
  return THOROUGH ? amount : Math.ceil(0.3 * amount);
}

/** Whether to run cases that take seconds: always in 2D, in 3D only in a thorough run. */
export function isAsked(dimensions: Dimensions): boolean {
  return THOROUGH || dimensions === 2;
}

/**
 * Every second case in 2D and the cases between them in 3D, so that each case runs in one of the two. An odd `turn`
 * swaps the halves: tests that share a list of cases can cover both halves in 2D.
 */
export function inTurns<Case>(dimensions: Dimensions, cases: readonly Case[], turn = 0): readonly Case[] {
  return THOROUGH ? cases : cases.filter((_, index) => (index + turn) % 2 === dimensions % 2);
}
