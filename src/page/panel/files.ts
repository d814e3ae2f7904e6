/** Saves the run, and opens files. If a file is refused, the run stays as it is. */
import type { Chooser } from '../session/chooser';
import type { Picture } from '../session/picture';
import { find } from '../support/dom';
import { notify } from '../support/notes';
import { saveFile } from '../support/save';
import { whileWaiting } from '../support/waiting';
import { explain } from '../view/engine';
import type { Session } from '../view/session';

export class Files {
  private readonly sheet = find('keep', HTMLDialogElement);
  private readonly input = find('file', HTMLInputElement);
  /** The file opened last. The page drops an earlier file that is still being read. */
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
    onClick('save-state', () => this.save('saveState'));
    onClick('save-table', () => this.save('saveTable'));
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

  private async save(how: 'saveState' | 'saveTable'): Promise<void> {
    const { run } = this.session;
    this.sheet.close();
    if (!run) return;
    try {
      await (await whileWaiting(import('./save-file')))[how](run, this.session);
    } catch (error) {
      notify(explain(error));
    }
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
    const isLatest = () => file === this.latest;
    try {
      const { openFile } = await whileWaiting(import('./open-file'));
      await openFile(file, session, chooser, isLatest);
    } catch (error) {
      if (isLatest()) notify(explain(error));
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
