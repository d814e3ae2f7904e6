/**
 * Shows the hint of a control when the mouse points at it or a key focuses it. Titles become hints (data-hint), because
 * browsers show titles only to a mouse.
 */

/** A hint waits this long, so that a passing mouse shows none. */
const POINTED_MS = 400;
/** Distance of a hint from its control and from the window's edge, in CSS pixels. */
const GAP = 6;

/** These controls show their hints on any focus, others only if a key moved the focus. */
const FILLED_IN = 'input, select';

/** Call this once. */
export function showHints(): void {
  document.querySelectorAll<HTMLElement>('[title]').forEach((element, index) => {
    const note = document.createElement('span');
    note.id = `hint-${index}`;
    note.hidden = true;
    note.textContent = element.title;
    element.dataset.hint = element.title;
    element.removeAttribute('title');
    element.after(note);
    element.setAttribute('aria-describedby', note.id);
  });
  new Tip();
}

/** The element must have had a title. */
export function setHint(holder: HTMLElement, hint: string): void {
  holder.dataset.hint = hint;
  const note = document.getElementById(holder.getAttribute('aria-describedby') ?? '');
  if (note) note.textContent = hint;
}

class Tip {
  private readonly box = document.createElement('div');
  private pointed: HTMLElement | undefined;
  private focused: HTMLElement | undefined;
  private shown: HTMLElement | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.box.className = 'tip';
    // Screen readers already have the text as the description.
    this.box.ariaHidden = 'true';
    // A popover also lies above open dialogs. Old browsers ignore this property.
    this.box.popover = 'manual';
    document.body.append(this.box);
    document.addEventListener('pointerover', ({ target, pointerType }) => {
      if (pointerType === 'mouse') this.point(holderOf(target));
    });
    document.addEventListener('pointerdown', () => this.point(undefined));
    document.addEventListener('focusin', ({ target }) => {
      const isVisible = target instanceof Element && target.matches(`:focus-visible, ${FILLED_IN}`);
      this.focused = isVisible ? holderOf(target) : undefined;
      this.update();
    });
    document.addEventListener('focusout', () => {
      this.focused = undefined;
      this.update();
    });
    document.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape') return;
      this.focused = undefined;
      this.point(undefined);
      this.update();
    });
    for (const type of ['scroll', 'resize']) {
      addEventListener(type, () => this.position(), { capture: true, passive: true });
    }
  }

  private point(holder: HTMLElement | undefined): void {
    if (holder === this.pointed) return;
    clearTimeout(this.timer);
    this.pointed = holder;
    if (!holder || this.shown) this.update();
    else this.timer = setTimeout(() => this.update(), POINTED_MS);
  }

  private update(): void {
    const { box } = this;
    const holder = this.pointed ?? this.focused;
    if (holder === this.shown) return;
    this.shown = holder;
    box.classList.toggle('seen', holder !== undefined);
    if (holder) {
      box.textContent = holder.dataset.hint ?? '';
      box.showPopover?.();
      this.position();
    } else {
      box.hidePopover?.();
    }
  }

  private position(): void {
    const { box, shown } = this;
    if (!shown) return;
    const { left, top, bottom } = shown.getBoundingClientRect();
    const { width, height } = box.getBoundingClientRect();
    const below = bottom + GAP;
    const hasRoom = below + height + GAP <= innerHeight;
    box.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
    box.style.top = `${hasRoom ? below : Math.max(GAP, top - GAP - height)}px`;
  }
}

function holderOf(target: EventTarget | null): HTMLElement | undefined {
  const holder = target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : undefined;
  return holder?.dataset.hint ? holder : undefined;
}
