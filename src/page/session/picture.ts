/** Makes a frame from the choices and the camera, and draws it. */
import { type Legend, legendOf, readTheme, type Scale, scaleFor } from '../model/colour';
import { themeOf } from '../model/fluid-colours';
import type { Selection } from '../model/opened';
import { hidesLines, isAnyOf, OVERLAY_NAMES, shownOf } from '../model/overlays';
import { onAppearance } from '../support/appearance';
import { isUnloaded } from '../support/chunk-errors';
import { Later } from '../support/later';
import { notify } from '../support/notes';
import { Signal } from '../support/signal';
import { explain, type Frame, type Run } from '../view/engine';
import type { Marks } from '../view/marks';
import type { OverlayKey } from '../view/overlay-key';
import type { Session } from '../view/session';
import type { Viewpoint } from '../view/viewpoint';

/** After this time, a live film also takes an unchanged picture, because the marks over it may have changed. */
const STILL_MS = 250;

/** Receives the layers from bottom to top, in the task that drew the picture. */
type Watcher = (layers: readonly HTMLCanvasElement[]) => void;

export class Picture {
  isDirty = true;
  /** Marks of the inspector and of the query tool, once these are loaded. */
  readonly marks: Marks[] = [];
  readonly legend = new Signal<Legend>();
  readonly painted = new Signal();
  private scale: Scale = { by: 'speed', end: 1 };
  private theme = readTheme();
  private drawn: Frame | undefined;
  private readonly key = new Later<OverlayKey>(async () => {
    const { OverlayKey: Made } = await import('../view/overlay-key');
    return new Made();
  });
  /** The key could not be loaded for these choices. */
  private withoutKey: Selection | undefined;
  /** The live film. It took its last picture at `watchedAt`; `isWatched` is true if it also takes the present one. */
  private watcher: Watcher | undefined;
  private watchedAt = 0;
  private isWatched = false;

  constructor(
    private readonly session: Session,
    private readonly viewpoint: Viewpoint,
  ) {
    session.particlesChanged.listen(() => {
      this.isDirty = true;
    });
    onAppearance(() => {
      this.theme = readTheme();
      this.showLegend();
      this.isDirty = true;
    });
  }

  get frame(): Frame | undefined {
    const { scale, viewpoint, isSurface } = this;
    const { run, choices } = this.session;
    if (!run) return undefined;
    const theme = themeOf(this.theme, scale, isSurface);
    const { viewport, box } = viewpoint;
    const overlays = run.drawable(shownOf(choices));
    return { box, camera: viewpoint.matrices(viewport), viewport, theme, scale, overlays, isSurface };
  }

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
    this.painted.emit();
  }

  /** Passes new pictures to `watcher`, and unchanged ones every STILL_MS. `undefined` stops this. */
  watch(watcher: Watcher | undefined): void {
    this.watcher = watcher;
  }

  update(run: Run, now: number): void {
    const isNew = this.isDirty || run.hasNews === true;
    this.isWatched = this.watcher !== undefined && (isNew || now - this.watchedAt > STILL_MS);
    if (isNew || this.isWatched) this.draw(run);
  }

  /** Call this in the same task as update(), after the marks are drawn. */
  handOver(now: number): void {
    const canvas = this.session.engine?.canvas;
    if (!this.isWatched || !canvas) return;
    this.watcher?.([canvas, ...this.marks.flatMap(({ layers }) => layers)]);
    this.watchedAt = now;
  }

  explainOverlays(run: Run): void {
    const { key, drawn, withoutKey } = this;
    const { choices } = this.session;
    if (key.part && drawn) key.part.update(drawn, run, run.missing(choices));
    const isWanted = !key.part && isAnyOf(OVERLAY_NAMES, shownOf(choices)) && choices !== withoutKey;
    if (!isWanted || key.isLoading) return;
    key.get().catch((error) => {
      this.withoutKey = choices;
      notify(explain(error));
    });
  }

  /** Draws and calls `use` in one task, because a WebGPU canvas loses its picture after the task. */
  take<Result>(run: Run, use: (picture: HTMLCanvasElement) => Result): Result | undefined {
    const canvas = this.session.engine?.canvas;
    if (!canvas) return undefined;
    this.draw(run);
    return use(this.marks.reduce((picture, marks) => marks.laidOver(picture), canvas));
  }

  async toPng(run: Run): Promise<Blob | null> {
    const png = this.take(
      run,
      (picture) => new Promise<Blob | null>((done) => picture.toBlob(done, 'image/png')),
    );
    return png ?? null;
  }

  /** Describes the canvas to screen readers, and lets it take the focus from controls that use the same keys. */
  describe(canvas: HTMLCanvasElement, run: Run): void {
    const { dimensions, world } = run.simulation;
    const space = world.kind === 'unbounded' ? 'an unbounded world' : 'a box';
    const drag = dimensions === 3 ? 'turn' : 'move';
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute(
      'aria-label',
      `Particles in ${space}. Drag or use the arrow keys to ${drag} it, the wheel or plus and minus to zoom, F to see all.`,
    );
  }

  private get isSurface(): boolean {
    const { run, choices } = this.session;
    if (!run || choices.fluidAs !== 'surface') return false;
    // In 3D the surface would hide the lines of overlays.
    const isHiding = run.simulation.dimensions === 3 && hidesLines(run.drawable(shownOf(choices)));
    return !isHiding && run.hasSurface(this.scale.by);
  }

  private showLegend(): void {
    this.legend.emit(legendOf(this.scale, themeOf(this.theme, this.scale, this.isSurface)));
  }
}

export interface Prepared {
  readonly scale: Scale;
  /** Explains the first choice that the run cannot follow; '' if it follows all. */
  readonly refusal: string;
}

/** Prepares colours, tool, overlays and fluid. If the run refuses the colours, prepares colours by speed. */
export async function prepare(run: Run, choices: Selection): Promise<Prepared> {
  const { colour, opened, pointer } = choices;
  const refusal = await run.prepare(colour);
  if (refusal) await run.prepare('speed');
  const toolRefusal = await run.prepareTool(pointer).then(
    () => '',
    (error: unknown) => {
      if (isUnloaded(error)) return explain(error);
      throw error;
    },
  );
  const overlayRefusal = await run.prepareOverlays(choices);
  const fluidRefusal = await run.prepareFluid(choices.fluidAs);
  const velocities = opened?.checkpoint.velocities ?? run.options.velocities;
  const options = { ...run.options, velocities };
  return {
    scale: scaleFor(refusal ? 'speed' : colour, run.simulation, options),
    refusal: refusal || overlayRefusal || fluidRefusal || toolRefusal,
  };
}
