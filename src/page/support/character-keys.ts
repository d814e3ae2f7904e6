/**
 * Switches the shortcuts of single characters on and off. They work wherever the focus is, so visitors who use speech
 * input or hit keys by accident can switch them off. The browser stores this for all pages of the site. Space, the
 * arrows and the keys of a focused control always work. The state belongs to the document, so this module holds it
 * once.
 */
import { setHint } from './hints';
import { keepAs, keptAs } from './storage';

const NAME = 'character-keys';
const OFF = 'off';

let areOn: boolean | undefined;

/** True if a key is a character and character keys are off. `key` is a `KeyboardEvent.key`. */
export function isIgnored(key: string): boolean {
  return isCharacter(key) && !areCharacterKeysOn();
}

/** True for keys that type one character. Space does not count, because speech input never says it alone. */
export function isCharacter(key: string): boolean {
  return [...key].length === 1 && key !== ' ';
}

/** Matches the end of a hint that names a character key as its shortcut. */
const NAMED = / \((?:shift and )?[^ ]\)$/u;

/**
 * Connects the checkbox that switches character keys. While they are off, buttons announce no character keys and hints
 * name none. Call it after showHints() (hints.ts).
 */
export function letChoose(box: HTMLInputElement): void {
  const buttons = [...document.querySelectorAll('[aria-keyshortcuts]')]
    .map((button) => ({ button, key: button.getAttribute('aria-keyshortcuts') ?? '' }))
    .filter(({ key }) => isCharacter(key));
  const hints = [...document.querySelectorAll<HTMLElement>('[data-hint]')]
    .map((holder) => ({ holder, hint: holder.dataset.hint ?? '' }))
    .filter(({ hint }) => NAMED.test(hint));
  const announce = () => {
    for (const { holder, hint } of hints) {
      setHint(holder, areCharacterKeysOn() ? hint : hint.replace(NAMED, ''));
    }
    for (const { button, key } of buttons) {
      if (areCharacterKeysOn()) button.setAttribute('aria-keyshortcuts', key);
      else button.removeAttribute('aria-keyshortcuts');
    }
  };
  box.checked = areCharacterKeysOn();
  announce();
  box.addEventListener('change', () => {
    areOn = box.checked;
    keepAs(NAME, areOn ? undefined : OFF);
    announce();
  });
}

function areCharacterKeysOn(): boolean {
  areOn ??= keptAs(NAME) !== OFF;
  return areOn;
}
