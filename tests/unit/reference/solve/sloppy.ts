/** Repeats formulas of contact-law.ts on purpose, with arithmetic as inaccurate as WGSL allows. */
import type { Substep } from '../../../../src/core/contact/settings';

const U = 2 ** -24;

/** `direction` returns the error of the next operation, from −1 to 1, as a share of the permitted error. */
export class SloppyArithmetic {
  constructor(private readonly direction: () => number) {}

  private spoil(value: number, units: number): number {
    return value * (1 + this.direction() * units * U);
  }

  /** Sums are correctly rounded, so a sum that is a 32-bit float is exact, and so is a sum with 0. */
  add = (a: number, b: number) => (b === 0 || Math.fround(a + b) === a + b ? a + b : this.spoil(a + b, 1));
  multiply = (a: number, b: number) => this.spoil(a * b, 1);
  divide = (a: number, b: number) => this.spoil(a / b, 5);
  root = (a: number) => this.spoil(Math.sqrt(a), 9);

  dot(a: readonly number[], b: readonly number[]): number {
    return a.map((along, axis) => this.multiply(along, b[axis] as number)).reduce(this.add);
  }
}

export interface SloppySums {
  readonly push: readonly number[];
  readonly change: readonly number[];
  readonly support: readonly number[];
  readonly bearing: number;
  readonly closing: number;
  readonly depth: number;
  readonly strain: number;
}

export type SettleNumbers = Pick<Substep, 'kickSpeed' | 'calmSpeed' | 'friction' | 'gravity' | 'dt'>;

export function settleSloppily(arithmetic: SloppyArithmetic, substep: SettleNumbers, total: SloppySums) {
  const { kickSpeed, calmSpeed, friction, gravity, dt } = substep;
  const { add, multiply, divide, root } = arithmetic;
  const size = root(arithmetic.dot(total.change, total.change));
  const keptBy = (limit: number, beyond: number) => {
    const limited = Math.min(1, Math.max(0, add(beyond, -1)));
    if (!(size > limit && limited > 0)) return 1;
    return add(add(1, -limited), multiply(limited, divide(limit, size)));
  };
  const factor = Math.min(
    keptBy(Math.max(total.closing, kickSpeed), total.depth),
    keptBy(Math.max(total.closing / 2, calmSpeed), total.strain),
  );
  const shorten = (sum: readonly number[]) =>
    factor === 1 ? sum : sum.map((along) => multiply(factor, along));
  const change = shorten(total.change);
  const supports = shorten(total.support);
  const bearing = shorten([total.bearing])[0] as number;
  const gain = gravity.map((along) => multiply(along, dt));
  const support = root(arithmetic.dot(supports, supports));
  if (!(support > 0 && arithmetic.dot(supports, gain) < 0)) return { ...total, change, bearing };
  const up = supports.map((along) => divide(along, support));
  const across = (vector: readonly number[]) => {
    const height = arithmetic.dot(vector, up);
    return vector.map((along, axis) => add(along, -multiply(height, up[axis] as number)));
  };
  const slip = across(gain);
  const used = across(change);
  const slipSpeed = root(arithmetic.dot(slip, slip));
  const room = Math.max(0, add(multiply(friction, support), -root(arithmetic.dot(used, used))));
  const held = slipSpeed > 0 ? Math.min(1, divide(room, slipSpeed)) : 0;
  const take = (from: readonly number[], share: number) =>
    from.map((along, axis) => add(along, -multiply(share, slip[axis] as number)));
  return { ...total, push: take(total.push, multiply(held, dt)), change: take(change, held), bearing };
}

/** Returns the velocity at the end of a pass. */
export function slowSloppily(
  arithmetic: SloppyArithmetic,
  { inverseDt, calmSpeed }: Pick<Substep, 'inverseDt' | 'calmSpeed'>,
  { push, change, strain }: Pick<SloppySums, 'push' | 'change' | 'strain'>,
  velocity: readonly number[],
): readonly number[] {
  const { add, multiply, divide } = arithmetic;
  const excess = push.map((along, axis) => add(multiply(along, inverseDt), -(change[axis] as number)));
  const squared = arithmetic.dot(velocity, velocity);
  const along = arithmetic.dot(excess, velocity);
  const limited = Math.min(1, Math.max(0, add(strain, -4)));
  if (!(along < 0 && limited > 0)) return velocity;
  const most = Math.min(squared, multiply(calmSpeed, arithmetic.root(squared)));
  const left = add(1, -multiply(limited, divide(Math.min(-along, most), squared)));
  return velocity.map((own) => multiply(left, own));
}

export function loadSloppily(
  arithmetic: SloppyArithmetic,
  restSpeed: number,
  bearing: number,
  velocity: readonly number[],
  before: readonly number[],
): number {
  if (!(restSpeed > 2 ** -62)) return 0;
  const { add, multiply, divide, root } = arithmetic;
  const change = velocity.map((along, axis) => add(along, -(before[axis] as number)));
  const net = root(arithmetic.dot(change, change));
  const spare = Math.max(0, add(multiply(1 - 2 ** -20, bearing), -net));
  return Math.min(2 ** 24, divide(4 * spare, restSpeed));
}
