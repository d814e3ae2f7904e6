/** Purpose: broad phases on the GPU. */
import type { GpuEngine } from '../../harness/engine';

export const GPU_ENGINES: readonly GpuEngine[] = [];
