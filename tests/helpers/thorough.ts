/**
 * Purpose: how much of what is the same in kind is asked. The gate has a quarter of an hour: of long rows of like cases it
 * asks every other one or third, in space every fourth, and of properties 3 cases in 10; CELLSTORM_THOROUGH=1 asks all. A run says in its first lines which it is.
 */
import type { Dimensions } from '../../src/core/world/world';

export const THOROUGH_FLAG = 'CELLSTORM_THOROUGH';

export const THOROUGH = process.env[THOROUGH_FLAG] === '1';

/** Every other one, the first among them. */
export function everyOther<Case>(cases: readonly Case[]): readonly Case[] {
  return THOROUGH ? cases : cases.filter((_, index) => index % 2 === 0);
}

/** In the plane every third; in space, where each takes longer, every fourth, others than in the plane. */
export function fewerInSpace<Case>(dimensions: Dimensions, cases: readonly Case[]): readonly Case[] {
  if (THOROUGH || cases.length < 2) return cases;
  return cases.filter((_, index) => (dimensions === 2 ? index % 3 === 0 : index % 4 === 1));
}

/** Of so many cases at random those that the gate asks, and of what comes of so many, what comes of those. */
export function atGate(amount: number): number {
  return THOROUGH ? amount : Math.ceil(0.3 * amount);
}

/** Whether what takes seconds is asked: in the plane, and in space where everything is. */
export function isAsked(dimensions: Dimensions): boolean {
  return THOROUGH || dimensions === 2;
}

/**
 * In the plane every other one, in space those between: of what is asked in both, each in one of them. An odd turn swaps the
 * two, so that where like circumstances ask the same cases, each is asked in the plane by some of them.
 */
export function inTurns<Case>(dimensions: Dimensions, cases: readonly Case[], turn = 0): readonly Case[] {
  return THOROUGH ? cases : cases.filter((_, index) => (index + turn) % 2 === dimensions % 2);
}
