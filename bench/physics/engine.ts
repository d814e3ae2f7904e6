/** The interface between measures and engines of bench:physics. */
import type { Dimensions } from '../../src/core/world/world';
import type { PhysicsScene } from './scene';

/** Seconds per step. */
export const DT = 1 / 60;

/** Packed in the order of the scene's bodies, `dimensions` numbers per body. */
export interface PhysicsState {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

export interface PhysicsRun {
  /** Advances by DT seconds. */
  step(): void | Promise<void>;
  read(): PhysicsState | Promise<PhysicsState>;
  destroy(): void;
}

export interface PhysicsEngine {
  readonly name: string;
  readonly about: string;
  readonly dimensions: readonly Dimensions[];
  open(scene: PhysicsScene): PhysicsRun | Promise<PhysicsRun>;
}

export async function withRun<Result>(
  engine: PhysicsEngine,
  scene: PhysicsScene,
  use: (run: PhysicsRun) => Promise<Result>,
): Promise<Result> {
  const run = await engine.open(scene);
  try {
    return await use(run);
  } finally {
    run.destroy();
  }
}

export async function advance(run: PhysicsRun, steps: number): Promise<PhysicsState> {
  for (let step = 0; step < steps; step++) await run.step();
  return run.read();
}

/** `seconds` must be a multiple of DT. */
export function stepsIn(seconds: number): number {
  return Math.round(seconds / DT);
}

export function distanceMoved(
  dimensions: Dimensions,
  before: PhysicsState,
  after: PhysicsState,
  body: number,
): number {
  let squares = 0;
  for (let index = dimensions * body; index < dimensions * (body + 1); index++) {
    squares += ((after.positions[index] as number) - (before.positions[index] as number)) ** 2;
  }
  return Math.sqrt(squares);
}

/** Returns ½ Σ v², the kinetic energy of bodies of mass 1. */
export function kineticEnergy({ velocities }: PhysicsState): number {
  return velocities.reduce((sum, component) => sum + (component * component) / 2, 0);
}

export function greatestSpeed(dimensions: Dimensions, { velocities }: PhysicsState): number {
  let greatest = 0;
  for (let first = 0; first < velocities.length; first += dimensions) {
    greatest = Math.max(greatest, Math.hypot(...velocities.subarray(first, first + dimensions)));
  }
  return greatest;
}
