/** A control of the panel: a name, a slider for numbers, and an input that suits keyboards and screen readers. */
import {
  type ChoiceField,
  type Field,
  formatNumber,
  fromSlider,
  type NumberField,
  sliderPlaces,
  toSlider,
} from '../model/fields';

export type Value = string | number | boolean;

export class Control {
  readonly element = document.createElement('div');
  /** Hidden while it only repeats the hint. */
  readonly note = document.createElement('p');
  private readonly input: HTMLInputElement | HTMLSelectElement;
  private readonly slider: HTMLInputElement | undefined;
  private ranged: NumberField | undefined;
  private value: Value = '';
  /** True while the visitor types a number that is not complete. */
  private isTyping = false;

  constructor(
    id: string,
    private readonly field: Field,
    private readonly choose: (value: Value) => void,
  ) {
    const { element, note } = this;
    const name = document.createElement('label');
    name.className = 'name';
    name.htmlFor = id;
    name.textContent = field.label;
    this.input = field.kind === 'choice' ? selectFrom(field) : document.createElement('input');
    this.input.id = id;
    element.className = 'control';
    element.append(name, this.input);
    note.className = 'hint';
    note.id = `field-${id}-note`;
    if (field.kind === 'switch') (this.input as HTMLInputElement).type = 'checkbox';
    if (field.kind === 'number') {
      this.ranged = field;
      this.typeInto(this.input as HTMLInputElement, field);
      if (field.slider !== 0) this.slider = this.addSlider(id, field);
    }
    // Use a typed number only when it is complete.
    this.input.addEventListener('change', () => {
      this.isTyping = false;
      const value = this.read();
      if (value === undefined) this.show(this.value);
      else choose(value);
    });
  }

  show(value: Value): void {
    const { input, field } = this;
    this.value = value;
    if (field.kind === 'choice') {
      (input as HTMLSelectElement).selectedIndex = field.options.findIndex(
        (option) => option.value === value,
      );
    } else if (field.kind === 'switch') (input as HTMLInputElement).checked = value === true;
    else if (!this.isTyping && input.value !== String(value)) input.value = String(value);
    this.showOnSlider();
  }

  /** Sets the slider's ends. Returns the position of `marked` as a share of the slider's length. */
  range(ends: Pick<NumberField, 'slider'> & Partial<Pick<NumberField, 'min'>>, marked = 0): number {
    if (!this.slider || this.field.kind !== 'number') return 0;
    this.ranged = { ...this.field, ...ends };
    const places = sliderPlaces(this.ranged);
    this.slider.max = String(places);
    this.showOnSlider();
    return toSlider(this.ranged, marked) / places;
  }

  enable(isEnabled: boolean): void {
    this.element.classList.toggle('disabled', !isEnabled);
    this.input.disabled = !isEnabled;
    if (this.slider) this.slider.disabled = !isEnabled;
  }

  /** `by`: the element with the description that screen readers read. */
  describe(hint: string, by: HTMLElement): void {
    this.element.dataset.hint = hint;
    for (const element of [this.input, ...(this.slider ? [this.slider] : [])]) {
      if (by.textContent) element.setAttribute('aria-describedby', by.id);
      else element.removeAttribute('aria-describedby');
    }
  }

  private read(): Value | undefined {
    const { input, field } = this;
    if (field.kind === 'choice') return field.options[(input as HTMLSelectElement).selectedIndex]?.value;
    if (field.kind === 'switch') return (input as HTMLInputElement).checked;
    const number = Number.parseFloat(input.value);
    return Number.isNaN(number) ? undefined : number;
  }

  private typeInto(input: HTMLInputElement, { step, min, max }: NumberField): void {
    input.type = 'number';
    input.step = 'any';
    input.addEventListener('input', () => {
      this.isTyping = true;
    });
    input.addEventListener('blur', () => {
      this.isTyping = false;
      this.show(this.value);
    });
    // The browser does not know the step, because any number may be typed.
    input.addEventListener('keydown', (event) => {
      const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (way === undefined) return;
      event.preventDefault();
      this.isTyping = false;
      const from = (this.read() ?? this.value) as number;
      this.choose(Math.min(max, Math.max(min, Number((from + way * step).toPrecision(12)))));
    });
  }

  private addSlider(id: string, field: NumberField): HTMLInputElement {
    const slider = document.createElement('input');
    slider.type = 'range';
    slider.id = `${id}-slider`;
    slider.max = String(sliderPlaces(field));
    slider.setAttribute('aria-label', field.label);
    this.element.append(slider);
    this.element.classList.add('has-slider');
    const isLive = field.effect !== 'start';
    const chosen = () => fromSlider(this.ranged ?? field, slider.valueAsNumber);
    slider.addEventListener('input', () => {
      const value = chosen();
      this.show(value);
      if (isLive) this.choose(value);
    });
    if (!isLive) slider.addEventListener('change', () => this.choose(chosen()));
    return slider;
  }

  private showOnSlider(): void {
    const { slider, ranged, value } = this;
    if (!slider || !ranged || typeof value !== 'number') return;
    const setting = String(toSlider(ranged, value));
    if (slider.value !== setting) slider.value = setting;
    slider.setAttribute('aria-valuetext', formatNumber(ranged, value));
  }
}

function selectFrom({ options }: ChoiceField): HTMLSelectElement {
  const select = document.createElement('select');
  for (const { label } of options) select.add(new Option(label));
  return select;
}
