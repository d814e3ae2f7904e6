/** The modules of kernels in exact simulations. All except `world` and `obstacles` need a binding `id_in`. */
import measure from '../../../shaders/measure/exact.wgsl?raw';
import probeObstacles from '../../../shaders/obstacles/probe_exact.wgsl?raw';
import contact from '../../../shaders/solve/exact/contact.wgsl?raw';
import integers from '../../../shaders/solve/exact/integers.wgsl?raw';
import integrate from '../../../shaders/solve/exact/integrate.wgsl?raw';
import law from '../../../shaders/solve/exact/law.wgsl?raw';
import motion from '../../../shaders/solve/exact/motion.wgsl?raw';
import obstacles from '../../../shaders/solve/exact/obstacles.wgsl?raw';
import partner from '../../../shaders/solve/exact/partner.wgsl?raw';
import resolve from '../../../shaders/solve/exact/resolve.wgsl?raw';
import world from '../../../shaders/world/exact.wgsl?raw';
import type { ExactModules } from '../../core/world/types';
import type { ShaderSource } from '../../gpu/link';

const INTEGERS: ShaderSource = { name: 'solve/exact/integers.wgsl', text: integers };
const CONTACT: readonly ShaderSource[] = [INTEGERS, { name: 'solve/exact/contact.wgsl', text: contact }];
const MOTION: ShaderSource = { name: 'solve/exact/motion.wgsl', text: motion };

export const EXACT_MODULES: ExactModules = {
  world: [{ name: 'world/exact.wgsl', text: world }],
  contact: CONTACT,
  measure: [...CONTACT, { name: 'measure/exact.wgsl', text: measure }],
  obstacles: [{ name: 'obstacles/probe_exact.wgsl', text: probeObstacles }],
  integrate: [INTEGERS, MOTION, { name: 'solve/exact/integrate.wgsl', text: integrate }],
  partner: [...CONTACT, { name: 'solve/exact/partner.wgsl', text: partner }],
  resolve: [
    ...CONTACT,
    MOTION,
    { name: 'solve/exact/law.wgsl', text: law },
    { name: 'solve/exact/obstacles.wgsl', text: obstacles },
    { name: 'solve/exact/resolve.wgsl', text: resolve },
  ],
};
