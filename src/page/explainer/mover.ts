/** Lets a visitor move and pick particles by mouse, finger, pen or keys. */
import { PARTS_PER_UNIT } from './scene';

/** A pointer that moves no farther than this many CSS pixels picks the particle. */
const STILL = 4;

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export interface Moves {
  /** The position of a particle in the box, in parts of a unit. */
  readonly at: (id: number) => readonly [number, number];
  readonly move: (id: number, to: readonly [number, number]) => void;
  readonly pick: (id: number) => void;
  readonly count: () => number;
  /** Called when a particle is grabbed and when it is let go. */
  readonly hold: (isHeld: boolean) => void;
}

interface Drag {
  readonly id: number;
  readonly pointer: number;
  readonly from: readonly [number, number];
  /** The vector from the particle to the pointer, in parts of a unit. */
  readonly grip: readonly [number, number];
  isMoving: boolean;
}

export class Mover {
  private drag: Drag | undefined;
  private frame = 0;

  constructor(
    private readonly svg: SVGSVGElement,
    private readonly moves: Moves,
  ) {
    svg.addEventListener('pointerdown', (event) => this.grab(event));
    svg.addEventListener('pointermove', (event) => this.follow(event));
    svg.addEventListener('pointerup', (event) => this.drop(event));
    svg.addEventListener('pointercancel', () => this.end());
    svg.addEventListener('keydown', (event) => this.press(event));
    // Without this listener, a finger on a particle would scroll the page.
    svg.addEventListener(
      'touchstart',
      (event) => idOf(event.target) !== undefined && event.preventDefault(),
      {
        passive: false,
      },
    );
  }

  private grab(event: PointerEvent): void {
    const id = idOf(event.target);
    if (id === undefined || this.drag || event.button !== 0) return;
    const [x, y] = this.moves.at(id);
    const [pointerX, pointerY] = this.toParts(event);
    const grip = [pointerX - x, pointerY - y] as const;
    this.drag = { id, pointer: event.pointerId, from: [event.clientX, event.clientY], grip, isMoving: false };
    this.svg.setPointerCapture(event.pointerId);
    this.svg.dataset.dragged = String(id);
    this.moves.hold(true);
    event.preventDefault();
  }

  private follow(event: PointerEvent): void {
    const { drag } = this;
    if (!drag || drag.pointer !== event.pointerId) return;
    const [x, y] = drag.from;
    drag.isMoving ||= Math.hypot(event.clientX - x, event.clientY - y) > STILL;
    if (!drag.isMoving) return;
    const [pointerX, pointerY] = this.toParts(event);
    // A new trace takes some milliseconds, so make at most one per frame.
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() =>
      this.moves.move(drag.id, [pointerX - drag.grip[0], pointerY - drag.grip[1]]),
    );
  }

  private drop({ pointerId }: PointerEvent): void {
    const { drag } = this;
    if (!drag || drag.pointer !== pointerId) return;
    if (!drag.isMoving) this.moves.pick(drag.id);
    this.end();
  }

  private end(): void {
    if (!this.drag) return;
    this.drag = undefined;
    delete this.svg.dataset.dragged;
    this.moves.hold(false);
  }

  private press(event: KeyboardEvent): void {
    const id = idOf(event.target);
    if (id === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    const next = { PageUp: id - 1, PageDown: id + 1 }[event.key];
    if (arrow) {
      const by = event.shiftKey ? PARTS_PER_UNIT : 1;
      const [x, y] = this.moves.at(id);
      this.moves.move(id, [x + by * arrow[0], y + by * arrow[1]]);
    } else if (next !== undefined) {
      const count = this.moves.count();
      this.svg.querySelector<SVGElement>(`[data-id="${(next + count) % count}"]`)?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.moves.pick(id);
    } else {
      return;
    }
    event.preventDefault();
    // Outside the picture, some of these keys go through the steps.
    event.stopPropagation();
  }

  /** Returns the pointer's position in the box, in parts of a unit. The ring around the box is one unit wide. */
  private toParts({ clientX, clientY }: PointerEvent): [number, number] {
    const matrix = this.svg.getScreenCTM()?.inverse();
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix);
    return [(x - 1) * PARTS_PER_UNIT, (y - 1) * PARTS_PER_UNIT];
  }
}

function idOf(target: EventTarget | null): number | undefined {
  const particle = target instanceof Element ? target.closest<SVGElement>('.particle') : null;
  return particle ? Number(particle.dataset.id) : undefined;
}
