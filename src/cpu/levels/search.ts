/**
 * Finds overlapping pairs of particles with variable radii. Each pair is found once: from the particle on the lower
 * level, or from either particle if their levels are equal. On a particle's own level, the search covers its cell and
 * half of the cells around it (the cells ahead). On each higher level in use, the search covers all cells around the
 * particle. In a hashed table, a bucket may also hold particles of other cells, so the search compares level and cell.
 * Ordering: pairs come by the slot from which they are found. For each slot, pairs on its own level come first, then
 * those with higher levels, the highest level first.
 */
import type { BroadPhase } from '../../core/contact/settings';
import { MAX_LEVELS } from '../../core/world/world';
import { PortionedSearch, portionWords } from '../equal/search';
import { labelsDescent } from '../shared/lattice';
import { minimumDistance, SUM_BAND, wrappedBand } from '../shared/overlap';
import { collect2D, collect3D, type LevelTask } from './dense';
import type { LevelOrder } from './order';

/**
 * A span is the range of slots in cells that follow each other along x. Each level has a list of spans for the cells
 * around a position. The list AHEAD has the spans of a slot's own cell and of the cells ahead.
 */
const AHEAD = MAX_LEVELS;
const LISTS = MAX_LEVELS + 1;

/**
 * Greatest number of spans per list: in 3D, nine rows of up to three parts. A row is divided at an end of the world,
 * and where two blocks of the table meet.
 */
const MOST_SPANS = 27;

