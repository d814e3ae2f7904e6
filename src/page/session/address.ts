/**
 * Purpose: keeps the page's address a record of what is chosen and how it is looked at (link.ts), written once the visitor
 * rests; and says, for the first run, how the address that was opened looks at it.
 */

import type { Chosen } from '../model/opened';
import { type Regard, readRegard, writeLink } from './link';

/** Browsers refuse changes of the address that come too often. */
const REST_MS = 400;

/** What is to be written. */
export interface AddressSite {
  readonly choices: Chosen;
  /** The CPU runs though the GPU was chosen: a link is for whoever has one. */
  readonly isForced: boolean;
  readonly regard: Regard;
}

export class Address {
  private opened: Regard = readRegard(location.search);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private inspected: number | undefined;

  constructor(private readonly site: AddressSite) {}

  /** Whether the address asks for it. */
  get isPaused(): boolean {
    return this.opened.isPaused ?? false;
  }

  /** How the first run is to be looked at; of later ones nothing. */
  takeRegard(): Regard {
    const { opened } = this;
    this.opened = {};
    return opened;
  }

  /** To be called every frame: whom the inspector tells of. */
  note(inspected: number | undefined): void {
    if (Object.is(inspected, this.inspected)) return;
    this.inspected = inspected;
    this.writeSoon();
  }

  writeSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), REST_MS);
  }

  write(): void {
    clearTimeout(this.timer);
    const { choices, isForced, regard } = this.site;
    // Before anything is shown, what the address says of it stays.
    const { look = regard.look, inspected = regard.inspected } = this.opened;
    const record = writeLink(isForced ? { ...choices, engine: 'gpu' } : choices, {
      ...regard,
      look,
      inspected,
    });
    const address = record ? `?${record}` : location.pathname;
    if (location.search !== (record ? address : '')) history.replaceState(null, '', address);
  }
}
