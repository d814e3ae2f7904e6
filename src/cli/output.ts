/** Formats output: aligned tables and numbers for stdout; progress for stderr, as a bar on a terminal or as lines. */

const FEWEST_COLUMNS = 60;
const USUAL_COLUMNS = 100;
/** Least width of a column of sentences. */
const NARROWEST = 24;
/** Longer lines are hard to read. */
const MOST_COLUMNS = 120;

export function formatTable(rows: readonly (readonly string[])[], right: readonly boolean[] = []): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          right[column] ? cell.padStart(widths[column] as number) : cell.padEnd(widths[column] as number),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Returns the number of columns of a terminal, within limits; for other streams, returns USUAL_COLUMNS. */
export function widthOf(stream: { readonly columns?: number }): number {
  return Math.min(MOST_COLUMNS, Math.max(FEWEST_COLUMNS, stream.columns ?? USUAL_COLUMNS));
}

/** Breaks a text into lines. Lines after the first begin with `indent`. Words longer than a line stay whole. */
export function wrapText(text: string, width: number, indent = ''): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    const begun = line === '' || line === indent ? `${line}${word}` : `${line} ${word}`;
    if (begun.length <= width || line === '' || line === indent) lines[lines.length - 1] = begun;
    else lines.push(`${indent}${word}`);
  }
  return lines.join('\n');
}

/** Formats a table. The text in the last cell of each row is wrapped within its column. */
export function formatWrapped(rows: readonly (readonly string[])[], width: number): string {
  const before = formatTable(rows.map((row) => [...row.slice(0, -1), '|'])).split('\n');
  return rows
    .map((row, index) => {
      const lead = (before[index] as string).slice(0, -1);
      const text = wrapText(row.at(-1) ?? '', Math.max(NARROWEST, width - lead.length));
      return `${lead}${text.replaceAll('\n', `\n${' '.repeat(lead.length)}`)}`;
    })
    .join('\n');
}

export function formatCount(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

export function formatFigure(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return formatCount(value);
  return Math.abs(value) >= 1e-3 && Math.abs(value) < 1e7 ? value.toFixed(6) : value.toExponential(4);
}

export function formatSeconds(seconds: number): string {
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 100
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const BAR_WIDTH = 24;
const REFRESH_MS = 100;
const LINE_MS = 10_000;

export class Progress {
  private lastShown = 0;
  private lastLine: number;

  constructor(
    private readonly unit: string,
    private readonly total: number,
    private readonly stream: NodeJS.WriteStream = process.stderr,
    private readonly began = performance.now(),
  ) {
    this.lastLine = began;
  }

  /**
   * Shows how many units are done, and `what`: the name of the current task. If the stream is no terminal, waits at
   * least LINE_MS between two lines.
   */
  show(done: number, what = ''): void {
    const now = performance.now();
    const count = `${Math.floor(done)}/${this.total} ${this.unit}`;
    if (!this.stream.isTTY) {
      if (now - this.lastLine < LINE_MS) return;
      this.lastLine = now;
      this.stream.write(
        `${count} after ${formatSeconds((now - this.began) / 1000)}  ${what}`.trimEnd().concat('\n'),
      );
      return;
    }
    if (now - this.lastShown < REFRESH_MS && done < this.total) return;
    this.lastShown = now;
    const share = this.total === 0 ? 1 : done / this.total;
    const filled = Math.round(share * BAR_WIDTH);
    const seconds = (now - this.began) / 1000;
    const rate = done / Math.max(seconds, 1e-3);
    const left = done > 0 ? formatSeconds((this.total - done) / rate) : '…';
    const line = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${count}  ${rate.toFixed(1)}/s  ${left} left  ${what}`;
    this.stream.write(`\r\x1b[K${line.trimEnd().slice(0, this.stream.columns || line.length)}`);
  }

  end(): void {
    // Lets the next call of show() draw at once.
    this.lastShown = 0;
    if (this.stream.isTTY) this.stream.write('\r\x1b[K');
  }
}

/** Shows the progress of several tasks in turn. A call of show() with a new name begins a new bar. */
export class Progresses {
  private current: Progress | undefined;
  private began = performance.now();
  private name = '';

  constructor(
    private readonly unit: string,
    private readonly stream: NodeJS.WriteStream = process.stderr,
  ) {}

  show(name: string, done: number, total: number): void {
    if (name !== this.name) this.end();
    this.current ??= new Progress(this.unit, total, this.stream, this.began);
    this.name = name;
    this.current.show(done, name);
  }

  end(): void {
    this.current?.end();
    this.current = undefined;
    this.began = performance.now();
  }
}
