/**
 * Purpose: the sheets that a picture does without: inspector, sweep, films and presets, each loaded when somebody first asks for
 * it, by button, key or address. That one did not come is said, and it is asked for again the next time.
 */

import type { Choices } from '../model/fields';
import { methodOf } from '../model/scenes';
import { readLink } from '../session/link';
import { Later } from '../support/later';
import { explain } from '../view/engine';
import type { FilmSubject } from './film';
import type { Inspector, InspectorSite } from './inspector';
import type { SweepHost } from './scale-sheet';

/** What they ask of the page. */
export interface SheetSite extends SweepHost, InspectorSite {
  readonly choices: Choices;
  /** A film takes the steps. */
  readonly isFilmed: boolean;
  choose(change: Partial<Choices>): void;
  notify(text: string): void;
}

export class Sheets {
  private readonly inspecting = new Later(async () => new (await import('./inspector')).Inspector(this.site));
  private readonly scale = new Later(async () => new (await import('./scale-sheet')).ScaleSheet(this.site));
  private readonly film = new Later(async () => new (await import('./film')).Film(this.filmed));
  private readonly presets = new Later(async () => {
    const { Presets } = await import('./presets-view');
    return new Presets((link) => {
      const { engine } = this.site.choices;
      this.site.choose({ ...readLink(link), engine });
    });
  });
  /** What was asked of them and is not done. */
  private readonly asked = new Set<Promise<void>>();

  constructor(
    private readonly site: SheetSite,
    private readonly filmed: FilmSubject,
  ) {}

  /** Once it is there. */
  get inspector(): Inspector | undefined {
    return this.inspecting.part;
  }

  /** Resolves when what was asked for is there. */
  async settled(): Promise<void> {
    await Promise.all(this.asked);
  }

  /** How the time of a step grows with the number of particles: see scale-sheet.ts. */
  openScale(): void {
    this.ask(this.scale, async (sheet) => {
      // Another scene may have been chosen while it was loaded.
      if (this.site.isFilmed) {
        this.site.notify('The film takes steps, which a sweep would time beside its own; stop it first.');
      } else if (methodOf(this.site.choices) === 'collisions') await sheet.open();
      else this.site.notify('The sweep compares the grid with all pairs, which scenes of collisions have.');
    });
  }

  togglePresets(): void {
    this.ask(this.presets, (presets) => presets.toggle());
  }

  /** A live film, or the end of what is being made. */
  toggleFilm(): void {
    this.ask(this.film, (film) => film.toggle());
  }

  startLiveFilm(): void {
    this.ask(this.film, (film) => film.startLive());
  }

  startExactFilm(): void {
    // It tells of itself until it is saved.
    this.ask(this.film, (film) => {
      film.startExact();
    });
  }

  toggleInspector(): void {
    this.ask(this.inspecting, (inspector) => inspector.toggle());
  }

  /** Stays with a particle. */
  inspect(id: number): void {
    this.ask(this.inspecting, (inspector) => inspector.open(id));
  }

  inspectNext(by: 1 | -1): void {
    this.inspector?.step(by);
  }

  private async ask<Part>(later: Later<Part>, act: (part: Part) => Promise<void> | void): Promise<void> {
    // Who presses again because nothing is to be seen yet wants it once, not opened and closed.
    if (later.isLoading) return;
    const asking = later
      .get()
      .then(act)
      .catch((error) => this.site.notify(explain(error)));
    this.asked.add(asking);
    await asking;
    this.asked.delete(asking);
  }
}
