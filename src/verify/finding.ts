/** The result of a check. */

export interface Finding {
  readonly pass: boolean;
  /** Figures, or the first difference. */
  readonly detail: string;
  /** The state hash with which all runs of the check ended. Only the check `repeats` gives one. */
  readonly hash?: string | undefined;
}

export function success(detail: string): Finding {
  return { pass: true, detail };
}

export function failure(detail: string): Finding {
  return { pass: false, detail };
}

/** Reports the first difference between named arrays, or how many numbers are equal. */
export function firstDifference(
  rows: readonly (readonly [name: string, got: ArrayLike<number>, expected: ArrayLike<number>])[],
  what = 'integers equal',
): Finding {
  let compared = 0;
  for (const [name, got, expected] of rows) {
    if (got.length !== expected.length) {
      return failure(`${got.length} values of ${name} instead of ${expected.length}`);
    }
    for (let index = 0; index < got.length; index++) {
      if (got[index] !== expected[index]) {
        return failure(`${name} ${index} is ${got[index]} instead of ${expected[index]}`);
      }
    }
    compared += got.length;
  }
  return success(`${compared} ${what}`);
}
