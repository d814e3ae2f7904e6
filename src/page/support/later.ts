/**
 * A part of the page that is loaded on the first request, such as a sheet, a film or the tools. Requests while it loads
 * wait for the same load. After a failure the next request loads again. The page shows waits that are long enough to
 * notice.
 */
import { whileWaiting } from './waiting';

export class Later<Part> {
  /** Undefined until it is loaded. */
  part: Part | undefined;
  private loading: Promise<Part> | undefined;

  constructor(private readonly load: () => Promise<Part>) {}

  /** True from the first request until the part is loaded or has failed. */
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
