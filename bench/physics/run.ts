/** Runs cases in engines. A failure in one engine does not stop the others. */
import type { Dimensions } from '../../src/core/world/world';
import type { PhysicsEngine } from './engine';
import { type Bar, type Case, type GroupName, meetsBar } from './measure';

/** null if not finite, for example because a ball never bounced. */
export type Value = number | null;

export interface Row {
  readonly group: GroupName;
  readonly dimensions: Dimensions;
  readonly scene: string;
  readonly figure: string;
  readonly unit: string;
  readonly bar?: Bar | undefined;
  /** Values by engine. An engine that fails or lacks the dimensions is missing. */
  readonly values: Readonly<Record<string, Value>>;
}

export interface CaseResult {
  readonly rows: readonly Row[];
  readonly failures: readonly string[];
}

export async function runCase(one: Case, engines: readonly PhysicsEngine[]): Promise<CaseResult> {
  const { group, dimensions, scene, figures } = one;
  const found: (readonly [name: string, values: readonly number[]])[] = [];
  const failures: string[] = [];
  for (const engine of engines) {
    if (!engine.dimensions.includes(dimensions)) continue;
    try {
      found.push([engine.name, await one.run(engine)]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failures.push(`${engine.name} failed in ${scene}, ${dimensions}D: ${reason}`);
    }
  }
  const rows = figures.map(({ name, unit, bar }, index): Row => {
    const values = Object.fromEntries(found.map(([engine, numbers]) => [engine, toValue(numbers[index])]));
    return { group, dimensions, scene, figure: name, unit, ...(bar ? { bar } : {}), values };
  });
  return { rows, failures };
}

function toValue(number: number | undefined): Value {
  return number !== undefined && Number.isFinite(number) ? number : null;
}

/** Returns whether a value meets its limits; undefined if the figure has no limits or the engine is missing. */
export function isGood({ bar, values }: Row, engine: string): boolean | undefined {
  const value = values[engine];
  if (bar === undefined || value === undefined) return undefined;
  return value !== null && meetsBar(value, bar);
}
