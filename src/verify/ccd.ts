/**
 * Purpose: holds the fast particles of a scene against its wall, which none may pass, and against the reference.
 * Inputs: an engine, a scene of bullets before a wall. Output: what was seen.
 */
import { FLIGHT_TICKS } from '../core/base/constants';
import type { ParticleSimulation, SimulationOptions } from '../core/simulation/simulation';
import { ReferenceSimulation } from '../reference/solve/simulation';
import { type Scene, sceneOptions, wallOf } from '../scenes';

/** Bullets at most: a step of all of them, and a pair of paths for every two, on a software GPU. */
export const MOST_FLYING = 1024;
/** In the reference everybody is held against everybody. */
const MOST_COMPARED = 300;
const TIME_STEP = 1 / 60;
const STEPS = 3;
/** Lengths: what contacts may round, and more. One hit instead of another is far more. */
const OFF = 1e-3;
/** Ticks that rounding may shift the end of a path, or of one that it ends at. */
const TICKS_OFF = 2;

function greatestSpeed(dimensions: number, velocities: Float32Array): number {
  let greatest = 0;
  for (let first = 0; first < velocities.length; first += dimensions) {
    greatest = Math.max(greatest, Math.hypot(...velocities.subarray(first, first + dimensions)));
  }
  return greatest;
}

type Open = (options: SimulationOptions) => Promise<ParticleSimulation>;

export async function checkFlights(open: Open, scene: Scene): Promise<{ pass: boolean; detail: string }> {
  const wall = wallOf(scene);
  const { count, dimensions } = scene;
  const isBullet = scene.positions.map((along, index) => Number(index % dimensions === 0 && along < wall));
  const bullets = isBullet.reduce((sum, is) => sum + is, 0);
  const passed = (positions: Float32Array) =>
    positions.reduce((sum, along, index) => sum + (isBullet[index] === 1 && !(along < wall) ? 1 : 0), 0);
  // A wall that moves is not there any more after a step.
  const steps = scene.obstacles ? STEPS : 1;
  const followed = await open(sceneOptions(scene));
  const ignored = await open(sceneOptions(scene, { continuous: false }));
  try {
    followed.step(TIME_STEP);
    const first = await followed.read();
    const flights = await followed.flights();
    if (count <= MOST_COMPARED) {
      const reference = new ReferenceSimulation(sceneOptions(scene));
      reference.step(TIME_STEP);
      const expected = reference.read().positions;
      const longest = TIME_STEP * greatestSpeed(dimensions, scene.velocities);
      const most = OFF + (TICKS_OFF * longest) / FLIGHT_TICKS;
      const off = expected.findIndex(
        (along, index) => Math.abs(along - (first.positions[index] as number)) > most,
      );
      if (off >= 0) {
        const detail = `coordinate ${off % dimensions} of particle ${Math.floor(off / dimensions)} is ${first.positions[off]} instead of ${expected[off]}`;
        return { pass: false, detail };
      }
    }
    for (let step = 1; step < steps; step++) followed.step(TIME_STEP);
    ignored.step(TIME_STEP);
    const through = passed((await followed.read()).positions);
    const without = passed((await ignored.read()).positions);
    const detail = `${through} of ${bullets} passed in ${steps} steps, ${without} in one where no paths are followed; ${flights.swept} swept, ${flights.hits} hits, ${flights.held} held`;
    return { pass: through === 0 && without === bullets, detail };
  } finally {
    followed.destroy();
    ignored.destroy();
  }
}
