/** The public objects of src/engine other than simulations. */
import { BoxChunks } from '../../../src/engine/box-chunks';
import { BoxPairs } from '../../../src/engine/box-pairs';
import { GridParticles } from '../../../src/engine/grid/grid-particles';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { packRays } from '../../../src/engine/queries/rays';
import { RadixSort } from '../../../src/engine/radix-sort';
import type { Gpu } from '../../../src/gpu/device';
import { createNoise } from '../../../src/testing/noise';
import { upload } from '../device';
import { boxOf, type Calls, digestOf, latticeOf, type PublicObject, submit } from './object';

const KERNEL = /* wgsl */ `
alias Own = u32;
fn begin(particle: Particle) -> Own { return 0u; }
fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) { *own = *own + 1u; }
fn finish(own: Own, particle: Particle) { counts[particle.slot] = own * parameters.factor; }`;

interface GridInputs {
  readonly count: number;
  readonly few: number;
  readonly positions: GPUBuffer;
  readonly corners: GPUBuffer;
  readonly rays: GPUBuffer;
  readonly counts: GPUBuffer;
}

interface GridPart {
  encode(encoder: GPUCommandEncoder): void;
  readonly reads: Calls;
  readonly creates: Calls;
}

const briefly = (create: () => Promise<{ destroy(): void }>) => async () => (await create()).destroy();

const GRID_PARTS: Readonly<Record<string, (grid: HashGrid, inputs: GridInputs) => Promise<GridPart>>> = {
  async pairs(grid, { count }) {
    const pairs = await grid.pairs({ capacity: 8 * count });
    const events = await pairs.events();
    return {
      encode(encoder) {
        pairs.encode(encoder);
        events.encode(encoder);
      },
      reads: { 'pairs.read': () => pairs.read(), 'events.read': () => events.read() },
      creates: {
        pairs: briefly(() => grid.pairs({ capacity: count })),
        'pairs.events': briefly(() => pairs.events()),
      },
    };
  },
  async near(grid, { count, positions: points }) {
    const near = await grid.near({ points: count, capacity: 32 * count, reach: 1 });
    return {
      encode: (encoder) => near.encode(encoder, { points, count }),
      reads: { 'near.read': () => near.read() },
      creates: { near: briefly(() => grid.near({ points: count, capacity: count })) },
    };
  },
  async nearest(grid, { count, positions: points }) {
    const nearest = await grid.nearest({ points: count, k: 4 });
    return {
      encode: (encoder) => nearest.encode(encoder, { points, count }),
      reads: { 'nearest.read': () => nearest.read() },
      creates: { nearest: briefly(() => grid.nearest({ points: count, k: 2 })) },
    };
  },
  async inBoxes(grid, { count, corners }) {
    const boxes = await grid.inBoxes({ boxes: count, capacity: 16 * count });
    return {
      encode: (encoder) => boxes.encode(encoder, { boxes: corners, count }),
      reads: { 'inBoxes.read': () => boxes.read() },
      creates: { inBoxes: briefly(() => grid.inBoxes({ boxes: count, capacity: count })) },
    };
  },
  async alongRays(grid, { count, few, rays }) {
    const hits = await grid.alongRays({ rays: few, capacity: 16 * count });
    const firsts = await grid.alongRays({ rays: few, firstOnly: true });
    return {
      encode(encoder) {
        hits.encode(encoder, { rays, count: few });
        firsts.encode(encoder, { rays, count: few });
      },
      reads: { 'alongRays.read': () => hits.read(), 'firstHits.read': () => firsts.read() },
      creates: {
        alongRays: briefly(() => grid.alongRays({ rays: few, capacity: count })),
        firstHits: briefly(() => grid.alongRays({ rays: few, firstOnly: true })),
      },
    };
  },
  async kernel(grid, { counts }) {
    const options = {
      code: KERNEL,
      buffers: { counts: { type: 'array<u32>', access: 'write' } },
      parameters: { factor: 'u32' },
    } as const;
    const kernel = await grid.kernel(options);
    return {
      encode: (encoder) => kernel.encode(encoder, { buffers: { counts }, parameters: { factor: 2 } }),
      reads: {},
      creates: { kernel: briefly(() => grid.kernel(options)) },
    };
  },
};

function gridObject(name: string, kinds: readonly string[]): PublicObject {
  return {
    name,
    async create(gpu, count) {
      const { device } = gpu;
      const grid = await HashGrid.create(gpu, {
        dimensions: 2,
        ...boxOf(2, count),
        diameter: 1,
        capacity: count,
      });
      const points = latticeOf(2, count);
      const corners = new Float32Array(4 * count);
      points.forEach((value, index) => {
        const corner = 4 * Math.floor(index / 2) + (index % 2);
        corners[corner] = value;
        corners[corner + 2] = value + 2;
      });
      const few = Math.min(16, count);
      const lines = Array.from({ length: few }, (_, ray) => ({
        origin: [0, ray],
        direction: [1, 0.25],
        greatestDistance: 20,
      }));
      const own = {
        positions: upload(device, 'positions', points),
        corners: upload(device, 'corners', corners),
        rays: upload(device, 'rays', packRays(2, lines)),
        counts: upload(device, 'counts', new Uint32Array(count)),
      };
      const destroy = () => {
        grid.destroy();
        for (const buffer of Object.values(own)) buffer.destroy();
      };
      const parts: GridPart[] = [];
      try {
        for (const kind of kinds) {
          const make = GRID_PARTS[kind] as (typeof GRID_PARTS)[string];
          parts.push(await make(grid, { ...own, count, few }));
        }
      } catch (error) {
        destroy();
        throw error;
      }
      const { positions } = own;
      const encode = () => submit(gpu, (encoder) => grid.encode(encoder, { positions, count }));
      const step = () =>
        submit(gpu, (encoder) => {
          grid.encode(encoder, { positions, count });
          for (const part of parts) part.encode(encoder);
        });
      step();
      const reads: Calls = Object.assign({}, ...parts.map((part) => part.reads));
      return {
        step,
        awaited: Object.assign({ ...reads }, ...parts.map(({ creates }) => creates)) as Calls,
        immediate: {
          encode,
          ...Object.fromEntries(
            parts.map((part, index) => [
              `${kinds[index]}.encode`,
              () => submit(gpu, (encoder) => part.encode(encoder)),
            ]),
          ),
        },
        digest: async () => {
          const results: unknown[] = [];
          for (const read of Object.values(reads)) results.push(await read());
          return digestOf(results);
        },
        destroy,
      };
    },
  };
}

