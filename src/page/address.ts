/**
 * Keeps the choices and the view in the page's address (see link.ts), written once they stop changing. Also applies the
 * view of the opened address to the first run.
 */
import type { Sheets } from './panel/sheets';
import { readViewState, type ViewState, writeLink } from './session/link';
import type { Stepper } from './session/stepper';
import { appearanceInAddress } from './support/appearance';
import { notify } from './support/notes';
import type { Session } from './view/session';
import type { Viewpoint } from './view/viewpoint';

/** The address is written once choices and view have rested this long: browsers refuse too frequent changes. */
const REST_MS = 400;

export class Address {
  private opened: ViewState = readViewState(location.search);
  /** The query string as of the last frame, and when it last changed. */
  private record = '';
  private changedAt = 0;

  constructor(
    private readonly session: Session,
    private readonly viewpoint: Viewpoint,
    private readonly stepper: Stepper,
    private readonly sheets: Sheets,
  ) {}

  /** Applies the view of the opened address, once. */
  applyOpened(): void {
    const { look, inspected } = this.opened;
    this.opened = {};
    if (look) this.viewpoint.lookAs(look);
    if (inspected !== undefined) this.sheets.inspect(inspected);
  }

  /** Call every frame. */
  update(now: number): void {
    const record = this.present;
    if (record !== this.record) {
      this.record = record;
      this.changedAt = now;
    } else if (now - this.changedAt >= REST_MS) this.write();
  }

  write(): void {
    const record = this.present;
    const address = record ? `?${record}` : location.pathname;
    if (location.search !== (record ? address : '')) history.replaceState(null, '', address);
  }

  /** Copies a link to the present choices and view to the clipboard. */
  async copy(): Promise<void> {
    this.write();
    try {
      await navigator.clipboard.writeText(location.href);
      const { opened } = this.session.choices;
      notify(
        opened
          ? `The link to the settings is on the clipboard; it cannot carry the particles of ${opened.name}.`
          : 'The link to these settings is on the clipboard.',
      );
    } catch {
      notify('The browser blocks the clipboard; copy the link from the address bar.');
    }
  }

  private get present(): string {
    const { choices, isForced } = this.session;
    // Until the first run is shown, the record keeps the view of the opened address.
    const { look = this.viewpoint.look, inspected = this.sheets.inspector?.inspected } = this.opened;
    return writeLink(isForced ? { ...choices, engine: 'gpu' } : choices, {
      look,
      inspected,
      isPaused: this.stepper.isPaused,
      appearance: appearanceInAddress(),
    });
  }
}
