/**
 * Checks that no bullet passes the wall with continuous motion, and that all bullets do without it. Also compares
 * scenes of few particles with the reference.
 */
import { CCD_TICKS } from '../core/base/constants';
import type { ParticleSimulation, SimulationOptions } from '../core/simulation/simulation';
import { ReferenceSimulation } from '../reference/solve/simulation';
import { type Scene, sceneOptions, wallOf } from '../scenes';

/** A software GPU tests paths slowly, so verify.ts checks at most this many particles. */
export const MOST_FLYING = 1024;
/** The reference tests every pair, so it runs at most this many particles. */
const MOST_COMPARED = 300;
const TIME_STEP = 1 / 60;
const STEPS = 3;
/** Rounding in contacts changes coordinates by less than this, a wrong hit by far more. */
const TOLERANCE = 1e-3;
/** Ticks (see CCD_TICKS) by which rounding may shift the end of a path. */
const TOLERANCE_TICKS = 2;

function greatestSpeed(dimensions: number, velocities: Float32Array): number {
  let greatest = 0;
  for (let first = 0; first < velocities.length; first += dimensions) {
    greatest = Math.max(greatest, Math.hypot(...velocities.subarray(first, first + dimensions)));
  }
  return greatest;
}

type Open = (options: SimulationOptions) => Promise<ParticleSimulation>;

export async function checkContinuous(open: Open, scene: Scene): Promise<{ pass: boolean; detail: string }> {
  const wall = wallOf(scene);
  const { count, dimensions } = scene;
  const isBullet = scene.positions.map((along, index) => Number(index % dimensions === 0 && along < wall));
  const bullets = isBullet.reduce((sum, is) => sum + is, 0);
  const passed = (positions: Float32Array) =>
    positions.reduce((sum, along, index) => sum + (isBullet[index] === 1 && !(along < wall) ? 1 : 0), 0);
  // If the scene has no obstacles, the wall consists of particles, which bullets push away in the first step.
  const steps = scene.obstacles ? STEPS : 1;
  const withCcd = await open(sceneOptions(scene));
  const withoutCcd = await open(sceneOptions(scene, { continuous: false }));
  try {
    withCcd.step(TIME_STEP);
    const first = await withCcd.read();
    const counts = await withCcd.continuousCounts();
    if (count <= MOST_COMPARED) {
      const reference = new ReferenceSimulation(sceneOptions(scene));
      reference.step(TIME_STEP);
      const expected = reference.read().positions;
      const longest = TIME_STEP * greatestSpeed(dimensions, scene.velocities);
      const most = TOLERANCE + (TOLERANCE_TICKS * longest) / CCD_TICKS;
      const off = expected.findIndex(
        (along, index) => Math.abs(along - (first.positions[index] as number)) > most,
      );
      if (off >= 0) {
        const detail = `coordinate ${off % dimensions} of particle ${Math.floor(off / dimensions)} is ${first.positions[off]} instead of ${expected[off]}`;
        return { pass: false, detail };
      }
    }
    for (let step = 1; step < steps; step++) withCcd.step(TIME_STEP);
    withoutCcd.step(TIME_STEP);
    const through = passed((await withCcd.read()).positions);
    const without = passed((await withoutCcd.read()).positions);
    const detail = `${through} of ${bullets} bullets passed the wall in ${steps} steps, ${without} in one step without continuous motion; ${counts.swept} fast particles, ${counts.hits} hits, ${counts.held} held paths`;
    return { pass: through === 0 && without === bullets, detail };
  } finally {
    withCcd.destroy();
    withoutCcd.destroy();
  }
}
