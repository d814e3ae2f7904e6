/**
 * Compares the engines' answers on random scenes with brute force in doubles. All scenes run on the CPU engine. The
 * first `onGpu` scenes also run on the GPU, in dyadic versions. A third of the CPU scenes without boxes are not dyadic:
 * in them, rounding may decide borderline pairs.
 */
import { defineLevels } from '../../src/core/world/level-world';
import type { Dimensions, WorldKind } from '../../src/core/world/world';
import { createCpuSimulation } from '../../src/cpu';
import { createSimulation } from '../../src/engine/simulation/simulation';
import { type Gpu, wrapDevice } from '../../src/gpu/device';
import { bruteForcePairs } from '../../src/reference/query/brute-force';
import { comparePairs } from '../../src/reference/query/pair-list';
import { sweepShapes } from '../../src/reference/query/shape-pairs';
import { Random, type Scene, sceneOptions, worldOptions } from '../../src/scenes';
import { checkBoxes } from '../../src/verify/boxes';
import { checkBoxesAndRays } from '../../src/verify/boxes-and-rays';
import { differenceOfPairs, exactPairs } from '../../src/verify/exact';
import type { Finding } from '../../src/verify/finding';
import { createFilled, periodOf } from '../../src/verify/grids';
import { checkEvents, checkList } from '../../src/verify/lists';
import { checkIndex } from '../../src/verify/live-index';
import { checkQueries } from '../../src/verify/queries';
import { openDevice } from '../trust/device';
import type { Figures, Part } from '../trust/results';

const MOST_PARTICLES = 120;
const STEPS = 32;

const WORLDS = ['bounded', 'periodic', 'partly periodic', 'unbounded'] as const;
const SIZES = ['equal', 'variable', 'boxes'] as const;
type Size = (typeof SIZES)[number];

interface Drawn {
  readonly scene: Scene;
  readonly size: Size;
  readonly isDyadic: boolean;
}

type Check = (drawn: Drawn, gpu: Gpu | undefined) => Promise<Finding>;

export async function runScenes(part: Part, scenes: number, onGpu: number, seed: number): Promise<Figures> {
  const { device, live, complaints } = await openDevice();
  const gpu = wrapDevice(device);
  const checks: Record<string, number> = {};
  const kinds: Record<string, number> = {};
  const run = async (drawn: Drawn, engine: Gpu | undefined, index: number) => {
    const name = engine ? 'GPU' : 'CPU';
    for (const [check, body] of checksOf(drawn, engine)) {
      const where = `${check} on the ${name}, scene ${index} (seed ${seed}, ${drawn.scene.name})`;
      try {
        const { pass, detail } = await body(drawn, engine);
        part.judge(pass ? undefined : `${where}: ${detail}`);
      } catch (error) {
        part.fail(`${where}: ${error instanceof Error ? error.stack : error}`);
      }
      checks[`${name} ${check}`] = (checks[`${name} ${check}`] ?? 0) + 1;
    }
    if (engine && live.size > 0) part.fail(`scene ${index} leaves ${live}`);
  };
  for (let index = 0; index < scenes; index++) {
    const drawn = draw(index, seed);
    kinds[drawn.scene.name] = (kinds[drawn.scene.name] ?? 0) + 1;
    await run(drawn, undefined, index);
    if (index < onGpu) await run(index % 3 === 2 ? draw(index, seed, true) : drawn, gpu, index);
    if ((index + 1) % Math.max(1, Math.floor(scenes / 20)) === 0) part.say(`${index + 1} scenes`);
  }
  part.judge(complaints.length > 0 ? `the device reported: ${complaints[0]}` : undefined);
  device.destroy();
  return { scenes, onCpu: scenes, onGpu: Math.min(scenes, onGpu), seed, checks, kinds };
}

function checksOf({ size, isDyadic }: Drawn, gpu: Gpu | undefined): readonly (readonly [string, Check])[] {
  const overlaps = ['boxes that overlap', ({ scene }: Drawn) => checkBoxes(gpu, scene)] as const;
  if (size === 'boxes') return [['pairs of bodies', checkBodies], overlaps];
  if (!isDyadic) return [['borderline pairs', checkBorderline]];
  return [
    ['pairs', gpu ? ({ scene }) => checkList(gpu, scene) : checkPairs],
    ['near and nearest', ({ scene }) => checkQueries(gpu, scene)],
    ['boxes and rays', ({ scene }) => checkBoxesAndRays(gpu, scene)],
    ['events', ({ scene }) => checkEvents(gpu, scene)],
    ...(gpu ? [] : [['index', ({ scene }: Drawn) => checkIndex(scene)] as const]),
    overlaps,
  ];
}

const checkPairs: Check = async ({ scene }) => {
  const difference = differenceOfPairs(createFilled(scene).findPairs(), exactPairs(scene));
  return { pass: difference === undefined, detail: difference ?? '' };
};

