/** Shows whether a mistake of the second chapter breaks the search or the pushes, in words and as bars. */
import { find } from '../support/dom';
import { make } from './dom';
import { countFound, type Search } from './mistakes';
import { describe, formatNumber } from './words';

type State = 'broken' | 'lucky' | 'slow' | 'right';

/** First words of a verdict, for visitors who cannot distinguish its colours. */
const STATES: Readonly<Record<State, string>> = {
  broken: 'Broken. ',
  lucky: 'Right by luck. ',
  slow: 'Right, but slow. ',
  right: 'Right. ',
};

export function say(id: string, state: State, text: string): void {
  const verdict = find(id, HTMLElement);
  verdict.dataset.state = state;
  verdict.replaceChildren(make('strong', {}, STATES[state]), text);
}

/** The value, the value at which the bar is full, and a text. */
type Bar = readonly [number, number, string];

export function foundBar(search: Search, found = countFound(search)): Bar {
  const truth = 2 * search.truth.length;
  const contacts = describe(search.truth.length, 'contact');
  return [
    found,
    Math.max(found, truth),
    `of ${formatNumber(truth)}: brute force has ${contacts}, each to be found from both particles`,
  ];
}

export function showBars(id: string, bars: Readonly<Record<string, Bar>>): void {
  find(id, HTMLElement).replaceChildren(
    ...Object.entries(bars).flatMap(([name, [value, end, compared]]) => {
      const fill = make('span', { class: 'fill' });
      fill.style.width = `${end > 0 ? Math.min(100, (100 * value) / end) : 0}%`;
      const amount = make('b', {}, formatNumber(value));
      return [
        make('dt', {}, name),
        make('dd', {}, make('span', { class: 'track' }, fill), amount, ` ${compared}`),
      ];
    }),
  );
}
