/** Writes the visitor's choices and view into the page's URL after they stop changing. */
import type { Sheets } from './panel/sheets';
import { readViewState, USUAL_LINK, type ViewState, writeLink } from './session/link';
import type { Stepper } from './session/stepper';
import { appearanceInAddress } from './support/appearance';
import { notify } from './support/notes';
import type { Session } from './view/session';
import type { Viewpoint } from './view/viewpoint';

/** Browsers refuse frequent changes of the URL, so the page waits until nothing has changed for this time. */
const REST_MS = 400;

export class Address {
  private opened: ViewState = readViewState(location.search);
  /** The query string of the last frame, and the time at which it last changed. */
  private record = '';
  private changedAt = 0;

  constructor(
    private readonly session: Session,
    private readonly viewpoint: Viewpoint,
    private readonly stepper: Stepper,
    private readonly sheets: Sheets,
  ) {}

  applyOpened(): void {
    const { camera, inspected } = this.opened;
    this.opened = {};
    if (camera) this.viewpoint.restore(camera);
    if (inspected !== undefined) this.sheets.inspect(inspected);
  }

  /** Call every frame, with the page's clock in milliseconds. */
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

  async copy(): Promise<void> {
    this.write();
    try {
      await navigator.clipboard.writeText(new URL(`?${this.link}`, location.href).href);
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

  /** Until the visitor chooses something, the URL holds only the appearance: each device chooses its own opening. */
  private get present(): string {
    if (!this.session.running) return location.search.slice(1);
    const { camera, inspected } = this.view;
    const isBare = this.session.isUntouched && !this.stepper.isPaused && !camera && inspected === undefined;
    if (!isBare) return this.link;
    const appearance = appearanceInAddress();
    return appearance ? `appearance=${appearance}` : '';
  }

  /** Until the first run is shown, this is the view of the opened URL. */
  private get view(): ViewState {
    const { camera = this.viewpoint.state, inspected = this.sheets.inspector?.inspected } = this.opened;
    return { camera, inspected };
  }

  private get link(): string {
    const { choices, isForced } = this.session;
    const { isPaused } = this.stepper;
    const link = isForced && choices.engine !== 'auto' ? { ...choices, engine: 'gpu' as const } : choices;
    const shown = { ...this.view, isPaused, appearance: appearanceInAddress() };
    return writeLink(link, shown) || USUAL_LINK;
  }
}
