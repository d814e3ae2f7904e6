/** The checkpoint of a fluid. It omits the lattice, because every substep rebuilds the lattice from the particles. */
import { checkFinite, checkInteger, checkRange } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import { checkVersion } from '../../core/simulation/particles-checkpoint';
import type { Checkpoint } from '../../core/simulation/simulation';
import { farthestWay, MAX_EMITTERS } from './emitters';
import { checkObstacles, describeObstacle, type Obstacle, type ObstacleOptions } from './obstacles';
import type { FluidPlan } from './options';
import { type FluidSettings, pickSettings, resolveSettings, type Transfer } from './settings';

/** Plain data from which a fluid continues with the same bits. */
export interface FluidCheckpoint {
  /** Version of the format: 1. */
  readonly version: 1;
  /** 2 or 3. */
  readonly dimensions: 2 | 3;
  /** Cells along each axis. */
  readonly cells: readonly number[];
  /** Edge of a cell. */
  readonly cellSize: number;
  /** Particles in a full cell. */
  readonly particlesPerCell: number;
  /** Transfer of the fluid that made this checkpoint. */
  readonly transfer: Transfer;
  /** The current settings. */
  readonly settings: FluidSettings;
  /** The particles. */
  readonly particles: Checkpoint;
  /** APIC only: the velocity gradient at each particle, dimensions² numbers each, in the order of `particles`. */
  readonly slopes?: Float32Array | undefined;
  /** Time at which each particle was added, in simulated seconds, in the order of `particles`. Default: 0 for all. */
  readonly births?: Float32Array | undefined;
  /** The current obstacles. */
  readonly obstacles: readonly ObstacleOptions[];
  /** Simulated seconds. */
  readonly time: number;
  /** Number of substeps so far. */
  readonly substeps: number;
  /** Length of the last substep in seconds. */
  readonly lastStep: number;
  /** Number of substeps that ended with a residual above `tolerance`. */
  readonly unconverged: number;
  /** Number of particles that emitters could not add because the capacity was reached. */
  readonly missed: number;
  /** How far each emitter's lattice of points has moved, modulo the lattice's period; `dimensions` numbers each. */
  readonly ways: readonly number[];
  /** Ids of drained particles that wait for the next collection of ids (turnover.ts). They are still in `particles`. */
  readonly drained: Uint32Array;
  /** Ids that the last collection requested. The next one removes their particles, which are still in `particles`. */
  readonly leaving: Uint32Array;
}

/** The fields that describeFluid() copies as they are. */
export type Progress = Omit<
  FluidCheckpoint,
  | 'version'
  | 'dimensions'
  | 'cells'
  | 'cellSize'
  | 'particlesPerCell'
  | 'transfer'
  | 'settings'
  | 'obstacles'
  | 'slopes'
  | 'births'
>;

export function describeFluid(
  plan: FluidPlan,
  obstacles: readonly Obstacle[],
  progress: Progress,
  /** APIC only: dimensions² numbers per id. */
  affine: Float32Array | undefined,
  /** Times of birth, indexed by id. */
  births: Float32Array,
): FluidCheckpoint {
  const { dimensions, lattice, cellSize, particlesPerCell, transfer } = plan;
  const words = dimensions ** 2;
  const { ids } = progress.particles;
  let slopes: Float32Array | undefined;
  if (affine) {
    slopes = new Float32Array(words * ids.length);
    for (let index = 0; index < ids.length; index++) {
      const first = words * (ids[index] as number);
      slopes.set(affine.subarray(first, first + words), words * index);
    }
  }
  return {
    version: 1,
    dimensions,
    cells: lattice.cells.slice(0, dimensions),
    cellSize,
    particlesPerCell,
    transfer,
    settings: pickSettings(plan),
    ...(slopes ? { slopes } : {}),
    births: Float32Array.from(ids, (id) => births[id] as number),
    obstacles: obstacles.map((obstacle) => describeObstacle(obstacle, dimensions)),
    ...progress,
  };
}

/** The checked fields of a checkpoint, in the form in which a fluid stores them. */
export interface Resumed {
  readonly settings: FluidSettings;
  readonly obstacles: readonly Obstacle[];
  /** Dimensions² numbers per id; undefined unless the transfer is APIC. */
  readonly affine: Float32Array | undefined;
  readonly births: Float32Array;
}

