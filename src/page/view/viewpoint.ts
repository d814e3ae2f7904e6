/**
 * Where the visitor looks from: a camera for the plane and one for space, moved by ways on the screen, and what of
 * the window they draw on. Places are CSS pixels of the window, ways CSS pixels, y down.
 */
import type { Dimensions } from '../../core/world/world';
import { type SeenBox, worldBox } from '../model/seen-box';
import type { ScreenPosition } from './camera';
import { type Camera, PlaneCamera, project, type Ray, type Sight, type Viewport } from './camera';
import type { SpaceCamera } from './space-camera';

/** A frame may ask for more pixels than help. */
const GREATEST_PIXEL_RATIO = 2;
/** Seconds that the picture of space stays as the visitor left it before it turns on. */
const REST_AFTER_TURN = 6;

export class Viewpoint {
  private readonly plane = new PlaneCamera();
  /** There as soon as `prepare` has been awaited for space. */
  private space: SpaceCamera | undefined;
  /** What is looked at. */
  box: SeenBox = worldBox({ min: [0, 0, 0], max: [1, 1, 1] });
  private restUntil = 0;
  private readonly reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

  /** `free`: the part of the stage that no panel covers. */
  constructor(
    readonly stage: HTMLElement,
    private readonly free: HTMLElement,
    private readonly dimensions: () => Dimensions | undefined,
  ) {}

  /** To be awaited before what has so many dimensions is looked at. */
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

  /** Nearer by a factor to a place. */
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

  /** Of the camera that is used now, for an address. */
  get look(): readonly number[] | undefined {
    if (this.dimensions() === undefined) return undefined;
    return this.camera.look(this.box);
  }

  /** As an address says. */
  lookAs(look: readonly number[]): void {
    this.camera.lookAs(look, this.box);
    this.rest();
  }

  /** Of another box. */
  fitAll(): void {
    for (const camera of [this.plane, this.space]) camera?.fit();
  }

  /** Looks at another box; one that is larger or elsewhere is fitted anew, since nothing of it may be where the last was. */
  lookAt(box: SeenBox): void {
    const { box: before } = this;
    this.box = box;
    const isSame = (['min', 'max'] as const).every((corner) =>
      box[corner].every((place, axis) => place === before[corner][axis]),
    );
    // A world without end has another box at every start: what is looked at there stays.
    if (box.isWorld && !isSame) this.fitAll();
  }

  /** The visitor has just moved the picture, or works in it. */
  rest(): void {
    this.restUntil = performance.now() + 1000 * REST_AFTER_TURN;
  }

  /** Space turns on by itself, unless the visitor has just turned it. Returns whether it did. */
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

  /** Of the free part. */
  get middle(): ScreenPosition {
    const { left, top, width, height } = this.free.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }

  rayAt({ x, y }: ScreenPosition): Ray {
    const { left, top } = this.stage.getBoundingClientRect();
    return this.camera.ray(x - left, y - top);
  }

  /** A point of the world, from the stage's top left corner. */
  toScreen(point: readonly number[]): readonly [number, number] {
    const { viewport } = this;
    const { x, y } = project(this.sight(viewport), viewport, point);
    return [x, y];
  }

  private get camera(): Camera {
    return (this.canTurn && this.space) || this.plane;
  }
}
