import type { GpuError } from '../core/base/errors';

/** Tells the visitor of a page, in plain words, why there is no GPU. */
export function explainGpuError(error: GpuError): string {
  switch (error.reason) {
    case 'unsupported':
      return 'This browser has no WebGPU.';
    case 'insecure':
      return 'WebGPU needs https or localhost, and this page came over plain http.';
    case 'no-adapter':
      return 'This browser has WebGPU, but no graphics adapter: the driver may be missing, too old or blocked.';
    case 'lost':
      return 'The GPU was lost.';
    default:
      return error.message;
  }
}
