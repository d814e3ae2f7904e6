/** The sheet of presets. Cards are links, but a plain click on a preset does not reload the page. */
import type { Choices } from '../model/fields';
import { LEADING_PRESETS, LOCKSTEP, MORE_PRESETS, type Preset } from '../model/presets';
import { readLink } from '../session/link';
import { appearanceInAddress } from '../support/appearance';
import { find } from '../support/dom';
import { formatCount } from '../support/format';
import { notify } from '../support/notes';

const PICTURES = import.meta.glob<string>('../presets/*.webp', {
  eager: true,
  import: 'default',
  query: '?no-inline',
});
/** The style sheet scales pictures to their cards. */
const PICTURE = { width: 160, height: 100 };

export class Presets {
  private readonly sheet = find('presets', HTMLDialogElement);
  private areSmall: boolean | undefined;

  constructor(
    /** Returns whether the processor does the work. */
    private readonly isWeak: () => boolean,
    private readonly choose: (choices: Choices) => void,
  ) {
    find('presets-close', HTMLButtonElement).addEventListener('click', () => this.sheet.close());
  }

  toggle(): void {
    if (this.sheet.open) {
      this.sheet.close();
      return;
    }
    // Create cards only now, because a new card loads its picture at once.
    if (this.areSmall !== this.isWeak()) {
      this.areSmall = this.isWeak();
      for (const [id, presets] of [
        ['preset-lead', LEADING_PRESETS],
        ['preset-list', MORE_PRESETS],
      ] as const) {
        find(id, HTMLElement).replaceChildren(...presets.map((preset) => this.presetCard(preset)));
      }
      const appearance = appearanceInAddress();
      find('preset-list', HTMLElement).append(
        inItem(createCard(LOCKSTEP, `${LOCKSTEP.page}${appearance ? `?appearance=${appearance}` : ''}`)),
      );
    }
    this.sheet.showModal();
  }

  private presetCard(preset: Preset): HTMLElement {
    const small = this.areSmall ? preset.small : undefined;
    const link = small ?? preset.link;
    const card = createCard(preset, `?${link}`);
    if (small) {
      const size = document.createElement('em');
      size.textContent = `Here with ${describeSize(small, preset.link)}.`;
      card.append(size);
    }
    card.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.sheet.close();
      this.choose(readLink(link));
      if (small) {
        const [few, all] = [describeSize(small, preset.link), describeSize(preset.link, small, '')];
        notify(`The processor does the work here, so this preset starts with ${few} instead of ${all}.`);
      }
    });
    return inItem(card);
  }
}

function createCard({ name, title, text, alt }: Omit<Preset, 'link'>, href: string): HTMLAnchorElement {
  const card = document.createElement('a');
  card.className = 'card';
  card.href = href;
  card.id = `preset-${name}`;
  const picture = Object.assign(new Image(), { ...PICTURE, alt, src: PICTURES[`../presets/${name}.webp`] });
  const heading = document.createElement('strong');
  heading.textContent = title;
  const sentence = document.createElement('span');
  sentence.textContent = text;
  card.append(picture, heading, sentence);
  return card;
}

function inItem(card: HTMLElement): HTMLElement {
  const item = document.createElement('li');
  item.append(card);
  return item;
}

/** Names the dimensions if those of `other` differ. */
function describeSize(link: string, other: string, noun = ' particles'): string {
  const { count, dimensions } = readLink(link);
  const where = dimensions === readLink(other).dimensions ? '' : ` in ${dimensions}D`;
  return `${formatCount(count)}${noun}${where}`;
}
