/** Returns the outcome of the work, or 'hangs' after the time limit. */
export async function settle(
  work: () => unknown,
  seconds: number,
): Promise<{ readonly value: unknown } | { readonly error: unknown } | 'hangs'> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<'hangs'>((resolve) => {
    timer = setTimeout(() => resolve('hangs'), 1000 * seconds);
  });
  const outcome = (async () => work())().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const settled = await Promise.race([outcome, limit]);
  clearTimeout(timer);
  return settled;
}

export function describeError(error: unknown): string {
  if (!(error instanceof Error))
    return `a value of type ${typeof error} instead of an Error: ${String(error)}`;
  const reason = 'reason' in error ? ` (${String(error.reason)})` : '';
  return `${error.name}${reason}: ${error.message}`;
}
