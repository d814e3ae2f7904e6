/**
 * Purpose: the inner loops in 2D; space.ts is the same in 3D. See kernels.ts for what each one promises.
 * Ordering: pairs come slot by slot, each slot's partners ascending, so sums over a particle's neighbours are
 * added in the order of slots, which is canonical.
 */
import type { Substep } from '../core/settings';
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
} from './contact';
import type { Kernels, Order, PairTask, ParticleState, Placement, Response } from './kernels';
import { areAdjacent, type Lattice, lowerBound, namesDescent } from './lattice';
import { overlapsInPlane, ROUNDING_BAND } from './overlap';

function place(lattice: Lattice, positions: Float32Array, count: number, placement: Placement): boolean {
  const { originX, originY, inverseCellSize, rows, rowStride } = lattice;
  const { columnOf, rowOf, columnCounts, rowCounts } = placement;
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
    columnOf[index] = column;
    rowOf[index] = row;
    columnCounts[column] = (columnCounts[column] as number) + 1;
    rowCounts[row] = (rowCounts[row] as number) + 1;
    // Set in bit 31 once a key is below the one before it.
    const key = row * rowStride + column;
    descents |= key - previous;
    previous = key;
  }
  return descents >= 0;
}

function sortByColumn(words: Uint32Array, count: number, placement: Placement): void {
  const { columnOf, rowOf, columnCounts, nextSource, nextRow, nextWords } = placement;
  for (let index = 0; index < count; index++) {
    const column = columnOf[index] as number;
    const place = columnCounts[column] as number;
    columnCounts[column] = place + 1;
    nextSource[place] = index;
    nextRow[place] = rowOf[index] as number;
    nextWords[2 * place] = words[2 * index] as number;
    nextWords[2 * place + 1] = words[2 * index + 1] as number;
  }
}

function sortByRow(lattice: Lattice, placement: Placement, order: Order, target: Uint32Array): void {
  const { columns, rowStride } = lattice;
  const { columnCounts, rowCounts, nextSource, nextRow, nextWords } = placement;
  const { keys, source } = order;
  let place = 0;
  for (let column = 0; column < columns; column++) {
    // Each column's start has moved on to its end.
    const end = columnCounts[column] as number;
    for (; place < end; place++) {
      const row = nextRow[place] as number;
      const slot = rowCounts[row] as number;
      rowCounts[row] = slot + 1;
      source[slot] = nextSource[place] as number;
      keys[slot] = row * rowStride + column;
      target[2 * slot] = nextWords[2 * place] as number;
      target[2 * slot + 1] = nextWords[2 * place + 1] as number;
    }
  }
}

function collect(task: PairTask, stop: number): void {
  const { keys, live, positions, names, diameter, words, lattice } = task;
  const toRowAhead = lattice.rowStride - 1;
  let slot = task.next;
  let length = task.length;
  // First slot of the three cells in the row ahead: it only ever advances.
  let ahead = slot < live ? lowerBound(keys, live, (keys[slot] as number) + toRowAhead) : live;
  for (; slot < live && length <= stop; slot++) {
    const key = keys[slot] as number;
    const x = positions[2 * slot] as number;
    const y = positions[2 * slot + 1] as number;
    const name = names[slot] as number;
    // Written always, kept if it overlaps: about half of all candidates do, so a branch would be a coin toss.
    for (let other = slot + 1; (keys[other] as number) <= key + 1; other++) {
      const otherName = names[other] as number;
      const descent = namesDescent(name, otherName);
      words[length] = name + descent;
      words[length + 1] = otherName - descent;
      length += kept(x, y, positions, 2 * other, diameter);
    }
    const rowAhead = key + toRowAhead;
    while ((keys[ahead] as number) < rowAhead) ahead++;
    for (let other = ahead; (keys[other] as number) <= rowAhead + 2; other++) {
      const otherName = names[other] as number;
      const descent = namesDescent(name, otherName);
      words[length] = name + descent;
      words[length + 1] = otherName - descent;
      length += kept(x, y, positions, 2 * other, diameter);
    }
  }
  task.next = slot;
  task.length = length;
}

/** Words that a pair takes in the result: 2 if it overlaps, else 0. `at` is where the other's vector begins. */
function kept(x: number, y: number, positions: Float32Array, at: number, diameter: number): number {
  const otherX = positions[at] as number;
  const otherY = positions[at + 1] as number;
  const dx = otherX - x;
  const dy = otherY - y;
  const limit = diameter * diameter;
  const excess = dx * dx + dy * dy - limit;
  if (Math.abs(excess) > limit * ROUNDING_BAND) return Number(excess < 0) << 1;
  return overlapsInPlane(x, y, otherX, otherY, diameter) ? 2 : 0;
}

function collectAll(task: PairTask, stop: number, frozen: boolean): void {
  const { keys, live, positions, names, diameter, words, lattice } = task;
  let slot = task.next;
  let length = task.length;
  for (; slot < live && length <= stop; slot++) {
    const x = positions[2 * slot] as number;
    const y = positions[2 * slot + 1] as number;
    const name = names[slot] as number;
    for (let other = slot + 1; other < live; other++) {
      if (kept(x, y, positions, 2 * other, diameter) === 0) continue;
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
    if (newX - newX + (newY - newY) !== 0) normaliseNotFinite(state, 2, slot);
  }
}

function findPartners(task: PairTask, state: ParticleState, response: Response): void {
  const { words, length } = task;
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

function respond(task: PairTask, state: ParticleState, response: Response, substep: Substep): void {
  const { words, length } = task;
  const { positions, velocities } = state;
  const { pushes, changes, partners } = response;
  const { diameter, halfRelaxation, inverseDt, dt, friction, pushSpeed, restSpeed, restitution } = substep;
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
    const braking = sliding > 0 ? Math.min(friction * change, halfRelaxation * sliding) / sliding : 0;
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

function separate(task: PairTask, state: ParticleState, response: Response, substep: Substep): void {
  const { words, length } = task;
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
  collect,
  collectAll,
  gather,
  integrate,
  findPartners,
  respond,
  separate,
  finish,
  finishSeparate,
};
