/** The public functions that create a simulation or a grid in one thread or in several. */
import type { SimulationPlan } from '../core/simulation/plan';
import type { SimulationOptions } from '../core/simulation/simulation';
import { type CpuGrid, createGrid, type GridOptions } from './grid/grid';
import { GridTeam } from './grid/grid-team';
import { type CpuSimulation, createSimulation } from './solver/simulation';
import { StepTeam } from './solver/team/step-team';
import type { Threading } from './threads/control';
import { checkThreads, whyNoWorkers } from './threads/team';

/** Options of `createCpuSimulation`. */
export interface CpuSimulationOptions extends SimulationOptions {
  /**
   * Threads that `step` and `profile` use, from 1 to 64. One thread does all the work if particles are few, if radii
   * vary, and with `continuous`, `exact` or the broad phase 'naive'. Results have the same bits for any number. Call
   * `destroy` when you no longer need a simulation with more than one thread. Default: 1.
   */
  readonly threads?: number | undefined;
}

/** Options of `createCpuGrid`. */
export interface CpuGridOptions extends GridOptions {
  /**
   * Threads that `build`, `countPairs`, `collectPairs` and `findPairs` use, from 1 to 64. Results are the same for any
   * number. Call `destroy` when you no longer need a grid with more than one thread. Default: 1.
   */
  readonly threads?: number | undefined;
}

/**
 * Creates a simulation on the CPU, for Node, workers and pages without WebGPU.
 *
 * @example
 * ```ts
 * const positions = Float32Array.from({ length: 2000 }, () => 10 + 80 * Math.random());
 * const box = { min: [0, 0], max: [100, 100] };
 * const simulation = createCpuSimulation({ dimensions: 2, ...box, radius: 0.5, gravity: [0, -9.81], positions });
 * simulation.step(1 / 60);
 * const { contacts } = simulation.measure();
 * ```
 */
export function createCpuSimulation(options: CpuSimulationOptions): CpuSimulation {
  const [threads, others] = takeThreads<SimulationOptions>(options);
  if (threads === 1) return createSimulation(others);
  return createSimulation(others, (plan) =>
    hire(threads, whyOneThread(plan), () => StepTeam.start({ ...plan, threads })),
  );
}

/**
 * Creates a grid for particles of one diameter. `createCpuLevelGrid` creates one for particles with radii of their own.
 *
 * @example
 * ```ts
 * const grid = createCpuGrid({ dimensions: 2, min: [0, 0], max: [100, 100], diameter: 1, capacity: 10_000 });
 * const positions = Float32Array.from({ length: 20_000 }, () => 100 * Math.random());
 * grid.build(positions);
 * grid.forEachPair((first, second) => console.log(first, second));
 * const { ids } = grid.nearest([50, 50], 8);
 * ```
 */
export function createCpuGrid(options: CpuGridOptions): CpuGrid {
  const [threads, others] = takeThreads<GridOptions>(options);
  if (threads === 1) return createGrid(others);
  return createGrid(others, (plan) =>
    hire(threads, whyNoWorkers(), () => GridTeam.start({ ...plan, threads })),
  );
}

/** Returns the number of threads and the other options. Leaves options that are no object to later checks. */
function takeThreads<Options extends object>(
  options: Options & { readonly threads?: number | undefined },
): readonly [number, Options] {
  if (typeof options !== 'object' || options === null) return [1, options];
  const { threads, ...others } = options;
  return [checkThreads(threads), others as unknown as Options];
}

function hire<Team>(threads: number, reason: string | undefined, start: () => Team): Threading<Team> {
  if (reason === undefined) return { team: start() };
  return { warnings: [`threads is ${threads}, but one thread does the work: ${reason}.`] };
}

/** Says why a simulation cannot use several threads; undefined if it can. */
function whyOneThread({ radiusRange, continuous, exact }: SimulationPlan): string | undefined {
  if (radiusRange) return 'particles have radii of their own';
  if (continuous) return 'the simulation is continuous';
  if (exact) return 'the simulation is exact';
  return whyNoWorkers();
}
