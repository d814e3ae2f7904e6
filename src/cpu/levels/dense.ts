/** The loops of search.ts for a dense table in a world that does not wrap. */
import type { PairTask } from '../shared/kernels';
import { labelsDescent } from '../shared/lattice';
import { SUM_BAND } from '../shared/overlap';
import type { LevelOrder } from './order';

export type LevelTask = Pick<PairTask, 'lattice' | 'words' | 'length' | 'next'> & {
  activeCount: number;
  labels: Uint32Array;
};

export function collect2D(task: LevelTask, order: LevelOrder, stop: number): void {
  const { activeCount, words, labels } = task;
  const { positions, radii, keys, assignedLevels, starts, cells, levelChoice } = order;
  const { firsts, offsets, rowStrides, straightScales } = cells;
  const { used, usedLevels } = levelChoice;
  let { length, next: slot } = task;
  for (; slot < activeCount && length <= stop; slot++) {
    const level = assignedLevels[slot] as number;
    const key = keys[slot] as number;
    const x = positions[2 * slot] as number;
    const y = positions[2 * slot + 1] as number;
    const radius = radii[slot] as number;
    const label = labels[slot] as number;
    // Tests these ranges of slots, where a row has three cells:
    // - the rest of the particle's own cell, and the next cell;
    // - the row ahead;
    // - three rows on each higher level in use.
    let rowKey = key;
    let begin = slot + 1;
    let end = starts[key + 2] as number;
    let stride = rowStrides[level] as number;
    let rowsLeft = 1;
    let index = usedLevels;
    for (;;) {
      for (let other = begin; other < end; other++) {
        const dx = (positions[2 * other] as number) - x;
        const dy = (positions[2 * other + 1] as number) - y;
        const sum = radius + (radii[other] as number);
        const limit = sum * sum;
        const excess = dx * dx + dy * dy - limit;
        const band = SUM_BAND * limit;
        if (excess > band) continue;
        if (excess >= -band && !order.overlap(slot, other)) continue;
        const otherLabel = labels[other] as number;
        const descent = labelsDescent(label, otherLabel);
        words[length] = label + descent;
        words[length + 1] = otherLabel - descent;
        length += 2;
      }
      if (rowsLeft > 0) {
        rowsLeft--;
        rowKey += stride;
      } else {
        index--;
        const higher = used[index] as number;
        if (higher <= level) break;
        const scale = straightScales[higher] as number;
        const column = Math.floor(x * scale) - (firsts[3 * higher] as number);
        const row = Math.floor(y * scale) - (firsts[3 * higher + 1] as number);
        stride = rowStrides[higher] as number;
        rowKey = (offsets[higher] as number) + column + (row - 1) * stride;
        rowsLeft = 2;
      }
      begin = starts[rowKey - 1] as number;
      end = starts[rowKey + 2] as number;
    }
  }
  task.next = slot;
  task.length = length;
}

export function collect3D(task: LevelTask, order: LevelOrder, stop: number): void {
  const { activeCount, words, labels } = task;
  const { positions, radii, keys, assignedLevels, starts, cells, levelChoice } = order;
  const { firsts, offsets, rowStrides, layerStrides, straightScales } = cells;
  const { used, usedLevels } = levelChoice;
  let { length, next: slot } = task;
  for (; slot < activeCount && length <= stop; slot++) {
    const level = assignedLevels[slot] as number;
    const key = keys[slot] as number;
    const x = positions[3 * slot] as number;
    const y = positions[3 * slot + 1] as number;
    const z = positions[3 * slot + 2] as number;
    const radius = radii[slot] as number;
    const label = labels[slot] as number;
    // Tests these ranges of slots, where a row has three cells:
    // - the rest of the particle's own cell, and the next cell;
    // - the row ahead;
    // - three rows of the layer ahead;
    // - nine rows on each higher level in use.
    let rowKey = key;
    let begin = slot + 1;
    let end = starts[key + 2] as number;
    let stride = rowStrides[level] as number;
    let layerStride = layerStrides[level] as number;
    let rowsLeft = 1;
    let layersLeft = 1;
    let index = usedLevels;
    for (;;) {
      for (let other = begin; other < end; other++) {
        const dx = (positions[3 * other] as number) - x;
        const dy = (positions[3 * other + 1] as number) - y;
        const dz = (positions[3 * other + 2] as number) - z;
        const sum = radius + (radii[other] as number);
        const limit = sum * sum;
        const excess = dx * dx + dy * dy + dz * dz - limit;
        const band = SUM_BAND * limit;
        if (excess > band) continue;
        if (excess >= -band && !order.overlap(slot, other)) continue;
        const otherLabel = labels[other] as number;
        const descent = labelsDescent(label, otherLabel);
        words[length] = label + descent;
        words[length + 1] = otherLabel - descent;
        length += 2;
      }
      if (rowsLeft > 0) {
        rowsLeft--;
        rowKey += stride;
      } else if (layersLeft > 0) {
        layersLeft--;
        rowsLeft = 2;
        // Goes from the row at y + 1 to the row at y − 1 of the next layer.
        rowKey += layerStride - 2 * stride;
      } else {
        index--;
        const higher = used[index] as number;
        if (higher <= level) break;
        const scale = straightScales[higher] as number;
        const column = Math.floor(x * scale) - (firsts[3 * higher] as number);
        const row = Math.floor(y * scale) - (firsts[3 * higher + 1] as number);
        const layer = Math.floor(z * scale) - (firsts[3 * higher + 2] as number);
        stride = rowStrides[higher] as number;
        layerStride = layerStrides[higher] as number;
        rowKey = (offsets[higher] as number) + column + (row - 1) * stride + (layer - 1) * layerStride;
        rowsLeft = 2;
        layersLeft = 2;
      }
      begin = starts[rowKey - 1] as number;
      end = starts[rowKey + 2] as number;
    }
  }
  task.next = slot;
  task.length = length;
}
