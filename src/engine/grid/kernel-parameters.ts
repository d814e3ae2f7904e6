/** Checks the parameters of a kernel and writes them to a UniformRing, so that earlier recordings keep their values. */
import { checkKnownKeys } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import { createBuffers } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import type { FieldType, StructFields, StructLayout } from '../../gpu/layout';
import { UniformRing } from '../../gpu/uniform-ring';

export class KernelParameters {
  private constructor(
    private readonly layout: StructLayout<StructFields>,
    private readonly ring: UniformRing,
    readonly bytes: number,
  ) {}

  static async create(
    gpu: Gpu,
    label: string,
    layout: StructLayout<StructFields>,
  ): Promise<KernelParameters> {
    const { buffers, bytes } = await createBuffers(
      gpu,
      label,
      { parameters: UniformRing.BYTES },
      GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    );
    return new KernelParameters(layout, new UniformRing(gpu.device, buffers.parameters), bytes);
  }

  get buffer(): GPUBuffer {
    return this.ring.buffer;
  }

  /** Replaces a full buffer; call this before `write`. Returns true if bind groups must be created again. */
  makeRoom(): boolean {
    const { isFull } = this.ring;
    if (isFull) this.ring.replace();
    return isFull;
  }

  offsetOf(name: string): number {
    return this.layout.offsets[name] as number;
  }

  /** Returns the offset of the written slot. */
  write(values: Readonly<Record<string, number | readonly number[]>>): number {
    const names = Object.keys(this.layout.fields);
    checkKnownKeys('parameters', values, names);
    for (const name of names) checkField(name, values[name], this.layout);
    return this.ring.write(this.layout.encode(values as never));
  }

  destroy(): void {
    this.ring.destroy();
  }
}

function checkField(name: string, value: unknown, layout: StructLayout<StructFields>): void {
  const type = layout.fields[name] as FieldType;
  const isVector = type === 'vector' || type === 'extent';
  const components: readonly unknown[] = isVector ? (Array.isArray(value) ? value : []) : [value];
  const isWhole = type === 'u32' || type === 'extent';
  const isFit = components.every((component) =>
    isWhole
      ? Number.isInteger(component) && (component as number) >= 0 && (component as number) < 2 ** 32
      : typeof component === 'number' && Number.isFinite(Math.fround(component)),
  );
  if (isFit && components.length === (isVector ? layout.dimensions : 1)) return;
  const kind = isWhole ? 'unsigned 32-bit integer' : 'finite number';
  const accepted = isVector ? `${layout.dimensions} ${kind}s` : `${isWhole ? 'an' : 'a'} ${kind}`;
  throw new ArgumentError(`parameters.${name}`, value, accepted);
}
