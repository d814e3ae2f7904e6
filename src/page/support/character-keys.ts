/**
 * Switches shortcuts of a single character on and off, since speech input or an accident can trigger them. Space,
 * arrows and the keys of a focused control always work.
 */
import { setHint } from './hints';
import { storedValue, storeValue } from './storage';

const NAME = 'character-keys';
const OFF = 'off';

let areOn: boolean | undefined;

/** `key` is a `KeyboardEvent.key`. */
export function isIgnored(key: string): boolean {
  return isCharacter(key) && !areCharacterKeysOn();
}

/** Space does not count, because speech input never types it alone. */
export function isCharacter(key: string): boolean {
  return [...key].length === 1 && key !== ' ';
}

/** A shortcut at the end of a hint: a character in parentheses, perhaps after "shift and". */
const SHORTCUT = / \((?:shift and )?[^ ]\)$/u;

/** While `box` is not checked, no button or hint mentions these shortcuts. Call showHints() first. */
export function letChoose(box: HTMLInputElement): void {
  const buttons = [...document.querySelectorAll('[aria-keyshortcuts]')]
    .map((button) => ({ button, key: button.getAttribute('aria-keyshortcuts') ?? '' }))
    .filter(({ key }) => isCharacter(key));
  const hints = [...document.querySelectorAll<HTMLElement>('[data-hint]')]
    .map((holder) => ({ holder, hint: holder.dataset.hint ?? '' }))
    .filter(({ hint }) => SHORTCUT.test(hint));
  const announce = () => {
    for (const { holder, hint } of hints) {
      setHint(holder, areCharacterKeysOn() ? hint : hint.replace(SHORTCUT, ''));
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
    storeValue(NAME, areOn ? undefined : OFF);
    announce();
  });
}

function areCharacterKeysOn(): boolean {
  areOn ??= storedValue(NAME) !== OFF;
  return areOn;
}
