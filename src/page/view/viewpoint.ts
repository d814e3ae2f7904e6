/**
 * The visitor's viewpoint: a camera for the plane and one for space, and the part of the window that they draw on.
 * Positions are in CSS pixels of the window, distances in CSS pixels, y down.
 */
import type { Dimensions } from '../../core/world/world';
import { type SeenBox, worldBox } from '../model/seen-box';
import type { ScreenPosition } from './camera';
import { type Camera, PlaneCamera, project, type Ray, type Sight, type Viewport } from './camera';
import type { SpaceCamera } from './space-camera';

/** Limits the pixels of a frame. More of them do not help. */
const GREATEST_PIXEL_RATIO = 2;
/** Seconds after the visitor's last action until the picture of space turns by itself again. */
const REST_AFTER_TURN = 6;

export class Viewpoint {
  private readonly plane = new PlaneCamera();
  /** Undefined until `prepare` has been awaited for space. */
  private space: SpaceCamera | undefined;
  /** The visible box. */
  box: SeenBox = worldBox({ min: [0, 0, 0], max: [1, 1, 1] });
  private restUntil = 0;
  private readonly reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

  /** `free`: the part of the stage that no panel covers. */
  constructor(
    readonly stage: HTMLElement,
    private readonly free: HTMLElement,
    private readonly dimensions: () => Dimensions | undefined,
  ) {}

  /** Await it before anything of these dimensions is shown. */
  async prepare(dimensions: Dimensions): Promise<void> {
    if (dimensions === 2 || this.space) return;
    // Loaded only when needed.
    const { SpaceCamera: Made } = await import('./space-camera');
    this.space ??= new Made();
  }

  get canTurn(): boolean {
    return this.dimensions() === 3;
  }

  pan(across: number, down: number): void {
    this.camera.pan(across, down);
    this.rest();
  }

  /** Magnifies by a factor towards a position. */
  zoom(factor: number, { x, y }: ScreenPosition): void {
    const { left, top } = this.stage.getBoundingClientRect();
    this.camera.zoom(factor, x - left, y - top);
    this.rest();
  }

  turn(yaw: number, pitch: number): void {
    this.camera.turn(yaw, pitch);
    this.rest();
  }

  fit(): void {
    this.camera.fit();
  }

  /** The state of the present camera for an address; undefined if the visitor has not moved it. */
  get look(): readonly number[] | undefined {
    if (this.dimensions() === undefined) return undefined;
    return this.camera.look(this.box);
  }

  /** Restores the state of the camera from an address. */
  lookAs(look: readonly number[]): void {
    this.camera.lookAs(look, this.box);
    this.rest();
  }

  /** Resets both cameras, to fit another box. */
  fitAll(): void {
    for (const camera of [this.plane, this.space]) camera?.fit();
  }

  /**
   * Shows another box. A world's box with other corners is fitted anew, because it may lie outside the present picture.
   */
  lookAt(box: SeenBox): void {
    const { box: before } = this;
    this.box = box;
    const isSame = (['min', 'max'] as const).every((corner) =>
      box[corner].every((along, axis) => along === before[corner][axis]),
    );
    // An unbounded world has another box at every start, so its cameras stay as they are.
    if (box.isWorld && !isSame) this.fitAll();
  }

  /** Pauses the turning, because the visitor has moved the picture or works in it. */
  rest(): void {
    this.restUntil = performance.now() + 1000 * REST_AFTER_TURN;
  }

  /**
   * Turns the picture of space, unless the visitor has just acted or prefers reduced motion. Returns true if it turned.
   */
  drift(seconds: number): boolean {
    if (!this.canTurn || this.reducedMotion.matches || performance.now() <= this.restUntil) return false;
    this.space?.drift(seconds);
    return true;
  }

  sight(viewport: Viewport): Sight {
    return this.camera.sight(this.box, viewport);
  }

  get viewport(): Viewport {
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    const free = this.free.getBoundingClientRect();
    return {
      width,
      height,
      pixelRatio: Math.min(GREATEST_PIXEL_RATIO, devicePixelRatio),
      free: { x: free.left - left, y: free.top - top, width: free.width, height: free.height },
    };
  }

  /** The middle of the free part. */
  get middle(): ScreenPosition {
    const { left, top, width, height } = this.free.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }

  rayAt({ x, y }: ScreenPosition): Ray {
    const { left, top } = this.stage.getBoundingClientRect();
    return this.camera.ray(x - left, y - top);
  }

  /** Projects a point of the world, in CSS pixels from the stage's top left corner. */
  toScreen(point: readonly number[]): readonly [number, number] {
    const { viewport } = this;
    const { x, y } = project(this.sight(viewport), viewport, point);
    return [x, y];
  }

  private get camera(): Camera {
    return (this.canTurn && this.space) || this.plane;
  }
}
