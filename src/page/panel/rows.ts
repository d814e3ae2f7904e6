export function headWith(texts: readonly string[]): HTMLTableRowElement {
  const row = document.createElement('tr');
  for (const text of texts) {
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.textContent = text;
    row.append(cell);
  }
  return row;
}

/** The first cell names the row. */
export function rowWith(texts: readonly string[]): HTMLTableRowElement {
  const row = document.createElement('tr');
  texts.forEach((text, index) => {
    const cell = document.createElement(index === 0 ? 'th' : 'td');
    if (index === 0) cell.setAttribute('scope', 'row');
    cell.textContent = text;
    row.append(cell);
  });
  return row;
}
