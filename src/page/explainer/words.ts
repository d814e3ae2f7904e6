/** Writes 12345.6789 as `12,345.679`. */
export function formatNumber(value: number): string {
  // Adding 0 turns −0 into 0.
  return (Number(value.toFixed(3)) + 0).toLocaleString('en', { maximumFractionDigits: 3 });
}

export function describe(count: number, what: string): string {
  return `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`;
}

export function positionOf(positions: ArrayLike<number>, index: number): number[] {
  return [positions[2 * index] as number, positions[2 * index + 1] as number];
}

export function distanceBetween(positions: Float32Array, first: number, second: number): number {
  const [a, b] = [positionOf(positions, first), positionOf(positions, second)];
  return Math.hypot((a[0] as number) - (b[0] as number), (a[1] as number) - (b[1] as number));
}

export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

export function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}

/** Writes a number with a minus sign instead of a hyphen. */
export function withSign(value: number | string): string {
  return String(value).replace('-', '−');
}
