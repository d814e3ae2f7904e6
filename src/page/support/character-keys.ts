/**
 * Whether keys of a letter or a sign do something by themselves, wherever the focus is. Who speaks to the computer, or
 * often meets a key unawares, can switch them off, for all pages of this site and as long as the browser remembers; space,
 * arrows and what has the focus work either way. Of the document, so there is one.
 */
import { setHint } from './hints';
import { keepAs, keptAs } from './storage';

const NAME = 'character-keys';
const OFF = 'off';

let areOn: boolean | undefined;

/** Whether what was pressed is a letter or a sign, as `KeyboardEvent.key` has it, that is not to do anything. */
export function isIgnored(key: string): boolean {
  return isCharacter(key) && !areCharacterKeysOn();
}

/** Space is none: the fingers rest on it, but it is never said by itself. */
export function isCharacter(key: string): boolean {
  return [...key].length === 1 && key !== ' ';
}

/** At the end of a hint: the key that does the same, if it is a letter or a sign. */
const NAMED = / \((?:shift and )?[^ ]\)$/u;

/**
 * Lets a box on the page say and choose it; buttons are announced with keys that there are, and no others, nor do their hints
 * name others: to be called when hints are there (hints.ts).
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
