/** Purpose: every kernel of the liquid: its file, entry point and buffers. Tests compile and reflect them all. */

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
import partial from '../../../../shaders/fluid/pressure/partial.wgsl?raw';
import project from '../../../../shaders/fluid/pressure/project.wgsl?raw';
import prolong from '../../../../shaders/fluid/pressure/prolong.wgsl?raw';
import pulled from '../../../../shaders/fluid/pressure/pulled.wgsl?raw';
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
import { type KernelSource, READ, READ_WORDS, WRITE, WRITE_WORDS } from './kernel';

const PARTIALS_OUT = ['write', 'array<vec4f>'] as const;
const PARTIALS_IN = ['read', 'array<vec4f>'] as const;
const SOLVER_IN = ['read', 'Solver'] as const;
const SOLVER = ['write', 'Solver'] as const;
const EQUATIONS = { coupling: READ, diagonal: READ, right: READ, solution: WRITE } as const;

/** Passes after which numbers are weighed: STAGE of weigh.wgsl. */
export const WEIGHINGS = ['assemble', 'begin', 'dot', 'apply', 'update', 'end'] as const;

export function kernelSources(apic: boolean) {
  return {
    transfer: {
      name: 'transfer',
      text: transfer,
      entryPoint: 'transfer',
      constants: { APIC: apic },
      bindings: {
        frame: 'frame',
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
      text: kinds,
      entryPoint: 'mark_kinds',
      bindings: { frame: 'frame', start: READ_WORDS, mask: READ_WORDS, kinds: WRITE_WORDS },
    },
    faces: {
      name: 'faces',
      text: faces,
      entryPoint: 'drive',
      bindings: { frame: 'frame', kinds: READ_WORDS, velocity: WRITE, before: WRITE, known: WRITE_WORDS },
    },
    equations: {
      name: 'equations',
      text: equations,
      modules: [partial],
      entryPoint: 'assemble',
      bindings: {
        frame: 'frame',
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
      text: begin,
      modules: [solver, partial],
      entryPoint: 'begin',
      bindings: {
        frame: 'frame',
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
      text: coarsen,
      entryPoint: 'coarsen',
      bindings: { level: 'level', coupling: WRITE, diagonal: WRITE },
    },
    red: smoothing(0),
    black: smoothing(1),
    tail: {
      name: 'tail',
      text: tail,
      modules: [pulled],
      entryPoint: 'run_tail',
      bindings: { slots: 'slots', ...EQUATIONS, right: WRITE },
    },
    restrict: {
      name: 'restrict',
      text: restrict,
      modules: [pulled],
      entryPoint: 'restrict_residual',
      bindings: { level: 'level', ...EQUATIONS, right: WRITE },
    },
    prolong: {
      name: 'prolong',
      text: prolong,
      entryPoint: 'prolong',
      bindings: { level: 'level', diagonal: READ, solution: WRITE },
    },
    dot: {
      name: 'dot',
      text: dot,
      modules: [partial],
      entryPoint: 'multiply',
      bindings: { frame: 'frame', right: READ, solution: READ, partials: PARTIALS_OUT },
    },
    turn: {
      name: 'turn',
      text: turn,
      modules: [solver],
      entryPoint: 'turn',
      bindings: { frame: 'frame', solver: SOLVER_IN, solution: READ, direction: WRITE },
    },
    apply: {
      name: 'apply',
      text: apply,
      modules: [partial],
      entryPoint: 'apply',
      bindings: {
        frame: 'frame',
        coupling: READ,
        diagonal: READ,
        direction: READ,
        image: WRITE,
        partials: PARTIALS_OUT,
      },
    },
    update: {
      name: 'update',
      text: update,
      modules: [solver, partial],
      entryPoint: 'update',
      bindings: {
        frame: 'frame',
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
      text: project,
      entryPoint: 'project',
      bindings: { frame: 'frame', coupling: READ, pressure: READ, velocity: WRITE },
    },
    extrapolate: extrapolation(false),
    extrapolateLast: extrapolation(true),
    particles: {
      name: 'particles',
      text: particles,
      entryPoint: 'move_particles',
      constants: { APIC: apic },
      bindings: {
        frame: 'frame',
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
      text: energy,
      modules: [partial, lowest],
      entryPoint: 'sum_energy',
      constants: { SUMS_ONLY: true },
      bindings: {
        frame: 'frame',
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
      text: settlement,
      entryPoint: 'find_settlement',
      bindings: { frame: 'frame', partials: PARTIALS_IN, settlement: WRITE },
    },
    settle: {
      name: 'settle',
      text: settle,
      entryPoint: 'settle',
      modules: [lowest],
      bindings: {
        frame: 'frame',
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
      text: drain,
      entryPoint: 'set_aside',
      bindings: { frame: 'frame', ids: READ_WORDS, positions: WRITE_WORDS, marks: WRITE_WORDS },
    },
    drained: {
      name: 'drained',
      text: drained,
      entryPoint: 'pack_marks',
      bindings: { marks: WRITE_WORDS, drained: WRITE_WORDS },
    },
    speed: {
      name: 'speed',
      text: speed,
      modules: [partial],
      entryPoint: 'find_fastest',
      bindings: { frame: 'frame', velocities: READ, partials: PARTIALS_OUT },
    },
  } as const satisfies Record<string, KernelSource>;
}

function smoothing(colour: 0 | 1) {
  return {
    name: 'smooth',
    text: smooth,
    modules: [pulled],
    entryPoint: 'smooth_colour',
    constants: { COLOUR: colour },
    bindings: { level: 'level', ...EQUATIONS },
  } as const satisfies KernelSource;
}

function extrapolation(isLast: boolean) {
  return {
    name: 'extrapolate',
    text: extrapolate,
    entryPoint: 'extrapolate',
    constants: { IS_LAST: isLast },
    bindings: { frame: 'frame', known: READ_WORDS, known_after: WRITE_WORDS, velocity: WRITE },
  } as const satisfies KernelSource;
}

export function weighing(after: (typeof WEIGHINGS)[number]): KernelSource {
  return {
    name: 'weigh',
    text: weigh,
    modules: [solver],
    entryPoint: 'weigh',
    constants: { STAGE: WEIGHINGS.indexOf(after) },
    bindings: { frame: 'frame', partials: PARTIALS_IN, solver: SOLVER, dispatches: WRITE_WORDS },
  };
}

export type KernelName = keyof ReturnType<typeof kernelSources>;
