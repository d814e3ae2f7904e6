/**
 * Purpose: the inner loops in 2D; space.ts is the same in 3D. See kernels.ts for what each one promises.
 * Ordering: pairs come slot by slot, each slot's partners ascending, so sums over a particle's neighbours are
 * added in the order of slots, which is canonical.
 */
import type { Substep } from '../core/settings';
import { GREATEST_SPEED } from '../core/world';
import {
  bearingChange,
  COINCIDENT_SQUARED,
  coincidentNormal,
  GREATEST_PLAIN,
  loadScratch,
  meetWalls,
  normaliseNotFinite,
  scratchPosition,
  scratchVelocity,
  setAside,
} from './contact';
import type { Bins, Kernels, PairTask, ParticleState, Placement, Response, SlotPairs } from './kernels';
import { areAdjacent, type Lattice, lowerBound, nameSlots, namesDescent } from './lattice';
import { overlapsInPlane, ROUNDING_BAND } from './overlap';

function place(lattice: Lattice, positions: Float32Array, count: number, placement: Placement): boolean {
  const { originX, originY, inverseCellSize, rows, rowStride } = lattice;
  const { keys, columnCounts, rowCounts } = placement;
  const lastColumn = lattice.columns - 2;
  const lastRow = lattice.cellsY - 2;
  let previous = 0;
  let descents = 0;
  for (let index = 0; index < count; index++) {
    const x = positions[2 * index] as number;
    const y = positions[2 * index + 1] as number;
    let column = 0;
    let row = rows;
    if (x - x + (y - y) === 0) {
      // As core/cells.ts: whatever is below the first cell is put into it, so neither floor nor snap matter.
      const scaledX = Math.fround(Math.fround(x - originX) * inverseCellSize);
      const scaledY = Math.fround(Math.fround(y - originY) * inverseCellSize);
      column = scaledX < lastColumn ? (scaledX > 0 ? (scaledX | 0) + 1 : 1) : lastColumn;
      row = scaledY < lastRow ? (scaledY > 0 ? (scaledY | 0) + 1 : 1) : lastRow;
    }
    columnCounts[column] = (columnCounts[column] as number) + 1;
    rowCounts[row] = (rowCounts[row] as number) + 1;
    const key = row * rowStride + column;
    keys[index] = key;
    // Negative for good once a key is below the one before it.
    descents |= key - previous;
    previous = key;
  }
  return descents >= 0;
}

function sortByColumn(lattice: Lattice, words: Uint32Array, count: number, placement: Placement): void {
  const { rowStride } = lattice;
  const { keys, columnCounts, records } = placement;
  const inverseStride = 1 / rowStride;
  for (let index = 0; index < count; index++) {
    const key = keys[index] as number;
    const row = ((key + 0.5) * inverseStride) | 0;
    const column = key - row * rowStride;
    const place = columnCounts[column] as number;
    columnCounts[column] = place + 1;
    const record = 4 * place;
    records[record] = index;
    records[record + 1] = key;
    records[record + 2] = words[2 * index] as number;
    records[record + 3] = words[2 * index + 1] as number;
  }
}

function sortByRow(lattice: Lattice, target: Uint32Array, count: number, placement: Placement): void {
  const { keys, source, rowCounts, records } = placement;
  const inverseStride = 1 / lattice.rowStride;
  const end = 4 * count;
  for (let record = 0; record < end; record += 4) {
    const key = records[record + 1] as number;
    const row = ((key + 0.5) * inverseStride) | 0;
    const slot = rowCounts[row] as number;
    rowCounts[row] = slot + 1;
    source[slot] = records[record] as number;
    keys[slot] = key;
    target[2 * slot] = records[record + 2] as number;
    target[2 * slot + 1] = records[record + 3] as number;
  }
}

