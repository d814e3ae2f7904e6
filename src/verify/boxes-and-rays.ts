/**
 * Compares the particles in boxes and the hits along rays with brute force. Boxes and particles are dyadic, so boxes
 * have one right answer. If rounding decides whether a ray hits a ball, both answers pass.
 */

import { HashGrid } from '../engine/grid/hash-grid';
import { packRays, type Ray } from '../engine/queries/rays';
import { createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { toStored } from '../gpu/layout';
import { particlesInBox } from '../reference/query/boxes';
import { faultOfHits, hitsAlongRay, type ReferenceRay } from '../reference/query/rays';
import { Random, type Scene } from '../scenes';
import { createFilled, gridOptionsOf, particlesOf, periodOf } from './grids';

/** Brute force takes too long for more particles. */
export const MOST_SEARCHED = 70_000;

const BOXES = 24;
const RAYS = 16;
/** Corners are multiples of 1/STEPS, except very far from the origin, where 32-bit floats are coarser. */
const STEPS = 64;

interface Answers {
  readonly boxes: readonly ArrayLike<number>[];
  readonly rays: readonly { readonly ids: ArrayLike<number>; readonly distances: ArrayLike<number> }[];
  /** Id of the first hit per ray, 2³² − 1 for none. Undefined if the engine has no such search. */
  readonly firsts?: ArrayLike<number>;
}

interface Questions {
  /** Per box, the low corner and then the high corner. */
  readonly corners: readonly (readonly number[])[];
  readonly rays: readonly ReferenceRay[];
}

export async function checkBoxesAndRays(
  gpu: Gpu | undefined,
  scene: Scene,
): Promise<{ readonly pass: boolean; readonly detail: string }> {
  const questions = makeQuestions(scene);
  const { corners, rays } = questions;
  const { positions } = scene;
  const period = periodOf(scene);
  const boxes = corners.flatMap((low, index) =>
    index % 2 === 0 ? [particlesInBox(positions, period, low, corners[index + 1] as number[])] : [],
  );
  const radii = scene.radii ?? Math.fround(scene.radius);
  const hits = rays.map((ray) => hitsAlongRay(positions, period, ray, radii));
  const met = hits.reduce((sum, { hits: found, doubtful }) => sum + found.length + doubtful.size, 0);
  const answers = gpu
    ? await askGpu(gpu, scene, questions, boxes.flat().length, met)
    : askCpu(scene, questions);
  for (const [box, expected] of boxes.entries()) {
    const got = Array.from(answers.boxes[box] ?? []);
    const isEqual = expected.every((id, index) => id === got[index]);
    if (isEqual && got.length === expected.length) continue;
    return {
      pass: false,
      detail: `box ${box}: the ${got.length} particles found are not the ${expected.length} expected ones`,
    };
  }
  let excused = 0;
  for (const [ray, expected] of hits.entries()) {
    const got = answers.rays[ray] ?? { ids: [], distances: [] };
    const fault = faultOfHits(got.ids, got.distances, expected);
    if (fault) return { pass: false, detail: `ray ${ray}: ${fault}` };
    excused += expected.doubtful.size;
    const first = answers.firsts?.[ray];
    // Another hit may come first if its distance differs by rounding only.
    const nearest = expected.hits[0];
    const chosen = expected.hits.find(({ id }) => id === first);
    const isNear =
      chosen && nearest && chosen.distance - nearest.distance <= chosen.tolerance + nearest.tolerance;
    if (first === undefined || expected.doubtful.size > 0 || isNear) continue;
    if (!nearest && first === 0xffff_ffff) continue;
    return {
      pass: false,
      detail: `ray ${ray} first meets ball ${first} instead of ${nearest?.id ?? 'none'}`,
    };
  }
  return {
    pass: true,
    detail: `${boxes.flat().length} particles in ${boxes.length} boxes, ${met} balls on ${rays.length} rays, ${excused} of them borderline`,
  };
}

/** Makes boxes of many sizes around particles, and rays that start near particles, along axes or slanting. */
function makeQuestions({ dimensions, count, positions, min, max, radius, seed }: Scene): Questions {
  const random = new Random(seed);
  const axes = Array.from({ length: dimensions }, (_, axis) => axis);
  const step = (value: number) => Math.round(value * STEPS) / STEPS;
  const somewhere = () => {
    const particle = random.between(0, Math.max(0, count - 1));
    return axes.map((axis) => step(positions[dimensions * particle + axis] ?? (min[axis] as number)));
  };
  const choose = (values: readonly number[], index: number) => values[index % values.length] as number;
  const longest = Math.max(...axes.map((axis) => (max[axis] as number) - (min[axis] as number)));
  const corners: number[][] = [];
  for (let box = 0; box < BOXES; box++) {
    const middle = somewhere();
    const most = Math.ceil(STEPS * choose([2 * radius, 8 * radius, longest / 4, longest], box));
    const extents = axes.map(() => random.between(0, most) / STEPS);
    corners.push(
      middle.map((value, axis) => Math.fround(value - (extents[axis] as number))),
      middle.map((value, axis) => Math.fround(value + (extents[axis] as number))),
    );
  }
  const rays = Array.from({ length: RAYS }, (_, ray): ReferenceRay => {
    const origin = somewhere().map((value) => value + random.between(-STEPS, STEPS) / STEPS);
    const along = axes.map((axis) => (axis === ray % dimensions ? (ray % 4 < 2 ? 1 : -1) : 0));
    const slanting = axes.map(() => random.between(-STEPS, STEPS) + 0.5);
    const length = Math.sqrt(slanting.reduce((sum, value) => sum + value * value, 0));
    return {
      origin: origin.map(Math.fround),
      direction: ray % 3 === 0 ? along : slanting.map((value) => Math.fround(value / length)),
      greatestDistance: Math.fround(choose([4 * radius, longest / 2, 2 * longest], ray)),
    };
  });
  return { corners, rays };
}

async function askGpu(
  gpu: Gpu,
  scene: Scene,
  { corners, rays }: Questions,
  inBoxes: number,
  onRays: number,
): Promise<Answers> {
  const { dimensions, count } = scene;
  const packed = {
    positions: particlesOf(scene),
    boxes: toStored(dimensions, Float32Array.from(corners.flat())),
    rays: packRays(dimensions, rays as readonly Ray[]),
  };
  const grid = await HashGrid.create(gpu, gridOptionsOf(scene));
  const input = await createBuffers(gpu, 'verify', {
    positions: packed.positions.byteLength,
    boxes: packed.boxes.byteLength,
    rays: packed.rays.byteLength,
  });
  try {
    const { buffers } = input;
    const { queue } = gpu.device;
    if (count > 0) queue.writeBuffer(buffers.positions, 0, packed.positions);
    queue.writeBuffer(buffers.boxes, 0, packed.boxes);
    queue.writeBuffer(buffers.rays, 0, packed.rays);
    const boxes = await grid.inBoxes({ boxes: BOXES, capacity: Math.max(1, inBoxes) });
    const lists = await grid.alongRays({ rays: RAYS, capacity: Math.max(1, onRays) });
    const firsts = await grid.alongRays({ rays: RAYS, firstOnly: true });
    const encoder = gpu.device.createCommandEncoder({ label: 'verify.boxes-and-rays' });
    grid.encode(encoder, { positions: buffers.positions, count });
    boxes.encode(encoder, { boxes: buffers.boxes, count: BOXES });
    lists.encode(encoder, { rays: buffers.rays, count: RAYS });
    firsts.encode(encoder, { rays: buffers.rays, count: RAYS });
    queue.submit([encoder.finish()]);
    const inside = await boxes.read();
    const met = await lists.read();
    return {
      boxes: Array.from({ length: BOXES }, (_, box) =>
        inside.ids.subarray(inside.offsets[box], inside.offsets[box + 1]),
      ),
      rays: rays.map((_, ray) => ({
        ids: met.ids.subarray(met.offsets[ray], met.offsets[ray + 1]),
        distances: met.distances.subarray(met.offsets[ray], met.offsets[ray + 1]),
      })),
      firsts: (await firsts.read()).ids,
    };
  } finally {
    input.destroy();
    grid.destroy();
  }
}

function askCpu(scene: Scene, { corners, rays }: Questions): Answers {
  const grid = createFilled(scene);
  return {
    boxes: corners.flatMap((low, index) =>
      index % 2 === 0 ? [grid.findInBox(low, corners[index + 1] as number[])] : [],
    ),
    rays: rays.map(({ origin, direction, greatestDistance }) =>
      grid.findAlongRay(origin, direction, greatestDistance),
    ),
  };
}
