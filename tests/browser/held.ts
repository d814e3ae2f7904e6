import type { Page } from 'puppeteer';
import type { ParticleArrays } from '../../src/core/simulation/simulation';
import type { World } from '../../src/core/world/world';
import { buildGrid, type Grid } from '../../src/reference/grid/grid';

export type Point = readonly [number, number];
/** Largest colour distance that counts as equal: a particle beside a pixel may tint it. */
export const SAME = 12;

export interface Held {
  readonly world: World;
  readonly radius: number;
  readonly particles: ParticleArrays;
  readonly grid: Grid;
}

export async function readHeld(page: Page): Promise<Held> {
  const { world, radius, positions, velocities, ids } = await page.evaluate(async () => {
    const simulation = window.cellstorm?.simulation;
    const particles = await simulation?.read();
    if (!simulation || !particles) throw new Error('Nothing runs.');
    return {
      world: simulation.world,
      radius: simulation.radius,
      positions: Array.from(particles.positions),
      velocities: Array.from(particles.velocities),
      ids: Array.from(particles.ids),
    };
  });
  const particles = {
    positions: Float32Array.from(positions),
    velocities: Float32Array.from(velocities),
    ids: Uint32Array.from(ids),
  };
  const grid = buildGrid(world, particles.positions, particles.velocities, particles.ids);
  return { world, radius, particles, grid };
}

export async function screenOf(page: Page): Promise<(point: readonly number[]) => Point> {
  const [[left, bottom], [right, top]] = await page.evaluate(() => {
    const diagonal = (along: number) => window.cellstorm?.toScreen([along, along]) as [number, number];
    return [diagonal(0), diagonal(1)] as const;
  });
  return ([x = 0, y = 0]) => [left + x * (right - left), bottom + y * (top - bottom)];
}

export async function toScreen(page: Page, points: readonly (readonly number[])[]): Promise<Point[]> {
  return points.map(await screenOf(page));
}