/** As place, but of the two ways to count, the other. */
function placeInBins(lattice: Lattice, positions: Float32Array, count: number, bins: Bins): boolean {
  const { originX, originY, inverseCellSize, rows, rowStride } = lattice;
  const { given, counts, shift } = bins;
  const lastColumn = lattice.columns - 2;
  const lastRow = lattice.cellsY - 2;
  let previous = 0;
  let descents = 0;
  for (let index = 0; index < count; index++) {
    const x = positions[2 * index] as number;
    const y = positions[2 * index + 1] as number;
    let key = rows * rowStride;
    if (x - x + (y - y) === 0) {
      const scaledX = Math.fround(Math.fround(x - originX) * inverseCellSize);
      const scaledY = Math.fround(Math.fround(y - originY) * inverseCellSize);
      const column = scaledX < lastColumn ? (scaledX > 0 ? (scaledX | 0) + 1 : 1) : lastColumn;
      const row = scaledY < lastRow ? (scaledY > 0 ? (scaledY | 0) + 1 : 1) : lastRow;
      key = row * rowStride + column;
    }
    const bin = key >> shift;
    counts[bin] = (counts[bin] as number) + 1;
    given[index] = key;
    descents |= key - previous;
    previous = key;
  }
  return descents >= 0;
}

function sortByBin(
  bins: Bins,
  words: Uint32Array,
  target: Uint32Array,
  count: number,
  placement: Placement,
): void {
  const { counts, shift, given } = bins;
  const { keys, source } = placement;
  for (let index = 0; index < count; index++) {
    const key = given[index] as number;
    const bin = key >> shift;
    const slot = counts[bin] as number;
    counts[bin] = slot + 1;
    keys[slot] = key;
    source[slot] = index;
    target[2 * slot] = words[2 * index] as number;
    target[2 * slot + 1] = words[2 * index + 1] as number;
  }
}

function sortInBins(target: Uint32Array, count: number, placement: Placement): void {
  const { keys, source } = placement;
  let last = 0;
  for (let slot = 0; slot < count; slot++) {
    const key = keys[slot] as number;
    if (key < last) {
      const index = source[slot] as number;
      const x = target[2 * slot] as number;
      const y = target[2 * slot + 1] as number;
      let place = slot;
      for (; place > 0 && (keys[place - 1] as number) > key; place--) {
        keys[place] = keys[place - 1] as number;
        source[place] = source[place - 1] as number;
        target[2 * place] = target[2 * place - 2] as number;
        target[2 * place + 1] = target[2 * place - 1] as number;
      }
      keys[place] = key;
      source[place] = index;
      target[2 * place] = x;
      target[2 * place + 1] = y;
    } else {
      last = key;
    }
  }
}

function collect(task: PairTask, stop: number, end: number): void {
  const { keys, live, positions, names, diameter, words, lattice } = task;
  const toRowAhead = lattice.rowStride - 1;
  const limit = diameter * diameter;
  const band = limit * ROUNDING_BAND;
  let slot = task.next;
  let length = task.length;
  // First slot of the three cells in the row ahead: it only ever advances.
  let ahead = slot < live ? lowerBound(keys, live, (keys[slot] as number) + toRowAhead) : live;
  for (; slot < end && length <= stop; slot++) {
    const key = keys[slot] as number;
    const x = positions[2 * slot] as number;
    const y = positions[2 * slot + 1] as number;
    // A pair is written always and kept if it overlaps: about every third does, so a branch would be a gamble.
    // The test stands here twice because as a function it costs up to a sixth.
    for (let other = slot + 1; (keys[other] as number) <= key + 1; other++) {
      words[length] = slot;
      words[length + 1] = other;
      const dx = (positions[2 * other] as number) - x;
      const dy = (positions[2 * other + 1] as number) - y;
      const excess = dx * dx + dy * dy - limit;
      if (Math.abs(excess) > band) length += Number(excess < 0) << 1;
      else if (overlapsAt(positions, slot, other, diameter)) length += 2;
    }
    const rowAhead = key + toRowAhead;
    // Once without asking, since it is as often one as none.
    ahead += ((keys[ahead] as number) - rowAhead) >>> 31;
    while ((keys[ahead] as number) < rowAhead) ahead++;
    for (let other = ahead; (keys[other] as number) <= rowAhead + 2; other++) {
      words[length] = slot;
      words[length + 1] = other;
      const dx = (positions[2 * other] as number) - x;
      const dy = (positions[2 * other + 1] as number) - y;
      const excess = dx * dx + dy * dy - limit;
      if (Math.abs(excess) > band) length += Number(excess < 0) << 1;
      else if (overlapsAt(positions, slot, other, diameter)) length += 2;
    }
  }
  nameSlots(words, task.length, length, names);
  task.next = slot;
  task.length = length;
}

