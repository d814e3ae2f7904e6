/**
 * Overlapping pairs of particles with their own radii, in portions. A pair is found from its particle on the lower
 * level: in the cells ahead of that particle's own cell, or, on each higher level in use, in all cells around its
 * position there. Cells share the buckets of the table. So a particle counts only if its level and cell are those that
 * the bucket is searched for. Overlaps are decided as in ../shared/overlap.ts, whatever the two radii.
 * Ordering: slot by slot, levels ascending; it depends on the particles alone. Each pair comes once. The naive search
 * compares all slots with all, and its pairs come in the order of slots.
 */
import type { BroadPhase } from '../../core/contact/settings';
import { MAX_LEVELS } from '../../core/world/world';
import { PortionedSearch, portionWords } from '../equal/search';
import { minimumDistance } from '../equal/wrapped';
import { labelsDescent } from '../shared/lattice';
import { wrappedBand } from '../shared/overlap';
import type { LevelOrder } from './order';
import { BAND, collectInPlane, type LevelTask, overlapAt } from './plane';
import { collectInSpace } from './space';

/**
 * Lists of spans: one per level for the cells around a position, and one for the cells ahead on a slot's own level.
 */
const AHEAD = MAX_LEVELS;
const LISTS = MAX_LEVELS + 1;

/** Nine rows of cells in 3D, each in up to three parts: across an end of the world and of a block of the table. */
const MOST_SPANS = 27;

/** Words of a span: its slots and its cells. */
const BEGIN = 0;
const END = 1;
const FIRST_X = 2;
const LAST_X = 3;
const SPAN_Y = 4;
const SPAN_Z = 5;
const SPAN_WORDS = 6;
const LIST_WORDS = SPAN_WORDS * MOST_SPANS;

export class LevelSearch extends PortionedSearch<LevelTask> {
  readonly task: LevelTask;
  private readonly spans = new Int32Array(LIST_WORDS * LISTS);
  /** For each list: the number of its spans (−1 if it is not made yet), and the cell that it was made for. */
  private readonly lengths = new Int32Array(LISTS).fill(-1);
  private readonly listCells = new Int32Array(3 * LISTS);
  private aheadLevel = 0;
  private broadPhase: BroadPhase = 'grid';
  private readonly inSpace: boolean;
  private readonly wraps: boolean;

  constructor(
    private readonly order: LevelOrder,
    capacity: number,
  ) {
    super();
    const { lattice, source } = order;
    this.inSpace = lattice.dimensions === 3;
    this.wraps = lattice.world.kind === 'periodic';
    this.task = { lattice, live: 0, labels: source, words: portionWords(capacity), length: 0, next: 0 };
  }

  override get memoryBytes(): number {
    return super.memoryBytes + this.spans.byteLength + this.lengths.byteLength + this.listCells.byteLength;
  }

  /** Starts over. `labels` is the label of each slot in the pairs. */
  begin(labels: Uint32Array = this.order.source, broadPhase: BroadPhase = 'grid'): void {
    const { task } = this;
    task.live = this.order.live;
    task.labels = labels;
    task.next = 0;
    task.length = 0;
    this.broadPhase = broadPhase;
    this.lengths.fill(-1);
  }

  /** Number of pairs of slots that the search through cells compares. */
  countCandidates(): number {
    const { order, spans, lengths } = this;
    const { assignedLevels, live, levelChoice } = order;
    this.begin();
    let candidates = 0;
    for (let slot = 0; slot < live; slot++) {
      this.listFrom(slot);
      // In its own cell, which is the first, only later slots count.
      candidates += this.slotsIn(AHEAD) - (slot + 1 - (spans[LIST_WORDS * AHEAD + BEGIN] as number));
      for (let index = levelChoice.usedLevels - 1; index >= 0; index--) {
        const higher = levelChoice.used[index] as number;
        if (higher <= (assignedLevels[slot] as number)) break;
        if ((lengths[higher] as number) > 0) candidates += this.slotsIn(higher);
      }
    }
    return candidates;
  }

  protected roomForOne(): number {
    return 2 * this.order.live + 2;
  }

  protected collect(stop: number): void {
    if (this.broadPhase === 'naive') this.collectAll(stop);
    else this.collectNear(stop);
  }

  private collectAll(stop: number): void {
    const { task, lengths, spans } = this;
    // One span holds all slots, whatever their cells.
    lengths[AHEAD] = 1;
    spans[LIST_WORDS * AHEAD + END] = task.live;
    for (; task.next < task.live && task.length <= stop; task.next++) this.scan(task.next, AHEAD);
  }

  private collectNear(stop: number): void {
    const { task, order, inSpace, lengths } = this;
    const { assignedLevels, cells, levelChoice, lattice } = order;
    const { used, usedLevels } = levelChoice;
    if (cells.isDense && lattice.world.kind !== 'periodic') {
      if (inSpace) collectInSpace(task, order, stop);
      else collectInPlane(task, order, stop);
      return;
    }
    for (; task.next < task.live && task.length <= stop; task.next++) {
      const slot = task.next;
      this.listFrom(slot);
      this.scan(slot, AHEAD);
      for (let index = usedLevels - 1; index >= 0; index--) {
        const higher = used[index] as number;
        if (higher <= (assignedLevels[slot] as number)) break;
        if ((lengths[higher] as number) > 0) this.scan(slot, higher);
      }
    }
  }

