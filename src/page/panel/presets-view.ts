/** The sheet of presets. Its cards are links, but a plain click does not reload the page. */
import { PRESETS } from '../model/presets';
import { find } from '../support/dom';

const PICTURES = import.meta.glob<string>('../presets/*.webp', {
  eager: true,
  import: 'default',
  query: '?no-inline',
});
/** Attributes of a picture. The style sheet scales pictures to their cards. */
const PICTURE = { width: 160, height: 100 };

export class Presets {
  private readonly sheet = find('presets', HTMLDialogElement);
  private readonly list = find('preset-list', HTMLElement);

  constructor(private readonly choose: (link: string) => void) {
    find('presets-close', HTMLButtonElement).addEventListener('click', () => this.sheet.close());
  }

  toggle(): void {
    if (this.sheet.open) {
      this.sheet.close();
      return;
    }
    // Create the cards only now, because a new card immediately loads its picture.
    if (this.list.childElementCount === 0) this.list.append(...PRESETS.map((preset) => this.card(preset)));
    this.sheet.showModal();
  }

  private card({ name, title, text, alt, link }: (typeof PRESETS)[number]): HTMLElement {
    const card = document.createElement('a');
    card.className = 'card';
    card.href = `?${link}`;
    card.id = `preset-${name}`;
    const picture = Object.assign(new Image(), { ...PICTURE, alt, src: PICTURES[`../presets/${name}.webp`] });
    const heading = document.createElement('strong');
    heading.textContent = title;
    const sentence = document.createElement('span');
    sentence.textContent = text;
    card.append(picture, heading, sentence);
    card.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.sheet.close();
      this.choose(link);
    });
    const item = document.createElement('li');
    item.append(card);
    return item;
  }
}
