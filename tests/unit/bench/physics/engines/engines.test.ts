import { describe, expect, it } from 'vitest';
import { advance, DT, withRun } from '../../../../../bench/physics/engine';
import { openEngines } from '../../../../../bench/physics/engines';
import { BOX2D3 } from '../../../../../bench/physics/engines/box2d3';
import { CELLSTORM_CPU, simulationOptions } from '../../../../../bench/physics/engines/cellstorm';
import { RAPIER } from '../../../../../bench/physics/engines/rapier';
import { wallsOf } from '../../../../../bench/physics/engines/walls';
import { type PhysicsScene, vector } from '../../../../../bench/physics/scene';
import { CellstormError } from '../../../../../src/core/base/errors';

const EDGE = 16;

function sceneOf(dimensions: 2 | 3): PhysicsScene {
  return {
    dimensions,
    min: vector(dimensions, 0, 0),
    max: vector(dimensions, EDGE, EDGE, EDGE),
    gravity: vector(dimensions, 0, -10),
    friction: 0.5,
    restitution: 0,
    bodies: [
      { position: vector(dimensions, 4, 12, 3), size: 0.5 },
      {
        position: vector(dimensions, 10, 8, 5),
        velocity: vector(dimensions, 2, 0, 1),
        size: vector(dimensions, 1, 0.5, 0.5),
      },
    ],
    obstacles: [{ position: vector(dimensions, 4, 1, 3), size: vector(dimensions, 2, 1, 2) }],
  };
}

const CASES = [CELLSTORM_CPU, BOX2D3, RAPIER].flatMap((engine) =>
  engine.dimensions.map((dimensions) => ({ engine, dimensions, name: engine.name })),
);

describe.each(CASES)('$name, $dimensions dimensions', ({ engine, dimensions }) => {
  const scene = sceneOf(dimensions);

  it('starts with the bodies of the scene, which then fall freely', async () => {
    await withRun(engine, scene, async (run) => {
      const start = await run.read();
      expect([...start.positions]).toEqual(scene.bodies.flatMap(({ position }) => position));
      expect([...start.velocities].slice(dimensions)).toEqual(vector(dimensions, 2, 0, 1));
      const { positions, velocities } = await advance(run, 30);
      const time = 30 * DT;
      expect(velocities[1] as number).toBeCloseTo(-10 * time, 1);
      expect(positions[1] as number).toBeCloseTo(12 - 5 * time ** 2, 1);
      expect(positions[dimensions] as number).toBeCloseTo(10 + 2 * time, 1);
    });
  });

  it('ends with the ball on the obstacle and the box on the floor', async () => {
    await withRun(engine, scene, async (run) => {
      const { positions, velocities } = await advance(run, 480);
      expect(positions[1] as number).toBeCloseTo(2.5, 1);
      expect(positions[dimensions + 1] as number).toBeCloseTo(0.5, 1);
      expect(positions[dimensions] as number).toBeLessThan(EDGE - 0.9);
      for (const speed of velocities) expect(Math.abs(speed)).toBeLessThan(0.05);
    });
  });
});

it('walls enclose the world', () => {
  const walls = wallsOf(sceneOf(3));
  expect(walls).toHaveLength(6);
  // The first wall ends at x = 0 and is wider than the world.
  expect(walls[0]).toEqual({ position: [-10, 8, 8], size: [10, 28, 28] });
  expect(walls[3]).toEqual({ position: [8, 26, 8], size: [28, 10, 28] });
});

describe('options of a simulation', () => {
  const scene = sceneOf(2);
  const ball = { position: [4, 4], size: 0.5 };

  it('have one radius if all bodies are equal balls', () => {
    const { radius, radii, boxes, obstacles } = simulationOptions({
      ...scene,
      bodies: [ball, ball],
      obstacles: [ball],
    });
    expect({ radius, radii, boxes }).toEqual({ radius: 0.5, radii: undefined, boxes: undefined });
    expect(obstacles).toEqual(Float32Array.of(4, 4));
  });

  it('have radii if balls differ, and half extents if anything is a box', () => {
    const large = { ...ball, size: 2 };
    const balls = simulationOptions({ ...scene, bodies: [ball, large], obstacles: [] });
    expect(balls.radii).toEqual(Float32Array.of(0.5, 2));
    expect(balls.halfExtents).toBeUndefined();
    const mixed = simulationOptions({ ...scene, bodies: [ball] });
    expect(mixed.boxes).toBe(true);
    expect(mixed.halfExtents).toEqual(Float32Array.of(0, 0));
    expect(mixed.obstacles).toMatchObject({ halfExtents: Float32Array.of(2, 1), radii: Float32Array.of(0) });
  });
});

it('openEngines opens the named engines in the given order', async () => {
  const engines = await openEngines(['cpu', 'box2d3', 'rapier'], () => expect.fail('Nothing is missing.'));
  expect(engines).toEqual([CELLSTORM_CPU, BOX2D3, RAPIER]);
});

it('without a GPU, openEngines leaves the engine gpu out, but throws if `gpu` is named', async () => {
  const reasons: string[] = [];
  const openOnGpu = () => Promise.reject(new CellstormError('There is no GPU.'));
  const engines = await openEngines(undefined, (reason) => reasons.push(reason), openOnGpu);
  expect(engines).toEqual([CELLSTORM_CPU, BOX2D3, RAPIER]);
  expect(reasons).toEqual(['The engine gpu is left out: There is no GPU.']);
  const named = openEngines(['cpu', 'gpu'], () => expect.fail('The GPU was named.'), openOnGpu);
  await expect(named).rejects.toThrow('There is no GPU.');
});
