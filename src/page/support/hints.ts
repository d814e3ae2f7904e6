/**
 * Hints say more than a control's name. The page shows one beside a control that the mouse points at, or that has
 * the focus by key or tap; screen readers get them as descriptions. Every element with data-hint has one. Titles in a page's
 * markup, which are for mice alone, are taken over.
 */

/** A mouse may pass. */
const POINTED_MS = 400;
/** CSS pixels between a hint and whom it is about, and the window's edge. */
const GAP = 6;

/** Elements whose hints are seen whenever they have the focus; buttons only where keys brought it. */
const FILLED_IN = 'input, select';

/** To be called once. */
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

/** Replaces the hint of an element that had a title. */
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
    // What it says is a description already.
    this.box.ariaHidden = 'true';
    // Above sheets, too, where the browser knows how.
    this.box.popover = 'manual';
    document.body.append(this.box);
    document.addEventListener('pointerover', ({ target, pointerType }) => {
      if (pointerType === 'mouse') this.point(holderOf(target));
    });
    document.addEventListener('pointerdown', () => this.point(undefined));
    document.addEventListener('focusin', ({ target }) => {
      const isSeen = target instanceof Element && target.matches(`:focus-visible, ${FILLED_IN}`);
      this.focused = isSeen ? holderOf(target) : undefined;
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
    });
    for (const type of ['scroll', 'resize']) {
      addEventListener(type, () => this.place(), { capture: true, passive: true });
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
      this.place();
    } else {
      box.hidePopover?.();
    }
  }

  /** Below, or where there is no room above. */
  private place(): void {
    const { box, shown } = this;
    if (!shown) return;
    const { left, top, bottom } = shown.getBoundingClientRect();
    const { width, height } = box.getBoundingClientRect();
    const below = bottom + GAP;
    const isRoom = below + height + GAP <= innerHeight;
    box.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
    box.style.top = `${isRoom ? below : Math.max(GAP, top - GAP - height)}px`;
  }
}

function holderOf(target: EventTarget | null): HTMLElement | undefined {
  const holder = target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : undefined;
  return holder?.dataset.hint ? holder : undefined;
}
