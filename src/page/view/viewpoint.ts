/** The cameras, and the part of the window with the picture. Positions are CSS pixels of the window, y down. */
import type { Dimensions } from '../../index';
import { type SeenBox, worldBox } from '../model/seen-box';
import type { ScreenPosition } from './camera';
import { type Camera, Camera2D, type CameraMatrices, project, type Ray, type Viewport } from './camera';
import type { Camera3D } from './camera-3d';

/** More device pixels per CSS pixel would not look better. */
const GREATEST_PIXEL_RATIO = 2;
/** Seconds after the visitor's last action until a 3D picture turns by itself again. */
const REST_SECONDS = 6;

export class Viewpoint {
  private readonly camera2D = new Camera2D();
  /** Undefined until `prepare(3)` has loaded it. */
  private camera3D: Camera3D | undefined;
  box: SeenBox = worldBox({ min: [0, 0, 0], max: [1, 1, 1] });
  private restUntil = 0;
  private readonly reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

  /** `free` is the part of `stage` that no panel covers. */
  constructor(
    readonly stage: HTMLElement,
    private readonly free: HTMLElement,
    private readonly dimensions: () => Dimensions | undefined,
  ) {}

  async prepare(dimensions: Dimensions): Promise<void> {
    if (dimensions === 2 || this.camera3D) return;
    const { Camera3D: Made } = await import('./camera-3d');
    this.camera3D ??= new Made();
  }

  get canTurn(): boolean {
    return this.dimensions() === 3;
  }

  pan(across: number, down: number): void {
    this.camera.pan(across, down);
    this.rest();
  }

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

  /** The camera state for the URL. Undefined if nothing runs or the visitor has not moved the camera. */
  get state(): readonly number[] | undefined {
    if (this.dimensions() === undefined) return undefined;
    return this.camera.state(this.box);
  }

  restore(state: readonly number[]): void {
    this.camera.restore(state, this.box);
    this.rest();
  }

  fitAll(): void {
    for (const camera of [this.camera2D, this.camera3D]) camera?.fit();
  }

  /** Sets the box that the cameras show. If the box is a world with new corners, resets all cameras. */
  show(box: SeenBox): void {
    const { box: before } = this;
    this.box = box;
    const isSame = (['min', 'max'] as const).every((corner) =>
      box[corner].every((along, axis) => along === before[corner][axis]),
    );
    // An unbounded world has a new box at every start. Do not reset the cameras then.
    if (box.isWorld && !isSame) this.fitAll();
  }

  /** Stops the turning for a while. Call this when the visitor moves the picture or uses a tool. */
  rest(): void {
    this.restUntil = performance.now() + 1000 * REST_SECONDS;
  }

  /** Turns a 3D picture, unless motion is reduced or the visitor has just acted. Returns whether it turns. */
  drift(seconds: number): boolean {
    if (!this.canTurn || this.reducedMotion.matches || performance.now() <= this.restUntil) return false;
    this.camera3D?.drift(seconds);
    return true;
  }

  matrices(viewport: Viewport): CameraMatrices {
    return this.camera.matrices(this.box, viewport);
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

  get middle(): ScreenPosition {
    const { left, top, width, height } = this.free.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }

  rayAt({ x, y }: ScreenPosition): Ray {
    const { left, top } = this.stage.getBoundingClientRect();
    return this.camera.ray(x - left, y - top);
  }

  /** Returns CSS pixels from the stage's top left corner. */
  toScreen(point: readonly number[]): readonly [number, number] {
    const { viewport } = this;
    const { x, y } = project(this.matrices(viewport), viewport, point);
    return [x, y];
  }

  private get camera(): Camera {
    return (this.canTurn && this.camera3D) || this.camera2D;
  }
}
