/**
 * Describes what a shader binds. The linker generates the WGSL declarations from this description, and `declareLayout`
 * creates the bind group layout from it. So host and shader cannot disagree.
 */

/**
 * How a shader uses a buffer:
 *   - `uniform`: as a uniform;
 *   - `parameters`: as a uniform in a UniformRing, bound with a dynamic offset;
 *   - `read`: as storage that it only reads;
 *   - `write`: as storage that it reads and writes.
 */
type BufferKind = 'uniform' | 'parameters' | 'read' | 'write';

/**
 * How a shader that draws uses a texture:
 *   - `filtered`: with a sampler;
 *   - `loaded`: without a sampler;
 *   - `depth`: as a depth per pixel;
 *   - `depths`: as a depth per sample of a pixel.
 */
type TextureKind = 'filtered' | 'loaded' | 'depth' | 'depths';

export type BindingKind = BufferKind | TextureKind | 'sampler';

/** How a shader uses a resource, then its WGSL type. Examples: `read array<u32>`, `uniform Scan`, `sampler sampler`. */
export type Binding = `${BindingKind} ${string}`;

/**
 * The resources of a bind group in binding order, by their WGSL names. For names that begin with `user:`, see
 * user-code.ts.
 */
export type Bindings = Readonly<Record<string, Binding>>;

/** A bind group: what the linker declares, and the layout to bind it with. */
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
  loaded: { texture: { sampleType: 'unfilterable-float' } },
  depth: { texture: { sampleType: 'depth' } },
  depths: { texture: { sampleType: 'depth', multisampled: true } },
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

/** The layout is for kernels or, without `isKernel`, for shaders that draw. */
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
      visibility: isKernel ? GPUShaderStage.COMPUTE : GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
      ...ENTRIES[kindOf(declared)],
    })),
  });
  return { bindings, layout };
}
