/**
 * Emulates a device that runs out of memory. Like a real device, it returns an invalid buffer and tells the innermost
 * out-of-memory scope.
 */
import { OWN, type Watched } from '../trust/device';

/** More bytes than any device has. */
const TOO_LARGE = 2 ** 50;

export class Shortage {
  failed: string | undefined;
  private left = Number.POSITIVE_INFINITY;
  private readonly scopes: { readonly filter: GPUErrorFilter; error: GPUError | undefined }[] = [];

  private readonly restoreDevice: () => void;

  constructor({ device, complaints }: Pick<Watched, 'device' | 'complaints'>) {
    const { createBuffer, pushErrorScope, popErrorScope } = device;
    this.restoreDevice = () => Object.assign(device, { createBuffer, pushErrorScope, popErrorScope });
    device.pushErrorScope = (filter) => {
      this.scopes.push({ filter, error: undefined });
      return pushErrorScope.call(device, filter);
    };
    device.popErrorScope = () => {
      const scope = this.scopes.pop();
      return popErrorScope.call(device).then((error) => scope?.error ?? error);
    };
    device.createBuffer = (descriptor) => {
      const isOwn = descriptor.label?.startsWith(OWN);
      if (isOwn || this.left-- !== 0) return createBuffer.call(device, descriptor);
      this.failed = descriptor.label ?? '';
      pushErrorScope.call(device, 'validation');
      const buffer = createBuffer.call(device, { ...descriptor, size: TOO_LARGE });
      popErrorScope.call(device).catch(() => undefined);
      Object.defineProperty(buffer, 'size', { value: descriptor.size });
      const message = `no memory for ${this.failed}`;
      const scope = this.scopes.findLast(({ filter }) => filter === 'out-of-memory');
      if (scope) scope.error ??= { message };
      else complaints.push(message);
      return buffer;
    };
  }

  /**
   * Denies memory to one of the buffers created after this call; `number` is its index, from 0. Buffers whose labels
   * begin with OWN do not count.
   */
  arm(number: number): void {
    this.left = number;
    this.failed = undefined;
  }

  restore(): void {
    this.restoreDevice();
  }
}
