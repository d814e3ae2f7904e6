const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });
const LONG_UNITS = [
  ['h', 3_600_000],
  ['min', 60_000],
] as const;
const ROUND = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

/** Formats 12345 as `12,345`, and 49990000 as `49.99M`. */
export function formatCount(count: number): string {
  return count < 1e7 ? WHOLE.format(count) : SHORT.format(count);
}

export function formatReal(value: number): string {
  // Without an exponent, such a number would be too long.
  if (value !== 0 && Math.abs(value) < 1e-6) return value.toExponential(1);
  return value < 1e7 ? DIGITS.format(value) : SHORT.format(value);
}

/** Formats a share as a percentage. Above 99% it has up to six decimals, so that it seldom rounds to 100%. */
export function formatShare(share: number): string {
  const percent = 100 * share;
  const decimals = percent > 99 && percent < 100 ? Math.min(6, 1 + Math.ceil(-Math.log10(100 - percent))) : 1;
  return `${percent.toFixed(percent === 0 || percent === 100 ? 0 : decimals)}%`;
}

export function formatPercent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/** Formats a duration in milliseconds; from 1 s on in seconds, from 2 min on in minutes, from 2 h on in hours. */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 0.01) return '< 0.01 ms';
  if (milliseconds >= 1000) {
    const [unit, length] =
      LONG_UNITS.find(([, least]) => milliseconds >= 2 * least) ?? (['s', 1000] as const);
    return `${ROUND.format(milliseconds / length)} ${unit}`;
  }
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0)} ms`;
}

/** Returns `1 step` or `2 steps`. */
export function formatCountOf(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** Formats the "10" in "10 times as much". */
export function formatTimes(ratio: number): string {
  if (ratio < 0.095) return ratio.toPrecision(1);
  return ratio < 10 ? ratio.toFixed(1) : formatCount(ratio);
}

/** Turns `one-cell` into `One cell`. */
export function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
