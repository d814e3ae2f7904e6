/**
 * Lists the checked starting states: scenes in 2D or 3D with a number of particles. Each is a `details` element with a
 * row per check.
 */
import { describeCount } from '../core/base/errors';
import type { VerifyCase } from '../verify/verify';

interface Shown {
  readonly fold: HTMLDetailsElement;
  readonly rows: HTMLElement;
  readonly tally: HTMLElement;
  readonly hash: HTMLElement;
  passed: number;
  checks: number;
}

export class SceneList {
  private readonly shown = new Map<string, Shown>();

  constructor(private readonly holder: HTMLElement) {}

  /** Adds a row for a check. Opens the element of its starting state if the check found a mismatch. */
  add({ scene, dimensions, count, check, pass, detail, hash }: VerifyCase): void {
    const name = `${scene} ${dimensions}D, ${describeCount(count)}`;
    const shown = this.shown.get(name) ?? this.open(name);
    shown.checks++;
    if (pass) shown.passed++;
    else shown.fold.open = true;
    shown.fold.dataset.pass = String(shown.passed === shown.checks);
    shown.tally.textContent = `${shown.passed} of ${shown.checks} checks passed`;
    if (hash !== undefined) shown.hash.textContent = hash;
    const row = make('tr', make('th', check), make('td', pass ? 'pass' : 'mismatch'), make('td', detail));
    row.dataset.pass = String(pass);
    shown.rows.append(row);
  }

  foldAll(isOpen: boolean): void {
    for (const { fold } of this.shown.values()) fold.open = isOpen;
  }

  private open(name: string): Shown {
    const [rows, tally, hash] = [make('tbody'), make('span'), make('code')];
    tally.className = 'tally';
    const title = make('span', name);
    title.className = 'name';
    const head = make('tr', ...['Compared', 'Result', 'Found'].map((text) => make('th', text)));
    const caption = make('caption', name);
    caption.className = 'unseen';
    const wide = make('div', make('table', caption, make('thead', head), rows));
    wide.className = 'checks';
    const fold = make('details', make('summary', title, tally, hash), wide);
    this.holder.append(fold);
    const shown = { fold, rows, tally, hash, passed: 0, checks: 0 };
    this.shown.set(name, shown);
    return shown;
  }
}

export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.append(...children);
  return element;
}
