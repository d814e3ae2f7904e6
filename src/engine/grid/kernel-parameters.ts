/**
 * Writes the parameters of one kernel to a ring of slots, after checking their names and types. A recorded kernel keeps
 * its values if at most 1,023 other values are written before it is submitted.
 * Inputs: a struct layout and values. Output: the offset of the slot to bind.
 */
import { checkKnownKeys } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import { type BufferSet, createBuffers } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import type { FieldType, StructFields, StructLayout } from '../../gpu/layout';
import { RecordedChanges, UniformRing } from '../../gpu/uniform-ring';

export class KernelParameters {
  private readonly recorded = new RecordedChanges();
  private lastOffset: number | undefined;

  private constructor(
    private readonly layout: StructLayout<StructFields>,
    private readonly ring: UniformRing,
    private readonly owned: BufferSet<'parameters'>,
  ) {}

  static async create(
    gpu: Gpu,
    label: string,
    layout: StructLayout<StructFields>,
  ): Promise<KernelParameters> {
    const owned = await createBuffers(
      gpu,
      label,
      { parameters: UniformRing.BYTES },
      GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    );
    return new KernelParameters(layout, new UniformRing(gpu.device, owned.buffers.parameters), owned);
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  get buffer(): GPUBuffer {
    return this.owned.buffers.parameters;
  }

  /** Byte offset of a field inside a slot. */
  offsetOf(name: string): number {
    return this.layout.offsets[name] as number;
  }

  /** Writes the values into a slot, unless they are those of the last call. Returns the offset of the slot. */
  write(encoder: GPUCommandEncoder, values: Readonly<Record<string, number | readonly number[]>>): number {
    const names = Object.keys(this.layout.fields);
    checkKnownKeys('parameters', values, names);
    for (const name of names) checkField(name, values[name], this.layout);
    this.recorded.check(encoder, '');
    const offset = this.ring.write(this.layout.encode(values as never));
    if (offset !== this.lastOffset) this.recorded.add(encoder, 1);
    this.lastOffset = offset;
    return offset;
  }

  destroy(): void {
    this.owned.destroy();
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
