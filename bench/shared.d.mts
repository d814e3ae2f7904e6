export function bundle<Modules extends object>(
  entries: {
    readonly [Name in keyof Modules]: string;
  },
): Promise<Modules>;
export function median(times: readonly number[]): number;
export function round(value: number): number;
export function commitOf(): string | undefined;
