/**
 * Purpose: the picture of what runs: puts together the frame as the eye sees it in the chosen colours, draws it, keeps legend and
 * key beside it true, and hands the picture out to be saved or filmed.
 */

import { type Legend, legendOf, readTheme, type Scale } from '../model/colour';
import type { Choices } from '../model/fields';
import { themeOf } from '../model/liquid-look';
import { hidesLines, shownOf } from '../model/overlays';
import { onAppearance } from '../support/appearance';
import type { Frame, Run } from '../view/engine';
import { OverlayKey } from '../view/overlay-key';
import type { Eye } from '../view/viewpoint';

/** A live film has a picture that stands still again after so long: that lasts, too, and marks may change beside it. */
const STILL_MS = 250;

/** Takes a picture with what lies over it, from below to above, in the task that drew it. */
type Watcher = (layers: readonly HTMLCanvasElement[]) => void;

/** What it shows of the page. */
/** Marks that lie over the picture, such as those of the inspector. */
export interface Marks {
  readonly layers: readonly HTMLCanvasElement[];
  /** Returns a copy of the picture with the marks drawn on it. */
  laidOver(picture: HTMLCanvasElement): HTMLCanvasElement;
}

export interface PictureSite {
  readonly run: Run | undefined;
  readonly choices: Choices;
  readonly canvas: HTMLCanvasElement | undefined;
  readonly inspector: Marks | undefined;
  showLegend(legend: Legend): void;
}

export class Picture {
  /** Something is to be seen that the last picture does not show. */
  isDirty = true;
  private scale: Scale = { by: 'speed', end: 1 };
  private theme = readTheme();
  private drawn: Frame | undefined;
  private readonly key = new OverlayKey();
  /** Of a live film, which takes pictures as they come; when it had the last, and whether the next is to be handed over. */
  private watcher: Watcher | undefined;
  private watchedAt = 0;
  private isWatched = false;

  /** `onDrawn` hears of every picture. */
  constructor(
    private readonly site: PictureSite,
    private readonly eye: Eye,
    private readonly onDrawn: () => void,
  ) {
    onAppearance(() => {
      this.theme = readTheme();
      this.showLegend();
      this.isDirty = true;
    });
  }

  get frame(): Frame | undefined {
    const { scale, eye, isSurface } = this;
    const { run, choices } = this.site;
    if (!run) return undefined;
    const theme = themeOf(this.theme, scale, isSurface);
    const { viewport, box } = eye;
    const overlays = run.drawable(shownOf(choices));
    return { box, sight: eye.sight(viewport), viewport, theme, scale, overlays, isSurface };
  }

  /** In these colours from now on. */
  colour(scale: Scale): void {
    this.scale = scale;
    this.isDirty = true;
    this.showLegend();
  }

  draw(run: Run): void {
    const { frame } = this;
    if (!frame || frame.viewport.width === 0 || frame.viewport.height === 0) return;
    run.draw(frame);
    this.drawn = frame;
    this.isDirty = false;
    this.onDrawn();
  }

  /** Hands over every picture from now on, one that stands still again and again; undefined ends that. */
  watch(watcher: Watcher | undefined): void {
    this.watcher = watcher;
  }

  /** To be called every frame: draws what is new. */
  update(run: Run, now: number): void {
    this.isWatched = this.watcher !== undefined && (this.isDirty || now - this.watchedAt > STILL_MS);
    if (this.isDirty || this.isWatched) this.draw(run);
  }

  /** To be called after that in the same task, once marks lie over the picture. */
  handOver(now: number): void {
    const { canvas, inspector } = this.site;
    if (!this.isWatched || !canvas) return;
    this.watcher?.([canvas, ...(inspector?.layers ?? [])]);
    this.watchedAt = now;
  }

  /** To be called every frame: what overlays mean, as they were drawn last. */
  explainOverlays(run: Run): void {
    if (this.drawn) this.key.update(this.drawn, run.simulation, run.missing(this.site.choices));
  }

  /** Draws, and hands over the canvas: one of WebGPU keeps its picture only as long as the task that drew it. */
  take<Result>(run: Run, use: (picture: HTMLCanvasElement) => Result): Result | undefined {
    const { canvas, inspector } = this.site;
    if (!canvas) return undefined;
    this.draw(run);
    return use(inspector?.laidOver(canvas) ?? canvas);
  }

  /** As a file; null where the browser could not make one. */
  async toPng(run: Run): Promise<Blob | null> {
    const png = this.take(
      run,
      (picture) => new Promise<Blob | null>((done) => picture.toBlob(done, 'image/png')),
    );
    return png ?? null;
  }

  /** For whoever does not see it, or moves it by keys. */
  describe(canvas: HTMLCanvasElement, run: Run): void {
    const { dimensions, world } = run.simulation;
    const where = world.kind === 'unbounded' ? 'a world without end' : 'a box';
    const drag = dimensions === 3 ? 'turn' : 'move';
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute(
      'aria-label',
      `Particles in ${where}. Drag or use the arrow keys to ${drag} it, the wheel or plus and minus to come nearer, F to see all.`,
    );
  }

  private get isSurface(): boolean {
    const { run, choices } = this.site;
    if (!run || choices.liquidAs !== 'surface') return false;
    // Water hides lines in space.
    const isHiding = run.simulation.dimensions === 3 && hidesLines(run.drawable(shownOf(choices)));
    return !isHiding && run.hasSurface(this.scale.by);
  }

  private showLegend(): void {
    this.site.showLegend(legendOf(this.scale, themeOf(this.theme, this.scale, this.isSurface)));
  }
}
