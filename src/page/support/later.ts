/** Loads a part of the page on the first request, and again only after a failure. */
import { whileWaiting } from './waiting';

export class Later<Part> {
  part: Part | undefined;
  private loading: Promise<Part> | undefined;

  constructor(private readonly load: () => Promise<Part>) {}

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
