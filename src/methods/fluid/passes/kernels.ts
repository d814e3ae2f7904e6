/** Every kernel of the fluid with its file, entry point and buffers. */

import drain from '../../../../shaders/fluid/drain.wgsl?raw';
import drained from '../../../../shaders/fluid/drained.wgsl?raw';
import energy from '../../../../shaders/fluid/energy.wgsl?raw';
import extrapolate from '../../../../shaders/fluid/extrapolate.wgsl?raw';
import faces from '../../../../shaders/fluid/faces.wgsl?raw';
import kinds from '../../../../shaders/fluid/kinds.wgsl?raw';
import lowest from '../../../../shaders/fluid/lowest.wgsl?raw';
import particles from '../../../../shaders/fluid/particles.wgsl?raw';
import apply from '../../../../shaders/fluid/pressure/apply.wgsl?raw';
import begin from '../../../../shaders/fluid/pressure/begin.wgsl?raw';
import coarsen from '../../../../shaders/fluid/pressure/coarsen.wgsl?raw';
import dot from '../../../../shaders/fluid/pressure/dot.wgsl?raw';
import equations from '../../../../shaders/fluid/pressure/equations.wgsl?raw';
import neighbourSum from '../../../../shaders/fluid/pressure/neighbour_sum.wgsl?raw';
import partial from '../../../../shaders/fluid/pressure/partial.wgsl?raw';
import project from '../../../../shaders/fluid/pressure/project.wgsl?raw';
import prolong from '../../../../shaders/fluid/pressure/prolong.wgsl?raw';
import restrict from '../../../../shaders/fluid/pressure/restrict.wgsl?raw';
import smooth from '../../../../shaders/fluid/pressure/smooth.wgsl?raw';
import solver from '../../../../shaders/fluid/pressure/solver.wgsl?raw';
import tail from '../../../../shaders/fluid/pressure/tail.wgsl?raw';
import turn from '../../../../shaders/fluid/pressure/turn.wgsl?raw';
import update from '../../../../shaders/fluid/pressure/update.wgsl?raw';
import weigh from '../../../../shaders/fluid/pressure/weigh.wgsl?raw';
import settle from '../../../../shaders/fluid/settle.wgsl?raw';
import settlement from '../../../../shaders/fluid/settlement.wgsl?raw';
import speed from '../../../../shaders/fluid/speed.wgsl?raw';
import transfer from '../../../../shaders/fluid/transfer.wgsl?raw';
import type { ShaderSource } from '../../../gpu/link';
import type { FluidKernelSource } from './kernel';

const FRAME = 'parameters Frame';
const LEVEL = 'uniform Level';
const SLOTS = 'uniform array<Slot, MOST_LEVELS>';
const READ = 'read array<f32>';
const WRITE = 'write array<f32>';
const READ_WORDS = 'read array<u32>';
const WRITE_WORDS = 'write array<u32>';
const PARTIALS_OUT = 'write array<vec4f>';
const PARTIALS_IN = 'read array<vec4f>';
const SOLVER_IN = 'read Solver';
const SOLVER = 'write Solver';
const EQUATIONS = { coupling: READ, diagonal: READ, right: READ, solution: WRITE } as const;

const PARTIAL = fluidFile('pressure/partial', partial);
const SOLVER_MODULE = fluidFile('pressure/solver', solver);
const NEIGHBOUR_SUM = fluidFile('pressure/neighbour_sum', neighbourSum);
const LOWEST = fluidFile('lowest', lowest);

function fluidFile(name: string, text: string): ShaderSource {
  return { name: `fluid/${name}.wgsl`, text };
}

/**
 * weigh.wgsl runs after five kernels of the pressure solver. It uses their sums, and stops the solver if further
 * iterations are useless. At the solver's end, it runs again and counts the substep. Its constant STAGE is an index in
 * this list.
 */
export const WEIGHINGS = ['assemble', 'begin', 'dot', 'apply', 'update', 'end'] as const;

