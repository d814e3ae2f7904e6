/** The help sheet: lists every key (from KEYS) and pointer gesture, and lets the visitor turn character keys off. */

import { KEYS } from './input';
import { isCharacter, isIgnored, letChoose } from './support/character-keys';
import { find } from './support/dom';

const POINTERS = [
  ['drag', 'move the plane, turn space, or what Drag to says'],
  ['shift and drag', 'move the picture'],
  ['wheel, pinch', 'nearer or farther, to where the pointer is'],
  ['double click', 'fit the picture'],
  ['point, click', 'while inspecting: look at a particle, stay with it'],
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
      // Not heard again as the key that opens it.
      event.preventDefault();
    });
  }

  toggle(): void {
    if (this.sheet.open) this.sheet.close();
    else this.sheet.showModal();
  }
}
