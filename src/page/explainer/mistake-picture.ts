/** Draws the pictures of the second chapter. */
import { find } from '../support/dom';
import { freeCorner } from './corners';
import { draw, UNREAD } from './dom';
import { type Pair, type Search, timesFound } from './mistakes';
import { positionOf, range, withSign } from './words';

/** Height of a line of cell numbers, in cells. */
export const HEAD_HEIGHT = 0.3;

const HIGHEST = 440;

/** The part of the world in a picture: left, top, right, bottom. */
type Frame = readonly [number, number, number, number];

/** Replaces the contents of the SVG element `id`. One unit is the world's unit of length. */
export class Picture {
  private readonly svg: SVGSVGElement;

  constructor(
    id: string,
    private readonly frame: Frame,
    head = 0,
  ) {
    const [left, top, right, bottom] = frame;
    const [width, height] = [right - left, bottom - top + head];
    this.svg = find(id, SVGSVGElement);
    this.svg.setAttribute('viewBox', [left, top - head, width, height].join(' '));
    this.svg.style.maxWidth = `${(HIGHEST * width) / height}px`;
    this.svg.replaceChildren();
  }

  private write(text: string, attributes: Readonly<Record<string, string | number>>): void {
    this.svg.append(draw('text', { ...attributes, ...UNREAD }, text));
  }

  cell([column = 0, row = 0]: readonly number[], edge: number, isShared = false): void {
    const kind = isShared ? 'lit shared' : 'lit';
    this.svg.append(
      draw('rect', { class: `cell ${kind}`, x: column * edge, y: row * edge, width: edge, height: edge }),
    );
  }

  /** `without` lists multiples of the edge that get no line. */
  borders(edge: number, without: readonly number[] = []): void {
    const [left, top, right, bottom] = this.frame;
    const lines = draw('g', { class: 'borders' });
    for (let column = Math.ceil(left / edge); column * edge <= right; column++) {
      if (!without.includes(column)) lines.append(line(column * edge, top, column * edge, bottom));
    }
    for (let row = Math.ceil(top / edge); row * edge <= bottom; row++) {
      if (!without.includes(row)) lines.append(line(left, row * edge, right, row * edge));
    }
    this.svg.append(lines);
  }

  axes(): void {
    const [left, top, right, bottom] = this.frame;
    const axes = draw('g', { class: 'axes' }, line(left, 0, right, 0), line(0, top, 0, bottom));
    this.svg.append(axes);
    for (const [x, y] of [
      [0.05, top + 0.2],
      [left + 0.05, -0.06],
    ] as const) {
      this.write('0', { class: 'number', x, y });
    }
  }

  /** Writes each column's cell above the picture. Line 0 is the lowest. */
  columns(line: number, label: string, cellOf: (x: number) => number): void {
    const [left, top, right] = this.frame;
    const cells = new Map<number, number[]>();
    for (const column of range(left, right)) {
      const cell = cellOf(column + 0.5);
      cells.set(cell, [...(cells.get(cell) ?? []), column]);
    }
    const y = top - 0.09 - line * HEAD_HEIGHT;
    for (const [cell, columns] of cells) {
      const x = (Math.min(...columns) + Math.max(...columns) + 1) / 2;
      // Adding 0 turns −0 into 0.
      const text = `${label} ${withSign(cell + 0)}`;
      this.write(text, { class: 'number head', x, y });
    }
  }

  number([column = 0, row = 0]: readonly number[], text: string, positions: Float32Array): void {
    const middles = range(0, positions.length / 2).map((particle) => positionOf(positions, particle));
    this.write(text, { class: 'number', ...freeCorner(column, row, middles) });
  }

  particles(positions: Float32Array, diameter: number, marked?: number): void {
    for (const id of range(0, positions.length / 2)) {
      const [cx = 0, cy = 0] = positionOf(positions, id);
      const kind = id === marked ? 'disc marked' : 'disc';
      this.svg.append(draw('circle', { class: kind, cx, cy, r: diameter / 2 }));
    }
  }

  /** `share` is the opacity of a ghost, from 0 to 1. */
  ghosts(positions: ArrayLike<number>, diameter: number, share: (ghost: number) => number = () => 1): void {
    for (const ghost of range(0, positions.length / 2)) {
      const [cx = 0, cy = 0] = positionOf(positions, ghost);
      const circle = draw('circle', { class: 'ghost seen', cx, cy, r: diameter / 2 });
      circle.style.opacity = `${share(ghost)}`;
      this.svg.append(circle);
    }
  }

  /**
   * Draws a line per contact. A contact should be found twice, once from each side. Otherwise its line gets a mark: ×
   * if the contact is never found, ½ if it is found once, and the result of `more` if it is found more than twice.
   */
  contacts(positions: Float32Array, search: Search, more: (times: number) => string = String): void {
    for (const pair of search.truth) {
      const times = timesFound(search, pair);
      const kind = times === 0 ? 'missed' : times === 1 ? 'half' : times === 2 ? 'found' : 'extra';
      const [from, to] = pair.map((id: Pair[number]) => positionOf(positions, id));
      const mark = kind === 'missed' ? '×' : kind === 'half' ? '½' : kind === 'extra' ? more(times) : '';
      this.join(from ?? [], to ?? [], kind, mark);
    }
  }

  join(
    [x1 = 0, y1 = 0]: readonly number[],
    [x2 = 0, y2 = 0]: readonly number[],
    kind: string,
    mark = '',
  ): void {
    this.svg.append(draw('line', { class: `contact-line ${kind}`, x1, y1, x2, y2 }));
    if (mark) this.write(mark, { class: 'count', x: (x1 + x2) / 2, y: (y1 + y2) / 2 });
  }
}

function line(x1: number, y1: number, x2: number, y2: number): SVGLineElement {
  return draw('line', { x1, y1, x2, y2 });
}