/** Compares pairs, but ignores those that rounding may decide. */
const checkBorderline: Check = async ({ scene, size }) => {
  const { dimensions, positions, radius, radii, radiusRange, count } = scene;
  const found = createFilled(scene).findPairs();
  const oracle =
    size === 'equal'
      ? bruteForcePairs(dimensions, positions, Math.fround(2 * radius), undefined, periodOf(scene))
      : sweepShapes(
          dimensions,
          positions,
          { radii },
          defineLevels(worldOptions(scene), radiusRange ?? { smallest: 1, largest: 1 }, count),
        );
  return findingOf(comparePairs(found, oracle));
};

const checkBodies: Check = async ({ scene }, gpu) => {
  const { dimensions, positions, radii, halfExtents: halves } = scene;
  const options = sceneOptions(scene);
  const simulation = gpu ? await createSimulation(gpu, options) : createCpuSimulation(options);
  try {
    const found = await simulation.findPairs();
    return findingOf(
      comparePairs(found, sweepShapes(dimensions, positions, { radii, halves }, simulation.world)),
    );
  } finally {
    simulation.destroy();
  }
};

function findingOf({ missing, extra }: ReturnType<typeof comparePairs>): Finding {
  const detail = `${missing.count} pairs are missing, first ${missing.pairs.slice(0, 2)}; ${extra.count} are too many, first ${extra.pairs.slice(0, 2)}`;
  return { pass: missing.count + extra.count === 0, detail };
}

/** Creates a random scene. The index decides its kind, so that kinds come in turn. */
function draw(index: number, seed: number, alwaysDyadic = false): Drawn {
  const random = new Random(seed * 1_000_003 + index);
  const pick = <Value>(values: readonly Value[]) => values[random.below(values.length)] as Value;
  const dimensions: Dimensions = index % 2 === 0 ? 2 : 3;
  const world = WORLDS[Math.floor(index / 2) % WORLDS.length] as (typeof WORLDS)[number];
  const size = SIZES[Math.floor(index / 8) % SIZES.length] as Size;
  const isDyadic = alwaysDyadic || size === 'boxes' || index % 3 !== 2;
  const axes = Array.from({ length: dimensions }, (_, axis) => axis);
  const count = random.below(8) === 0 ? random.between(1, 4) : random.between(5, MOST_PARTICLES);
  const radius = size === 'equal' ? pick([0.25, 0.5, 1, 2]) : size === 'variable' ? 16 : 8;
  // Periodic axes must hold three of the widest cells and the widest search of src/verify/queries.ts.
  const shortest = size === 'equal' ? 12 * radius : size === 'variable' ? 160 : 64;
  const edges = axes.map(() => shortest + random.below(Math.ceil(2 * shortest)));
  const origin = axes.map(() => (random.below(2) === 0 ? 0 : random.between(-300, 300)));
  const periodic =
    world === 'periodic'
      ? true
      : world === 'partly periodic'
        ? axes.map((axis) => axis === index % dimensions)
        : undefined;
  // Particles fill this share of each edge: a small share makes a dense scene.
  const share = pick([1, 0.5, 0.25, 0.125]);
  const lattice = random.below(4) === 0 ? Math.round(2 * radius * STEPS) / 2 : 1;
  const positions = new Float32Array(dimensions * count);
  for (let particle = 0; particle < count; particle++) {
    const twin = particle > 0 && random.below(16) === 0 ? random.below(particle) : undefined;
    for (const axis of axes) {
      const room = Math.max(1, Math.floor((STEPS * share * (edges[axis] as number) - 1) / lattice));
      const steps = Math.floor(lattice * random.below(room)) + (isDyadic ? 0 : random.below(1024) / 1024);
      positions[dimensions * particle + axis] =
        twin === undefined
          ? (origin[axis] as number) + steps / STEPS
          : (positions[dimensions * twin + axis] as number);
    }
  }
  const kind: WorldKind = world === 'unbounded' ? 'unbounded' : periodic ? 'periodic' : 'bounded';
  const step = () => random.between(STEPS, STEPS * radius) / STEPS;
  const sizes =
    size === 'equal'
      ? {}
      : {
          radiusRange: { smallest: 1, largest: radius },
          radii: Float32Array.from({ length: count }, step),
        };
  const scene: Scene = {
    name: `${size} in ${world} ${dimensions}D${isDyadic ? '' : ', rounded'}`,
    description: '',
    dimensions,
    count,
    seed: random.below(2 ** 31),
    radius,
    min: origin,
    max: origin.map((low, axis) => low + (edges[axis] as number)),
    periodic,
    world: kind,
    positions,
    velocities: new Float32Array(dimensions * count),
    settings: {},
    ...sizes,
  };
  return { scene: size === 'boxes' ? withBoxes(scene, random) : scene, size, isDyadic };
}

function withBoxes(scene: Scene, random: Random): Scene {
  const { dimensions, count, radii, radius } = scene;
  const halfExtents = new Float32Array(dimensions * count);
  const sizes = Float32Array.from(radii ?? []);
  // The ball around a box must be within the range of radii.
  const most = Math.floor((STEPS * radius) / Math.sqrt(dimensions)) - 1;
  for (let body = 0; body < count; body++) {
    if (random.below(2) === 0) continue;
    sizes[body] = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      halfExtents[dimensions * body + axis] = random.between(STEPS, most) / STEPS;
    }
  }
  return { ...scene, radii: sizes, halfExtents };
}
