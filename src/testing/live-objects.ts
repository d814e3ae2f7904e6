/** Follows the objects of a device that need a destroy(). */

/** A GPU object that was not destroyed. */
export interface LiveObject {
  readonly kind: 'buffer' | 'texture' | 'query set';
  readonly label: string;
  readonly bytes: number | undefined;
  destroy(): void;
}

export type LiveObjects = Map<object, LiveObject>;

export function describeObject({ kind, label, bytes }: LiveObject): string {
  return `${kind} ${label === '' ? 'without a label' : `"${label}"`}${bytes === undefined ? '' : ` of ${bytes} bytes`}`;
}

/** Replaces the device's methods that create objects. The returned map always holds those created and not destroyed. */
export function trackObjects(device: GPUDevice): LiveObjects {
  const live: LiveObjects = new Map();
  const track = <Created extends GPUBuffer | GPUTexture | GPUQuerySet>(
    kind: LiveObject['kind'],
    created: Created,
  ): Created => {
    const destroy = created.destroy.bind(created);
    created.destroy = () => {
      live.delete(created);
      return destroy() as undefined;
    };
    live.set(created, {
      kind,
      label: created.label,
      bytes: 'size' in created ? created.size : undefined,
      destroy: () => created.destroy(),
    });
    return created;
  };
  const { createBuffer, createTexture, createQuerySet } = device;
  device.createBuffer = (descriptor) => track('buffer', createBuffer.call(device, descriptor));
  device.createTexture = (descriptor) => track('texture', createTexture.call(device, descriptor));
  device.createQuerySet = (descriptor) => track('query set', createQuerySet.call(device, descriptor));
  return live;
}