/** The exact test, for the pair of two slots. */
function overlapsAt(positions: Float32Array, slot: number, other: number, diameter: number): boolean {
  return overlapsInPlane(
    positions[2 * slot] as number,
    positions[2 * slot + 1] as number,
    positions[2 * other] as number,
    positions[2 * other + 1] as number,
    diameter,
  );
}

function collectAll(task: PairTask, stop: number): void {
  const { keys, live, positions, names, diameter, words, lattice, frozen } = task;
  const limit = diameter * diameter;
  const band = limit * ROUNDING_BAND;
  let slot = task.next;
  let length = task.length;
  for (; slot < live && length <= stop; slot++) {
    const x = positions[2 * slot] as number;
    const y = positions[2 * slot + 1] as number;
    const name = names[slot] as number;
    for (let other = slot + 1; other < live; other++) {
      const dx = (positions[2 * other] as number) - x;
      const dy = (positions[2 * other + 1] as number) - y;
      const excess = dx * dx + dy * dy - limit;
      if (excess > band) continue;
      if (excess >= -band && !overlapsAt(positions, slot, other, diameter)) continue;
      if (frozen && !areAdjacent(lattice, keys[slot] as number, keys[other] as number)) continue;
      const otherName = names[other] as number;
      const descent = namesDescent(name, otherName);
      words[length++] = name + descent;
      words[length++] = otherName - descent;
    }
  }
  task.next = slot;
  task.length = length;
}

function scan(task: PairTask, slot: number, begin: number, end: number): void {
  const { positions, names, diameter, words } = task;
  const limit = diameter * diameter;
  const band = limit * ROUNDING_BAND;
  const x = positions[2 * slot] as number;
  const y = positions[2 * slot + 1] as number;
  const name = names[slot] as number;
  let { length } = task;
  for (let other = begin; other < end; other++) {
    const otherName = names[other] as number;
    const descent = namesDescent(name, otherName);
    words[length] = name + descent;
    words[length + 1] = otherName - descent;
    const dx = (positions[2 * other] as number) - x;
    const dy = (positions[2 * other + 1] as number) - y;
    const excess = dx * dx + dy * dy - limit;
    if (Math.abs(excess) > band) length += Number(excess < 0) << 1;
    else if (overlapsAt(positions, slot, other, diameter)) length += 2;
  }
  task.length = length;
}

function gather(origin: Uint32Array, target: Uint32Array, source: Uint32Array, count: number): void {
  for (let slot = 0; slot < count; slot++) {
    const from = 2 * (source[slot] as number);
    target[2 * slot] = origin[from] as number;
    target[2 * slot + 1] = origin[from + 1] as number;
  }
}

function integrate(state: ParticleState, count: number, substep: Substep): void {
  const { positions, velocities } = state;
  const { dt } = substep;
  const gainX = (substep.gravity[0] as number) * dt;
  const gainY = (substep.gravity[1] as number) * dt;
  for (let slot = 0; slot < count; slot++) {
    const x = positions[2 * slot] as number;
    const y = positions[2 * slot + 1] as number;
    if (x - x + (y - y) !== 0) continue;
    const speedX = (velocities[2 * slot] as number) + gainX;
    const speedY = (velocities[2 * slot + 1] as number) + gainY;
    const newX = Math.fround(x + speedX * dt);
    const newY = Math.fround(y + speedY * dt);
    velocities[2 * slot] = speedX;
    velocities[2 * slot + 1] = speedY;
    positions[2 * slot] = newX;
    positions[2 * slot + 1] = newY;
    if (!(Math.abs(newX) + Math.abs(newY) + Math.abs(speedX) + Math.abs(speedY) < GREATEST_SPEED)) {
      setAside(state, 2, slot);
    }
  }
}

