/** The controls for the method and the number of particles, and the button that puts moved particles back. */
import { find, setText } from '../support/dom';
import { make } from './dom';
import { METHOD_NAMES, METHODS, type Method } from './methods';
import { type Choice, FEWEST, MOST } from './scene';
import { describe } from './words';

export class ChoiceView {
  private readonly radios = new Map<Method, HTMLInputElement>();
  private readonly particles = find('particles', HTMLInputElement);
  private readonly putBack = find('put-back', HTMLButtonElement);

  constructor(choose: (changed: Partial<Choice>) => void) {
    for (const method of METHOD_NAMES) {
      const radio = make('input', { type: 'radio', name: 'method', value: method });
      radio.addEventListener('change', () => choose({ method }));
      this.radios.set(method, radio);
      find('methods', HTMLElement).append(make('label', {}, radio, METHODS[method].title));
    }
    this.particles.min = String(FEWEST);
    this.particles.max = String(MOST);
    this.particles.addEventListener('input', () => choose({ count: this.particles.valueAsNumber }));
    this.putBack.addEventListener('click', () => choose({ moved: new Map() }));
  }

  show({ method, count, moved }: Choice): void {
    for (const [name, radio] of this.radios) radio.checked = name === method;
    this.particles.value = String(count);
    const pairs = describe((count * (count - 1)) / 2, 'pair');
    setText('particles-shown', `${count}, with ${pairs}`);
    this.particles.setAttribute('aria-valuetext', `${count} particles, with ${pairs}`);
    setText('method-lead', METHODS[method].lead);
    // Mark the button instead of disabling it, because a button that becomes disabled would lose the focus.
    this.putBack.setAttribute('aria-disabled', String(moved.size === 0));
  }
}
