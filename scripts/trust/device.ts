/** Opens devices for the soak and fault commands. A buffer is alive until it is destroyed or collected as garbage. */
import { openDawn } from '../../src/node/dawn';
import { testPreference } from '../../src/testing/environment';

/** The labels of the commands' own buffers begin with this. Such buffers are not counted. */
export const OWN = 'trust.';

export interface Watched {
  readonly device: GPUDevice;
  readonly live: LiveBuffers;
  /** Errors that no scope caught. */
  readonly complaints: string[];
}

let driverless: GPU | undefined;

/** A driverless device validates and copies, but runs no kernel. It creates kernels many times faster than a driver. */
export async function openDevice(kind: 'driver' | 'driverless' = 'driver'): Promise<Watched> {
  const opened = await openDawn({ driver: testPreference() });
  if (kind === 'driverless' && !driverless) {
    const { create } = await import('webgpu');
    // Dawn crashes if this object is collected while anything uses it.
    driverless = create(['backend=null']);
  }
  const adapter = await (kind === 'driver' ? opened.gpu : (driverless as GPU)).requestAdapter();
  if (adapter === null) throw new Error('There is no adapter.');
  const requiredFeatures = (['timestamp-query', 'subgroups'] as const).filter((name) =>
    adapter.features.has(name),
  );
  const device = await adapter.requestDevice({ label: 'trust', requiredFeatures });
  const complaints: string[] = [];
  device.onuncapturederror = ({ error }) => complaints.push(error.message);
  return { device, live: new LiveBuffers(device), complaints };
}

export async function driverName(): Promise<string> {
  return (await openDawn({ driver: testPreference() })).driver;
}

export class LiveBuffers {
  private readonly known = new Map<number, { readonly label: string; readonly size: number }>();
  private readonly collected = new FinalizationRegistry<number>((key) => this.known.delete(key));
  private next = 0;

  constructor(device?: GPUDevice) {
    if (!device) return;
    const create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      const buffer = create(descriptor);
      if (!descriptor.label?.startsWith(OWN)) this.watch(buffer);
      return buffer;
    };
  }

  private watch(buffer: GPUBuffer): void {
    const { label, size } = buffer;
    const key = this.next++;
    this.known.set(key, { label, size });
    this.collected.register(buffer, key);
    const destroy = buffer.destroy;
    buffer.destroy = () => {
      this.known.delete(key);
      return destroy.call(buffer);
    };
  }

  get size(): number {
    return this.known.size;
  }

  get bytes(): number {
    return [...this.known.values()].reduce((sum, { size }) => sum + size, 0);
  }

  forget(): void {
    this.known.clear();
  }

  toString(): string {
    return [...this.known.values()].map(({ label }) => label).join(', ');
  }
}

const USAGE = 0x80 | 0x04 | 0x08; // STORAGE | COPY_SRC | COPY_DST

export function upload(device: GPUDevice, name: string, data: ArrayBufferView<ArrayBuffer>): GPUBuffer {
  const size = Math.max(16, data.byteLength);
  const buffer = device.createBuffer({ label: `${OWN}${name}`, size, usage: USAGE });
  // Some implementations reject empty writes.
  if (data.byteLength > 0) device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}
