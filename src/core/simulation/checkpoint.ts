/** Checks and converts checkpoints of simulations. A rejected checkpoint changes nothing. */
import { checkFinite } from '../base/checks';
import { MOST_LOAD } from '../base/constants';
import { ArgumentError } from '../base/errors';
import { defaultSettings, readSavedSettings, resolveSettings, type Settings } from '../contact/settings';
import { checkObstacles, describeObstacles, NO_OBSTACLES, obstaclesOf } from '../obstacles/obstacles';
import type { StaticBodies } from '../obstacles/tree';
import { defineShapes } from '../particles/shapes';
import { sizesOf } from '../particles/sizes';
import type { RadiusRange } from '../world/world';
import {
  checkCheckpointParticles,
  checkSameKind,
  checkSameWorld,
  describeWorld,
} from './particles-checkpoint';
import type { Bodies, Checkpoint, ParticleArrays, ParticleSimulation } from './simulation';

const ONE_RADIUS = 'left out, since all particles of this simulation have one radius';

/**
 * Checks a checkpoint and returns its settings. Does not check the whole numbers of an exact simulation: engines call
 * checkExactArrays (core/exact/arrays.ts) for them.
 */
export function checkCheckpoint(
  checkpoint: Checkpoint,
  simulation: Pick<
    ParticleSimulation,
    | 'dimensions'
    | 'radius'
    | 'radiusRange'
    | 'boxes'
    | 'world'
    | 'capacity'
    | 'obstacleCapacity'
    | 'continuous'
    | 'exact'
  >,
): Settings {
  const { dimensions, capacity, world, radiusRange } = simulation;
  checkSameKind(checkpoint, dimensions);
  if (checkpoint.radius !== simulation.radius) {
    const accepted = `${simulation.radius}, like this simulation`;
    throw new ArgumentError('checkpoint.radius', checkpoint.radius, accepted);
  }
  checkSameRange(checkpoint.radiusRange, radiusRange);
  if ((checkpoint.boxes ?? false) !== simulation.boxes) {
    const accepted = simulation.boxes
      ? 'true, since particles of this simulation may be boxes'
      : 'left out, since no particle of this simulation may be a box';
    throw new ArgumentError('checkpoint.boxes', checkpoint.boxes, accepted);
  }
  checkSameWorld(checkpoint, world);
  if ((checkpoint.continuous ?? false) !== simulation.continuous) {
    const accepted = simulation.continuous
      ? 'true, since this simulation was created with `continuous: true`'
      : 'left out, since this simulation was created without `continuous`';
    throw new ArgumentError('checkpoint.continuous', checkpoint.continuous, accepted);
  }
  const count = checkCheckpointParticles(checkpoint, dimensions, capacity);
  sizesOf('checkpoint.', checkpoint, count, simulation);
  if (simulation.exact !== (checkpoint.exact !== undefined)) {
    const accepted = `${simulation.exact ? 'given' : 'left out'}, like in checkpoints of this simulation`;
    throw new ArgumentError('checkpoint.exact', checkpoint.exact, accepted);
  }
  checkLoads(checkpoint, radiusRange);
  checkObstacles(obstaclesOf(checkpoint), simulation, 'checkpoint.obstacles');
  checkFinite('checkpoint.time', checkpoint.time);
  if (checkpoint.time < 0) throw new ArgumentError('checkpoint.time', checkpoint.time, '0 or more seconds');
  const defaults = defaultSettings(dimensions, radiusRange, simulation.boxes);
  return resolveSettings(
    dimensions,
    defaults,
    readSavedSettings('checkpoint.settings', checkpoint.settings ?? {}),
  );
}

function checkLoads({ loads, ids }: Checkpoint, range: RadiusRange | undefined): void {
  if (loads === undefined) return;
  const isRight =
    range &&
    loads instanceof Float32Array &&
    loads.length === ids.length &&
    loads.every((load) => load >= 0 && load <= MOST_LOAD);
  if (isRight) return;
  const accepted = range ? `a Float32Array with ${ids.length} numbers from 0 to ${MOST_LOAD}` : ONE_RADIUS;
  throw new ArgumentError('checkpoint.loads', loads, accepted);
}

function checkSameRange(given: RadiusRange | undefined, range: RadiusRange | undefined): void {
  if (given?.smallest === range?.smallest && given?.largest === range?.largest) return;
  const accepted = range
    ? `{ smallest: ${range.smallest}, largest: ${range.largest} }, like this simulation`
    : ONE_RADIUS;
  throw new ArgumentError('checkpoint.radiusRange', given, accepted);
}

export function describeSimulation(
  simulation: Pick<
    ParticleSimulation,
    'dimensions' | 'radius' | 'radiusRange' | 'boxes' | 'world' | 'continuous' | 'time' | 'settings'
  >,
  obstacles: StaticBodies = NO_OBSTACLES,
): Omit<Checkpoint, keyof ParticleArrays> {
  const { dimensions, radius, radiusRange, boxes, world, continuous, time, settings } = simulation;
  return {
    version: 1,
    dimensions,
    radius,
    ...(radiusRange ? { radiusRange } : {}),
    ...(boxes ? { boxes } : {}),
    ...describeWorld(world),
    ...(continuous ? { continuous } : {}),
    time,
    settings,
    ...(obstacles.positions.length > 0 ? { obstacles: describeObstacles(dimensions, obstacles) } : {}),
  };
}

export function bodiesOf(
  { ids, positions, velocities, radii, halfExtents, loads }: Checkpoint,
  simulation: Pick<ParticleSimulation, 'dimensions' | 'boxes'>,
): Bodies {
  const { dimensions, boxes } = simulation;
  const sizes = boxes
    ? defineShapes(dimensions, radii ?? new Float32Array(ids.length), halfExtents)
    : { radii };
  return { ids, positions, velocities, ...sizes, loads };
}
