import type { World } from '../../index';
import { formatCount, formatReal } from '../support/format';
import type { Candidate, Inspected, ProbedCell } from '../view/inspect';

const MOST_ROWS = 60;
const MOST_IDS = 9;

const VERDICTS = {
  contact: 'overlaps',
  apart: 'too far',
  stranger: 'other cell',
  itself: 'itself',
} as const;

export function element(tag: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

export function vectorText(vector: readonly number[]): string {
  return vector.map(formatReal).join(', ');
}

/** Without levels, cell coordinates start in the ring, if there is one. */
export function ringText({ kind, period }: World): string {
  const hasRing = kind !== 'unbounded' && period.some((length) => length === 0);
  return hasRing ? ', counted from the ring of empty cells' : '';
}

export function cellText({ cell }: ProbedCell): string {
  return cell.join(', ');
}

/** Lists up to MOST_IDS ids around `id`. */
export function idsText(ids: readonly number[], id: number): string {
  const first = Math.max(0, Math.min(ids.indexOf(id) - (MOST_IDS >> 1), ids.length - MOST_IDS));
  const some = ids.slice(first, first + MOST_IDS).map((one) => (one === id ? `[${one}]` : String(one)));
  return [...(first > 0 ? ['…'] : []), ...some, ...(first + MOST_IDS < ids.length ? ['…'] : [])].join(' ');
}

export function captioned(caption: string): HTMLTableElement {
  const table = document.createElement('table');
  table.append(element('caption', caption));
  return table;
}

/** One table per level and, in 3D, per layer; y points up. */
export function probeTables({ probe, own }: Inspected, dimensions: number): HTMLElement[] {
  return Array.from({ length: probe.length / 9 }, (_, index) => {
    const cells = probe.slice(9 * index, 9 * index + 9);
    const level = cells[0]?.level;
    const which = [
      ...(level === undefined ? [] : [`level ${level}`]),
      ...(dimensions === 3 ? [`z ${cells[0]?.cell[2]}`] : []),
    ].join(', ');
    const title = `Probed cells, each with its number of particles and its first slot${which ? `; ${which}` : ''}`;
    const table = captioned(index === 0 ? title : which);
    table.className = 'probe';
    for (let row = 2; row >= 0; row--) {
      const line = element('tr');
      for (const cell of cells.slice(3 * row, 3 * row + 3)) {
        const entry = element('td', String(cell.ids.length));
        entry.append(element('small', cell.start === cell.end ? '–' : `${cell.start}`));
        const where = element('span', `, cell ${cellText(cell)}, its slots end before ${cell.end}`);
        where.className = 'unseen';
        entry.append(where);
        entry.dataset.hint = `Cell ${cellText(cell)}: its slots begin at ${cell.start} and end before ${cell.end}`;
        if (cell === own) entry.className = 'own';
        line.append(entry);
      }
      table.append(line);
    }
    return table;
  });
}

export function countsText({ candidates }: Inspected): string {
  const count = (wanted: Candidate['verdict']) =>
    candidates.filter(({ verdict }) => verdict === wanted).length;
  const [contacts, strangers] = [count('contact'), count('stranger')];
  const tested = contacts + count('apart');
  const more = strangers > 0 ? `; ${formatCount(strangers)} from other cells in the same buckets` : '';
  return `${formatCount(tested)} ${tested === 1 ? 'candidate' : 'candidates'}, ${formatCount(contacts)} in contact${more}`;
}

export function candidateTable(details: Inspected): HTMLElement {
  const { candidates } = details;
  const others = candidates
    .filter(({ verdict }) => verdict !== 'itself')
    .sort((first, second) => first.distance - second.distance);
  const table = captioned(countsText(details));
  const head = element('tr');
  for (const name of ['Id', 'Verdict', 'Distance / sum of radii']) {
    const cell = element('th', name);
    cell.setAttribute('scope', 'col');
    head.append(cell);
  }
  table.append(head);
  for (const { id, verdict, distance, reach, overlap } of others.slice(0, MOST_ROWS)) {
    const row = element('tr');
    row.dataset.verdict = verdict;
    const by = verdict === 'stranger' ? '' : ` by ${formatReal(Math.abs(overlap))}`;
    const texts = [String(id), `${VERDICTS[verdict]}${by}`, `${formatReal(distance)} / ${formatReal(reach)}`];
    row.append(...texts.map((text) => element('td', text)));
    table.append(row);
  }
  if (others.length > MOST_ROWS) {
    const row = element('tr');
    const more = element('td', `and ${formatCount(others.length - MOST_ROWS)} more, farther away`);
    more.setAttribute('colspan', '3');
    row.append(more);
    table.append(row);
  }
  return table;
}