function findPartners(pairs: SlotPairs, state: ParticleState, response: Response): void {
  const { words, length } = pairs;
  const { positions, velocities } = state;
  const { approaches, partners } = response;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    let x = (positions[2 * a] as number) - (positions[2 * b] as number);
    let y = (positions[2 * a + 1] as number) - (positions[2 * b + 1] as number);
    const squared = x * x + y * y;
    if (squared < COINCIDENT_SQUARED) {
      x = coincidentNormal(a, b, 0, 2);
      y = coincidentNormal(a, b, 1, 2);
    } else {
      const distance = Math.sqrt(squared);
      x /= distance;
      y /= distance;
    }
    const approach =
      ((velocities[2 * a] as number) - (velocities[2 * b] as number)) * x +
      ((velocities[2 * a + 1] as number) - (velocities[2 * b + 1] as number)) * y;
    if (approach < (approaches[a] as number)) {
      approaches[a] = approach;
      partners[a] = b;
    }
    if (approach < (approaches[b] as number)) {
      approaches[b] = approach;
      partners[b] = a;
    }
  }
}

function respond(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void {
  const { words, length } = pairs;
  const { positions, velocities } = state;
  const { pushes, changes, partners } = response;
  const { diameter, halfRelaxation, gripShare, inverseDt, dt, friction, pushSpeed, restSpeed, restitution } =
    substep;
  const bouncing = restitution > 0;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    let x = (positions[2 * a] as number) - (positions[2 * b] as number);
    let y = (positions[2 * a + 1] as number) - (positions[2 * b + 1] as number);
    const squared = x * x + y * y;
    let overlap = diameter;
    if (squared < COINCIDENT_SQUARED) {
      x = coincidentNormal(a, b, 0, 2);
      y = coincidentNormal(a, b, 1, 2);
    } else {
      const distance = Math.sqrt(squared);
      x /= distance;
      y /= distance;
      overlap -= distance;
    }
    const push = halfRelaxation * overlap;
    const relativeX = (velocities[2 * a] as number) - (velocities[2 * b] as number);
    const relativeY = (velocities[2 * a + 1] as number) - (velocities[2 * b + 1] as number);
    const approach = relativeX * x + relativeY * y;
    const bounces = bouncing && partners[a] === b && partners[b] === a;
    const change = bounces
      ? -0.5 * (1 + restitution) * approach
      : bearingChange(push * inverseDt, approach, pushSpeed, restSpeed, restitution);
    const slidingX = relativeX - approach * x;
    const slidingY = relativeY - approach * y;
    const sliding = Math.sqrt(slidingX * slidingX + slidingY * slidingY);
    const braking = sliding > 0 ? Math.min(friction * change, gripShare * sliding) / sliding : 0;
    const changeX = change * x - braking * slidingX;
    const changeY = change * y - braking * slidingY;
    changes[2 * a] = (changes[2 * a] as number) + changeX;
    changes[2 * a + 1] = (changes[2 * a + 1] as number) + changeY;
    changes[2 * b] = (changes[2 * b] as number) - changeX;
    changes[2 * b + 1] = (changes[2 * b + 1] as number) - changeY;
    // A contact that bears also holds its place; one that bounces only changes course.
    const held = bounces ? 0 : braking * dt;
    const pushX = push * x - held * slidingX;
    const pushY = push * y - held * slidingY;
    pushes[2 * a] = (pushes[2 * a] as number) + pushX;
    pushes[2 * a + 1] = (pushes[2 * a + 1] as number) + pushY;
    pushes[2 * b] = (pushes[2 * b] as number) - pushX;
    pushes[2 * b + 1] = (pushes[2 * b + 1] as number) - pushY;
  }
}

