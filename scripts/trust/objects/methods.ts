/** The public GPU objects of src/methods. */
import { createFlock, createLife } from '../../../src/methods/flock';
import { createFluid } from '../../../src/methods/fluid';
import { createPositionFluid } from '../../../src/methods/pbf';
import { boxOf, DT, digestOf, latticeOf, type PublicObject, submit } from './object';

export const FLUID: PublicObject = {
  name: 'fluid',
  async create(gpu, count) {
    const edge = Math.max(8, Math.ceil(Math.sqrt(count / 2)));
    const fluid = await createFluid(gpu, {
      dimensions: 2,
      cells: [edge, edge],
      cellSize: 0.25,
      fill: [{ min: [0, 0], max: [edge / 8, edge / 8] }],
      capacity: edge * edge,
      transfer: 'apic',
      obstacles: [{ shape: 'ball', position: [edge / 6, edge / 6], radius: 0.5 }],
    });
    return {
      step: () => fluid.step(DT),
      awaited: {
        measure: () => fluid.measure(),
        read: () => fluid.read(),
        checkpoint: () => fluid.checkpoint(),
        fields: () => fluid.fields(),
        advance: () => fluid.advance(DT),
        profile: () => fluid.profile(DT),
        drain: () => fluid.drain({ min: [0, 0], max: [0.01, 0.01] }),
      },
      immediate: {
        step: () => fluid.step(DT),
        set: () => fluid.set({ correction: 0.25 }),
        buffers: () => fluid.buffers,
        encodeSubstep: () => submit(gpu, (encoder) => fluid.encodeSubstep(encoder, DT)),
        add: () => fluid.add({ positions: new Float32Array(0) }),
        remove: () => fluid.remove([]),
        setObstacles: () => fluid.setObstacles([]),
      },
      digest: async () => (await fluid.measure()).hash,
      checkpoint: () => fluid.checkpoint(),
      restore: (checkpoint) => fluid.restore(checkpoint as Awaited<ReturnType<typeof fluid.checkpoint>>),
      destroy: () => fluid.destroy(),
    };
  },
};

export const FLOCK: PublicObject = {
  name: 'flock',
  async create(gpu, count) {
    const flock = await createFlock(gpu, {
      dimensions: 2,
      ...boxOf(2, count),
      periodic: true,
      perception: 1,
      positions: latticeOf(2, count),
      hunters: Float32Array.of(2, 2),
      fear: 1.5,
      obstacles: Float32Array.of(3, 3, 0.5),
    });
    return {
      step: () => flock.step(DT),
      awaited: { read: () => flock.read(), checkpoint: () => flock.checkpoint() },
      immediate: {
        step: () => flock.step(DT),
        set: () => flock.set({ cohesion: 4 }),
        encode: () => submit(gpu, (encoder) => flock.encode(encoder, DT)),
        add: () => flock.add({ positions: new Float32Array(0) }),
        remove: () => flock.remove([]),
        placeHunters: () => flock.placeHunters(Float32Array.of(2, 2)),
        setObstacles: () => flock.setObstacles(new Float32Array(0)),
      },
      digest: async () => digestOf(await flock.read()),
      checkpoint: () => flock.checkpoint(),
      restore: (checkpoint) => flock.restore(checkpoint as Awaited<ReturnType<typeof flock.checkpoint>>),
      destroy: () => flock.destroy(),
    };
  },
};

export const LIFE: PublicObject = {
  name: 'life',
  async create(gpu, count) {
    const life = await createLife(gpu, {
      dimensions: 2,
      ...boxOf(2, count),
      periodic: true,
      reach: 1,
      positions: latticeOf(2, count),
      species: Uint32Array.from({ length: count }, (_, id) => id % 2),
      attraction: [
        [0.5, -0.25],
        [0.75, 0.125],
      ],
    });
    return {
      step: () => life.step(DT),
      awaited: { read: () => life.read(), checkpoint: () => life.checkpoint() },
      immediate: {
        step: () => life.step(DT),
        set: () => life.set({ core: 0.3 }),
        encode: () => submit(gpu, (encoder) => life.encode(encoder, DT)),
        add: () => life.add({ positions: new Float32Array(0), species: new Uint32Array(0) }),
        remove: () => life.remove([]),
      },
      digest: async () => digestOf(await life.read()),
      checkpoint: () => life.checkpoint(),
      restore: (checkpoint) => life.restore(checkpoint as Awaited<ReturnType<typeof life.checkpoint>>),
      destroy: () => life.destroy(),
    };
  },
};

export const PBF: PublicObject = {
  name: 'pbf',
  async create(gpu, count) {
    const fluid = await createPositionFluid(gpu, {
      dimensions: 2,
      ...boxOf(2, count),
      radius: 1,
      vorticity: 0.5,
      positions: latticeOf(2, count, 0.5),
      obstacles: [{ shape: 'ball', position: [3, 3], radius: 0.5 }],
    });
    return {
      step: () => fluid.step(DT),
      awaited: {
        read: () => fluid.read(),
        measure: () => fluid.measure(),
        checkpoint: () => fluid.checkpoint(),
      },
      immediate: {
        step: () => fluid.step(DT),
        set: () => fluid.set({ viscosity: 0.02 }),
        encode: () => submit(gpu, (encoder) => fluid.encode(encoder, DT)),
        add: () => fluid.add({ positions: new Float32Array(0) }),
        remove: () => fluid.remove([]),
        setObstacles: () => fluid.setObstacles([]),
      },
      digest: async () => digestOf(await fluid.read()),
      checkpoint: () => fluid.checkpoint(),
      restore: (checkpoint) => fluid.restore(checkpoint as Awaited<ReturnType<typeof fluid.checkpoint>>),
      destroy: () => fluid.destroy(),
    };
  },
};
