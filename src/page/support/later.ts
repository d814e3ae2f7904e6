/**
 * A part of the page that is loaded on the first request: a sheet, a film, tools. A request while it is
 * on its way gets it when it is there; one that did not come is asked for again the next time. A wait that is noticed is shown.
 */
import { whileWaiting } from './waiting';

export class Later<Part> {
  /** Once it is there. */
  part: Part | undefined;
  private loading: Promise<Part> | undefined;

  constructor(private readonly load: () => Promise<Part>) {}

  /** Somebody has asked for it, and it is on its way. */
  get isLoading(): boolean {
    return this.loading !== undefined && this.part === undefined;
  }

  async get(): Promise<Part> {
    try {
      this.loading ??= whileWaiting(this.load());
      this.part = await this.loading;
      return this.part;
    } catch (error) {
      this.loading = undefined;
      throw error;
    }
  }
}
