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
import ascend from '../../../../shaders/fluid/pressure/ascend.wgsl?raw';
import begin from '../../../../shaders/fluid/pressure/begin.wgsl?raw';
import coarseCell from '../../../../shaders/fluid/pressure/coarse_cell.wgsl?raw';
import coarsen from '../../../../shaders/fluid/pressure/coarsen.wgsl?raw';
import coarsenTail from '../../../../shaders/fluid/pressure/coarsen_tail.wgsl?raw';
import descend from '../../../../shaders/fluid/pressure/descend.wgsl?raw';
import equations from '../../../../shaders/fluid/pressure/equations.wgsl?raw';
import judge from '../../../../shaders/fluid/pressure/judge.wgsl?raw';
import neighbourSum from '../../../../shaders/fluid/pressure/neighbour_sum.wgsl?raw';
import over from '../../../../shaders/fluid/pressure/over.wgsl?raw';
import partial from '../../../../shaders/fluid/pressure/partial.wgsl?raw';
import project from '../../../../shaders/fluid/pressure/project.wgsl?raw';
import prolong from '../../../../shaders/fluid/pressure/prolong.wgsl?raw';
import restrict from '../../../../shaders/fluid/pressure/restrict.wgsl?raw';
import smooth from '../../../../shaders/fluid/pressure/smooth.wgsl?raw';
import solver from '../../../../shaders/fluid/pressure/solver.wgsl?raw';
import tail from '../../../../shaders/fluid/pressure/tail.wgsl?raw';
import tile from '../../../../shaders/fluid/pressure/tile.wgsl?raw';
import total from '../../../../shaders/fluid/pressure/total.wgsl?raw';
import update from '../../../../shaders/fluid/pressure/update.wgsl?raw';
import settle from '../../../../shaders/fluid/settle.wgsl?raw';
import settlement from '../../../../shaders/fluid/settlement.wgsl?raw';
import speed from '../../../../shaders/fluid/speed.wgsl?raw';
import transfer from '../../../../shaders/fluid/transfer.wgsl?raw';
import type { ShaderSource } from '../../../gpu/link';
import { type FluidKernelSource, TAIL_THREADS, TILE_THREADS } from './kernel';

const FRAME = 'parameters Frame';
const LEVEL = 'uniform Level';
const SLOTS = 'uniform array<Slot, MOST_LEVELS>';
const SLOT_PAIR = 'uniform array<Slot, 2>';
const READ = 'read array<f32>';
const WRITE = 'write array<f32>';
const READ_WORDS = 'read array<u32>';
const WRITE_WORDS = 'write array<u32>';
const PARTIALS_OUT = 'write array<vec4f>';
const PARTIALS_IN = 'read array<vec4f>';
const SOLVER = 'write Solver';
/** Most kernels of an iteration read the workgroup counts, which are 0 once the solver is done; see over.wgsl. */
const DISPATCHES = { dispatches: READ_WORDS } as const;
const EQUATIONS = { coupling: READ, diagonal: READ, right: READ, solution: WRITE } as const;

const JUDGED = { frame: FRAME, partials: PARTIALS_IN, solver: SOLVER, dispatches: WRITE_WORDS } as const;

const PARTIAL = fluidFile('pressure/partial', partial);
const SOLVER_MODULE = fluidFile('pressure/solver', solver);
const TOTAL = fluidFile('pressure/total', total);
const COARSE_CELL = fluidFile('pressure/coarse_cell', coarseCell);
const JUDGE = fluidFile('pressure/judge', judge);
const OVER = fluidFile('pressure/over', over);
const TILE = fluidFile('pressure/tile', tile);
const NEIGHBOUR_SUM = fluidFile('pressure/neighbour_sum', neighbourSum);
const LOWEST = fluidFile('lowest', lowest);

function fluidFile(name: string, text: string): ShaderSource {
  return { name: `fluid/${name}.wgsl`, text };
}

