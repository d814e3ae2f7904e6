/** Saves pictures, copies links, and gives files and films access to the page. */
import { STEP_SECONDS } from './model/choices';
import type { Opened } from './model/opened';
import { type FileSubject, Files } from './panel/files';
import type { FilmSubject } from './panel/film';
import type { Chooser } from './session/chooser';
import type { Picture } from './session/picture';
import type { Restarts } from './session/restarts';
import type { Stepper } from './session/stepper';
import { notify } from './support/notes';
import { saveFile } from './support/save';
import type { Run } from './view/engine';
import type { Session } from './view/session';
import type { Viewpoint } from './view/viewpoint';

/** The parts of the page that exports read and step. */
export interface ExportParts {
  readonly session: Session;
  readonly restarts: Restarts;
  readonly chooser: Chooser;
  readonly picture: Picture;
  readonly stepper: Stepper;
  readonly viewpoint: Viewpoint;
}

export class Export implements FileSubject, FilmSubject {
  readonly files: Files;

  constructor(
    private readonly parts: ExportParts,
    /** Brings the address up to date. */
    private readonly writeAddress: () => void,
  ) {
    this.files = new Files(this);
  }

  get run(): Run | undefined {
    return this.parts.session.run;
  }

  notify(text: string): void {
    notify(text);
  }

  async copyLink(): Promise<void> {
    this.writeAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      const { opened } = this.parts.session.choices;
      this.notify(
        opened
          ? `The link to the settings is on the clipboard; it cannot carry the particles of ${opened.name}.`
          : 'The link to these settings is on the clipboard.',
      );
    } catch {
      this.notify('The browser denies this page the clipboard; copy the link from the address bar.');
    }
  }

  /** Saves the picture as a file. */
  async savePicture(): Promise<void> {
    const { run } = this;
    if (!run) return;
    const blob = await this.parts.picture.toPng(run);
    if (blob) saveFile(blob, `${this.stem}.png`);
    else this.notify('The browser could not make a picture of the canvas.');
  }

  get stem(): string {
    const { opened, scene, dimensions } = this.parts.session.present;
    const name = opened?.name.replace(/^cellstorm-|(-[23]d-[\d.]+s)?\.\w+$/g, '') ?? scene;
    return `cellstorm-${name}-${dimensions}d-${(this.run?.simulation.time ?? 0).toFixed(2)}s`;
  }

  get scene(): string | undefined {
    const { opened, scene } = this.parts.session.present;
    return opened ? opened.scene : scene;
  }

  get isDriven(): boolean {
    return this.parts.session.drive !== undefined;
  }

  get mostParticles(): number {
    return this.parts.chooser.mostParticles;
  }

  openParticles(opened: Opened): Promise<void> {
    return this.parts.chooser.open(opened);
  }

  get take(): Run | undefined {
    return this.run;
  }

  get canvas(): HTMLCanvasElement | undefined {
    return this.parts.session.engine?.canvas;
  }

  get losses(): number {
    return this.parts.restarts.losses;
  }

  takeSteps(isFilmed: boolean): void {
    this.parts.stepper.film(isFilmed);
  }

  caughtUp(): Promise<void> {
    return this.parts.stepper.caughtUp();
  }

  async shoot(take: (picture: HTMLCanvasElement) => Promise<void>): Promise<void> {
    const { run } = this;
    if (!run) return;
    const { stepper, viewpoint, picture } = this.parts;
    stepper.step(run);
    viewpoint.drift(STEP_SECONDS);
    await picture.marks?.catchUp();
    // Another run may have started meanwhile.
    if (run === this.run) await picture.take(run, take);
  }

  watch(see: ((layers: readonly HTMLCanvasElement[]) => void) | undefined): void {
    this.parts.picture.watch(see);
  }
}
