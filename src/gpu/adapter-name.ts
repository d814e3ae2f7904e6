/** Returns a name such as "SwiftShader Device (Subzero), google". */
export function nameAdapter(info: GPUAdapterInfo | undefined): string {
  const name =
    [info?.description, info?.device, info?.architecture].find((text) => text) ?? 'unnamed adapter';
  return info?.vendor ? `${name}, ${info.vendor}` : name;
}