/** Words of a span: the first slot and the end; the first and last cell along x; y and z. */
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
  /** Per list: its number of spans (−1 before it is made), and its cell. */
  private readonly lengths = new Int32Array(LISTS).fill(-1);
  private readonly listCells = new Int32Array(3 * LISTS);
  private aheadLevel = 0;
  private broadPhase: BroadPhase = 'grid';
  private readonly is3D: boolean;
  private readonly wraps: boolean;

  constructor(
    private readonly order: LevelOrder,
    capacity: number,
  ) {
    super();
    const { lattice, source } = order;
    this.is3D = lattice.dimensions === 3;
    this.wraps = lattice.world.kind === 'periodic';
    this.task = {
      lattice,
      activeCount: 0,
      labels: source,
      words: portionWords(capacity),
      length: 0,
      next: 0,
    };
  }

  override get memoryBytes(): number {
    return super.memoryBytes + this.spans.byteLength + this.lengths.byteLength + this.listCells.byteLength;
  }

  begin(labels: Uint32Array = this.order.source, broadPhase: BroadPhase = 'grid'): void {
    const { task } = this;
    task.activeCount = this.order.activeCount;
    task.labels = labels;
    task.next = 0;
    task.length = 0;
    this.broadPhase = broadPhase;
    this.lengths.fill(-1);
  }

  countCandidates(): number {
    const { order, spans, lengths } = this;
    const { assignedLevels, activeCount, levelChoice } = order;
    this.begin();
    let candidates = 0;
    for (let slot = 0; slot < activeCount; slot++) {
      this.listFrom(slot);
      // In the first span, which begins with its own cell, a slot is compared only with later slots.
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
    return 2 * this.order.activeCount + 2;
  }

  protected collect(stop: number): void {
    if (this.broadPhase === 'naive') this.collectAll(stop);
    else this.collectNear(stop);
  }

  private collectAll(stop: number): void {
    const { task, lengths, spans } = this;
    lengths[AHEAD] = 1;
    spans[LIST_WORDS * AHEAD + END] = task.activeCount;
    for (; task.next < task.activeCount && task.length <= stop; task.next++) this.scan(task.next, AHEAD);
  }

  private collectNear(stop: number): void {
    const { task, order, is3D, lengths } = this;
    const { assignedLevels, cells, levelChoice, lattice } = order;
    const { used, usedLevels } = levelChoice;
    if (cells.isDense && lattice.world.kind !== 'periodic') {
      if (is3D) collect3D(task, order, stop);
      else collect2D(task, order, stop);
      return;
    }
    for (; task.next < task.activeCount && task.length <= stop; task.next++) {
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

  private listFrom(slot: number): void {
    const { order, is3D } = this;
    const { assignedLevels, positions, cells, levelChoice, lattice } = order;
    const { dimensions } = lattice;
    const level = assignedLevels[slot] as number;
    const x = order.cellOf(slot, 0);
    const y = order.cellOf(slot, 1);
    const z = is3D ? order.cellOf(slot, 2) : 0;
    if (level !== this.aheadLevel || !this.isListed(AHEAD, x, y, z)) this.listAhead(level, x, y, z);
    for (let index = levelChoice.usedLevels - 1; index >= 0; index--) {
      const higher = levelChoice.used[index] as number;
      if (higher <= level) break;
      const cellX = cells.at(positions[dimensions * slot] as number, 0, higher);
      const cellY = cells.at(positions[dimensions * slot + 1] as number, 1, higher);
      const cellZ = is3D ? cells.at(positions[dimensions * slot + 2] as number, 2, higher) : 0;
      if (!this.isListed(higher, cellX, cellY, cellZ)) this.listAround(higher, cellX, cellY, cellZ);
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

  private listAround(level: number, x: number, y: number, z: number): void {
    this.startList(level, x, y, z);
    const reach = this.is3D ? 1 : 0;
    for (let layer = -reach; layer <= reach; layer++) {
      for (let row = -1; row <= 1; row++) this.addRow(level, level, x, y + row, z + layer, -1);
    }
  }

  private listAhead(level: number, x: number, y: number, z: number): void {
    this.aheadLevel = level;
    this.startList(AHEAD, x, y, z);
    this.addRow(AHEAD, level, x, y, z, 0);
    this.addRow(AHEAD, level, x, y + 1, z, -1);
    if (!this.is3D) return;
    for (let row = -1; row <= 1; row++) this.addRow(AHEAD, level, x, y + row, z + 1, -1);
  }

  /** Lists the cells from x + `first` to x + 1. */
  private addRow(list: number, level: number, x: number, y: number, z: number, first: number): void {
    const { cells, starts } = this.order;
    const { spans, lengths } = this;
    const rowY = cells.wrapCell(y, 1, level);
    const rowZ = this.is3D ? cells.wrapCell(z, 2, level) : 0;
    for (let offset = first; offset <= 1; ) {
      const firstX = cells.wrapCell(x + offset, 0, level);
      let lastX = firstX;
      offset++;
      for (; offset <= 1; offset++) {
        const next = cells.wrapCell(x + offset, 0, level);
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
    else if (this.is3D) this.scan3D(slot, list);
    else this.scan2D(slot, list);
  }

  private scan2D(slot: number, list: number): void {
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
      let other = list === AHEAD && span === firstSpan ? slot + 1 : begin;
      for (; other < end; other++) {
        const dx = (positions[2 * other] as number) - x;
        const dy = (positions[2 * other + 1] as number) - y;
        const sum = radius + (radii[other] as number);
        const limit = sum * sum;
        const excess = dx * dx + dy * dy - limit;
        const band = SUM_BAND * limit;
        if (excess > band) continue;
        if (excess >= -band && !order.overlap(slot, other)) continue;
        this.addPair(slot, other, list, span);
      }
    }
  }

  private scan3D(slot: number, list: number): void {
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
        const band = SUM_BAND * limit;
        if (excess > band) continue;
        if (excess >= -band && !order.overlap(slot, other)) continue;
        this.addPair(slot, other, list, span);
      }
    }
  }

  private scanWrapped(slot: number, list: number): void {
    const { spans, order, is3D } = this;
    const { positions, radii, lattice } = order;
    const { dimensions, periods, longestPeriod } = lattice;
    const [periodX, periodY, periodZ = 0] = periods as [number, number, number?];
    const x = positions[dimensions * slot] as number;
    const y = positions[dimensions * slot + 1] as number;
    const z = is3D ? (positions[dimensions * slot + 2] as number) : 0;
    const radius = radii[slot] as number;
    // Bounds the rounding error of a distance along one axis, which matters if a period is far longer than the radii.
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
        const dz = is3D ? minimumDistance((positions[at + 2] as number) - z, periodZ) : 0;
        const sum = radius + (radii[other] as number);
        const excess = dx * dx + dy * dy + dz * dz - sum * sum;
        const band = 2 * wrappedBand(sum, longestPeriod) + noise * noise;
        if (excess > band) continue;
        if (excess >= -band && !order.overlap(slot, other)) continue;
        this.addPair(slot, other, list, span);
      }
    }
  }

  /** Writes a pair, unless `other` only shares a bucket with the span's cells. */
  private addPair(slot: number, other: number, list: number, span: number): void {
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
    const { order, spans, is3D } = this;
    const x = order.cellOf(other, 0);
    return (
      order.assignedLevels[other] === (list === AHEAD ? this.aheadLevel : list) &&
      order.cellOf(other, 1) === spans[span + SPAN_Y] &&
      x >= (spans[span + FIRST_X] as number) &&
      x <= (spans[span + LAST_X] as number) &&
      (!is3D || order.cellOf(other, 2) === spans[span + SPAN_Z])
    );
  }
}
