/**
 * Purpose: how much of what is the same in kind is asked. The gate has a quarter of an hour: of long rows of like cases it
 * asks every other one or third, in space every fourth, and of properties 3 cases in 10; CELLSTORM_THOROUGH=1 asks all. A run says in its first lines which it is.
 */
import type { Dimensions } from '../../src/core/world';

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

/** Of cases that are asked in several like circumstances: in each every second, in space every fourth, beginning with another. */
export function inTurn<Case>(dimensions: Dimensions, turn: number, cases: readonly Case[]): readonly Case[] {
  const of = dimensions === 2 ? 2 : 4;
  return THOROUGH ? cases : cases.filter((_, index) => (index + turn) % of === 0);
}

/** Whether what takes seconds is asked: in the plane, and in space where everything is. */
export function isAsked(dimensions: Dimensions): boolean {
  return THOROUGH || dimensions === 2;
}

/** In the plane every other one, in space those between: of what is asked in both, each in one of them. */
export function inTurns<Case>(dimensions: Dimensions, cases: readonly Case[]): readonly Case[] {
  return THOROUGH ? cases : cases.filter((_, index) => index % 2 === dimensions % 2);
}
