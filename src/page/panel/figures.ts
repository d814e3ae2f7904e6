/** Shows a method's figures in place of the measures of collisions. */
import type { Figure } from '../model/simulation-view';

interface Row {
  readonly row: HTMLElement;
  readonly value: HTMLElement;
  readonly meaning: HTMLElement;
}

export class Figures {
  private readonly ofCollisions = [...document.querySelectorAll<HTMLElement>('[data-of="collisions"]')];
  private rows: readonly Row[] = [];
  private titles: readonly string[] = [];

  /** `about` is the list in `fold` that explains the figures. */
  constructor(
    private readonly fold: HTMLElement,
    private readonly about: HTMLElement,
  ) {}

  /** If `figures` is empty, shows the measures of collisions. */
  show(figures: readonly Figure[]): void {
    const isOfMethod = figures.length > 0;
    for (const element of this.ofCollisions) element.hidden = isOfMethod;
    this.fold.hidden = !isOfMethod;
    if (
      figures.length !== this.titles.length ||
      figures.some(({ title }, index) => title !== this.titles[index])
    ) {
      this.build(figures);
    }
    figures.forEach(({ value, hint }, index) => {
      const row = this.rows[index];
      if (!row) return;
      if (row.value.textContent !== value) row.value.textContent = value;
      if (row.meaning.textContent !== hint) row.meaning.textContent = hint;
      row.row.dataset.hint = hint;
    });
  }

  private build(figures: readonly Figure[]): void {
    for (const { row } of this.rows) row.remove();
    this.about.replaceChildren();
    this.titles = figures.map(({ title }) => title);
    this.rows = this.titles.map((title) => {
      const [row, value, meaning] = [element('div'), element('dd'), element('dd')];
      row.append(element('dt', title), value);
      this.ofCollisions[0]?.before(row);
      this.about.append(element('dt', title), meaning);
      return { row, value, meaning };
    });
  }
}

function element(kind: 'div' | 'dt' | 'dd', text = ''): HTMLElement {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}
