/**
 * Purpose: the WGSL modules that kernels are linked from, by what they offer.
 */
import cells from '../../shaders/shared/cells.wgsl?raw';
import contact from '../../shaders/shared/contact.wgsl?raw';
import params from '../../shaders/shared/params.wgsl?raw';
import probeGrid from '../../shaders/shared/probe_grid.wgsl?raw';
import probeNaive from '../../shaders/shared/probe_naive.wgsl?raw';
import type { BroadPhase } from '../core/settings';
import type { ShaderSource } from '../gpu/link';

export const PARAMS: ShaderSource = { name: 'shared/params.wgsl', text: params };
export const CELLS: ShaderSource = { name: 'shared/cells.wgsl', text: cells };
export const CONTACT: ShaderSource = { name: 'shared/contact.wgsl', text: contact };

const PROBES: Readonly<Record<BroadPhase, ShaderSource>> = {
  grid: { name: 'shared/probe_grid.wgsl', text: probeGrid },
  naive: { name: 'shared/probe_naive.wgsl', text: probeNaive },
};

/** The neighbour loop; the kernel that follows defines `Visitor` and `visit`. */
export function probeModule(broadPhase: BroadPhase): ShaderSource {
  return PROBES[broadPhase];
}
