/** One engine's picture: draws its discs, and lets mouse, finger and keys move its player's pointer. */
import { isDark } from '../support/appearance';
import type { Picture } from './messages';
import { HEIGHT, type Input, RADIUS, type Tool, UNIT, WIDTH } from './rules';

/** Colours of discs (of the start, of the left player, of the right player), the ground and the keyboard's cross. */
const COLOURS = {
  light: { discs: ['#8a96a3', '#14727e', '#c2600c'], ground: '#fbfcfd', cross: '#16202c' },
  dark: { discs: ['#5b6877', '#5fd0b5', '#f0a04b'], ground: '#11161d', cross: '#e8edf3' },
} as const;
/** Discs are drawn a little smaller, so that neighbours are apart. */
const DRAWN_RADIUS = 0.92 * RADIUS;
/** Units of length per press of an arrow key. */
const KEY_STEP = 1;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

export class PictureView {
  private x = WIDTH / 2;
  private y = 0.75 * HEIGHT;
  private isPressed = false;
  private shown: Picture | undefined;
  private pointers: readonly Input[] = [];
  private readonly context: CanvasRenderingContext2D;

  constructor(
    private readonly stage: HTMLButtonElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly player: number,
  ) {
    this.context = canvas.getContext('2d') as CanvasRenderingContext2D;
    stage.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      stage.setPointerCapture(event.pointerId);
      this.isPressed = true;
      this.follow(event);
    });
    stage.addEventListener('pointermove', (event) => this.follow(event));
    for (const end of ['pointerup', 'pointercancel', 'blur'] as const) {
      stage.addEventListener(end, () => {
        this.isPressed = false;
      });
    }
    stage.addEventListener('keydown', (event) => this.press(event));
    stage.addEventListener('keyup', ({ key }) => {
      if (key === ' ') this.isPressed = false;
    });
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  inputs(tool: Tool): readonly Input[] {
    if (!this.isPressed) return [];
    return [{ player: this.player, tool, x: Math.round(this.x / UNIT), y: Math.round(this.y / UNIT) }];
  }

  /** `pointers` are the inputs of both players in the tick that led to this picture. */
  show(picture: Picture, pointers: readonly Input[]): void {
    this.shown = picture;
    this.pointers = pointers;
    this.draw();
  }

  draw(): void {
    const { canvas, context, shown } = this;
    const pixels = (length: number) => Math.max(1, Math.round(length * devicePixelRatio));
    const [across, down] = [pixels(canvas.clientWidth), pixels(canvas.clientHeight)];
    if (canvas.width !== across || canvas.height !== down)
      Object.assign(canvas, { width: across, height: down });
    const { discs, ground, cross } = COLOURS[isDark() ? 'dark' : 'light'];
    const scale = across / WIDTH;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = ground;
    context.fillRect(0, 0, across, down);
    context.setTransform(scale, 0, 0, -scale, 0, down);
    if (!shown) return;
    const { positions, owners } = shown;
    discs.forEach((colour, owner) => {
      context.beginPath();
      owners.forEach((of, particle) => {
        if (of === owner)
          this.circle(positions[2 * particle] ?? 0, positions[2 * particle + 1] ?? 0, DRAWN_RADIUS);
      });
      context.fillStyle = colour;
      context.fill();
    });
    for (const { player, tool, x, y } of this.pointers) {
      context.beginPath();
      this.circle(UNIT * x, UNIT * y, 1.2);
      context.strokeStyle = discs[player + 1] ?? cross;
      context.lineWidth = 0.25;
      context.stroke();
      if (tool === 'pour') continue;
      context.beginPath();
      context.moveTo(WIDTH / 2, HEIGHT / 2);
      context.lineTo(UNIT * x, UNIT * y);
      context.stroke();
    }
    if (this.stage.matches(':focus-visible')) this.drawCross(cross);
  }

  /** Marks the player's pointer, which visitors who use only the keyboard could not see otherwise. */
  private drawCross(colour: string): void {
    const { context, x, y } = this;
    context.beginPath();
    context.moveTo(x - 1, y);
    context.lineTo(x + 1, y);
    context.moveTo(x, y - 1);
    context.lineTo(x, y + 1);
    context.strokeStyle = colour;
    context.lineWidth = 0.3;
    context.stroke();
  }

  private circle(x: number, y: number, radius: number): void {
    this.context.moveTo(x + radius, y);
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
  }

  private follow({ offsetX, offsetY }: PointerEvent): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.moveTo((offsetX / clientWidth) * WIDTH, (1 - offsetY / clientHeight) * HEIGHT);
  }

  private press(event: KeyboardEvent): void {
    const arrow = ARROWS[event.key];
    if (arrow) this.moveTo(this.x + KEY_STEP * arrow[0], this.y + KEY_STEP * arrow[1]);
    else if (event.key === ' ') this.isPressed = true;
    else return;
    // Otherwise the page would scroll.
    event.preventDefault();
    this.draw();
  }

  private moveTo(x: number, y: number): void {
    this.x = Math.min(WIDTH, Math.max(0, x));
    this.y = Math.min(HEIGHT, Math.max(0, y));
  }
}