  /** Lists the cells ahead of a slot's own, and those around its position on each higher level in use. */
  private listFrom(slot: number): void {
    const { order, inSpace } = this;
    const { assignedLevels, positions, cells, levelChoice, lattice } = order;
    const { dimensions } = lattice;
    const level = assignedLevels[slot] as number;
    const x = order.cellOf(slot, 0);
    const y = order.cellOf(slot, 1);
    const z = inSpace ? order.cellOf(slot, 2) : 0;
    if (level !== this.aheadLevel || !this.isListed(AHEAD, x, y, z)) this.listAhead(level, x, y, z);
    for (let index = levelChoice.usedLevels - 1; index >= 0; index--) {
      const higher = levelChoice.used[index] as number;
      if (higher <= level) break;
      const placeX = cells.at(positions[dimensions * slot] as number, 0, higher);
      const placeY = cells.at(positions[dimensions * slot + 1] as number, 1, higher);
      const placeZ = inSpace ? cells.at(positions[dimensions * slot + 2] as number, 2, higher) : 0;
      if (!this.isListed(higher, placeX, placeY, placeZ)) this.listAround(higher, placeX, placeY, placeZ);
    }
  }

  private slotsIn(list: number): number {
    const { spans } = this;
    let slots = 0;
    const first = LIST_WORDS * list;
    const last = first + SPAN_WORDS * (this.lengths[list] as number);
    for (let span = first; span < last; span += SPAN_WORDS) {
      slots += (spans[span + END] as number) - (spans[span + BEGIN] as number);
    }
    return slots;
  }

  private isListed(list: number, x: number, y: number, z: number): boolean {
    const { listCells, lengths } = this;
    return (
      listCells[3 * list] === x &&
      listCells[3 * list + 1] === y &&
      listCells[3 * list + 2] === z &&
      (lengths[list] as number) >= 0
    );
  }

  private startList(list: number, x: number, y: number, z: number): void {
    const { listCells, lengths } = this;
    lengths[list] = 0;
    listCells[3 * list] = x;
    listCells[3 * list + 1] = y;
    listCells[3 * list + 2] = z;
  }

  /** Lists the cells around a cell, itself included. */
  private listAround(level: number, x: number, y: number, z: number): void {
    this.startList(level, x, y, z);
    const reach = this.inSpace ? 1 : 0;
    for (let layer = -reach; layer <= reach; layer++) {
      for (let row = -1; row <= 1; row++) this.addRow(level, level, x, y + row, z + layer, -1);
    }
  }

  /** Lists a cell and half of those around it, so that each pair of cells is searched from one of them. */
  private listAhead(level: number, x: number, y: number, z: number): void {
    this.aheadLevel = level;
    this.startList(AHEAD, x, y, z);
    this.addRow(AHEAD, level, x, y, z, 0);
    this.addRow(AHEAD, level, x, y + 1, z, -1);
    if (!this.inSpace) return;
    for (let row = -1; row <= 1; row++) this.addRow(AHEAD, level, x, y + row, z + 1, -1);
  }

  /** Lists the cells from `first` beside x to the one after it, as spans of cells that are consecutive in the table. */
  private addRow(list: number, level: number, x: number, y: number, z: number, first: number): void {
    const { cells, starts } = this.order;
    const { spans, lengths } = this;
    const rowY = cells.wrapCell(y, 1, level);
    const rowZ = this.inSpace ? cells.wrapCell(z, 2, level) : 0;
    for (let beside = first; beside <= 1; ) {
      const firstX = cells.wrapCell(x + beside, 0, level);
      let lastX = firstX;
      beside++;
      for (; beside <= 1; beside++) {
        const next = cells.wrapCell(x + beside, 0, level);
        if (next !== lastX + 1 || next > cells.lastTogether(firstX)) break;
        lastX = next;
      }
      const bucket = cells.bucket(firstX, rowY, rowZ, level);
      const begin = starts[bucket] as number;
      const end = starts[bucket + lastX - firstX + 1] as number;
      if (begin === end) continue;
      const span = LIST_WORDS * list + SPAN_WORDS * (lengths[list] as number);
      lengths[list] = (lengths[list] as number) + 1;
      spans[span + BEGIN] = begin;
      spans[span + END] = end;
      spans[span + FIRST_X] = firstX;
      spans[span + LAST_X] = lastX;
      spans[span + SPAN_Y] = rowY;
      spans[span + SPAN_Z] = rowZ;
    }
  }

  private scan(slot: number, list: number): void {
    if (this.wraps) this.scanWrapped(slot, list);
    else if (this.inSpace) this.scanSpace(slot, list);
    else this.scanPlane(slot, list);
  }

