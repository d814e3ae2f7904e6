/**
 * Describes which buffers a kernel uses. The linker generates the WGSL declarations from this description, and the
 * kernel creates its bind group layout from it. So host and shader cannot disagree.
 */

/**
 * How a kernel uses a buffer:
 *   - `uniform`: as a uniform;
 *   - `parameters`: as a uniform in a UniformRing, bound with a dynamic offset;
 *   - `read`: as storage that it only reads;
 *   - `write`: as storage that it reads and writes.
 */
export type BindingKind = 'uniform' | 'parameters' | 'read' | 'write';

/** How a kernel uses a buffer, then the WGSL type of the buffer. Examples: `read array<u32>`, `uniform Scan`. */
export type Binding = `${BindingKind} ${string}`;

/**
 * The buffers of a bind group in binding order, by their WGSL names. For names that begin with `user:`, see
 * user-code.ts.
 */
export type Bindings = Readonly<Record<string, Binding>>;

const ADDRESS_SPACES: Readonly<Record<BindingKind, string>> = {
  uniform: 'uniform',
  parameters: 'uniform',
  read: 'storage, read',
  write: 'storage, read_write',
};

export function kindOf(binding: Binding): BindingKind {
  return binding.slice(0, binding.indexOf(' ')) as BindingKind;
}

export function declareBindings(group: number, bindings: Bindings): string[] {
  return Object.entries(bindings).map(([name, binding], index) => {
    const type = binding.slice(binding.indexOf(' ') + 1);
    return `@group(${group}) @binding(${index}) var<${ADDRESS_SPACES[kindOf(binding)]}> ${name}: ${type};`;
  });
}