/**
 * Checks a checkpoint, which may come from a fluid with another transfer. Missing slopes then become 0, unused slopes
 * are dropped, and this fluid keeps its own `blend`.
 */
export function checkFluidCheckpoint(checkpoint: FluidCheckpoint, plan: FluidPlan): Resumed {
  const { dimensions, lattice, transfer, capacity } = plan;
  checkVersion(checkpoint);
  for (const name of ['dimensions', 'cellSize', 'particlesPerCell'] as const) {
    if (checkpoint[name] === plan[name]) continue;
    throw new ArgumentError(`checkpoint.${name}`, checkpoint[name], `${plan[name]}, like this fluid`);
  }
  const expected = lattice.cells.slice(0, dimensions);
  const { cells } = checkpoint;
  if (
    !Array.isArray(cells) ||
    cells.length !== dimensions ||
    expected.some((count, axis) => count !== cells[axis])
  )
    throw new ArgumentError('checkpoint.cells', cells, `[${expected.join(', ')}], like this fluid`);
  const { particles, slopes, births: given } = checkpoint;
  if (!(particles?.ids instanceof Uint32Array)) {
    throw new ArgumentError('checkpoint.particles', particles, 'a checkpoint of particles');
  }
  const { ids } = particles;
  const words = dimensions ** 2;
  if (slopes !== undefined && !(slopes instanceof Float32Array && slopes.length === words * ids.length)) {
    const accepted = `left out or a Float32Array of ${words * ids.length} numbers`;
    throw new ArgumentError('checkpoint.slopes', slopes, accepted);
  }
  if (given !== undefined && !(given instanceof Float32Array && given.length === ids.length)) {
    const accepted = `left out or a Float32Array of ${ids.length} numbers`;
    throw new ArgumentError('checkpoint.births', given, accepted);
  }
  checkFinite('checkpoint.time', checkpoint.time);
  if (checkpoint.time < 0) throw new ArgumentError('checkpoint.time', checkpoint.time, '0 or more seconds');
  for (const name of ['substeps', 'unconverged', 'missed'] as const)
    checkInteger(`checkpoint.${name}`, checkpoint[name], 0, Number.MAX_SAFE_INTEGER);
  checkRange('checkpoint.lastStep', checkpoint.lastStep, 0, 1e3);
  const known = new Set(ids);
  for (const name of ['drained', 'leaving'] as const) {
    const listed = checkpoint[name];
    if (!(listed instanceof Uint32Array) || listed.some((id) => !known.has(id))) {
      throw new ArgumentError(`checkpoint.${name}`, listed, 'a Uint32Array of ids of checkpoint.particles');
    }
  }
  const { blend, ...others } = checkpoint.settings ?? {};
  const settings = resolveSettings(
    plan,
    plan,
    checkpoint.transfer === transfer ? { ...others, blend } : others,
  );
  const { ways } = checkpoint;
  // `ways` may cover more emitters than there are, because `set` may shorten the list of emitters but keeps `ways`.
  if (!Array.isArray(ways) || ways.length % dimensions !== 0 || ways.length > dimensions * MAX_EMITTERS) {
    const accepted = `${dimensions} numbers for each of at most ${MAX_EMITTERS} emitters`;
    throw new ArgumentError('checkpoint.ways', ways, accepted);
  }
  const farthest = farthestWay(plan);
  ways.forEach((way, index) => {
    checkRange(`checkpoint.ways[${index}]`, way, -farthest, farthest);
  });
  const obstacles = checkObstacles(checkpoint.obstacles, dimensions);
  const births = new Float32Array(capacity);
  ids.forEach((id, index) => {
    births[id] = given?.[index] ?? 0;
  });
  if (transfer !== 'apic') return { settings, obstacles, affine: undefined, births };
  const affine = new Float32Array(words * capacity);
  ids.forEach((id, index) => {
    if (slopes && id < capacity) affine.set(slopes.subarray(words * index, words * (index + 1)), words * id);
  });
  return { settings, obstacles, affine, births };
}
