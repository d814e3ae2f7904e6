/** Loads the inspector, the sheets and the film when first requested; after a failure, at the next request. */

import { methodOf } from '../model/scenes';
import type { Chooser } from '../session/chooser';
import type { Picture } from '../session/picture';
import type { Restarts } from '../session/restarts';
import type { Stepper } from '../session/stepper';
import { Later } from '../support/later';
import { notify } from '../support/notes';
import type { PointerTools } from '../tools/pointer-tools';
import { explain } from '../view/engine';
import type { Session } from '../view/session';
import type { Viewpoint } from '../view/viewpoint';
import type { Inspector } from './inspector';

export interface SheetParts {
  readonly session: Session;
  readonly restarts: Restarts;
  readonly chooser: Chooser;
  readonly stepper: Stepper;
  readonly tools: PointerTools;
  readonly viewpoint: Viewpoint;
  readonly picture: Picture;
}

export class Sheets {
  private readonly inspecting = new Later(async () => {
    const { Inspector } = await import('./inspector');
    const { session, picture, viewpoint, stepper, tools } = this.parts;
    const inspector = new Inspector(session, picture, viewpoint, stepper, tools);
    picture.marks.push(inspector);
    return inspector;
  });
  private readonly scale = new Later(async () => {
    const { ScaleSheet } = await import('./scale-sheet');
    const { session, restarts, stepper } = this.parts;
    return new ScaleSheet(session, async () => {
      await restarts.settled();
      return stepper.hold();
    });
  });
  private readonly cells = new Later(async () => {
    const { CellsSheet } = await import('./cells-sheet');
    const { session, restarts, stepper, chooser } = this.parts;
    return new CellsSheet(
      session,
      (change) => chooser.choose(change),
      async () => {
        await restarts.settled();
        return stepper.hold();
      },
    );
  });
  private readonly film = new Later(async () => {
    const { Film } = await import('./film/film');
    const { session, restarts, stepper, viewpoint, picture } = this.parts;
    return new Film(session, restarts, stepper, viewpoint, picture);
  });
  private readonly presets = new Later(async () => {
    const { Presets } = await import('./presets-view');
    const { session, restarts, chooser } = this.parts;
    return new Presets(
      () => restarts.hardware.kind === 'cpu' || restarts.hardware.isSoftware,
      (choices) => chooser.choose({ ...choices, engine: session.choices.engine }),
    );
  });
  private readonly asked = new Set<Promise<void>>();

  constructor(private readonly parts: SheetParts) {}

  get inspector(): Inspector | undefined {
    return this.inspecting.part;
  }

  async settled(): Promise<void> {
    await Promise.all(this.asked);
  }

  openScale(): void {
    this.askSweep(this.scale);
  }

  openCells(): void {
    this.askSweep(this.cells);
  }

  private askSweep(sweep: Later<{ open(): Promise<void> }>): void {
    this.ask(sweep, async (sheet) => {
      // Check this only now, because the choice may have changed during the load.
      if (this.parts.stepper.isFilmed) {
        notify('The film takes steps, which would disturb the times of a sweep; stop the film first.');
      } else if (methodOf(this.parts.session.choices) === 'collisions') await sheet.open();
      else notify('The sweep compares ways to find collisions, which this scene does not use.');
    });
  }

  togglePresets(): void {
    this.ask(this.presets, async (presets) => {
      // Only an engine tells how many particles suit the device.
      if (!this.parts.session.engine) await this.parts.restarts.settled();
      presets.toggle();
    });
  }

  toggleFilm(): void {
    this.ask(this.film, (film) => film.toggle());
  }

  startLiveFilm(): void {
    this.ask(this.film, (film) => film.startLive());
  }

  startExactFilm(): void {
    this.ask(this.film, (film) => {
      film.startExact();
    });
  }

  toggleInspector(): void {
    this.ask(this.inspecting, (inspector) => inspector.toggle());
  }

  inspect(id: number): void {
    this.ask(this.inspecting, (inspector) => inspector.open(id));
  }

  inspectNext(by: 1 | -1): void {
    this.inspector?.step(by);
  }

  private async ask<Part>(later: Later<Part>, act: (part: Part) => Promise<void> | void): Promise<void> {
    // A second request would close the sheet that the first opens.
    if (later.isLoading) return;
    const asking = later
      .get()
      .then(act)
      .catch((error) => notify(explain(error)));
    this.asked.add(asking);
    await asking;
    this.asked.delete(asking);
  }
}