  private scanPlane(slot: number, list: number): void {
    const { spans, order } = this;
    const { positions, radii } = order;
    const x = positions[2 * slot] as number;
    const y = positions[2 * slot + 1] as number;
    const radius = radii[slot] as number;
    const firstSpan = LIST_WORDS * list;
    const lastSpan = firstSpan + SPAN_WORDS * (this.lengths[list] as number);
    for (let span = firstSpan; span < lastSpan; span += SPAN_WORDS) {
      const end = spans[span + END] as number;
      const begin = spans[span + BEGIN] as number;
      // In its own cell, a particle tests only later slots.
      let other = list === AHEAD && span === firstSpan ? slot + 1 : begin;
      for (; other < end; other++) {
        const dx = (positions[2 * other] as number) - x;
        const dy = (positions[2 * other + 1] as number) - y;
        const sum = radius + (radii[other] as number);
        const limit = sum * sum;
        const excess = dx * dx + dy * dy - limit;
        const band = BAND * limit;
        if (excess > band) continue;
        if (excess >= -band && !overlapAt(order, slot, other)) continue;
        this.keep(slot, other, list, span);
      }
    }
  }

  private scanSpace(slot: number, list: number): void {
    const { spans, order } = this;
    const { positions, radii } = order;
    const x = positions[3 * slot] as number;
    const y = positions[3 * slot + 1] as number;
    const z = positions[3 * slot + 2] as number;
    const radius = radii[slot] as number;
    const firstSpan = LIST_WORDS * list;
    const lastSpan = firstSpan + SPAN_WORDS * (this.lengths[list] as number);
    for (let span = firstSpan; span < lastSpan; span += SPAN_WORDS) {
      const end = spans[span + END] as number;
      const begin = spans[span + BEGIN] as number;
      let other = list === AHEAD && span === firstSpan ? slot + 1 : begin;
      for (; other < end; other++) {
        const dx = (positions[3 * other] as number) - x;
        const dy = (positions[3 * other + 1] as number) - y;
        const dz = (positions[3 * other + 2] as number) - z;
        const sum = radius + (radii[other] as number);
        const limit = sum * sum;
        const excess = dx * dx + dy * dy + dz * dz - limit;
        const band = BAND * limit;
        if (excess > band) continue;
        if (excess >= -band && !overlapAt(order, slot, other)) continue;
        this.keep(slot, other, list, span);
      }
    }
  }

  /** Tests distances of minimum images. */
  private scanWrapped(slot: number, list: number): void {
    const { spans, order, inSpace } = this;
    const { positions, radii, lattice } = order;
    const { dimensions, periods, longestPeriod } = lattice;
    const [periodX, periodY, periodZ = 0] = periods as [number, number, number?];
    const x = positions[dimensions * slot] as number;
    const y = positions[dimensions * slot + 1] as number;
    const z = inSpace ? (positions[dimensions * slot + 2] as number) : 0;
    const radius = radii[slot] as number;
    // Error of each distance along an axis: a period may be far longer than the sum of two radii.
    const noise = 2 ** -48 * longestPeriod;
    const firstSpan = LIST_WORDS * list;
    const lastSpan = firstSpan + SPAN_WORDS * (this.lengths[list] as number);
    for (let span = firstSpan; span < lastSpan; span += SPAN_WORDS) {
      const end = spans[span + END] as number;
      const begin = spans[span + BEGIN] as number;
      let other = list === AHEAD && span === firstSpan ? slot + 1 : begin;
      for (; other < end; other++) {
        const at = dimensions * other;
        const dx = minimumDistance((positions[at] as number) - x, periodX);
        const dy = minimumDistance((positions[at + 1] as number) - y, periodY);
        const dz = inSpace ? minimumDistance((positions[at + 2] as number) - z, periodZ) : 0;
        const sum = radius + (radii[other] as number);
        const excess = dx * dx + dy * dy + dz * dz - sum * sum;
        const band = 2 * wrappedBand(sum, longestPeriod) + noise * noise;
        if (excess > band) continue;
        if (excess >= -band && !overlapAt(order, slot, other)) continue;
        this.keep(slot, other, list, span);
      }
    }
  }

  /** Writes a pair if the other particle is in the cells of the span, not only in one of their buckets. */
  private keep(slot: number, other: number, list: number, span: number): void {
    const { task, broadPhase } = this;
    if (broadPhase === 'grid' && !this.isInSpan(other, list, span)) return;
    const { words, labels } = task;
    const label = labels[slot] as number;
    const otherLabel = labels[other] as number;
    const descent = labelsDescent(label, otherLabel);
    words[task.length] = label + descent;
    words[task.length + 1] = otherLabel - descent;
    task.length += 2;
  }

  private isInSpan(other: number, list: number, span: number): boolean {
    const { order, spans, inSpace } = this;
    const x = order.cellOf(other, 0);
    return (
      order.assignedLevels[other] === (list === AHEAD ? this.aheadLevel : list) &&
      order.cellOf(other, 1) === spans[span + SPAN_Y] &&
      x >= (spans[span + FIRST_X] as number) &&
      x <= (spans[span + LAST_X] as number) &&
      (!inSpace || order.cellOf(other, 2) === spans[span + SPAN_Z])
    );
  }
}
