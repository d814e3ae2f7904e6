/** Cases of exact simulations, and comparisons of both engines. */
import { expect } from 'vitest';
import type { Checkpoint, SimulationOptions } from '../../../src/core/simulation/simulation';
import { type CpuSimulation, createCpuSimulation } from '../../../src/cpu';
import { createSimulation, type Simulation } from '../../../src/engine/simulation/simulation';
import type { Gpu } from '../../../src/gpu/device';
import { createScene, sceneOptions } from '../../../src/scenes';
import { createNoise } from '../../../src/testing/noise';

export const DT = 1 / 60;

/** Steps both engines and expects the same bits after each number of steps in `all`. */
export async function expectSameBits(
  gpu: Gpu,
  options: SimulationOptions,
  all: readonly number[],
): Promise<void> {
  const cpu = createCpuSimulation(options);
  const simulation = await createSimulation(gpu, options);
  let taken = 0;
  for (const steps of all) {
    for (; taken < steps; taken++) for (const one of [cpu, simulation]) one.step(DT);
    expectSameState(cpu.checkpoint(), await simulation.checkpoint(), `${steps} steps`);
    expect((await simulation.measure()).hash).toBe(cpu.measure().hash);
  }
  simulation.destroy();
}

/** `about` says in an error message which state it is. */
export function expectSameState(expected: Checkpoint, found: Checkpoint, about: string): void {
  const words = expected.exact?.positions ?? [];
  const differs = words.findIndex((word, index) => word !== found.exact?.positions[index]);
  expect(differs, `first differing coordinate, ${about}`).toBe(-1);
  expect(found).toEqual(expected);
}

export const exactScene = (
  name: string,
  dimensions: 2 | 3,
  count: number,
  changes: Partial<SimulationOptions> = {},
) => sceneOptions(createScene(name, { dimensions, count }), { exact: true, ...changes });

export const range = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => first + index);

/** Returns random settings and a random state, often with walls, deep overlaps and coincident particles. */
export function randomCase(dimensions: 2 | 3, seed: number): SimulationOptions {
  const noise = createNoise(seed);
  const between = (low: number, high: number) => low + (high - low) * noise();
  const pick = <Value>(...values: readonly Value[]) => values[Math.floor(between(0, values.length))] as Value;
  const edge = pick(4, 6, 9);
  const count = Math.floor(between(2, 90));
  const speed = pick(0, 1, 30, 500);
  const radius = pick(0.5, 0.3, 1 / 3, 100);
  const scale = 2 * radius;
  const place = () => between(-0.2, edge + 0.2);
  const low = scale * pick(0, 0, -3.7, 500.1);
  // With 300, quanta are coarser, and a 32-bit float often cannot hold the number of quanta in a period.
  const long = pick(1, 1, 1, 300);
  const positions = Float32Array.from(
    { length: dimensions * count },
    () => low + scale * pick(place(), Math.round(place())),
  );
  return {
    dimensions,
    exact: true,
    radius,
    min: new Array<number>(dimensions).fill(low),
    max: new Array<number>(dimensions).fill(low + scale * edge).with(0, low + scale * edge * long),
    periodic: Array.from({ length: dimensions }, () => pick(false, true)),
    positions,
    velocities: positions.map(() => scale * between(-speed, speed) * (long > 1 ? 0.5 : 1)),
    gravity: Array.from({ length: dimensions }, () => scale * pick(0, -9.81, 1e-5, 700)),
    restitution: pick(0, 0.5, 1, between(0, 1)),
    friction: pick(0, 0.2, 10, between(0, 2)),
    relaxation: pick(0.01, 0.35, 1, between(0.01, 1)),
    walls: pick(true, true, false),
    substeps: pick(1, 2, 8),
    broadPhase: pick('grid', 'grid', 'naive'),
  };
}

/** Returns a random case with 0 to 300 obstacles. Some may coincide with each other or with particles. */
export function randomObstacleCase(dimensions: 2 | 3, seed: number): SimulationOptions {
  const options = randomCase(dimensions, seed);
  return { ...options, obstacles: randomObstacles(options, seed), obstacleCapacity: 300 };
}

function randomObstacles(
  { dimensions, min = [], max = [], radius = 0, positions = new Float32Array(0) }: SimulationOptions,
  seed: number,
): Float32Array {
  const noise = createNoise(seed + 0.5);
  const between = (low: number, high: number) => low + (high - low) * noise();
  const pick = <Value>(...values: readonly Value[]) => values[Math.floor(between(0, values.length))] as Value;
  const count = pick(0, 1, 3, 20, 60, 300);
  // A small spread crowds the obstacles.
  const spread = pick(1, 1, 0.2, 0);
  const bodies = positions.length / dimensions;
  const centre = Math.floor(between(0, bodies));
  return Float32Array.from({ length: dimensions * count }, (_, word) => {
    const axis = word % dimensions;
    const low = min[axis] as number;
    const size = (max[axis] as number) - low;
    const near = positions[dimensions * centre + axis] as number;
    const at = near + spread * (low + between(-0.1, 1.1) * size - near);
    return pick(at, at, low + 2 * radius * Math.round((at - low) / (2 * radius)));
  });
}

/** The seeds of each test with many cases: 300, or as many as the environment variable says. */
export const MANY_CASES = range(1000, Number(process.env.CELLSTORM_EXACT_CASES ?? 300));

/** Compares both engines in many cases. Put many cases into one test, because they share kernels. */
export async function expectSameBitsInCases(
  gpu: Gpu,
  dimensions: 2 | 3,
  seeds: readonly number[],
  make: typeof randomCase,
): Promise<void> {
  for (const seed of seeds) {
    const options = make(dimensions, seed);
    const cpu = createCpuSimulation(options);
    const simulation = await createSimulation(gpu, options);
    for (let step = 0; step < 10; step++) {
      for (const one of [cpu, simulation]) {
        if (options.obstacles && step === 5) {
          one.setObstacles(randomObstacles(options, seed + 0.25));
          one.separate(2);
        }
        one.step(DT);
      }
    }
    expectSameState(cpu.checkpoint(), await simulation.checkpoint(), `seed ${seed}`);
    if (options.obstacles) await expectSameQueries(cpu, simulation, seed);
    simulation.destroy();
  }
}

export async function expectSameQueries(
  cpu: CpuSimulation,
  simulation: Simulation,
  seed: number,
): Promise<void> {
  const { hash, contacts, obstacleContacts } = await simulation.measure();
  const expected = cpu.measure();
  expect({ seed, hash, contacts, obstacleContacts }).toEqual({
    seed,
    hash: expected.hash,
    contacts: expected.contacts,
    obstacleContacts: expected.obstacleContacts,
  });
  expect(await simulation.findPairs()).toEqual(cpu.findPairs());
}