function separate(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void {
  const { words, length } = pairs;
  const { positions } = state;
  const { pushes } = response;
  const { diameter, halfRelaxation } = substep;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    let x = (positions[2 * a] as number) - (positions[2 * b] as number);
    let y = (positions[2 * a + 1] as number) - (positions[2 * b + 1] as number);
    const squared = x * x + y * y;
    let push = halfRelaxation * diameter;
    if (squared < COINCIDENT_SQUARED) {
      x = coincidentNormal(a, b, 0, 2);
      y = coincidentNormal(a, b, 1, 2);
    } else {
      const distance = Math.sqrt(squared);
      push = (halfRelaxation * (diameter - distance)) / distance;
    }
    pushes[2 * a] = (pushes[2 * a] as number) + push * x;
    pushes[2 * a + 1] = (pushes[2 * a + 1] as number) + push * y;
    pushes[2 * b] = (pushes[2 * b] as number) - push * x;
    pushes[2 * b + 1] = (pushes[2 * b + 1] as number) - push * y;
  }
}

function finish(state: ParticleState, live: number, response: Response, substep: Substep): void {
  const { positions, velocities } = state;
  const { pushes, changes } = response;
  const { lower, upper, walls } = substep;
  const [lowerX, lowerY] = lower as [number, number];
  const [upperX, upperY] = upper as [number, number];
  for (let slot = 0; slot < live; slot++) {
    const first = 2 * slot;
    const x = (positions[first] as number) + (pushes[first] as number);
    const y = (positions[first + 1] as number) + (pushes[first + 1] as number);
    const velocityX = (velocities[first] as number) + (changes[first] as number);
    const velocityY = (velocities[first + 1] as number) + (changes[first + 1] as number);
    pushes[first] = 0;
    pushes[first + 1] = 0;
    changes[first] = 0;
    changes[first + 1] = 0;
    if (walls && (x < lowerX || x > upperX || y < lowerY || y > upperY)) {
      loadScratch(x, y, 0, velocityX, velocityY, 0);
      meetWalls(2, substep);
      positions[first] = scratchPosition[0] as number;
      positions[first + 1] = scratchPosition[1] as number;
      velocities[first] = scratchVelocity[0] as number;
      velocities[first + 1] = scratchVelocity[1] as number;
    } else {
      positions[first] = x;
      positions[first + 1] = y;
      velocities[first] = velocityX;
      velocities[first + 1] = velocityY;
    }
    if (!(Math.abs(x) + Math.abs(y) + Math.abs(velocityX) + Math.abs(velocityY) < GREATEST_PLAIN)) {
      normaliseNotFinite(state, 2, slot);
    }
  }
}

function finishSeparate(state: ParticleState, live: number, response: Response, substep: Substep): void {
  const { positions } = state;
  const { pushes } = response;
  const { lower, upper, walls } = substep;
  const [lowerX, lowerY] = lower as [number, number];
  const [upperX, upperY] = upper as [number, number];
  for (let slot = 0; slot < live; slot++) {
    const first = 2 * slot;
    let x = (positions[first] as number) + (pushes[first] as number);
    let y = (positions[first + 1] as number) + (pushes[first + 1] as number);
    pushes[first] = 0;
    pushes[first + 1] = 0;
    if (walls) {
      x = Math.min(Math.max(x, lowerX), upperX);
      y = Math.min(Math.max(y, lowerY), upperY);
    }
    positions[first] = x;
    positions[first + 1] = y;
  }
}

export const PLANE: Kernels = {
  place,
  sortByColumn,
  sortByRow,
  placeInBins,
  sortByBin,
  sortInBins,
  collect,
  collectAll,
  scan,
  gather,
  integrate,
  findPartners,
  respond,
  separate,
  finish,
  finishSeparate,
};
