const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export function formatCount(count: number): string {
  return WHOLE.format(count);
}

/** Formats a time with three significant digits and a unit. */
export function formatTime(milliseconds: number): string {
  if (milliseconds >= 1000) return `${DIGITS.format(milliseconds / 1000)} s`;
  if (milliseconds > 0 && milliseconds < 0.1) return `${DIGITS.format(milliseconds * 1000)} µs`;
  return `${DIGITS.format(milliseconds)} ms`;
}

/** Formats a number for a column: with three significant digits, or as a whole number from 100 on. */
export function formatFigure(milliseconds: number | undefined): string {
  if (milliseconds === undefined || !Number.isFinite(milliseconds)) return '';
  return milliseconds >= 100 ? formatCount(milliseconds) : milliseconds.toPrecision(3);
}

export const CANNOT_TELL = 'cannot tell';

/** Returns "12%" or "0.43%", for example. */
export function formatShare(share: number | undefined): string {
  return share === undefined ? '' : `${DIGITS.format(Number((100 * share).toPrecision(2)))}%`;
}

/** Returns '' if the ratio is not finite, because the divisor was too short to measure. */
export function formatRatio(ratio: number): string {
  if (!Number.isFinite(ratio)) return '';
  if (ratio < 0.95) return ratio.toPrecision(2);
  return ratio < 9.95 ? ratio.toFixed(1) : formatCount(ratio);
}

function formatBandwidth(bytesPerMs: number): string {
  return `${(bytesPerMs / 1e6).toFixed(1)} GB/s`;
}

/** Returns "16.7 GB/s (512 MiB each)", for example. */
export function formatCopies(bytesPerMs: number, bytes: number): string {
  return `${formatBandwidth(bytesPerMs)} (${formatCount(bytes / 2 ** 20)} MiB each)`;
}

/** Returns "a", "a and b" or "a, b and c". */
export function formatList(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** Returns "1 run", "2 runs", "1 body" or "2 bodies", for example. */
export function formatCountOf(count: number, one: string, several = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : several}`;
}