export function kernelSources(apic: boolean) {
  return {
    transfer: {
      name: 'transfer',
      source: fluidFile('transfer', transfer),
      entryPoint: 'transfer',
      constants: { APIC: apic },
      bindings: {
        frame: FRAME,
        start: READ_WORDS,
        positions: READ,
        velocities: READ,
        ids: READ_WORDS,
        affine: READ,
        kinds: READ_WORDS,
        velocity: WRITE,
        fullness: WRITE,
      },
    },
    kinds: {
      name: 'kinds',
      source: fluidFile('kinds', kinds),
      entryPoint: 'mark_kinds',
      bindings: { frame: FRAME, start: READ_WORDS, mask: READ_WORDS, kinds: WRITE_WORDS },
    },
    faces: {
      name: 'faces',
      source: fluidFile('faces', faces),
      entryPoint: 'drive',
      bindings: { frame: FRAME, kinds: READ_WORDS, velocity: WRITE, before: WRITE, known: WRITE_WORDS },
    },
    equations: {
      name: 'equations',
      source: fluidFile('pressure/equations', equations),
      modules: [PARTIAL],
      entryPoint: 'assemble',
      bindings: {
        frame: FRAME,
        kinds: READ_WORDS,
        fullness: READ,
        velocity: READ,
        coupling: WRITE,
        diagonal: WRITE,
        right: WRITE,
        partials: PARTIALS_OUT,
      },
    },
    begin: {
      name: 'begin',
      source: fluidFile('pressure/begin', begin),
      modules: [SOLVER_MODULE, PARTIAL],
      entryPoint: 'begin',
      bindings: {
        frame: FRAME,
        solver: SOLVER_IN,
        diagonal: READ,
        right: WRITE,
        solution: WRITE,
        pressure: WRITE,
        partials: PARTIALS_OUT,
      },
    },
    coarsen: {
      name: 'coarsen',
      source: fluidFile('pressure/coarsen', coarsen),
      entryPoint: 'coarsen',
      bindings: { level: LEVEL, coupling: WRITE, diagonal: WRITE },
    },
    red: smoothing(0),
    black: smoothing(1),
    tail: {
      name: 'tail',
      source: fluidFile('pressure/tail', tail),
      modules: [NEIGHBOUR_SUM],
      entryPoint: 'run_tail',
      bindings: { slots: SLOTS, ...EQUATIONS, right: WRITE },
    },
    restrict: {
      name: 'restrict',
      source: fluidFile('pressure/restrict', restrict),
      modules: [NEIGHBOUR_SUM],
      entryPoint: 'restrict_residual',
      bindings: { level: LEVEL, ...EQUATIONS, right: WRITE },
    },
    prolong: {
      name: 'prolong',
      source: fluidFile('pressure/prolong', prolong),
      entryPoint: 'prolong',
      bindings: { level: LEVEL, diagonal: READ, solution: WRITE },
    },
    dot: {
      name: 'dot',
      source: fluidFile('pressure/dot', dot),
      modules: [PARTIAL],
      entryPoint: 'multiply',
      bindings: { frame: FRAME, right: READ, solution: READ, partials: PARTIALS_OUT },
    },
    turn: {
      name: 'turn',
      source: fluidFile('pressure/turn', turn),
      modules: [SOLVER_MODULE],
      entryPoint: 'turn',
      bindings: { frame: FRAME, solver: SOLVER_IN, solution: READ, direction: WRITE },
    },
    apply: {
      name: 'apply',
      source: fluidFile('pressure/apply', apply),
      modules: [PARTIAL],
      entryPoint: 'apply',
      bindings: {
        frame: FRAME,
        coupling: READ,
        diagonal: READ,
        direction: READ,
        image: WRITE,
        partials: PARTIALS_OUT,
      },
    },
    update: {
      name: 'update',
      source: fluidFile('pressure/update', update),
      modules: [SOLVER_MODULE, PARTIAL],
      entryPoint: 'update',
      bindings: {
        frame: FRAME,
        solver: SOLVER_IN,
        direction: READ,
        image: READ,
        pressure: WRITE,
        right: WRITE,
        solution: WRITE,
        partials: PARTIALS_OUT,
      },
    },
    project: {
      name: 'project',
      source: fluidFile('pressure/project', project),
      entryPoint: 'project',
      bindings: { frame: FRAME, coupling: READ, pressure: READ, velocity: WRITE },
    },
    extrapolate: extrapolation(false),
    extrapolateLast: extrapolation(true),
    particles: {
      name: 'particles',
      source: fluidFile('particles', particles),
      entryPoint: 'move_particles',
      constants: { APIC: apic },
      bindings: {
        frame: FRAME,
        kinds: READ_WORDS,
        velocity: READ,
        before: READ,
        ids: READ_WORDS,
        affine: WRITE,
        positions: WRITE,
        velocities: WRITE,
        account: WRITE,
      },
    },
    energy: {
      name: 'energy',
      source: fluidFile('energy', energy),
      modules: [PARTIAL, LOWEST],
      entryPoint: 'sum_energy',
      constants: { SUMS_ONLY: true },
      bindings: {
        frame: FRAME,
        kinds: READ_WORDS,
        positions: READ,
        velocities: READ,
        ids: READ_WORDS,
        account: READ,
        partials: PARTIALS_OUT,
      },
    },
    settlement: {
      name: 'settlement',
      source: fluidFile('settlement', settlement),
      entryPoint: 'find_settlement',
      bindings: { frame: FRAME, partials: PARTIALS_IN, settlement: WRITE },
    },
    settle: {
      name: 'settle',
      source: fluidFile('settle', settle),
      entryPoint: 'settle',
      modules: [LOWEST],
      bindings: {
        frame: FRAME,
        kinds: READ_WORDS,
        ids: READ_WORDS,
        account: READ,
        settlement: READ,
        positions: WRITE,
        velocities: WRITE,
      },
    },
    drain: {
      name: 'drain',
      source: fluidFile('drain', drain),
      entryPoint: 'set_aside',
      bindings: { frame: FRAME, ids: READ_WORDS, positions: WRITE_WORDS, marks: WRITE_WORDS },
    },
    drained: {
      name: 'drained',
      source: fluidFile('drained', drained),
      entryPoint: 'pack_marks',
      bindings: { marks: WRITE_WORDS, drained: WRITE_WORDS },
    },
    speed: {
      name: 'speed',
      source: fluidFile('speed', speed),
      modules: [PARTIAL],
      entryPoint: 'find_fastest',
      bindings: { frame: FRAME, velocities: READ, partials: PARTIALS_OUT },
    },
  } as const satisfies Record<string, FluidKernelSource>;
}

