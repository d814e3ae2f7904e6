/** Fluid scenes: tanks in their own units, which fluid-scene.ts scales. */
import type { Dimensions } from '../core/world/world';
import type { FluidSceneDefinition } from './definition';
import { EARTH_GRAVITY } from './scene';
import type { Region, TankBody } from './tank';

export const FLUID_SUBSTEPS = 3;

const FLUID = { method: 'fluid', gravity: EARTH_GRAVITY, substeps: FLUID_SUBSTEPS } as const;

export const DAM_BREAK: FluidSceneDefinition = {
  ...FLUID,
  name: 'dam-break',
  description: 'A fluid: a column of water breaks against the far wall.',
  tank: (dimensions, width) => ({
    size: sizeOf(dimensions, 2 * width, 0.5),
    fill: [box(dimensions, [0, 0], [0.6, 0.8], 0.5)],
  }),
};

export const TWO_DROPS: FluidSceneDefinition = {
  ...FLUID,
  name: 'two-drops',
  description: 'A fluid: two drops meet in the air and fall into a pool.',
  tank: (dimensions, width) => {
    const middle = 0.8 * width;
    const across = dimensions === 3 ? [0.4] : [];
    const still = dimensions === 3 ? [0] : [];
    return {
      size: sizeOf(dimensions, 1.6 * width, 0.8),
      fill: [
        box(dimensions, [0, 0], [1.6 * width, 0.12], 0.8),
        { centre: [middle - 0.45, 0.62, ...across], radius: 0.19, velocity: [0.45, 0.1, ...still] },
        { centre: [middle + 0.45, 0.72, ...across], radius: 0.15, velocity: [-0.6, 0, ...still] },
      ],
    };
  },
};

export const WAVE_TANK: FluidSceneDefinition = {
  ...FLUID,
  name: 'wave-tank',
  description: 'A fluid: waves of a paddle break on a beach.',
  tank: (dimensions, width) => {
    const depth = 0.5;
    const end = 3.2 * width;
    const foot = 0.55 * end;
    const thickness = 0.06;
    const [rest, sway, period] = [0.22, 0.13, 2.4];
    const paddle = (time: number): TankBody => ({
      shape: 'box',
      // With a cosine, the paddle starts at rest.
      position: [
        rest - sway * Math.cos((2 * Math.PI * time) / period),
        0.4,
        ...(dimensions === 3 ? [depth / 2] : []),
      ],
      halfExtents: [thickness, 0.4, ...(dimensions === 3 ? [depth] : [])],
    });
    return {
      size: sizeOf(dimensions, end, depth),
      fill: [box(dimensions, [rest - sway + thickness, 0], [end, 0.42], depth)],
      solids: ([x = 0, y = 0]) => y < (0.55 * (x - foot)) / (end - foot),
      bodiesAt: (time) => [paddle(time)],
    };
  },
};

export const FOUNTAIN: FluidSceneDefinition = {
  ...FLUID,
  name: 'fountain',
  description: 'A fluid: jets fall into a pool that drains.',
  tank: (dimensions, width) => {
    const depth = 1;
    const end = 1.6 * width;
    const middle = [end / 2, depth / 2];
    // The deeper the pool is, the faster the slots in its floor drain it. At this level, they drain what the jets add.
    const [level, slot] = [0.24, dimensions === 3 ? 0.07 : 0.05];
    const [top, bore, jet] = [0.34, 0.1, dimensions === 3 ? 0.06 : 0.022];
    // The jets lean outwards, so that falling fluid does not stop rising fluid.
    const directions =
      dimensions === 3
        ? [
            [0.2, 0],
            [-0.2, 0],
            [0, 0.2],
            [0, -0.2],
          ]
        : [[0.3], [-0.3]];
    const upright = (vector: readonly number[], up: number) => [vector[0] ?? 0, up, ...vector.slice(1)];
    return {
      size: sizeOf(dimensions, end, depth),
      fill: [box(dimensions, [0, 0], [end, level], depth)],
      solids: ([x = 0, y = 0, z = depth / 2]) =>
        y < top - 0.04 && Math.abs(x - end / 2) < bore && Math.abs(z - depth / 2) < bore,
      emitters: directions.map((direction) => ({
        centre: upright(
          middle.slice(0, dimensions - 1).map((at, axis) => at + 0.25 * (direction[axis] ?? 0)),
          top,
        ),
        radius: jet,
        velocity: upright(direction, 1),
      })),
      drains: [0.12, end - 0.12 - slot].map((left) =>
        box(dimensions, [left, 0], [left + slot, 0.025], depth),
      ),
    };
  },
};

function sizeOf(dimensions: Dimensions, width: number, depth: number): number[] {
  return dimensions === 3 ? [width, 1, depth] : [width, 1];
}

/** Returns a box; in 3D it is as deep as the tank. */
function box(dimensions: Dimensions, min: readonly number[], max: readonly number[], depth: number): Region {
  return dimensions === 3 ? { min: [...min, 0], max: [...max, depth] } : { min, max };
}
