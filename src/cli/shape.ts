/** The flags of `cellstorm simulate` that change a scene: its sizes, its world and what the engine does. */
import { ArgumentError } from '../core/base/errors';
import type { Checkpoint, SimulationOptions } from '../core/simulation/simulation';
import type { Dimensions } from '../core/world/world';
import { changeScene, type Scene, type SceneChanges, scaleScene, smallestDiameter } from '../scenes';
import { type Flags, type Given, realNumber, severalOf, UsageError } from './arguments';

const LARGEST_CELLS = 2048;

export const SHAPE_FLAGS = {
  radius: {
    value: 'length',
    help: "radius of the particles, or of the largest if radii vary (default the scene's); positions and the box stay",
  },
  'cell-size': {
    value: 'diameters',
    help: `edge of a cell in diameters of the smallest particle, 1 to ${LARGEST_CELLS}; an unbounded world and varying radii round it up to a power of two (default 1, or what the scene sets; if radii vary in a box, it follows from them)`,
  },
  periodic: { value: 'x,y,z|none', help: "axes along which the world wraps around (default the scene's)" },
  unbounded: { help: 'take the box away; with gravity, particles then fall for ever' },
  continuous: { help: 'stop fast particles at their first hit' },
  'no-continuous': {
    help: 'turn off continuous motion; in the scene bullets, particles then fly through the wall',
  },
  crowds: {
    help: 'split the work on cells with more than 128 particles among GPU threads; the CPU engine ignores this flag',
  },
} as const satisfies Flags;

/** The flags above that do not apply to a state file, which has its own particles and world. */
export const SCENE_SHAPE_FLAGS = ['radius', 'periodic', 'unbounded', 'continuous', 'no-continuous'] as const;

/** The changes that flags make to a scene. */
export interface Shape extends SceneChanges {
  readonly radius?: number | undefined;
}

export function readShape(given: Given, dimensions: Dimensions): Shape {
  const radius = realNumber(given, 'radius');
  if (radius !== undefined && !(radius > 0)) {
    throw new UsageError(`--radius is ${given.get('radius')}, but it must be greater than 0.`);
  }
  const cellSize = realNumber(given, 'cell-size');
  if (cellSize !== undefined && !(cellSize >= 1 && cellSize <= LARGEST_CELLS)) {
    throw new UsageError(
      `--cell-size is ${given.get('cell-size')}, but it must be from 1 to ${LARGEST_CELLS} diameters; smaller cells would miss pairs.`,
    );
  }
  const axes = (['x', 'y', 'z'] as const).slice(0, dimensions);
  const wrapped = severalOf(given, 'periodic', [...axes, 'none']);
  if (wrapped?.includes('none') && wrapped.length > 1) {
    throw new UsageError(`--periodic is ${given.get('periodic')}, but "none" cannot be given with axes.`);
  }
  for (const [first, second] of [
    ['unbounded', 'periodic'],
    ['continuous', 'no-continuous'],
  ] as const) {
    if (given.has(first) && given.has(second)) {
      throw new UsageError(`--${first} cannot be given with --${second}; leave one out.`);
    }
  }
  return {
    radius,
    cellSize,
    periodic: wrapped && axes.map((axis) => wrapped.includes(axis)),
    unbounded: given.has('unbounded') || undefined,
    crowds: given.has('crowds') || undefined,
    continuous: given.has('continuous') || (given.has('no-continuous') ? false : undefined),
  };
}

export function reshape(scene: Scene, { radius, ...changes }: Shape): Scene {
  if (scene.world === 'unbounded' && changes.periodic) {
    throw new UsageError(`--periodic needs a box, but the scene ${scene.name} has an unbounded world.`);
  }
  return changeScene(radius === undefined ? scene : scaleScene(scene, radius / scene.radius), changes);
}

/** Returns the options that a state file does not store. */
export function cellOptions(
  { cellSize, crowds }: Shape,
  state: Pick<Checkpoint, 'radius' | 'radiusRange'>,
): Pick<SimulationOptions, 'cellSize' | 'crowds'> {
  return {
    ...(cellSize === undefined ? {} : { cellSize: cellSize * smallestDiameter(state) }),
    ...(crowds ? { crowds } : {}),
  };
}

/** Calls `use`. If it throws an error about an argument, names the flags that may have caused it. */
export function nameShapeFlags<Result>(given: Given, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    const names = Object.keys(SHAPE_FLAGS).filter((name) => given.has(name));
    if (!(error instanceof ArgumentError) || given.has(error.argument) || names.length === 0) throw error;
    throw new UsageError(`With ${names.map((name) => `--${name}`).join(', ')}, ${error.message}`);
  }
}