export const GRID = gridObject('HashGrid', Object.keys(GRID_PARTS));

/** One object per entry of GRID_PARTS: a grid with this part only. */
export const GRIDS_BY_PART: readonly PublicObject[] = Object.keys(GRID_PARTS).map((kind) =>
  gridObject(`HashGrid, ${kind}`, [kind]),
);

const createBoxFinder = (
  name: string,
  open: (gpu: Gpu, count: number) => Promise<BoxPairs | BoxChunks>,
): PublicObject => ({
  name,
  async create(gpu, count) {
    const finder = await open(gpu, count);
    let events: Awaited<ReturnType<BoxPairs['events']>>;
    try {
      events = await finder.events();
    } catch (error) {
      finder.destroy();
      throw error;
    }
    const lows = latticeOf(3, count);
    const corners = new Float32Array(8 * count);
    lows.forEach((value, index) => {
      const corner = 8 * Math.floor(index / 3) + (index % 3);
      corners[corner] = value;
      corners[corner + 4] = value + 1;
    });
    const boxes = upload(gpu.device, 'boxes', corners);
    const step = () =>
      submit(gpu, (encoder) => {
        finder.encode(encoder, { boxes, count });
        events.encode(encoder);
      });
    step();
    return {
      step,
      awaited: {
        read: () => finder.read(),
        'events.read': () => events.read(),
        events: async () => (await finder.events()).destroy(),
      },
      immediate: { encode: () => submit(gpu, (encoder) => finder.encode(encoder, { boxes, count })) },
      digest: async () => digestOf([await finder.read(), await events.read()]),
      destroy: () => {
        finder.destroy();
        boxes.destroy();
      },
    };
  },
});

export const BOX_PAIRS = createBoxFinder('BoxPairs', (gpu, count) =>
  BoxPairs.create(gpu, {
    dimensions: 3,
    capacity: count,
    pairs: 16 * count,
    extents: { smallest: 0.5, largest: 2 },
  }),
);

export const BOX_CHUNKS = createBoxFinder('BoxChunks', (gpu, count) =>
  BoxChunks.create(gpu, { dimensions: 3, capacity: count, pairs: 16 * count }),
);

export const RADIX_SORT: PublicObject = {
  name: 'RadixSort',
  async create(gpu, count) {
    const { device } = gpu;
    const sort = await RadixSort.create(gpu, { capacity: count, keys: 'f32', payload: true });
    const noise = createNoise(count);
    const values = Float32Array.from({ length: count }, () => noise() - 0.5);
    const keys = upload(device, 'keys', values);
    const payload = upload(device, 'payload', Uint32Array.from(values.keys()));
    const input = { keys, payload, count };
    const step = () => submit(gpu, (encoder) => sort.encode(encoder, input));
    step();
    return {
      step,
      awaited: { profile: () => sort.profile(input) },
      immediate: { encode: step },
      digest: async () => digestOf(await download(device, [keys, payload])),
      destroy: () => {
        sort.destroy();
        keys.destroy();
        payload.destroy();
      },
    };
  },
};

async function download(device: GPUDevice, buffers: readonly GPUBuffer[]): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  for (const buffer of buffers) {
    // COPY_DST | MAP_READ
    const staging = device.createBuffer({ label: 'trust.staging', size: buffer.size, usage: 0x08 | 0x01 });
    const encoder = device.createCommandEncoder({ label: 'trust.download' });
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(1);
    found.push(new Uint8Array(staging.getMappedRange().slice(0)));
    staging.destroy();
  }
  return found;
}

export const GRID_PARTICLES: PublicObject = {
  name: 'GridParticles',
  async create(gpu, count) {
    const particles = await GridParticles.create(gpu, {
      dimensions: 2,
      ...boxOf(2, count),
      diameter: 1,
      positions: latticeOf(2, count),
      sortVelocities: true,
      more: { heat: 'word' },
    });
    const step = () => submit(gpu, (encoder) => particles.encode(encoder));
    return {
      step,
      awaited: {
        read: () => particles.read(),
        checkpoint: () => particles.checkpoint(),
        readFloats: () => particles.readFloats(particles.buffers.heat),
      },
      immediate: {
        encode: step,
        add: () => particles.add({ positions: new Float32Array(0) }),
        remove: () => particles.remove([]),
        writeWords: () => particles.writeWords('heat', Float32Array.of(1)),
      },
      digest: async () => digestOf(await particles.read()),
      checkpoint: () => particles.checkpoint(),
      restore: (checkpoint) =>
        particles.restore(checkpoint as Awaited<ReturnType<typeof particles.checkpoint>>),
      destroy: () => particles.destroy(),
    };
  },
};
