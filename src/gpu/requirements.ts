/** The caller's own features and limits in a request for a device. Loaded only if there are some. */
import { checkInteger } from '../core/base/checks';
import { ArgumentError, LimitError } from '../core/base/errors';

interface Requirements {
  readonly requiredFeatures?: Iterable<GPUFeatureName> | undefined;
  readonly requiredLimits?: Readonly<Record<string, number | undefined>> | undefined;
}

/** Checks the types of the caller's own features and limits. Returns copies, without limits that are undefined. */
export function checkRequired({ requiredFeatures = [], requiredLimits = {} }: Requirements): {
  readonly requiredFeatures: readonly GPUFeatureName[];
  readonly requiredLimits: Readonly<Record<string, number>>;
} {
  if (typeof requiredFeatures === 'string' || typeof requiredFeatures?.[Symbol.iterator] !== 'function') {
    throw new ArgumentError('request.requiredFeatures', requiredFeatures, 'a list of names of features');
  }
  if (typeof requiredLimits !== 'object' || requiredLimits === null) {
    throw new ArgumentError(
      'request.requiredLimits',
      requiredLimits,
      'an object with numbers by names of limits',
    );
  }
  const limits: Record<string, number> = {};
  for (const [name, value] of Object.entries(requiredLimits)) {
    if (value === undefined) continue;
    checkInteger(`request.requiredLimits.${name}`, value, 0, Number.MAX_SAFE_INTEGER);
    limits[name] = value;
  }
  return { requiredFeatures: [...requiredFeatures], requiredLimits: limits };
}

/** Throws if the adapter lacks a feature or a limit that the caller requires. */
export function checkOffered(
  adapter: GPUAdapter,
  features: readonly GPUFeatureName[],
  limits: Readonly<Record<string, number>>,
): void {
  for (const [index, feature] of features.entries()) {
    if (adapter.features.has(feature)) continue;
    const offered = [...adapter.features].sort().join(', ');
    const accepted = `a feature of this adapter, which has ${offered || 'none'}`;
    throw new ArgumentError(`request.requiredFeatures[${index}]`, feature, accepted);
  }
  for (const [name, value] of Object.entries(limits)) {
    const argument = `request.requiredLimits.${name}`;
    const most = (adapter.limits as unknown as Record<string, unknown>)[name];
    if (typeof most !== 'number')
      throw new ArgumentError(argument, value, 'left out: WebGPU has no such limit here');
    const isMinimum = isAlignment(name);
    if (isMinimum ? value >= most : value <= most) continue;
    throw new LimitError(
      name,
      `${argument} is ${value}, but this adapter offers ${isMinimum ? 'no less than' : 'at most'} ${most}.`,
    );
  }
}

/** Alignments are limits of which lower ones are better. */
function isAlignment(name: string): boolean {
  return name.endsWith('Alignment');
}
