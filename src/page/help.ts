import { KEYS } from './input';
import { isCharacter, isIgnored, letChoose } from './support/character-keys';
import { find } from './support/dom';

const POINTERS = [
  ['drag', 'use the “Drag to” tool; with “Move the picture”, move (2D) or turn (3D) it'],
  ['shift and drag', 'move the picture'],
  ['wheel, pinch', 'zoom in or out at the pointer'],
  ['double click', 'fit the picture'],
  ['point, click', 'while inspecting: show the particle at the pointer; a click keeps it shown'],
] as const;

export class Help {
  private readonly sheet = find('help', HTMLDialogElement);

  constructor() {
    const list = find('help-keys', HTMLElement);
    for (const [shown, does] of [...KEYS.map((key) => [key.shown, key.does] as const), ...POINTERS]) {
      const [term, description] = [document.createElement('dt'), document.createElement('dd')];
      const key = document.createElement('kbd');
      key.textContent = shown;
      if (isCharacter(shown)) key.dataset.character = '';
      description.textContent = does;
      term.append(key);
      list.append(term, description);
    }
    letChoose(find('character-keys', HTMLInputElement));
    find('help-open', HTMLButtonElement).addEventListener('click', () => this.toggle());
    find('help-close', HTMLButtonElement).addEventListener('click', () => this.sheet.close());
    this.sheet.addEventListener('keydown', (event) => {
      if (event.key !== '?' || isIgnored(event.key)) return;
      this.sheet.close();
      // Otherwise the same key press would open the sheet again.
      event.preventDefault();
    });
  }

  toggle(): void {
    if (this.sheet.open) this.sheet.close();
    else this.sheet.showModal();
  }
}
