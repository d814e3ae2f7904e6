/**
 * Purpose: what a visitor keeps of the page: pictures, links, and what files and films are made of. Inputs: what runs and how it is
 * stepped and drawn. Outputs: files, the clipboard, and the sheet of files.
 */
import { STEP_SECONDS } from './model/choices';
import type { Opened } from './model/opened';
import { type FileSubject, Files } from './panel/files';
import type { FilmSubject } from './panel/film';
import type { Inspector } from './panel/inspector';
import type { Picture } from './session/picture';
import type { Restarts } from './session/restarts';
import type { Choosing } from './session/session';
import type { Pace } from './session/stepper';
import { saveFile } from './support/save';
import type { Run } from './view/engine';
import type { Eye } from './view/viewpoint';

/** What it needs of the page. */
export interface KeepingSite {
  readonly run: Run | undefined;
  readonly inspector: Inspector | undefined;
  /** The address says all that a link is to say. */
  writeAddress(): void;
  notify(text: string): void;
}

/** The parts of the page that do it. */
export interface KeepingParts {
  readonly restarts: Restarts;
  readonly choosing: Choosing;
  readonly picture: Picture;
  readonly pace: Pace;
  readonly eye: Eye;
}

export class Keeping implements FileSubject, FilmSubject {
  readonly files: Files;

  constructor(
    private readonly site: KeepingSite,
    private readonly parts: KeepingParts,
  ) {
    this.files = new Files(this);
  }

  get run(): Run | undefined {
    return this.site.run;
  }

  notify(text: string): void {
    this.site.notify(text);
  }

  async copyLink(): Promise<void> {
    this.site.writeAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      const { opened } = this.parts.choosing.choices;
      this.notify(
        opened
          ? `The link to the settings is on the clipboard; it cannot carry the particles of ${opened.name}.`
          : 'The link to what is chosen is on the clipboard.',
      );
    } catch {
      this.notify('The browser gives no clipboard to this page; the address bar has the link.');
    }
  }

  /** What is seen, as a file. */
  async savePicture(): Promise<void> {
    const { run } = this;
    if (!run) return;
    const blob = await this.parts.picture.toPng(run);
    if (blob) saveFile(blob, `${this.stem}.png`);
    else this.notify('The browser could not make a picture of the canvas.');
  }

  get stem(): string {
    const { opened, scene, dimensions } = this.parts.restarts.present;
    const name = opened?.name.replace(/^cellstorm-|(-[23]d-[\d.]+s)?\.\w+$/g, '') ?? scene;
    return `cellstorm-${name}-${dimensions}d-${(this.run?.simulation.time ?? 0).toFixed(2)}s`;
  }

  get scene(): string | undefined {
    const { opened, scene } = this.parts.restarts.present;
    return opened ? opened.scene : scene;
  }

  get isDriven(): boolean {
    return this.parts.restarts.drive !== undefined;
  }

  get mostParticles(): number {
    return this.parts.choosing.mostParticles;
  }

  openParticles(opened: Opened): Promise<void> {
    return this.parts.choosing.open(opened);
  }

  get take(): Run | undefined {
    return this.run;
  }

  get canvas(): HTMLCanvasElement | undefined {
    return this.parts.restarts.engine?.canvas;
  }

  get losses(): number {
    return this.parts.restarts.losses;
  }

  takeSteps(isFilmed: boolean): void {
    this.parts.pace.film(isFilmed);
  }

  caughtUp(): Promise<void> {
    return this.parts.pace.caughtUp();
  }

  async shoot(take: (picture: HTMLCanvasElement) => Promise<void>): Promise<void> {
    const { run } = this;
    if (!run) return;
    const { pace, eye, picture } = this.parts;
    pace.step(run);
    eye.drift(STEP_SECONDS);
    await this.site.inspector?.catchUp();
    // Something else runs meanwhile.
    if (run === this.run) await picture.take(run, take);
  }

  watch(see: ((layers: readonly HTMLCanvasElement[]) => void) | undefined): void {
    this.parts.picture.watch(see);
  }
}
