/**
 * Saves the run as a picture, a state or a table, and opens states and tables, chosen or dropped on the page. If a file
 * cannot be opened, the run stays as it is and a notice says why. The code that reads and writes states and tables is
 * loaded with the first one.
 */
import { CellstormError, describeCount } from '../../core/base/errors';
import type { Chooser } from '../session/chooser';
import type { Picture } from '../session/picture';
import { find } from '../support/dom';
import { notify } from '../support/notes';
import { nextTask, saveFile } from '../support/save';
import { whileWaiting } from '../support/waiting';
import { explain, type Run } from '../view/engine';
import type { Session } from '../view/session';

/** Parts of a table that are saved before the page gets a turn. */
const PARTS_A_TURN = 4;

/** Browsers do not say why they cannot read a file. */
function refuseUnread(name: string): never {
  throw new CellstormError(
    `${name} cannot be read: it may be a folder, deleted, or too large for the memory.`,
  );
}

export class Files {
  private readonly sheet = find('keep', HTMLDialogElement);
  private readonly input = find('file', HTMLInputElement);
  /** The file that was chosen last, if several are opened one after another. */
  private latest: File | undefined;

  constructor(
    private readonly session: Session,
    private readonly chooser: Chooser,
    private readonly picture: Picture,
  ) {
    const onClick = (id: string, act: () => void) =>
      find(id, HTMLButtonElement).addEventListener('click', act);
    onClick('keep-open', () => this.toggle());
    onClick('keep-close', () => this.sheet.close());
    onClick('save-state', () => this.save((run, stem) => this.saveState(run, stem)));
    onClick('save-table', () => this.save((run, stem) => this.saveTable(run, stem)));
    onClick('open-file', () => this.choose());
    for (const id of ['film-live', 'film-exact']) onClick(id, () => this.sheet.close());
    this.input.addEventListener('change', () => {
      this.open([...(this.input.files ?? [])]);
      // Otherwise choosing the same file again would cause no event.
      this.input.value = '';
    });
    this.listenToDrops();
  }

  toggle(): void {
    if (this.sheet.open) this.sheet.close();
    else this.sheet.showModal();
  }

  /** Asks the visitor for a file. */
  choose(): void {
    this.input.click();
  }

  async savePicture(): Promise<void> {
    const { run, stem } = this.session;
    if (!run) return;
    const blob = await this.picture.toPng(run);
    if (blob) saveFile(blob, `${stem}.png`);
    else notify('The browser could not make a picture of the canvas.');
  }

  private async save(how: (run: Run, stem: string) => Promise<void>): Promise<void> {
    const { run, stem } = this.session;
    this.sheet.close();
    if (!run) return;
    try {
      await how(run, stem);
    } catch (error) {
      notify(explain(error));
    }
  }

  private async saveState({ simulation }: Run, stem: string): Promise<void> {
    const { drive } = this.session;
    const { opened, scene: chosen } = this.session.present;
    const scene = opened ? opened.scene : chosen;
    if (simulation.method) {
      throw new CellstormError(
        `A state cannot hold a ${simulation.method}; save a table of its particles instead.`,
      );
    }
    const { encodeCheckpoint } = await whileWaiting(import('../../core/state/state-file'));
    const bytes = encodeCheckpoint({ ...(await simulation.checkpoint()), scene });
    saveFile(new Blob([bytes as Uint8Array<ArrayBuffer>]), `${stem}.bin`);
    notify(
      drive
        ? 'The state is saved, without what the scene moves: when opened, gravity and obstacles stay as they are now.'
        : 'The state is saved; when opened, it goes on with the same bits.',
    );
  }

  private async saveTable({ simulation }: Run, stem: string): Promise<void> {
    const { encodeTable } = await whileWaiting(import('../../core/state/particle-table'));
    const { parts, leftOut } = encodeTable(await simulation.read(), simulation.dimensions);
    const blobs: Blob[] = [];
    for (const part of parts) {
      blobs.push(new Blob([part]));
      if (blobs.length % PARTS_A_TURN === 0) await nextTask();
    }
    saveFile(new Blob(blobs, { type: 'text/csv' }), `${stem}.csv`);
    const without = `, without ${describeCount(leftOut)} whose positions are not finite`;
    notify(`The table is saved${leftOut > 0 ? without : ''}.`);
  }

  private async open(files: readonly File[]): Promise<void> {
    const { session, chooser } = this;
    const [file, another] = files;
    if (!file) return;
    this.sheet.close();
    if (another) {
      notify(`The page opens one file at a time, not ${files.length}.`);
      return;
    }
    this.latest = file;
    try {
      const { checkFileSize, openParticles } = await whileWaiting(import('./open-file'));
      checkFileSize(file.name, file.size);
      notify(`Reading ${file.name}.`);
      const bytes = new Uint8Array(await file.arrayBuffer().catch(() => refuseUnread(file.name)));
      const { run } = session;
      const { mostParticles } = chooser;
      if (file !== this.latest) return;
      if (!run) throw new CellstormError(`No engine was ready for ${file.name}; open it again.`);
      const { simulation, options } = run;
      const { method: _ofMethod, ...checkpoint } = await simulation.checkpoint();
      const present = { simulation, options, checkpoint };
      const opening = openParticles(file.name, bytes, present, mostParticles);
      let step = opening.next();
      while (!step.done && file === this.latest) {
        await nextTask();
        step = opening.next();
      }
      if (step.done && file === this.latest) await chooser.open(step.value);
    } catch (error) {
      if (file === this.latest) notify(explain(error));
    }
  }

  private listenToDrops(): void {
    const hint = find('drop', HTMLElement);
    const isFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    document.addEventListener('dragover', (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      hint.hidden = false;
    });
    document.addEventListener('dragleave', (event) => {
      if (!event.relatedTarget) hint.hidden = true;
    });
    document.addEventListener('drop', (event) => {
      hint.hidden = true;
      if (!isFile(event)) return;
      event.preventDefault();
      this.open([...(event.dataTransfer?.files ?? [])]);
    });
  }
}
