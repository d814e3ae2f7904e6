/** Shows the classic comparison of all pairs with a grid, on the sheet Scale. */
import { formatCount, formatTimes } from '../support/format';
import { CLASSIC_COUNTS, classicRow, sparseMemory } from './classic';
import { headWith, rowWith } from './rows';

const HEADS = ['Discs', 'All pairs n(n−1)/2', 'Tests with a grid', 'Times fewer'] as const;

const ABOUT =
  'Discs at random, about one per cell. With a grid, each disc tests only the discs in the nine cells around it. Each pair is tested from both of its discs, and still the grid needs far fewer tests, because they grow with n instead of n².';

export function classicView(): readonly HTMLElement[] {
  const title = document.createElement('h3');
  title.textContent = 'Why a grid';
  const about = paragraph(ABOUT);
  const table = document.createElement('table');
  table.id = 'classic-table';
  const head = document.createElement('thead');
  head.append(headWith(HEADS));
  const body = document.createElement('tbody');
  for (const { count, pairs, tests } of CLASSIC_COUNTS.map(classicRow)) {
    body.append(rowWith([...[count, pairs, tests].map(inFull), formatTimes(pairs / tests)]));
  }
  table.append(head, body);
  const { count, cells, dense, hash } = sparseMemory();
  const memory = paragraph(
    `Memory: ${formatCount(count)} discs in a world of ${formatCount(Math.sqrt(cells))} × ${formatCount(Math.sqrt(cells))} cells take ${inMegabytes(dense)} with an entry per cell, but ${inMegabytes(hash)} with a hash table, whose size follows the number of discs. An unbounded world has such a table.`,
  );
  memory.id = 'classic-memory';
  return [title, about, table, memory];
}

function paragraph(text: string): HTMLElement {
  const made = document.createElement('p');
  made.className = 'hint';
  made.textContent = text;
  return made;
}

/** Writes all digits, because the exact numbers are well known. */
function inFull(count: number): string {
  return count.toLocaleString('en');
}

function inMegabytes(bytes: number): string {
  const megabytes = bytes / 1e6;
  return `${megabytes < 10 ? megabytes.toFixed(1) : Math.round(megabytes)} MB`;
}
