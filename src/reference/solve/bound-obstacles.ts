/**
 * The sums over obstacles in exact arithmetic, and their errors. bound-law.ts derives the errors of each contact.
 *
 * Everything except the change by a bounce is multiplied by t = min(1, M / T), where M is the deepest overlap and T the
 * sum of all overlaps.
 *   - M may be off by the largest error of an overlap.
 *   - T may be off by the sum of the errors and by the roundings of the sum.
 *   - t lies between the values that these errors allow. A quotient (5 u) and a product (u) widen this range.
 * If an obstacle stops the particle, the sum O of the changes is multiplied by r = −v·O / |O|², limited to 0 to 1. With
 * a relative error x of O, r is off by at most |v| / |O| times 5 x, and by its roundings.
 */
import type { Substep } from '../../core/contact/settings';
import { obstacleShare } from '../../core/obstacles/obstacles';
import { UNIT_ROUNDOFF as U } from '../query/brute-force';
import type { ExactContact } from './bound-contact';
import { addClosing, addDepth, type Outcome, outcomesOf, pushTerm, TERMS, type Verdict } from './bound-law';
import {
  type Approximate,
  type ApproximateNumber,
  EffectSums,
  either,
  inner,
  length,
  type Sum,
  scaled,
  type Term,
} from './bound-sums';

interface Met {
  readonly contact: ExactContact;
  readonly decided: Outcome;
  readonly others: readonly Outcome[];
}

/** The contacts of a particle with obstacles. `pressed`: the change of its velocity by other particles. */
export class ObstacleSums {
  private readonly met: Met[] = [];
  private readonly pushes: Term[] = [];
  private deepest = 0;
  private greatestError = 0;
  private overlaps = 0;
  private overlapsError = 0;

  constructor(
    private readonly velocity: readonly number[],
    private readonly pressed: Approximate,
  ) {}

  addPush(substep: Substep, contact: ExactContact): void {
    this.count(contact);
    this.pushes.push(pushTerm(substep, contact));
  }

  add(substep: Substep, contact: ExactContact, verdict: Verdict): void {
    this.count(contact);
    this.met.push({ contact, ...outcomesOf(substep, contact, verdict, this.pressed) });
  }

  private count({ overlap, overlapError }: ExactContact): void {
    this.deepest = Math.max(this.deepest, overlap);
    this.greatestError = Math.max(this.greatestError, overlapError);
    this.overlaps += overlap;
    this.overlapsError += overlapError;
  }

  addTo(target: EffectSums): void {
    const share = this.share();
    for (const push of this.pushes) target.push.add(weighted(push, share));
    if (this.met.length === 0) return;
    const sums = new EffectSums(this.velocity.length);
    for (const { contact, decided, others } of this.met) {
      for (const name of TERMS) {
        const terms = [decided, ...others].map((outcome) =>
          outcome.kind === 'bounce' && name === 'change' ? outcome.change : weighted(outcome[name], share),
        );
        sums[name].add(terms.reduce(either));
      }
      addClosing(contact, decided, others, target);
      addDepth(contact, target);
    }
    const kept = this.kept(sums.change);
    for (const name of TERMS) {
      const sum = sums[name];
      const term = { ...sum.total(), magnitude: sum.magnitude };
      target[name].add(name === 'push' || !kept ? term : weighted(term, kept));
    }
  }

  /** Returns the factor that keeps stops from reversing the velocity; undefined if no obstacle may stop the particle. */
  private kept(sum: Sum): ApproximateNumber | undefined {
    const isStop = ({ kind }: Outcome) => kind === 'stop';
    if (!this.met.some(({ decided, others }) => [decided, ...others].some(isStop))) return undefined;
    const isAny = this.met.some(({ decided }) => isStop(decided));
    const isCertain = this.met.some(({ decided, others }) => isStop(decided) && others.length === 0);
    const { value: change, error } = sum.total();
    const size = length(change);
    const clamp = (ratio: number) => Math.min(1, Math.max(0, ratio));
    const ratio = size > 0 ? -inner(this.velocity, change) / (size * size) : 1;
    const value = isAny ? clamp(ratio) : 1;
    const relative = error / size;
    // The quotient has three factors with the error of the sum. Its roundings are below 40 u.
    const doubt =
      size > 2 ** -50 && relative < 1 / 8
        ? (length(this.velocity) / size) * (5 * relative + 40 * U)
        : Number.POSITIVE_INFINITY;
    const least = clamp(ratio - doubt);
    const most = isCertain ? clamp(ratio + doubt) : 1;
    return { value, error: Math.max(value - least, most - value) };
  }

  /** Returns obstacleShare, the weight of everything except a bounce. */
  private share(): ApproximateNumber {
    const { deepest, greatestError, overlaps } = this;
    const terms = this.met.length + this.pushes.length;
    // The share of a single obstacle is exactly 1.
    if (terms <= 1) return { value: 1, error: 0 };
    const off = this.overlapsError + 2 * terms * U * overlaps;
    const value = obstacleShare(deepest, overlaps);
    const least = obstacleShare(Math.max(0, deepest - greatestError), overlaps + off);
    const most = obstacleShare(deepest + greatestError, Math.max(0, overlaps - off));
    return { value, error: Math.max(value - least, most - value) + 6 * U };
  }
}

function weighted({ value, error, magnitude }: Term, weight: ApproximateNumber): Term {
  return {
    value: scaled(weight.value, value),
    // 0 · ∞ is not a number.
    error:
      error === Number.POSITIVE_INFINITY
        ? error
        : weight.value * error + (weight.error + 2 * U) * (magnitude + error),
    magnitude: weight.value * magnitude,
  };
}
