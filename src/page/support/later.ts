/**
 * Loads a part of the page on the first request. Later requests share that load. If it fails, the next request loads
 * again.
 */
import { whileWaiting } from './waiting';

export class Later<Part> {
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