export function kernelSources(apic: boolean, tileThreads: number = TILE_THREADS.gpu) {
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
      modules: [TOTAL, PARTIAL],
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
      modules: [TOTAL, PARTIAL],
      entryPoint: 'begin',
      bindings: {
        frame: FRAME,
        diagonal: READ,
        right: WRITE,
        solution: WRITE,
        image: WRITE,
        pressure: WRITE,
        partials: PARTIALS_OUT,
      },
    },
    coarsen: {
      name: 'coarsen',
      source: fluidFile('pressure/coarsen', coarsen),
      modules: [COARSE_CELL],
      entryPoint: 'coarsen',
      bindings: { level: LEVEL, coupling: WRITE, diagonal: WRITE },
    },
    coarsenTail: {
      name: 'coarsenTail',
      source: fluidFile('pressure/coarsen_tail', coarsenTail),
      modules: [COARSE_CELL],
      entryPoint: 'coarsen_tail',
      constants: { WORKGROUP: TAIL_THREADS },
      bindings: { slots: SLOTS, coupling: WRITE, diagonal: WRITE },
    },
    red: smoothing(0),
    black: smoothing(1),
    tail: {
      name: 'tail',
      source: fluidFile('pressure/tail', tail),
      modules: [NEIGHBOUR_SUM, OVER],
      entryPoint: 'run_tail',
      constants: { WORKGROUP: TAIL_THREADS },
      bindings: { ...DISPATCHES, slots: SLOTS, ...EQUATIONS, right: WRITE },
    },
    restrict: {
      name: 'restrict',
      source: fluidFile('pressure/restrict', restrict),
      modules: [NEIGHBOUR_SUM, OVER],
      entryPoint: 'restrict_residual',
      bindings: { ...DISPATCHES, level: LEVEL, ...EQUATIONS, right: WRITE },
    },
    prolong: {
      name: 'prolong',
      source: fluidFile('pressure/prolong', prolong),
      modules: [OVER],
      entryPoint: 'prolong',
      bindings: { ...DISPATCHES, level: LEVEL, diagonal: READ, solution: WRITE },
    },
    apply: {
      name: 'apply',
      source: fluidFile('pressure/apply', apply),
      modules: [TOTAL, PARTIAL, OVER],
      entryPoint: 'apply',
      bindings: {
        ...{ ...DISPATCHES, frame: FRAME, ...EQUATIONS },
        ...{ solution: READ, image: WRITE, partials: PARTIALS_OUT },
      },
    },
    descend: descent(false, tileThreads),
    descendPair: descent(true, tileThreads),
    ascend: ascent(false, tileThreads),
    ascendPair: ascent(true, tileThreads),
    update: {
      name: 'update',
      source: fluidFile('pressure/update', update),
      modules: [SOLVER_MODULE, TOTAL, PARTIAL],
      entryPoint: 'update',
      bindings: {
        frame: FRAME,
        solver: SOLVER,
        image: READ,
        direction: WRITE,
        direction_image: WRITE,
        pressure: WRITE,
        right: WRITE,
        solution: WRITE,
        partials: PARTIALS_OUT,
      },
    },
    project: {
      name: 'project',
      source: fluidFile('pressure/project', project),
      modules: [SOLVER_MODULE, TOTAL, JUDGE],
      entryPoint: 'project',
      bindings: { ...JUDGED, coupling: READ, pressure: READ, velocity: WRITE },
    },
    judge: {
      name: 'judge',
      source: JUDGE,
      modules: [SOLVER_MODULE, TOTAL],
      entryPoint: 'judge_alone',
      bindings: JUDGED,
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
    modules: [NEIGHBOUR_SUM, OVER],
    entryPoint: 'smooth_colour',
    constants: { COLOUR: colour },
    bindings: { ...DISPATCHES, level: LEVEL, ...EQUATIONS },
  } as const satisfies FluidKernelSource;
}

function descent(isPair: boolean, threads: number) {
  return {
    name: isPair ? 'descendPair' : 'descend',
    source: fluidFile('pressure/descend', descend),
    modules: isPair ? [TILE, OVER] : [TILE, SOLVER_MODULE, TOTAL, JUDGE],
    entryPoint: 'descend',
    flags: { JUDGES: !isPair },
    constants: { IS_PAIR: isPair, WORKGROUP: threads },
    bindings: {
      ...(isPair ? DISPATCHES : JUDGED),
      ...{ slots: SLOT_PAIR, coupling: READ, diagonal: READ, right: WRITE, smoothed: WRITE },
    },
  } as const satisfies FluidKernelSource;
}

function ascent(isPair: boolean, threads: number) {
  return {
    name: isPair ? 'ascendPair' : 'ascend',
    source: fluidFile('pressure/ascend', ascend),
    modules: [TILE, TOTAL, PARTIAL, OVER],
    entryPoint: 'ascend',
    constants: { IS_PAIR: isPair, WORKGROUP: threads },
    bindings: {
      ...{ ...DISPATCHES, slots: SLOT_PAIR, ...EQUATIONS },
      ...{ smoothed: READ, image: WRITE, partials: PARTIALS_OUT },
    },
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

export type KernelName = keyof ReturnType<typeof kernelSources>;