function smoothing(colour: 0 | 1) {
  return {
    name: 'smooth',
    source: fluidFile('pressure/smooth', smooth),
    modules: [NEIGHBOUR_SUM],
    entryPoint: 'smooth_colour',
    constants: { COLOUR: colour },
    bindings: { level: LEVEL, ...EQUATIONS },
  } as const satisfies FluidKernelSource;
}

function extrapolation(isLast: boolean) {
  return {
    name: 'extrapolate',
    source: fluidFile('extrapolate', extrapolate),
    entryPoint: 'extrapolate',
    constants: { IS_LAST: isLast },
    bindings: { frame: FRAME, known: READ_WORDS, known_after: WRITE_WORDS, velocity: WRITE },
  } as const satisfies FluidKernelSource;
}

export function weighing(after: (typeof WEIGHINGS)[number]): FluidKernelSource {
  return {
    name: 'weigh',
    source: fluidFile('pressure/weigh', weigh),
    modules: [SOLVER_MODULE],
    entryPoint: 'weigh',
    constants: { STAGE: WEIGHINGS.indexOf(after) },
    bindings: { frame: FRAME, partials: PARTIALS_IN, solver: SOLVER, dispatches: WRITE_WORDS },
  };
}

export type KernelName = keyof ReturnType<typeof kernelSources>;
