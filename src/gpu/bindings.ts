/**
 * Declares what a shader binds. The WGSL variables and the bind group layout come from the same `Bindings`, so they
 * cannot disagree.
 */

/** `parameters` is a uniform in a UniformRing, bound with a dynamic offset. */
type BufferKind = 'uniform' | 'parameters' | 'read' | 'write';

/**
 * A sampler can filter a `filtered` texture. Kernels write a `stored` texture, which has three dimensions and the
 * format VOLUME_FORMAT.
 */
type TextureKind = 'filtered' | 'stored';

export const VOLUME_FORMAT = 'rgba16float';

export type BindingKind = BufferKind | TextureKind | 'sampler';

/** How a shader uses a resource, then its WGSL type, such as `read array<u32>` or `sampler sampler`. */
export type Binding = `${BindingKind} ${string}`;

/**
 * The resources of a bind group in binding order, by WGSL name. user-code.ts explains names that begin with `user:`.
 */
export type Bindings = Readonly<Record<string, Binding>>;

export interface DeclaredLayout {
  readonly bindings: Bindings;
  readonly layout: GPUBindGroupLayout;
}

const ADDRESS_SPACES: Readonly<Partial<Record<BindingKind, string>>> = {
  uniform: 'uniform',
  parameters: 'uniform',
  read: 'storage, read',
  write: 'storage, read_write',
};

const ENTRIES: Readonly<Record<BindingKind, Omit<GPUBindGroupLayoutEntry, 'binding' | 'visibility'>>> = {
  uniform: { buffer: { type: 'uniform' } },
  parameters: { buffer: { type: 'uniform', hasDynamicOffset: true } },
  read: { buffer: { type: 'read-only-storage' } },
  write: { buffer: { type: 'storage' } },
  filtered: { texture: { sampleType: 'float' } },
  stored: { storageTexture: { access: 'write-only', format: VOLUME_FORMAT, viewDimension: '3d' } },
  sampler: { sampler: { type: 'filtering' } },
};

export function kindOf(binding: Binding): BindingKind {
  return binding.slice(0, binding.indexOf(' ')) as BindingKind;
}

export function declareBindings(group: number, bindings: Bindings): string[] {
  return Object.entries(bindings).map(([name, binding], index) => {
    const type = binding.slice(binding.indexOf(' ') + 1);
    const space = ADDRESS_SPACES[kindOf(binding)];
    return `@group(${group}) @binding(${index}) var${space ? `<${space}>` : ''} ${name}: ${type};`;
  });
}

function entryOf(declared: Binding): Omit<GPUBindGroupLayoutEntry, 'binding' | 'visibility'> {
  const entry = ENTRIES[kindOf(declared)];
  return declared.includes('texture_3d') ? { texture: { ...entry.texture, viewDimension: '3d' } } : entry;
}

/** If `isKernel` is false, shaders that draw may use the layout, too. */
export function declareLayout(
  device: GPUDevice,
  label: string,
  bindings: Bindings,
  isKernel = false,
): DeclaredLayout {
  const layout = device.createBindGroupLayout({
    label: `${label}.layout`,
    entries: Object.values(bindings).map((declared, binding) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE | (isKernel ? 0 : GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT),
      ...entryOf(declared),
    })),
  });
  return { bindings, layout };
}
